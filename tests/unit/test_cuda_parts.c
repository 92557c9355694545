// SPDX-License-Identifier: MIT
// Parts of the CUDA engine that run without CUDA: the order of the atoms, and the bound on the error of fast distances.
#include <float.h>
#include <stdint.h>
#include <stdlib.h>

#include "columns.h"
#include "edge_error_bound.h"
#include "tap.h"
#include "uniform.h"

// ---- order

enum { TILE = 64 };

struct placed {
    uint32_t key;
    double at[3];
};

static int by_key(const void *a, const void *b) {
    uint32_t x = ((const struct placed *)a)->key, y = ((const struct placed *)b)->key;
    return x < y ? -1 : x > y;
}

// Sorts n atoms in a box. Returns the mean volume of the boxes of the tiles, divided by the share of 64 atoms in the
// volume.
static double tiles_of(const double box[3], unsigned n, bool *in_range) {
    double low[3] = {1e300, 1e300, 1e300}, high[3] = {-1e300, -1e300, -1e300}, volume = 0;
    struct placed *atoms = malloc(n * sizeof *atoms);
    for (unsigned i = 0; i < n; i++)
        for (int k = 0; k < 3; k++) {
            atoms[i].at[k] = -3 + box[k] * uniform();
            low[k] = fmin(low[k], atoms[i].at[k]);
            high[k] = fmax(high[k], atoms[i].at[k]);
        }
    const unsigned sets = 5, set = 4;
    struct cuda_key key = cuda_key_make(sets, TILE, n);
    struct cuda_columns c = cuda_columns_make(low, high, n, TILE, key);
    *in_range = key.set + key.column + key.along <= 31 && c.parts[0] >= 1 && c.parts[1] >= 1 &&
                (uint64_t)c.parts[0] * c.parts[1] <= (uint64_t)1 << key.column;
    for (unsigned i = 0; i < n; i++) {
        atoms[i].key = cuda_columns_key(&c, key, set, atoms[i].at);
        *in_range &= atoms[i].key <= cuda_columns_last(key, set) && atoms[i].key > cuda_columns_last(key, set - 1);
    }
    qsort(atoms, n, sizeof *atoms, by_key);
    unsigned tiles = n / TILE;
    for (unsigned t = 0; t < tiles; t++) {
        double part = 1;
        for (int k = 0; k < 3; k++) {
            double from = 1e300, to = -1e300;
            for (unsigned i = t * TILE; i < (t + 1) * TILE; i++) {
                from = fmin(from, atoms[i].at[k]);
                to = fmax(to, atoms[i].at[k]);
            }
            part *= to - from;
        }
        volume += part;
    }
    free(atoms);
    return volume / tiles / (box[0] * box[1] * box[2] / n * TILE);
}

static void test_order(void) {
    static const struct {
        const char *what;
        double box[3];
        unsigned atoms;
        double max; // maximum of the mean volume of a tile's box divided by its share of the space; 1 is ideal
    } cases[] = {{"a cube", {100, 100, 100}, 33000, 1.5},   {"a large cube", {300, 300, 300}, 900000, 1.3},
                 {"a long box", {20, 400, 30}, 20000, 1.7}, {"a slab", {200, 9, 200}, 20000, 1.7},
                 {"a sheet", {200, 200, 1e-6}, 20000, 1.7}, {"a needle", {1e-3, 1e-3, 300}, 6400, 1.7},
                 {"a few atoms", {10, 10, 10}, 130, 4}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool in_range;
        double volume = tiles_of(cases[i].box, cases[i].atoms, &in_range);
        ok(in_range && volume < cases[i].max, "tiles of %s are compact: %.2f of their share", cases[i].what, volume);
    }
    // Boxes without extent.
    static const double points[][2][3] = {
        {{5, 5, 5}, {5, 5, 5}}, {{0, 1, 2}, {9, 1, 2}}, {{0, 0, 1e8}, {1e-30, 1e8, 1e8}}, {{0, 7, 0}, {100, 7, 100}}};
    for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
        struct cuda_key key = cuda_key_make(65536, TILE, 3000000);
        struct cuda_columns c = cuda_columns_make(points[i][0], points[i][1], 3000000, TILE, key);
        bool good = key.set == 16 && key.set + key.column + key.along <= 31 && key.column > 0;
        for (int k = 0; k < 2; k++) {
            uint32_t at = cuda_columns_key(&c, key, 65535, points[i][k]);
            good &= at <= cuda_columns_last(key, 65535) && at > cuda_columns_last(key, 65534);
        }
        ok(good, "a box without volume, and the maximum number of sets (%zu)", i);
    }
}

