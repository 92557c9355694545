// SPDX-License-Identifier: MIT
#include "tiles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hilbert.h"
#include "memory.h"

enum {
    CHUNK_TILES = 256,
    CHUNK = CHUNK_TILES * TILE_WIDTH, // atoms
    SLOT_BYTES = 16,                  // of atom and local, and of the two arrays that are sorted
    PATIENCE = 64,                    // frames
};
#define LOOSE 1.1 // radii of the tiles over those they were made with: beyond, a new order saves more than it costs

_Static_assert((int)TILE_HILBERT_BATCH == (int)TILE_WIDTH, "atoms are wrapped by as many as are put in order");

void tile_set_free(struct tile_set *s) {
    free(s->keys);
    free(s->patch);
    free(s->radius);
    free(s->around);
    free(s->boxes.groups[0]);
    *s = (struct tile_set){0};
}

static size_t groups_of(size_t boxes) {
    return (boxes + TILE_FAN - 1) / TILE_FAN;
}

// Lays the levels out, in memory at b->groups[0] if that is not NULL; returns how many groups there are.
static size_t lay_out_boxes(struct tile_boxes *b, size_t tiles) {
    size_t all = 0;
    b->levels = 0;
    for (size_t n = tiles;; n = groups_of(n)) {
        if (b->groups[0]) b->groups[b->levels] = b->groups[0] + all;
        b->count[b->levels++] = n;
        all += groups_of(n);
        if (n <= TILE_FAN) return all;
    }
}

size_t tile_set_bytes(size_t count) {
    struct tile_boxes b = {.levels = 0};
    size_t tiles = (count + TILE_WIDTH - 1) / TILE_WIDTH;
    return tiles * (TILE_WIDTH * SLOT_BYTES + TILE_PATCHES * sizeof(struct tile_patch) + 4 * sizeof(double)) +
           lay_out_boxes(&b, tiles) * sizeof(struct tile_group);
}

static int reserve(struct tile_set *s, size_t count, struct trj_error *err) {
    size_t tiles = (count + TILE_WIDTH - 1) / TILE_WIDTH, slots = tiles * TILE_WIDTH;
    if (count > s->room) tile_set_free(s);
    s->atoms = count;
    s->tiles = tiles;
    size_t groups = lay_out_boxes(&s->boxes, tiles);
    if (count <= s->room) return 0;
    s->keys = trj_alloc(slots, SLOT_BYTES, "tiles", err);
    s->patch = trj_alloc(tiles * TILE_PATCHES, sizeof *s->patch, "tiles", err);
    s->radius = trj_alloc(tiles, sizeof *s->radius, "tiles", err);
    s->around = trj_alloc(tiles, sizeof *s->around, "tiles", err);
    s->boxes.groups[0] = trj_alloc(groups, sizeof *s->boxes.groups[0], "boxes", err);
    if (!s->keys || !s->patch || !s->radius || !s->around || !s->boxes.groups[0]) {
        tile_set_free(s);
        return -1;
    }
    trj_use_large_pages(s->keys, slots * SLOT_BYTES);
    lay_out_boxes(&s->boxes, tiles);
    // Sorting goes from one array to the other and ends in the second; by then the first may be overwritten with the atoms, and after
    // that the second with positions.
    void *memory = s->keys;
    s->sorted = s->keys + slots;
    s->atom = memory;
    s->local[0] = (float *)memory + slots;
    s->local[1] = s->local[0] + slots;
    s->local[2] = s->local[1] + slots;
    s->room = slots;
    return 0;
}

// ---- axes

static double dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double norm(const double a[3]) {
    return sqrt(dot(a, a));
}

// A unit vector at right angles to two that are not parallel.
static void normal(const double a[3], const double b[3], double n[3]) {
    double c[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]}, length = norm(c);
    for (int k = 0; k < 3; k++) n[k] = c[k] / length;
}

