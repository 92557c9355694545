// SPDX-License-Identifier: MIT
// Sorts atoms along a Hilbert curve and keeps the order for later frames until tiles have become too large.
#include "tiles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hilbert.h"
#include "memory.h"

enum {
    CHUNK_TILES = 256,
    CHUNK = CHUNK_TILES * TILE_WIDTH, // atoms
    PLACE_BYTES = 16,                 // of atom and local, and of the two arrays that are sorted
    PATIENCE = 64,                    // frames
};
// Ratio of the tiles' radii to those when the order was made. Above it, a new order saves more time than it takes.
#define LOOSE 1.1

_Static_assert((int)TILE_HILBERT_POINTS == (int)TILE_WIDTH, "atoms are wrapped and sorted in chunks of one size");

void tile_set_free(struct tile_set *s) {
    free(s->keys);
    free(s->patch);
    free(s->radius);
    free(s->around);
    tile_boxes_free(&s->boxes);
    *s = (struct tile_set){0};
}

size_t tile_set_bytes(size_t count) {
    size_t tiles = (count + TILE_WIDTH - 1) / TILE_WIDTH;
    return tiles * (TILE_WIDTH * PLACE_BYTES + TILE_PATCHES * sizeof(struct tile_patch) + 4 * sizeof(double)) +
           tile_boxes_bytes(tiles);
}

static int reserve(struct tile_set *s, size_t count, struct trj_error *err) {
    size_t tiles = (count + TILE_WIDTH - 1) / TILE_WIDTH, places = tiles * TILE_WIDTH;
    if (count > s->capacity) tile_set_free(s);
    s->atoms = count;
    s->tiles = tiles;
    if (tile_boxes_reserve(&s->boxes, tiles, err)) return -1;
    if (count <= s->capacity) return 0;
    s->keys = trj_alloc(places, PLACE_BYTES, "tiles", err);
    s->patch = trj_alloc(tiles * TILE_PATCHES, sizeof *s->patch, "tiles", err);
    s->radius = trj_alloc(tiles, sizeof *s->radius, "tiles", err);
    s->around = trj_alloc(tiles, sizeof *s->around, "tiles", err);
    if (!s->keys || !s->patch || !s->radius || !s->around) {
        tile_set_free(s);
        return -1;
    }
    trj_use_large_pages(s->keys, places * PLACE_BYTES);
    // Sorting ends in the second array. Then the atoms overwrite the first array, and after that positions the second.
    void *memory = s->keys;
    s->sorted = s->keys + places;
    s->atom = memory;
    s->local[0] = (float *)memory + places;
    s->local[1] = s->local[0] + places;
    s->local[2] = s->local[1] + places;
    s->capacity = places;
    return 0;
}

// ---- positions

// The last vector comes first, because adding it changes the components along the earlier edges, but not the other way
// round. Adding and subtracting 1.5 * 2^52 rounds to an integer.
void tile_wrap(const struct tile_axes *axes, double x[3][TILE_WIDTH], double wrap[3][TILE_WIDTH],
               const double *const around[3], size_t step, size_t n) {
    for (int k = 2; k >= 0; k--) {
        const double *to = around[k], f[3] = {axes->f[k][0], axes->f[k][1], axes->f[k][2]},
                     h[3] = {axes->h[k][0], axes->h[k][1], axes->h[k][2]};
        if (!axes->periodic[k]) {
            for (size_t i = 0; i < n; i++) wrap[k][i] = 0;
            continue;
        }
        for (size_t i = 0; i < n; i++) {
            double u = f[0] * x[0][i] + f[1] * x[1][i] + f[2] * x[2][i];
            double w = ((to[i * step] - u) + 0x1.8p52) - 0x1.8p52;
            for (int c = 0; c < 3; c++) x[c][i] += w * h[c];
            wrap[k][i] = w;
        }
    }
}

// Wraps n atoms around one point.
static void wrap_around(const struct tile_axes *axes, double x[3][TILE_WIDTH], const double around[3], size_t n) {
    double wrap[3][TILE_WIDTH];
    const double *const to[3] = {&around[0], &around[1], &around[2]};
    tile_wrap(axes, x, wrap, to, 0, n);
}

// Sets `x` to the wrapped positions of n >= 1 atoms, Å; the rest repeats the last one.
static void wrap_atoms(double x[3][TILE_WIDTH], const struct tile_set *s, const struct trj_frame *f,
                       const uint32_t *atoms, size_t n, const double around[3]) {
    for (int k = 0; k < 3; k++) {
        for (size_t i = 0; i < n; i++) x[k][i] = (double)f->x[k][atoms[i]] * f->unit;
        for (size_t i = n; i < TILE_WIDTH; i++) x[k][i] = x[k][n - 1];
    }
    wrap_around(&s->boxes.axes, x, around, TILE_WIDTH);
}

// ---- order

static const double brick_centre[3] = {0.5, 0.5, 0.5};

