// SPDX-License-Identifier: MIT
// Implements trj_reader_read_ahead (reader.h). One thread reads raw frames, the threads of a pool decode them, and
// frames are returned in the order of the file. Small frames are decoded several at a time.
#ifndef TRJ_READ_AHEAD_H
#define TRJ_READ_AHEAD_H

#include <stdint.h>

#include "reader_parts.h"

// Opens reading ahead for a format with read_raw, and sets r->internals->ahead. `max_frames` frames are read ahead;
// later frames are read one at a time.
int trj_read_ahead_open(struct trj_reader *r, unsigned threads, uint64_t max_frames, struct trj_error *err);
void trj_read_ahead_close(struct trj_read_ahead *a); // NULL is allowed

// Read or skip (f NULL) a frame, and seek, for a reader with r->internals->ahead. They return as trj_reader_read and
// trj_reader_seek.
int trj_read_ahead_next(struct trj_reader *r, struct trj_frame *f, struct trj_error *err);
int trj_read_ahead_seek(struct trj_reader *r, uint64_t frame, struct trj_error *err);

#endif
