// SPDX-License-Identifier: MIT
// The kernels of orbital_kernel.h, in terms of the vectors of vector_plain.h, or of those of an instruction set, whose
// file includes them and then this one. (This is a header because each file compiles it for its instruction set.)
#if !defined ORB_KERNEL_BODY_H && defined DOUBLES
#define ORB_KERNEL_BODY_H

#include "elementary_exp.h"
#include "orbital_derivative.h"
#include "orbital_kernel.h"

// The sums of a block of rows and columns remain in registers: 16 of the 32 of AVX-512, 8 of the 16 of AVX2.
enum { ROWS = DOUBLES == 8 ? 8 : 4, VECTORS = DOUBLES == 1 ? 4 : 2, COLUMNS = VECTORS * DOUBLES };

static inline void sum_block(size_t n, const uint32_t *index, const double *a, const double *b, double *out,
                             size_t stride) {
    doubles sum[ROWS][VECTORS];
    for (int r = 0; r < ROWS; r++)
        for (int v = 0; v < VECTORS; v++) sum[r][v] = d_all(0);
    for (size_t k = 0; k < n; k++) {
        const double *row = a + (size_t)index[k] * ORB_Y, *column = b + k * ORB_X;
        doubles x[VECTORS];
#pragma GCC unroll 4
        for (int v = 0; v < VECTORS; v++) x[v] = d_load(column + v * DOUBLES);
#pragma GCC unroll 8
        for (int r = 0; r < ROWS; r++) {
            doubles by = d_all(row[r]);
#pragma GCC unroll 4
            for (int v = 0; v < VECTORS; v++) sum[r][v] = d_fma(by, x[v], sum[r][v]);
        }
    }
    for (int r = 0; r < ROWS; r++)
        for (int v = 0; v < VECTORS; v++) d_store(out + (size_t)r * stride + v * DOUBLES, sum[r][v]);
}

static void sums(size_t n, const uint32_t *index, const double *a, const double *b, double *out, size_t stride) {
    for (size_t row = 0; row < ORB_Y; row += ROWS)
        for (size_t column = 0; column < ORB_X; column += COLUMNS)
            sum_block(n, index, a + row, b + column, out + row * stride + column, stride);
}

static void layer(size_t columns, const uint32_t *terms, const struct orb_layer_term *term, size_t z, double *w) {
    enum { PARTS = ORB_Y / DOUBLES };
    for (size_t i = 0; i < columns; i++, w += ORB_Y) {
        doubles sum[PARTS];
        for (int p = 0; p < PARTS; p++) sum[p] = d_all(0);
        for (uint32_t t = 0; t < terms[i]; t++, term++) {
            doubles by = d_all(term->coefficient * term->z[z]);
            for (int p = 0; p < PARTS; p++) sum[p] = d_fma(by, d_load(term->y + p * DOUBLES), sum[p]);
        }
        for (int p = 0; p < PARTS; p++) d_store(w + p * DOUBLES, sum[p]);
    }
}

static void products(size_t rows, const double *u, const double *v, const double *weight, double *out) {
    enum { PARTS = ORB_X / DOUBLES };
    doubles sum[PARTS];
    for (int p = 0; p < PARTS; p++) sum[p] = d_load(out + p * DOUBLES);
    for (size_t r = 0; r < rows; r++, u += ORB_X, v += ORB_X)
        for (int p = 0; p < PARTS; p++) {
            doubles by = d_load(u + p * DOUBLES);
            if (weight) by = d_mul(by, d_all(weight[r]));
            sum[p] = d_fma(by, d_load(v + p * DOUBLES), sum[p]);
        }
    for (int p = 0; p < PARTS; p++) d_store(out + p * DOUBLES, sum[p]);
}

static void axis(const struct orb_axis_block *b, double *value, double *maximum) {
    double power[ORB_POWERS][ORB_WIDTH_MAX] = {{0}}, x[ORB_WIDTH_MAX];
    const uint32_t width = b->width;
    for (uint32_t i = 0; i < width; i++) {
        x[i] = fma((double)(b->first + i), b->step, b->high) + b->low;
        power[2][i] = b->first + i < b->end ? trj_exp_of_negative(-b->exponent * (x[i] * x[i])) : 0;
    }
    for (uint32_t p = 1; p < b->powers + b->orders - 1; p++)
        for (uint32_t i = 0; i < width; i++) power[p + 2][i] = power[p + 1][i] * x[i];
    for (uint32_t p = 0; p < b->powers; p++) maximum[p] = 0;
    for (uint32_t order = 0; order < b->orders; order++)
        for (uint32_t p = 0; p < b->powers; p++, value += width) {
            double largest = maximum[p];
            for (uint32_t i = 0; i < width; i++) {
                value[i] = orb_derivative(order, p, b->exponent, &power[0][i], ORB_WIDTH_MAX);
                largest = fabs(value[i]) > largest ? fabs(value[i]) : largest;
            }
            maximum[p] = largest;
        }
}

static void exponentials(size_t n, double exponent, const double *x, const double *y, const double *z, double *e) {
    for (size_t i = 0; i < n; i++)
        e[i] = trj_exp_of_negative(-exponent * fma(x[i], x[i], fma(y[i], y[i], z[i] * z[i])));
}

static void factors(size_t n, double exponent, uint32_t power, uint32_t order, const double *x, double *value) {
    if (power == 0 && order == 0) return;
    for (size_t i = 0; i < n; i++) value[i] *= orb_factor(order, power, exponent, x[i]);
}

static void add(size_t n, double coefficient, const double *value, double *sum) {
    for (size_t i = 0; i < n; i++) sum[i] = fma(coefficient, value[i], sum[i]);
}

#endif
