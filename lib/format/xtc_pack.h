// SPDX-License-Identifier: MIT
// Compresses the coordinates of an XTC frame. xtc_unpack.c describes the format.
#ifndef TRJ_XTC_PACK_H
#define TRJ_XTC_PACK_H

#include <stddef.h>
#include <stdint.h>

#include "xtc_unpack.h"

enum {
    TRJ_XTC_MAX_ATOM_BYTES = 13,       // bytes of a compressed atom
    TRJ_XTC_MAX_EXTENT = INT32_MAX - 2 // difference of the bounds; other readers reject more
};

// Compresses x[k][atoms], integers in units of 1/precision nm within b->low[k] and b->high[k], which differ by at most
// TRJ_XTC_MAX_EXTENT. `to` has a capacity of TRJ_XTC_MAX_ATOM_BYTES bytes per atom, plus TRJ_XTC_SLACK. Sets b->small,
// b->data (= to) and b->bytes.
void trj_xtc_pack(struct trj_packed *b, const int32_t *const x[3], size_t atoms, unsigned char *to);

#endif
