// SPDX-License-Identifier: MIT
// Chooses runs of equal molecules, and a predictor for each atom, by the estimated size of sampled residuals.
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "molecule_parts.h"

enum {
    SAMPLES = 256,       // values of one axis from which a predictor is chosen
    MIN_UNITS = 6,       // fewer equal units than this are not a run of their own
    GEOMETRIC_EFFORT = 3 // spheres and circles are used from this effort on: they take longer to decode
};

struct chooser {
    struct trj_codec_model *m;
    const int32_t *const *k;
    const struct trj_codec_run *run;
    size_t atom; // of the unit
    int effort;
    size_t samples, at[SAMPLES]; // atoms in k, without those of the first frame if there are several
    bool first[SAMPLES];         // of the first unit
    double best;                 // bits of one atom, with its share of the bytes of the model
    struct trj_codec_predictor predictor;
};

static void set_ranges(struct trj_codec_model *m, const int32_t *const k[3]) {
    for (int axis = 0; axis < 3; axis++) {
        int32_t low = INT32_MAX, high = INT32_MIN;
        for (size_t i = 0; i < m->frames * m->atoms; i++) {
            low = k[axis][i] < low ? k[axis][i] : low;
            high = k[axis][i] > high ? k[axis][i] : high;
        }
        m->low[axis] = low;
        m->range[axis] = (uint32_t)high - (uint32_t)low + 1;
    }
}

// ---- runs

static int add_run(struct trj_codec_model *m, size_t *room, size_t first, size_t size, size_t count,
                   struct trj_error *err) {
    struct trj_codec_run *last = m->run_count ? &m->run[m->run_count - 1] : NULL;
    if (count < MIN_UNITS) { // joins a preceding single unit
        size *= count;
        count = 1;
        if (last && last->count == 1) {
            last->size += (uint32_t)size;
            m->predictor_count += size;
            return 0;
        }
    }
    if (trj_grow(&m->run, room, m->run_count + 1, sizeof *m->run, "runs", err)) return -1;
    m->run[m->run_count++] = (struct trj_codec_run){(uint32_t)size, (uint32_t)count, first, m->predictor_count};
    m->predictor_count += size;
    return 0;
}

// Returns the number of atoms from `first` on that belong to one unit.
static size_t unit_size(const uint32_t *unit, size_t first, size_t atoms) {
    size_t n = 1;
    while (first + n < atoms && unit[first + n] == unit[first]) n++;
    return n;
}

static int runs_from_units(struct trj_codec_model *m, const uint32_t *unit, struct trj_error *err) {
    size_t room = 0;
    for (size_t first = 0; first < m->atoms;) {
        size_t size = unit_size(unit, first, m->atoms), count = 1;
        while (first + count * size < m->atoms && unit_size(unit, first + count * size, m->atoms) == size) count++;
        if (add_run(m, &room, first, size, count, err)) return -1;
        first += size * count;
    }
    return 0;
}

// How an atom is connected to an earlier one, in the first frame: to the nearest of the atoms before it.
struct link {
    uint32_t back; // 0: none is near
    double distance;
};

static double distance(const struct trj_codec_model *m, const int32_t *const k[3], size_t a, size_t b) {
    double square = 0;
    for (int axis = 0; axis < 3; axis++) {
        double d = trj_codec_difference(m, axis, k[axis], a, b);
        square += d * d;
    }
    return sqrt(square);
}

static struct link find_link(const struct trj_codec_model *m, const int32_t *const k[3], size_t atom) {
    enum { WINDOW = 12 };
    struct link link = {0, 0};
    for (uint32_t back = 1; back <= WINDOW && back <= atom; back++) {
        double d = distance(m, k, atom, atom - back);
        if (!link.back || d < link.distance) link = (struct link){back, d};
    }
    return link;
}

// Returns whether the unit of `size` atoms at `unit` has the same distances as the one at `first` has in its links.
static bool same_unit(const struct trj_codec_model *m, const int32_t *const k[3], const struct link *link, size_t first,
                      size_t unit, size_t size) {
    for (size_t i = 1; i < size; i++) {
        double expected = link[first + i].distance, found = distance(m, k, unit + i, unit + i - link[first + i].back);
        if (fabs(expected - found) > 0.06 * expected + 2) return false;
    }
    return true;
}