static void make_brick(struct tile_axes *a) {
    memset(a->edge, 0, sizeof a->edge);
    memset(a->f, 0, sizeof a->f);
    for (int k = 0; k < 3; k++) {
        if (!a->periodic[k]) continue;
        memcpy(a->edge[k], a->h[k], sizeof a->edge[k]);
        for (int j = 0; j < k; j++) {
            double along = dot(a->h[k], a->f[j]);
            for (int c = 0; c < 3; c++) a->edge[k][c] -= along * a->edge[j][c];
        }
        for (int c = 0; c < 3; c++) a->f[k][c] = a->edge[k][c] / dot(a->edge[k], a->edge[k]);
    }
    // Atoms are within half a brick of points in the brick: two of them within two, and what rounding adds far away.
    for (int k = 0; k < 3; k++)
        a->spread[k] =
            2.01 * (fabs(dot(a->g[k], a->edge[0])) + fabs(dot(a->g[k], a->edge[1])) + fabs(dot(a->g[k], a->edge[2])));
}

static void make_axes(struct tile_axes *a, const struct trj_cell *cell) {
    int periodic[3], other[3], n = 0, m = 0;
    trj_cell_reciprocal(cell, a->g);
    memcpy(a->h, cell->h, sizeof a->h);
    for (int k = 0; k < 3; k++) {
        a->periodic[k] = norm(a->g[k]) > 0;
        if (a->periodic[k])
            periodic[n++] = k;
        else
            other[m++] = k;
    }
    make_brick(a);
    if (n == 2) normal(a->g[periodic[0]], a->g[periodic[1]], a->g[other[0]]);
    if (n == 1) {
        const double *p = a->g[periodic[0]];
        double across[3] = {0};
        across[fabs(p[0]) > fabs(p[1]) ? fabs(p[1]) > fabs(p[2]) ? 2 : 1 : fabs(p[0]) > fabs(p[2]) ? 2 : 0] = 1;
        normal(p, across, a->g[other[0]]);
        normal(p, a->g[other[0]], a->g[other[1]]);
    }
    for (int k = 0; n == 0 && k < 3; k++) a->g[k][k] = 1;
    for (int k = 0; k < 3; k++) a->length[k] = norm(a->g[k]);
}

// ---- positions

// The last vector first: adding it changes where the others lead to, and not the other way round. (Added and subtracted, 1.5 * 2^52 rounds
// to an integer.)
void tile_wrap(const struct tile_axes *axes, double at[3][TILE_WIDTH], double wrap[3][TILE_WIDTH],
               const double *const around[3], size_t step, size_t n) {
    for (int k = 2; k >= 0; k--) {
        const double *to = around[k], f[3] = {axes->f[k][0], axes->f[k][1], axes->f[k][2]},
                     h[3] = {axes->h[k][0], axes->h[k][1], axes->h[k][2]};
        if (!axes->periodic[k]) {
            for (size_t i = 0; i < n; i++) wrap[k][i] = 0;
            continue;
        }
        for (size_t i = 0; i < n; i++) {
            double u = f[0] * at[0][i] + f[1] * at[1][i] + f[2] * at[2][i];
            double w = ((to[i * step] - u) + 0x1.8p52) - 0x1.8p52;
            for (int c = 0; c < 3; c++) at[c][i] += w * h[c];
            wrap[k][i] = w;
        }
    }
}

// All n atoms around one point.
static void wrap_around(const struct tile_axes *axes, double at[3][TILE_WIDTH], const double around[3], size_t n) {
    double wrap[3][TILE_WIDTH];
    const double *const to[3] = {&around[0], &around[1], &around[2]};
    tile_wrap(axes, at, wrap, to, 0, n);
}

