// SPDX-License-Identifier: MIT
// The blocks that every kind of stream can have, and the largest size of each. Normative text: schemas/block_stream.md.
#ifndef TRJ_COMMON_BLOCKS_H
#define TRJ_COMMON_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

#include "block_stream.h"
#include "error.h"

// Largest payloads, unpacked, in bytes: of a block of few fields, of all PROV blocks of a stream together, of a SRCE block.
enum { TRJ_BLOCK_MOST = 1 << 16, TRJ_PROVENANCE_MOST = 1 << 24, TRJ_SOURCE_MOST = 1 << 13 };

// Like trj_block_write. A payload that is above the maximum `most`, which no reader would accept, is TRJ_BAD_DATA.
int trj_block_write_within(struct trj_block_writer *w, const char type[4], bool required,
                           const struct trj_bytes *payload, uint64_t most, struct trj_error *err);
int trj_block_write_provenance(struct trj_block_writer *w, char *const *lines, size_t count, struct trj_error *err);
int trj_block_write_source(struct trj_block_writer *w, const char *name, uint64_t fingerprint, struct trj_error *err);

#endif