// Returns how many units of `size` atoms follow each other from `first` on. In the first one, all atoms but the first
// are connected to an atom of the unit; the others are like it.
static size_t equal_units(const struct trj_codec_model *m, const int32_t *const k[3], const struct link *link,
                          size_t first, size_t size) {
    size_t count = 1;
    for (size_t i = 1; i < size; i++)
        if (link[first + i].back > i) return 0;
    while (first + (count + 1) * size <= m->atoms && same_unit(m, k, link, first, first + count * size, size)) count++;
    return count;
}

// Returns the mean distance of atom i of a unit and the atom that precedes it by `back`, over the units at `first`.
static double mean_distance(const struct trj_codec_model *m, const int32_t *const k[3], size_t first, size_t size,
                            size_t units, size_t i, uint32_t back) {
    double sum = 0;
    for (size_t u = 0; u < units; u++) sum += distance(m, k, first + u * size + i, first + u * size + i - back);
    return sum / (double)units;
}

// Returns whether the units at `first` consist of equal parts. On a coarse lattice, single distances do not show this.
static bool has_equal_parts(const struct trj_codec_model *m, const int32_t *const k[3], const struct link *link,
                            size_t first, size_t size, size_t units, size_t part) {
    size_t n = units < SAMPLES ? units : SAMPLES;
    for (size_t i = part; i < size; i++) {
        uint32_t back = link[first + i % part].back;
        if (i % part == 0) continue;
        double d = mean_distance(m, k, first, size, n, i % part, back) - mean_distance(m, k, first, size, n, i, back);
        if (fabs(d) > 0.1 + 2 / sqrt((double)n)) return false;
    }
    return true;
}

// Finds units in the coordinates: molecules of 2 to MAX_FOUND atoms that repeat, as in a solvent.
static int runs_from_links(struct trj_codec_model *m, const int32_t *const k[3], struct trj_error *err) {
    enum { MAX_FOUND = 24 };
    struct link *link = trj_alloc(m->atoms, sizeof *link, "the distances of atoms", err);
    size_t room = 0, single = 0; // atoms before `first` that are in no run yet
    if (!link) return -1;
    int rc = 0;
    for (size_t i = 0; i < m->atoms; i++) link[i] = find_link(m, k, i);
    for (size_t first = 0; !rc && first < m->atoms;) {
        size_t best = 0, units = 0;
        for (size_t size = 2; size <= MAX_FOUND && first + MIN_UNITS * size <= m->atoms; size++) {
            size_t count = equal_units(m, k, link, first, size);
            bool better =
                count * size > 2 * best * units || (best && size % best == 0 && (count + 1) * size > best * units &&
                                                    !has_equal_parts(m, k, link, first, size, count, best));
            if (count >= MIN_UNITS && better) {
                best = size;
                units = count;
            }
        }
        if (!best) {
            single++;
            first++;
            continue;
        }
        if (single) rc = add_run(m, &room, first - single, single, 1, err);
        if (!rc) rc = add_run(m, &room, first, best, units, err);
        single = 0;
        first += best * units;
    }
    if (!rc && single) rc = add_run(m, &room, m->atoms - single, single, 1, err);
    free(link);
    return rc;
}

// A single unit has a predictor for each atom, which must save more bytes than it takes. If there are few frames, all
// atoms of the unit share one predictor: it becomes a run of units of one atom.
static void merge_rare_units(struct trj_codec_model *m) {
    enum { MIN_FRAMES = 6 };
    if (m->frames >= MIN_FRAMES) return;
    m->predictor_count = 0;
    for (size_t r = 0; r < m->run_count; r++) {
        struct trj_codec_run *run = &m->run[r];
        if (run->count * m->frames < MIN_FRAMES) {
            run->count *= run->size;
            run->size = 1;
        }
        run->predictor = m->predictor_count;
        m->predictor_count += run->size;
    }
}

// ---- predictors

// Returns about log2(1 + |v|) + 1, in units of 2^-16.
static inline uint32_t bits_of(int32_t v) {
    uint32_t u = (v < 0 ? 0 - (uint32_t)v : (uint32_t)v) + 1, e = 31 - (uint32_t)__builtin_clz(u);
    return ((e + 1) << 16) + (uint32_t)(((uint64_t)(u - (1u << e)) << 16) >> e);
}

