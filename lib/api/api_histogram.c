// SPDX-License-Identifier: MIT
// Implements the functions of trjpipe.h that read histogram streams.
#include <stdlib.h>
#include <string.h>

#include "api_parts.h"
#include "hist_stream.h"
#include "input.h"
#include "memory.h"

struct histogram {
    struct trjpipe_histogram data; // the first member: its address is that of the handle
    struct rdf_hist hist;
    struct rdf_record total;
    double *edges;
    struct trjpipe_histogram_group *groups;
    struct trjpipe_histogram_pair *pairs;
    struct trjpipe_histogram_record *records;
    double *frame_pairs; // [record_count + 1][pair_count] the last row is that of the total
    struct trjpipe_source *sources;
};

// Adds all records. Members of the sum that no record has are NULL.
static int add_records(struct histogram *h, struct trj_error *err) {
    const struct rdf_setup *s = &h->hist.setup;
    const struct rdf_record *first = &h->hist.records[0];
    struct rdf_record *total = &h->total;
    size_t n = s->pair_count * s->bins.count;
    total->periodic_all = TRJ_PERIODIC_ALL;
    if (!(total->counts = trj_alloc(n, sizeof *total->counts, "counts", err)) ||
        (first->excluded && !(total->excluded = trj_alloc(n, sizeof *total->excluded, "counts", err))) ||
        (first->group_atoms && rdf_record_open_sums(total, s, err)))
        return -1;
    for (size_t i = 0; i < h->hist.record_count; i++) rdf_record_add(total, s, &h->hist.records[i]);
    return 0;
}

static struct trjpipe_histogram_record record_of(const struct rdf_record *r, size_t pairs, double *frame_pairs) {
    for (size_t p = 0; r->pair_sums && p < pairs; p++) frame_pairs[p] = trj_exact_value(&r->pair_sums[p].pairs);
    return (struct trjpipe_histogram_record){
        .frames = r->frames,
        .volume_frames = r->volume_frames,
        .volume = trj_exact_value(&r->volume),
        .inverse_volume = trj_exact_value(&r->inverse_volume),
        .periodic = r->periodic_all,
        .counts = r->counts,
        .excluded = r->excluded,
        .group_atoms = r->group_atoms,
        .frame_pairs = r->pair_sums ? frame_pairs : NULL,
    };
}

static int make_data(struct histogram *h, struct trj_error *err) {
    const struct rdf_hist *from = &h->hist;
    const struct rdf_setup *s = &from->setup;
    size_t bins = s->bins.count, pairs = s->pair_count;
    if (!(h->edges = trj_alloc(bins + 1, sizeof *h->edges, "edges", err))) return -1;
    if (!(h->groups = trj_alloc(s->group_count, sizeof *h->groups, "groups", err))) return -1;
    if (!(h->pairs = trj_alloc(pairs, sizeof *h->pairs, "pairs", err))) return -1;
    if (!(h->records = trj_alloc(from->record_count, sizeof *h->records, "records", err))) return -1;
    if (!(h->frame_pairs = trj_alloc(from->record_count + 1, pairs * sizeof *h->frame_pairs, "records", err)))
        return -1;
    if (!(h->sources = trj_alloc(from->source_count, sizeof *h->sources, "sources", err))) return -1;
    for (size_t k = 0; k <= bins; k++) h->edges[k] = rdf_bins_edge(&s->bins, k);
    for (size_t i = 0; i < s->group_count; i++)
        h->groups[i] = (struct trjpipe_histogram_group){s->groups[i].name, s->groups[i].atoms, s->groups[i].dynamic};
    for (size_t p = 0; p < pairs; p++)
        h->pairs[p] = (struct trjpipe_histogram_pair){s->pairs[p].a, s->pairs[p].b, s->pairs[p].pairs,
                                                      s->excluded ? s->excluded[p] : 0, !rdf_setup_unordered(s, p)};
    for (size_t i = 0; i < from->record_count; i++)
        h->records[i] = record_of(&from->records[i], pairs, h->frame_pairs + i * pairs);
    for (size_t i = 0; i < from->source_count; i++)
        h->sources[i] = (struct trjpipe_source){from->sources[i].name, from->sources[i].fingerprint};
    h->data = (struct trjpipe_histogram){
        .struct_size = sizeof h->data,
        .bin_count = bins,
        .edges = h->edges,
        .group_count = s->group_count,
        .groups = h->groups,
        .pair_count = pairs,
        .pairs = h->pairs,
        .exclusion = s->exclusion,
        .lag_frames = s->lag.frames,
        .lag_time = s->lag.time,
        .total = record_of(&h->total, pairs, h->frame_pairs + from->record_count * pairs),
        .record_count = from->record_count,
        .records = h->records,
        .provenance_count = from->provenance.count,
        .provenance = (const char *const *)from->provenance.text,
        .source_count = from->source_count,
        .sources = h->sources,
        .precision = s->precision,
    };
    return 0;
}

static int read_file(struct rdf_hist *h, const char *path, struct trj_error *err) {
    struct trj_input *in = NULL;
    if (!path) return trj_fail(err, TRJ_USAGE, "a path is NULL; give a file");
    if (trj_input_open(&in, path, err)) return -1;
    int rc = rdf_hist_read(h, in, err);
    if (rc) trj_fail_at(err, "%s", trj_input_name(in));
    trj_input_close(in);
    return rc;
}

static int open_histogram(struct histogram *h, const char *const *paths, size_t count, struct trj_error *err) {
    if (!count || !paths) return trj_fail(err, TRJ_USAGE, "no input file given; give at least one");
    for (size_t i = 0; i < count; i++)
        if (read_file(&h->hist, paths[i], err)) return -1;
    if (h->hist.setup.bins.metric.kind != RDF_METRIC_DISTANCE)
        return trj_fail(err, TRJ_BAD_DATA,
                        "counts with rdfhist --metric or --angle are not available here; normalise them with rdfnorm");
    if (h->hist.setup.own_images)
        return trj_fail(err, TRJ_BAD_DATA,
                        "counts with rdfhist --own-images are not available here; normalise them with rdfnorm");
    if (h->hist.setup.waves.shells.count)
        return trj_fail(err, TRJ_BAD_DATA,
                        "amplitudes of waves (skhist) are not available here; print them with rdfnorm");
    return rdf_hist_check_frames(&h->hist, err) || add_records(h, err) || make_data(h, err) ? -1 : 0;
}

static void close_histogram(struct histogram *h) {
    if (!h) return;
    rdf_hist_free(&h->hist);
    rdf_record_free(&h->total);
    free(h->edges);
    free(h->groups);
    free(h->pairs);
    free(h->records);
    free(h->frame_pairs);
    free(h->sources);
    free(h);
}

int trjpipe_histogram_open(trjpipe_histogram **histogram, const char *const *paths, size_t count,
                           struct trjpipe_error *error) {
    struct trj_error err;
    struct histogram *h = trj_alloc(1, sizeof *h, "a histogram", &err);
    *histogram = NULL;
    if (!h || open_histogram(h, paths, count, &err)) {
        close_histogram(h);
        return api_fail(error, &err);
    }
    *histogram = &h->data;
    return 0;
}

void trjpipe_histogram_close(trjpipe_histogram *histogram) {
    close_histogram((struct histogram *)(void *)histogram);
}
