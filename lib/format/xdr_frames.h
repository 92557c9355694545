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

// Converts a box of nine reals of `bytes` (4 or 8) bytes in nm, rows a, b, c, to Å. Nine zeros mean that there is no
// cell. Fails with TRJ_BAD_DATA if a number is not finite.
int trj_xdr_box(struct trj_cell *cell, const unsigned char *from, size_t bytes, struct trj_error *err);

// Decodes p->bytes: x, y, z of r->atoms atoms as big-endian floats (`bytes` 4) or doubles (8), which are rounded once.
// For struct trj_format_ops.
int trj_xdr_decode(const struct trj_reader *r, struct trj_raw_frame *p, size_t bytes, struct trj_error *err);

// Decodes x, y, z of `atoms` atoms, as above.
void trj_xdr_vectors(const unsigned char *from, size_t bytes, size_t atoms, float *const to[3]);

// Reads `bytes` bytes into *b, followed by `slack` zeros. A file that is too short is an error before memory is
// allocated. For a pipe, memory grows with the bytes that were read. `what` is for messages.
int trj_xdr_read(struct trj_reader *r, struct trj_input_bytes *b, uint64_t bytes, size_t slack, const char *what,
                 struct trj_error *err);

// Positions of the frames that were read so far. The state (r->internals->state) begins with it.
struct trj_xdr_index {
    uint64_t *offset; // [known] bytes
    size_t capacity, known;
};

// Adds the position of frame r->next, if it is not known. A format calls it each time that it has read a header.
int trj_xdr_index_add(struct trj_reader *r, uint64_t offset, struct trj_error *err);

// Seek and close of struct trj_format_ops. A frame that is not in the index is reached by skipping from the last one in
// it.
int trj_xdr_seek(struct trj_reader *r, uint64_t frame, struct trj_error *err);
void trj_xdr_close(struct trj_reader *r);

#endif
