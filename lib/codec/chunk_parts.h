// SPDX-License-Identifier: MIT
// Prediction of integer coordinates, which encoder and decoder share. Private to the folder.
//
// All integers are 32-bit and wrap around. Coordinates on a lattice also wrap around in each axis, at the borders of their
// range: molecules that cross the border of the cell are then like others. Floating-point arithmetic is float64, each operation rounded to nearest.
#ifndef TRJ_CHUNK_PARTS_H
#define TRJ_CHUNK_PARTS_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "chunk.h"
#include "entropy.h"
#include "lattice.h"

// How the last coordinates of an atom are predicted.
enum trj_codec_mode {
    TRJ_MODE_LINEAR, // a linear combination of atoms; a model for each axis
    TRJ_MODE_SPHERE, // atom a is at a known distance: x and y relative to it, then z from the distance
    TRJ_MODE_CIRCLE, // atoms a and b are at known distances: the coordinate where they differ least, then the others
    TRJ_MODES,
};

enum {
    TRJ_LEVELS = 8,         // models of a coordinate on a sphere, by how far the sphere still extends
    TRJ_CIRCLE_LEVELS = 16, // models of the two last coordinates on a circle, by the distance of the two solutions
    TRJ_WEIGHTS = 6,        // terms of a linear combination
    TRJ_WEIGHT_BITS = 10,   // a weight of 1 is 2^10
};

// How an atom is predicted. a, b, c: an earlier atom of the same frame, counted backwards; 0: none. An atom before the
// first one of the frame, or none, is at 0, 0, 0.
struct trj_program {
    uint8_t mode;
    bool moves;     // linear: the prediction starts from the atom in the previous frame, otherwise from atom a
    uint16_t model; // first of its models
    uint32_t a, b, c;
    int16_t weight[TRJ_WEIGHTS];
    uint32_t square[2]; // squared distances from a and b
};

// Coordinates of an atom; the fourth integer is 0.
typedef int32_t trj_point[4];

// The integers of an axis are from `low` to low + size - 1. Size 0: they are all 32-bit integers.
struct trj_ranges {
    trj_point low, last, size, half; // last = low + size - 1, half = size / 2; of size 0: the largest integer
};

// The integers of a frame and of the two frames before it; zeros before the first frame.
struct trj_history {
    const trj_point *now, *before, *earlier;
};

static inline unsigned trj_program_models(unsigned mode) {
    return mode == TRJ_MODE_LINEAR ? 3 : mode == TRJ_MODE_SPHERE ? 1 + 2 * TRJ_LEVELS : TRJ_LEVELS + TRJ_CIRCLE_LEVELS;
}

static inline int32_t trj_add(int32_t a, int32_t b) {
    return (int32_t)((uint32_t)a + (uint32_t)b);
}

static inline int32_t trj_sub(int32_t a, int32_t b) {
    return (int32_t)((uint32_t)a - (uint32_t)b);
}

// Returns the difference a - b, or, if it is outside -half to half, the one across the border of the range.
static inline int32_t trj_apart(const struct trj_ranges *r, int k, int32_t a, int32_t b) {
    int32_t d = trj_sub(a, b), size = r->size[k], half = r->half[k];
    return trj_sub(d, d > half ? size : d < -half ? -size : 0);
}

// Returns a + d, or the integer within the range that differs from it by the size of the range.
static inline int32_t trj_move(const struct trj_ranges *r, int k, int32_t a, int32_t d) {
    int32_t x = trj_add(a, d), size = r->size[k];
    return trj_sub(x, x > r->last[k] ? size : x < r->low[k] ? -size : 0);
}

// Sets the ranges of sizes below 2^30; size 0 in all axes: all integers.
static inline void trj_ranges_set(struct trj_ranges *r, const int32_t low[3], const int32_t size[3]) {
    *r = (struct trj_ranges){.last = {INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX},
                             .low = {INT32_MIN, INT32_MIN, INT32_MIN, INT32_MIN},
                             .half = {INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX}};
    for (int k = 0; k < 3 && size[k]; k++) {
        r->low[k] = low[k];
        r->size[k] = size[k];
        r->last[k] = low[k] + size[k] - 1;
        r->half[k] = size[k] / 2;
    }
}

