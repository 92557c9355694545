// SPDX-License-Identifier: MIT
// Opens and reads the frame stream of a filter that reads no other format. A program with it does not contain the
// readers of the other formats.
#ifndef TRJ_STREAM_INPUT_H
#define TRJ_STREAM_INPUT_H

#include <stdint.h>

#include "error.h"
#include "frame.h"
#include "frame_stream.h"
#include "reader.h"

// Opens the frame stream `path`, "-" for standard input; (*r)->header is its header. Fails with TRJ_BAD_DATA if the
// input is empty or not a frame stream, if its positions were unwrapped (movement.h), or if it contains frames of the
// next segment. Errors begin with the name of the input. trj_reader_close closes it.
int trj_stream_input_open(struct trj_reader **r, const char *path, struct trj_error *err);
// As trj_stream_input_open, and requests TRJ_READ_VELOCITY or TRJ_READ_IMAGE (enum trj_compare) of streams that have
// them.
int trj_stream_input_open_with(struct trj_reader **r, const char *path, unsigned read, struct trj_error *err);
// As trj_stream_input_open_with, also for unwrapped positions, and for a segment with frames of the next one
// (header->segment). The caller must not compute with periodic images of these positions.
int trj_stream_input_open_unwrapped(struct trj_reader **r, const char *path, unsigned read, struct trj_error *err);

// Reads the next frame: 1, 0 at the end, -1. Fails with TRJ_BAD_DATA if the stream contains no frames. Errors begin
// with the name of the input and the number of the frame; a truncated stream gets a remedy.
int trj_stream_input_read(struct trj_reader *r, struct trj_frame *f, struct trj_error *err);

// Reads ahead, in `threads` threads (trj_pool_size). `busy`: the caller computes each frame on all threads. If these
// are few, reading a large frame, without decoding, takes at most 2 % of that time, and frames that are read ahead
// would only need memory: they are then not read ahead.
int trj_stream_input_read_ahead(struct trj_reader *r, unsigned threads, bool busy, struct trj_error *err);

// Shows the number of frames read so far as progress. The total is estimated from the bytes of a file, or is the one
// that the writer of a pipe expects (trj_tool_progress_estimated).
void trj_stream_input_progress(const struct trj_reader *r);
// Returns the share of the bytes of the input that has been read, or NAN if their number is unknown. `reader` is a
// struct trj_reader, as struct work_handover_plan requires it.
double trj_stream_input_share_read(void *reader);

// Puts the name of the input and the number of the last frame read before the text of an error in that frame, or of the
// frame of err->late. -1
int trj_stream_input_fail_frame(const struct trj_reader *r, struct trj_error *err);
// The same for the frame with this number, from 0 in the order of reading.
int trj_stream_input_fail_earlier(const struct trj_reader *r, uint64_t number, struct trj_error *err);

#endif
