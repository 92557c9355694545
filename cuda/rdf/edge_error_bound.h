// SPDX-License-Identifier: MIT
// Which pairs float32 cannot place: how near to an edge of a bin is too near. No CUDA in it: the tests run it on the
// CPU.
//
// In the common step of both kernels (count_one in warp.cuh) a squared distance, as float32 and in units of dr^2,
// becomes a bin: t = sqrt.approx(r2) less start; 2^23 + t rounded toward zero has floor(t) in its low bits; h = t -
// floor(t) - 1/2 is near 1/2 where t is near an edge. The root is wrong by a relative 2^-23 at most (PTX), start by
// 2^-24 start and the difference by 2^-24 t; h's own rounding is below 2^-24. How near is near depends on where r2
// comes from. An item is a tile of rows with an image of a tile of columns, `between` the distance of the tiles'
// centres and `radii` the sum of their radii: its distances lie within between +- radii.
//
// float64: r2 = |v|^2 - 2 v.u + |u|^2 by tensor cores, u the column's atom relative to its tile's centre, v the row's.
// All terms are below M^2, M = between + radii, and there are fewer than 30 roundings: |error of r2| <= 2^-48 M^2. So
// that no r2 comes out negative a bias of twice that is added: r2 is too large by delta in [2^-48, 3 * 2^-48] M^2, r by
// min(sqrt(delta), delta / 2r). Cutting to float32 costs a relative 2^-23 one way; the scale of the positions holds 1 +
// 2^-24 to make that 2^-24 both ways, 2^-25 of r. Together
//     |error of t| <= 1.25 * 2^-23 t + delta's.
//
// float32: with e = 2^-24, u and v the positions in the column's frame, d = u - v,
//     |error of d| <= e (|u_j| + |u_i| + |v| + |d|) <= e (2 radius_j + radius_i + 2 r)
// (u_i is rounded once, then v = u_i + shift, then d); squares and sums by FMA cost 1.5 e r, the root 2 e r.
//
// What float64 loses in the positions themselves is in `slack` (rdf_job_rounding).
#ifndef CUDA_NEARNESS_H
#define CUDA_NEARNESS_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "anywhere.h"

// What positions are multiplied with for the float64 kernel, times 1/dr: 2^64 is for cuda_cut.
#define CUDA_SCALE64 (0x1p64 * (1 + 0x1p-25))

// float32 of a double by one shift, cut toward zero: x * 2^-128, right for results from 2^-126 to 2^127.
CUDA_ANYWHERE float cuda_cut(double x) {
    uint64_t bits;
    float cut;
    memcpy(&bits, &x, sizeof bits);
    uint32_t upper = (uint32_t)(bits >> 29);
    memcpy(&cut, &upper, sizeof cut);
    return cut;
}

// What is added to squared distances in float64, Å^2. In tiny systems 2^-100 of a bin's square keeps r2 where float32
// has its precision.
CUDA_ANYWHERE double cuda_bias(double between, double radii, double dr) {
    double m = between + radii;
    return 0x1p-47 * m * m + 0x1p-100 * dr * dr;
}

// |error of r|, Å, start left out.
CUDA_ANYWHERE double cuda_error64(double rmax, double between, double radii, double dr) {
    double farthest = fmin(rmax, between + radii), nearest = between - radii;
    double delta = 1.5 * cuda_bias(between, radii, dr), moved = sqrt(delta);
    if (nearest > 0) moved = fmin(moved, delta / (2 * nearest));
    return 1.27 * 0x1p-23 * farthest + moved;
}

CUDA_ANYWHERE double cuda_error32(double rmax, double between, double radii) {
    return 0x1p-24 * 1.02 * (2 * radii + 5.6 * fmin(rmax, between + radii));
}

// A pair is near an edge if |h| is above this; -1 if all must be taken for near: bins are too fine, or an item so far
// out (2^50 bins) that its squares are not float32's. `error` in Å, slack in it; start and last: the first and the last
// bin's distance in units of dr.
CUDA_ANYWHERE float cuda_threshold(double error, double dr, double start, double last, double reach) {
    double near = error / dr + 0x1p-20 + (start != 0 ? 0x1p-23 * (fabs(start) + last) : 0);
    return near < 0.49 && reach < 0x1p50 * dr ? (float)(0.5 - near) : -1.0f;
}

#endif