// Returns the estimated bits of one atom, without the bytes of the model.
static double residual_bits(const struct chooser *c, const struct trj_codec_predictor *p) {
    uint64_t sum = 0;
    for (size_t s = 0; s < c->samples; s++) {
        int32_t v[3], before[3];
        trj_codec_predict(c->m, p, c->k, c->at[s], c->run->size, c->first[s], v);
        if (p->time) {
            trj_codec_predict(c->m, p, c->k, c->at[s] - c->m->atoms, c->run->size, c->first[s], before);
            for (int i = 0; i < 3; i++) v[i] = trj_codec_centre(c->m, i, v[i] - before[i]);
        }
        for (int i = 0; i < 3; i++) sum += bits_of(v[i]);
    }
    return (double)sum / 65536.0 / (double)c->samples;
}

// Takes the predictor if it is better than those before. Returns its bits of residuals.
static double compare(struct chooser *c, const struct trj_codec_predictor *p) {
    static const unsigned char bytes[TRJ_CODEC_MODES] = {1, 1, 2, 5, 9, 9};
    double bits = residual_bits(c, p);
    double all = bits + 8.0 * bytes[p->mode] / (double)(c->m->frames * c->run->count);
    if (all < c->best) {
        c->best = all;
        c->predictor = *p;
    }
    return bits;
}

static void compare_both(struct chooser *c, struct trj_codec_predictor p) {
    compare(c, &p);
    p.time = 1;
    if (c->m->frames > 1) compare(c, &p);
}

// Returns the median. Changes the order of the numbers: those before it become at most as large (Hoare's selection).
static int32_t median(double *v, size_t n) {
    if (!n) return 0;
    ptrdiff_t middle = (ptrdiff_t)n / 2, low = 0, high = (ptrdiff_t)n - 1;
    while (low < high) {
        double pivot = v[middle];
        ptrdiff_t i = low, k = high;
        while (i <= k) {
            while (v[i] < pivot) i++;
            while (v[k] > pivot) k--;
            if (i > k) break;
            double swapped = v[i];
            v[i++] = v[k];
            v[k--] = swapped;
        }
        if (k < middle) low = i;
        if (i > middle) high = k;
    }
    double most = INT32_MAX / 2;
    return (int32_t)(v[n / 2] > most ? most : v[n / 2] < -most ? -most : v[n / 2]);
}

static void difference(const struct chooser *c, size_t s, unsigned from, unsigned to, double d[3]) {
    for (int axis = 0; axis < 3; axis++)
        d[axis] = trj_codec_difference(c->m, axis, c->k[axis], c->at[s] - to, c->at[s] - from);
}

static double dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static struct trj_codec_predictor sphere(const struct chooser *c, unsigned a) {
    struct trj_codec_predictor p = {.mode = TRJ_CODEC_SPHERE, .a = (uint8_t)a};
    double square[SAMPLES] = {0}, e[3];
    for (size_t s = 0; s < c->samples; s++) {
        difference(c, s, a, 0, e);
        square[s] = dot(e, e);
    }
    p.value[0] = median(square, c->samples);
    return p;
}

static struct trj_codec_predictor circle(const struct chooser *c, const struct trj_codec_predictor *around,
                                         unsigned b) {
    struct trj_codec_predictor p = {
        .mode = TRJ_CODEC_CIRCLE, .a = around->a, .b = (uint8_t)b, .value = {around->value[0]}};
    double product[SAMPLES] = {0}, d[3], e[3];
    for (size_t s = 0; s < c->samples; s++) {
        difference(c, s, p.a, 0, e);
        difference(c, s, p.a, b, d);
        product[s] = dot(d, e);
    }
    p.value[1] = median(product, c->samples);
    return p;
}

// Least squares. Returns mode 0 if the atoms are on a line.
static struct trj_codec_predictor linear(const struct chooser *c, unsigned a, unsigned b, unsigned d) {
    struct trj_codec_predictor p = {.mode = TRJ_CODEC_LINEAR, .a = (uint8_t)a, .b = (uint8_t)b, .c = (uint8_t)d};
    double xx = 0, xy = 0, yy = 0, xe = 0, ye = 0, x[3], y[3], e[3];
    for (size_t s = 0; s < c->samples; s++) {
        difference(c, s, a, b, x);
        difference(c, s, a, d, y);
        difference(c, s, a, 0, e);
        xx += dot(x, x);
        xy += dot(x, y);
        yy += dot(y, y);
        xe += dot(x, e);
        ye += dot(y, e);
    }
    double det = xx * yy - xy * xy, f[2] = {(xe * yy - ye * xy) / det, (ye * xx - xe * xy) / det};
    for (int i = 0; i < 2; i++) {
        if (!(fabs(f[i]) < 1000)) return (struct trj_codec_predictor){.mode = TRJ_CODEC_ABSOLUTE};
        p.value[i] = (int32_t)floor(f[i] * (1 << TRJ_CODEC_FACTOR) + 0.5);
    }
    return p;
}

