// SPDX-License-Identifier: MIT
// The wave vectors of a frame: those of the reciprocal lattice of its cell (wave_amplitude.h) whose lengths are in the
// shells, one of each pair k and -k.
#ifndef WAV_VECTORS_H
#define WAV_VECTORS_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "frame.h"
#include "hist_setup.h"
#include "job.h"

enum { WAV_MAX_VECTORS = 1 << 24 };
#define WAV_NONE UINT32_MAX // vectors between others that are in no shell

// Vectors with the same h and k, and consecutive l. Those that are counted have h > 0, or h = 0 and k > 0, or h = k = 0
// and l > 0.
struct wav_row {
    int32_t h, k, l; // l of the first one
    uint32_t count;
    size_t first; // number of the first one
};

struct wav_vectors {
    struct rdf_bins shells;
    double *squares; // of the edges of the shells
    struct wav_row *rows;
    size_t row_count, row_capacity;
    size_t count;    // of vectors in all rows
    uint32_t *shell; // [count] or WAV_NONE; with single vectors the number of the vector
    double *length;  // [count] 1/Å
    size_t shell_capacity, length_capacity;
    int32_t max[3];          // largest |h|, |k|, |l| of a row
    double h[3][3], g[3][3]; // of the last frame: cell vectors, reciprocal vectors
};

// Shells or single vectors are those of the set-up. A zeroed struct is required; wav_vectors_free is required also
// after a failure.
int wav_vectors_open(struct wav_vectors *v, const struct rdf_wave_setup *s, struct trj_error *err);
// Finds the vectors of a frame, unless its cell is that of the frame before. With single vectors, the length of each is
// that in this cell, and it may be outside of the shells. Fails with TRJ_BAD_DATA for a frame that is not periodic in
// all directions, and with TRJ_USAGE if there are more than WAV_MAX_VECTORS.
int wav_vectors_find(struct wav_vectors *v, const struct rdf_wave_setup *s, const struct trj_cell *cell,
                     struct trj_error *err);
// Makes a list of all single vectors of the shells in a cell, ordered by h, k and l; the caller frees *hkl.
int wav_vectors_list(int32_t (**hkl)[3], size_t *count, const struct rdf_bins *shells, const struct trj_cell *cell,
                     struct trj_error *err);
void wav_vectors_free(struct wav_vectors *v);

#endif
