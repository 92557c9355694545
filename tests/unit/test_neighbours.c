// SPDX-License-Identifier: MIT
// Tests the search for neighbours: the grid against the rule in neighbours.h, evaluated for each pair and image.
#include <float.h>
#include <limits.h>

#include "cell.h"
#include "frame.h"
#include "neighbours.h"
#include "tap.h"
#include "uniform.h"

static struct trj_frame frame;

static void make_frame(size_t atoms, double unit) {
    struct trj_error err;
    if (trj_frame_resize(&frame, atoms, &err)) exit(1);
    frame.unit = unit;
}

static void set_cell(unsigned periodic, const double h[3][3]) {
    memcpy(frame.cell.h, h, sizeof frame.cell.h);
    frame.cell.periodic = periodic;
}

// Evaluates the rule over all images that can matter, and more: |g_k . d + n_k| is limited by half the sum of the
// vectors, or by the radius.
static bool is_near(size_t from, size_t to, double radius, double g[3][3]) {
    double gap[3], half = 0, shortest = radius * radius;
    const double(*h)[3] = frame.cell.h;
    int low[3], high[3];
    for (int k = 0; k < 3; k++) {
        gap[k] = (double)frame.x[k][to] * frame.unit - (double)frame.x[k][from] * frame.unit;
        if (frame.cell.periodic & (1u << k))
            half += sqrt(h[k][0] * h[k][0] + h[k][1] * h[k][1] + h[k][2] * h[k][2]) / 2;
    }
    for (int k = 0; k < 3; k++) {
        double s = g[k][0] * gap[0] + g[k][1] * gap[1] + g[k][2] * gap[2];
        double size = sqrt(g[k][0] * g[k][0] + g[k][1] * g[k][1] + g[k][2] * g[k][2]);
        double range = size > 0 ? fmin(radius, half) * size * 1.0001 + 0.01 : 0;
        low[k] = (int)floor(-s - range);
        high[k] = (int)ceil(-s + range);
        if (!(size > 0)) low[k] = high[k] = 0;
    }
    int n[3];
    for (n[0] = low[0]; n[0] <= high[0]; n[0]++)
        for (n[1] = low[1]; n[1] <= high[1]; n[1]++)
            for (n[2] = low[2]; n[2] <= high[2]; n[2]++) {
                double d[3];
                for (int c = 0; c < 3; c++) d[c] = gap[c] + ((n[0] * h[0][c] + n[1] * h[1][c]) + n[2] * h[2][c]);
                if ((d[0] * d[0] + d[1] * d[1]) + d[2] * d[2] <= shortest) return true;
            }
    return false;
}

// Compares a fraction `share` of the atoms. Returns the number of differences, and counts neighbours.
static size_t differ(double radius, double share, size_t *near) {
    struct trj_error err = {.text = ""};
    size_t wrong = 0, n = frame.atoms;
    unsigned char *of = calloc(n + 1, 1), *mask = calloc(n + 1, 1), *left = calloc(n + 1, 1);
    if (!of || !mask || !left) exit(1);
    double g[3][3];
    trj_cell_reciprocal(&frame.cell, g);
    for (size_t i = 0; i < n; i++) {
        of[i] = uniform() < share;
        mask[i] = left[i] = uniform() < 0.8;
    }
    if (trj_neighbours_filter(&frame, radius, of, left, &err)) {
        printf("# %s\n", err.text);
        wrong++;
    }
    for (size_t i = 0; i < n && !wrong; i++) {
        bool found = false;
        for (size_t j = 0; j < n && mask[i] && !found; j++) found = of[j] && is_near(j, i, radius, g);
        *near += found;
        if (found != left[i]) {
            printf("# atom %zu of %zu, radius %.17g: %d\n", i, n, radius, left[i]);
            wrong++;
        }
    }
    free(of);
    free(mask);
    free(left);
    return wrong;
}

static double between(double low, double high) {
    return low + (high - low) * uniform();
}

// Makes three random vectors, which may be very skewed; the volume is at least `min` of that of orthogonal vectors.
static void random_cell(double size, double min, unsigned periodic) {
    double h[3][3], volume, product;
    do {
        product = 1;
        for (int k = 0; k < 3; k++) {
            double length = 0, scale = size * between(0.3, 1.5);
            for (int c = 0; c < 3; c++) {
                h[k][c] = between(-1, 1);
                length += h[k][c] * h[k][c];
            }
            for (int c = 0; c < 3; c++) h[k][c] *= scale / sqrt(length);
            product *= scale;
        }
        set_cell(TRJ_PERIODIC_ALL, h);
        volume = trj_cell_volume(&frame.cell);
    } while (volume < min * product);
    frame.cell.periodic = periodic;
}

