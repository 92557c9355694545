// SPDX-License-Identifier: MIT
// Finds the coarsest decimal lattice that reproduces float32 coordinates bit for bit, because small integers compress
// best.
#include "lattice.h"

#include <stdbool.h>

#include "variants.h"

TRJ_CODEC_WIDE
static void floats(const struct trj_lattice *l, const int32_t *restrict k, size_t n, float *restrict x) {
    const float step = l->step, factor = l->factor;
    const double divisor = l->divisor;
    switch (l->kind) {
    case TRJ_LATTICE_NONE:
        for (size_t i = 0; i < n; i++) x[i] = trj_numbered_float(k[i]);
        break;
    case TRJ_LATTICE_PRODUCT:
        for (size_t i = 0; i < n; i++) x[i] = (float)k[i] * step * factor;
        break;
    case TRJ_LATTICE_DECIMAL:
        for (size_t i = 0; i < n; i++) x[i] = (float)((double)k[i] / divisor);
        break;
    }
}

static inline bool same_bits(float a, float b) {
    uint32_t x, y;
    memcpy(&x, &a, sizeof x);
    memcpy(&y, &b, sizeof y);
    return x == y;
}

// NaN and numbers that are too large give 0.
static inline int32_t nearest(double v) {
    v = v > -TRJ_LATTICE_MAX && v < TRJ_LATTICE_MAX ? v : 0;
    return (int32_t)(v < 0 ? v - 0.5 : v + 0.5);
}

TRJ_CODEC_WIDE
static size_t integers(const struct trj_lattice *l, const float *restrict x, size_t n, int32_t *restrict k) {
    const float step = l->step, factor = l->factor;
    const double divisor = l->divisor, scale = 1 / ((double)step * (double)factor);
    uint32_t wrong = 0;
    switch (l->kind) {
    case TRJ_LATTICE_NONE:
        for (size_t i = 0; i < n; i++) k[i] = trj_float_number(x[i]);
        break;
    case TRJ_LATTICE_PRODUCT:
        for (size_t i = 0; i < n; i++) {
            k[i] = nearest((double)x[i] * scale);
            wrong += !same_bits((float)k[i] * step * factor, x[i]);
        }
        break;
    case TRJ_LATTICE_DECIMAL:
        for (size_t i = 0; i < n; i++) {
            k[i] = nearest((double)x[i] * divisor);
            wrong += !same_bits((float)((double)k[i] / divisor), x[i]);
        }
        break;
    }
    return wrong;
}

// These functions have no TRJ_CODEC_WIDE themselves, because the variants of exported functions would be exported, too.
void trj_lattice_floats(const struct trj_lattice *l, const int32_t *k, size_t n, float *x) {
    floats(l, k, n, x);
}

size_t trj_lattice_integers(const struct trj_lattice *l, const float *x, size_t n, int32_t *k) {
    return integers(l, x, n, k);
}

static bool fits(const struct trj_lattice *l, const float *x, size_t n) {
    enum { PART = 64 };
    int32_t k[PART];
    size_t wrong = 0;
    for (size_t i = 0; i < n && wrong <= n / 64; i += PART)
        wrong += trj_lattice_integers(l, x + i, n - i < PART ? n - i : PART, k);
    return wrong <= n / 64;
}

struct trj_lattice trj_lattice_find(const float *x, size_t n, float step) {
    enum { STEPS = 18 };
    static const double divisor[STEPS] = {1,   2,   5,   10,  20,  50,  100, 200, 500,
                                          1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 2e5, 1e6};
    const struct trj_lattice none = {TRJ_LATTICE_NONE, 1, 1, 1};
    const struct trj_lattice given = {TRJ_LATTICE_PRODUCT, step, 1, 1};
    if (step > 0 && fits(&given, x, n)) return given;
    // The coarsest lattice first: small integers in fine steps can have the floats of any lattice.
    for (int i = 0; i < STEPS; i++)
        for (int kind = 0; kind < 3; kind++) {
            struct trj_lattice l = {TRJ_LATTICE_PRODUCT, 1 / (float)divisor[i], kind == 1 ? 10 : 1, divisor[i]};
            if (kind == 2) l.kind = TRJ_LATTICE_DECIMAL;
            if (fits(&l, x, n)) return l;
        }
    return none;
}
