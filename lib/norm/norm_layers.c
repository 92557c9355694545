// SPDX-License-Identifier: MIT
// Divides records by time or lag into layers, each of which is normalised like a table of its own.
#include "norm_layers.h"

#include <math.h>
#include <stdlib.h>

#include "memory.h"
#include "table.h"

static int open_normalisation(struct rdf_norm_layers *l, const struct rdf_norm_options *options,
                              void (*note)(const char *text), struct trj_error *err) {
    struct rdf_normalisation *n = trj_alloc(1, sizeof *n, "sums", err);
    if (!n) return -1;
    l->normalisation[l->normalisations++] = n;
    n->note = note;
    return rdf_normalisation_open(n, options, err);
}

// Returns the histogram of the lag of a stream; has the type of rdf_hist.choose.
static struct rdf_hist *choose(void *layers, const struct rdf_setup *setup, struct trj_error *err) {
    struct rdf_norm_layers *l = layers;
    struct rdf_normalisation *first = l->normalisation[0];
    if (!first->hist.setup.pairs) return &first->hist;
    for (size_t i = 0; i < l->normalisations; i++)
        if (l->normalisation[i]->hist.setup.lag.frames == setup->lag.frames) return &l->normalisation[i]->hist;
    // A stream without a lag has no place in this table; joining it fails with the reason.
    if (!setup->lag.frames || !first->hist.setup.lag.frames) return &first->hist;
    if (first->hist.added) {
        trj_fail(err, TRJ_BAD_DATA, "--follow: counts have several lags; select one with --lag");
        return NULL;
    }
    if (l->normalisations == RDF_MAX_LAGS) {
        trj_fail(err, TRJ_BAD_DATA, "more than %d lags; normalise fewer at once", RDF_MAX_LAGS);
        return NULL;
    }
    return open_normalisation(l, &first->options, NULL, err) ? NULL : &l->normalisation[l->normalisations - 1]->hist;
}

struct rdf_hist *rdf_norm_layers_hist(struct rdf_norm_layers *l) {
    return &l->normalisation[0]->hist;
}

int rdf_norm_layers_open(struct rdf_norm_layers *l, const struct rdf_norm_options *options,
                         void (*note)(const char *text), struct trj_error *err) {
    if (l->each && options->covariance)
        return trj_fail(err, TRJ_USAGE,
                        "--each and --covariance: covariances are those of one curve; leave one of them out");
    if (open_normalisation(l, options, note, err)) return -1;
    struct rdf_hist *h = rdf_norm_layers_hist(l);
    h->take = rdf_norm_layers_take;
    h->take_arg = h->choose_arg = l;
    h->choose = choose;
    h->lags = l->lags;
    h->found_lags = &l->found;
    l->part.may_be_empty = true;
    return l->each ? rdf_normalisation_open(&l->part, options, err) : 0;
}

// ---- layers of records

static void free_layer(const struct rdf_norm_layers *l, const struct rdf_layer *layer) {
    const struct rdf_normalisation *n = l->normalisation[0];
    for (size_t i = 0; layer->curves && i < n->hist.setup.pair_count * n->sums.second; i++)
        rdf_curve_free(&layer->curves[i]);
    for (size_t i = 0; layer->total_curves && i < n->options.totals.count; i++)
        rdf_total_curve_free(&layer->total_curves[i]);
    free(layer->curves);
    free(layer->total_curves);
    free(layer->counts);
}

static int add_layer(struct rdf_norm_layers *l, struct rdf_normalisation *n, double time, double frames,
                     struct trj_error *err) {
    if (trj_grow(&l->layer, &l->capacity, l->count + 1, sizeof *l->layer, "curves", err)) return -1;
    l->layer[l->count++] =
        (struct rdf_layer){time, frames, n->curves, n->total_curves, n->sums.counts, l->each ? NULL : &n->hist};
    return 0;
}

// Computes the curves of the current layer, and starts the next one.
static int end_part(struct rdf_norm_layers *l, struct trj_error *err) {
    struct rdf_normalisation *n = &l->part;
    const struct rdf_norm_options options = n->options;
    struct rdf_hist *all = rdf_norm_layers_hist(l);
    // The histogram of the layer has its records only, and shares everything with that of all records.
    n->hist.setup = all->setup;
    n->hist.records = all->records + l->part_first;
    n->hist.record_count = n->sums.records;
    const struct rdf_record total = rdf_hist_total(&n->hist);
    int rc = rdf_normalise(n, err) || add_layer(l, n, (total.first_time + total.last_time) / 2,
                                                (double)l->part_frames + (double)(total.frames - 1) / 2, err);
    if (rc) free_layer(l, &(struct rdf_layer){0, 0, n->curves, n->total_curves, n->sums.counts, NULL});
    n->hist = (struct rdf_hist){.part = all->part};
    n->curves = NULL; // the layer owns them
    n->total_curves = NULL;
    n->sums.counts = NULL;
    if (rc) return -1;
    l->part_first += n->sums.records;
    l->part_frames += total.frames;
    rdf_normalisation_close(n);
    *n = (struct rdf_normalisation){.may_be_empty = true};
    return rdf_normalisation_open(n, &options, err);
}

int rdf_norm_layers_take(void *layers, const struct rdf_setup *setup, const struct rdf_record *record,
                         struct trj_error *err) {
    struct rdf_norm_layers *l = layers;
    if (rdf_sums_take(&l->normalisation[0]->sums, setup, record, err)) return -1;
    if (!l->each) return 0;
    if (l->part.sums.records == l->each && end_part(l, err)) return -1;
    return rdf_sums_take(&l->part.sums, setup, record, err);
}