static void scatter(double size) {
    for (size_t i = 0; i < frame.atoms; i++)
        for (int k = 0; k < 3; k++) frame.x[k][i] = (float)(between(-size, size) / frame.unit);
}

static void random_systems(void) {
    static const char *const names[] = {"no periods", "a", "b", "a and b", "c", "a and c", "b and c", "a, b and c"};
    for (unsigned periodic = 0; periodic <= TRJ_PERIODIC_ALL; periodic++) {
        size_t wrong = 0, near = 0, looked = 0;
        for (int round = 0; round < 60; round++) {
            static const double radii[] = {0, 0.02, 0.1, 0.3, 0.49, 0.7, 1.2, 3, 40};
            double size = round % 3 == 2 ? 1000 : round % 3 ? 8 : 20;
            make_frame((size_t)between(1, 120), round % 2 ? 10 : 1);
            random_cell(size, round % 4 == 3 ? 0.02 : 0.3, periodic);
            scatter(size * (round % 5 == 4 ? 30 : 1));
            double radius = size * radii[round % (int)(sizeof radii / sizeof *radii)] * between(0.8, 1.2);
            wrong += differ(radius, round % 7 ? 0.2 : 0.02, &near);
            looked += frame.atoms;
        }
        ok(!wrong && near && near < looked, "60 random cells, periodic along %s", names[periodic]);
    }
}

// Points of a lattice: all distances are those of shells. Radii are equal to a shell, and one rounding below and above.
static void shells(void) {
    static const double cells[][3][3] = {
        {{6, 0, 0}, {0, 6, 0}, {0, 0, 6}},
        {{6, 0, 0}, {3, 6, 0}, {-3, 3, 6}},
        {{6, 0, 0}, {18, 6, 0}, {-24, 12, 6}},
        {{0.6, 0, 0}, {0.3, 0.6, 0}, {-0.3, 0.3, 0.6}},
        {{5.4321, 0, 0}, {2.71605, 5.4321, 0}, {2.71605, 2.71605, 5.4321}},
    };
    for (size_t c = 0; c < sizeof cells / sizeof *cells; c++)
        for (unsigned periodic = 0; periodic <= TRJ_PERIODIC_ALL; periodic += 7) {
            size_t wrong = 0, near = 0;
            double unit = c == 4 ? 10 : 1, step = cells[c][0][0] / 6;
            make_frame(216, unit);
            set_cell(periodic, cells[c]);
            for (size_t i = 0; i < 216; i++) {
                size_t at[3] = {i % 6, i / 6 % 6, i / 36};
                for (int k = 0; k < 3; k++) frame.x[k][i] = (float)(step * ((double)at[k] + (i % 5 ? 0 : 60)) / unit);
            }
            for (int shell = 0; shell < 8; shell++) {
                double radius = step * sqrt(shell);
                wrong += differ(radius, 0.02, &near) + differ(nextafter(radius, 0), 0.02, &near) +
                         differ(nextafter(radius, INFINITY), 0.02, &near);
            }
            ok(!wrong && near, "radii at the shells of lattice %zu, %s", c, periodic ? "periodic" : "not periodic");
        }
}

