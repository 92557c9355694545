// SPDX-License-Identifier: MIT
// Tests the bound of kernel.h with every kernel that this CPU can run: a pair is counted in its bin, or reported as
// near an edge.
#include <stdint.h>

#include "kernel.h"
#include "tap.h"
#include "uniform.h"

struct item {
    double between, radius[2]; // Å
    struct rdf_bins bins;
    unsigned rows, columns;
    bool triangle;
};

// Positions of the atoms of two tiles relative to the centres, and of the row's centre relative to the column's, Å; and
// as the kernel gets them.
struct tiles {
    double at[2][TILE_WIDTH][3], away[3];
    float u[2][3][TILE_WIDTH];
};

static void place_tile(double at[3], double radius) {
    double length2;
    do {
        length2 = 0;
        for (int k = 0; k < 3; k++) {
            at[k] = radius * (2 * uniform() - 1);
            length2 += at[k] * at[k];
        }
    } while (length2 > radius * radius);
}

static double distance(const struct tiles *t, unsigned i, unsigned j) {
    double r2 = 0;
    for (int k = 0; k < 3; k++) {
        double d = t->at[1][j][k] - (t->at[0][i][k] + t->away[k]);
        r2 += d * d;
    }
    return sqrt(r2);
}

// Moves atom j of the column along its distance from atom i of the row, so that the distance is next to an edge, unless
// it would leave its tile. Most are within `near` bins of the edge, where float32 is just precise enough or not.
static void move_to_edge(struct tiles *t, const struct item *m, double near, unsigned i, unsigned j) {
    double dr = (m->bins.rmax - m->bins.rmin) / (double)m->bins.count, r = distance(t, i, j), moved[3], length2 = 0;
    double k = floor((r - m->bins.rmin) / dr + 0.5), want = m->bins.rmin + dr * (k + 1.2 * near * (2 * uniform() - 1));
    if (!(r > 0) || want < 0) return;
    for (int c = 0; c < 3; c++) {
        double from = t->at[0][i][c] + t->away[c];
        moved[c] = from + (t->at[1][j][c] - from) * (want / r);
        length2 += moved[c] * moved[c];
    }
    if (length2 <= m->radius[1] * m->radius[1]) memcpy(t->at[1][j], moved, sizeof moved);
}

static void make_tiles(struct tiles *t, const struct item *m, double near) {
    double dr = (m->bins.rmax - m->bins.rmin) / (double)m->bins.count, length2 = 0;
    for (int k = 0; k < 3; k++) {
        t->away[k] = uniform() - 0.5;
        length2 += t->away[k] * t->away[k];
    }
    for (int k = 0; k < 3; k++) t->away[k] *= m->between / sqrt(length2);
    for (unsigned i = 0; i < TILE_WIDTH; i++)
        for (int side = 0; side < 2; side++) place_tile(t->at[side][i], m->radius[side]);
    for (unsigned i = 0; i < TILE_WIDTH; i++) move_to_edge(t, m, near, i, (i + 7) % TILE_WIDTH);
    for (unsigned i = 0; i < TILE_WIDTH; i++)
        for (int side = 0; side < 2; side++)
            for (int k = 0; k < 3; k++) t->u[side][k][i] = (float)(t->at[side][i][k] / dr);
}

static void make_patches(struct tile_patch patch[TILE_PATCHES], const float u[3][TILE_WIDTH], unsigned columns) {
    for (unsigned p = 0; p < TILE_PATCHES; p++) {
        unsigned first = p * TILE_PATCH, n = columns > first ? columns - first : 0;
        const float *const local[3] = {u[0] + first, u[1] + first, u[2] + first};
        patch[p] = tile_patch_box(local, n < TILE_PATCH ? n : TILE_PATCH);
    }
}

static bool is_near(const struct rdf_near *near, unsigned i, unsigned j) {
    return near->rows >> i & 1 && near->columns[i] >> j & 1;
}

