// SPDX-License-Identifier: MIT
// How trj_reader_read_ahead (reader.h) works: the thread that reads cuts frames out of the file, those of a pool decode them, and frames are
// taken in the order of the file. Some small frames travel together.
#ifndef TRJ_READ_AHEAD_H
#define TRJ_READ_AHEAD_H

#include <stdint.h>

#include "reader_parts.h"

// For a reader whose format can cut; r->internals->ahead is set where this succeeds.
int trj_read_ahead_open(struct trj_reader *r, unsigned threads, uint64_t most, struct trj_error *err);
void trj_read_ahead_close(struct trj_read_ahead *a); // NULL is allowed

// read, skip (f is NULL) and seek of a reader that has one.
int trj_read_ahead_next(struct trj_reader *r, struct trj_frame *f, struct trj_error *err);
int trj_read_ahead_seek(struct trj_reader *r, uint64_t frame, struct trj_error *err);

#endif
