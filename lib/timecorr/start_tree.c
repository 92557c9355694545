// SPDX-License-Identifier: MIT
// Adds up sums of start frames in pairs, so that the order of additions does not depend on the order of segments.
#include "start_tree.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

enum { HEIGHTS = 64, MAX_PARTS = 32 };

struct tcf_tree {
    size_t parts, lags, width; // width: numbers of a node
    bool whole;                // not those of a segment
    struct tcf_range range;
    unsigned height;  // of the records
    double *record;   // [lags][TCF_RECORDS][width] the number of pairs is 0 if there are no start frames
    double *pending;  // [lags][HEIGHTS][width] nodes with an even number whose neighbour is not known yet
    uint64_t *number; // [lags][HEIGHTS] 1 + their number; 0: there is none
    struct tcf_tree_node *node;
    size_t nodes, capacity;
    struct tcf_records records;
};

double tcf_tree_bytes(size_t parts, size_t lags) {
    return (double)lags * (3.0 * TCF_RECORDS * (double)(parts + 1) + HEIGHTS) * sizeof(double);
}

int tcf_tree_open(struct tcf_tree **tree, size_t parts, size_t lags, uint64_t frames, const struct tcf_range *range,
                  struct trj_error *err) {
    static const char what[] = "sums of lags";
    struct tcf_tree *t = *tree = trj_alloc(1, sizeof *t, what, err);
    if (!t) return -1;
    *t = (struct tcf_tree){.parts = parts, .lags = lags, .width = parts + 1, .whole = !range};
    if (range) t->range = *range;
    while (frames && (frames - 1) >> t->height >= TCF_RECORDS) t->height++;
    if (parts >= MAX_PARTS) return trj_fail(err, TRJ_FAILED, "%zu parts of a correlation", parts);
    if (!(t->record = trj_alloc(lags * TCF_RECORDS, t->width * sizeof *t->record, what, err)) ||
        !(t->pending = trj_alloc(lags * HEIGHTS, t->width * sizeof *t->pending, what, err)) ||
        !(t->number = trj_alloc(lags, HEIGHTS * sizeof *t->number, what, err)))
        return -1;
    return 0;
}

void tcf_tree_close(struct tcf_tree *t) {
    if (!t) return;
    for (size_t i = 0; i < t->nodes; i++) free(t->node[i].sum);
    tcf_records_free(&t->records);
    free(t->node);
    free(t->record);
    free(t->pending);
    free(t->number);
    free(t);
}

static double *record_at(const struct tcf_tree *t, size_t lag, uint64_t number) {
    return t->record + (lag * TCF_RECORDS + number) * t->width;
}

static double *pending_at(const struct tcf_tree *t, size_t lag, unsigned height) {
    return t->pending + (lag * HEIGHTS + height) * t->width;
}

// Joins the records in pairs. The last one of a lag waits for its neighbour, which can have start frames later on.
static void raise_records(struct tcf_tree *t) {
    const size_t size = t->width * sizeof(double);
    for (size_t lag = 0; lag < t->lags; lag++) {
        size_t count = TCF_RECORDS;
        while (count && !(record_at(t, lag, count - 1)[t->parts] > 0)) count--;
        if (count % 2) {
            memcpy(pending_at(t, lag, t->height), record_at(t, lag, count - 1), size);
            memset(record_at(t, lag, count - 1), 0, size);
            t->number[lag * HEIGHTS + t->height] = count;
        }
        for (size_t i = 0; i < TCF_RECORDS / 2; i++) {
            double *to = record_at(t, lag, i);
            const double *a = record_at(t, lag, 2 * i), *b = record_at(t, lag, 2 * i + 1);
            for (size_t k = 0; k < t->width; k++) to[k] = a[k] + b[k];
        }
        memset(record_at(t, lag, TCF_RECORDS / 2), 0, TCF_RECORDS / 2 * size);
    }
    t->height++;
}

// Returns whether the node that contains this one has start frames of other segments, or is above the records.
static bool is_top(const struct tcf_tree *t, unsigned height, uint64_t number) {
    const uint64_t begin = (number >> 1) << (height + 1), end = begin + (UINT64_C(2) << height);
    return height == t->height || begin < t->range.first || end > t->range.first + t->range.count;
}

static int keep_node(struct tcf_tree *t, size_t lag, unsigned height, uint64_t number, const double *sum,
                     struct trj_error *err) {
    if (trj_grow(&t->node, &t->capacity, t->nodes + 1, sizeof *t->node, "sums of lags", err)) return -1;
    struct tcf_tree_node *node = &t->node[t->nodes];
    *node = (struct tcf_tree_node){lag, height, number, trj_alloc(t->width, sizeof(double), "sums of lags", err)};
    if (!node->sum) return -1;
    memcpy(node->sum, sum, t->width * sizeof *sum);
    t->nodes++;
    return 0;
}