// Wrapped positions, Å, of n >= 1 atoms; the rest repeats the last one.
static void wrap_batch(double at[3][TILE_WIDTH], const struct tile_set *s, const struct trj_frame *f,
                       const uint32_t *atoms, size_t n, const double around[3]) {
    for (int k = 0; k < 3; k++) {
        for (size_t i = 0; i < n; i++) at[k][i] = (double)f->x[k][atoms[i]] * f->unit;
        for (size_t i = n; i < TILE_WIDTH; i++) at[k][i] = at[k][n - 1];
    }
    wrap_around(&s->axes, at, around, TILE_WIDTH);
}

// ---- order

static const double brick_centre[3] = {0.5, 0.5, 0.5};

// Where the curve's grid lies: around the brick, or, along directions that are not periodic, around the atoms.
static void lay_grid(struct tile_set *s, const struct trj_frame *f) {
    double low[3] = {0}, high[3] = {0}, size = 0;
    if (s->axes.periodic[0] && s->axes.periodic[1] && s->axes.periodic[2]) {
        for (int k = 0; k < 3; k++)
            for (int c = 0; c < 3; c++) *(s->axes.edge[k][c] < 0 ? &low[c] : &high[c]) += s->axes.edge[k][c];
    } else {
        for (size_t i = 0; i < s->atoms; i += TILE_WIDTH) {
            double at[3][TILE_WIDTH];
            wrap_batch(at, s, f, s->list + i, tile_count(s, i / TILE_WIDTH), brick_centre);
            for (int c = 0; c < 3; c++)
                for (size_t j = 0; j < TILE_WIDTH; j++) {
                    low[c] = i + j ? fmin(low[c], at[c][j]) : at[c][j];
                    high[c] = i + j ? fmax(high[c], at[c][j]) : at[c][j];
                }
        }
    }
    // One scale for all directions, so that tiles come out compact in Å.
    for (int c = 0; c < 3; c++) {
        s->low[c] = low[c];
        size = fmax(size, high[c] - low[c]);
    }
    s->grid = size > 0 ? 1023.99 / size : 0;
}

static void begin_order(struct tile_set *s, const struct trj_frame *f) {
    s->ordered = false;
    for (size_t t = 0; t < s->tiles; t++) memcpy(s->around[t], brick_centre, sizeof brick_centre);
    lay_grid(s, f);
}

int tile_set_start(struct tile_set *s, const struct trj_frame *f, const uint32_t *atoms, size_t count, double scale,
                   bool *kept, struct trj_error *err) {
    bool same = s->ordered && s->list == atoms && s->atoms == count;
    if (reserve(s, count, err)) return -1;
    s->list = atoms;
    s->scale = scale;
    make_axes(&s->axes, &f->cell);
    *kept = same && !s->skip;
    if (s->skip) s->skip--;
    if (!*kept) {
        begin_order(s, f);
        return 0;
    }
    for (size_t t = 0; t < s->tiles; t++) {
        double at[3][TILE_WIDTH];
        for (int k = 0; k < 3; k++) at[k][0] = tile_centre(s, t, k);
        wrap_around(&s->axes, at, brick_centre, 1);
        const double x[3] = {at[0][0], at[1][0], at[2][0]};
        // In a cell that has become very small what was far away is not wrapped to the digit: any point will do.
        for (int k = 0; k < 3; k++) s->around[t][k] = fmin(fmax(dot(s->axes.f[k], x), 0), 1);
    }
    return 0;
}

void tile_set_forget_order(struct tile_set *s) {
    s->ordered = false;
}

size_t tile_set_chunks(const struct tile_set *s) {
    return (s->tiles + CHUNK_TILES - 1) / CHUNK_TILES;
}

