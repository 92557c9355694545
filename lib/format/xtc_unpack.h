// SPDX-License-Identifier: MIT
// Decompresses the coordinates of an XTC frame.
#ifndef TRJ_XTC_UNPACK_H
#define TRJ_XTC_UNPACK_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "frame.h"

enum {
    TRJ_XTC_SLACK = 256,           // readable bytes of any value after the data
    TRJ_XTC_MAX_ATOMS_PER_BYTE = 4 // 2 bits each, if all atoms are at one position
};

// Computes x[k][atoms] = integer * (1 / precision) in float arithmetic, as all readers do. TRJ_XTC_SLACK bytes must be
// readable after the data. pick[picked]: the numbers of the atoms to store, ascending, as x[k][picked]; data after the
// last of them are not checked. NULL: all atoms; *farthest is then the largest |x[k][i]|, which may be infinite, and
// otherwise 0. Fails with TRJ_BAD_DATA, giving atom and byte, if the data are invalid or longer than the atoms; x is
// then undefined. All instruction sets give the same floats and errors.
int trj_xtc_unpack(const struct trj_packed *block, float *const x[3], size_t atoms, const uint32_t *pick, size_t picked,
                   float *farthest, struct trj_error *err);

// Returns the number of values of each digit of a small atom of `bits` bits, from the table of the format.
enum { TRJ_XTC_SMALL_FIRST = 9, TRJ_XTC_SMALL_LAST = 72 };
uint32_t trj_xtc_small_size(unsigned bits);

#endif