// Adds a complete node, which is changed.
static int carry(struct tcf_tree *t, size_t lag, unsigned height, uint64_t number, double *sum, struct trj_error *err) {
    for (;; height++, number >>= 1) {
        while (t->whole && height == t->height && number >= TCF_RECORDS) raise_records(t);
        if (t->whole && height == t->height) {
            memcpy(record_at(t, lag, number), sum, t->width * sizeof *sum);
            return 0;
        }
        uint64_t *waiting = &t->number[lag * HEIGHTS + height];
        double *before = pending_at(t, lag, height);
        const bool neighbour = *waiting && number == *waiting;
        if (*waiting && !neighbour) { // its neighbour has no start frames
            double old[MAX_PARTS];
            const uint64_t above = (*waiting - 1) >> 1;
            memcpy(old, before, t->width * sizeof *old);
            *waiting = 0;
            if (carry(t, lag, height + 1, above, old, err)) return -1;
        }
        if (!t->whole && is_top(t, height, number)) return keep_node(t, lag, height, number, sum, err);
        if (number % 2 == 0) {
            memcpy(before, sum, t->width * sizeof *sum);
            *waiting = number + 1;
            return 0;
        }
        if (!neighbour) continue;
        for (size_t k = 0; k < t->width; k++) sum[k] = before[k] + sum[k];
        *waiting = 0;
    }
}

// Ends the nodes of a lag that are below a height: their neighbours have no start frames.
static int flush(struct tcf_tree *t, size_t lag, unsigned height, struct trj_error *err) {
    for (unsigned h = 0; h < height; h++) {
        double sum[MAX_PARTS];
        uint64_t *waiting = &t->number[lag * HEIGHTS + h];
        const uint64_t above = (*waiting - 1) >> 1;
        if (!*waiting) continue;
        memcpy(sum, pending_at(t, lag, h), t->width * sizeof *sum);
        *waiting = 0;
        if (carry(t, lag, h + 1, above, sum, err)) return -1;
    }
    return 0;
}

int tcf_tree_add(struct tcf_tree *t, const struct tcf_tree_node *node, struct trj_error *err) {
    const unsigned height = node->height < t->height ? node->height : t->height;
    double sum[MAX_PARTS];
    if (flush(t, node->lag, height, err)) return -1;
    memcpy(sum, node->sum, t->width * sizeof *sum);
    return carry(t, node->lag, height, node->number << (node->height - height), sum, err);
}

static int set_records(struct tcf_tree *t, struct trj_error *err) {
    struct tcf_records *r = &t->records;
    size_t count = 0;
    for (size_t n = 0; n < TCF_RECORDS; n++)
        for (size_t lag = 0; lag < t->lags; lag++)
            if (record_at(t, lag, n)[t->parts] > 0) count = n + 1;
    double *sum = trj_alloc(t->lags, t->width * sizeof *sum, "sums of lags", err);
    int rc = sum ? tcf_records_open(r, t->parts, t->lags, TCF_ALL, err) : -1;
    for (size_t n = 0; !rc && n < count; n++) {
        for (size_t lag = 0; lag < t->lags; lag++)
            for (size_t p = 0; p < t->width; p++) sum[p * t->lags + lag] = record_at(t, lag, n)[p];
        rc = tcf_records_add(r, sum, sum + t->parts * t->lags, err);
    }
    free(sum);
    return rc ? rc : tcf_records_finish(r, err);
}

static int compare_nodes(const void *a, const void *b) {
    const struct tcf_tree_node *x = a, *y = b;
    if (x->lag != y->lag) return x->lag < y->lag ? -1 : 1;
    const uint64_t i = x->number << x->height, k = y->number << y->height;
    return (i > k) - (i < k);
}

int tcf_tree_finish(struct tcf_tree *t, struct trj_error *err) {
    unsigned height;
    do { // the last start frame can be one too many for the records, which are then joined, those of all lags
        height = t->height;
        for (size_t lag = 0; lag < t->lags; lag++)
            if (flush(t, lag, height, err)) return -1;
    } while (t->height > height);
    if (t->whole) return set_records(t, err);
    qsort(t->node, t->nodes, sizeof *t->node, compare_nodes);
    return 0;
}

const struct tcf_records *tcf_tree_records(const struct tcf_tree *t) {
    return &t->records;
}

const struct tcf_tree_node *tcf_tree_nodes(const struct tcf_tree *t, size_t *count) {
    *count = t->nodes;
    return t->node;
}
