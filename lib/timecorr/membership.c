// SPDX-License-Identifier: MIT
// Compares sets of members as bits: 64 members of two frames with one operation.
#include "membership.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"

struct tcf_membership {
    size_t possible, words;
    uint64_t *set, *left; // [lags][words] members of a start frame; those of them that have stayed since then
    uint64_t *now;        // [words]
    struct tcf_starts starts;
};

int tcf_membership_open(struct tcf_membership **result, size_t possible, uint64_t max_lag, struct trj_error *err) {
    static const char what[] = "windows of sets";
    struct tcf_membership *m = *result = trj_alloc(1, sizeof *m, what, err);
    if (!m) return -1;
    m->possible = possible;
    m->words = (possible + 63) / 64;
    if (tcf_starts_open(&m->starts, max_lag, 16.0 * (double)m->words, err) ||
        !(m->set = trj_alloc(m->starts.lags * m->words, sizeof *m->set, what, err)) ||
        !(m->left = trj_alloc(m->starts.lags * m->words, sizeof *m->left, what, err)) ||
        !(m->now = trj_alloc(m->words, sizeof *m->now, what, err)))
        return -1;
    return 0;
}

void tcf_membership_close(struct tcf_membership *m) {
    if (!m) return;
    tcf_starts_free(&m->starts);
    free(m->set);
    free(m->left);
    free(m->now);
    free(m);
}

// Compares the last frame with the one `lag` frames before.
static void compare(struct tcf_membership *m, size_t lag) {
    const size_t place = tcf_starts_place(&m->starts, lag);
    const uint64_t *set = m->set + place * m->words;
    uint64_t *left = m->left + place * m->words, there = 0, stayed = 0;
    for (size_t w = 0; w < m->words; w++) {
        left[w] &= m->now[w];
        there += (uint64_t)__builtin_popcountll(set[w] & m->now[w]);
        stayed += (uint64_t)__builtin_popcountll(left[w]);
    }
    tcf_starts_set(&m->starts, lag, there, stayed);
}

void tcf_membership_add(struct tcf_membership *m, const double *member) {
    uint64_t members = 0;
    memset(m->now, 0, m->words * sizeof *m->now);
    for (size_t i = 0; i < m->possible; i++) {
        const uint64_t is = member[i] != 0;
        m->now[i / 64] |= is << i % 64;
        members += is;
    }
    tcf_starts_begin(&m->starts, members);
    const size_t place = tcf_starts_place(&m->starts, 0);
    memcpy(m->set + place * m->words, m->now, m->words * sizeof *m->now);
    memcpy(m->left + place * m->words, m->now, m->words * sizeof *m->now);
    for (size_t k = 0; k < tcf_starts_lags(&m->starts); k++) compare(m, k);
}

void tcf_membership_break(struct tcf_membership *m) {
    tcf_starts_break(&m->starts);
}

const struct tcf_records *tcf_membership_records(const struct tcf_membership *m) {
    return &m->starts.records;
}
