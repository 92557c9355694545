// SPDX-License-Identifier: MIT
// Finds close pairs by a grid of bins, for lists of a few atoms to a million, with cells of any shape.
//
// Tiles (tile/tiles.h) are made for the ranges of g(r); at 4.5 Å they compute seven distances for each pair that is
// found. Here, points are sorted into narrow bins along one axis, so that the candidates of an atom are in a few runs
// of consecutive points that are cut to the sphere around it.
//
// Positions are wrapped into the brick of the cell (struct tile_axes), whose edges are orthogonal axes: h_k has the
// components t[k][0..k] along them. Bins along the last axis are slabs, those of a slab along the middle axis are
// strips, and those of a strip along the first axis contain consecutive points.
#include "contact_search.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "boxes.h"
#include "contact_kernel.h"
#include "instruction_set.h"
#include "memory.h"

enum {
    RUNS = 128,           // given to the kernel at once
    RUN_POINTS = 1 << 11, // of these runs
    CHUNK = 64,
};
#define STRIP_POINTS 32.0 // expected in the longest run
#define FIRST_RADIUS 3.0  // Å, of the search for the nearest pair
#define IMAGES_MAX   1e6  // of the cell, within the radius
#define WRAPS_MAX    1e8  // coordinates over edges of the brick: numbers of images are 32-bit integers

// A point in the order of the list.
struct point {
    float y[3]; // wrapped, along the axes
    uint32_t bin;
};

// The points of a list.
struct placed {
    const struct obs_positions *p;
    size_t capacity;
    struct point *point;
    int32_t (*wrap)[3]; // lattice vectors that wrap the point
    float *x[3];        // of sorted points; one allocation
    uint32_t *order;    // index in the list of each sorted point
    uint32_t *first;    // [bins + 1] first sorted point of each bin
    size_t first_capacity;
};

struct obs_contact_search {
    obs_contact_kernel *kernel;
    struct placed set[2];
    const struct placed *a, *b;
    bool half; // pairs of one list, each of which is found from one end alone
    // The frame:
    const struct trj_frame *f;
    double axis[3][3], t[3][3];
    bool periodic[3];
    double origin[3], length[3]; // wrapped positions along axis k are in origin + [-length/2, length/2]
    int64_t n[3];                // bins
    double width[3], per[3];     // of bins, Å; bins per Å
    double radius2;              // of the rule
    double outer, rounding;      // Å: the radius that no rounding error exceeds; bound on the errors
    float inner2, outer2;
    struct strip *strip; // [strips] near the strip of a that is searched
    size_t strips, strip_capacity;
    // Runs that wait for the kernel:
    struct obs_contact_run run[RUNS];
    struct obs_contact_near near[RUN_POINTS * OBS_CONTACT_ROWS];
    size_t runs, points;
    uint32_t rows; // to which they belong, for a visitor
    // The result:
    uint64_t count;
    obs_contact_visit *visit; // NULL: pairs are counted
    void *arg;
    const struct obs_contact_visitor *visitor; // NULL: pairs are visited or counted
};

static void free_placed(struct placed *s) {
    free(s->point);
    free(s->wrap);
    free(s->x[0]);
    free(s->order);
    free(s->first);
    *s = (struct placed){0};
}

static void free_search(void *memory) {
    struct obs_contact_search *s = memory;
    for (int i = 0; i < 2; i++) free_placed(&s->set[i]);
    free(s->strip);
}

struct obs_contact_search *obs_contact_search_of(struct obs_view *v, const void *owner, struct trj_error *err) {
    struct obs_contact_search *s = obs_view_scratch(v, owner, sizeof *s, free_search, err);
    if (!s || s->kernel) return s;
    s->kernel = obs_contact_kernel_plain;
#ifdef __x86_64__
    if (trj_isa_of_process() <= TRJ_ISA_AVX2) s->kernel = obs_contact_kernel_avx2;
#endif
    return s;
}

