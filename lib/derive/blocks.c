// SPDX-License-Identifier: MIT
// Keeps a bounded number of blocks for the delete-one-block jackknife, because the number of records is unknown in
// advance.
#include "blocks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

void rdf_blocks_free(struct rdf_blocks *b) {
    for (size_t i = 0; i < b->count; i++) rdf_record_free(&b->block[i]);
    b->count = 0;
    curve_mean_free(&b->mean);
    free(b->counts);
    free(b->rule.error);
    b->counts = b->rule.error = NULL;
}

static void *copy(const void *from, size_t n, size_t size, struct trj_error *err) {
    void *to = trj_alloc(n, size, "blocks", err);
    if (to) memcpy(to, from, n * size);
    return to;
}

// Copies a record with its arrays; rdf_record_free frees the copy, also after a failure.
static int copy_record(struct rdf_record *to, const struct rdf_setup *setup, const struct rdf_record *r,
                       struct trj_error *err) {
    *to = rdf_record_without_arrays(r);
    if (!(to->counts = copy(r->counts, setup->pair_count * setup->bins.count, sizeof *r->counts, err))) return -1;
    if (r->excluded &&
        !(to->excluded = copy(r->excluded, setup->pair_count * setup->bins.count, sizeof *r->excluded, err)))
        return -1;
    if (!rdf_setup_has_dynamic_group(setup)) return 0;
    to->group_atoms = copy(r->group_atoms, setup->group_count, sizeof *r->group_atoms, err);
    to->pair_sums = copy(r->pair_sums, setup->pair_count, sizeof *r->pair_sums, err);
    return to->group_atoms && to->pair_sums ? 0 : -1;
}

// Merges each `ratio` neighbouring blocks into one.
static void merge(struct rdf_blocks *b, const struct rdf_setup *setup, size_t ratio) {
    size_t count = 0;
    for (size_t i = 0; i < b->count; i += ratio, count++) {
        struct rdf_record moved = b->block[i];
        for (size_t k = i + 1; k < i + ratio && k < b->count; k++) {
            rdf_record_add(&moved, setup, &b->block[k]);
            rdf_record_free(&b->block[k]);
            b->block[k] = (struct rdf_record){0};
        }
        b->block[i] = (struct rdf_record){0};
        b->block[count] = moved;
    }
    b->count = count;
    b->each *= ratio;
}

// Adds the counts of a record to the mean from which the length of the blocks follows.
static int add_to_mean(struct rdf_blocks *b, const struct rdf_setup *setup, const struct rdf_record *r,
                       struct trj_error *err) {
    size_t n = setup->pair_count * setup->bins.count;
    double frames = (double)r->frames;
    if (!b->counts &&
        (!(b->counts = trj_alloc(n, sizeof *b->counts, "blocks", err)) || curve_mean_open(&b->mean, 1, n, err)))
        return -1;
    for (size_t k = 0; k < n; k++) b->counts[k] = (double)r->counts[k];
    return curve_mean_add(&b->mean, b->counts, &frames, err);
}

int rdf_blocks_add(void *blocks, const struct rdf_setup *setup, const struct rdf_record *r, struct trj_error *err) {
    struct rdf_blocks *b = blocks;
    if (!r->frames) return 0; // an empty record
    if (add_to_mean(b, setup, r, err)) return -1;
    if (!b->count) b->each = 1;
    if (b->count && b->last < b->each) {
        b->last++;
        rdf_record_add(&b->block[b->count - 1], setup, r);
        return 0;
    }
    if (b->count == RDF_MAX_BLOCKS) merge(b, setup, 2);
    b->last = 1;
    return copy_record(&b->block[b->count++], setup, r, err); // rdf_blocks_free frees it, also after a failure
}

// Adds all blocks except one to a record. One normalisation must apply to all of them, which is not so for slabs of
// different thickness.
static int together(struct rdf_record *to, const struct rdf_setup *setup, const struct rdf_blocks *b, size_t without,
                    struct trj_error *err) {
    bool first = true;
    int rc = 0;
    for (size_t i = 0; !rc && i < b->count; i++) {
        if (i == without) continue;
        if (first)
            rc = copy_record(to, setup, &b->block[i], err);
        else
            rdf_record_add(to, setup, &b->block[i]);
        first = false;
    }
    return rc;
}

// The curve of dynamic groups that have no pair in the remaining blocks.
static int no_curve(struct rdf_curve *c, uint64_t bins, struct trj_error *err) {
    *c = (struct rdf_curve){.g = trj_alloc(bins, sizeof *c->g, "a curve", err)};
    c->n = c->g ? trj_alloc(bins, sizeof *c->n, "a curve", err) : NULL;
    for (uint64_t k = 0; c->n && k < bins; k++) c->g[k] = c->n[k] = NAN;
    if (c->n) return 0;
    rdf_curve_free(c);
    return -1;
}

