// SPDX-License-Identifier: MIT
// Chooses runs of equal molecules, and a predictor for each atom, by the estimated size of sampled residuals.
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "molecule_parts.h"
#include "variants.h"

enum {
    SAMPLES = 256,        // values of one axis from which a predictor is chosen
    SAMPLES_FEW = 64,     // the same for predictors that have few values
    MIN_UNITS = 6,        // fewer equal units than this are not a run of their own
    GEOMETRIC_EFFORT = 3, // spheres and circles are used from this effort on: they take longer to decode
    REACH_MAX = 12,       // atoms before an atom that its predictor may name
    LINEAR_TRIED = 2,     // linear combinations whose residuals are computed: those of the least squares
    LOOP = 256,           // atoms of one predictor in a part, from which on its loops are fast
    PART_ATOMS = 1 << 17, // atoms of a part, in all its frames, unless its only frame has more
};

// Samples of one atom of a unit: x, then y, then z of each.
typedef int32_t sampled[3 * SAMPLES];

// The samples of an atom and, if there are several frames, those of the same units in the previous frame.
struct sampled_atom {
    sampled here, before;
};

struct chooser {
    struct trj_codec_model *m;
    const int32_t *const *k;
    const struct trj_codec_run *run;
    size_t atom; // of the unit
    int effort;
    bool chains;                                  // blocks have several units, so that `chain` is possible
    size_t samples, first[SAMPLES];               // atoms in k, without those of the first frame if there are several
    struct sampled_atom atoms[REACH_MAX + 1];     // the atom and those before it, in a ring
    struct sampled_atom chained;                  // the same atom of the unit before
    sampled to_atom, to_reference[REACH_MAX + 1]; // vectors from the nearest atom
    sampled residual, residual_before;
    double best; // bits of one atom, with its share of the bytes of the model
    struct trj_codec_predictor predictor;
};

TRJ_CODEC_WIDE
static void find_range(const int32_t *k, size_t n, int32_t *lowest, uint32_t *range) {
    int32_t low = INT32_MAX, high = INT32_MIN;
    for (size_t i = 0; i < n; i++) {
        low = k[i] < low ? k[i] : low;
        high = k[i] > high ? k[i] : high;
    }
    *lowest = low;
    *range = (uint32_t)high - (uint32_t)low + 1;
}

// ---- runs

static int add_run(struct trj_codec_model *m, size_t *capacity, size_t first, size_t size, size_t count,
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
    if (trj_grow(&m->run, capacity, m->run_count + 1, sizeof *m->run, "runs", err)) return -1;
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
    size_t capacity = 0;
    for (size_t first = 0; first < m->atoms;) {
        size_t size = unit_size(unit, first, m->atoms), count = 1;
        while (first + count * size < m->atoms && unit_size(unit, first + count * size, m->atoms) == size) count++;
        if (add_run(m, &capacity, first, size, count, err)) return -1;
        first += size * count;
    }
    return 0;
}

// How an atom is connected to an earlier one, in the first frame: to the nearest of the atoms before it.
struct link {
    uint32_t back; // 0: none is near
    double distance;
};

static inline double distance(const struct trj_codec_model *m, const int32_t *const k[3], size_t a, size_t b) {
    double square = 0;
    for (int axis = 0; axis < 3; axis++) {
        double d = trj_codec_centre((int32_t)m->range[axis], k[axis][a] - k[axis][b]);
        square += d * d;
    }
    return sqrt(square);
}

// Finds the links of n atoms from `first` on, which have at least `window` atoms before them.
TRJ_CODEC_WIDE
static void find_links(const struct trj_codec_model *m, const int32_t *const k[3], size_t first, size_t n,
                       uint32_t window, struct link *link) {
    enum { SOME = 256 };
    const int32_t range[3] = {(int32_t)m->range[0], (int32_t)m->range[1], (int32_t)m->range[2]};
    for (size_t begin = first, some; begin < first + n; begin += some) {
        double best[SOME] = {0};
        int32_t nearest[SOME] = {0};
        some = first + n - begin < SOME ? first + n - begin : SOME;
        for (size_t i = 0; i < some; i++) best[i] = 1e300;
        const int32_t *x = k[0] + begin, *y = k[1] + begin, *z = k[2] + begin;
        for (int32_t back = 1; back <= (int32_t)window; back++)
            for (size_t i = 0; i < some; i++) {
                double dx = trj_codec_centre(range[0], x[i] - x[(ptrdiff_t)i - back]);
                double dy = trj_codec_centre(range[1], y[i] - y[(ptrdiff_t)i - back]);
                double dz = trj_codec_centre(range[2], z[i] - z[(ptrdiff_t)i - back]);
                double square = dx * dx + dy * dy + dz * dz;
                nearest[i] = square < best[i] ? back : nearest[i];
                best[i] = square < best[i] ? square : best[i];
            }
        for (size_t i = 0; i < some; i++) link[begin + i] = (struct link){(uint32_t)nearest[i], sqrt(best[i])};
    }
}

