// SPDX-License-Identifier: MIT
// Finds the next undamaged block after a damaged part of a block stream.
#ifndef TRJ_BLOCK_SALVAGE_H
#define TRJ_BLOCK_SALVAGE_H

#include <stdint.h>

#include "block_stream.h"
#include "error.h"

// The numbers that a block can have if it is not known how many are lost: up to this many more than the expected one.
enum { TRJ_BLOCK_MAX_LOST = 1 << 20 };

struct trj_block_search {
    uint64_t from;     // byte of the input at which the search begins, at most its size
    uint64_t min, max; // numbers that the block may have
    uint64_t *work;    // bytes that searches of this input have hashed; the caller sets it to 0 before the first one
    // Set if the search ended at a valid file header, with which another stream begins: its byte. Else UINT64_MAX.
    uint64_t other_stream;
};

// Searches for a block whose header and payload have valid checksums, and makes it the next one of the reader. The
// input must be seekable (trj_input_size). Returns 1; 0 if there is none before the end of the input or before another
// stream; -1, with TRJ_BAD_DATA if so many bytes only resemble blocks that the search would take too long.
int trj_block_search(struct trj_block_reader *r, struct trj_block_search *s, struct trj_error *err);

#endif
