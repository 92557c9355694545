// SPDX-License-Identifier: MIT
// The container that both streams share: a file header, then checksummed blocks. Normative text: schemas/block_stream.md.
//
// Every byte is covered by a checksum (XXH3-64), a block's place in the sequence too, so that a flipped, lost, doubled or moved block is
// found. Blocks are stored as they are or as one zstd frame.
#ifndef TRJ_BLOCK_STREAM_H
#define TRJ_BLOCK_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bytes.h"
#include "error.h"
#include "input.h"
#include "output.h"

struct trj_stream_kind {
    const char *name; // "frame stream"
    unsigned char magic[8];
    uint16_t major, minor;
};

enum {
    TRJ_STREAM_HEADER = 24, // bytes
    TRJ_BLOCK_HEADER = 40,
    TRJ_BLOCK_SMALL = 256, // smaller payloads are never compressed
};

// A compressed payload of s bytes gives at most TRJ_BLOCK_FREE + TRJ_BLOCK_RATIO s bytes, so that a small stream cannot use much memory.
// Writers store a payload that shrinks by more as it is.
enum { TRJ_BLOCK_FREE = 1 << 24, TRJ_BLOCK_RATIO = 1024 };

enum {
    TRJ_BLOCK_REQUIRED = 1, // a reader that does not know the type must refuse the stream
    TRJ_BLOCK_ZSTD = 2,
};

struct trj_block_writer;
struct trj_block_reader;

// level 0: blocks are stored raw; 1..19: zstd, where that makes them smaller. Writes the file header. The output stays the caller's.
int trj_block_writer_open(struct trj_block_writer **w, struct trj_output *out, const struct trj_stream_kind *kind,
                          int level, struct trj_error *err);
// From here on `threads` threads (pool.h) compress, where blocks are compressed: the same bytes are written. TRJ_BLOCKS_AHEAD bytes of
// memory are used, or two blocks. Once, before the first block.
enum { TRJ_BLOCKS_AHEAD = 1 << 28 };
int trj_block_writer_threads(struct trj_block_writer *w, unsigned threads, struct trj_error *err);
int trj_block_write(struct trj_block_writer *w, const char type[4], bool required, const struct trj_bytes *payload,
                    struct trj_error *err);
// The same with `arrays` arrays of n float32 behind the payload, which are not copied where that can be.
int trj_block_write_floats(struct trj_block_writer *w, const char type[4], bool required, struct trj_bytes *payload,
                           const float *const x[], size_t arrays, size_t n, struct trj_error *err);
uint64_t trj_block_writer_count(const struct trj_block_writer *w); // blocks written, or on their way
// Waits until all of them are written.
int trj_block_writer_flush(struct trj_block_writer *w, struct trj_error *err);
// Where a block that is written, or the next one, begins, from the file header's first byte.
uint64_t trj_block_writer_offset(const struct trj_block_writer *w, uint64_t block);
// A stream to standard output without an END block, whose writes succeeded, is flushed to the end of its last block, so that
// trj_block_writer_resume can go on. NULL is allowed.
void trj_block_writer_close(struct trj_block_writer *w);
// Goes on with the stream that this process has written to standard output, after its last block; without one it writes a file header. Blocks
// are stored raw. TRJ_FAILED if the stream is whole, or could not be written.
int trj_block_writer_resume(struct trj_block_writer **w, struct trj_output *out, const struct trj_stream_kind *kind,
                            struct trj_error *err);

struct trj_block {
    char type[5];
    bool required;
    bool compressed;
    struct trj_cursor payload;   // of a loaded block; valid until the next call for its reader
    uint64_t offset;             // of the block in the input, for messages
    uint64_t stored, raw, check; // bytes in the stream, bytes unpacked, checksum of those in the stream
};

// Reads and checks the file header. The input stays the caller's.
int trj_block_reader_open(struct trj_block_reader **r, struct trj_input *in, const struct trj_stream_kind *kind,
                          struct trj_error *err);
// Reads the header of the next block and verifies its checksum: 1, 0 at the end of input, -1. The payload is then taken by one of the two
// calls below.
int trj_block_next(struct trj_block_reader *r, struct trj_block *block, struct trj_error *err);
// Reads the payload, verifies its checksum, and only then unpacks it. A payload of more than `most` bytes, unpacked, is TRJ_BAD_DATA, found
// from the header: no memory is allocated for it.
int trj_block_load(struct trj_block_reader *r, struct trj_block *block, uint64_t most, struct trj_error *err);
// Verifies the checksum of the payload. The payload is neither kept nor unpacked.
int trj_block_skip(struct trj_block_reader *r, const struct trj_block *block, struct trj_error *err);
// TRJ_BAD_DATA if a payload of `size` bytes is above the maximum of its kind.
int trj_block_check_size(const char *type, uint64_t size, uint64_t most, struct trj_error *err);
// The payload is not needed any more: gives memory back if it is much. The next read gets it again.
void trj_block_drop(struct trj_block_reader *r, struct trj_block *block);
// Before a read: the next block is number `count` of the stream and starts at `offset` from the file header's first byte.
int trj_block_reader_seek(struct trj_block_reader *r, uint64_t count, uint64_t offset, struct trj_error *err);
uint64_t trj_block_reader_start(const struct trj_block_reader *r); // input offset of the file header
void trj_block_reader_close(struct trj_block_reader *r);

bool trj_stream_is(const unsigned char *head, size_t n, const struct trj_stream_kind *kind);

uint64_t trj_hash(const void *data, size_t n, uint64_t seed); // XXH3-64

#endif