static void find_all_links(const struct trj_codec_model *m, const int32_t *const k[3], struct link *link) {
    enum { WINDOW = 12 };
    link[0] = (struct link){0, 0};
    for (uint32_t i = 1; i < WINDOW && i < m->atoms; i++) find_links(m, k, i, 1, i, link);
    if (m->atoms > WINDOW) find_links(m, k, WINDOW, m->atoms - WINDOW, WINDOW, link);
}

// Returns whether the unit of `size` atoms at `unit` has the same distances as the one at `first` has in its links.
static bool same_unit(const struct trj_codec_model *m, const int32_t *const k[3], const struct link *link, size_t first,
                      size_t unit, size_t size) {
    for (size_t i = 1; i < size; i++) {
        double expected = link[first + i].distance, max = 0.06 * expected + 2;
        double found = distance(m, k, unit + i, unit + i - link[first + i].back);
        if (fabs(expected - found) > max) return false;
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
    size_t capacity = 0, single = 0; // atoms before `first` that are in no run yet
    if (!link) return -1;
    int rc = 0;
    find_all_links(m, k, link);
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
        if (single) rc = add_run(m, &capacity, first - single, single, 1, err);
        if (!rc) rc = add_run(m, &capacity, first, best, units, err);
        single = 0;
        first += best * units;
    }
    if (!rc && single) rc = add_run(m, &capacity, m->atoms - single, single, 1, err);
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

// Chooses how many frames are coded together. More than one is faster only if most predictors have few units.
static void choose_part(struct trj_codec_model *m) {
    size_t wanted = LOOP * m->predictor_count / m->atoms, max = PART_ATOMS / m->atoms;
    if (max > m->frames - 1) max = m->frames - 1;
    m->part = wanted < max ? wanted : max;
    if (!m->part) m->part = 1;
}

// ---- predictors

static const struct sampled_atom *sampled_atom(const struct chooser *c, unsigned back) {
    return &c->atoms[(c->atom - back) % (REACH_MAX + 1)];
}

// Returns the sum of about log2(1 + |v|), in units of 2^-16: exponent and fraction of a float are nearly its logarithm.
TRJ_CODEC_WIDE
static uint32_t bits_of(const int32_t *v, size_t n) {
    uint32_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        float magnitude = (float)abs(v[i]) + 1;
        uint32_t bits;
        memcpy(&bits, &magnitude, sizeof bits);
        sum += (bits - (127u << 23)) >> 7;
    }
    return sum;
}

static void subtract(const struct chooser *c, int32_t *v, const int32_t *from) {
    for (size_t axis = 0; axis < 3; axis++, v += c->samples, from += c->samples)
        for (size_t s = 0; s < c->samples; s++) v[s] = trj_codec_centre((int32_t)c->m->range[axis], v[s] - from[s]);
}

static void compute_residuals(const struct chooser *c, const struct trj_codec_predictor *p, bool before, int32_t *to) {
    struct trj_codec_predictor how = *p;
    const struct sampled_atom *atom[4];
    const int32_t *x[4];
    for (unsigned i = 0; i < 4; i++) atom[i] = sampled_atom(c, i == 0 ? 0 : i == 1 ? p->a : i == 2 ? p->b : p->c);
    if (p->mode == TRJ_CODEC_CHAIN) {
        how.mode = TRJ_CODEC_RELATIVE;
        atom[1] = &c->chained;
    }
    for (unsigned i = 0; i < 4; i++) x[i] = before ? atom[i]->before : atom[i]->here;
    trj_codec_residuals(c->m, &how, x[0], x[1], x[2], x[3], c->samples, to);
}

// Takes the predictor if it is better than those before. Returns the bits of the residuals of one atom.
static double compare_residuals(struct chooser *c, const struct trj_codec_predictor *p) {
    static const unsigned char bytes[TRJ_CODEC_MODES] = {1, 1, 2, 5, 9, 9};
    double bits = bits_of(c->residual, 3 * c->samples) / 65536.0 / (double)c->samples;
    double all = bits + 8.0 * bytes[p->mode] / (double)(c->m->frames * c->run->count);
    if (all < c->best) {
        c->best = all;
        c->predictor = *p;
    }
    return bits;
}

static double compare(struct chooser *c, const struct trj_codec_predictor *p) {
    compute_residuals(c, p, false, c->residual);
    return compare_residuals(c, p);
}

