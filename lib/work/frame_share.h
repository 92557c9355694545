// SPDX-License-Identifier: MIT
// States which frames this process computes, where a run is divided: among processes (MPI), or in time, where a run
// continues after a checkpoint (checkpoint.h). Every process reads all frames, so that its first-frame set-up, records,
// intervals and notes are those of a single process; only the expensive work of the frames of others is left out. The
// sums of a record are completed by work_share_combine before they are used.
//
// A NULL share means that this process computes all frames, and that its sums are complete.
#ifndef WORK_FRAME_SHARE_H
#define WORK_FRAME_SHARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"

// How the values of several parts become those of the whole.
enum work_share_kind {
    WORK_SHARE_SUM,   // int64 or uint64, added modulo 2^64
    WORK_SHARE_MAP,   // int64; a sum that may exceed 64 bits is an error
    WORK_SHARE_WIDE,  // 128-bit integers of numeric/wide.h, added modulo 2^128; `count` is the number of these
    WORK_SHARE_EXACT, // sums of numeric/exact_sum.h; `count` is the number of these
    WORK_SHARE_MAX,   // float64: the largest; NAN if one of them is NAN
    WORK_SHARE_LIST,  // float64 values of one frame, which exactly one process has computed
};

// Returns the number of 8-byte words of a value.
static inline size_t work_share_words(enum work_share_kind kind) {
    return kind == WORK_SHARE_EXACT ? 8 : kind == WORK_SHARE_WIDE ? 2 : 1;
}

struct work_share {
    // Returns whether this process computes the frame with this number, from 0 in the order of the stream (with lags
    // the number of the pair of frames). The result for a number never changes, and has no side effect.
    bool (*computes)(const void *owner, uint64_t frame);
    // Replaces values[count], to which only the frames that this process computes have contributed, by those of all
    // frames. All processes call it in the same order with the same counts. Fails with TRJ_FAILED if another process or
    // a file fails, and with TRJ_BAD_DATA if that is damaged or if a sum is too large.
    int (*combine)(void *owner, void *values, size_t count, enum work_share_kind kind, struct trj_error *err);
    void *owner;
};

static inline bool work_share_computes(const struct work_share *s, uint64_t frame) {
    return !s || s->computes(s->owner, frame);
}

static inline int work_share_combine(const struct work_share *s, void *values, size_t count, enum work_share_kind kind,
                                     struct trj_error *err) {
    return s ? s->combine(s->owner, values, count, kind, err) : 0;
}

#endif
