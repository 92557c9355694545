// SPDX-License-Identifier: MIT
// The space-filling curve is a curve; the plan holds every pair of atoms within reach exactly once.
#include <stdint.h>

#include "hilbert.h"
#include "items.h"
#include "memory.h"
#include "tap.h"

static void test_hilbert(void) {
    enum { SIDE = 16, N = SIDE * SIDE * SIDE };
    static uint32_t at[N];
    memset(at, 0xff, sizeof at);
    bool good = true, near = true;
    for (uint32_t i = 0; i < N; i++) {
        uint32_t k = tile_hilbert(i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE);
        good &= k < N && at[k] == UINT32_MAX;
        if (k < N) at[k] = i;
    }
    ok(good, "every cell of a corner of the grid has a place of its own, and together they are the curve's beginning");
    for (uint32_t k = 1; good && k < N; k++) {
        int steps = abs((int)(at[k] % SIDE) - (int)(at[k - 1] % SIDE)) +
                    abs((int)(at[k] / SIDE % SIDE) - (int)(at[k - 1] / SIDE % SIDE)) +
                    abs((int)(at[k] / SIDE / SIDE) - (int)(at[k - 1] / SIDE / SIDE));
        near &= steps == 1;
    }
    ok(near, "consecutive cells of the curve share a face");
}

static uint32_t lcg = 12345;

static float random_in(float low, float high) {
    lcg = lcg * 1664525 + 1013904223;
    return low + (high - low) * (float)(lcg >> 8) * 0x1p-24f;
}

enum { ATOMS = 300 };

// How often the plan brings together atom i and the image n of atom j whose distance is below reach, against how often it should: once.
static void test_plan(const char *name, const struct trj_cell *cell, double reach, bool self) {
    struct trj_frame f = {.atoms = 0};
    struct trj_error err;
    uint32_t atoms[ATOMS];
    struct tile_set a = {.atoms = 0}, b = {.atoms = 0};
    trj_frame_resize(&f, ATOMS, &err);
    f.unit = 1;
    f.cell = *cell;
    for (uint32_t i = 0; i < ATOMS; i++) {
        atoms[i] = i;
        for (int k = 0; k < 3; k++) f.x[k][i] = random_in(-40, 40);
    }
    size_t na = self ? ATOMS : 170, nb = self ? ATOMS : ATOMS - na;
    tile_set_build(&a, &f, atoms, na, 3, &err);
    if (!self) tile_set_build(&b, &f, atoms + na, nb, 3, &err);
    const struct tile_set *second = self ? &a : &b;
    bool inside = true;
    for (size_t t = 0; t < second->tiles; t++)
        for (size_t i = 0; i < tile_count(second, t); i++)
            for (int k = 0; k < 3; k++) {
                double off = second->at[t * TILE_WIDTH + i][k] - second->centre[t][k];
                inside &= fabs(off) <= second->half[t][k] && second->local[k][t * TILE_WIDTH + i] == (float)(off * 3);
            }
    ok(inside, "%s: atoms lie in their tile's box", name);

    struct tile_plan p;
    struct tile_walk w;
    tile_plan_make(&p, &a, second, cell, reach);
    uint64_t met = 0, meetings = 0, wanted = 0;
    bool positions = true;
    for (size_t row = 0; row < a.tiles; row++)
        for (tile_walk_start(&w, &p, row); tile_walk_next(&w);) {
            const struct tile_item *t = &w.item;
            for (size_t i = row * TILE_WIDTH; i < row * TILE_WIDTH + tile_count(&a, row); i++)
                for (size_t j = t->column * TILE_WIDTH; j < t->column * TILE_WIDTH + tile_count(second, t->column);
                     j++) {
                    if (self && t->column == row && j <= i) continue;
                    double r2 = 0;
                    for (int k = 0; k < 3; k++) {
                        int n[3];
                        for (int m = 0; m < 3; m++) n[m] = t->image[m] + second->wrap[j][m] - a.wrap[i][m];
                        double d = (double)f.x[k][second->atom[j]] - (double)f.x[k][a.atom[i]] + n[0] * cell->h[0][k] +
                                   n[1] * cell->h[1][k] + n[2] * cell->h[2][k];
                        positions &= fabs(d - (second->at[j][k] + t->shift[k] - a.at[i][k])) < 1e-10;
                        r2 += d * d;
                    }
                    meetings++;
                    met += r2 < reach * reach;
                }
        }
    double g[3][3];
    trj_cell_reciprocal(cell, g);
    for (uint32_t i = 0; i < na; i++)
        for (uint32_t j = self ? i + 1 : (uint32_t)na; j < ATOMS; j++) {
            double d[3];
            int low[3] = {0}, high[3] = {0}; // images enough for any pair, and one more
            for (int k = 0; k < 3; k++) d[k] = (double)f.x[k][j] - (double)f.x[k][i];
            for (int k = 0; k < 3; k++) {
                if (!(cell->periodic >> k & 1)) continue;
                double s = g[k][0] * d[0] + g[k][1] * d[1] + g[k][2] * d[2];
                double range = reach * sqrt(g[k][0] * g[k][0] + g[k][1] * g[k][1] + g[k][2] * g[k][2]);
                low[k] = (int)floor(-s - range) - 1;
                high[k] = (int)ceil(-s + range) + 1;
            }
            for (int x = low[0]; x <= high[0]; x++)
                for (int y = low[1]; y <= high[1]; y++)
                    for (int z = low[2]; z <= high[2]; z++) {
                        double r2 = 0;
                        for (int k = 0; k < 3; k++) {
                            double c = d[k] + x * cell->h[0][k] + y * cell->h[1][k] + z * cell->h[2][k];
                            r2 += c * c;
                        }
                        wanted += r2 < reach * reach;
                    }
        }
    ok(positions, "%s: shifts lead to the images they name", name);
    ok(met == wanted && wanted > 0, "%s: %llu pairs within reach, %llu in the plan, which meets %llu", name,
       (unsigned long long)wanted, (unsigned long long)met, (unsigned long long)meetings);
    tile_set_free(&a);
    tile_set_free(&b);
    trj_frame_free(&f);
}

int main(void) {
    const struct trj_cell cube = {{{25, 0, 0}, {0, 25, 0}, {0, 0, 25}}, 7};
    const struct trj_cell skew = {{{20, 0, 0}, {12, 18, 0}, {-9, 7, 16}}, 7};
    const struct trj_cell slab = {{{20, 3, 0}, {-5, 22, 1}, {0, 0, 90}}, 3};
    const struct trj_cell wire = {{{0, 0, 0}, {1, 15, 2}, {0, 0, 0}}, 2};
    const struct trj_cell none = {{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}, 0};
    test_hilbert();
    for (int self = 0; self < 2; self++) {
        test_plan("cube", &cube, 12.5, self);
        test_plan("cube, many images", &cube, 40, self);
        test_plan("skew", &skew, 9, self);
        test_plan("slab", &slab, 11, self);
        test_plan("wire", &wire, 30, self);
        test_plan("no period", &none, 20, self);
    }
    return done();
}