// ---------------------------------------------------------------------------------------------------------------- axes

// Positions are below 1e8 lengths.
static inline int64_t round_down(double x) {
    int64_t whole = (int64_t)x;
    return whole - ((double)whole > x);
}

static int make_axes(struct obs_contact_search *s, struct trj_error *err) {
    struct trj_cell cell = s->f->cell;
    struct tile_axes axes;
    if (trj_cell_restrict(&cell, cell.periodic, err)) return -1;
    tile_axes_make(&axes, &cell);
    for (int k = 0; k < 3; k++) {
        const double *edge = axes.periodic[k] ? axes.edge[k] : axes.g[k];
        double length = sqrt(tile_dot(edge, edge));
        s->periodic[k] = axes.periodic[k];
        s->length[k] = length;
        s->origin[k] = 0;
        for (int c = 0; c < 3; c++) s->axis[k][c] = edge[c] / length;
    }
    for (int k = 0; k < 3; k++)
        for (int j = 0; j < 3; j++) s->t[k][j] = j <= k && s->periodic[k] ? tile_dot(cell.h[k], s->axis[j]) : 0;
    for (int k = 0; k < 3; k++) s->length[k] = s->periodic[k] ? s->t[k][k] : 0;
    return 0;
}

// Finds the bounds of the points along directions that are not periodic.
static void bound_points(struct obs_contact_search *s) {
    for (int k = 0; k < 3; k++) {
        double low = INFINITY, high = -INFINITY;
        if (s->periodic[k]) continue;
        for (const struct placed *set = s->set; set < s->set + 2; set++)
            for (size_t i = 0; set->p && i < set->p->count; i++) {
                double y = tile_dot(s->axis[k], set->p->x[i]);
                low = y < low ? y : low;
                high = y > high ? y : high;
            }
        s->origin[k] = (low + high) / 2;
        s->length[k] = high - low;
    }
}

static int check_far(const struct obs_contact_search *s, double *largest, struct trj_error *err) {
    *largest = 0;
    for (const struct placed *set = s->set; set < s->set + 2; set++)
        for (size_t i = 0; set->p && i < set->p->count; i++)
            for (int k = 0; k < 3; k++) {
                double x = fabs(set->p->x[i][k]);
                if (x <= *largest) continue;
                if (!(x <= TRJ_FARTHEST)) return trj_frame_check_far(s->f, set->p->atoms[i], err);
                *largest = x;
            }
    return 0;
}

// Sets the radius, and bounds that no rounding error exceeds. With e = 2^-24, L the largest component of wrapped
// positions and R the radius, the components of two positions, of the shift of an image, of their difference and of d
// have errors of at most e L, e L, e (2 L + R), e (L + R) and e R: as vectors less than 9 e (L + R), of which 16 e
// (L + R) leaves a margin. Those of float64 are a few roundings of the largest terms: coordinates and multiples of
// lattice vectors, which exceed their sum by up to |g_k| |h_k| in a skewed cell.
static void set_radius(struct obs_contact_search *s, double radius2) {
    double radius = sqrt(radius2), margin = s->rounding + 0x1p-20 * radius, inner = radius - margin;
    s->radius2 = radius2;
    s->outer = radius + margin;
    s->outer2 = (float)(s->outer * s->outer * (1 + 0x1p-20));
    s->inner2 = inner > 0 && !s->visit ? (float)(inner * inner * (1 - 0x1p-20)) : 0;
}

