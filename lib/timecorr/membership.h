// SPDX-License-Identifier: MIT
// Counts how many members of a set that changes, such as the waters near a protein, belong to it at a later frame, too:
// in this frame, wherever they were between (intermittent), or in all frames up to it (continuous).
//
// The set of each frame is kept as bits, for as many frames as the largest lag, and compared with that of each later
// frame. Counts are integers, so that their sums are exact. Memory: two bits for each possible member and lag.
#ifndef TCF_MEMBERSHIP_H
#define TCF_MEMBERSHIP_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "start_frames.h"

struct tcf_membership;

// possible: members that the set can have. Fails with TRJ_BAD_DATA if the machine has less memory than max_lag
// requires.
int tcf_membership_open(struct tcf_membership **m, size_t possible, uint64_t max_lag, struct trj_error *err);
void tcf_membership_close(struct tcf_membership *m); // NULL is allowed
// Adds the next frame of a run: member[possible] is not 0 for members.
void tcf_membership_add(struct tcf_membership *m, const double *member);
// Ends a run: later frames are not compared with earlier ones.
void tcf_membership_break(struct tcf_membership *m);
// Returns the sums after the end of the last run: parts TCF_INTERMITTENT and TCF_CONTINUOUS of the members that are
// left, and, in place of pairs of frames, the members at the start of these.
const struct tcf_records *tcf_membership_records(const struct tcf_membership *m);

#endif