// Subtracts from `counts` the pairs that were not near an edge, in the bins of their distances in float64, whose error
// is far below the bound. Returns the number of pairs near an edge.
static uint64_t subtract_right(const struct tiles *t, const struct item *m, const double *squares,
                               const struct rdf_near *near, uint32_t *counts) {
    uint64_t near_pairs = 0;
    for (unsigned i = 0; i < m->rows; i++)
        for (unsigned j = m->triangle ? i + 1 : 0; j < m->columns; j++) {
            double r = distance(t, i, j);
            if (is_near(near, i, j))
                near_pairs++;
            else
                counts[rdf_bin_of(&m->bins, squares, r * r)]--;
        }
    return near_pairs;
}

static bool outside_is_untouched(const struct item *m, const struct rdf_near *near) {
    bool good = true;
    for (unsigned i = 0; i < m->rows; i++)
        for (unsigned j = 0; j < TILE_WIDTH; j++)
            if (j >= m->columns || (m->triangle && j <= i)) good &= !is_near(near, i, j);
    return good;
}

static void test_bound(const struct rdf_kernel *kernel) {
    static const struct item items[] = {{0, {5, 5}, {0, 163.84, 8192, {0}}, 64, 64, false},
                                        {12, {10, 10}, {0, 163.84, 8192, {0}}, 64, 64, false},
                                        {150, {10, 11}, {0, 155, 8192, {0}}, 64, 64, false},
                                        {150, {10, 11}, {0, 180, 8192, {0}}, 64, 64, false},
                                        {150, {1, 30}, {0, 155, 50000, {0}}, 64, 64, false},
                                        {5, {10.5, 10.5}, {0, 12, 240, {0}}, 64, 64, false},
                                        {40, {7, 8}, {20, 50, 300, {0}}, 64, 64, false},
                                        {40, {7, 8}, {38, 47, 900, {0}}, 64, 64, false},
                                        {40, {2, 3}, {30, 47, 900, {0}}, 64, 64, false},
                                        {1e4, {15, 15}, {0, 10500, 21000, {0}}, 64, 64, false},
                                        {3e-9, {1e-9, 1e-9}, {0, 5e-9, 500, {0}}, 64, 64, false},
                                        {1e7, {2e6, 3e6}, {0, 2e7, 20000, {0}}, 64, 64, false},
                                        {100, {10, 10}, {0, 200, 1, {0}}, 64, 64, false},
                                        {80, {9, 10}, {0, 100, 500000, {0}}, 64, 64, false},
                                        {10, {1e4, 1e4}, {0, 10, 1000, {0}}, 64, 64, false},
                                        {8388, {5, 5}, {8380, 8400, 20000, {0}}, 64, 64, false},
                                        {12, {10, 10}, {0, 20, 1000, {0}}, 64, 17, false},
                                        {12, {10, 10}, {0, 20, 1000, {0}}, 3, 64, false},
                                        {0, {10, 10}, {0, 15, 1000, {0}}, 64, 64, true},
                                        {0, {10, 10}, {0, 15, 1000, {0}}, 9, 9, true},
                                        {20, {4, 4}, {0, 40, 5000000, {0}}, 64, 64, false}};
    for (size_t n = 0; n < sizeof items / sizeof *items; n++) {
        const struct item *m = &items[n];
        struct trj_error err;
        double dr = (m->bins.rmax - m->bins.rmin) / (double)m->bins.count;
        double *squares = rdf_bins_squares(&m->bins, &err);
        uint32_t *counts = calloc(m->bins.count + 1, sizeof *counts);
        uint64_t near_pairs = 0, all = 0;
        bool good = true;
        struct rdf_block b = {
            .rows = m->rows, .columns = m->columns, .triangle = m->triangle, .nowhere = (uint32_t)m->bins.count};
        rdf_block_range(&b, &m->bins, m->between, m->radius, 0);
        b.inside &= m->rows == TILE_WIDTH && m->columns == TILE_WIDTH && !m->triangle;
        for (int c = 0; c < RDF_KERNEL_COPIES; c++) b.counts[c] = counts;
        for (int tries = 0; tries < 200; tries++) {
            struct tiles t;
            struct rdf_near near;
            struct tile_patch patch[TILE_PATCHES];
            make_tiles(&t, m, 0.5 - (double)b.threshold);
            make_patches(patch, t.u[1], m->columns);
            b.patch = patch;
            for (int k = 0; k < 3; k++) {
                b.row[k] = t.u[0][k];
                b.column[k] = t.u[1][k];
                b.shift[k] = t.away[k] / dr;
            }
            kernel->count(&b, &near);
            near_pairs += subtract_right(&t, m, squares, &near, counts);
            good &= outside_is_untouched(m, &near);
            all += m->triangle ? m->rows * (m->rows - 1) / 2 : m->rows * m->columns;
        }
        for (uint64_t k = 0; k < m->bins.count; k++) good &= counts[k] == 0;
        bool fine = b.threshold < 0;
        ok(good && (fine || near_pairs < all / 2),
           "%s: tiles %g Å apart, bins of %g Å%s: no error among %llu pairs is undetected, %llu near an edge",
           kernel->name, m->between, dr, b.inside ? ", all in range" : "", (unsigned long long)all,
           (unsigned long long)near_pairs);
        free(squares);
        free(counts);
    }
}

