// SPDX-License-Identifier: MIT
// The compressed coordinates of a frame of XTC.
#ifndef TRJ_XTC_UNPACK_H
#define TRJ_XTC_UNPACK_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"

enum { TRJ_XTC_SLACK = 256 }; // bytes behind the data that may be read; what is in them does not matter

struct trj_xtc_block {
    float precision;         // steps in a nm
    int32_t low[3], high[3]; // bounds of the whole numbers, as the file tells them
    int32_t small;           // which of the small sizes holds at first
    const unsigned char *data;
    size_t bytes; // of data; TRJ_XTC_SLACK more may be read
    uint64_t at;  // the byte of the file that data[0] was, for messages
};

// Whole number times 1 / precision in float arithmetic, which is what all readers give. Everything that is wrong is TRJ_BAD_DATA
// with the atom and the byte; x is undefined then. Data that are not used up are wrong, too. `pick` are the numbers of the atoms that
// x is wanted of, ascending, NULL: of all; what is behind the last of them is not looked at.
int trj_xtc_unpack(const struct trj_xtc_block *block, float *const x[3], size_t atoms, const uint32_t *pick,
                   size_t picked, struct trj_error *err);

// The format's list: how large a digit of a small atom of so many bits can be.
enum { TRJ_XTC_SMALL_FIRST = 9, TRJ_XTC_SMALL_LAST = 72 };
uint32_t trj_xtc_small_size(unsigned bits);

#endif
