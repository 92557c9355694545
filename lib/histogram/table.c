// SPDX-License-Identifier: MIT
// Reads the histograms of a table and prints its comments, because three tools make tables of histograms.
#include "table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "input.h"

const struct trj_choice rdf_parts[] = {
    [RDF_PART_ALL] = {"in", "include them like all other pairs"},
    [RDF_PART_REST] = {"out", "leave them out of counts and numbers of pairs"},
    [RDF_PART_EXCLUDED] = {"only", "use them alone, as a share of all pairs"},
    {NULL, NULL},
};

const struct trj_option rdf_pair_option[] = {
    {.heading = "Pairs",
     .letter = 'p',
     .name = "pair",
     .kind = TRJ_OPTION_LIST,
     .arg = "A:B",
     .help = "print only this pair of groups (default: all that were counted); with --total also its contribution, "
             "where A and B may be patterns such as 'cation.*'"},
    TRJ_OPTION_END,
};

const struct trj_option rdf_split_option[] = {
    {.name = "split",
     .kind = TRJ_OPTION_FLAG,
     .help = "also print each --total, or each of its contributions, in two parts: excluded pairs, and the others"},
    TRJ_OPTION_END,
};

const struct trj_option rdf_partial_option[] = {
    {.name = "partial",
     .kind = TRJ_OPTION_FLAG,
     .help = "accept a neutron or X-ray --total of groups that do not contain all atoms of the system"},
    TRJ_OPTION_END,
};

const struct trj_option rdf_scatterer_option[] = {
    {.name = "scatterer",
     .kind = TRJ_OPTION_LIST,
     .arg = "GROUP=WHAT",
     .help = "set what a group scatters in --total: an element, an ion as Cl1-, D, or a length b in fm"},
    TRJ_OPTION_END,
};

enum rdf_part rdf_part_named(const char *name) {
    enum rdf_part p = RDF_PART_ALL;
    while (strcmp(rdf_parts[p].name, name) != 0) p++;
    return p;
}

static int read_one(struct rdf_hist *h, const char *path, struct trj_error *err) {
    struct trj_input *in = NULL;
    const unsigned char *head;
    size_t n;
    uint64_t bytes;
    int grows = h->added && strcmp(path, "-") != 0 ? trj_input_is_file(path, &bytes, err) : 0;
    if (grows < 0) return -1;
    if (grows ? trj_input_open_followed(&in, path, err) : trj_input_open(&in, path, err)) return -1;
    int rc = trj_input_peek(in, &head, TRJ_STREAM_HEADER, &n, err);
    if (!rc && n && !rdf_hist_is(head, n))
        rc = trj_fail(err, TRJ_BAD_DATA, "is not a histogram stream; make one from a frame stream with rdfhist");
    if (!rc) rc = rdf_hist_read(h, in, err);
    int is_file = !rc && grows && !trj_input_live_ended(in) ? trj_input_is_file(path, &bytes, err) : 0;
    if (is_file < 0) rc = -1;
    if (is_file > 0 && trj_input_offset(in) < bytes)
        rc = trj_fail(err, TRJ_BAD_DATA, "holds several streams, and --follow reads one; leave --follow out");
    struct trj_error interruption; // names the input
    if (rc && !trj_input_check_interruption(in, &interruption)) trj_fail_at(err, "%s", trj_input_name(in));
    trj_input_close(in);
    return rc;
}

// Reads the set-ups of the remaining streams after a stream with other bins, because the suggested bins must suit all
// streams.
static int read_other_bins(struct rdf_hist *h, char **paths, int count, struct trj_error *err) {
    struct trj_error ignored;
    for (int i = 1; i < count; i++) read_one(h, paths[i], &ignored);
    rdf_hist_check_bins(h, err);
    return trj_fail_at(err, "%s", strcmp(paths[0], "-") ? paths[0] : "stdin");
}

int rdf_table_check(const struct rdf_hist *h, struct trj_error *err) {
    if (h->part == RDF_PART_EXCLUDED && !h->setup.exclusion)
        return trj_fail(err, TRJ_BAD_DATA,
                        "--excluded: no pairs are excluded in these counts; exclude them with rdfhist -x");
    return rdf_hist_check_frames(h, err);
}

int rdf_table_read(struct rdf_hist *h, char **paths, int count, struct trj_error *err) {
    if (!count && read_one(h, "-", err)) return -1;
    for (int i = 0; i < count; i++)
        if (read_one(h, paths[i], err)) return h->other_bins.count ? read_other_bins(h, paths + i, count - i, err) : -1;
    return rdf_table_check(h, err);
}

