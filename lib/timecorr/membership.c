// SPDX-License-Identifier: MIT
// Compares sets of members as bits: 64 members of two frames with one operation.
#include "membership.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "memory.h"

struct tcf_membership {
    size_t possible, words, lags; // lags: the largest one and 1
    uint64_t frames, finished;    // of the run: frames; start frames whose sums are complete
    uint64_t *set, *left;         // [lags][words] members of a start frame; those of them that have stayed since then
    uint64_t *members;            // [lags] of a start frame
    double *sum;                  // [lags][TCF_MEMBERSHIP_PARTS][lags] members that are left after each lag
    double *pairs;                // [lags]
    struct tcf_records records;
};

int tcf_membership_open(struct tcf_membership **result, size_t possible, uint64_t max_lag, struct trj_error *err) {
    static const char what[] = "windows of sets";
    struct tcf_membership *m = *result = trj_alloc(1, sizeof *m, what, err);
    if (!m) return -1;
    m->possible = possible;
    m->words = (possible + 63) / 64;
    m->lags = (size_t)max_lag + 1;
    const double memory = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE),
                 bytes = (double)m->lags * (16.0 * (double)m->words + 16.0 * (double)m->lags);
    if (memory > 0 && bytes > memory)
        return trj_fail(err, TRJ_BAD_DATA,
                        "windows of %llu frames need %.3g GiB of memory: this machine has %.3g GiB; use fewer lags "
                        "(--lags), or a smaller group",
                        (unsigned long long)max_lag, bytes / 0x1p30, memory / 0x1p30);
    if (!(m->set = trj_alloc(m->lags * m->words, sizeof *m->set, what, err)) ||
        !(m->left = trj_alloc(m->lags * m->words, sizeof *m->left, what, err)) ||
        !(m->members = trj_alloc(m->lags, sizeof *m->members, what, err)) ||
        !(m->sum = trj_alloc(m->lags * TCF_MEMBERSHIP_PARTS, m->lags * sizeof *m->sum, what, err)) ||
        !(m->pairs = trj_alloc(m->lags, sizeof *m->pairs, what, err)))
        return -1;
    return tcf_records_open(&m->records, TCF_MEMBERSHIP_PARTS, m->lags, err);
}

void tcf_membership_close(struct tcf_membership *m) {
    if (!m) return;
    free(m->set);
    free(m->left);
    free(m->members);
    free(m->sum);
    free(m->pairs);
    tcf_records_free(&m->records);
    free(m);
}

// Adds the sums of the next start frame to the records: those of the lags at which a frame has come.
static void finish_start(struct tcf_membership *m) {
    const size_t place = (size_t)(m->finished % m->lags);
    const uint64_t known = m->frames - m->finished++;
    for (size_t k = 0; k < m->lags; k++) m->pairs[k] = k < known ? (double)m->members[place] : 0;
    tcf_records_add(&m->records, m->sum + place * TCF_MEMBERSHIP_PARTS * m->lags, m->pairs);
}

// Compares the last frame with the one `lag` frames before.
static void compare(struct tcf_membership *m, const uint64_t *now, size_t lag) {
    const size_t place = (size_t)((m->frames - 1 - lag) % m->lags);
    const uint64_t *set = m->set + place * m->words;
    uint64_t *left = m->left + place * m->words, there = 0, stayed = 0;
    for (size_t w = 0; w < m->words; w++) {
        left[w] &= now[w];
        there += (uint64_t)__builtin_popcountll(set[w] & now[w]);
        stayed += (uint64_t)__builtin_popcountll(left[w]);
    }
    double *sum = m->sum + place * TCF_MEMBERSHIP_PARTS * m->lags;
    sum[TCF_INTERMITTENT * m->lags + lag] = (double)there;
    sum[TCF_CONTINUOUS * m->lags + lag] = (double)stayed;
}

void tcf_membership_add(struct tcf_membership *m, const double *member) {
    const size_t place = (size_t)(m->frames % m->lags);
    uint64_t *set = m->set + place * m->words;
    if (m->frames - m->finished == m->lags) finish_start(m);
    memset(set, 0, m->words * sizeof *set);
    m->members[place] = 0;
    for (size_t i = 0; i < m->possible; i++) {
        const bool is = member[i] != 0;
        set[i / 64] |= (uint64_t)is << i % 64;
        m->members[place] += is;
    }
    memcpy(m->left + place * m->words, set, m->words * sizeof *set);
    memset(m->sum + place * TCF_MEMBERSHIP_PARTS * m->lags, 0, TCF_MEMBERSHIP_PARTS * m->lags * sizeof *m->sum);
    m->frames++;
    for (size_t k = 0; k < m->lags && k < m->frames; k++) compare(m, set, k);
}

void tcf_membership_break(struct tcf_membership *m) {
    while (m->finished < m->frames) finish_start(m);
    m->frames = m->finished = 0;
}

const struct tcf_records *tcf_membership_records(const struct tcf_membership *m) {
    return &m->records;
}