// Compares the predictor without and with prediction in time. Returns the bits without it.
static double compare_both(struct chooser *c, struct trj_codec_predictor p) {
    double bits = compare(c, &p);
    if (c->m->frames < 2) return bits;
    p.time = 1;
    compute_residuals(c, &p, true, c->residual_before);
    subtract(c, c->residual, c->residual_before);
    compare_residuals(c, &p);
    return bits;
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
    double max = INT32_MAX / 2;
    return (int32_t)(v[n / 2] > max ? max : v[n / 2] < -max ? -max : v[n / 2]);
}

// Returns the sum of products. Coordinates on lattices have less than 26 bits, so that it is exact.
TRJ_CODEC_WIDE
static double dot(const int32_t *a, const int32_t *b, size_t n) {
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++) sum += (uint64_t)((int64_t)a[i] * b[i]);
    return (double)(int64_t)sum;
}

// Returns the median of the products of vectors.
static int32_t median_product(const struct chooser *c, const int32_t *a, const int32_t *b) {
    double product[SAMPLES];
    const size_t n = c->samples;
    for (size_t s = 0; s < n; s++)
        product[s] = (double)a[s] * b[s] + (double)a[n + s] * b[n + s] + (double)a[2 * n + s] * b[2 * n + s];
    return median(product, n);
}

// Circles are compared only if the sphere needs fewer bits than the atom a alone: otherwise the distance is not fixed.
static void compare_spheres(struct chooser *c, unsigned a, unsigned reach, double bits) {
    struct trj_codec_predictor p = {.mode = TRJ_CODEC_SPHERE, .a = (uint8_t)a};
    for (int axis = 0; axis < 3; axis++)
        if (c->m->range[axis] > TRJ_CODEC_GEOMETRIC_RANGE) return;
    p.value[0] = median_product(c, c->to_atom, c->to_atom);
    if (compare(c, &p) > bits) return;
    p.mode = TRJ_CODEC_CIRCLE;
    for (unsigned b = 1; b <= reach; b++) {
        if (b == a) continue;
        p.b = (uint8_t)b;
        p.value[1] = median_product(c, c->to_reference[b], c->to_atom);
        compare(c, &p);
    }
}

// A combination of the vectors to two atoms, by least squares, and the sum of the squares.
struct combination {
    struct trj_codec_predictor predictor;
    double rest;
};

// Inserts a combination into a list of the best ones. Returns how many there are.
static unsigned insert(struct combination *list, unsigned count, const struct combination *new) {
    unsigned rank = count < LINEAR_TRIED ? count : LINEAR_TRIED;
    for (; rank && new->rest < list[rank - 1].rest; rank--)
        if (rank < LINEAR_TRIED) list[rank] = list[rank - 1];
    if (rank < LINEAR_TRIED) list[rank] = *new;
    return count < LINEAR_TRIED ? count + 1 : count;
}

static void compare_combinations(struct chooser *c, unsigned a, unsigned reach) {
    const size_t n = 3 * c->samples;
    double square[REACH_MAX + 1], with_atom[REACH_MAX + 1];
    struct combination best[LINEAR_TRIED];
    unsigned count = 0;
    for (unsigned b = 1; b <= reach; b++) {
        square[b] = dot(c->to_reference[b], c->to_reference[b], n);
        with_atom[b] = dot(c->to_reference[b], c->to_atom, n);
    }
    for (unsigned b = 1; b <= reach; b++)
        for (unsigned d = b + 1; d <= reach; d++) {
            if (b == a || d == a) continue;
            double xy = dot(c->to_reference[b], c->to_reference[d], n), det = square[b] * square[d] - xy * xy;
            const double f[2] = {(with_atom[b] * square[d] - with_atom[d] * xy) / det,
                                 (with_atom[d] * square[b] - with_atom[b] * xy) / det};
            if (!(fabs(f[0]) < 1000) || !(fabs(f[1]) < 1000)) continue; // the atoms are on a line
            struct combination new = {.rest = -f[0] * with_atom[b] - f[1] * with_atom[d]};
            new.predictor = (struct trj_codec_predictor){
                .mode = TRJ_CODEC_LINEAR, .a = (uint8_t)a, .b = (uint8_t)b, .c = (uint8_t)d};
            for (int i = 0; i < 2; i++) new.predictor.value[i] = (int32_t)floor(f[i] * (1 << TRJ_CODEC_FACTOR) + 0.5);
            count = insert(best, count, &new);
        }
    for (unsigned i = 0; i < count; i++) compare_both(c, best[i].predictor);
}

