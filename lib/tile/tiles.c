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
    free(s->centre);
    free(s->half);
    free(s->radius);
    free(s->around);
    free(s->boxes.middle[0]);
    *s = (struct tile_set){0};
}

// Lays the levels out; returns how many boxes there are. Levels begin at multiples of TILE_FAN.
static size_t lay_out_boxes(struct tile_boxes *b, size_t tiles) {
    size_t all = 0;
    b->levels = 0;
    for (size_t n = tiles;; n = (n + TILE_FAN - 1) / TILE_FAN) {
        b->count[b->levels] = n;
        b->first[b->levels++] = all;
        all += n ? (n + TILE_FAN - 1) / TILE_FAN * TILE_FAN : TILE_FAN;
        if (n <= TILE_FAN) return all;
    }
}

size_t tile_set_bytes(size_t count) {
    struct tile_boxes b;
    size_t tiles = (count + TILE_WIDTH - 1) / TILE_WIDTH;
    return tiles * (TILE_WIDTH * SLOT_BYTES + TILE_PATCHES * sizeof(struct tile_patch) + 10 * sizeof(double)) +
           lay_out_boxes(&b, tiles) * 6 * sizeof(double);
}

static int reserve(struct tile_set *s, size_t count, struct trj_error *err) {
    size_t tiles = (count + TILE_WIDTH - 1) / TILE_WIDTH, slots = tiles * TILE_WIDTH;
    if (count > s->room) tile_set_free(s);
    s->atoms = count;
    s->tiles = tiles;
    size_t boxes = lay_out_boxes(&s->boxes, tiles);
    if (count <= s->room) return 0;
    s->keys = trj_alloc(slots, SLOT_BYTES, "tiles", err);
    s->patch = trj_alloc(tiles * TILE_PATCHES, sizeof *s->patch, "tiles", err);
    s->centre = trj_alloc(tiles, sizeof *s->centre, "tiles", err);
    s->half = trj_alloc(tiles, sizeof *s->half, "tiles", err);
    s->radius = trj_alloc(tiles, sizeof *s->radius, "tiles", err);
    s->around = trj_alloc(tiles, sizeof *s->around, "tiles", err);
    s->boxes.middle[0] = trj_alloc(boxes, 6 * sizeof(double), "boxes", err);
    if (!s->keys || !s->patch || !s->centre || !s->half || !s->radius || !s->around || !s->boxes.middle[0]) {
        tile_set_free(s);
        return -1;
    }
    for (int k = 0; k < 3; k++) {
        s->boxes.middle[k] = s->boxes.middle[0] + (size_t)k * boxes;
        s->boxes.extent[k] = s->boxes.middle[0] + (size_t)(3 + k) * boxes;
    }
    // Sorting goes from one array to the other and ends in the second; by then the first may be overwritten with the atoms, and after
    // that the second with positions.
    s->sorted = s->keys + slots;
    s->atom = (uint32_t *)s->keys;
    s->local[0] = (float *)s->keys + slots;
    s->local[1] = s->local[0] + slots;
    s->local[2] = s->local[1] + slots;
    s->room = slots;
    return 0;
}

// ---- axes

static double norm(const double a[3]) {
    return sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
}

// A unit vector at right angles to two that are not parallel.
static void normal(const double a[3], const double b[3], double n[3]) {
    double c[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]}, length = norm(c);
    for (int k = 0; k < 3; k++) n[k] = c[k] / length;
}

static void make_axes(struct tile_axes *a, const struct trj_cell *cell) {
    int periodic[3], other[3], n = 0, m = 0;
    trj_cell_reciprocal(cell, a->g);
    for (int k = 0; k < 3; k++) {
        a->periodic[k] = norm(a->g[k]) > 0;
        if (a->periodic[k])
            periodic[n++] = k;
        else
            other[m++] = k;
    }
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

// Atoms of a tile, or as many to be put in order.
struct batch {
    double at[3][TILE_WIDTH]; // wrapped, Å
};

// n >= 1 atoms; the rest repeats the last one.
static void wrap_batch(struct batch *b, const struct tile_set *s, const struct trj_frame *f, const uint32_t *atoms,
                       size_t n, const double around[3]) {
    double wrap[3][TILE_WIDTH];
    for (int k = 0; k < 3; k++) {
        for (size_t i = 0; i < n; i++) b->at[k][i] = (double)f->x[k][atoms[i]] * f->unit;
        for (size_t i = n; i < TILE_WIDTH; i++) b->at[k][i] = b->at[k][n - 1];
    }
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < TILE_WIDTH; i++)
            wrap[k][i] =
                s->axes.periodic[k] ? tile_wrap(s->axes.g[k], b->at[0][i], b->at[1][i], b->at[2][i], around[k]) : 0;
    for (int c = 0; c < 3; c++) {
        double h[3] = {f->cell.h[0][c], f->cell.h[1][c], f->cell.h[2][c]};
        for (int i = 0; i < TILE_WIDTH; i++) b->at[c][i] += wrap[0][i] * h[0] + wrap[1][i] * h[1] + wrap[2][i] * h[2];
    }
}

// ---- order

static const double cell_centre[3] = {0.5, 0.5, 0.5};

