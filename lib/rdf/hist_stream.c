// SPDX-License-Identifier: MIT
#include "hist_stream.h"

#include <stdlib.h>

#include "block_stream.h"
#include "hist_parts.h"
#include "memory.h"

const struct trj_stream_kind rdf_hist_kind = {"histogram stream", {0x89, 'R', 'D', 'H', '\r', '\n', 0x1a, '\n'}, 1, 1};

bool rdf_hist_is(const unsigned char *head, size_t n) {
    return trj_stream_is(head, n, &rdf_hist_kind);
}

void rdf_hist_free(struct rdf_hist *h) {
    for (size_t i = 0; i < h->record_count; i++) rdf_record_free(&h->records[i]);
    for (size_t i = 0; i < h->source_count; i++) free(h->sources[i].name);
    free(h->records);
    free(h->sources);
    trj_text_index_free(&h->line_index);
    trj_texts_clear(&h->provenance);
    rdf_setup_free(&h->setup);
    *h = (struct rdf_hist){0};
}

struct rdf_record rdf_hist_total(const struct rdf_hist *h) {
    struct rdf_record t = rdf_record_without_arrays(&h->records[0]);
    for (size_t i = 1; i < h->record_count; i++) rdf_record_merge(&t, &h->records[i]);
    return t;
}

// ---- frames counted twice ----

static int by_source_and_first(const void *x, const void *y) {
    const struct rdf_run *a = x, *b = y;
    if (a->source != b->source) return a->source < b->source ? -1 : 1;
    return a->first < b->first ? -1 : a->first > b->first;
}

// Return (x * y) mod m, and the inverse of x modulo m for coprime x and m.
static uint64_t multiply(uint64_t x, uint64_t y, uint64_t m) {
    return (uint64_t)((unsigned __int128)x * y % m);
}

static uint64_t invert(uint64_t x, uint64_t m) {
    uint64_t r0 = m, r1 = x % m, y0 = 0, y1 = 1 % m; // r1 == x * y1 mod m, throughout (Euclid)
    while (r1 > 1) {
        uint64_t q = r0 / r1, r = r0 % r1, t = multiply(q, y1, m), y = y0 >= t ? y0 - t : m - (t - y0);
        r0 = r1, r1 = r;
        y0 = y1, y1 = y;
    }
    return y1;
}

static uint64_t greatest_divisor(uint64_t x, uint64_t y) {
    while (y) {
        uint64_t rest = x % y;
        x = y;
        y = rest;
    }
    return x;
}

// Finds the first frame that both runs contain: b->first + k b->step with k b->step = a->first - b->first mod a->step.
static bool common(const struct rdf_run *a, const struct rdf_run *b, uint64_t *frame) {
    if (a->first > b->first) {
        const struct rdf_run *c = a;
        a = b;
        b = c;
    }
    uint64_t divisor = greatest_divisor(a->step, b->step), m = a->step / divisor,
             remainder = (b->first - a->first) % a->step;
    if (remainder % divisor) return false;
    uint64_t need = remainder ? (a->step - remainder) / divisor : 0,
             k = multiply(need, invert(b->step / divisor, m), m);
    if (k >= b->count) return false;
    *frame = b->first + k * b->step;
    return *frame <= rdf_run_last(a);
}

int rdf_hist_check_frames(const struct rdf_hist *h, struct trj_error *err) {
    size_t n = 0, k = 0;
    for (size_t i = 0; i < h->record_count; i++) n += h->records[i].run_count;
    struct rdf_run *runs = trj_alloc(n, sizeof *runs, "frame ranges", err);
    if (!runs) return -1;
    for (size_t i = 0; i < h->record_count; i++)
        for (size_t j = 0; j < h->records[i].run_count; j++) runs[k++] = h->records[i].runs[j];
    qsort(runs, n, sizeof *runs, by_source_and_first);
    int rc = 0;
    for (size_t i = 0; !rc && i < n; i++)
        for (size_t j = i + 1;
             !rc && j < n && runs[j].source == runs[i].source && runs[j].first <= rdf_run_last(&runs[i]); j++) {
            uint64_t frame;
            if (common(&runs[i], &runs[j], &frame))
                rc = trj_fail(err, TRJ_BAD_DATA,
                              "frame %llu of %s is counted twice (files are identified by their size, start and "
                              "end, pipes by their first 64 KiB); give it once",
                              (unsigned long long)frame, h->sources[runs[i].source].name);
        }
    free(runs);
    return rc;
}
