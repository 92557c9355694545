// SPDX-License-Identifier: MIT
// Describes histogram streams for trjinfo from their records, because counts with several lags are in one stream.
#include "hist_report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "element.h"
#include "frame_report.h"
#include "memory.h"

static void report_waves(struct trj_report *f, const struct rdf_wave_setup *w) {
    bool known = w->shells.count;
    trj_report_real(f, "qmin", known ? w->shells.rmin : NAN);
    trj_report_real(f, "qmax", known ? w->shells.rmax : NAN);
    trj_report_count_if(f, "shells", known && !w->hkl, w->shells.count);
    trj_report_count_if(f, "vectors", w->hkl, w->shells.count);
    trj_report_real(f, "interval", known ? trj_report_rounded(w->interval) : NAN);
    trj_report_begin_list(f, "lags");
    for (size_t i = 0; i < w->lag_count; i++) trj_report_count(f, NULL, w->lags[i]);
    trj_report_end(f);
}

static int keep_nothing(void *arg, const struct rdf_setup *setup, const struct rdf_record *record,
                        struct trj_error *err) {
    (void)arg, (void)setup, (void)record, (void)err;
    return 0;
}

static struct rdf_hist *add_lag(struct rdf_hist_lags *l, struct trj_error *err) {
    struct rdf_hist *h = NULL;
    if (l->count == RDF_MAX_LAGS)
        trj_fail(err, TRJ_BAD_DATA, "more than %d lags; divide the file", RDF_MAX_LAGS);
    else if ((h = trj_alloc(1, sizeof *h, "a histogram", err)))
        l->hist[l->count++] = h;
    if (h) h->take = keep_nothing;
    return h;
}

static struct rdf_hist *choose(void *lags, const struct rdf_setup *setup, struct trj_error *err) {
    struct rdf_hist_lags *l = lags;
    if (!l->hist[0]->setup.pairs) return l->hist[0];
    for (size_t i = 0; i < l->count; i++)
        if (l->hist[i]->setup.lag.frames == setup->lag.frames) return l->hist[i];
    // Counts without a lag cannot be added to those with one; joining them fails with the reason.
    return setup->lag.frames && l->hist[0]->setup.lag.frames ? add_lag(l, err) : l->hist[0];
}

int rdf_hist_lags_read(struct rdf_hist_lags *l, struct trj_input *in, struct trj_error *err) {
    struct rdf_hist *first = add_lag(l, err);
    if (!first) return -1;
    first->choose = choose;
    first->choose_arg = l;
    if (rdf_hist_read(first, in, err)) return -1;
    for (size_t i = 0; i < l->count; i++)
        if (rdf_hist_check_frames(l->hist[i], err)) return -1;
    return 0;
}

void rdf_hist_lags_free(struct rdf_hist_lags *l) {
    for (size_t i = 0; i < l->count; i++) {
        rdf_hist_free(l->hist[i]);
        free(l->hist[i]);
    }
    l->count = 0;
}

// Reports the lags of several histograms.
static void report_lags(struct trj_report *f, const struct rdf_hist_lags *l) {
    if (l->count < 2) return;
    trj_report_begin_list(f, "by_lag");
    for (size_t i = 0; i < l->count; i++) {
        const struct rdf_hist *h = l->hist[i];
        trj_report_begin_object(f, NULL);
        trj_report_count(f, "lag", h->setup.lag.frames);
        trj_report_real(f, "lag_time", trj_report_rounded(h->setup.lag.time));
        trj_report_count(f, "frames", h->record_count ? rdf_hist_total(h).frames : 0);
        trj_report_end(f);
    }
    trj_report_end(f);
}

// Reports the bins, or the shells of waves, and the coordinates that are counted.
static void report_bins(struct trj_report *f, const struct rdf_setup *u) {
    char metric[RDF_METRIC_TEXT];
    bool bins = u->bins.count && !u->waves.shells.count; // the bin of waves has no meaning
    trj_report_count_if(f, "bins", bins, u->bins.count);
    trj_report_real(f, "rmin", bins ? u->bins.rmin : NAN);
    trj_report_real(f, "rmax", bins ? u->bins.rmax : NAN);
    trj_report_real(f, "bin_width", bins ? (u->bins.rmax - u->bins.rmin) / (double)u->bins.count : NAN);
    report_waves(f, &u->waves);
    if (u->bins.metric.kind != RDF_METRIC_DISTANCE)
        trj_report_text(f, "metric", rdf_metric_text(metric, &u->bins.metric));
    if (u->body) trj_report_text(f, "body", u->body);
    if (u->own_images) trj_report_text(f, "own_images", "counted");
}

static void report_groups(struct trj_report *f, const struct rdf_hist *h, uint64_t frames) {
    const struct rdf_setup *u = &h->setup;
    bool known = false; // the elements of a group
    trj_report_begin_list(f, "groups");
    for (size_t i = 0; i < u->group_count; i++) {
        const struct rdf_hist_group *g = &u->groups[i];
        uint64_t atoms = 0, count[TRJ_ELEMENTS + 1] = {0};
        for (size_t k = 0; k < h->record_count && g->dynamic; k++) atoms += h->records[k].group_atoms[i];
        for (size_t k = 0; k < g->element_count; k++) count[g->elements[k].number] = g->elements[k].atoms;
        trj_report_begin_object(f, NULL);
        trj_report_text(f, "name", g->name);
        trj_report_count(f, "atoms", g->atoms);
        trj_report_truth(f, "dynamic", g->dynamic);
        trj_report_elements(f, "elements", g->element_count ? count : NULL);
        trj_report_real(f, "atoms_mean", g->dynamic && frames ? (double)atoms / (double)frames : NAN);
        trj_report_end(f);
        known = known || g->element_count;
    }
    trj_report_end(f);
    trj_report_text(f, "elements_from", !known ? NULL : u->element_from ? u->element_from : "file");
}

