// SPDX-License-Identifier: MIT
// Reads and writes the container that all streams share: a file header, then checksummed blocks. Normative text:
// schemas/block_stream.md.
//
// Checksums (XXH3-64) cover every byte and the number of each block, so that damaged, lost, repeated and moved blocks
// are detected. A payload is stored raw or as one zstd frame. A writer or reader is for one thread at a time.
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
    uint16_t major, minor; // version; readers reject another major version
};

enum {
    TRJ_STREAM_HEADER = 24, // bytes
    TRJ_BLOCK_HEADER = 40,
    TRJ_BLOCK_MIN_COMPRESSED = 256, // smaller payloads are never compressed
};

// Limits the unpacked size of compressed payloads, so that a small stream cannot use much memory: a payload of s stored
// bytes gives at most TRJ_BLOCK_ALWAYS_ALLOWED + TRJ_BLOCK_MAX_RATIO s bytes. Writers store a payload raw if it shrinks
// by more.
enum { TRJ_BLOCK_ALWAYS_ALLOWED = 1 << 24, TRJ_BLOCK_MAX_RATIO = 1024 };

enum {
    TRJ_BLOCK_REQUIRED = 1, // a reader that does not support the type must reject the stream
    TRJ_BLOCK_ZSTD = 2,
};

struct trj_block_writer;
struct trj_block_reader;

// Opens a writer and writes the file header. level 0: payloads are stored raw; 1 to 19: payloads are compressed with
// zstd if this makes them smaller. The caller keeps ownership of the output, which must stay open until the writer is
// closed.
int trj_block_writer_open(struct trj_block_writer **w, struct trj_output *out, const struct trj_stream_kind *kind,
                          int level, struct trj_error *err);
// Compresses blocks, or computes the checksums of large raw ones, with `threads` threads (see trj_pool_size) while
// earlier blocks are written. The written bytes are the same. Pending blocks use at most TRJ_BLOCKS_AHEAD bytes of
// memory, or the memory of two blocks. May be called once, before the first block.
enum { TRJ_BLOCKS_AHEAD = 1 << 28 };
int trj_block_writer_threads(struct trj_block_writer *w, unsigned threads, struct trj_error *err);
// Writes a block with a copy of the payload. With threads, an error may be one of an earlier block. A payload whose
// `failed` is set is an error.
int trj_block_write(struct trj_block_writer *w, const char type[4], bool required, const struct trj_bytes *payload,
                    struct trj_error *err);
// Writes blocks of another type in place of those given to trj_block_write_coded. `encode` may run in any thread,
// several times at once. It returns 1 if *coded is the payload of a block of that type; 0: the given block is written;
// or -1.
struct trj_block_coder {
    const char *type;
    int (*encode)(void *arg, const struct trj_bytes *payload, struct trj_bytes *coded, struct trj_error *err);
    void *arg;
};
// As trj_block_write. The writer must have a level above 0, and *coder must stay valid until it is closed.
int trj_block_write_coded(struct trj_block_writer *w, const char type[4], bool required,
                          const struct trj_bytes *payload, const struct trj_block_coder *coder, struct trj_error *err);
// As trj_block_write, with arrays of float32 after the payload, or of any numbers on a little-endian host. They are
// written without a copy if possible, perhaps after the function has returned: they must stay as they are until `done`
// is called, which happens once unless the function or a later one fails. *payload is exchanged for an empty one with
// other memory; if it is memory of trj_pipe_alloc, it may be given to a pipe.
enum { TRJ_BLOCK_MAX_ARRAYS = 3 };
struct trj_block_arrays {
    struct trj_output_part part[TRJ_BLOCK_MAX_ARRAYS];
    size_t count;
    void (*done)(void *arg); // may be NULL if there are no arrays
    void *arg;
};
int trj_block_write_floats(struct trj_block_writer *w, const char type[4], bool required, struct trj_bytes *payload,
                           const struct trj_block_arrays *arrays, struct trj_error *err);
// Returns the number of blocks accepted so far, including those that are not yet in the output.
uint64_t trj_block_writer_count(const struct trj_block_writer *w);
// Waits until all accepted blocks are written to the output.
int trj_block_writer_flush(struct trj_block_writer *w, struct trj_error *err);
// Returns the offset of a block from the first byte of the file header. The block must be in the output
// (trj_block_writer_flush), or be the next one.
uint64_t trj_block_writer_offset(const struct trj_block_writer *w, uint64_t block);
// Frees the writer; NULL is allowed. If the stream goes to standard output, has no END block and no write failed, the
// blocks accepted so far are flushed, so that trj_block_writer_resume can continue the stream.
void trj_block_writer_close(struct trj_block_writer *w);
// Continues, after its last block, the stream that this process has written to standard output. If there is none, it
// writes a file header. Blocks are stored raw. Returns -1 with TRJ_FAILED if the stream is complete or a write has
// failed.
int trj_block_writer_resume(struct trj_block_writer **w, struct trj_output *out, const struct trj_stream_kind *kind,
                            struct trj_error *err);

