// SPDX-License-Identifier: MIT
// Provides what XTC and TRR share: boxes in nm, and an index of the positions of frames, which these files lack.
#ifndef TRJ_XDR_FRAMES_H
#define TRJ_XDR_FRAMES_H

#include <stddef.h>
#include <stdint.h>

#include "cell.h"
#include "error.h"
#include "reader_parts.h"
#include "xdr.h"

// Nine reals of 4 or 8 bytes in nm, rows a, b, c -> Å. Nine zeros are no cell; numbers that are not finite are TRJ_BAD_DATA.
int trj_xdr_box(struct trj_cell *cell, const unsigned char *from, size_t bytes, struct trj_error *err);

// Decodes a piece that is three times r->atoms big-endian floats (4 bytes) or doubles (8), atom by atom; doubles are rounded once.
int trj_xdr_decode(const struct trj_reader *r, struct trj_raw_frame *p, size_t bytes, struct trj_error *err);

// Reads `bytes` bytes into *b, and puts `slack` zeros behind them. A file that is too short is known before memory is taken; of a pipe
// memory is taken as the bytes come.
int trj_xdr_read(struct trj_reader *r, struct trj_input_bytes *b, uint64_t bytes, size_t slack, const char *what,
                 struct trj_error *err);

// The bytes at which the frames begin that have been seen; what r->internals->state begins with.
struct trj_xdr_index {
    uint64_t *at;
    size_t room, known;
};

// Frame r->next begins at byte `at`: for headers, each time they are read.
int trj_xdr_index_add(struct trj_reader *r, uint64_t at, struct trj_error *err);

// The seek of both formats: to a place in the index, or on from its end by skipping. And their close.
int trj_xdr_seek(struct trj_reader *r, uint64_t frame, struct trj_error *err);
void trj_xdr_close(struct trj_reader *r);

#endif