static int set_limits(struct obs_contact_search *s, double radius, struct trj_error *err) {
    double largest, skew = 1, images = 1, extent = 0, g[3][3];
    if (check_far(s, &largest, err)) return -1;
    trj_cell_reciprocal(&s->f->cell, g);
    for (int k = 0; k < 3; k++) {
        extent = fmax(extent, s->length[k] / 2);
        if (!s->periodic[k]) continue;
        const double *h = s->f->cell.h[k];
        double length = sqrt(tile_dot(h, h));
        if (largest / s->length[k] > WRAPS_MAX)
            return trj_fail(err, TRJ_BAD_DATA, "an atom is more than %g cells away from the origin", WRAPS_MAX);
        skew = fmax(skew, sqrt(tile_dot(g[k], g[k])) * length);
        largest = fmax(largest, length);
        images *= 2 * radius / s->length[k] + 1;
    }
    if (images > IMAGES_MAX)
        return trj_fail(err, TRJ_BAD_DATA,
                        "more than %g images of the cell are within %g Å; give a smaller distance, or correct the cell "
                        "or its unit (trjcat --cell)",
                        IMAGES_MAX, radius);
    s->rounding = 256 * (DBL_EPSILON / 2) * skew * (largest + radius) + 0x1p-20 * extent;
    set_radius(s, radius * radius);
    return 0;
}

// --------------------------------------------------------------------------------------------------------------- bins

// Strips are so wide that runs fill a few registers, but not much wider than the radius, because most of their
// candidates would then be too far. Bins of a strip are as narrow as memory allows.
static void size_bins(struct obs_contact_search *s) {
    double volume = 1, count = (double)s->b->p->count, max = 4 * count + 1024;
    for (int k = 0; k < 3; k++) volume *= fmax(s->length[k], 1);
    double strip = fmin(fmax(sqrt(STRIP_POINTS * volume / (2 * s->outer * count)), s->outer / 4), s->outer);
    const double wish[3] = {s->outer / 8, strip, strip};
    double n[3], bins = 1;
    for (int k = 2; k >= 0; k--) {
        n[k] = fmin(fmax(floor(s->length[k] / wish[k]), 1), fmax(floor(max / bins), 1));
        bins *= n[k];
    }
    for (int k = 0; k < 3; k++) {
        s->n[k] = (int64_t)n[k];
        s->width[k] = s->length[k] / n[k];
        s->per[k] = s->length[k] > 0 ? n[k] / s->length[k] : 0;
    }
}

static int reserve(struct placed *s, size_t count, size_t bins, struct trj_error *err) {
    if (count > s->capacity) {
        free_placed(s);
        s->point = trj_alloc(count, sizeof *s->point, "atoms", err);
        s->wrap = trj_alloc(count, sizeof *s->wrap, "atoms", err);
        s->order = trj_alloc(count, sizeof *s->order, "atoms", err);
        s->x[0] = trj_alloc(3 * (count + OBS_CONTACT_PADDING), sizeof *s->x[0], "atoms", err);
        if (!s->point || !s->wrap || !s->order || !s->x[0]) {
            free_placed(s);
            return -1;
        }
        for (int k = 1; k < 3; k++) s->x[k] = s->x[k - 1] + count + OBS_CONTACT_PADDING;
        s->capacity = count;
    }
    return trj_grow(&s->first, &s->first_capacity, bins + 1, sizeof *s->first, "a grid", err);
}

// Wraps the points of a chunk. The last vector comes first, because adding it changes the components along the earlier
// axes, but not the other way round. Adding and subtracting 1.5 * 2^52 rounds to an integer.
static void wrap_chunk(const struct obs_contact_search *s, struct placed *set, size_t first, size_t n) {
    double y[3][CHUNK], w[3][CHUNK] = {{0}};
    int32_t bin[3][CHUNK];
    for (int k = 0; k < 3; k++) {
        const double *e = s->axis[k];
        for (size_t i = 0; i < n; i++) {
            const double *x = set->p->x[first + i];
            y[k][i] = (e[0] * x[0] + e[1] * x[1] + e[2] * x[2]) - s->origin[k];
        }
    }
    for (int k = 2; k >= 0; k--) {
        if (!s->periodic[k]) continue;
        const double *t = s->t[k], inverse = 1 / t[k];
        for (size_t i = 0; i < n; i++) w[k][i] = 0x1.8p52 - (y[k][i] * inverse + 0x1.8p52);
        for (int j = 0; j <= k; j++)
            for (size_t i = 0; i < n; i++) y[j][i] += w[k][i] * t[j];
    }
    for (int k = 0; k < 3; k++) {
        double half = s->length[k] / 2, per = s->per[k];
        int32_t last = (int32_t)s->n[k] - 1;
        for (size_t i = 0; i < n; i++) {
            int32_t b = (int32_t)((y[k][i] + half) * per);
            b = b > 0 ? b : 0;
            bin[k][i] = b < last ? b : last;
        }
    }
    for (size_t i = 0; i < n; i++) {
        struct point *p = &set->point[first + i];
        for (int k = 0; k < 3; k++) {
            p->y[k] = (float)y[k][i];
            set->wrap[first + i][k] = (int32_t)w[k][i];
        }
        p->bin = (uint32_t)((bin[2][i] * s->n[1] + bin[1][i]) * s->n[0] + bin[0][i]);
    }
}

