// SPDX-License-Identifier: MIT
#include "tiles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hilbert.h"
#include "memory.h"

void tile_set_free(struct tile_set *s) {
    free(s->atom);
    free(s->wrap);
    free(s->at);
    free(s->local[0]);
    free(s->patch);
    free(s->centre);
    free(s->half);
    free(s->radius);
    free(s->keys);
    *s = (struct tile_set){0};
}

static int reserve(struct tile_set *s, size_t count, struct trj_error *err) {
    if (count <= s->room) return 0;
    size_t tiles = (count + TILE_WIDTH - 1) / TILE_WIDTH, slots = tiles * TILE_WIDTH;
    tile_set_free(s);
    s->atom = trj_alloc(slots, sizeof *s->atom, "tiles", err);
    s->wrap = trj_alloc(slots, sizeof *s->wrap, "tiles", err);
    s->at = trj_alloc(slots, sizeof *s->at, "tiles", err);
    s->local[0] = trj_alloc(slots, 3 * sizeof(float), "tiles", err);
    s->patch = trj_alloc(tiles * TILE_PATCHES, sizeof *s->patch, "tiles", err);
    s->centre = trj_alloc(tiles, sizeof *s->centre, "tiles", err);
    s->half = trj_alloc(tiles, sizeof *s->half, "tiles", err);
    s->radius = trj_alloc(tiles, sizeof *s->radius, "tiles", err);
    s->keys = trj_alloc(slots, 2 * sizeof *s->keys, "tiles", err);
    if (!s->atom || !s->wrap || !s->at || !s->local[0] || !s->patch || !s->centre || !s->half || !s->radius ||
        !s->keys) {
        tile_set_free(s);
        return -1;
    }
    s->local[1] = s->local[0] + slots;
    s->local[2] = s->local[1] + slots;
    s->room = slots;
    return 0;
}

static void wrapped(const struct trj_frame *f, const double g[3][3], uint32_t atom, int32_t wrap[3], double at[3]) {
    const double(*h)[3] = f->cell.h;
    double x[3];
    for (int k = 0; k < 3; k++) x[k] = (double)f->x[k][atom] * f->unit;
    for (int k = 0; k < 3; k++) wrap[k] = -(int32_t)floor(g[k][0] * x[0] + g[k][1] * x[1] + g[k][2] * x[2]);
    for (int k = 0; k < 3; k++) at[k] = x[k] + (wrap[0] * h[0][k] + wrap[1] * h[1][k] + wrap[2] * h[2][k]);
}

// Stable sort by the upper 32 bits, of which 30 are used: three passes of ten.
static uint64_t *sort_keys(uint64_t *keys, uint64_t *other, size_t n) {
    for (int shift = 32; shift < 62; shift += 10) {
        size_t start[1025] = {0};
        for (size_t i = 0; i < n; i++) start[(keys[i] >> shift & 1023) + 1]++;
        for (int b = 0; b < 1024; b++) start[b + 1] += start[b];
        for (size_t i = 0; i < n; i++) other[start[keys[i] >> shift & 1023]++] = keys[i];
        uint64_t *t = keys;
        keys = other;
        other = t;
    }
    return keys;
}

struct tile_patch tile_patch_box(const float *const local[3], size_t n) {
    struct tile_patch p;
    for (int k = 0; k < 3; k++) {
        p.low[k] = INFINITY;
        p.high[k] = -INFINITY;
        for (size_t i = 0; i < n; i++) {
            if (local[k][i] < p.low[k]) p.low[k] = local[k][i];
            if (local[k][i] > p.high[k]) p.high[k] = local[k][i];
        }
    }
    return p;
}

static void build_box(struct tile_set *s, size_t t, double scale) {
    size_t first = t * TILE_WIDTH, n = tile_count(s, t);
    double radius2 = 0;
    for (int k = 0; k < 3; k++) {
        double low = INFINITY, high = -INFINITY;
        for (size_t i = first; i < first + n; i++) {
            low = fmin(low, s->at[i][k]);
            high = fmax(high, s->at[i][k]);
        }
        s->centre[t][k] = low + (high - low) / 2;
        // The centre is rounded: measure from it.
        s->half[t][k] = fmax(high - s->centre[t][k], s->centre[t][k] - low);
    }
    for (size_t i = first; i < first + n; i++) {
        double d[3];
        for (int k = 0; k < 3; k++) {
            d[k] = s->at[i][k] - s->centre[t][k];
            s->local[k][i] = (float)(d[k] * scale);
        }
        radius2 = fmax(radius2, d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    }
    s->radius[t] = sqrt(radius2) * (1 + 1e-12);
    for (size_t i = first + n; i < first + TILE_WIDTH; i++)
        for (int k = 0; k < 3; k++) s->local[k][i] = 0;
    for (size_t p = 0; p < TILE_PATCHES; p++) {
        size_t from = p * TILE_PATCH, left = n > from ? n - from : 0;
        const float *const local[3] = {s->local[0] + first + from, s->local[1] + first + from,
                                       s->local[2] + first + from};
        s->patch[t * TILE_PATCHES + p] = tile_patch_box(local, left < TILE_PATCH ? left : TILE_PATCH);
    }
}

int tile_set_build(struct tile_set *s, const struct trj_frame *f, const uint32_t *atoms, size_t count, double scale,
                   struct trj_error *err) {
    if (reserve(s, count, err)) return -1;
    s->atoms = count;
    s->tiles = (count + TILE_WIDTH - 1) / TILE_WIDTH;
    double g[3][3], low[3] = {INFINITY, INFINITY, INFINITY}, size = 0;
    trj_cell_reciprocal(&f->cell, g);
    for (size_t i = 0; i < count; i++) {
        wrapped(f, g, atoms[i], s->wrap[i], s->at[i]);
        for (int k = 0; k < 3; k++) low[k] = fmin(low[k], s->at[i][k]);
    }
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < 3; k++) size = fmax(size, s->at[i][k] - low[k]);
    // One scale for all directions, so that tiles come out compact in Å.
    double grid = size > 0 ? 1023.99 / size : 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t c[3];
        for (int k = 0; k < 3; k++) c[k] = (uint32_t)((s->at[i][k] - low[k]) * grid);
        s->keys[i] = (uint64_t)tile_hilbert(c[0], c[1], c[2]) << 32 | (uint32_t)i;
    }
    const uint64_t *sorted = sort_keys(s->keys, s->keys + s->room, count);
    for (size_t i = 0; i < count; i++) {
        s->atom[i] = atoms[(uint32_t)sorted[i]];
        wrapped(f, g, s->atom[i], s->wrap[i], s->at[i]);
    }
    for (size_t t = 0; t < s->tiles; t++) build_box(s, t, scale);
    return 0;
}