int rdf_table_check_pairs(const struct rdf_setup *s, bool each, struct trj_error *err) {
    size_t empty = 0, first = s->pair_count;
    for (size_t p = s->pair_count; p-- > 0;)
        if (!s->pairs[p].pairs) {
            first = p;
            empty++;
        }
    if (!empty || (!each && empty < s->pair_count)) return 0;
    const char *a = s->groups[s->pairs[first].a].name, *b = s->groups[s->pairs[first].b].name;
    return s->exclusion
               ? trj_fail(err, TRJ_BAD_DATA, "all pairs of groups %s and %s are excluded (%s); give --excluded in", a,
                          b, s->exclusion)
               : trj_fail(err, TRJ_BAD_DATA, "groups %s and %s contain no pair of different atoms; give --self", a, b);
}

static void print_exclusion(struct trj_table *t, const struct rdf_hist *h) {
    static const char *const meanings[] = {[RDF_PART_ALL] = "counted with the others",
                                           [RDF_PART_REST] = "left out",
                                           [RDF_PART_EXCLUDED] = "only these",
                                           [RDF_PART_SEPARATE] = "counted with the others"};
    const struct rdf_setup *s = &h->setup;
    if (!s->exclusion || s->lag.self) return;
    trj_table_comment(t, "excluded pairs: %s, %s", s->exclusion, meanings[h->part]);
    for (size_t p = 0; p < s->pair_count; p++) {
        unsigned long long excluded = s->excluded[p], pairs = s->pairs[p].pairs;
        if (rdf_part_subtracts_excluded(h->part)) pairs += excluded; // because they were subtracted
        trj_table_comment(t, "excluded of %s:%s: %llu of %llu pairs", s->groups[s->pairs[p].a].name,
                          s->groups[s->pairs[p].b].name, excluded, pairs);
    }
}

void rdf_table_lag(struct trj_table *t, const struct rdf_hist *h) {
    const struct rdf_lag *lag = &h->setup.lag;
    if (!lag->frames) return;
    const struct rdf_record total = rdf_hist_total(h);
    char time[40] = "";
    if (!isnan(lag->time)) snprintf(time, sizeof time, ", %.6g ps", lag->time);
    trj_table_comment(t, "lag: %llu frame%s%s; %s part", (unsigned long long)lag->frames, lag->frames > 1 ? "s" : "",
                      time, lag->self ? "self" : "distinct");
    if (lag->self && total.periodic_any)
        trj_table_comment(t, "step: at most %.4g of the cell from frame to frame", total.step);
}

void rdf_table_head(struct trj_table *t, const struct rdf_hist *h, const uint64_t *group_atoms, char **provenance) {
    const struct rdf_setup *s = &h->setup;
    struct rdf_record total = rdf_hist_total(h);
    trj_table_provenance(t, h->provenance.text, h->provenance.count);
    trj_table_provenance(t, provenance, SIZE_MAX);
    for (size_t i = 0; i < s->group_count; i++) {
        const struct rdf_hist_group *g = &s->groups[i];
        if (g->dynamic)
            trj_table_comment(t, "group %s: on average %.10g of %llu atoms", g->name,
                              (double)group_atoms[i] / (double)total.frames, (unsigned long long)g->atoms);
        else
            trj_table_comment(t, "group %s: %llu atoms", g->name, (unsigned long long)g->atoms);
    }
    trj_table_comment(t, "frames: %llu in %zu record%s", (unsigned long long)total.frames, h->record_count,
                      h->record_count > 1 ? "s" : "");
    if (s->precision > 0)
        trj_table_comment(t, "precision: coordinates were rounded, each by at most %.10g Angstrom", s->precision);
    rdf_table_lag(t, h);
    if (s->bins.metric.kind != RDF_METRIC_DISTANCE) {
        char text[RDF_METRIC_TEXT];
        trj_table_comment(t, "metric: %s%s%s", rdf_metric_text(text, &s->bins.metric), s->body ? "; axes " : "",
                          s->body ? s->body : "");
    }
    if (s->own_images) trj_table_comment(t, "own images: pairs of an atom with its own periodic images are counted");
    if (total.volume_frames)
        trj_table_comment(t, "volume: mean %.10g, from %.10g to %.10g Angstrom^3",
                          trj_exact_value(&total.volume) / (double)total.volume_frames, total.volume_min,
                          total.volume_max);
    print_exclusion(t, h);
}

void rdf_table_name(struct trj_table *t, const char *what, const struct rdf_setup *s, size_t pair, bool reversed) {
    const char *a = s->groups[s->pairs[pair].a].name, *b = s->groups[s->pairs[pair].b].name;
    trj_table_name(t, "%s(%s:%s)", what, reversed ? b : a, reversed ? a : b);
}
