// SPDX-License-Identifier: MIT
// Keeps sums of start frames for membership.c and pair_history.c, which differ in how they compare sets.
#include "start_frames.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "memory.h"

int tcf_starts_open(struct tcf_starts *s, uint64_t max_lag, double bytes, struct trj_error *err) {
    static const char what[] = "windows of sets";
    *s = (struct tcf_starts){.lags = (size_t)max_lag + 1};
    const double memory = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE),
                 all = (double)s->lags * (bytes + 16 * (double)s->lags);
    if (memory > 0 && all > memory)
        return trj_fail(err, TRJ_BAD_DATA,
                        "windows of %llu frames need %.3g GiB of memory: this machine has %.3g GiB; use fewer lags "
                        "(--lags), or a smaller group",
                        (unsigned long long)max_lag, all / 0x1p30, memory / 0x1p30);
    if (!(s->members = trj_alloc(s->lags, sizeof *s->members, what, err)) ||
        !(s->sum = trj_alloc(s->lags * TCF_SET_PARTS, s->lags * sizeof *s->sum, what, err)) ||
        !(s->pairs = trj_alloc(s->lags, sizeof *s->pairs, what, err)))
        return -1;
    return tcf_records_open(&s->records, TCF_SET_PARTS, s->lags, err);
}

void tcf_starts_free(struct tcf_starts *s) {
    free(s->members);
    free(s->sum);
    free(s->pairs);
    tcf_records_free(&s->records);
}

size_t tcf_starts_place(const struct tcf_starts *s, size_t lag) {
    return (size_t)((s->frames - 1 - lag) % s->lags);
}

size_t tcf_starts_lags(const struct tcf_starts *s) {
    return s->frames < s->lags ? (size_t)s->frames : s->lags;
}

static double *sums_at(const struct tcf_starts *s, size_t place) {
    return s->sum + place * TCF_SET_PARTS * s->lags;
}

// Adds the sums of the next start frame to the records: those of the lags at which a frame has come.
static void finish_start(struct tcf_starts *s) {
    const size_t place = (size_t)(s->finished % s->lags);
    const uint64_t known = s->frames - s->finished++;
    for (size_t k = 0; k < s->lags; k++) s->pairs[k] = k < known ? (double)s->members[place] : 0;
    tcf_records_add(&s->records, sums_at(s, place), s->pairs);
}

void tcf_starts_begin(struct tcf_starts *s, uint64_t members) {
    if (s->frames - s->finished == s->lags) finish_start(s);
    s->frames++;
    const size_t place = tcf_starts_place(s, 0);
    s->members[place] = members;
    memset(sums_at(s, place), 0, TCF_SET_PARTS * s->lags * sizeof *s->sum);
}

void tcf_starts_set(struct tcf_starts *s, size_t lag, uint64_t intermittent, uint64_t continuous) {
    double *sum = sums_at(s, tcf_starts_place(s, lag));
    sum[TCF_INTERMITTENT * s->lags + lag] = (double)intermittent;
    sum[TCF_CONTINUOUS * s->lags + lag] = (double)continuous;
}

void tcf_starts_break(struct tcf_starts *s) {
    while (s->finished < s->frames) finish_start(s);
    s->frames = s->finished = 0;
}
