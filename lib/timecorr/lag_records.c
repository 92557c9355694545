// SPDX-License-Identifier: MIT
// Joins blocks of start frames when there are too many, so that they are of equal length, whatever the number of
// frames, which is not known before the end of a stream.
#include "lag_records.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"

int tcf_records_open(struct tcf_records *r, size_t parts, size_t lags, struct trj_error *err) {
    *r = (struct tcf_records){.parts = parts, .lags = lags, .each = 1};
    if (!(r->sum = trj_alloc(TCF_RECORDS * parts * lags, sizeof *r->sum, "sums of lags", err)) ||
        !(r->pairs = trj_alloc(TCF_RECORDS * lags, sizeof *r->pairs, "sums of lags", err)) ||
        !(r->total = trj_alloc(parts * lags, sizeof *r->total, "sums of lags", err)) ||
        !(r->number = trj_alloc(lags, sizeof *r->number, "sums of lags", err)))
        return -1;
    return 0;
}

void tcf_records_free(struct tcf_records *r) {
    free(r->sum);
    free(r->pairs);
    free(r->total);
    free(r->number);
    *r = (struct tcf_records){0};
}

static void add(double *to, const double *from, size_t n) {
    for (size_t i = 0; i < n; i++) to[i] += from[i];
}

// Joins records 2 i and 2 i + 1 to record i of an array with n numbers for each.
static void join(double *values, size_t n) {
    for (size_t i = 0; i < TCF_RECORDS / 2; i++) {
        if (i) memcpy(values + i * n, values + 2 * i * n, n * sizeof *values);
        add(values + i * n, values + (2 * i + 1) * n, n);
    }
    memset(values + TCF_RECORDS / 2 * n, 0, TCF_RECORDS / 2 * n * sizeof *values);
}

bool tcf_records_full(const struct tcf_records *r) {
    return r->count == TCF_RECORDS && r->last == r->each;
}

void tcf_records_join(struct tcf_records *r) {
    join(r->sum, r->parts * r->lags);
    join(r->pairs, r->lags);
    r->count /= 2;
}

void tcf_records_add(struct tcf_records *r, const double *sums, const double *pairs) {
    const size_t n = r->parts * r->lags;
    if (tcf_records_full(r)) {
        tcf_records_join(r);
        r->each *= 2;
        r->last = r->each;
    }
    if (!r->count || r->last == r->each) {
        r->count++;
        r->last = 0;
    }
    r->last++;
    add(r->sum + (r->count - 1) * n, sums, n);
    add(r->pairs + (r->count - 1) * r->lags, pairs, r->lags);
    add(r->total, sums, n);
    add(r->number, pairs, r->lags);
}
