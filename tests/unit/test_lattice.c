// SPDX-License-Identifier: MIT
// Lattices of maps: positions, cells and comparison; statistics of maps: exact sums; orders of axes.
#include <float.h>
#include <math.h>

#include "map_lattice.h"
#include "map_reorder.h"
#include "map_statistics.h"
#include "tap.h"

static struct trj_error err;

static struct trj_map_lattice lattice(void) {
    return (struct trj_map_lattice){.n = {4, 5, 6},
                                    .origin = {1, -2, 3},
                                    .step = {{0.5, 0, 0}, {0.125, 0.75, 0}, {-0.25, 0.5, 1}},
                                    .periodic = TRJ_PERIODIC_ALL};
}

#define BAD(what, part, change)                                                                                        \
    do {                                                                                                               \
        struct trj_map_lattice l = lattice();                                                                          \
        change;                                                                                                        \
        ok(trj_map_lattice_check(&l, &err) && err.status == TRJ_BAD_DATA && has_text(err.text, part), "%s: %s", what,  \
           err.text);                                                                                                  \
    } while (0)

static void test_check(void) {
    struct trj_map_lattice good = lattice();
    ok(!trj_map_lattice_check(&good, &err), "a skew lattice is valid");
    for (int i = 0; i < 3; i++) good.step[0][i] = -good.step[0][i];
    ok(!trj_map_lattice_check(&good, &err), "a left-handed lattice is valid");
    BAD("no points", "at least 1", l.n[1] = 0);
    BAD("product above 2^40", "at most 2^40", l.n[0] = l.n[1] = l.n[2] = 1 << 14);
    BAD("product above 2^64", "at most 2^40", l.n[0] = l.n[1] = (uint64_t)1 << 32; l.n[2] = 1);
    BAD("NaN step", "axis 1", l.step[1][1] = NAN);
    BAD("infinite step", "axis 1", l.step[1][1] = INFINITY);
    BAD("zero step", "axis 2", l.step[2][0] = l.step[2][1] = l.step[2][2] = 0);
    BAD("length above 10^8 Å", "axis 2", l.step[2][2] = 2e7);
    BAD("NaN origin", "origin", l.origin[0] = NAN);
    BAD("coplanar steps", "steps of the lattice", l.step[2][2] = 0);
    BAD("unknown periodic axis", "periodic", l.periodic = 8);
    good.n[0] = good.n[1] = 1 << 13, good.n[2] = 1 << 14;
    ok(!trj_map_lattice_check(&good, &err) && trj_map_lattice_points(&good) == TRJ_MAP_POINTS_MAX, "2^40 points");
}

static void test_positions(void) {
    struct trj_map_lattice l = lattice();
    double p[3], g[3][3], worst = 0;
    trj_map_lattice_position(&l, (double[]){2, 1, 3}, p);
    ok(p[0] == 1 + 1 + 0.125 - 0.75 && p[1] == -2 + 0.75 + 1.5 && p[2] == 6, "position of a point");
    trj_map_lattice_inverse(&l, g);
    for (int k = 0; k < 3; k++) {
        double index = 0;
        for (int i = 0; i < 3; i++) index += g[k][i] * (p[i] - l.origin[i]);
        worst = fmax(worst, fabs(index - (double[]){2, 1, 3}[k]));
    }
    ok(worst < 1e-14, "the inverse returns the indices");
    ok(trj_map_lattice_voxel(&l) == 0.5 * 0.75, "volume of a voxel");
    ok(!trj_map_lattice_is_aligned(&l), "a skew lattice is not aligned");
    memcpy(l.step, (double[3][3]){{1, 0, 0}, {0, 2, 0}, {0, 0, 3}}, sizeof l.step);
    ok(trj_map_lattice_is_aligned(&l), "steps along x, y, z are aligned");
    l.step[1][1] = -2;
    ok(!trj_map_lattice_is_aligned(&l), "a step along -y is not aligned");
}

static void test_cells(void) {
    struct trj_map_lattice l = lattice(), back;
    struct trj_cell cell = trj_map_lattice_cell(&l);
    ok(cell.h[1][0] == 0.625 && cell.h[2][2] == 6 && cell.periodic == TRJ_PERIODIC_ALL, "cell of a lattice");
    ok(!trj_map_lattice_divide(&back, &cell, l.n, &err) && back.origin[2] == 0, "cell to lattice");
    memcpy(back.origin, l.origin, sizeof l.origin);
    ok(trj_map_lattice_same(&l, &back, 0), "the lattice of its cell is the same lattice");
    ok(trj_map_lattice_divide(&back, &(struct trj_cell){.periodic = 0}, l.n, &err), "a cell without vectors: rejected");
    cell = (struct trj_cell){.h = {{30, 0, 0}, {0, 30.04, 0}, {0, 0, 0.01}}};
    ok(!trj_map_lattice_cover(&l, &cell, 0.1, &err) && l.n[0] == 300 && l.n[1] == 301 && l.n[2] == 1,
       "the fewest steps of at most 0.1 Å: %llu %llu %llu", (unsigned long long)l.n[0], (unsigned long long)l.n[1],
       (unsigned long long)l.n[2]);
    ok(trj_map_lattice_cover(&l, &cell, 1e-12, &err) && has_text(err.text, "longer"), "%s", err.text);
    ok(trj_map_lattice_cover(&l, &cell, 0, &err) && trj_map_lattice_cover(&l, &cell, NAN, &err), "no spacing");
}

