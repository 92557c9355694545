// SPDX-License-Identifier: MIT
// Counts how many pairs of a frame, such as hydrogen bonds, also exist in a later frame (intermittent), or in all
// frames up to the later one (continuous).
//
// Each pair has the list of its stays in a window, that is frames without a gap, so that the time of a frame grows with
// the number of these. Counts are integers, so that their sums are exact. Memory: 16 bytes for each stay in a window,
// TCF_PAIR_BYTES for each pair, and 16 for each pair of lags.
#ifndef TCF_PAIR_HISTORY_H
#define TCF_PAIR_HISTORY_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "lag_records.h"

enum { TCF_PAIR_BYTES = 100 }; // of a pair with few stays

struct tcf_pair_history;

// range: start frames (start_frames.h).
int tcf_pair_history_open(struct tcf_pair_history **h, uint64_t max_lag, struct tcf_range range, struct trj_error *err);
void tcf_pair_history_close(struct tcf_pair_history *h); // NULL is allowed
// Adds a pair of the frame that is added next; one that was added before is ignored.
int tcf_pair_history_add(struct tcf_pair_history *h, uint32_t a, uint32_t b, struct trj_error *err);
// Adds the members of a set, such as the waters near a protein, as pairs (i, 0) of the frame that is added next:
// member[possible] is not 0 for members.
int tcf_pair_history_add_set(struct tcf_pair_history *h, const double *member, size_t possible, struct trj_error *err);
// Ends the pairs of a frame.
int tcf_pair_history_end_frame(struct tcf_pair_history *h, struct trj_error *err);
// Returns how many pairs are kept.
size_t tcf_pair_history_pairs(const struct tcf_pair_history *h);
// Ends a run: later frames are not compared with earlier ones.
int tcf_pair_history_break(struct tcf_pair_history *h, struct trj_error *err);
// Ends the last run.
int tcf_pair_history_finish(struct tcf_pair_history *h, struct trj_error *err);
// Returns the sums after the end of the last run: parts TCF_INTERMITTENT and TCF_CONTINUOUS of the pairs that remain,
// and, in place of the number of pairs of frames, the number of pairs in the start frames.
const struct tcf_records *tcf_pair_history_records(const struct tcf_pair_history *h);

#endif