// Places the grid of the curve around the brick, or around the atoms if a direction is not periodic.
static void lay_grid(struct tile_set *s, const struct trj_frame *f) {
    double low[3] = {0}, high[3] = {0}, size = 0;
    if (s->boxes.axes.periodic[0] && s->boxes.axes.periodic[1] && s->boxes.axes.periodic[2]) {
        for (int k = 0; k < 3; k++)
            for (int c = 0; c < 3; c++)
                *(s->boxes.axes.edge[k][c] < 0 ? &low[c] : &high[c]) += s->boxes.axes.edge[k][c];
    } else {
        for (size_t i = 0; i < s->atoms; i += TILE_WIDTH) {
            double x[3][TILE_WIDTH];
            wrap_atoms(x, s, f, s->list + i, tile_count(s, i / TILE_WIDTH), brick_centre);
            for (int c = 0; c < 3; c++)
                for (size_t j = 0; j < TILE_WIDTH; j++) {
                    low[c] = i + j ? fmin(low[c], x[c][j]) : x[c][j];
                    high[c] = i + j ? fmax(high[c], x[c][j]) : x[c][j];
                }
        }
    }
    // All directions have one scale, so that tiles are compact in Å.
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
    tile_axes_make(&s->boxes.axes, &f->cell);
    *kept = same && !s->skip;
    if (s->skip) s->skip--;
    if (!*kept) {
        begin_order(s, f);
        return 0;
    }
    for (size_t t = 0; t < s->tiles; t++) {
        double centre[3][TILE_WIDTH];
        for (int k = 0; k < 3; k++) centre[k][0] = tile_centre(s, t, k);
        wrap_around(&s->boxes.axes, centre, brick_centre, 1);
        const double x[3] = {centre[0][0], centre[1][0], centre[2][0]};
        // If the cell has become very small, points far away are wrapped inexactly; any point of the brick is valid.
        for (int k = 0; k < 3; k++) s->around[t][k] = fmin(fmax(tile_dot(s->boxes.axes.f[k], x), 0), 1);
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
        double x[3][TILE_WIDTH];
        uint32_t c[3][TILE_WIDTH], place[TILE_WIDTH];
        size_t n = end - first < TILE_WIDTH ? end - first : TILE_WIDTH;
        wrap_atoms(x, s, f, s->list + first, n, brick_centre);
        for (int k = 0; k < 3; k++)
            for (int i = 0; i < TILE_WIDTH; i++) {
                double g = (x[k][i] - s->low[k]) * s->grid; // at most a rounding error below 0
                c[k][i] = (uint32_t)(int32_t)(g > 0 ? g : 0);
            }
        tile_hilbert(c, place);
        for (size_t i = 0; i < n; i++) s->keys[first + i] = (uint64_t)place[i] << 32 | (uint32_t)(first + i);
    }
}

// Sorts by the upper 32 bits, of which 30 are used, in three stable passes of ten bits. The result is in `other`.
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

static void place_tile(struct tile_set *s, const struct trj_frame *f, size_t t) {
    double wrapped[3][TILE_WIDTH];
    size_t first = t * TILE_WIDTH, n = tile_count(s, t);
    double r2[TILE_WIDTH] = {0}, max = 0, centre[3], half[3];
    wrap_atoms(wrapped, s, f, s->atom + first, n, s->around[t]);
    for (int k = 0; k < 3; k++) {
        const double *x = wrapped[k];
        double low = x[0], high = x[0];
        for (int i = 1; i < TILE_WIDTH; i++) {
            low = x[i] < low ? x[i] : low;
            high = x[i] > high ? x[i] : high;
        }
        double middle = low + (high - low) / 2;
        centre[k] = middle;
        half[k] = fmax(high - middle, middle - low); // from the rounded centre
        float *local = s->local[k] + first;
        for (int i = 0; i < TILE_WIDTH; i++) {
            double d = x[i] - middle;
            local[i] = (float)(d * s->scale);
            r2[i] += d * d;
        }
        for (size_t i = n; i < TILE_WIDTH; i++) local[i] = 0;
    }
    for (int i = 0; i < TILE_WIDTH; i++) max = r2[i] > max ? r2[i] : max;
    s->radius[t] = sqrt(max) * (1 + 1e-12);
    for (size_t p = 0; p < TILE_PATCHES; p++) {
        size_t from = p * TILE_PATCH, left = n > from ? n - from : 0;
        const float *const local[3] = {s->local[0] + first + from, s->local[1] + first + from,
                                       s->local[2] + first + from};
        s->patch[t * TILE_PATCHES + p] = tile_patch_box(local, left < TILE_PATCH ? left : TILE_PATCH);
    }
    tile_boxes_set(&s->boxes, t, centre, half);
}

// Prefetches the atoms of a tile, which are anywhere in the frame.
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

// Sets the bounds of g_k . x for atoms that are wrapped to within half a brick of points in the brick. In flat cells
// that lie across the axes these bounds are far tighter than the bounds of the boxes.
static void bound_wrapped(struct tile_boxes *b) {
    const struct tile_axes *a = &b->axes;
    for (int k = 0; k < 3; k++) {
        double middle = 0, half = 0;
        if (!a->periodic[k]) continue;
        for (int j = 0; j < 3; j++) {
            double along = tile_dot(a->g[k], a->edge[j]);
            middle += 0.5 * along;
            half += 1.005 * fabs(along); // 1, and a margin for the rounding of atoms far away
        }
        b->low[k] = middle - half;
        b->high[k] = middle + half;
    }
}

bool tile_set_finish(struct tile_set *s, const struct trj_frame *f) {
    double radii = 0;
    for (size_t t = 0; t < s->tiles; t++) radii += s->radius[t];
    if (s->ordered && radii > LOOSE * s->radii) {
        // The frames are far apart in time, and the next ones probably are, too.
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
    tile_boxes_finish(&s->boxes);
    bound_wrapped(&s->boxes);
    return true;
}