static void test_same(void) {
    struct trj_map_lattice a = lattice(), b = lattice();
    ok(trj_map_lattice_same(&a, &b, 0), "equal lattices are the same without a tolerance");
    b.origin[0] += 1e-6;
    ok(!trj_map_lattice_same(&a, &b, 0) && !trj_map_lattice_same(&a, &b, 1e-6) && trj_map_lattice_same(&a, &b, 3e-6),
       "the tolerance is relative to the shortest step, 0.5 Å");
    b = a;
    b.step[2][2] += 1e-6;
    ok(!trj_map_lattice_same(&a, &b, 8e-6) && trj_map_lattice_same(&a, &b, 11e-6),
       "an error of a step counts at the farthest point");
    b = a;
    b.n[0] = 3;
    ok(!trj_map_lattice_same(&a, &b, 1), "other numbers of points");
    b = a;
    b.periodic = 3;
    ok(!trj_map_lattice_same(&a, &b, 1), "other periods");
    a.n[1] = b.n[1] = 1;
    b = a;
    b.step[1][1] *= 2;
    ok(!trj_map_lattice_same(&a, &b, 0.1), "another step along an axis with one point");
}

static struct trj_map_summary summary_of(enum trj_map_kind kind, const void *values, size_t n, size_t slab) {
    struct trj_map map = {.lattice = lattice(), .kind = kind, .components = 1, .quantum = 0.25};
    struct trj_map_statistics *s = trj_map_statistics_open(&map, &err);
    size_t size = trj_map_value_size(kind);
    for (size_t i = 0; i < n; i += slab)
        trj_map_statistics_add(s, (const unsigned char *)values + i * size, n - i < slab ? n - i : slab);
    struct trj_map_summary r = trj_map_statistics_summary(s);
    trj_map_statistics_close(s);
    return r;
}

static void test_statistics(void) {
    enum { N = 5000 };
    static double v[N];
    for (int i = 0; i < N; i++) v[i] = ldexp(sin(i), i % 200 - 100);
    struct trj_map_summary a = summary_of(TRJ_MAP_FLOAT64, v, N, N), b = summary_of(TRJ_MAP_FLOAT64, v, N, 7);
    ok(!memcmp(&a, &b, sizeof a), "statistics do not depend on the sizes of slabs");
    for (int i = 0; i < N / 2; i++) {
        double t = v[i];
        v[i] = v[N - 1 - i];
        v[N - 1 - i] = t;
    }
    b = summary_of(TRJ_MAP_FLOAT64, v, N, 999);
    ok(a.sum == b.sum && a.sigma == b.sigma && a.min == b.min && a.max_at == N - 1 - b.max_at,
       "statistics do not depend on the order of the values");
    double cancel[] = {1e300, 1, -1e300, 0x1p-1074, 3};
    a = summary_of(TRJ_MAP_FLOAT64, cancel, 5, 5);
    ok(a.sum == 4 && isnan(a.sigma), "1e300 + 1 - 1e300 + 3 = 4; squares above the range of float64: sigma is NaN");
    ok(summary_of(TRJ_MAP_FLOAT64, (double[]){0x1p-1074, 0x1p-1074}, 2, 1).sum == 0x1p-1073, "subnormal numbers");
    double near[] = {1e8 + 1, 1e8 - 1, 1e8 + 1, 1e8 - 1};
    a = summary_of(TRJ_MAP_FLOAT64, near, 4, 4);
    ok(a.mean == 1e8 && a.sigma == 1, "sigma of 1e8 +- 1 is 1");
    near[0] = 0.1, near[1] = 0.1, near[2] = 0.1;
    a = summary_of(TRJ_MAP_FLOAT64, near, 3, 3);
    ok(a.sigma < 1e-16 && fabs(a.mean - 0.1) < 1e-16, "sigma of equal values is 0 within rounding: %g", a.sigma);
    a = summary_of(TRJ_MAP_FLOAT32, (float[]){1, NAN, 4, INFINITY, 1}, 5, 2);
    ok(a.values == 3 && a.not_finite == 2 && a.min == 1 && a.min_at == 0 && a.max == 4 && a.max_at == 2 && a.mean == 2,
       "values that are not finite are counted separately, and have no effect");
    ok(a.integral == 6 * 0.375, "integral: sum times the volume of a voxel");
    a = summary_of(TRJ_MAP_QUANTA, (int64_t[]){-4, 8}, 2, 2);
    ok(a.min == -1 && a.max == 2 && a.sum == 1, "quanta");
    a = summary_of(TRJ_MAP_COUNTS, (uint64_t[]){(uint64_t)1 << 60, 1, 1}, 3, 3);
    ok(a.max == 0x1p60 && a.sum == 0x1p60, "counts");
    a = summary_of(TRJ_MAP_COUNTS, NULL, 0, 1);
    ok(!a.values && isnan(a.min) && isnan(a.mean) && isnan(a.sigma) && a.sum == 0, "no values");
}