static int place(const struct obs_contact_search *s, struct placed *set, const struct obs_positions *p,
                 struct trj_error *err) {
    size_t count = p->count, bins = (size_t)(s->n[0] * s->n[1] * s->n[2]);
    if (reserve(set, count, bins, err)) return -1;
    set->p = p;
    for (size_t i = 0; i < count; i += CHUNK) wrap_chunk(s, set, i, count - i < CHUNK ? count - i : CHUNK);
    memset(set->first, 0, (bins + 1) * sizeof *set->first);
    for (size_t i = 0; i < count; i++) set->first[set->point[i].bin]++;
    // The sums give the ends of bins; filling from the end turns them into starts.
    for (size_t b = 1; b <= bins; b++) set->first[b] += set->first[b - 1];
    for (size_t i = count; i-- > 0;) {
        uint32_t to = --set->first[set->point[i].bin];
        for (int k = 0; k < 3; k++) set->x[k][to] = set->point[i].y[k];
        set->order[to] = (uint32_t)i;
    }
    return 0;
}

// Returns the number of atoms that are in both lists, which ascend.
static size_t count_common(const struct obs_positions *a, const struct obs_positions *b) {
    size_t common = 0;
    for (size_t i = 0, j = 0; i < a->count && j < b->count;) {
        uint32_t atom = a->atoms[i], other = b->atoms[j];
        common += atom == other;
        i += atom <= other;
        j += other <= atom;
    }
    return common;
}

// Returns the number of images of an atom that the rule finds near it, with the atom itself. It is the same for all
// atoms, because x - x is 0.
static uint64_t count_own_images(const struct obs_contact_search *s) {
    const double(*h)[3] = s->f->cell.h;
    double g[3][3];
    int64_t n[3], most[3];
    uint64_t count = 0;
    trj_cell_reciprocal(&s->f->cell, g);
    for (int k = 0; k < 3; k++) most[k] = (int64_t)(s->outer * sqrt(tile_dot(g[k], g[k])) * (1 + 1e-9));
    for (n[0] = -most[0]; n[0] <= most[0]; n[0]++)
        for (n[1] = -most[1]; n[1] <= most[1]; n[1]++)
            for (n[2] = -most[2]; n[2] <= most[2]; n[2]++) {
                double d[3];
                for (int k = 0; k < 3; k++)
                    d[k] = ((double)n[0] * h[0][k] + (double)n[1] * h[1][k]) + (double)n[2] * h[2][k];
                count += (d[0] * d[0] + d[1] * d[1]) + d[2] * d[2] < s->radius2;
            }
    return count;
}

// --------------------------------------------------------------------------------------------------------------- pairs