static void report_pairs(struct trj_report *f, const struct rdf_setup *u) {
    trj_report_begin_list(f, "pairs");
    for (size_t i = 0; i < u->pair_count; i++) {
        char name[160];
        snprintf(name, sizeof name, "%s:%s", u->groups[u->pairs[i].a].name, u->groups[u->pairs[i].b].name);
        trj_report_begin_object(f, NULL);
        trj_report_text(f, "name", name);
        trj_report_count(f, "pairs", u->pairs[i].pairs);
        trj_report_count_if(f, "excluded", u->exclusion, u->exclusion ? u->excluded[i] : 0);
        trj_report_count_if(f, "own", u->lag.frames, u->lag.frames ? u->lag.own[i] : 0);
        trj_report_end(f);
    }
    trj_report_end(f);
}

static void report_triplets(struct trj_report *f, const struct rdf_setup *u) {
    trj_report_begin_list(f, "triplets");
    for (size_t i = 0; i < u->triplets.count; i++) {
        const struct rdf_triplet *t = &u->triplets.triplet[i];
        char name[240];
        snprintf(name, sizeof name, "%s:%s:%s", u->groups[t->a].name, u->groups[t->centre].name, u->groups[t->c].name);
        trj_report_begin_object(f, NULL);
        trj_report_text(f, "name", name);
        for (int k = 0; k < 2; k++) {
            trj_report_real(f, k ? "low_2" : "low_1", t->low[k]);
            trj_report_real(f, k ? "high_2" : "high_1", t->high[k]);
        }
        trj_report_end(f);
    }
    trj_report_end(f);
}

// Reports what the sum of all records contains.
static void report_frames(struct trj_report *f, const struct rdf_record *total) {
    bool volume = total->volume_frames;
    trj_report_count(f, "frames", total->frames);
    trj_report_count(f, "frames_with_volume", total->volume_frames);
    trj_report_real(f, "volume_min", volume ? trj_report_rounded(total->volume_min) : NAN);
    trj_report_real(f, "volume_max", volume ? trj_report_rounded(total->volume_max) : NAN);
    trj_report_real(f, "volume_mean",
                    volume ? trj_report_rounded(trj_exact_value(&total->volume) / (double)total->volume_frames) : NAN);
    if (total->frames && total->periodic_all == total->periodic_any)
        trj_report_periodic(f, total->periodic_all);
    else
        trj_report_unknown(f, "cell_periodic");
}

static void report_sources(struct trj_report *f, const struct rdf_hist *h) {
    trj_report_begin_list(f, "sources");
    for (size_t i = 0; i < h->source_count; i++) {
        uint64_t frames = 0, first = UINT64_MAX, last = 0;
        for (size_t k = 0; k < h->record_count; k++)
            for (size_t j = 0; j < h->records[k].run_count; j++) {
                const struct trj_frame_run *run = &h->records[k].runs[j];
                if (run->source != i) continue;
                uint64_t end = run->first + (run->count - 1) * run->step;
                frames += run->count;
                first = run->first < first ? run->first : first;
                last = end > last ? end : last;
            }
        trj_report_begin_object(f, NULL);
        trj_report_text(f, "name", h->sources[i].name);
        trj_report_fingerprint(f, h->sources[i].fingerprint);
        trj_report_count(f, "frames", frames);
        trj_report_count_if(f, "first", frames, first);
        trj_report_count_if(f, "last", frames, last);
        trj_report_end(f);
    }
    trj_report_end(f);
}

void rdf_hist_report(struct trj_report *f, const struct rdf_hist_lags *l) {
    static const struct rdf_hist none;
    const struct rdf_hist *h = l->count ? l->hist[0] : &none; // memory may have run out
    const struct rdf_setup *u = &h->setup;
    struct rdf_record total = {.frames = 0};
    if (h->record_count) total = rdf_hist_total(h);
    trj_report_text(f, "format", "rdfh");
    report_bins(f, u);
    report_groups(f, h, total.frames);
    trj_report_real(f, "precision", u->precision > 0 ? u->precision : NAN);
    trj_report_text(f, "exclusion", u->exclusion);
    trj_report_count_if(f, "lag", u->lag.frames, u->lag.frames);
    trj_report_real(f, "lag_time", u->lag.frames ? trj_report_rounded(u->lag.time) : NAN);
    report_lags(f, l);
    trj_report_real(f, "neighbours", u->neighbours.radius > 0 ? u->neighbours.radius : NAN);
    trj_report_text(f, "surface", u->surface.kind ? rdf_surface_name(u->surface.kind) : NULL);
    trj_report_count_if(f, "surface_points", u->surface.kind, rdf_surface_points(&u->surface));
    report_pairs(f, u);
    report_triplets(f, u);
    trj_report_count(f, "records", h->record_count);
    report_frames(f, &total);
    report_sources(f, h);
    trj_report_texts(f, "provenance", h->provenance.text, h->provenance.count);
}
