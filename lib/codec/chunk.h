// SPDX-License-Identifier: MIT
// Compresses the coordinates of several frames of the same atoms without loss. schemas/compressed_frames.md describes
// the data and the method.
#ifndef TRJ_CHUNK_H
#define TRJ_CHUNK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bytes.h"
#include "error.h"

// Frames to compress. Consecutive atoms with the same number are one residue, or one molecule.
struct trj_codec_frames {
    size_t frames, atoms;     // at least 1
    float step;               // a step that the coordinates are probably multiples of; 0: unknown
    size_t computed;          // number of the last atoms that are computed, such as centres, and not rounded
    double unit;              // Å per unit of length
    const float *x;           // [frames][3][atoms]
    const uint32_t *residue;  // [atoms] NULL: unknown
    const uint32_t *molecule; // [atoms] NULL: unknown
};

enum { TRJ_CODEC_LEVEL_MAX = 19 };

// Returns whether decoders reject `size` bytes of data for this number of atoms, which is summed over all frames:
// little data must not take much time or memory.
static inline bool trj_codec_is_bomb(uint64_t atoms, uint64_t size) {
    return atoms >> 20 > 2 && atoms / 128 > size;
}

// Appends the compressed coordinates to *out. `level` is the effort, from 1 to TRJ_CODEC_LEVEL_MAX.
int trj_codec_encode(struct trj_bytes *out, const struct trj_codec_frames *in, int level, struct trj_error *err);

struct trj_codec_decoder;

// Opens a decoder of `size` bytes of data, which are the caller's and must stay unchanged until it is closed. Fails
// with TRJ_BAD_DATA if they are invalid or do not have `atoms` atoms. Memory is bounded by `atoms` and `size`.
int trj_codec_decoder_open(struct trj_codec_decoder **d, const unsigned char *data, size_t size, size_t frames,
                           size_t atoms, struct trj_error *err);
// Decodes the next frame into x[3][atoms]; x NULL: skips it. After the last frame it checks the end of the data.
// Fails with TRJ_BAD_DATA.
int trj_codec_decode(struct trj_codec_decoder *d, float *const x[3], struct trj_error *err);
size_t trj_codec_decoder_next(const struct trj_codec_decoder *d); // returns the number of the next frame
void trj_codec_decoder_close(struct trj_codec_decoder *d);        // NULL is allowed

#endif
