// SPDX-License-Identifier: MIT
// Compresses float32 coordinates that are not multiples of a decimal unit, without loss: NaN, infinities, -0 and
// denormal numbers included. schemas/compressed_frames.md, section "Float32 coordinates", defines the bytes.
//
// The step is the distance between neighbouring float32 numbers at the largest coordinates. A coordinate is split into
// an integer k, in units of the step, and its bits below the step; smaller coordinates have more of these bits. k is
// predicted from an earlier atom, from the previous frame, or from both, whichever is best for the atom, and the
// residual is entropy-coded. The bits below the step are stored as they are. Numbers without a k are stored in a list.
#ifndef TRJ_CODEC_FLOATS_H
#define TRJ_CODEC_FLOATS_H

#include <stddef.h>

#include "bytes.h"
#include "error.h"

// Appends frames of atoms: x[3 * frame + axis][atom]. There must be less than 2^32 numbers, and at least one frame and
// one atom. Returns -1 and sets `err` if there is no memory.
int trj_codec_floats_encode(struct trj_bytes *out, const float *const *x, size_t frames, size_t atoms,
                            struct trj_error *err);

struct trj_codec_floats;

// Opens a decoder of what trj_codec_floats_encode() has written for these numbers of frames and atoms, which is the
// rest of `data`. The bytes must stay unchanged until it is closed. Damaged bytes are an error (TRJ_BAD_DATA) here or
// later, or give other numbers; the caller compares checksums. Memory is bounded by the number of atoms.
int trj_codec_floats_open(struct trj_codec_floats **d, const struct trj_cursor *data, size_t frames, size_t atoms,
                          struct trj_error *err);
// Decodes the next frame, of which there must be one, into x[3][atoms]; x NULL: skips it. After the last frame it
// checks the end of the data.
int trj_codec_floats_next(struct trj_codec_floats *d, float *const x[3], struct trj_error *err);
void trj_codec_floats_close(struct trj_codec_floats *d); // NULL is allowed

#endif
