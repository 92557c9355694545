// SPDX-License-Identifier: MIT
// The state of a reader of a frame stream, and the functions of its parts. Private to frame_stream_reader.c,
// stream_blocks.c, stream_frames.c and stream_index.c.
#ifndef TRJ_STREAM_READER_PARTS_H
#define TRJ_STREAM_READER_PARTS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "block_stream.h"
#include "error.h"
#include "frame_stream_parts.h"
#include "reader_parts.h"
#include "stream_chunk.h"
#include "stream_salvage.h"
#include "xtc_unpack.h"

enum { TRJ_STREAM_FRAMES_HEAD = 8 }; // bytes of a block of frames before its first frame

// A block of velocities or image flags, which is used with the block of frames after it.
struct trj_stream_motion {
    bool known;          // it was read
    uint64_t number;     // of the block
    uint32_t count;      // frames
    unsigned char *data; // [size] of its frames; of compressed velocities: their units
    size_t size, capacity;
    struct trj_stream_chunk *chunk; // of compressed velocities; NULL: they are not compressed
};

struct trj_stream_state {
    const struct trj_stream_header *header; // of the reader
    struct trj_block_reader *blocks;
    struct trj_block block; // the block that was read last, or whose frames are being taken
    bool direct; // the payload of the current block was not loaded: its one frame is read to where it is needed
    unsigned char head[TRJ_STREAM_FRAMES_HEAD]; // in this case: the bytes before the frame
    bool have_block, ended, frames_began;       // frames_began: a block of frames was read, and the header is complete
    uint32_t left;                              // frames of the current block that were not read
    uint32_t count;                             // frames of the current block
    struct trj_stream_chunk *chunk;             // of the current block; NULL: its frames are not compressed
    struct trj_stream_chunks chunks;
    unsigned wants_motion; // the requested kinds that the stream contains (TRJ_HAS_...)
    bool motion_lost;      // a stream that is salvaged has lost it for the current block
    struct trj_stream_motion motion[TRJ_MOTION_KINDS];
    struct trj_stream_places sources, frames, motions; // of the index, if it was read
    struct trj_stream_header found; // its sources are those that were read; the header gets them with frames
    pthread_mutex_t lock;           // of `found`
    uint64_t total;                 // number of frames in the END block, if the index was read
    uint64_t provenance;            // bytes of the PROV blocks
    bool have_index;
    struct trj_stream_salvage *salvage; // NULL: damage is an error
    bool verifying;                     // the checksums of a block are being verified: an error is damage
};

// What a raw frame needs for decoding, if its coordinates are packed or compressed.
struct trj_stream_frame {
    struct trj_block_check check; // if the checksum of its block is verified by decoding
    bool deferred;                // decoding also reads the coordinates, at frame.stored
    unsigned char head[TRJ_STREAM_FRAMES_HEAD + TRJ_STREAM_FRAME_HEADER];
    struct trj_stream_chunk *chunk;      // NULL: not compressed, or decoded
    size_t place;                        // of the frame in the chunk
    struct trj_stream_chunk *velocities; // NULL: not compressed, not requested, or decoded
    size_t velocity_place;               // of the frame in it
    bool has_coordinates;                // only the velocities are left to decoding
    struct trj_packed packed;            // without data, which are the bytes of the raw frame
    const char *source;                  // name of the file that the coordinates come from
};

// ---- stream_blocks.c: blocks in their order. With `salvage`, damaged blocks are dropped.

bool trj_stream_is_packed(const struct trj_block *b);     // FRMX
bool trj_stream_is_compressed(const struct trj_block *b); // FRMZ
bool trj_stream_has_frames(const struct trj_block *b);    // one of these, or FRAM
// Reads blocks until one contains frames that were not taken. Returns 1, 0 after the END block, -1.
int trj_stream_next_block(struct trj_reader *r, struct trj_error *err);
// Begins with the frames of the current block, whose header was read. Returns 0 or -1.
int trj_stream_begin_frames(struct trj_reader *r, struct trj_error *err);
// Reads a source from a block that was loaded. Returns 0 or -1.
int trj_stream_find_source(struct trj_stream_state *s, struct trj_block *b, struct trj_error *err);
// Adds the first `count` sources that were read to the header. Returns 0 or -1.
int trj_stream_add_sources(struct trj_reader *r, size_t count, struct trj_error *err);
// Fails because the input ends at byte `offset`, before the END block. Returns -1.
int trj_stream_fail_no_end(const struct trj_reader *r, uint64_t offset, struct trj_error *err);

// ---- stream_motion.c: velocities and image flags

bool trj_stream_has_motion(const struct trj_block *b); // returns whether it is a block of them
// Returns the bits TRJ_HAS_... of such a block.
unsigned trj_stream_motion_of(const struct trj_block *b);
// Reads such a block, which is loaded. Returns 0 or -1.
int trj_stream_read_motion(struct trj_stream_state *s, struct trj_block *b, struct trj_error *err);
// Checks, at the start of a block of frames, that what is requested precedes it directly. If the stream is salvaged,
// s->motion_lost is set instead. Returns 0 or -1.
int trj_stream_check_motion(struct trj_stream_state *s, const struct trj_stream_header *h, const struct trj_block *b,
                            struct trj_error *err);
// Fills f->motion for frame `place` of the current block. Compressed velocities are left to trj_stream_decode_motion.
int trj_stream_take_motion(struct trj_stream_state *s, size_t place, struct trj_raw_frame *p, struct trj_error *err);
int trj_stream_decode_motion(struct trj_raw_frame *p, struct trj_error *err);
void trj_stream_free_motion(struct trj_stream_state *s);

// ---- stream_frames.c: frames of the current block.

// Takes the next frame from the blocks; p NULL: skips it. Returns 1, 0 at the end, -1.
int trj_stream_take_frame(struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err);
// See struct trj_format_ops.
int trj_stream_decode(const struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err);
bool trj_stream_keep(const struct trj_reader *r, struct trj_raw_frame *p);

// ---- stream_index.c: see struct trj_format_ops.

int trj_stream_count(struct trj_reader *r, uint64_t *frames, struct trj_error *err);
int trj_stream_seek(struct trj_reader *r, uint64_t frame, struct trj_error *err);

#endif
