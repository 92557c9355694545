// SPDX-License-Identifier: MIT
// Selects frames by range, time and segment across several inputs that are read in sequence.
#ifndef TRJ_FRAME_FILTER_H
#define TRJ_FRAME_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#include "error.h"
#include "frame.h"
#include "frame_range.h"
#include "frame_stream.h"
#include "reader.h"

struct trj_frame_filter {
    struct trj_range range;         // of the frames of all inputs together
    struct trj_segment segment;     // of the range; `count` is 0: the whole range
    uint64_t overlap;               // frames of the range after the segment that are also selected
    struct trj_stream_segment part; // with an overlap: the frames of the segment, set by trj_frame_filter_resolve
    struct trj_times times;         // of each input separately
    bool timed;                     // `times` applies
    unsigned compare;               // set by the caller: TRJ_CELL_GIVEN and TRJ_OPEN_SYSTEM, if they apply (reader.h)
    uint64_t position;              // frames of the inputs that were read or skipped
};

// Parses the values of --frames, --time and --segment; NULL: the option is absent. Fails with TRJ_USAGE.
int trj_frame_filter_parse(struct trj_frame_filter *filter, const char *frames, const char *times, const char *segment,
                           struct trj_error *err);
// Resolves numbers counted from the end, and the segment. To do so, it counts the frames of the inputs; each must then
// be a file (TRJ_USAGE). `format` and `atoms` as in trj_reader_open_as.
int trj_frame_filter_resolve(struct trj_frame_filter *filter, char *const *paths, int count,
                             const struct trj_format *format, size_t atoms, struct trj_error *err);
// Finds the largest number of atoms in frames of the inputs up to the end of the range, which has been resolved; of a
// frame stream, the number of its atoms. filter->compare contains TRJ_OPEN_SYSTEM. Each input must be a file
// (TRJ_USAGE).
int trj_frame_filter_largest(const struct trj_frame_filter *filter, char *const *paths, int count,
                             const struct trj_format *format, size_t *largest, struct trj_error *err);
// Returns how many frames to skip before the next one in the range; UINT64_MAX if none is left.
uint64_t trj_frame_filter_gap(const struct trj_frame_filter *filter);
bool trj_frame_filter_more(const struct trj_frame_filter *filter); // returns whether a frame of the range may be left

// Reads the first frame of a newly opened input that is in the range and, if the input can seek, not before the times.
// Times are assumed to ascend within an input. Returns 1, 0 if there is none, or -1. Advances filter->position.
int trj_frame_filter_first(struct trj_frame_filter *filter, struct trj_reader *r, struct trj_frame *f,
                           struct trj_error *err);

// Appends to the error of a truncated or damaged input how to read the frames before the error, with --frames.
// `before`: frames of the inputs before this one. Appends nothing if no such range selects the requested frames: with
// --time, or for a segment.
void trj_frame_filter_suggest(const struct trj_frame_filter *filter, uint64_t before, struct trj_error *err);

// Compares a frame with the times: sets *order to -1 (before), 0 (in the range) or 1 (after; so are all later frames of
// this input). Fails with TRJ_BAD_DATA if times are selected and the frame has none.
int trj_frame_filter_time(const struct trj_frame_filter *filter, const struct trj_frame *f, int *order,
                          struct trj_error *err);

#endif