struct trj_block {
    char type[5];
    bool required;
    bool compressed;
    struct trj_cursor payload;   // of a loaded block; valid until the next call with this reader
    uint64_t offset;             // byte of the block header in the input, for messages
    uint64_t stored, raw, check; // bytes in the stream; bytes when unpacked; checksum of the bytes in the stream
};

// Reads and checks the file header at the current offset of the input. Fails with TRJ_BAD_DATA if the header is
// truncated or damaged, or gives another kind or major version. The caller keeps ownership of the input, which must
// stay open until the reader is closed.
int trj_block_reader_open(struct trj_block_reader **r, struct trj_input *in, const struct trj_stream_kind *kind,
                          struct trj_error *err);
// Reads the header of the next block and verifies its checksum. Returns 1, 0 at the end of input, or -1. The caller
// then takes the payload with trj_block_load or trj_block_skip.
int trj_block_next(struct trj_block_reader *r, struct trj_block *block, struct trj_error *err);
// Reads the payload, verifies its checksum, and then unpacks it. Fails with TRJ_BAD_DATA if the header gives more than
// `max_size` unpacked bytes; no memory is allocated for such a payload.
int trj_block_load(struct trj_block_reader *r, struct trj_block *block, uint64_t max_size, struct trj_error *err);
// These read a payload that is not compressed in parts, straight to where it is needed. trj_block_start checks its size
// as trj_block_load does; trj_block_part reads the next n bytes, and fails if the payload has fewer; trj_block_finish
// reads the rest and verifies the checksum. Nothing that was read may be used before it has succeeded.
int trj_block_start(struct trj_block_reader *r, const struct trj_block *block, uint64_t max_size,
                    struct trj_error *err);
int trj_block_part(struct trj_block_reader *r, const struct trj_block *block, void *to, size_t n,
                   struct trj_error *err);
int trj_block_finish(struct trj_block_reader *r, const struct trj_block *block, struct trj_error *err);
// After trj_block_verify_later, trj_block_part and trj_block_finish do not compute the checksum of the payload that was
// started. The caller computes it, and passes it to trj_block_verify, in any thread. Nothing may be used before that
// has succeeded.
struct trj_block_check {
    char name[64]; // of the block, for messages
    uint64_t offset, check;
};
void trj_block_verify_later(struct trj_block_reader *r, const struct trj_block *block, struct trj_block_check *later);
int trj_block_verify(const struct trj_block_check *later, uint64_t hash, struct trj_error *err);
// Passes over the rest of a payload in a file, after trj_block_verify_later, for trj_input_read_deferred.
int trj_block_defer(struct trj_block_reader *r, const struct trj_block *block, struct trj_error *err);
// Reads the rest of a payload, after trj_block_verify_later, by trj_input_read_parts. The parts have as many bytes.
int trj_block_read_parts(struct trj_block_reader *r, const struct trj_block *block, const struct iovec *parts,
                         int count, struct trj_pipe_store *store, struct trj_error *err);
uint64_t trj_block_left(const struct trj_block_reader *r); // bytes that trj_block_part has not read
// Reads the payload and verifies its checksum, but neither keeps nor unpacks it.
int trj_block_skip(struct trj_block_reader *r, const struct trj_block *block, struct trj_error *err);
// Fails with TRJ_BAD_DATA if a payload of `size` bytes exceeds the maximum of `max_size` bytes.
int trj_block_check_size(const char *type, uint64_t size, uint64_t max_size, struct trj_error *err);
// Ends the use of the payload and frees its memory if it is large. The next read allocates it again.
void trj_block_drop(struct trj_block_reader *r, struct trj_block *block);
// Sets the position of the next read: block number `count` of the stream, `offset` bytes after the first byte of the
// file header. The input must be seekable (trj_input_size).
int trj_block_reader_seek(struct trj_block_reader *r, uint64_t count, uint64_t offset, struct trj_error *err);
uint64_t trj_block_reader_start(const struct trj_block_reader *r); // input offset of the file header
uint64_t trj_block_reader_count(const struct trj_block_reader *r); // number of the next block
struct trj_input *trj_block_reader_input(const struct trj_block_reader *r);
// Returns whether TRJ_STREAM_HEADER bytes are a valid file header of the same kind.
bool trj_block_reader_begins(const struct trj_block_reader *r, const unsigned char *head);
void trj_block_reader_close(struct trj_block_reader *r); // NULL is allowed

// Returns whether data that begin with these n bytes are a stream of this kind.
bool trj_stream_is(const unsigned char *head, size_t n, const struct trj_stream_kind *kind);

#endif
