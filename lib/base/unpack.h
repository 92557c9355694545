// SPDX-License-Identifier: MIT
// Unpacks gzip, bzip2, xz and zstd in a thread of its own, beside the one that reads. Memory is bounded, whatever the data require: two
// pieces of output and the state of the library, which is 32 KiB for gzip, 4 MiB for bzip2, and up to 128 MiB for xz and zstd.
//
// Several members (gzip), streams (bzip2, xz) or frames (zstd) in sequence are one file. Data that are damaged, end within a member, or are
// followed by anything else are TRJ_BAD_DATA, with the byte in the packed file, once all data before it were given.
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
}; // bytes: packed data are told by so many; most that are read at once

// Which program packed the data that begin so: "gzip"; NULL: none that is known.
const char *trj_packer(const void *head, size_t n);

// Goes on from the n bytes of `begin` (n <= TRJ_UNPACK_INPUT), the first ones of packed data that were read from fd. It reads fd until
// trj_unpack_close, which leaves it open. TRJ_NO_ENGINE where this build lacks the library.
int trj_unpack_open(struct trj_unpack **u, int fd, const void *begin, size_t n, struct trj_error *err);

// Some bytes, up to n; none only at the end of the data.
int trj_unpack_read(struct trj_unpack *u, void *data, size_t n, size_t *got, struct trj_error *err);

uint64_t trj_unpack_offset(struct trj_unpack *u);          // bytes of the packed data unpacked so far
const char *trj_unpack_ending(const struct trj_unpack *u); // what names of such files end in: ".gz"
void trj_unpack_close(struct trj_unpack *u);               // NULL is allowed

#endif
