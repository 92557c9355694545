// SPDX-License-Identifier: MIT
// Compressing the coordinates of a frame of XTC: what xtc_unpack.h unpacks, where the format is told.
#ifndef TRJ_XTC_PACK_H
#define TRJ_XTC_PACK_H

#include <stddef.h>
#include <stdint.h>

#include "xtc_unpack.h"

enum {
    TRJ_XTC_MOST = 13,
    TRJ_XTC_WIDEST = INT32_MAX - 2
}; // bytes that an atom can take; distance of the bounds, which others refuse above

// x[k][atoms] are whole numbers of 1/precision nm within b->low[k] and b->high[k], which are no more than TRJ_XTC_WIDEST apart. `to` has
// room for TRJ_XTC_MOST bytes an atom and TRJ_XTC_SLACK more. Sets b->small, data (which is `to`) and bytes.
void trj_xtc_pack(struct trj_xtc_block *b, const int32_t *const x[3], size_t atoms, unsigned char *to);

#endif
