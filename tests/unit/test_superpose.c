// SPDX-License-Identifier: MIT
// Tests least-squares superposition: known rotations, noise, and sets without one best rotation.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "superpose.h"
#include "tap.h"
#include "uniform.h"

enum { POINTS = 60 };
static struct trj_error err;

static double between(double low, double high) {
    return low + (high - low) * uniform();
}

static void random_rotation(double r[3][3]) {
    double q[4], n = 0;
    for (int k = 0; k < 4; k++) q[k] = between(-1, 1), n += q[k] * q[k];
    for (int k = 0; k < 4; k++) q[k] /= sqrt(n);
    double w = q[0], x = q[1], y = q[2], z = q[3];
    const double m[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                            {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                            {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}};
    memcpy(r, m, sizeof m);
}

static void apply(double r[3][3], const double t[3], const double from[3], double to[3]) {
    for (int k = 0; k < 3; k++) to[k] = r[k][0] * from[0] + r[k][1] * from[1] + r[k][2] * from[2] + t[k];
}

static double determinant(double r[3][3]) {
    return r[0][0] * (r[1][1] * r[2][2] - r[1][2] * r[2][1]) - r[0][1] * (r[1][0] * r[2][2] - r[1][2] * r[2][0]) +
           r[0][2] * (r[1][0] * r[2][1] - r[1][1] * r[2][0]);
}

static double sum_of_squares(const struct trj_superposition *s, double (*reference)[3], double (*points)[3], size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        double x[3] = {points[i][0], points[i][1], points[i][2]};
        trj_superpose_points(s, &x, 1);
        for (int k = 0; k < 3; k++) sum += (x[k] - reference[i][k]) * (x[k] - reference[i][k]);
    }
    return sum;
}

static void test_rotations(void) {
    double reference[POINTS][3], points[POINTS][3], r[3][3];
    double worst_rotation = 0, worst_place = 0;
    bool good = true;
    for (int trial = 0; trial < 200; trial++) {
        const double t[3] = {between(-50, 50), between(-50, 50), between(-50, 50)};
        size_t n = 3 + (size_t)trial % (POINTS - 2);
        random_rotation(r);
        for (size_t i = 0; i < n; i++) {
            for (int k = 0; k < 3; k++) points[i][k] = between(-10, 10) * (k == 2 && trial % 3 == 0 ? 0 : 1); // or flat
            apply(r, t, points[i], reference[i]);
        }
        struct trj_superposition s;
        good = good && !trj_superpose(&s, reference, points, NULL, n, &err);
        for (int i = 0; i < 9; i++)
            worst_rotation = fmax(worst_rotation, fabs(s.rotation[i / 3][i % 3] - r[i / 3][i % 3]));
        worst_place = fmax(worst_place, sum_of_squares(&s, reference, points, n));
    }
    ok(good && worst_rotation < 1e-12, "200 random rotations of 3 to 60 points are recovered to 1e-12");
    ok(worst_place < 1e-22, "the points then coincide with their reference");
}

// A set and its mirror image: the best proper rotation has determinant 1, although a reflection would fit exactly.
static void test_reflection(void) {
    double reference[POINTS][3], points[POINTS][3];
    for (int i = 0; i < POINTS; i++)
        for (int k = 0; k < 3; k++) {
            reference[i][k] = between(-10, 10);
            points[i][k] = k ? reference[i][k] : -reference[i][k];
        }
    struct trj_superposition s;
    ok(!trj_superpose(&s, reference, points, NULL, POINTS, &err) && fabs(determinant(s.rotation) - 1) < 1e-12,
       "a mirror image is superposed by a rotation, not by a reflection");
}

