// SPDX-License-Identifier: MIT
// Keeps the first frames of a stream until the interval is known, because pairs of frames cannot be counted before.
#include "interval_reader.h"

#include "stream_input.h"

// Returns whether one gap has occurred more often than all others, and at least twice.
static bool is_decided(const struct trj_gap_tally *t) {
    uint64_t max = 1;
    size_t with_max = 0;
    for (size_t i = 0; i < t->count; i++) {
        if (t->times[i] > max) with_max = 0;
        if (t->times[i] > max) max = t->times[i];
        with_max += t->times[i] == max && max > 1;
    }
    return with_max == 1;
}

// Reads ahead until the interval is known.
static int read_ahead(struct trj_interval_reader *r, struct trj_reader *in, struct trj_error *err) {
    struct trj_gap_tally tally = {.count = 0};
    size_t bytes = trj_frame_bytes(in->header->atoms), max = TRJ_INTERVAL_FRAMES;
    if (bytes > TRJ_INTERVAL_BYTES / TRJ_INTERVAL_FRAMES) max = TRJ_INTERVAL_BYTES / bytes;
    if (max < 3) max = 3;
    while (r->count < max && !is_decided(&tally)) {
        struct trj_frame *now = &r->ahead[r->count];
        int got = trj_stream_input_read(in, now, err);
        if (got < 0) return -1;
        r->ended = !got;
        if (!got) break;
        if (r->count++) {
            struct trj_gap gap = trj_gap_between(now - 1, now);
            trj_gap_tally_add(&tally, &gap, now - 1, now);
        }
    }
    r->started = true;
    r->interval = trj_gap_most_common(&tally);
    return 0;
}

int trj_interval_read(struct trj_interval_reader *r, struct trj_reader *in, struct trj_frame *f,
                      struct trj_error *err) {
    if (r->wanted && !r->started && read_ahead(r, in, err)) return -1;
    if (r->next == r->count) {
        trj_interval_reader_free(r);
        return r->ended ? 0 : trj_stream_input_read(in, f, err);
    }
    struct trj_frame spare = *f;
    *f = r->ahead[r->next];
    r->ahead[r->next++] = spare;
    return 1;
}

int trj_interval_fail_frame(const struct trj_interval_reader *r, const struct trj_reader *in, struct trj_error *err) {
    return trj_stream_input_fail_earlier(in, in->next - 1 - (r->count - r->next), err);
}

void trj_interval_reader_free(struct trj_interval_reader *r) {
    for (size_t i = 0; i < r->count; i++) trj_frame_free(&r->ahead[i]);
    r->count = r->next = 0;
}
