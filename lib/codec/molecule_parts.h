// SPDX-License-Identifier: MIT
// The prediction of one atom, which the choice of predictors and the computation of residuals share.
#ifndef TRJ_CODEC_MOLECULE_PARTS_H
#define TRJ_CODEC_MOLECULE_PARTS_H

#include <math.h>
#include <stdbool.h>

#include "molecule_model.h"

enum {
    TRJ_CODEC_GEOMETRIC_RANGE = 1 << 27, // largest range of a model with spheres and circles
    TRJ_CODEC_FACTOR = 16,               // bits after the point in the factors of linear predictors
};

// Returns a difference of integers as the nearest one modulo the range, from -range/2 to range - 1 - range/2. |v| must
// be less than the range.
static inline int32_t trj_codec_centre(const struct trj_codec_model *m, int axis, int32_t v) {
    int32_t range = (int32_t)m->range[axis], half = range / 2;
    return v < -half ? v + range : v >= range - half ? v - range : v;
}

static inline int32_t trj_codec_difference(const struct trj_codec_model *m, int axis, const int32_t *k, size_t at,
                                           size_t from) {
    return trj_codec_centre(m, axis, k[at] - k[from]);
}

// Returns the distance along an axis to a point of the sphere with the other two components x, y.
static inline int32_t trj_codec_sphere(int32_t square, int32_t x, int32_t y) {
    double rest = (double)square - (double)x * x - (double)y * y;
    return (int32_t)(sqrt(rest > 0 ? rest : 0) + 0.5);
}

static inline int32_t trj_codec_round(double v) {
    double most = TRJ_CODEC_GEOMETRIC_RANGE;
    v = (v > most ? most : v < -most ? -most : v) + 0.5;
    int32_t truncated = (int32_t)v;
    return truncated - ((double)truncated > v);
}

// Computes the components y[0] = e_b, y[1] = e_c of the vector e with e^2 = square, e d = product, and the component x
// along axis a, for d = (da, db, dc). `side` is 1 or -1 and selects one of the two solutions.
static inline void trj_codec_circle(const int32_t value[2], int32_t x, double da, double db, double dc, double side,
                                    int32_t y[2]) {
    double m2 = db * db + dc * dc;
    m2 = m2 > 0 ? m2 : 1;
    double t = ((double)value[1] - x * da) / m2;
    double rest = ((double)value[0] - (double)x * x) / m2 - t * t;
    double h = side * sqrt(rest > 0 ? rest : 0);
    y[0] = trj_codec_round(t * db - h * dc);
    y[1] = trj_codec_round(t * dc + h * db);
}

static inline int32_t trj_codec_linear(const struct trj_codec_model *m, int axis, const int32_t value[2], int32_t b,
                                       int32_t c) {
    int64_t v = (int64_t)value[0] * b + (int64_t)value[1] * c + (1 << (TRJ_CODEC_FACTOR - 1));
    v >>= TRJ_CODEC_FACTOR;
    int32_t half = (int32_t)(m->range[axis] / 2), most = (int32_t)m->range[axis] - 1 - half;
    return v < -half ? -half : v > most ? most : (int32_t)v;
}

// Computes the residuals of an atom, without prediction in time. `at` is its index in k; its counterpart in the
// previous unit is at - size. `first`: there is no previous unit.
void trj_codec_predict(const struct trj_codec_model *m, const struct trj_codec_predictor *p, const int32_t *const k[3],
                       size_t at, size_t size, bool first, int32_t residual[3]);

// Returns whether the residuals of a mode can be predicted in time.
static inline bool trj_codec_may_use_time(unsigned mode) {
    return mode != TRJ_CODEC_SPHERE && mode != TRJ_CODEC_CIRCLE;
}

// Allocates the columns. Returns 0 or -1.
int trj_codec_model_lay_out(struct trj_codec_model *m, struct trj_error *err);

#endif
