// SPDX-License-Identifier: MIT
// The inner loops of orbitals. Each instruction set has its own file, and all perform the same operations in the same
// order, so that they give the same bytes.
#ifndef ORB_KERNEL_H
#define ORB_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"

// A box of a lattice is ORB_X by ORB_Y by ORB_Z points, and a layer is one of its planes. Boxes begin at multiples of
// these indices.
enum { ORB_X = 16, ORB_Y = 8, ORB_Z = 8 };

// One term of W(y, z): coefficient Y(y) Z(z).
struct orb_layer_term {
    const double *y; // [ORB_Y]
    const double *z; // [ORB_Z]
    double coefficient;
};

// Values of x^i exp(-a x^2) and derivatives, as [orders][powers][width], and their largest magnitudes [powers], at
// points x = (index step + high) + low for index = first, first + 1, ... Those from `end` on are 0.
enum { ORB_WIDTH_MAX = 16 };
struct orb_axis_block {
    double high, low, step, exponent;
    uint64_t first, end;
    uint32_t width, powers, orders; // width is at most ORB_WIDTH_MAX
};

struct orb_kernel {
    const char *name;
    // Sets out[row * stride + column], for ORB_Y rows and ORB_X columns, to the sum over k < n, in ascending order, of
    // a[index[k]][row] b[k][column] by fma(); the sum begins with 0.
    void (*sums)(size_t n, const uint32_t *index, const double *a, const double *b, double *out, size_t stride);
    // Sets w[column][ORB_Y] of layer z of a box to the sums of terms: fma(coefficient * z, y, sum). Column i has
    // terms[i] of them.
    void (*layer)(size_t columns, const uint32_t *terms, const struct orb_layer_term *term, size_t z, double *w);
    // Adds products of rows: out[ORB_X] = fma(u[row] * weight[row], v[row], out), in ascending order. Without weights
    // (NULL), it is fma(u[row], v[row], out).
    void (*products)(size_t rows, const double *u, const double *v, const double *weight, double *out);
    // Computes a block of an axis table: see struct orb_axis_block.
    void (*axis)(const struct orb_axis_block *b, double *value, double *maximum);
    // Sets e[n] = trj_exp_of_negative(-exponent (x^2 + y^2 + z^2)).
    void (*exponentials)(size_t n, double exponent, const double *x, const double *y, const double *z, double *e);
    // Multiplies values[n] by the factor that a derivative of x^power exp(-exponent x^2) has before the exponential.
    void (*factors)(size_t n, double exponent, uint32_t power, uint32_t order, const double *x, double *value);
    // Adds sum[n] = fma(coefficient, value[n], sum[n]).
    void (*add)(size_t n, double coefficient, const double *value, double *sum);
};

// Sets *kernel to that of the instruction set of this process. Fails as trj_isa_find.
int orb_kernel_find(const struct orb_kernel **kernel, struct trj_error *err);

extern const struct orb_kernel orb_kernel_avx512, orb_kernel_avx2, orb_kernel_plain;

#endif
