// SPDX-License-Identifier: MIT
// Unpacks gzip, bzip2, xz and zstd data in a thread, in parallel with the caller. Memory is bounded for all
// inputs: two output buffers, and the state of the library, which is 32 KiB for gzip, 4 MiB for bzip2, and up to 128
// MiB for xz and zstd.
//
// Several members (gzip), streams (bzip2, xz) or frames (zstd) in sequence are read as one file. Data that are damaged,
// end within a member, or are followed by other data are TRJ_BAD_DATA. The error gives the byte in the compressed file,
// and comes after all data before that byte were returned.
#ifndef TRJ_UNPACK_H
#define TRJ_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"

struct trj_unpack;

enum {
    TRJ_UNPACK_HEAD = 5,
    TRJ_UNPACK_INPUT = 1 << 18
}; // bytes needed to detect the format; largest read of compressed data, in bytes

// Returns the name of the compression format of data that begin with these n bytes, as "gzip"; NULL if they are not
// compressed.
const char *trj_compression_name(const void *head, size_t n);

// Starts unpacking with the n bytes of `begin` (n <= TRJ_UNPACK_INPUT), the first compressed bytes, which the caller
// has read from fd. It reads fd until trj_unpack_close, which does not close fd. TRJ_NO_ENGINE if this build lacks the
// library.
int trj_unpack_open(struct trj_unpack **u, int fd, const void *begin, size_t n, struct trj_error *err);

// Reads up to n unpacked bytes; *got is 0 only at the end of the data.
int trj_unpack_read(struct trj_unpack *u, void *data, size_t n, size_t *got, struct trj_error *err);

// Ends the thread that waits in trj_unpack_read, with an error, in any thread. Only trj_unpack_close may follow.
void trj_unpack_wake(struct trj_unpack *u);

uint64_t trj_unpack_offset(struct trj_unpack *u);          // compressed bytes unpacked so far
const char *trj_unpack_ending(const struct trj_unpack *u); // usual suffix of file names: ".gz"
void trj_unpack_close(struct trj_unpack *u);               // NULL is allowed

#endif