static void test_minimum(void) {
    double reference[POINTS][3], points[POINTS][3];
    struct trj_superposition s, other;
    for (int i = 0; i < POINTS; i++)
        for (int k = 0; k < 3; k++) {
            reference[i][k] = between(-10, 10);
            points[i][k] = reference[i][k] + between(-3, 3);
        }
    bool good = !trj_superpose(&s, reference, points, NULL, POINTS, &err);
    double min = sum_of_squares(&s, reference, points, POINTS);
    for (int trial = 0; trial < 300; trial++) {
        double angle = trial < 150 ? 1e-4 : between(-3, 3);
        int a = trial % 3, b = (trial + 1) % 3;
        other = s;
        for (int k = 0; k < 3; k++) {
            other.rotation[a][k] = cos(angle) * s.rotation[a][k] - sin(angle) * s.rotation[b][k];
            other.rotation[b][k] = sin(angle) * s.rotation[a][k] + cos(angle) * s.rotation[b][k];
            other.to[k] += between(-1e-4, 1e-4);
        }
        good = good && sum_of_squares(&other, reference, points, POINTS) > min;
    }
    ok(good, "sets that differ: every other rotation and translation has a larger sum of squares");
}

static bool is_ambiguous(double (*reference)[3], double (*points)[3], size_t n) {
    struct trj_superposition s;
    return trj_superpose(&s, reference, points, NULL, n, &err) && err.status == TRJ_BAD_DATA &&
           strstr(err.text, "on a line");
}

static void test_degenerate(void) {
    double two[2][3] = {{0, 0, 0}, {1, 2, 3}};
    ok(is_ambiguous(two, two, 2), "two points: rejected");
    double line[POINTS][3], any[POINTS][3], same[POINTS][3] = {{0}};
    for (int i = 0; i < POINTS; i++)
        for (int k = 0; k < 3; k++) {
            line[i][k] = (double)(float)(100 + 0.37 * (k + 1) * i);
            any[i][k] = between(-10, 10);
        }
    ok(is_ambiguous(line, any, POINTS) && is_ambiguous(any, line, POINTS) && is_ambiguous(line, line, POINTS),
       "points on a line, rounded to float32, as points or reference: rejected");
    ok(is_ambiguous(same, any, POINTS) && is_ambiguous(same, same, POINTS), "equal points: rejected");
    line[30][1] += 0.05;
    struct trj_superposition s;
    ok(!trj_superpose(&s, line, line, NULL, POINTS, &err), "one point of the line displaced by 0.05: accepted");
    double cube[8][3], opposite[8][3];
    for (int i = 0; i < 24; i++) {
        cube[i / 3][i % 3] = (i / 3) >> (i % 3) & 1 ? 1 : -1;
        opposite[i / 3][i % 3] = -cube[i / 3][i % 3];
    }
    ok(is_ambiguous(cube, opposite, 8), "the mirror image of a cube: rejected");
}

static void test_cell(void) {
    double reference[POINTS][3], points[POINTS][3];
    for (int i = 0; i < 3 * POINTS; i++) {
        reference[i / 3][i % 3] = between(-10, 10);
        points[i / 3][i % 3] = between(-10, 10);
    }
    struct trj_cell cell = {.h = {{20, 0, 0}, {7, 18, 0}, {-6, 5, 22}}, .periodic = TRJ_PERIODIC_ALL}, rotated = cell;
    double before[2][3], after[2][3], worst = 0;
    struct trj_superposition s;
    bool good = !trj_superpose(&s, reference, points, NULL, POINTS, &err);
    trj_superpose_cell(&s, &rotated);
    trj_cell_shape(&cell, before[0], before[1]);
    trj_cell_shape(&rotated, after[0], after[1]);
    for (int i = 0; i < 6; i++) worst = fmax(worst, fabs(before[i / 3][i % 3] - after[i / 3][i % 3]));
    ok(good && worst < 1e-12 && fabs(trj_cell_volume(&cell) - trj_cell_volume(&rotated)) < 1e-9,
       "a rotated cell keeps its lengths, angles and volume");
}

int main(void) {
    test_rotations();
    test_reflection();
    test_minimum();
    test_degenerate();
    test_cell();
    return done();
}
