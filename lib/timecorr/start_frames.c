// SPDX-License-Identifier: MIT
// Keeps sums of start frames for pair_history.c.
#include "start_frames.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"

double tcf_starts_bytes(uint64_t max_lag) {
    const double lags = (double)max_lag + 1;
    return lags * sizeof(double) * TCF_SET_PARTS * (lags + TCF_RECORDS);
}

int tcf_starts_open(struct tcf_starts *s, uint64_t max_lag, struct tcf_range range, struct trj_error *err) {
    static const char what[] = "windows of sets";
    *s = (struct tcf_starts){.lags = (size_t)max_lag + 1};
    if (!(s->members = trj_alloc(s->lags, sizeof *s->members, what, err)) ||
        !(s->sum = trj_alloc(s->lags * TCF_SET_PARTS, s->lags * sizeof *s->sum, what, err)) ||
        !(s->pairs = trj_alloc(s->lags, sizeof *s->pairs, what, err)))
        return -1;
    return tcf_records_open(&s->records, TCF_SET_PARTS, s->lags, range, err);
}

void tcf_starts_free(struct tcf_starts *s) {
    free(s->members);
    free(s->sum);
    free(s->pairs);
    tcf_records_free(&s->records);
}

// Returns the place of the frame `lag` before the last one.
static size_t place_of(const struct tcf_starts *s, size_t lag) {
    return (size_t)((s->frames - 1 - lag) % s->lags);
}

size_t tcf_starts_lags(const struct tcf_starts *s) {
    return s->frames < s->lags ? (size_t)s->frames : s->lags;
}

static double *sums_at(const struct tcf_starts *s, size_t place) {
    return s->sum + place * TCF_SET_PARTS * s->lags;
}

// Adds the sums of the next start frame to the records: those of the lags at which a frame has come.
static int finish_start(struct tcf_starts *s, struct trj_error *err) {
    const size_t place = (size_t)(s->finished % s->lags);
    const uint64_t known = s->frames - s->finished++;
    for (size_t k = 0; k < s->lags; k++) s->pairs[k] = k < known ? (double)s->members[place] : 0;
    return tcf_records_add(&s->records, sums_at(s, place), s->pairs, err);
}

int tcf_starts_begin(struct tcf_starts *s, uint64_t members, struct trj_error *err) {
    if (s->frames - s->finished == s->lags && finish_start(s, err)) return -1;
    s->frames++;
    const size_t place = place_of(s, 0);
    s->members[place] = members;
    memset(sums_at(s, place), 0, TCF_SET_PARTS * s->lags * sizeof *s->sum);
    return 0;
}

void tcf_starts_set(struct tcf_starts *s, size_t lag, uint64_t intermittent, uint64_t continuous) {
    double *sum = sums_at(s, place_of(s, lag));
    sum[TCF_INTERMITTENT * s->lags + lag] = (double)intermittent;
    sum[TCF_CONTINUOUS * s->lags + lag] = (double)continuous;
}

int tcf_starts_break(struct tcf_starts *s, struct trj_error *err) {
    while (s->finished < s->frames)
        if (finish_start(s, err)) return -1;
    s->frames = s->finished = 0;
    return 0;
}

int tcf_starts_finish(struct tcf_starts *s, struct trj_error *err) {
    return tcf_starts_break(s, err) ? -1 : tcf_records_finish(&s->records, err);
}