static void compare_geometry(struct chooser *c, unsigned nearest, unsigned reach) {
    struct trj_codec_predictor p = sphere(c, nearest);
    bool geometric = c->effort >= GEOMETRIC_EFFORT;
    for (int axis = 0; axis < 3; axis++) geometric = geometric && c->m->range[axis] <= TRJ_CODEC_GEOMETRIC_RANGE;
    if (geometric) {
        compare(c, &p);
        for (unsigned b = 1; b <= reach; b++)
            if (b != nearest) {
                struct trj_codec_predictor q = circle(c, &p, b);
                compare(c, &q);
            }
    }
    for (unsigned b = 1; b <= reach; b++)
        for (unsigned d = b + 1; d <= reach; d++) {
            if (b == nearest || d == nearest) continue;
            struct trj_codec_predictor q = linear(c, nearest, b, d);
            if (q.mode == TRJ_CODEC_LINEAR) compare_both(c, q);
        }
}

static void choose(struct chooser *c) {
    static const unsigned char reach_of[] = {0, 3, 3, 3, 4, 4, 6, 8, 10, 12};
    unsigned most = reach_of[c->effort], reach = c->atom < most ? (unsigned)c->atom : most, nearest = 0;
    double best = 0;
    c->best = 1e30;
    compare_both(c, (struct trj_codec_predictor){.mode = TRJ_CODEC_ABSOLUTE});
    if (c->run->count > 1) compare_both(c, (struct trj_codec_predictor){.mode = TRJ_CODEC_CHAIN});
    for (unsigned a = 1; a <= reach; a++) {
        struct trj_codec_predictor p = {.mode = TRJ_CODEC_RELATIVE, .a = (uint8_t)a};
        double bits = compare(c, &p);
        if (!nearest || bits < best) {
            nearest = a;
            best = bits;
        }
    }
    if (!nearest) return;
    compare_both(c, (struct trj_codec_predictor){.mode = TRJ_CODEC_RELATIVE, .a = (uint8_t)nearest});
    compare_geometry(c, nearest, reach);
}

// Takes samples that are spread over all units and frames, without the first frame.
static void set_samples(struct chooser *c) {
    size_t frames = c->m->frames, count = c->run->count, skipped = frames > 1, values = (frames - skipped) * count;
    c->samples = values < SAMPLES ? values : SAMPLES;
    for (size_t s = 0; s < c->samples; s++) {
        size_t n = (size_t)((double)values / (double)c->samples * (double)s) + s % 3;
        n = n < values ? n : values - 1;
        size_t frame = skipped + n / count, unit = n % count;
        c->at[s] = frame * c->m->atoms + c->run->first + unit * c->run->size;
        c->first[s] = !unit;
    }
}

static void choose_predictors(struct trj_codec_model *m, const int32_t *const k[3], int effort) {
    for (size_t r = 0; r < m->run_count; r++) {
        struct chooser c = {.m = m, .k = k, .run = &m->run[r], .effort = effort};
        set_samples(&c);
        for (; c.atom < c.run->size; c.atom++) {
            choose(&c);
            m->predictor[c.run->predictor + c.atom] = c.predictor;
            for (size_t s = 0; s < c.samples; s++) c.at[s]++;
        }
    }
}

int trj_codec_model_make(struct trj_codec_model *m, const int32_t *const k[3], size_t frames, size_t atoms,
                         const uint32_t *unit, int effort, struct trj_error *err) {
    *m = (struct trj_codec_model){.frames = frames, .atoms = atoms};
    set_ranges(m, k);
    if (unit ? runs_from_units(m, unit, err) : runs_from_links(m, k, err)) return -1;
    merge_rare_units(m);
    m->predictor = trj_alloc(m->predictor_count, sizeof *m->predictor, "predictors", err);
    if (!m->predictor) return -1;
    choose_predictors(m, k, effort);
    return trj_codec_model_lay_out(m, err);
}
