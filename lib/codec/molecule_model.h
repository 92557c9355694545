// SPDX-License-Identifier: MIT
// Predicts the integer coordinates of a chunk of frames within molecules and in time, and replaces them by residuals,
// which are small. Normative text: schemas/compressed_frames.md.
//
// The atoms are divided into runs: units (molecules) of equally many atoms that follow each other. Each atom of the
// unit of a run has one predictor, which uses earlier atoms of the same unit. Residuals are coded in blocks of some
// units, in the order of the frames, so that a decoder needs the memory of a few frames and works in the cache. In a
// block, the values of one predictor and axis follow each other: loops over them become vector instructions.
#ifndef TRJ_CODEC_MOLECULE_MODEL_H
#define TRJ_CODEC_MOLECULE_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bytes.h"
#include "error.h"

enum trj_codec_mode {
    TRJ_CODEC_ABSOLUTE, // the middle of the range
    TRJ_CODEC_CHAIN,    // the same atom of the previous unit of the block; the first unit: the middle
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

// A zeroed model is empty.
struct trj_codec_model {
    size_t frames, atoms;
    size_t part; // frames that are coded together, after the first frame
    int32_t low[3];
    uint32_t range[3]; // all integers are from low to low + range - 1
    size_t run_count, predictor_count, column_count;
    struct trj_codec_run *run;
    struct trj_codec_predictor *predictor;
    uint32_t *column; // [predictor_count] the first column of each: values with one distribution
};

enum {
    TRJ_CODEC_FARTHEST = 1 << 29, // largest absolute integer
    TRJ_CODEC_BLOCK = 2048,       // atoms of a block, in all its frames, if a unit is smaller
};

// Units of a run in the frames of a part. Its values are those of its atoms, in the order of atom of the unit, axis,
// frame, and unit: [size][3][frames][units].
struct trj_codec_block {
    const struct trj_codec_run *run; // NULL: before the first block
    size_t unit, units;
    size_t frame, frames;
    size_t first; // index of its first value among those of the part
};

// Returns the number of frames that are coded together with this one, which is the first of its part.
static inline size_t trj_codec_part_frames(const struct trj_codec_model *m, size_t frame) {
    size_t left = m->frames - frame;
    return !frame ? 1 : left < m->part ? left : m->part;
}

// Returns how many units of a run a block has, unless fewer are left.
static inline size_t trj_codec_block_units(const struct trj_codec_model *m, const struct trj_codec_run *run) {
    size_t units = TRJ_CODEC_BLOCK / (run->size * m->part);
    return units ? units : 1;
}

// Sets *b to the next block of a part. Returns false after the last one. Before the first block, *b contains the frames
// of the part, and zeros.
static inline bool trj_codec_block_next(const struct trj_codec_model *m, struct trj_codec_block *b) {
    if (!b->run) {
        b->run = m->run;
    } else {
        b->first += 3 * b->frames * b->units * b->run->size;
        b->unit += b->units;
        if (b->unit == b->run->count) {
            b->unit = 0;
            if (++b->run == m->run + m->run_count) return false;
        }
    }
    size_t max = trj_codec_block_units(m, b->run), left = b->run->count - b->unit;
    b->units = left < max ? left : max;
    return true;
}

void trj_codec_model_free(struct trj_codec_model *m);

// Chooses the predictors of a chunk. k[axis][frame * atoms + atom] are its integers, of at most TRJ_CODEC_FARTHEST.
// `unit` has equal numbers for the atoms of one molecule or residue; NULL: units are found from the coordinates.
// `effort`, from 1 to 9, limits the number of predictors that are compared. Returns 0, or -1 if there is no memory.
int trj_codec_model_make(struct trj_codec_model *m, const int32_t *const k[3], size_t frames, size_t atoms,
                         const uint32_t *unit, int effort, struct trj_error *err);

// Computes the residuals [3 * frames * atoms], folded, of the integers that the model was made of, in the order in
// which they are coded, and adds their absolute values to sum[column_count]. Returns 0, or -1 if there is no memory.
int trj_codec_model_split(const struct trj_codec_model *m, const int32_t *const k[3], uint32_t *value, uint64_t *sum,
                          struct trj_error *err);

// Writes the context of each value of the part that begins with this frame. column_context[column_count].
void trj_codec_part_contexts(const struct trj_codec_model *m, const uint16_t *column_context, size_t frame,
                             uint16_t *context);

// Returns the largest number of values of a block.
size_t trj_codec_block_values(const struct trj_codec_model *m);

// Replaces the values of a block, as they are coded, by the integers. history[3 * atoms] keeps what the blocks of
// later frames need; the blocks must follow each other in the order of the frames. Fails with TRJ_BAD_DATA if an
// integer is outside of the range of the model, which is so only for damaged data.
int trj_codec_block_join(const struct trj_codec_model *m, const struct trj_codec_block *b, uint32_t *value,
                         int32_t *history, struct trj_error *err);

// Appends the model; reads and checks one for a chunk of this size. trj_codec_model_get fails with TRJ_BAD_DATA.
void trj_codec_model_put(const struct trj_codec_model *m, struct trj_bytes *b);
int trj_codec_model_get(struct trj_codec_model *m, size_t frames, size_t atoms, struct trj_cursor *c,
                        struct trj_error *err);

#endif