static inline void set_vector(const struct obs_contact_search *s, uint32_t row, uint32_t point, const int32_t image[3],
                              struct obs_contact *c) {
    const double(*h)[3] = s->f->cell.h;
    c->i = s->a->order[row];
    c->j = s->b->order[point];
    const double *from = s->a->p->x[c->i], *to = s->b->p->x[c->j];
    double n[3];
    for (int k = 0; k < 3; k++) n[k] = (double)s->b->wrap[c->j][k] + ((double)image[k] - s->a->wrap[c->i][k]);
    for (int k = 0; k < 3; k++) c->d[k] = (to[k] - from[k]) + ((n[0] * h[0][k] + n[1] * h[1][k]) + n[2] * h[2][k]);
    c->r2 = (c->d[0] * c->d[0] + c->d[1] * c->d[1]) + c->d[2] * c->d[2];
}

void obs_contact_vector(const struct obs_contact_search *s, uint32_t row, uint32_t point, const int32_t image[3],
                        struct obs_contact *c) {
    set_vector(s, row, point, image, c);
}

// Applies the rule to a candidate.
static int decide(struct obs_contact_search *s, const struct obs_contact_near *near, struct trj_error *err) {
    const struct obs_contact_run *run = &s->run[near->run];
    struct obs_contact c;
    set_vector(s, run->row + near->row, near->point, run->image, &c);
    if (!(c.r2 < s->radius2)) return 0;
    s->count++;
    return s->visit && s->a->p->atoms[c.i] != s->b->p->atoms[c.j] ? s->visit(s->arg, &c, err) : 0;
}

static int process_runs(struct obs_contact_search *s, struct trj_error *err) {
    size_t found = 0, runs = s->runs;
    if (s->visitor) {
        s->runs = s->points = 0;
        return s->visitor->add_runs(s->visitor->arg, s->run, runs, s->rows, err);
    }
    s->count += s->kernel((const float *const *)s->b->x, s->run, s->runs, s->inner2, s->outer2, s->near, &found);
    for (size_t i = 0; i < found; i++)
        if (decide(s, &s->near[i], err)) return -1;
    s->runs = s->points = 0;
    return 0;
}

// Consecutive points of a, in a strip, whose neighbours are searched together: a search for each of them would take
// several times as long as the distances.
struct cluster {
    uint32_t row, rows;
    float y[3][OBS_CONTACT_ROWS]; // infinite after the last one
    double low[3], high[3];
};

// Adds a run. Its members are stored one by one, since copies of a struct that was just written wait for the stores.
static int add_run(struct obs_contact_search *s, uint32_t begin, uint32_t end, const struct cluster *from,
                   const double shift[3], const int32_t image[3], bool triangle, struct trj_error *err) {
    const float shift32[3] = {(float)shift[0], (float)shift[1], (float)shift[2]};
    while (begin < end) {
        uint32_t n = end - begin < RUN_POINTS ? end - begin : RUN_POINTS;
        if ((s->runs == RUNS || s->points + n > RUN_POINTS) && process_runs(s, err)) return -1;
        struct obs_contact_run *to = &s->run[s->runs++];
        to->begin = begin;
        to->end = begin + n;
        to->row = from->row;
        to->triangle = triangle;
        for (int k = 0; k < 3; k++) {
            for (int q = 0; q < OBS_CONTACT_ROWS; q++) to->at[k][q] = from->y[k][q] - shift32[k];
            to->image[k] = image[k];
        }
        s->points += n;
        begin += n;
        triangle = false; // only the first points can be before a row
    }
    return 0;
}

// A strip of b, of some image, that can contain points near those of a strip of a.
struct strip {
    const uint32_t *first;  // first points of its bins
    double low[3], high[3]; // limits along the axes 1 and 2, moved to the image
    double shift[3];        // of the image
    int32_t image[3];       // 0 along axis 0, where the numbers of bins continue into the next images
    bool own;               // the strip itself, of a list with itself
};

struct bins {
    int64_t begin, end;
};

