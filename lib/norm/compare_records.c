// SPDX-License-Identifier: MIT
// Normalises records into a bounded number of blocks, because tests of blocks need all of them at once.
#include "compare_records.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lag_list.h"
#include "memory.h"
#include "metric.h"
#include "segment_note.h"
#include "table.h"

static void add(double *to, const double *from, size_t n) {
    for (size_t i = 0; i < n; i++) to[i] += from[i];
}

// Joins neighbouring blocks of `row` numbers two by two; count is even.
static void join(double *blocks, size_t count, size_t row) {
    for (size_t j = 0; j < count / 2; j++) {
        memmove(blocks + j * row, blocks + 2 * j * row, row * sizeof *blocks);
        add(blocks + j * row, blocks + (2 * j + 1) * row, row);
    }
}

int rdf_compare_records_add(struct rdf_compare_records *r, const double *weighted, const double *weights, size_t pairs,
                            size_t bins, struct trj_error *err) {
    size_t row = pairs * bins;
    if (!r->weighted) {
        r->weighted = trj_alloc(RDF_COMPARE_MAX_BLOCKS * row, sizeof *r->weighted, "blocks", err);
        r->weights = r->weighted ? trj_alloc(RDF_COMPARE_MAX_BLOCKS * pairs, sizeof *r->weights, "blocks", err) : NULL;
        if (!r->weights) return -1;
        r->each = 1;
    }
    if (r->count && r->last < r->each) {
        r->last++;
    } else {
        if (r->count == RDF_COMPARE_MAX_BLOCKS) {
            join(r->weighted, r->count, row);
            join(r->weights, r->count, pairs);
            r->count /= 2;
            r->each *= 2;
        }
        memset(r->weighted + r->count * row, 0, row * sizeof *r->weighted);
        memset(r->weights + r->count * pairs, 0, pairs * sizeof *r->weights);
        r->count++;
        r->last = 1;
    }
    add(r->weighted + (r->count - 1) * row, weighted, row);
    add(r->weights + (r->count - 1) * pairs, weights, pairs);
    return 0;
}

static int take(void *records, const struct rdf_setup *setup, const struct rdf_record *record, struct trj_error *err) {
    struct rdf_compare_records *r = records;
    struct rdf_sums *sums = &r->normalisation.sums;
    if (rdf_metric_second(&setup->bins.metric) > 1)
        return trj_fail(err, TRJ_BAD_DATA, "bins have two coordinates; compare curves of one coordinate");
    if (rdf_sums_take(sums, setup, record, err)) return -1;
    return rdf_compare_records_add(r, sums->weighted, sums->weights, setup->pair_count, sums->coarse.bins, err);
}

// Rejects the counts of a second lag, which cannot be added to those of the first one.
static struct rdf_hist *accept_one_lag(void *hist, const struct rdf_setup *setup, struct trj_error *err) {
    const struct rdf_setup *first = &((struct rdf_hist *)hist)->setup;
    if (!first->pairs || first->lag.frames == setup->lag.frames) return hist;
    trj_fail(err, TRJ_BAD_DATA, "counts with the lags %llu and %llu; select one of them with --lag",
             (unsigned long long)first->lag.frames, (unsigned long long)setup->lag.frames);
    return NULL;
}

int rdf_compare_records_read(struct rdf_compare_records *r, const char *path, struct trj_error *err) {
    const struct rdf_norm_options options = {.norm = rdf_norms[0].name,
                                             .error = curve_errors[0].name,
                                             .form = rdf_forms[0].name,
                                             .excluded = rdf_parts[RDF_PART_REST].name,
                                             .volume = NAN,
                                             .density = NAN,
                                             .droplet = NAN,
                                             .thickness = NAN,
                                             .interval = NAN,
                                             .merge = 1};
    if (rdf_normalisation_open(&r->normalisation, &options, err)) return -1;
    r->normalisation.hist.take = take;
    r->normalisation.hist.take_arg = r;
    const struct rdf_lag_list lags = {.lag = {r->lag}, .count = r->lag > 0};
    struct rdf_lag_list found = {.count = 0};
    r->normalisation.hist.lags = &lags;
    r->normalisation.hist.found_lags = &found;
    r->normalisation.hist.choose = accept_one_lag;
    r->normalisation.hist.choose_arg = &r->normalisation.hist;
    char *copy = trj_copy_text(path, err); // rdf_table_read takes the operands of a program
    int rc = !copy || rdf_table_read(&r->normalisation.hist, &copy, 1, err) ? -1 : 0;
    free(copy);
    r->normalisation.hist.lags = NULL;
    r->normalisation.hist.found_lags = NULL;
    if (!rc && r->lag && !r->normalisation.hist.setup.lag.frames) {
        rdf_lag_list_fail_missing(&found, r->lag, err);
        rc = trj_fail_at(err, "%s", path);
    }
    if (rc || !rdf_normalise(&r->normalisation, err)) return rc;
    return trj_fail_at(err, "%s: g(r) of rdfnorm without options (compare tables for other options)", path);
}

