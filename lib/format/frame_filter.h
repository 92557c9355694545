// SPDX-License-Identifier: MIT
// Which frames of several inputs, read one behind the other, are wanted.
#ifndef TRJ_WANTED_H
#define TRJ_WANTED_H

#include <stdbool.h>
#include <stdint.h>

#include "error.h"
#include "frame.h"
#include "frame_range.h"
#include "reader.h"

struct trj_frame_filter {
    struct trj_range range;     // of the frames of all inputs together
    struct trj_segment segment; // a share of that; of 0: all
    struct trj_times times;     // of each input by itself; all where these are not asked for
    bool timed;                 // they are
    bool cell_given;            // set by the caller: the user replaces the cells (struct trj_reader)
    uint64_t position;          // frames of the inputs that were passed
};

// Of what --frames, --time and --segment say; NULL: nothing. TRJ_USAGE
int trj_frame_filter_parse(struct trj_frame_filter *w, const char *frames, const char *times, const char *segment,
                           struct trj_error *err);
// Settles what counts from the end or in shares: for that frames are counted, and inputs have to be files. format and atoms: as in
// trj_reader_open_as.
int trj_frame_filter_resolve(struct trj_frame_filter *w, char *const *paths, int count, const struct trj_format *format,
                             size_t atoms, struct trj_error *err);
// Frames to pass over to the next one in the range; UINT64_MAX: there is none.
uint64_t trj_frame_filter_gap(const struct trj_frame_filter *w);
bool trj_frame_filter_more(const struct trj_frame_filter *w); // whether there may be one

// Reads the first frame of an input, just opened, that is in the range and, if its frames can be sought, not before the times: these are
// taken to ascend within it. 1; 0: there is none; -1. The frame is passed then.
int trj_frame_filter_first(struct trj_frame_filter *w, struct trj_reader *r, struct trj_frame *f,
                           struct trj_error *err);

// Appends to the error of a truncated or damaged input how to read the frames before the error, with --frames.
// `before`: frames of the inputs before this one. Appends nothing if no such range selects the requested frames: with --time, or
// for a segment.
void trj_frame_filter_suggest(const struct trj_frame_filter *w, uint64_t before, struct trj_error *err);

// Whether a frame is of a wanted time: -1 it is before, 0 it is, 1 it is behind, as are those that follow in its input. TRJ_BAD_DATA for a
// frame without time, where times are asked for.
int trj_frame_filter_time(const struct trj_frame_filter *w, const struct trj_frame *f, int *place,
                          struct trj_error *err);

#endif