// Where the curve's grid lies: around the cell, or, along directions that are not periodic, around the atoms.
static void lay_grid(struct tile_set *s, const struct trj_frame *f) {
    double low[3] = {0}, high[3] = {0}, size = 0;
    if (s->axes.periodic[0] && s->axes.periodic[1] && s->axes.periodic[2]) {
        for (int k = 0; k < 3; k++)
            for (int c = 0; c < 3; c++) *(f->cell.h[k][c] < 0 ? &low[c] : &high[c]) += f->cell.h[k][c];
    } else {
        for (size_t i = 0; i < s->atoms; i += TILE_WIDTH) {
            struct batch b;
            wrap_batch(&b, s, f, s->list + i, tile_count(s, i / TILE_WIDTH), cell_centre);
            for (int c = 0; c < 3; c++)
                for (size_t j = 0; j < TILE_WIDTH; j++) {
                    low[c] = i + j ? fmin(low[c], b.at[c][j]) : b.at[c][j];
                    high[c] = i + j ? fmax(high[c], b.at[c][j]) : b.at[c][j];
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
    for (size_t t = 0; t < s->tiles; t++) memcpy(s->around[t], cell_centre, sizeof cell_centre);
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
    for (size_t t = 0; t < s->tiles; t++)
        for (int k = 0; k < 3; k++) {
            const double *g = s->axes.g[k], *c = s->centre[t];
            double at = g[0] * c[0] + g[1] * c[1] + g[2] * c[2];
            s->around[t][k] = at - floor(at);
        }
    return 0;
}

size_t tile_set_chunks(const struct tile_set *s) {
    return (s->tiles + CHUNK_TILES - 1) / CHUNK_TILES;
}

void tile_set_key(struct tile_set *s, const struct trj_frame *f, size_t chunk) {
    size_t end = (chunk + 1) * CHUNK < s->atoms ? (chunk + 1) * CHUNK : s->atoms;
    for (size_t first = chunk * CHUNK; first < end; first += TILE_WIDTH) {
        struct batch b;
        uint32_t c[3][TILE_WIDTH], place[TILE_WIDTH];
        size_t n = end - first < TILE_WIDTH ? end - first : TILE_WIDTH;
        wrap_batch(&b, s, f, s->list + first, n, cell_centre);
        for (int k = 0; k < 3; k++)
            for (int i = 0; i < TILE_WIDTH; i++) {
                double at = (b.at[k][i] - s->low[k]) * s->grid; // a rounding below 0 at worst
                c[k][i] = (uint32_t)(int32_t)(at > 0 ? at : 0);
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

static void place_tile(struct tile_set *s, const struct trj_frame *f, size_t t) {
    struct batch b;
    size_t first = t * TILE_WIDTH, n = tile_count(s, t);
    double r2[TILE_WIDTH] = {0}, most = 0;
    wrap_batch(&b, s, f, s->atom + first, n, s->around[t]);
    for (int k = 0; k < 3; k++) {
        const double *at = b.at[k];
        double low = at[0], high = at[0];
        for (int i = 1; i < TILE_WIDTH; i++) {
            low = at[i] < low ? at[i] : low;
            high = at[i] > high ? at[i] : high;
        }
        double centre = low + (high - low) / 2;
        s->centre[t][k] = centre;
        s->half[t][k] = fmax(high - centre, centre - low); // the centre is rounded: measure from it
        float *local = s->local[k] + first;
        for (int i = 0; i < TILE_WIDTH; i++) {
            double d = at[i] - centre;
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
    for (int k = 0; k < 3; k++) {
        const double *g = s->axes.g[k], *c = s->centre[t], *h = s->half[t];
        s->boxes.middle[k][t] = g[0] * c[0] + g[1] * c[1] + g[2] * c[2];
        s->boxes.extent[k][t] = fabs(g[0]) * h[0] + fabs(g[1]) * h[1] + fabs(g[2]) * h[2];
    }
}

void tile_set_place(struct tile_set *s, const struct trj_frame *f, size_t chunk) {
    size_t end = (chunk + 1) * CHUNK_TILES < s->tiles ? (chunk + 1) * CHUNK_TILES : s->tiles;
    for (size_t t = chunk * CHUNK_TILES; t < end; t++) place_tile(s, f, t);
}

// The boxes above those of the tiles. Places behind the last of a level are nowhere: what is compared with them is NaN.
static void stack_boxes(struct tile_boxes *b) {
    for (int k = 0; k < 3; k++)
        for (unsigned l = 0; l < b->levels; l++) {
            double *middle = b->middle[k] + b->first[l], *extent = b->extent[k] + b->first[l];
            for (size_t i = 0; l && i < b->count[l]; i++) {
                double low = INFINITY, high = -INFINITY;
                size_t from = i * TILE_FAN, below = b->count[l - 1];
                const double *m = b->middle[k] + b->first[l - 1], *e = b->extent[k] + b->first[l - 1];
                for (size_t j = from; j < from + TILE_FAN && j < below; j++) {
                    low = fmin(low, m[j] - e[j]);
                    high = fmax(high, m[j] + e[j]);
                }
                middle[i] = low + (high - low) / 2;
                extent[i] = fmax(high - middle[i], middle[i] - low);
            }
            for (size_t i = b->count[l]; i % TILE_FAN; i++) middle[i] = extent[i] = INFINITY;
        }
}

bool tile_set_close(struct tile_set *s, const struct trj_frame *f) {
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