static int make_parts(struct rdf_norm_layers *l, struct trj_error *err) {
    if (rdf_norm_layers_hist(l)->setup.lag.frames && l->normalisations > 1)
        return trj_fail(err, TRJ_BAD_DATA, "--each: counts have several lags; select one with --lag");
    if (l->part.sums.records && end_part(l, err)) return -1;
    l->timed = true;
    for (size_t i = 0; i < l->count; i++)
        l->timed = l->timed && isfinite(l->layer[i].time) && (!i || l->layer[i].time > l->layer[i - 1].time);
    l->column = l->timed ? "time" : "frame";
    if (!l->timed && l->normalisation[0]->note)
        l->normalisation[0]->note("note: the times of the frames are unknown or do not ascend: the first column is the "
                                  "number of the frame");
    return 0;
}

// ---- layers of lags

static int compare_frames(const void *a, const void *b) {
    const struct rdf_layer *x = a, *y = b;
    return (x->frames > y->frames) - (x->frames < y->frames);
}

static int compare_times(const void *a, const void *b) {
    const struct rdf_layer *x = a, *y = b;
    return (x->time > y->time) - (x->time < y->time);
}

// Lags of runs with other times between frames may have equal times.
static int check_times(const struct rdf_norm_layers *l, struct trj_error *err) {
    for (size_t i = 1; l->timed && i < l->count; i++)
        if (l->layer[i].time <= l->layer[i - 1].time)
            return trj_fail(err, TRJ_BAD_DATA,
                            "lags of %.0f and %.0f frames have the same time, %g ps; select one of them with --lag",
                            l->layer[i - 1].frames, l->layer[i].frames, l->layer[i].time);
    return 0;
}

static int check_selected(const struct rdf_norm_layers *l, struct trj_error *err) {
    for (size_t i = 0; l->lags && i < l->lags->count; i++) {
        bool found = false;
        for (size_t k = 0; k < l->normalisations; k++)
            found = found || l->normalisation[k]->hist.setup.lag.frames == l->lags->lag[i];
        if (!found) return rdf_lag_list_fail_missing(&l->found, l->lags->lag[i], err);
    }
    return 0;
}

static int make_lags(struct rdf_norm_layers *l, struct trj_error *err) {
    l->count = 0;
    for (size_t i = 0; i < l->normalisations; i++) {
        struct rdf_normalisation *n = l->normalisation[i];
        const struct rdf_lag *lag = &n->hist.setup.lag;
        if (!n->hist.record_count)
            return trj_fail(err, TRJ_BAD_DATA, "no record with a lag of %llu frame%s; run rdfhist again",
                            (unsigned long long)lag->frames, lag->frames > 1 ? "s" : "");
        if (rdf_table_check(&n->hist, err) || rdf_normalise(n, err) ||
            add_layer(l, n, lag->time, (double)lag->frames, err))
            return -1;
    }
    l->timed = true;
    for (size_t i = 0; i < l->count; i++) l->timed = l->timed && isfinite(l->layer[i].time);
    qsort(l->layer, l->count, sizeof *l->layer, l->timed ? compare_times : compare_frames);
    for (size_t i = 0; i < l->normalisations; i++)
        if (&l->normalisation[i]->hist == l->layer[0].lag) l->whole = l->normalisation[i];
    if (check_times(l, err)) return -1;
    l->column = l->count < 2 ? NULL : l->timed ? "time" : "lag";
    return 0;
}

// Chooses digits so that rounding is at most 1e-4 of the smallest difference between layers: times are often float32
// values, whose further digits have no meaning.
static void choose_digits(struct rdf_norm_layers *l) {
    double max = 0, min = INFINITY;
    for (size_t i = 0; i < l->count; i++) {
        double x = l->timed ? l->layer[i].time : l->layer[i].frames;
        max = fmax(max, fabs(x));
        if (i) min = fmin(min, x - (l->timed ? l->layer[i - 1].time : l->layer[i - 1].frames));
    }
    double digits = ceil(log10(max / (1e-4 * fmin(min, max))));
    l->digits = digits > 6 ? (int)fmin(digits, 17) : 6;
}

int rdf_norm_layers_make(struct rdf_norm_layers *l, struct trj_error *err) {
    struct rdf_normalisation *first = l->normalisation[0];
    l->whole = first;
    if (check_selected(l, err)) return -1;
    if (l->each ? rdf_normalise(first, err) || make_parts(l, err) : make_lags(l, err)) return -1;
    choose_digits(l);
    if (l->column && first->sums.second > 1)
        return trj_fail(err, TRJ_BAD_DATA,
                        "counts by height or angle cannot be printed as a series of curves; count without these bins%s",
                        l->each ? ", or leave --each out" : ", or select one lag with --lag");
    if (l->column && first->options.covariance)
        return trj_fail(err, TRJ_BAD_DATA, "--covariance: counts have several lags; select one with --lag");
    return 0;
}

void rdf_norm_layers_silence(struct rdf_norm_layers *l) {
    for (size_t i = 0; i < l->normalisations; i++) l->normalisation[i]->note = NULL;
}

void rdf_norm_layers_close(struct rdf_norm_layers *l) {
    for (size_t i = 0; l->each && i < l->count; i++) free_layer(l, &l->layer[i]); // lags share those of normalisations
    rdf_normalisation_close(&l->part);
    for (size_t i = 0; i < l->normalisations; i++) {
        rdf_normalisation_close(l->normalisation[i]);
        free(l->normalisation[i]);
    }
    free(l->layer);
}