static void choose(struct chooser *c) {
    static const unsigned char reach_of[] = {0, 3, 3, 3, 4, 4, 6, 8, 10, REACH_MAX};
    unsigned max = reach_of[c->effort], reach = c->atom < max ? (unsigned)c->atom : max, nearest = 0;
    double best = 0;
    c->best = 1e30;
    compare_both(c, (struct trj_codec_predictor){.mode = TRJ_CODEC_ABSOLUTE});
    if (c->chains) compare_both(c, (struct trj_codec_predictor){.mode = TRJ_CODEC_CHAIN});
    for (unsigned a = 1; a <= reach; a++) {
        double bits = compare(c, &(struct trj_codec_predictor){.mode = TRJ_CODEC_RELATIVE, .a = (uint8_t)a});
        if (!nearest || bits < best) {
            nearest = a;
            best = bits;
        }
    }
    if (!nearest) return;
    compare_both(c, (struct trj_codec_predictor){.mode = TRJ_CODEC_RELATIVE, .a = (uint8_t)nearest});
    const int32_t *from = sampled_atom(c, nearest)->here;
    const size_t bytes = 3 * c->samples * sizeof *from;
    memcpy(c->to_atom, sampled_atom(c, 0)->here, bytes);
    subtract(c, c->to_atom, from);
    for (unsigned b = 1; b <= reach; b++) {
        memcpy(c->to_reference[b], sampled_atom(c, b)->here, bytes);
        subtract(c, c->to_reference[b], from);
    }
    if (c->effort >= GEOMETRIC_EFFORT) compare_spheres(c, nearest, reach, best);
    compare_combinations(c, nearest, reach);
}

// Takes samples that are spread over all units and frames, without the first frame and the first units of blocks.
static void set_samples(struct chooser *c) {
    size_t frames = c->m->frames, count = c->run->count, skipped = frames > 1, values = (frames - skipped) * count;
    size_t units = trj_codec_block_units(c->m, c->run);
    c->chains = units > 1 && count > 1;
    // The comparison of the predictors of few values should not take longer than the computation of their residuals.
    size_t samples = values / 8 < SAMPLES_FEW ? SAMPLES_FEW : values / 8;
    samples = samples < SAMPLES ? samples : SAMPLES;
    c->samples = values < samples ? values : samples;
    for (size_t s = 0; s < c->samples; s++) {
        size_t n = (size_t)((double)values / (double)c->samples * (double)s) + s % 3;
        n = n < values ? n : values - 1;
        size_t frame = skipped + n / count, unit = n % count;
        if (c->chains && unit % units == 0) unit = unit + 1 < count ? unit + 1 : unit - 1;
        c->first[s] = frame * c->m->atoms + c->run->first + unit * c->run->size;
    }
}

static void take_samples(const struct chooser *c, size_t back, struct sampled_atom *to) {
    const size_t n = c->samples, frame = c->m->frames > 1 ? c->m->atoms : 0;
    for (size_t axis = 0; axis < 3; axis++)
        for (size_t s = 0; s < n; s++) {
            const int32_t *k = c->k[axis] + c->first[s] + c->atom - back;
            to->here[axis * n + s] = *k;
            to->before[axis * n + s] = *(k - frame);
        }
}

static int choose_predictors(struct trj_codec_model *m, const int32_t *const k[3], int effort, struct trj_error *err) {
    struct chooser *c = trj_alloc(1, sizeof *c, "samples", err);
    if (!c) return -1;
    c->m = m;
    c->k = k;
    c->effort = effort;
    for (c->run = m->run; c->run < m->run + m->run_count; c->run++) {
        set_samples(c);
        for (c->atom = 0; c->atom < c->run->size; c->atom++) {
            take_samples(c, 0, &c->atoms[c->atom % (REACH_MAX + 1)]);
            if (c->chains) take_samples(c, c->run->size, &c->chained);
            choose(c);
            m->predictor[c->run->predictor + c->atom] = c->predictor;
        }
    }
    free(c);
    return 0;
}

int trj_codec_model_make(struct trj_codec_model *m, const int32_t *const k[3], size_t frames, size_t atoms,
                         const uint32_t *unit, int effort, struct trj_error *err) {
    *m = (struct trj_codec_model){.frames = frames, .atoms = atoms, .part = 1};
    for (int axis = 0; axis < 3; axis++) find_range(k[axis], frames * atoms, &m->low[axis], &m->range[axis]);
    if (unit ? runs_from_units(m, unit, err) : runs_from_links(m, k, err)) return -1;
    merge_rare_units(m);
    choose_part(m);
    m->predictor = trj_alloc(m->predictor_count, sizeof *m->predictor, "predictors", err);
    if (!m->predictor || choose_predictors(m, k, effort, err)) return -1;
    return trj_codec_model_lay_out(m, err);
}
