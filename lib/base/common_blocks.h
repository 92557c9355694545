// SPDX-License-Identifier: MIT
// Writes the blocks that every kind of stream can contain, and gives their maximum sizes. Normative text:
// schemas/block_stream.md.
#ifndef TRJ_COMMON_BLOCKS_H
#define TRJ_COMMON_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

#include "block_stream.h"
#include "error.h"

// Maximum unpacked payloads in bytes: of a block with few fields, of all PROV blocks of a stream together, and of a
// SRCE block.
enum { TRJ_SMALL_BLOCK_MAX = 1 << 16, TRJ_PROVENANCE_MAX = 1 << 24, TRJ_SOURCE_MAX = 1 << 13 };

// As trj_block_write, but fails with TRJ_BAD_DATA if the payload exceeds `max_size` bytes, because readers would
// reject it.
int trj_block_write_limited(struct trj_block_writer *w, const char type[4], bool required,
                            const struct trj_bytes *payload, uint64_t max_size, struct trj_error *err);
// Writes the lines as one PROV block.
int trj_block_write_provenance(struct trj_block_writer *w, char *const *lines, size_t count, struct trj_error *err);
// Writes a SRCE block: the name of an input file and its fingerprint (trj_input_fingerprint).
int trj_block_write_source(struct trj_block_writer *w, const char *name, uint64_t fingerprint, struct trj_error *err);

#endif