static const struct trj_map_order orders[] = {{{0, 1, 2}}, {{0, 2, 1}}, {{1, 0, 2}},
                                              {{1, 2, 0}}, {{2, 0, 1}}, {{2, 1, 0}}};
enum { ORDERS = 6 };

// The value of a point is 100 i + 10 j + k, in a map of 3 x 4 x 5 points.
static const uint64_t box[3] = {3, 4, 5};
enum { POINTS = 60 };

static void fill(double *v, struct trj_map_order o) {
    uint64_t at[3];
    for (at[o.axis[2]] = 0; at[o.axis[2]] < box[o.axis[2]]; at[o.axis[2]]++)
        for (at[o.axis[1]] = 0; at[o.axis[1]] < box[o.axis[1]]; at[o.axis[1]]++)
            for (at[o.axis[0]] = 0; at[o.axis[0]] < box[o.axis[0]]; at[o.axis[0]]++)
                *v++ = (double)(100 * at[0] + 10 * at[1] + at[2]);
}

static bool reorders(struct trj_map_order a, struct trj_map_order b, uint64_t put, uint64_t get, uint64_t memory) {
    double from[POINTS], want[POINTS], to[POINTS] = {0};
    struct trj_map_reorder *s;
    fill(from, a);
    fill(want, b);
    uint64_t n = box[a.axis[2]], m = box[b.axis[2]];
    bool good = !trj_map_reorder_open_limited(&s, box, a, b, sizeof *from, memory, &err);
    for (uint64_t k = 0; good && k < n; k += put)
        good = !trj_map_reorder_put(s, from + k * (POINTS / n), n - k < put ? n - k : put, &err);
    for (uint64_t k = 0; good && k < m; k += get)
        good = !trj_map_reorder_get(s, k, m - k < get ? m - k : get, to + k * (POINTS / m), &err);
    trj_map_reorder_close(s);
    return good && !memcmp(to, want, sizeof to);
}

static void test_orders(void) {
    double from[POINTS], want[POINTS], to[POINTS];
    int good = 0, stored = 0, all = 0;
    for (int a = 0; a < ORDERS; a++)
        for (int b = 0; b < ORDERS; b++) {
            fill(from, orders[a]);
            fill(want, orders[b]);
            trj_map_permute(box, orders[a], orders[b], sizeof *from, from, to);
            good += !memcmp(to, want, sizeof to);
            for (unsigned i = 0; i < 8; i++, all++)
                stored += reorders(orders[a], orders[b], i & 1 ? 2 : 1, i & 2 ? 3 : 1, i & 4 ? 0 : POINTS * 8);
        }
    ok(good == ORDERS * ORDERS, "arrays in all orders: %d of %d", good, ORDERS * ORDERS);
    ok(stored == all, "stores in memory and in files, by any planes: %d of %d", stored, all);
    struct trj_map_reorder *s;
    ok(!trj_map_reorder_open(&s, box, orders[0], orders[5], 8, &err) && trj_map_reorder_get(s, 0, 1, to, &err),
       "no planes are given before all are stored");
    ok(trj_map_reorder_put(s, from, 6, &err), "more planes than the map has: rejected");
    trj_map_reorder_close(s);
    setenv("TMPDIR", "/no/such/folder", 1);
    ok(trj_map_reorder_open_limited(&s, box, orders[0], orders[5], 8, 0, &err) && has_text(err.text, "/no/such/folder"),
       "no folder for the temporary file: %s", err.text);
    unsetenv("TMPDIR");
}

// The store uses several chunks: of 2^25 bytes, so that the test writes 100 MB.
static void test_chunks(void) {
    enum { NX = 300, NY = 200, NZ = 210 };
    static const uint64_t n[3] = {NX, NY, NZ};
    static double plane[NX * NY], across[NY * NZ];
    struct trj_map_reorder *s;
    bool good = !trj_map_reorder_open_limited(&s, n, trj_map_order_ours, trj_map_order_reversed, 8, 0, &err);
    for (uint64_t k = 0; good && k < NZ; k++) {
        for (uint64_t i = 0; i < NX * NY; i++) plane[i] = (double)(i + k * NX * NY);
        good = !trj_map_reorder_put(s, plane, 1, &err);
    }
    for (uint64_t i = 0; good && i < NX; i += 37) {
        good = !trj_map_reorder_get(s, i, 1, across, &err);
        for (uint64_t j = 0; j < NY; j++)
            for (uint64_t k = 0; k < NZ; k++) good = good && across[j * NZ + k] == (double)(i + NX * (j + NY * k));
    }
    trj_map_reorder_close(s);
    ok(good, "a map of several chunks");
}

int main(void) {
    test_check();
    test_positions();
    test_cells();
    test_same();
    test_statistics();
    test_orders();
    test_chunks();
    return done();
}
