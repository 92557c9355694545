// SPDX-License-Identifier: MIT
// Joins blocks of start frames when there are too many, so that they are of equal length, whatever the number of
// frames, which is not known before the end of a stream.
#include "lag_records.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

enum { LEVELS = 48 };
static const char what[] = "sums of lags";

int tcf_records_open(struct tcf_records *r, size_t parts, size_t lags, struct tcf_range range, struct trj_error *err) {
    *r = (struct tcf_records){.parts = parts, .lags = lags, .range = range, .next = range.first};
    if (!(r->total = trj_alloc(parts * lags, sizeof *r->total, what, err)) ||
        !(r->number = trj_alloc(lags, sizeof *r->number, what, err)))
        return -1;
    return 0;
}

void tcf_records_free(struct tcf_records *r) {
    for (size_t i = 0; i < r->nodes; i++) free(r->node[i].value);
    free(r->node);
    free(r->spare);
    free(r->incomplete[0]);
    free(r->incomplete[1]);
    free(r->total);
    free(r->number);
    *r = (struct tcf_records){0};
}

static size_t numbers_of(const struct tcf_records *r) {
    return (r->parts + 1) * r->lags;
}

static void add(double *to, const double *from, size_t n) {
    for (size_t i = 0; i < n; i++) to[i] += from[i];
}

// Adds the second of two nodes to the first.
static void join(struct tcf_records *r, size_t first) {
    struct tcf_node *node = r->node + first;
    add(node[0].value, node[1].value, numbers_of(r));
    node->level++;
    free(r->spare);
    r->spare = node[1].value;
    r->nodes--;
    memmove(node + 1, node + 2, (r->nodes - first - 1) * sizeof *node);
}

// Returns whether a node and the next one, which begins at addition number `start`, are the halves of one.
static bool are_halves(const struct tcf_node *node, uint64_t start) {
    return node[0].level == node[1].level && start >> node->level & 1;
}

// Joins records to those of the next level.
static void raise_level(struct tcf_records *r) {
    uint64_t start = r->range.first; // of the second of two nodes
    for (size_t i = 0; i + 1 < r->nodes; i++) {
        start += (uint64_t)1 << r->node[i].level;
        if (r->node[i].level != r->level || !are_halves(&r->node[i], start)) continue;
        start += (uint64_t)1 << r->level;
        join(r, i);
    }
    r->level++;
}

// Returns whether there are as many records as possible, so that another addition is one too many.
static bool is_full(const struct tcf_records *r) {
    size_t complete = 0;
    for (size_t i = 0; i < r->nodes; i++) complete += r->node[i].level == r->level;
    return complete == TCF_RECORDS;
}

// Adds a node, whose pairs are at `pairs`, and joins it to earlier ones.
static int add_node(struct tcf_records *r, unsigned level, const double *sums, const double *pairs,
                    struct trj_error *err) {
    const size_t n = r->parts * r->lags;
    while (r->level < level || is_full(r)) raise_level(r);
    if (trj_grow(&r->node, &r->capacity, r->nodes + 1, sizeof *r->node, what, err)) return -1;
    if (!r->spare && !(r->spare = trj_alloc(numbers_of(r), sizeof *r->spare, what, err))) return -1;
    memcpy(r->spare, sums, n * sizeof *sums);
    memcpy(r->spare + n, pairs, r->lags * sizeof *pairs);
    r->node[r->nodes++] = (struct tcf_node){level, r->spare};
    r->spare = NULL;
    uint64_t start = r->next;
    while (r->nodes > 1 && r->node[r->nodes - 1].level < r->level && are_halves(&r->node[r->nodes - 2], start)) {
        start -= (uint64_t)1 << r->node[r->nodes - 2].level;
        join(r, r->nodes - 2);
    }
    r->next += (uint64_t)1 << level;
    return 0;
}

int tcf_records_add(struct tcf_records *r, const double *sums, const double *pairs, struct trj_error *err) {
    return r->next - r->range.first < r->range.count ? add_node(r, 0, sums, pairs, err) : 0;
}

int tcf_records_add_node(struct tcf_records *r, unsigned level, const double *value, struct trj_error *err) {
    if (level >= LEVELS || r->next & (((uint64_t)1 << level) - 1))
        return trj_fail(err, TRJ_BAD_DATA, "sums of 2^%u start frames or chunks begin at number %llu", level,
                        (unsigned long long)r->next);
    return add_node(r, level, value, value + r->parts * r->lags, err);
}

// Sets a record to the sum of nodes first to end - 1, added from the last one on, as if the block were complete.
static int set_record(struct tcf_records *r, size_t first, size_t end, struct trj_error *err) {
    const double *value = r->node[first].value;
    if (end > first + 1) {
        double **sum = &r->incomplete[r->count > 0];
        if (!*sum && !(*sum = trj_alloc(numbers_of(r), sizeof **sum, what, err))) return -1;
        memcpy(*sum, r->node[end - 1].value, numbers_of(r) * sizeof **sum);
        for (size_t i = end - 1; i-- > first;) add(*sum, r->node[i].value, numbers_of(r));
        value = *sum;
    }
    r->record[r->count++] = (struct tcf_record){value, value + r->parts * r->lags};
    return 0;
}

int tcf_records_finish(struct tcf_records *r, struct trj_error *err) {
    uint64_t start = r->range.first;
    r->count = 0;
    for (size_t first = 0, end; first < r->nodes; first = end) {
        const uint64_t block = start >> r->level;
        for (end = first; end < r->nodes && start >> r->level == block; end++)
            start += (uint64_t)1 << r->node[end].level;
        if (set_record(r, first, end, err)) return -1;
    }
    memset(r->total, 0, r->parts * r->lags * sizeof *r->total);
    memset(r->number, 0, r->lags * sizeof *r->number);
    for (size_t i = 0; i < r->count; i++) {
        add(r->total, r->record[i].sum, r->parts * r->lags);
        add(r->number, r->record[i].pairs, r->lags);
    }
    return 0;
}
