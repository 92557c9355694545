// SPDX-License-Identifier: MIT
// Predicts the integer coordinates of a chunk of frames within molecules and in time, and replaces them by residuals,
// which are small. Normative text: schemas/compressed_frames.md.
//
// The atoms are divided into runs: units (molecules) of equally many atoms that follow each other. Each atom of the
// unit of a run has one predictor, which uses earlier atoms of the same unit. Residuals are ordered in columns, so that
// the values of one column have one distribution.
#ifndef TRJ_CODEC_MOLECULE_MODEL_H
#define TRJ_CODEC_MOLECULE_MODEL_H

#include <stddef.h>
#include <stdint.h>

#include "bytes.h"
#include "error.h"

enum trj_codec_mode {
    TRJ_CODEC_ABSOLUTE, // the middle of the range
    TRJ_CODEC_CHAIN,    // the same atom of the previous unit; the first unit: absolute
    TRJ_CODEC_RELATIVE, // atom a
    TRJ_CODEC_SPHERE,   // a point at a known distance from atom a
    TRJ_CODEC_CIRCLE,   // a point at known distances from the atoms a and b
    TRJ_CODEC_LINEAR,   // a linear combination of the atoms a, b and c
    TRJ_CODEC_MODES
};

// The predictor of one atom of a unit.
struct trj_codec_predictor {
    uint8_t mode;    // enum trj_codec_mode
    uint8_t time;    // 1: residuals are differences to those of the previous frame
    uint8_t a, b, c; // earlier atoms of the unit: how many atoms before this one
    int32_t
        value[2]; // sphere: the square of the distance. circle: also (this - a) (b - a). linear: factors of b - a and
                  // c - a, in units of 2^-16
};

struct trj_codec_run {
    uint32_t size, count; // atoms of a unit; units
    size_t first;         // its first atom
    size_t predictor;     // number of the predictor of the first atom of a unit
};

// Values with one distribution, in the array of residuals.
struct trj_codec_column {
    size_t first, count;
};

// A zeroed model is empty.
struct trj_codec_model {
    size_t frames, atoms;
    int32_t low[3];
    uint32_t range[3]; // all integers are from low to low + range - 1
    size_t run_count, predictor_count, column_count;
    struct trj_codec_run *run;
    struct trj_codec_predictor *predictor;
    struct trj_codec_column *column;
};

enum { TRJ_CODEC_FARTHEST = 1 << 29 }; // largest absolute integer

void trj_codec_model_free(struct trj_codec_model *m);

// Chooses the predictors of a chunk. k[axis][frame * atoms + atom] are its integers, of at most TRJ_CODEC_FARTHEST.
// `unit` has equal numbers for the atoms of one molecule or residue; NULL: units are found from the coordinates.
// `effort`, from 1 to 9, limits the number of predictors that are compared. Returns 0, or -1 if there is no memory.
int trj_codec_model_make(struct trj_codec_model *m, const int32_t *const k[3], size_t frames, size_t atoms,
                         const uint32_t *unit, int effort, struct trj_error *err);

// Computes the residuals [3 * frames * atoms] of the integers that the model was made of.
void trj_codec_model_split(const struct trj_codec_model *m, const int32_t *const k[3], int32_t *residual);

// Computes the integers from the residuals, which are overwritten. Fails with TRJ_BAD_DATA if an integer is outside of
// the range of the model, which is so only for damaged data.
int trj_codec_model_join(const struct trj_codec_model *m, int32_t *residual, int32_t *const k[3],
                         struct trj_error *err);

// Appends the model; reads and checks one for a chunk of this size. trj_codec_model_get fails with TRJ_BAD_DATA.
void trj_codec_model_put(const struct trj_codec_model *m, struct trj_bytes *b);
int trj_codec_model_get(struct trj_codec_model *m, size_t frames, size_t atoms, struct trj_cursor *c,
                        struct trj_error *err);

#endif
