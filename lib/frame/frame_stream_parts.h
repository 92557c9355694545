// SPDX-License-Identifier: MIT
// Declarations that the writer (frame_stream_writer.c) and the reader (format/stream_reader_parts.h) of frame streams
// share: sizes, the table of block types, and the index. Private to these files.
#ifndef TRJ_FRAME_STREAM_PARTS_H
#define TRJ_FRAME_STREAM_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "block_stream.h"
#include "error.h"
#include "frame_stream.h"

enum {
    TRJ_STREAM_FRAME_HEADER = 112, // bytes of a frame before its coordinates
    TRJ_STREAM_PACKED_HEADER = 48, // bytes between the header and the data of packed coordinates
    TRJ_STREAM_MOTION_HEAD = 8,    // bytes of a block of velocities or image flags before its first frame
    TRJ_STREAM_PLACE = 24,         // bytes of an entry of the index
    TRJ_STREAM_END_SIZE = 32, // payload of the END block; it is fixed, so that a reader finds it from the end of a file
};

// A type of block.
struct trj_stream_block {
    char type[5];
    bool layout; // the block describes the frames and must precede them
    // Returns the maximum unpacked payload (schemas/frame_stream.md), computed from blocks that were read before.
    uint64_t (*max_payload)(const struct trj_stream_header *h);
    // Reads the payload into the header. Returns 0 or -1. NULL: the reader of the stream reads the block itself.
    int (*read)(struct trj_stream_header *h, struct trj_block *b, struct trj_error *err);
};

// Returns the type with this name; NULL: unknown to this version.
const struct trj_stream_block *trj_stream_block_find(const char *type);

// Returns the bytes that a frame has in a block VELO or IMAG.
uint64_t trj_stream_motion_bytes(enum trj_motion_kind kind, size_t atoms);

// Fails with TRJ_BAD_DATA and the type and position of a block. Returns -1.
int trj_stream_bad_block(const struct trj_block *b, const char *what, struct trj_error *err);

// The position of a block in a stream: `offset` bytes from its start, after `number` blocks.
struct trj_stream_place {
    uint64_t first_frame, number, offset;
};

// A zeroed list is empty; free(place) frees it.
struct trj_stream_places {
    struct trj_stream_place *place;
    size_t count, capacity;
};

// Appends a place. Returns 0, or -1 if memory is missing.
int trj_stream_places_add(struct trj_stream_places *p, uint64_t first_frame, uint64_t number, uint64_t offset,
                          struct trj_error *err);
// Reads one list of the INDX block. Sets c->failed if the block is too short. Returns 0, or -1 if memory is missing.
int trj_stream_places_get(struct trj_stream_places *p, struct trj_cursor *c, struct trj_error *err);
// Returns whether the places ascend. `frames`: whether their first frames ascend, too, beginning with frame 0.
bool trj_stream_places_ascend(const struct trj_stream_places *p, bool frames);
// Returns the maximum payload of INDX in an input of this size: each block has at least its header.
uint64_t trj_stream_max_index(uint64_t size);

#endif
