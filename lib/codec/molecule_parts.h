// SPDX-License-Identifier: MIT
// The prediction of one atom, which the choice of predictors and the computation of residuals share.
#ifndef TRJ_CODEC_MOLECULE_PARTS_H
#define TRJ_CODEC_MOLECULE_PARTS_H

#include <math.h>
#include <stdbool.h>

#include "molecule_model.h"
#include "variants.h"

enum {
    TRJ_CODEC_GEOMETRIC_RANGE = 1 << 27, // largest range of a model with spheres and circles
    TRJ_CODEC_FACTOR = 16,               // bits after the point in the factors of linear predictors
};

// Returns a difference of integers as the nearest one modulo the range, from -range/2 to range - 1 - range/2. |v| must
// be less than the range.
TRJ_CODEC_INLINE int32_t trj_codec_centre(int32_t range, int32_t v) {
    int32_t half = range / 2;
    return v < -half ? v + range : v >= range - half ? v - range : v;
}

// Returns the number of an axis. There is no branch, into which compilers could move computations.
TRJ_CODEC_INLINE int32_t trj_codec_pick(int32_t axis, int32_t x, int32_t y, int32_t z) {
    return (x & -(axis == 0)) | (y & -(axis == 1)) | (z & -(axis == 2));
}

// Returns the distance along an axis to a point of the sphere with the other two components x, y.
TRJ_CODEC_INLINE int32_t trj_codec_sphere(int32_t square, int32_t x, int32_t y) {
    double rest = (double)square - (double)x * x - (double)y * y;
    return (int32_t)(sqrt(rest > 0 ? rest : 0) + 0.5);
}

// Returns the largest absolute value before rounding. Compilers would make branches for a known value; `volatile` hides
// it.
static inline double trj_codec_round_limit(void) {
    static const volatile double limit = TRJ_CODEC_GEOMETRIC_RANGE;
    return limit;
}

TRJ_CODEC_INLINE int32_t trj_codec_round(double v, double limit) {
    v = v > limit ? limit : v;
    v = (v < -limit ? -limit : v) + 0.5;
    int32_t truncated = (int32_t)v;
    return truncated - ((double)truncated > v);
}

// Computes the components y[0] = e_b, y[1] = e_c of the vector e with e^2 = square, e d = product, and the component x
// along axis a, for d = (da, db, dc). `side` is 1 or -1 and selects one of the two solutions. `limit` is that of
// rounding.
TRJ_CODEC_INLINE void trj_codec_circle(int32_t square, int32_t product, int32_t x, double da, double db, double dc,
                                       double side, double limit, int32_t y[2]) {
    double m2 = db * db + dc * dc;
    m2 = m2 > 0 ? m2 : 1;
    double t = ((double)product - x * da) / m2;
    double rest = ((double)square - (double)x * x) / m2 - t * t;
    double h = side * sqrt(rest > 0 ? rest : 0);
    y[0] = trj_codec_round(t * db - h * dc, limit);
    y[1] = trj_codec_round(t * dc + h * db, limit);
}

// |b| and |c| are at most half of a range, so that an added 2^62 makes the sum positive; shifts of unsigned numbers
// exist as vector instructions.
TRJ_CODEC_INLINE int32_t trj_codec_linear(int32_t range, const int32_t value[2], int32_t b, int32_t c) {
    const uint64_t positive = (uint64_t)1 << 62;
    int64_t sum = (int64_t)value[0] * b + (int64_t)value[1] * c + (1 << (TRJ_CODEC_FACTOR - 1));
    int64_t v = (int64_t)(((uint64_t)sum + positive) >> TRJ_CODEC_FACTOR) - (int64_t)(positive >> TRJ_CODEC_FACTOR);
    int32_t half = range / 2, max = range - 1 - half;
    return v < -half ? -half : v > max ? max : (int32_t)v;
}

// Computes residuals, without prediction in time, of n atoms k[3][n] with a predictor of any mode but `chain`. a, b, c
// are the atoms that the predictor names, as far as its mode has them.
void trj_codec_residuals(const struct trj_codec_model *m, const struct trj_codec_predictor *p, const int32_t *k,
                         const int32_t *a, const int32_t *b, const int32_t *c, size_t n, int32_t *residual);

// Returns the column of a predictor and axis in a frame.
static inline size_t trj_codec_column(const struct trj_codec_model *m, size_t predictor, unsigned axis, size_t frame) {
    unsigned time = m->predictor[predictor].time;
    return m->column[predictor] + axis * (1 + time) + (frame ? time : 0);
}

// Returns whether the residuals of a mode can be predicted in time.
static inline bool trj_codec_may_use_time(unsigned mode) {
    return mode != TRJ_CODEC_SPHERE && mode != TRJ_CODEC_CIRCLE;
}

// Numbers the columns. Returns 0 or -1.
int trj_codec_model_lay_out(struct trj_codec_model *m, struct trj_error *err);

#endif
