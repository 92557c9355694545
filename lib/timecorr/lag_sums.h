// SPDX-License-Identifier: MIT
// The sums over pairs of frames of one signal, whichever way they are computed: of numbers at all lags (correlator.h)
// or at those of octaves (octaves.h), or of members of a set or pairs of atoms (pair_history.h).
//
// A segment of a trajectory has the sums of its own start frames, as nodes that partial_sums.h stores. For numbers at
// all lags, its start frames are those of the spans (correlator.h) that begin in the segment; for all others, they are
// the frames of the segment.
#ifndef TCF_LAG_SUMS_H
#define TCF_LAG_SUMS_H

#include <stddef.h>
#include <stdint.h>

#include "correlation_options.h"
#include "correlator.h"
#include "error.h"
#include "frame_stream.h"
#include "lag_records.h"
#include "octaves.h"
#include "pair_history.h"
#include "signal.h"

struct tcf_lag_sums {
    // One of these; the others are NULL.
    struct tcf_correlator *correlator;
    struct tcf_octaves *octaves;
    struct tcf_pair_history *history;
    struct tcf_records *records; // nodes of segments, which are joined
    struct tcf_tree *tree;       // the same, of octaves
    size_t members;              // of the signal: possible members of a set, in `history`
    uint64_t frame, first, end;  // number of the next frame; those that are added
};

// What sums of a signal consist of in segments.
enum tcf_sums_kind {
    TCF_SUMS_VALUES, // of the values of all frames: fluctuations are correlated when those of all segments are known
    TCF_SUMS_NODES,  // of tcf_records
    TCF_SUMS_LEAVES, // of tcf_tree
};
enum tcf_sums_kind tcf_sums_kind(const struct tcf_signal *signal, const struct tcf_options *options);

// Returns the bytes that are required, as far as they are known before the first frame.
double tcf_lag_sums_bytes(const struct tcf_signal *signal, const struct tcf_options *options);
// Returns how many frames the segment requires after its own.
uint64_t tcf_lag_sums_following(const struct tcf_signal *signal, const struct tcf_options *options,
                                const struct trj_stream_segment *segment);
// Returns the most frames that any segment can require after its own.
uint64_t tcf_lag_sums_overlap(const struct tcf_signal *signal, const struct tcf_options *options);

// segment: the frames of the stream; `count` is 0: the trajectory is not divided. Fails with TRJ_BAD_DATA if the
// trajectory is too short to be divided. `threads` is as in pool.h. tcf_lag_sums_close frees, also after a failure.
int tcf_lag_sums_open(struct tcf_lag_sums *s, const struct tcf_signal *signal, const struct tcf_options *options,
                      const struct trj_stream_segment *segment, unsigned threads, struct trj_error *err);
// Opens sums to which nodes of segments are added; total: frames of the trajectory.
int tcf_lag_sums_open_joined(struct tcf_lag_sums *s, enum tcf_sums_kind kind, size_t parts,
                             const struct tcf_options *options, uint64_t total, struct trj_error *err);
void tcf_lag_sums_close(struct tcf_lag_sums *s); // not s itself
// Adds the numbers of a frame. Pairs of atoms have been added to s->history.
int tcf_lag_sums_add(struct tcf_lag_sums *s, const double *value, struct trj_error *err);
// Ends a run: later frames are not compared with earlier ones. Of a segment, fails with TRJ_BAD_DATA if this changes
// the spans.
int tcf_lag_sums_break(struct tcf_lag_sums *s, struct trj_error *err);
// Ends the last run.
int tcf_lag_sums_finish(struct tcf_lag_sums *s, struct trj_error *err);
// Returns the sums, after tcf_lag_sums_finish; of a segment with TCF_SUMS_NODES, NULL if it has none.
const struct tcf_records *tcf_lag_sums_records(const struct tcf_lag_sums *s);

#endif