static void corners(void) {
    static const double cube[3][3] = {{10, 0, 0}, {0, 10, 0}, {0, 0, 10}};
    static const double flat[3][3] = {{1000, 0, 0}, {999.9, 0.1, 0}, {3, 0.05, 500}};
    static const double needle[3][3] = {{1, 0, 0}, {0.4, 1, 0}, {0.3, 0.2, 5000}};
    size_t near = 0;
    make_frame(100, 1);
    set_cell(TRJ_PERIODIC_ALL, flat);
    scatter(50);
    ok(!differ(0.3, 0.1, &near) && !differ(5, 0.1, &near), "very skewed cell with almost parallel vectors");
    set_cell(TRJ_PERIODIC_ALL, needle);
    scatter(3000);
    ok(!differ(0.3, 0.1, &near) && !differ(30, 0.1, &near) && !differ(300, 0.1, &near), "a cell long and thin");
    set_cell(TRJ_PERIODIC_ALL, cube);
    scatter(1e6);
    ok(!differ(2, 0.1, &near), "atoms far outside the cell");
    set_cell(0, cube);
    scatter(9e7);
    ok(!differ(1e7, 0.1, &near) && !differ(1, 0.1, &near), "distant atoms without a cell");
    for (size_t i = 0; i < frame.atoms; i++) frame.x[0][i] = frame.x[1][i] = frame.x[2][i] = i < 50 ? 0 : 7;
    ok(!differ(0, 0.1, &near) && !differ(12.1, 0.1, &near) && !differ(12.2, 0.1, &near), "all atoms at two points");
    for (size_t i = 0; i < frame.atoms; i++) frame.x[0][i] = (float)i * 1e5f, frame.x[1][i] = frame.x[2][i] = 0;
    ok(!differ(3e5, 0.1, &near) && !differ(1, 0.1, &near), "all atoms on a line");
    make_frame(1, 1);
    frame.x[0][0] = frame.x[1][0] = frame.x[2][0] = 0;
    unsigned char of = 1, mask = 1;
    struct trj_error err;
    ok(!trj_neighbours_filter(&frame, 0, &of, &mask, &err) && mask, "an atom is near itself");
    of = 0;
    ok(!trj_neighbours_filter(&frame, 1e300, &of, &mask, &err) && !mask, "empty sets: no neighbours");
}

// Enough atoms for grid cells of all kinds: beyond the radius, within it, and cells whose atoms must be compared.
static void many(void) {
    static const double shares[] = {0.002, 0.05, 0.5};
    for (size_t k = 0; k < 3; k++) {
        size_t wrong = 0, near = 0;
        make_frame(1500, 1);
        random_cell(30, 0.3, k == 1 ? TRJ_PERIODIC_A | TRJ_PERIODIC_C : TRJ_PERIODIC_ALL);
        scatter(40);
        for (double radius = 0.5; radius < 12; radius *= 1.7) wrong += differ(radius, shares[k], &near);
        ok(!wrong && near, "1500 atoms, neighbours of a fraction of %g", shares[k]);
    }
}

static void rejects(const char *message) {
    unsigned char of[2] = {1, 0}, mask[2] = {1, 1};
    struct trj_error err = {.text = ""};
    int rc = trj_neighbours_filter(&frame, 5, of, mask, &err);
    if (!ok(rc == -1 && err.status == TRJ_BAD_DATA && !strcmp(err.text, message), "%s", message))
        printf("# %d %s\n", rc, err.text);
}

static void refusals(void) {
    static const double cube[3][3] = {{10, 0, 0}, {0, 10, 0}, {0, 0, 10}}, gap[3][3] = {{10, 0, 0}, {0, 10, 0}};
    static const double flat[3][3] = {{10, 0, 0}, {0, 10, 0}, {5, 5, 0}},
                        tiny[3][3] = {{1e-9, 0, 0}, {0, 10, 0}, {0, 0, 10}};
    static const double huge[3][3] = {{10, 0, 0}, {0, 1e9, 0}, {0, 0, 10}};
    static const double thin[3][3] = {{1e-4, 0, 0}, {1e-4, 1e-8, 0}, {0, 0, 1}};
    make_frame(2, 1);
    for (int k = 0; k < 3; k++) frame.x[k][0] = frame.x[k][1] = 1;
    set_cell(TRJ_PERIODIC_ALL, gap);
    rejects("cell vector c is zero");
    set_cell(TRJ_PERIODIC_ALL, flat);
    rejects("cell vectors lie in one plane");
    set_cell(TRJ_PERIODIC_ALL, tiny);
    rejects("cell vector a is 1e-09 Å long: not within 1e-06 and 1e+08 Å");
    set_cell(TRJ_PERIODIC_ALL, thin);
    rejects("the cell's lattice planes are 1e-08 Å apart: expected at least 1e-06 Å");
    set_cell(TRJ_PERIODIC_ALL, huge);
    rejects("cell vector b is 1e+09 Å long: not within 1e-06 and 1e+08 Å");
    set_cell(TRJ_PERIODIC_ALL, cube);
    frame.x[1][1] = NAN;
    rejects("atom 1: coordinate y is nan Å, out of range: at most 1e+08 Å; check the file and its unit of length");
    frame.x[1][1] = -1e30f;
    rejects("atom 1: coordinate y is -1e+30 Å, out of range: at most 1e+08 Å; check the file and its unit of length");
}

int main(void) {
    random_systems();
    shells();
    corners();
    many();
    refusals();
    trj_frame_free(&frame);
    return done();
}
