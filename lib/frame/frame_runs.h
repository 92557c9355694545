// SPDX-License-Identifier: MIT
// Ranges of frames. The records of histogram and grid streams list their frames as such ranges, so that a frame that
// occurs twice is detected.
#ifndef TRJ_FRAME_RUNS_H
#define TRJ_FRAME_RUNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bytes.h"
#include "error.h"

// Frames first, first + step, ... (count of them) of a source.
struct trj_frame_run {
    uint32_t source; // index in the list of sources
    uint64_t first, step, count;
};
static inline uint64_t trj_frame_run_last(const struct trj_frame_run *r) {
    return r->first + (r->count - 1) * r->step;
}

// Adds a frame to a list of runs, which may be NULL if *count is 0. The caller frees the list. Frames that are added in
// ascending order with a constant stride form one run.
int trj_frame_runs_add(struct trj_frame_run **runs, size_t *count, uint32_t source, uint64_t index,
                       struct trj_error *err);

// Appends the number of runs, and the runs: source, first, step and count as u64.
void trj_frame_runs_put(struct trj_bytes *b, const struct trj_frame_run *runs, size_t count);
// Reads such a list, which the caller frees. Source number i is replaced by source[i]; the table has `sources` entries.
// Fails with TRJ_BAD_DATA if a run is invalid, or if the runs do not contain `frames` frames in total.
int trj_frame_runs_get(struct trj_cursor *c, struct trj_frame_run **runs, size_t *count, const uint32_t *source,
                       size_t sources, uint64_t frames, struct trj_error *err);

// Sorts the runs. Returns whether two of them contain the same frame, and if so sets *source and *frame to it.
bool trj_frame_runs_overlap(struct trj_frame_run *runs, size_t n, uint32_t *source, uint64_t *frame);

#endif