// Returns the bins along an axis, of all periods, that are between two positions. The bins at the ends of directions
// that are not periodic contain all points beyond them.
static inline struct bins bins_between(const struct obs_contact_search *s, int k, double low, double high) {
    double half = s->length[k] / 2;
    struct bins b = {round_down((low + half) * s->per[k]), round_down((high + half) * s->per[k])};
    if (s->periodic[k]) return b;
    b.begin = b.begin < 0 ? 0 : b.begin >= s->n[k] ? s->n[k] - 1 : b.begin;
    b.end = b.end < 0 ? 0 : b.end >= s->n[k] ? s->n[k] - 1 : b.end;
    return b;
}

static inline int64_t period_of(int64_t bin, int64_t n) {
    if (bin >= 0 && bin < n) return 0;
    return bin >= 0 ? bin / n : -1 - (-1 - bin) / n;
}

// Returns the distance between two intervals, or of a position from one.
static inline double gap(double low, double high, double other_low, double other_high) {
    double below = other_low - high, above = low - other_high, larger = below > above ? below : above;
    return larger > 0 ? larger : 0;
}

static int add_strip(struct obs_contact_search *s, const struct strip *strip, struct trj_error *err) {
    if (trj_grow(&s->strip, &s->strip_capacity, s->strips + 1, sizeof *s->strip, "a grid", err)) return -1;
    s->strip[s->strips++] = *strip;
    return 0;
}

// Sets *low and *high to the limits of a bin.
static void limits(const struct obs_contact_search *s, int k, int64_t bin, double *low, double *high) {
    *low = (double)bin * s->width[k] - s->length[k] / 2;
    *high = *low + s->width[k];
}

// Lists the strips that are within reach of a strip. In a list with itself, these are the strip, later strips of its
// slab, and strips of later slabs, where images continue the numbers of slabs and strips: each pair is then found from
// one of its ends.
static int list_strips(struct obs_contact_search *s, int64_t slab, int64_t strip, struct trj_error *err) {
    bool half = s->half;
    double low[3], high[3], outer2 = s->outer * s->outer;
    limits(s, 1, strip, &low[1], &high[1]);
    limits(s, 2, slab, &low[2], &high[2]);
    struct bins slabs = bins_between(s, 2, low[2] - s->outer, high[2] + s->outer);
    s->strips = 0;
    for (int64_t z = half ? slab : slabs.begin; z <= slabs.end; z++) {
        int64_t period = period_of(z, s->n[2]), in_cell = z - period * s->n[2];
        struct strip to = {.image[2] = (int32_t)period};
        limits(s, 2, z, &to.low[2], &to.high[2]);
        double between = gap(low[2], high[2], to.low[2], to.high[2]), left2 = outer2 - between * between;
        if (left2 < 0) continue;
        double moved = (double)period * s->t[2][1], reach = sqrt(left2);
        struct bins strips = bins_between(s, 1, low[1] - moved - reach, high[1] - moved + reach);
        for (int64_t y = half && z == slab ? strip : strips.begin; y <= strips.end; y++) {
            period = period_of(y, s->n[1]);
            to.image[1] = (int32_t)period;
            limits(s, 1, y, &to.low[1], &to.high[1]);
            to.low[1] += moved;
            to.high[1] += moved;
            for (int k = 0; k < 3; k++) to.shift[k] = to.image[1] * s->t[1][k] + to.image[2] * s->t[2][k];
            to.own = half && z == slab && y == strip;
            to.first = s->b->first + (in_cell * s->n[1] + (y - period * s->n[1])) * s->n[0];
            if (add_strip(s, &to, err)) return -1;
        }
    }
    return 0;
}

// Adds the runs of a strip, whose bins along axis 0 are in a range.
static int add_range(struct obs_contact_search *s, const struct strip *strip, struct bins range,
                     const struct cluster *from, struct trj_error *err) {
    const int64_t n = s->n[0];
    if (strip->own && range.begin < 0) range.begin = 0;
    for (int64_t period = period_of(range.begin, n), last = period_of(range.end, n); period <= last; period++) {
        int64_t low = range.begin - period * n, high = range.end - period * n;
        uint32_t begin = strip->first[low > 0 ? low : 0], end = strip->first[(high < n ? high : n - 1) + 1];
        const double shift[3] = {strip->shift[0] + (double)period * s->t[0][0], strip->shift[1], strip->shift[2]};
        const int32_t image[3] = {(int32_t)period, strip->image[1], strip->image[2]};
        bool own = strip->own && !period;
        if (own) begin = from->row + 1;
        if (add_run(s, begin, end, from, shift, image, own, err)) return -1;
    }
    return 0;
}