// Each column in the order of the keys touches the previous one.
static void test_neighbours(void) {
    const double low[3] = {0, 0, 0}, high[3] = {70, 50, 90};
    struct cuda_key key = cuda_key_make(1, TILE, 50000);
    struct cuda_columns c = cuda_columns_make(low, high, 50000, TILE, key);
    unsigned n = c.parts[0] * c.parts[1];
    unsigned(*place)[2] = calloc(n, sizeof *place);
    bool good = c.axis[2] == 2 && c.parts[0] > 2 && c.parts[1] > 2;
    for (unsigned a = 0; a < c.parts[0]; a++)
        for (unsigned b = 0; b < c.parts[1]; b++) {
            double at[3];
            at[c.axis[0]] = (a + 0.5) * high[c.axis[0]] / c.parts[0];
            at[c.axis[1]] = (b + 0.5) * high[c.axis[1]] / c.parts[1];
            at[2] = 1;
            uint32_t k = cuda_columns_key(&c, key, 0, at), column = k >> key.along;
            good &= column < n;
            if (column >= n) continue;
            place[column][0] = a;
            place[column][1] = b;
            at[2] = 80; // up in one column, down in the next
            good &= (cuda_columns_key(&c, key, 0, at) > k) == (column % 2 == 0);
        }
    for (unsigned i = 1; i < n; i++)
        good &= abs((int)place[i][0] - (int)place[i - 1][0]) + abs((int)place[i][1] - (int)place[i - 1][1]) == 1;
    ok(good, "consecutive columns are neighbours, up one and down the next");
    free(place);
}

// ---- error bound

static void test_cut(void) {
    bool good = true;
    for (int e = -126; e <= 126; e++)
        for (int i = 0; i < 50; i++) {
            double x = ldexp(1 + uniform(), e);
            float got = cuda_cut(x * 0x1p128);
            // The float at or below x.
            float want = (float)x;
            if ((double)want > x) want = nextafterf(want, 0);
            good &= got == want;
        }
    ok(good, "cuda_cut returns the nearest float below");
    ok(cuda_cut(0x1p228) == 0x1p100f && cuda_cut(0) == 0, "cuda_cut of distances beyond all bins stays beyond them");
}

struct item {
    double between, radii, dr, rmin;
    long long bins;
};

// Bins r2 in units of dr^2 as the kernels do, with a root whose relative error is `wrong`, at most 2^-23. Returns false
// if float32 puts a pair at distance r into a wrong bin and the bound does not detect it.
static bool placed_right(float r2, double r, double wrong, const struct item *m, float start, float threshold) {
    double exact = sqrt((double)r2);
    float root = (float)(exact * (1 + wrong));
    if (fabs((double)root - exact) > 0x1p-23 * exact)
        root = nextafterf(root, (float)exact); // no float is at that place
    float t = root - start;
    float floored = (float)floor((double)t) + 8388608.0f,
          h = t + (8388607.5f - floored); // values below 2^23 are exact
    if (!(fabsf(h) <= threshold)) return true;
    long long fast = (long long)floor((double)t) - (m->rmin > 0), k = (long long)floor((r - m->rmin) / m->dr);
    while (r < m->rmin + (double)k * m->dr) k--;
    while (r >= m->rmin + (double)(k + 1) * m->dr) k++;
    return fast == k;
}

// Returns a distance within reach of the item, half of the time next to an edge.
static double pick_distance(const struct item *m) {
    double low = fmax(m->between - m->radii, 0), high = fmin(m->between + m->radii, m->rmin + (double)m->bins * m->dr);
    double r = low + (high - low) * uniform();
    if (uniform() < 0.5) {
        double edge = m->rmin + floor((r - m->rmin) / m->dr) * m->dr,
               off = ldexp(uniform() - 0.5, -(int)(45 * uniform()));
        double moved = edge + off * m->dr;
        if (moved > low && moved < high) r = moved;
    }
    return r;
}