void rdf_compare_records_note_segments(const struct rdf_compare_records *a, const struct rdf_compare_records *b) {
    const struct rdf_compare_records *both[2] = {a, b};
    const struct trj_texts *x = &a->normalisation.hist.provenance, *y = &b->normalisation.hist.provenance;
    char note[TRJ_SEGMENT_NOTE];
    if (trj_segments_of_one_run(x->text, x->count, y->text, y->count)) return;
    for (int i = 0; i < 2; i++) {
        const struct trj_texts *lines = &both[i]->normalisation.hist.provenance;
        if (both[i]->normalisation.note) both[i]->normalisation.note(trj_segment_note(note, lines->text, lines->count));
    }
}

void rdf_compare_records_free(struct rdf_compare_records *r) {
    rdf_normalisation_close(&r->normalisation);
    free(r->weighted);
    free(r->weights);
    r->weighted = r->weights = NULL;
}

int rdf_compare_records_blocks(struct curve_compare_blocks *b, const struct rdf_compare_records *r, size_t pair,
                               struct trj_error *err) {
    const struct curve_mean_error *e = &r->normalisation.curves[pair].error;
    size_t bins = r->normalisation.sums.coarse.bins, pairs = r->normalisation.hist.setup.pair_count;
    uint64_t joined = e->block > r->each ? e->block / r->each : 1;
    *b = (struct curve_compare_blocks){.bins = bins, .tested = e->tested};
    b->value = trj_alloc(r->count * bins, sizeof *b->value, "blocks", err);
    b->weight = b->value ? trj_alloc(r->count, sizeof *b->weight, "blocks", err) : NULL;
    if (!b->weight) {
        curve_compare_blocks_free(b);
        return -1;
    }
    if (e->too_few || !e->error) return 0;
    for (size_t j = 0; j < r->count; b->count++) {
        double *to = b->value + b->count * bins, *weight = &b->weight[b->count];
        memset(to, 0, bins * sizeof *to);
        *weight = 0;
        for (uint64_t i = 0; i < joined && j < r->count; i++, j++) {
            add(to, r->weighted + (j * pairs + pair) * bins, bins);
            *weight += r->weights[j * pairs + pair];
        }
        if (!(*weight > 0))
            b->count--;
        else
            for (size_t k = 0; k < bins; k++) to[k] /= *weight;
    }
    return 0;
}

// Appends the runs of all records of a stream to *runs, with the numbers that `base` has for the sources. Other sources
// are omitted.
static int add_runs(struct trj_frame_run **runs, size_t *count, size_t *capacity, const struct rdf_hist *h,
                    const struct rdf_hist *base, struct trj_error *err) {
    for (size_t i = 0; i < h->record_count; i++)
        for (size_t j = 0; j < h->records[i].run_count; j++) {
            struct trj_frame_run run = h->records[i].runs[j];
            uint32_t source = 0;
            while (source < base->source_count &&
                   base->sources[source].fingerprint != h->sources[run.source].fingerprint)
                source++;
            if (source == base->source_count) continue;
            run.source = source;
            if (trj_grow(runs, capacity, *count + 1, sizeof **runs, "frame ranges", err)) return -1;
            (*runs)[(*count)++] = run;
        }
    return 0;
}

static int check_counts(const struct rdf_compare_records *a, const struct rdf_compare_records *b,
                        struct trj_error *err) {
    const struct rdf_setup *s = &a->normalisation.hist.setup, *t = &b->normalisation.hist.setup;
    char one[RDF_METRIC_TEXT], other[RDF_METRIC_TEXT];
    rdf_metric_text(one, &s->bins.metric);
    rdf_metric_text(other, &t->bins.metric);
    if (s->bins.metric.kind != t->bins.metric.kind || strcmp(one, other) != 0)
        return trj_fail(err, TRJ_BAD_DATA, "the metric is '%s', that of the reference '%s'; count with one metric", one,
                        other);
    if (s->lag.frames != t->lag.frames)
        return trj_fail(err, TRJ_BAD_DATA, "the lag is %llu frames, that of the reference %llu; select one with --lag",
                        (unsigned long long)s->lag.frames, (unsigned long long)t->lag.frames);
    if (!s->exclusion != !t->exclusion || (s->exclusion && strcmp(s->exclusion, t->exclusion) != 0))
        return trj_fail(err, TRJ_BAD_DATA,
                        "excluded pairs are %s, those of the reference %s; count with the same --exclude",
                        s->exclusion ? s->exclusion : "none", t->exclusion ? t->exclusion : "none");
    return 0;
}

int rdf_compare_records_check(bool *share, const struct rdf_compare_records *a, const struct rdf_compare_records *b,
                              struct trj_error *err) {
    struct trj_frame_run *runs = NULL;
    size_t count = 0, capacity = 0;
    uint32_t source;
    uint64_t frame;
    const struct rdf_hist *base = &a->normalisation.hist;
    int rc = check_counts(a, b, err) || add_runs(&runs, &count, &capacity, base, base, err) ||
                     add_runs(&runs, &count, &capacity, &b->normalisation.hist, base, err)
                 ? -1
                 : 0;
    *share = !rc && count && trj_frame_runs_overlap(runs, count, &source, &frame);
    free(runs);
    return rc;
}