static int search_from(struct obs_contact_search *s, const struct cluster *from, struct trj_error *err) {
    const double outer2 = s->outer * s->outer;
    for (size_t i = 0; i < s->strips; i++) {
        const struct strip *strip = &s->strip[i];
        double off1 = gap(from->low[1], from->high[1], strip->low[1], strip->high[1]),
               off2 = gap(from->low[2], from->high[2], strip->low[2], strip->high[2]),
               left2 = outer2 - (off1 * off1 + off2 * off2);
        if (left2 < 0) continue;
        double reach = sqrt(left2), low = from->low[0] - strip->shift[0], high = from->high[0] - strip->shift[0];
        if (add_range(s, strip, bins_between(s, 0, low - reach, high + reach), from, err)) return -1;
    }
    return 0;
}

static void make_cluster(const struct obs_contact_search *s, struct cluster *c, uint32_t row, uint32_t end) {
    c->row = row;
    c->rows = end - row < OBS_CONTACT_ROWS ? end - row : OBS_CONTACT_ROWS;
    for (int k = 0; k < 3; k++) {
        const float *x = s->a->x[k] + row;
        float low = x[0], high = x[0];
        for (uint32_t q = 0; q < OBS_CONTACT_ROWS; q++) {
            c->y[k][q] = q < c->rows ? x[q] : INFINITY;
            if (q >= c->rows) continue;
            low = x[q] < low ? x[q] : low;
            high = x[q] > high ? x[q] : high;
        }
        c->low[k] = (double)low;
        c->high[k] = (double)high;
    }
}

static int search_all(struct obs_contact_search *s, struct trj_error *err) {
    struct cluster c;
    for (int64_t slab = 0; slab < s->n[2]; slab++)
        for (int64_t strip = 0; strip < s->n[1]; strip++) {
            const uint32_t *first = s->a->first + (slab * s->n[1] + strip) * s->n[0], end = first[s->n[0]];
            if (first[0] == end) continue;
            if (list_strips(s, slab, strip, err)) return -1;
            for (uint32_t row = first[0]; row < end; row += c.rows) {
                make_cluster(s, &c, row, end);
                s->rows = c.rows;
                if (search_from(s, &c, err)) return -1;
                if (s->visitor && (process_runs(s, err) || s->visitor->end_rows(s->visitor->arg, c.row, c.rows, err)))
                    return -1;
            }
        }
    return s->visitor ? 0 : process_runs(s, err);
}

static int begin_visit(const struct obs_contact_search *s, struct trj_error *err) {
    const struct obs_contact_order order = {.axis = s->axis,
                                            .x = (const float *const *)s->b->x,
                                            .point = s->b->order,
                                            .row = s->a->order,
                                            .margin = s->outer - sqrt(s->radius2)};
    return s->visitor->begin(s->visitor->arg, &order, err);
}

static int search(struct obs_contact_search *s, const struct trj_frame *f, const struct obs_positions *a,
                  const struct obs_positions *b, double radius, struct trj_error *err) {
    s->f = f;
    s->count = s->runs = s->points = 0;
    s->set[0].p = b;
    s->set[1].p = a == b ? NULL : a;
    s->b = &s->set[0];
    s->a = a == b ? s->b : &s->set[1];
    s->half = a == b && !s->visitor;
    if (!a->count || !b->count) return 0;
    if (make_axes(s, err)) return -1;
    bound_points(s);
    if (set_limits(s, radius, err)) return -1;
    size_bins(s);
    if (place(s, &s->set[0], b, err) || (a != b && place(s, &s->set[1], a, err))) return -1;
    if (s->visitor && begin_visit(s, err)) return -1;
    if (search_all(s, err)) return -1;
    // Images of an atom near itself were found, too; within one list, one of two opposite ones.
    if (s->visit || s->visitor) return 0;
    uint64_t own = count_own_images(s);
    s->count -= a == b ? a->count * (own / 2) : count_common(a, b) * own;
    return 0;
}