// Coincident atoms, and atoms so far away that squares overflow, or so near that they underflow.
static void test_extremes(const struct rdf_kernel *kernel) {
    static const float apart[] = {0, 1e-30f, 1e-20f, 1e18f, 1e20f, 1e30f};
    const double radius[2] = {1, 1};
    const struct rdf_bins bins = {0, 10, 10, {0}};
    for (size_t n = 0; n < sizeof apart / sizeof *apart; n++) {
        float zero[TILE_WIDTH] = {0}, x[TILE_WIDTH];
        uint32_t counts[11] = {0}, counted = 0;
        struct rdf_near near;
        bool all_near = true, none_near = true;
        for (int j = 0; j < TILE_WIDTH; j++) x[j] = apart[n];
        struct tile_patch patch[TILE_PATCHES];
        struct rdf_block b = {{zero, zero, zero},    {zero, x, zero}, .rows = TILE_WIDTH,
                              .columns = TILE_WIDTH, .nowhere = 10,   .counts = {counts, counts, counts, counts}};
        // Boxes that exclude no pair.
        for (int p = 0; p < TILE_PATCHES; p++)
            patch[p] = (struct tile_patch){{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
        b.patch = patch;
        rdf_block_range(&b, &bins, 0, radius, 0);
        b.inside = b.inside && apart[n] < 1;
        kernel->count(&b, &near);
        for (int i = 0; i < TILE_WIDTH; i++) {
            uint64_t columns = near.rows >> i & 1 ? near.columns[i] : 0;
            all_near &= !~columns;
            none_near &= !columns;
        }
        for (int k = 0; k < 10; k++) counted += counts[k];
        bool boxed = true;
        if (apart[n] > 1) {
            const float *const local[3] = {zero, x, zero};
            for (int p = 0; p < TILE_PATCHES; p++) patch[p] = tile_patch_box(local, TILE_PATCH);
            boxed = kernel->count(&b, &near) == 0;
        }
        // If the estimate is NaN, far pairs may be evaluated, too, which is correct but slow.
        ok(!counted && (all_near || (none_near && apart[n] > 1)), "%s: atoms %g bins apart are %s", kernel->name,
           (double)apart[n], all_near ? "evaluated" : "out of range");
        ok(boxed, "%s: pairs that boxes exclude are not evaluated", kernel->name);
    }
}

int main(void) {
    static const char *const isas[] = {"avx512", "avx2", "plain"};
    for (int i = 0; i < 3; i++) {
        const struct rdf_kernel *kernel;
        struct trj_error err;
        setenv("TRJPIPE_ISA", isas[i], 1);
        if (rdf_kernel_find(&kernel, &err)) {
            skip(isas[i], err.text);
            continue;
        }
        test_bound(kernel);
        test_extremes(kernel);
    }
    return done();
}