void tile_set_key(struct tile_set *s, const struct trj_frame *f, size_t chunk) {
    size_t end = (chunk + 1) * CHUNK < s->atoms ? (chunk + 1) * CHUNK : s->atoms;
    for (size_t first = chunk * CHUNK; first < end; first += TILE_WIDTH) {
        double at[3][TILE_WIDTH];
        uint32_t c[3][TILE_WIDTH], place[TILE_WIDTH];
        size_t n = end - first < TILE_WIDTH ? end - first : TILE_WIDTH;
        wrap_batch(at, s, f, s->list + first, n, brick_centre);
        for (int k = 0; k < 3; k++)
            for (int i = 0; i < TILE_WIDTH; i++) {
                double g = (at[k][i] - s->low[k]) * s->grid; // a rounding below 0 at worst
                c[k][i] = (uint32_t)(int32_t)(g > 0 ? g : 0);
            }
        tile_hilbert(c, place);
        for (size_t i = 0; i < n; i++) s->keys[first + i] = (uint64_t)place[i] << 32 | (uint32_t)(first + i);
    }
}

// Stable sort by the upper 32 bits, of which 30 are used: three passes of ten, from one array to the other.
static void sort(uint64_t *keys, uint64_t *other, size_t n) {
    for (int shift = 32; shift < 62; shift += 10) {
        size_t start[1025] = {0};
        for (size_t i = 0; i < n; i++) start[(keys[i] >> shift & 1023) + 1]++;
        for (int b = 0; b < 1024; b++) start[b + 1] += start[b];
        for (size_t i = 0; i < n; i++) other[start[keys[i] >> shift & 1023]++] = keys[i];
        uint64_t *t = keys;
        keys = other;
        other = t;
    }
}

void tile_set_sort(struct tile_set *s) {
    sort(s->keys, s->sorted, s->atoms);
    for (size_t i = 0; i < s->atoms; i++) s->atom[i] = s->list[(uint32_t)s->sorted[i]];
}

// ---- tiles

struct tile_patch tile_patch_box(const float *const local[3], size_t n) {
    struct tile_patch p;
    for (int k = 0; k < 3; k++) {
        p.low[k] = INFINITY;
        p.high[k] = -INFINITY;
        for (size_t i = 0; i < n; i++) {
            p.low[k] = local[k][i] < p.low[k] ? local[k][i] : p.low[k];
            p.high[k] = local[k][i] > p.high[k] ? local[k][i] : p.high[k];
        }
    }
    return p;
}

static void set_box(struct tile_set *s, size_t tile, const double centre[3], const double half[3]) {
    struct tile_group *to = &s->boxes.groups[0][tile / TILE_FAN];
    size_t i = tile % TILE_FAN;
    for (int k = 0; k < 3; k++) {
        const double *g = s->axes.g[k];
        to->centre[k][i] = centre[k];
        to->half[k][i] = half[k];
        to->middle[k][i] = dot(g, centre);
        to->extent[k][i] = fabs(g[0]) * half[0] + fabs(g[1]) * half[1] + fabs(g[2]) * half[2];
    }
}

static void place_tile(struct tile_set *s, const struct trj_frame *f, size_t t) {
    double wrapped[3][TILE_WIDTH];
    size_t first = t * TILE_WIDTH, n = tile_count(s, t);
    double r2[TILE_WIDTH] = {0}, most = 0, centre[3], half[3];
    wrap_batch(wrapped, s, f, s->atom + first, n, s->around[t]);
    for (int k = 0; k < 3; k++) {
        const double *at = wrapped[k];
        double low = at[0], high = at[0];
        for (int i = 1; i < TILE_WIDTH; i++) {
            low = at[i] < low ? at[i] : low;
            high = at[i] > high ? at[i] : high;
        }
        double middle = low + (high - low) / 2;
        centre[k] = middle;
        half[k] = fmax(high - middle, middle - low); // the centre is rounded: measure from it
        float *local = s->local[k] + first;
        for (int i = 0; i < TILE_WIDTH; i++) {
            double d = at[i] - middle;
            local[i] = (float)(d * s->scale);
            r2[i] += d * d;
        }
        for (size_t i = n; i < TILE_WIDTH; i++) local[i] = 0;
    }
    for (int i = 0; i < TILE_WIDTH; i++) most = r2[i] > most ? r2[i] : most;
    s->radius[t] = sqrt(most) * (1 + 1e-12);
    for (size_t p = 0; p < TILE_PATCHES; p++) {
        size_t from = p * TILE_PATCH, left = n > from ? n - from : 0;
        const float *const local[3] = {s->local[0] + first + from, s->local[1] + first + from,
                                       s->local[2] + first + from};
        s->patch[t * TILE_PATCHES + p] = tile_patch_box(local, left < TILE_PATCH ? left : TILE_PATCH);
    }
    set_box(s, t, centre, half);
}