int obs_contacts_count(struct obs_contact_search *s, const struct trj_frame *f, const struct obs_positions *a,
                       const struct obs_positions *b, double radius, uint64_t *count, struct trj_error *err) {
    s->visit = NULL;
    s->visitor = NULL;
    if (search(s, f, a, b, radius, err)) return -1;
    *count = s->count;
    return 0;
}

int obs_contacts_visit(struct obs_contact_search *s, const struct trj_frame *f, const struct obs_positions *a,
                       const struct obs_positions *b, double radius, obs_contact_visit *visit, void *arg,
                       struct trj_error *err) {
    s->visit = visit;
    s->visitor = NULL;
    s->arg = arg;
    return search(s, f, a, b, radius, err);
}

int obs_contacts_visit_rows(struct obs_contact_search *s, const struct trj_frame *f, const struct obs_positions *a,
                            const struct obs_positions *b, double radius, const struct obs_contact_visitor *v,
                            struct trj_error *err) {
    s->visit = NULL;
    s->visitor = v;
    return search(s, f, a, b, radius, err);
}

// ------------------------------------------------------------------------------------------------------------- nearest

struct nearest {
    struct obs_contact_search *s;
    struct obs_contact best;
};

// Keeps the nearer pair, and reduces the radius, so that farther ones are not visited any more.
static int keep_nearer(void *arg, const struct obs_contact *c, struct trj_error *err) {
    struct nearest *to = arg;
    struct obs_contact pair = *c;
    const struct obs_contact *best = &to->best;
    (void)err;
    if (to->s->a == to->s->b && pair.i > pair.j) {
        pair.i = c->j;
        pair.j = c->i;
        for (int k = 0; k < 3; k++) pair.d[k] = -c->d[k];
    }
    if (pair.r2 > best->r2 || (pair.r2 == best->r2 && (pair.i > best->i || (pair.i == best->i && pair.j >= best->j))))
        return 0;
    to->best = pair;
    set_radius(to->s, nextafter(pair.r2, INFINITY));
    return 0;
}

static bool has_pair(const struct obs_positions *a, const struct obs_positions *b) {
    if (a == b) return a->count > 1;
    return a->count && b->count && (a->count > 1 || b->count > 1 || a->atoms[0] != b->atoms[0]);
}

int obs_contacts_nearest(struct obs_contact_search *s, const struct trj_frame *f, const struct obs_positions *a,
                         const struct obs_positions *b, struct obs_contact *c, struct trj_error *err) {
    struct nearest to = {.s = s, .best.r2 = INFINITY};
    double radius = FIRST_RADIUS;
    while (has_pair(a, b) && isinf(to.best.r2)) {
        if (obs_contacts_visit(s, f, a, b, radius, keep_nearer, &to, err)) return -1;
        radius *= 2;
    }
    *c = to.best;
    return 0;
}

int obs_contact_groups(struct obs_view *v, size_t a, size_t b, const struct obs_positions *p[2],
                       struct trj_error *err) {
    const struct obs_selection *one = obs_view_system(v)->selection, *x = &one[a], *y = &one[b];
    if (obs_view_positions(v, a, &p[0], err) || obs_view_positions(v, b, &p[1], err)) return -1;
    if (!x->dynamic && !y->dynamic && x->count == y->count && !memcmp(x->atoms, y->atoms, x->count * sizeof *x->atoms))
        p[1] = p[0];
    return 0;
}