static const trj_point trj_no_point = {0};

static inline const int32_t *trj_atom(const trj_point *frame, size_t i, uint32_t back) {
    return back && back <= i ? frame[i - back] : trj_no_point;
}

// Returns the nearest integer, or 0 if it is not below 2^30.
static inline int32_t trj_nearest(double v) {
    return fabs(v) < 0x1p30 ? (int32_t)((int64_t)(v + 0x1.00000001p31) - INT64_C(0x80000000)) : 0;
}

// Returns floor(n v) for v in 0 to 1, limited to 0 to n - 1.
static inline unsigned trj_level(double v, unsigned n) {
    double level = v * (double)n;
    return level >= n - 1 ? n - 1 : level > 0 ? (unsigned)level : 0;
}

// ---- Linear prediction

static inline void trj_predict(const struct trj_program *p, const struct trj_history *h, const struct trj_ranges *r,
                               size_t i, trj_point result) {
    const int32_t *a = trj_atom(h->now, i, p->a);
    const int32_t *old = h->before[i];
    const int32_t *start = p->moves ? old : a;
    const int16_t *w = p->weight;
    uint32_t sum[4] = {0};
    if (!(w[0] | w[1] | w[2] | w[3] | w[4] | w[5])) {
        memcpy(result, start, sizeof(trj_point));
        return;
    }
    if (w[0] | w[1]) {
        const int32_t *b = trj_atom(h->now, i, p->b), *c = trj_atom(h->now, i, p->c);
        for (int k = 0; k < 4; k++)
            sum[k] += (uint32_t)w[0] * (uint32_t)trj_apart(r, k, b[k], a[k]) +
                      (uint32_t)w[1] * (uint32_t)trj_apart(r, k, c[k], a[k]);
    }
    if (w[2] | w[3] | w[5]) {
        const int32_t *old_a = trj_atom(h->before, i, p->a), *old_b = trj_atom(h->before, i, p->b);
        for (int k = 0; k < 4; k++)
            sum[k] += (uint32_t)w[2] * (uint32_t)trj_apart(r, k, old[k], old_a[k]) +
                      (uint32_t)w[3] * (uint32_t)trj_apart(r, k, old_b[k], old_a[k]) +
                      (uint32_t)w[5] * (uint32_t)trj_apart(r, k, a[k], old_a[k]);
    }
    if (w[4]) {
        const int32_t *older = h->earlier[i];
        for (int k = 0; k < 4; k++) sum[k] += (uint32_t)w[4] * (uint32_t)trj_apart(r, k, old[k], older[k]);
    }
    for (int k = 0; k < 4; k++)
        result[k] = trj_add(start[k], (int32_t)(sum[k] + (1 << (TRJ_WEIGHT_BITS - 1))) >> TRJ_WEIGHT_BITS);
}

// ---- Sphere: distances d[0], d[1], d[2] from atom a, of which the first and then the second are known

struct trj_sphere {
    double square, inverse; // squared radius, and 1 / radius
};

static inline unsigned trj_sphere_second(const struct trj_sphere *s, int32_t d0) {
    double left = s->square - (double)d0 * (double)d0;
    return left > 0 ? trj_level(sqrt(left) * s->inverse, TRJ_LEVELS) : 0;
}

// Returns the level of the third distance, and its predicted magnitude.
static inline unsigned trj_sphere_third(const struct trj_sphere *s, int32_t d0, int32_t d1, int32_t *magnitude) {
    double left = s->square - (double)d0 * (double)d0 - (double)d1 * (double)d1;
    double root = left > 0 ? sqrt(left) : 0;
    *magnitude = trj_nearest(root);
    return trj_level(root * s->inverse, TRJ_LEVELS);
}

// ---- Circle: the points at the given distances from atoms a and b, relative to a

struct trj_circle {
    int axis[3];      // in the order of coding: that in which a and b differ least, and the next ones cyclically
    double u[3], uu;  // b - a in that order, and its square
    double projected; // the scalar product of any point of the circle and u
    double square, inverse;
    unsigned level; // of the first coordinate
    int32_t centre; // prediction of the first coordinate
};