int rdf_blocks_curves(struct rdf_curve *curves, const struct rdf_setup *setup, const struct rdf_blocks *b,
                      size_t without, double volume, struct trj_error *err) {
    struct rdf_record record[RDF_MAX_BLOCKS] = {{0}}, sum = {0};
    struct rdf_hist rest = {.setup = *setup, .records = record};
    struct rdf_sums sums = {.norm = rdf_norms[0].name, .volume = volume, .mean.error = "none"};
    size_t pair = 0;
    int rc = 0;
    for (size_t i = 0; i < b->count; i++)
        if (i != without) record[rest.record_count++] = b->block[i];
    for (size_t i = 0; b->each > 1 && !(volume > 0) && i < b->count; i++)
        if (!rdf_same_height(b->block[i].height_min, b->block[i].height_max))
            return trj_fail(err, TRJ_BAD_DATA,
                            "more than %d records of slabs whose thickness varies; use longer records (rdfhist -B)",
                            RDF_MAX_BLOCKS);
    if (!rest.record_count) return trj_fail(err, TRJ_BAD_DATA, "no record has a frame");
    struct rdf_record total = rdf_hist_total(&rest);
    if (total.height_min == total.height_max) {
        rc = together(&sum, setup, b, without, err);
        record[0] = sum;
        rest.record_count = 1;
    }
    for (size_t i = 0; !rc && i < rest.record_count; i++) rc = rdf_sums_take(&sums, setup, &record[i], err);
    for (; !rc && pair < setup->pair_count; pair += !rc) {
        bool none = without < b->count && sums.pair_sums && !(trj_exact_value(&sums.pair_sums[pair].pairs) > 0);
        rc = none ? no_curve(&curves[pair], setup->bins.count, err)
                  : rdf_norm_curve(&curves[pair], &rest, &sums, pair, err);
    }
    while (rc && pair > 0) rdf_curve_free(&curves[--pair]);
    rdf_sums_free(&sums);
    rdf_record_free(&sum);
    return rc;
}

double rdf_blocks_bias(const struct rdf_blocks *b, double x, const double *left_out) {
    double frames = 0, bias = 0;
    for (size_t j = 0; j < b->count; j++) frames += (double)b->block[j].frames;
    for (size_t j = 0; j < b->count; j++) bias += (1 - (double)b->block[j].frames / frames) * (left_out[j] - x);
    return bias;
}

double rdf_blocks_error(const struct rdf_blocks *b, double x, const double *left_out) {
    // Computed from the differences d_j = x - x_j, so that equal values have the error 0:
    // y_j - J = (h_j - 1) d_j - sum of (1 - 1/h_j) d_j.
    double frames = 0, mean = -rdf_blocks_bias(b, x, left_out), square = 0;
    if (isnan(x)) return NAN;
    for (size_t j = 0; j < b->count; j++) frames += (double)b->block[j].frames;
    for (size_t j = 0; j < b->count; j++) {
        double h = frames / (double)b->block[j].frames, off = (h - 1) * (x - left_out[j]) - mean;
        square += off * off / (h - 1);
    }
    return isfinite(square) ? sqrt(square / (double)b->count) : INFINITY;
}

static bool same_height(const struct rdf_blocks *b) {
    double low = INFINITY, high = 0;
    for (size_t i = 0; i < b->count; i++) {
        low = fmin(low, b->block[i].height_min);
        high = fmax(high, b->block[i].height_max);
    }
    return rdf_same_height(low, high);
}

int rdf_blocks_join(struct rdf_blocks *b, const struct rdf_setup *setup, double volume, struct trj_error *err) {
    struct curve_mean_error *e = &b->rule;
    size_t n = b->mean.bins;
    double all = 0, squares = 0;
    if (b->count < 2) return 0;
    for (size_t k = 0; k < n; k++) b->counts[k] = b->mean.sum[k] / b->mean.weight[0];
    if (curve_mean_error(e, &b->mean, 0, b->counts, err)) return -1;
    bool longer = e->correlated && e->block > b->each; // both are powers of two
    if (longer && (volume > 0 || same_height(b)))
        merge(b, setup, (size_t)(e->block / b->each));
    else if (longer)
        e->too_few = true;
    for (size_t i = 0; i < b->count; i++) {
        double frames = (double)b->block[i].frames;
        all += frames;
        squares += frames * frames;
    }
    e->blocks = all * all / squares;
    return 0;
}