// Places two atoms at distance r, each within half of `radii` of its centre; the centres are `between` apart. Returns
// false if there are no such places.
static bool place_pair(const struct item *m, double r, double w[3], double u[3], double q[3]) {
    double radius = m->radii / 2, along[3], length = 0;
    for (int k = 0; k < 3; k++) {
        along[k] = uniform() - 0.5;
        length += along[k] * along[k];
    }
    for (int k = 0; k < 3; k++) q[k] = along[k] / sqrt(length) * m->between;
    for (int tries = 0; tries < 200; tries++) {
        double d[3], size = 0, left = 0;
        for (int k = 0; k < 3; k++) {
            w[k] = (uniform() - 0.5) * radius;
            d[k] = -q[k] - w[k] + (uniform() - 0.5) * 2 * radius; // from the row's atom to about the column's centre
            size += d[k] * d[k];
        }
        for (int k = 0; k < 3; k++) {
            u[k] = w[k] + q[k] + d[k] / sqrt(size) * r;
            left += u[k] * u[k];
        }
        if (left <= radius * radius) return true;
    }
    return false;
}

static void test_bound(void) {
    static const struct item items[] = {
        {0, 10, 0.02, 0, 8192},      {12, 20, 0.02, 0, 8192},        {150, 21, 0.0189, 0, 8192},
        {150, 21, 0.0031, 0, 50000}, {5, 21, 0.05, 0, 240},          {40, 15, 0.1, 20, 300},
        {40, 15, 0.01, 38, 900},     {1e4, 30, 0.5, 0, 21000},       {3e-9, 2e-9, 1e-11, 0, 500},
        {1e7, 5e6, 1e3, 0, 20000},   {100, 20, 200, 0, 1},           {80, 19, 2e-4, 0, 500000},
        {10, 2e4, 0.01, 0, 1000},    {8388, 10, 0.001, 8380, 20000}, {50, 20, 0.1, 0.05, 1000},
        {20, 15, 6e-3, 1e-3, 8192},  {20, 15, 6e-3, 6e-3, 8192}};
    for (size_t i = 0; i < sizeof items / sizeof *items; i++) {
        const struct item *m = &items[i];
        double rmax = m->rmin + (double)m->bins * m->dr, scale = CUDA_SCALE64 / m->dr;
        float start = m->rmin > 0 ? (float)(m->rmin / m->dr - 1) : 0;
        double last = (double)m->bins + (double)start, reach = m->between + m->radii;
        float near64 =
            cuda_threshold(cuda_error64(rmax, m->between, m->radii, m->dr), m->dr, (double)start, last, reach);
        float near32 = cuda_threshold(cuda_error32(rmax, m->between, m->radii), m->dr, (double)start, last, reach);
        double bias = cuda_bias(m->between, m->radii, m->dr);
        unsigned wrong64 = 0, wrong32 = 0, pairs = 0;
        for (int n = 0; n < 40000; n++) {
            double w[3], u[3], q[3], v2 = bias * scale * scale, u2 = 0, cross = 0, r = 0;
            if (!place_pair(m, pick_distance(m), w, u, q)) continue;
            pairs++;
            float d2 = 0;
            for (int k = 0; k < 3; k++) {
                double v = w[k] * scale + q[k] * scale, us = u[k] * scale;
                v2 += v * v;
                u2 += us * us;
                cross += -2 * v * us;
                float d = (float)(u[k] / m->dr) - (float)((double)(float)(w[k] / m->dr) + q[k] / m->dr);
                d2 += d * d;
                r += (u[k] - w[k] - q[k]) * (u[k] - w[k] - q[k]);
            }
            r = sqrt(r);
            static const double roots[] = {-0x1p-23, 0, 0x1p-23};
            for (int e = 0; e < 3; e++) {
                wrong64 += !placed_right(cuda_cut(v2 + (u2 + cross)), r, roots[e], m, start, near64);
                wrong32 += !placed_right(d2, r, roots[e], m, start, near32);
            }
        }
        ok(pairs > 1000 && !wrong64 && !wrong32,
           "tiles %g Å apart, bins of %g Å: no error among %u pairs is undetected", m->between, m->dr, pairs);
        if (wrong64 || wrong32) printf("# float64 %u, float32 %u\n", wrong64, wrong32);
    }
    ok(cuda_threshold(1, 1, 0, 10, 1) == -1 && cuda_threshold(0, 1, 0, 10, 0x1p51) == -1 &&
           cuda_threshold(0, 1, 0, 10, 100) > 0.49f,
       "bins too narrow, tiles too far apart: all pairs are near an edge");
}

int main(void) {
    test_order();
    test_neighbours();
    test_cut();
    test_bound();
    return done();
}