static inline void trj_circle_begin(struct trj_circle *c, const struct trj_ranges *r, const int32_t *a,
                                    const int32_t *b, const uint32_t square[2], double inverse) {
    int32_t u[3];
    int32_t least = INT32_MAX;
    int first = 0;
    for (int k = 0; k < 3; k++) {
        u[k] = trj_apart(r, k, b[k], a[k]);
        int32_t size = u[k] < 0 ? ~u[k] : u[k];
        if (size < least) {
            least = size;
            first = k;
        }
    }
    c->uu = 0;
    for (int k = 0; k < 3; k++) {
        c->axis[k] = (first + k) % 3;
        c->u[k] = u[c->axis[k]];
        c->uu = c->uu + c->u[k] * c->u[k];
    }
    c->square = square[0];
    c->inverse = inverse;
    c->level = 0;
    c->centre = 0;
    c->projected = 0.5 * ((double)square[0] + c->uu - (double)square[1]);
    if (!(c->uu > 0)) return;
    double across = (c->square - c->projected * c->projected / c->uu) * (1 - c->u[0] * c->u[0] / c->uu);
    c->centre = trj_nearest(c->projected * c->u[0] / c->uu);
    if (across > 0) c->level = trj_level(sqrt(across) * inverse, TRJ_LEVELS);
}

// Computes the two solutions for the second and third coordinates, given the first. Returns their level.
static inline unsigned trj_circle_solve(const struct trj_circle *c, int32_t d0, int32_t solution[2][2]) {
    double k = c->projected - (double)d0 * c->u[0], q = c->square - (double)d0 * (double)d0;
    double n = c->u[1] * c->u[1] + c->u[2] * c->u[2], left = q * n - k * k;
    if (!(n > 0)) {
        memset(solution, 0, 2 * sizeof *solution);
        return 0;
    }
    double root = left > 0 ? sqrt(left) : 0, inverse = 1 / n;
    double y = k * c->u[1] * inverse, z = k * c->u[2] * inverse;
    double dy = c->u[2] * root * inverse, dz = c->u[1] * root * inverse;
    solution[0][0] = trj_nearest(y - dy);
    solution[0][1] = trj_nearest(z + dz);
    solution[1][0] = trj_nearest(y + dy);
    solution[1][1] = trj_nearest(z - dz);
    return left > 0 ? trj_level(left * inverse * c->inverse * c->inverse, TRJ_CIRCLE_LEVELS) : 0;
}

// ---- Plan of the encoder

// Consecutive units of `slots` atoms each: molecules, residues or atoms.
struct trj_codec_run {
    uint32_t kind;
    size_t units;
};

struct trj_codec_kind {
    size_t first, slots; // of the plan's slots
    size_t units, sum;   // number of units in the chunk; number of those of the kinds before
};

struct trj_codec_slot {
    uint32_t program[2]; // in the first frame, and in later ones
};

struct trj_codec_plan {
    struct trj_codec_kind *kind;
    struct trj_codec_run *run;
    struct trj_codec_slot *slot;
    struct trj_program *program;
    size_t kinds, kind_room, runs, run_room, slots, slot_room, programs, program_room, models;
};

// How an atom is coded: three values, each with a model among those of the program.
struct trj_coded_atom {
    unsigned model[3];
    uint32_t value[3];
};

void trj_codec_code_atom(struct trj_coded_atom *c, const struct trj_program *p, const struct trj_history *h,
                         const struct trj_ranges *ranges, size_t i);

// Returns the history for a frame of point[1 + frames][atoms], whose first frame contains zeros.
static inline struct trj_history trj_history_of(const trj_point *point, size_t atoms, size_t frame) {
    const trj_point *now = point + (1 + frame) * atoms, *before = now - atoms;
    return (struct trj_history){now, before, frame > 1 ? before - atoms : before};
}

// Chooses molecules and programs for point[1 + frames][atoms]. `rounded`: the number of the
// first atoms, whose integers are on a lattice and within the ranges.
int trj_codec_plan(struct trj_codec_plan *plan, const struct trj_codec_frames *in, const trj_point *point,
                   const struct trj_ranges *ranges, size_t rounded, int level, struct trj_error *err);
void trj_codec_plan_free(struct trj_codec_plan *plan);

#endif
