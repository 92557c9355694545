// SPDX-License-Identifier: MIT
// Computes quantities at a point from sums over orbitals.
#ifndef ORB_QUANTITY_H
#define ORB_QUANTITY_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "host_and_device.h"
#include "orbital_plan.h"

// Returns the cube root of a positive, normal number with an error of about one unit in the last place: an estimate
// from the bits with an error below 6 %, and three steps of Halley's iteration, each of which triples the number of
// digits.
TRJ_HOST_DEVICE double orb_cube_root(double x) {
    uint64_t bits;
    double y;
    memcpy(&bits, &x, sizeof bits);
    bits = bits / 3 + 0x2a9f76253119d328u;
    memcpy(&y, &bits, sizeof y);
    for (int i = 0; i < 3; i++) {
        double cube = y * y * y;
        y *= (cube + 2 * x) / (2 * cube + x);
    }
    return y;
}

// Returns the sign of the second eigenvalue of a symmetric matrix, from the signs of its trace, its second invariant
// and its determinant: the number of negative eigenvalues follows from Descartes' rule, because all eigenvalues are
// real.
TRJ_HOST_DEVICE int orb_second_sign(double xx, double yy, double zz, double xy, double xz, double yz) {
    double trace = xx + yy + zz, second = xx * yy - xy * xy + (xx * zz - xz * xz) + (yy * zz - yz * yz),
           determinant = xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz);
    if (determinant < 0) return trace < 0 && second > 0 ? -1 : 1;
    if (determinant > 0) return trace > 0 && second > 0 ? 1 : -1;
    return second > 0 ? (trace < 0 ? -1 : 1) : 0;
}

#define ORB_REDUCED_FACTOR 6.187335452560271 // 2 (3 pi^2)^(1/3)
#define ORB_KINETIC_FACTOR 2.871234000188191 // 3/10 (3 pi^2)^(2/3)

// Sets value[0], and value[1] for ORB_REDUCED_GRADIENT, from sum[ORB_SUMS * stride] of enum orb_sum.
TRJ_HOST_DEVICE void orb_quantity_of_sums(enum orb_quantity quantity, const double *sum, size_t stride,
                                          double value[2]) {
    const double rho = sum[ORB_RHO * stride], gx = sum[ORB_GX * stride], gy = sum[ORB_GY * stride],
                 gz = sum[ORB_GZ * stride], square = gx * gx + gy * gy + gz * gz, tau = 0.5 * sum[ORB_TAU * stride];
    const double *h = sum + ORB_HXX * stride;
    double root, uniform, ratio;
    switch (quantity) {
    case ORB_GRADIENT:
        value[0] = 2 * sqrt(square);
        return;
    case ORB_LAPLACIAN:
        value[0] = 2 * (sum[ORB_LAP_SUM * stride] + sum[ORB_TAU * stride]);
        return;
    case ORB_KINETIC:
        value[0] = tau;
        return;
    case ORB_REDUCED_GRADIENT:
        value[0] = rho < ORB_DENSITY_MIN ? ORB_REDUCED_GRADIENT_MAX
                                         : 2 * sqrt(square) / (ORB_REDUCED_FACTOR * (rho * orb_cube_root(rho)));
        value[1] = orb_second_sign(h[0], h[stride], h[2 * stride], h[3 * stride], h[4 * stride], h[5 * stride]) * rho;
        return;
    case ORB_ELF:
    case ORB_LOL:
        value[0] = 0;
        if (rho < ORB_DENSITY_MIN) return;
        root = orb_cube_root(rho);
        uniform = ORB_KINETIC_FACTOR * (rho * (root * root));
        ratio = (quantity == ORB_ELF ? tau - 0.5 * square / rho : tau) / uniform;
        value[0] = 1 / (1 + (quantity == ORB_ELF ? ratio * ratio : ratio));
        return;
    default:
        value[0] = rho;
    }
}

#endif
