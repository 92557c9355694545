// SPDX-License-Identifier: MIT
// Bounds the error of fast distances, to find the pairs whose bin is uncertain. It contains no CUDA, so that the tests
// run it on the CPU.
//
// Both kernels bin a squared distance r2 in float32, in units of dr^2 (count_one in warp.cuh): t = sqrt.approx(r2) -
// start; 2^23 + t, rounded toward zero, has floor(t) in its low bits; h = t - floor(t) - 1/2, so that |h| is near 1/2
// if t is near an edge. The relative error of the root is at most 2^-23 (PTX ISA), start has an error of 2^-24 start,
// the difference one of 2^-24 t, and the rounding of h is below 2^-24. The rest depends on how r2 is computed.
//
// An item is a tile of rows and an image of a tile of columns. `between` is the distance of their centres and `radii`
// the sum of their radii, so that all distances are within between +- radii.
//
// float64: r2 = |v|^2 - 2 v.u + |u|^2 by tensor cores, where u is the position of the column's atom relative to the
// centre of its tile, and v that of the row's. All terms are below M^2, M = between + radii, and there are fewer than
// 30 roundings: |error of r2| <= 2^-48 M^2. A bias of twice this is added, so that no r2 is negative: r2 is too large
// by delta in [2^-48, 3 * 2^-48] M^2, and r by min(sqrt(delta), delta / 2r). Truncation to float32 has a relative error
// of 2^-23 in one direction; the factor 1 + 2^-24 in the scale of the positions makes it 2^-24 in both, which is 2^-25
// of r. Together
//     |error of t| <= 1.25 * 2^-23 t + the error from delta.
//
// float32: with e = 2^-24, u and v the positions relative to the centre of the column's image, d = u - v,
//     |error of d| <= e (|u_j| + |u_i| + |v| + |d|) <= e (2 radius_j + radius_i + 2 r)
// because u_i is rounded once, then v = u_i + shift, then d; squares and sums by FMA add 1.5 e r, the root 2 e r.
//
// The error of the positions themselves in float64 is `slack` (rdf_job_rounding).
#ifndef CUDA_EDGE_ERROR_BOUND_H
#define CUDA_EDGE_ERROR_BOUND_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "cuda_host_device.h"

// Scale of the positions in the float64 kernel, times 1/dr. 2^64 is for cuda_cut, which divides squares by 2^128.
#define CUDA_SCALE64 (0x1p64 * (1 + 0x1p-25))

// Returns x * 2^-128 truncated to float32, by one shift. Valid for results from 2^-126 to 2^127.
CUDA_HOST_DEVICE float cuda_cut(double x) {
    uint64_t bits;
    float cut;
    memcpy(&bits, &x, sizeof bits);
    uint32_t upper = (uint32_t)(bits >> 29);
    memcpy(&cut, &upper, sizeof cut);
    return cut;
}

// Returns the bias of squared distances in float64, Å^2. In tiny systems, 2^-100 of the square of a bin keeps r2 in the
// normal range of float32.
CUDA_HOST_DEVICE double cuda_bias(double between, double radii, double dr) {
    double m = between + radii;
    return 0x1p-47 * m * m + 0x1p-100 * dr * dr;
}

// These return a bound on |error of r|, Å, without the error of `start`.
CUDA_HOST_DEVICE double cuda_error64(double rmax, double between, double radii, double dr) {
    double farthest = fmin(rmax, between + radii), nearest = between - radii;
    double delta = 1.5 * cuda_bias(between, radii, dr), moved = sqrt(delta);
    if (nearest > 0) moved = fmin(moved, delta / (2 * nearest));
    return 1.27 * 0x1p-23 * farthest + moved;
}

CUDA_HOST_DEVICE double cuda_error32(double rmax, double between, double radii) {
    return 0x1p-24 * 1.02 * (2 * radii + 5.6 * fmin(rmax, between + radii));
}

// Returns the threshold of |h| above which a pair is near an edge; -1 if all pairs are taken to be near: bins are too
// narrow, or the item is so far away (2^50 bins) that squares exceed float32. `error` in Å, with slack; start and last:
// distance of the first and the last bin in units of dr.
CUDA_HOST_DEVICE float cuda_threshold(double error, double dr, double start, double last, double reach) {
    double near = error / dr + 0x1p-20 + (start != 0 ? 0x1p-23 * (fabs(start) + last) : 0);
    return near < 0.49 && reach < 0x1p50 * dr ? (float)(0.5 - near) : -1.0f;
}

#endif
