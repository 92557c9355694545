// SPDX-License-Identifier: MIT
// Counts how many pairs of a frame, such as hydrogen bonds, exist at a later frame, too: in this frame (intermittent),
// or in all frames up to it (continuous). As membership.h, for sets of which each contains few of many possible pairs.
//
// Each pair has the list of the frames in a window in which it existed, so that the time of a frame grows with the
// number of coincidences. Counts are integers, so that their sums are exact. Memory: 8 bytes for each pair of each
// frame of a window, and 16 bytes for each pair of lags.
#ifndef TCF_PAIR_HISTORY_H
#define TCF_PAIR_HISTORY_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "lag_records.h"

struct tcf_pair_history;

// Fails with TRJ_BAD_DATA if the machine has less memory than max_lag requires.
int tcf_pair_history_open(struct tcf_pair_history **h, uint64_t max_lag, struct trj_error *err);
void tcf_pair_history_close(struct tcf_pair_history *h); // NULL is allowed
// Adds a pair of the frame that is added next; one that was added before is ignored.
int tcf_pair_history_add(struct tcf_pair_history *h, uint32_t a, uint32_t b, struct trj_error *err);
// Ends the pairs of a frame.
void tcf_pair_history_end_frame(struct tcf_pair_history *h);
// Ends a run: later frames are not compared with earlier ones.
void tcf_pair_history_break(struct tcf_pair_history *h);
// Returns the sums after the end of the last run, with the parts of tcf_membership_records.
const struct tcf_records *tcf_pair_history_records(const struct tcf_pair_history *h);

#endif
