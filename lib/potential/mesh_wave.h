// SPDX-License-Identifier: MIT
// The functions of wave vectors and displacements by which the transforms of pme_transform.h and fast_transform.h
// multiply, for the CPU and for GPUs.
#ifndef POT_MESH_WAVE_H
#define POT_MESH_WAVE_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "elementary_exp.h"
#include "error_function_inline.h"
#include "host_and_device.h"

#define POT_PI 3.14159265358979323846

// G(m) of pme_transform.h in a cell with n mesh points.
struct pot_green {
    double alpha, g[3][3], volume;
    size_t n[3];
    double square[3]; // of the lengths of g
    bool right;       // g are orthogonal
};

// erf(alpha |d|) / |d| at displacements d on a mesh.
struct pot_smooth {
    double alpha, step[3][3];
    size_t n[3];
    bool right; // the steps are orthogonal, so that both signs of each index have the same values
};

TRJ_HOST_DEVICE double pot_dot(const double a[3], const double b[3]) {
    return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2];
}

// Returns the number of a wave, or of a displacement in steps: -n/2 < number <= n/2.
TRJ_HOST_DEVICE double pot_signed_index(size_t i, size_t n) {
    return 2 * i > n ? (double)i - (double)n : (double)i;
}

// Returns G(m) for m . g = s. Terms that are below e^-70 of the others are 0, which the factors 1 / c, below 10^4, do
// not change.
TRJ_HOST_DEVICE double pot_green_at(const struct pot_green *t, const double s[3]) {
    double square = s[0] * s[0] + s[1] * s[1] + s[2] * s[2],
           exponent = POT_PI * POT_PI / (t->alpha * t->alpha) * square;
    return square > 0 && exponent < 70 ? trj_exp_inline(-exponent) / (POT_PI * t->volume * square) : 0;
}

// Returns G(m), or its mean over the signs of those m that are half of n.
TRJ_HOST_DEVICE double pot_green_mean(const struct pot_green *t, const size_t index[3]) {
    double m[3], sum = 0;
    unsigned halves = 0, count = 0;
    for (int k = 0; k < 3; k++) {
        m[k] = pot_signed_index(index[k], t->n[k]);
        if (2 * index[k] == t->n[k]) halves |= 1u << k;
    }
    for (unsigned signs = 0; signs < 8; signs++) {
        double s[3] = {0, 0, 0};
        if (signs & ~halves) continue;
        for (int k = 0; k < 3; k++)
            for (int c = 0; c < 3; c++) s[c] += (signs >> k & 1 ? -m[k] : m[k]) * t->g[k][c];
        sum += pot_green_at(t, s);
        count++;
    }
    return sum / count;
}

// Returns the index along an axis whose values are those of index i: the other sign, if the steps are orthogonal.
TRJ_HOST_DEVICE size_t pot_smooth_fold(const struct pot_smooth *t, size_t i, int axis) {
    return t->right && 2 * i > t->n[axis] ? t->n[axis] - i : i;
}

TRJ_HOST_DEVICE double pot_smooth_at(const struct pot_smooth *t, size_t i, size_t j, size_t k) {
    double m[3] = {pot_signed_index(i, t->n[0]), pot_signed_index(j, t->n[1]), pot_signed_index(k, t->n[2])}, d[3];
    for (int c = 0; c < 3; c++) d[c] = (m[0] * t->step[0][c] + m[1] * t->step[1][c]) + m[2] * t->step[2][c];
    double r = sqrt((d[0] * d[0] + d[1] * d[1]) + d[2] * d[2]);
    if (!(r > 0)) return t->alpha * 1.12837916709551257390; // 2 / sqrt(pi)
    return t->alpha * r > 6 ? 1 / r : pot_erf_inline(t->alpha * r) / r;
}

#endif