// A tile's atoms lie anywhere in the frame.
static void prefetch(const struct tile_set *s, const struct trj_frame *f, size_t t) {
    const uint32_t *atom = s->atom + t * TILE_WIDTH;
    for (size_t i = 0, n = tile_count(s, t); i < n; i++)
        for (int k = 0; k < 3; k++) __builtin_prefetch(&f->x[k][atom[i]]);
}

void tile_set_place(struct tile_set *s, const struct trj_frame *f, size_t chunk) {
    size_t end = (chunk + 1) * CHUNK_TILES < s->tiles ? (chunk + 1) * CHUNK_TILES : s->tiles;
    for (size_t t = chunk * CHUNK_TILES; t < end; t++) {
        if (t + 1 < end) prefetch(s, f, t + 1);
        place_tile(s, f, t);
    }
}

// The smallest interval, as middle and half, that holds the n <= TILE_FAN ones given.
static void join(const double *middle, const double *half, size_t n, double *to_middle, double *to_half) {
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < n; i++) {
        low = fmin(low, middle[i] - half[i]);
        high = fmax(high, middle[i] + half[i]);
    }
    *to_middle = low + (high - low) / 2;
    *to_half = fmax(high - *to_middle, *to_middle - low) * (1 + 1e-15);
}

// The boxes above those of the tiles. What is compared with places where there is none is NaN.
static void stack_boxes(struct tile_boxes *b) {
    for (unsigned l = 0; l < b->levels; l++) {
        for (size_t i = b->count[l]; i % TILE_FAN; i++) {
            struct tile_group *g = &b->groups[l][i / TILE_FAN];
            for (int k = 0; k < 3; k++)
                g->centre[k][i % TILE_FAN] = g->half[k][i % TILE_FAN] = g->middle[k][i % TILE_FAN] =
                    g->extent[k][i % TILE_FAN] = INFINITY;
        }
        for (size_t i = 0; l + 1 < b->levels && i < b->count[l + 1]; i++) {
            const struct tile_group *from = &b->groups[l][i];
            struct tile_group *to = &b->groups[l + 1][i / TILE_FAN];
            size_t left = b->count[l] - i * TILE_FAN, n = left < TILE_FAN ? left : TILE_FAN, at = i % TILE_FAN;
            for (int k = 0; k < 3; k++) {
                join(from->centre[k], from->half[k], n, &to->centre[k][at], &to->half[k][at]);
                join(from->middle[k], from->extent[k], n, &to->middle[k][at], &to->extent[k][at]);
            }
        }
    }
}

bool tile_set_finish(struct tile_set *s, const struct trj_frame *f) {
    double radii = 0;
    for (size_t t = 0; t < s->tiles; t++) radii += s->radius[t];
    if (s->ordered && radii > LOOSE * s->radii) {
        // Frames far apart: it will not be otherwise with the next ones.
        s->patience = s->patience ? 2 * s->patience : 1;
        if (s->patience > PATIENCE) s->patience = PATIENCE;
        s->skip = s->patience;
        begin_order(s, f);
        return false;
    }
    if (s->ordered)
        s->patience = 0;
    else
        s->radii = radii;
    s->ordered = true;
    stack_boxes(&s->boxes);
    return true;
}
