// SPDX-License-Identifier: MIT
// Finds edges of the histogram for requested bins, and rejects those between two edges, because counts cannot be
// divided.
#include "coarse_bins.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lines.h"
#include "memory.h"
#include "number.h"

int rdf_coarse_bins_parse(struct rdf_coarse_bins *v, const char *text, struct trj_error *err) {
    char low[64];
    const char *colon = strchr(text, ':');
    size_t n = colon ? (size_t)(colon - text) : sizeof low;
    v->low = -INFINITY;
    v->high = INFINITY;
    if (n >= sizeof low) goto bad;
    memcpy(low, text, n);
    low[n] = 0;
    if ((n && !trj_parse_real(low, &v->low)) || (colon[1] && !trj_parse_real(colon + 1, &v->high))) goto bad;
    if (v->low < v->high) return 0;
bad:
    return trj_fail(err, TRJ_USAGE, "invalid range '%s': expected LOW:HIGH in Angstrom with LOW < HIGH", text);
}

void rdf_coarse_bins_free(struct rdf_coarse_bins *v) {
    free(v->wanted);
    free(v->edge_index);
    v->wanted = NULL;
    v->edge_index = NULL;
}

static int add_edges(struct rdf_coarse_bins *v, size_t *capacity, const struct trj_lines *l, struct trj_error *err) {
    char *rest = l->text, *word;
    double r;
    rest[strcspn(rest, "#")] = 0;
    while ((word = trj_next_word(&rest))) {
        if (!trj_parse_real(word, &r) || r < 0)
            return trj_lines_fail(l, err, "expected an edge in Angstrom, found '%.40s'", word);
        if (v->wanted_count && !(r > v->wanted[v->wanted_count - 1]))
            return trj_lines_fail(l, err, "edge %.10g is not above the previous edge, %.10g", r,
                                  v->wanted[v->wanted_count - 1]);
        if (v->wanted_count > RDF_MAX_BINS) return trj_lines_fail(l, err, "more than %d edges", RDF_MAX_BINS + 1);
        if (trj_grow(&v->wanted, capacity, v->wanted_count + 1, sizeof *v->wanted, "edges", err)) return -1;
        v->wanted[v->wanted_count++] = r;
    }
    return 0;
}

static int read_edges(struct rdf_coarse_bins *v, const char *path, struct trj_error *err) {
    struct trj_lines l = {.in = NULL};
    size_t capacity = 0;
    int rc;
    if (trj_input_open(&l.in, path, err)) return -1;
    while ((rc = trj_lines_next(&l, err)) > 0)
        if ((rc = add_edges(v, &capacity, &l, err))) break;
    if (!rc && v->wanted_count < 2)
        rc = trj_fail(err, TRJ_BAD_DATA, "%zu edges of bins, expected at least 2; give their distances in Angstrom",
                      v->wanted_count);
    if (rc) trj_fail_at(err, "%s", trj_input_name(l.in));
    trj_input_close(l.in);
    return rc;
}

int rdf_coarse_bins_parse_edges(struct rdf_coarse_bins *v, const char *text, struct trj_error *err) {
    static const char logarithmic[] = "log:";
    const char *number = text + sizeof logarithmic - 1;
    if (strncmp(text, logarithmic, sizeof logarithmic - 1) != 0) return read_edges(v, text, err);
    if (trj_parse_u64(number, &v->logarithmic) && v->logarithmic && v->logarithmic <= RDF_MAX_BINS) return 0;
    return trj_fail(err, TRJ_USAGE, "invalid value '%s': expected log:N with N from 1 to %d", text, RDF_MAX_BINS);
}

// Returns the number of the edge nearest to r, which must be in the range of the histogram.
static uint64_t nearest_edge(const struct rdf_bins *b, double r) {
    double position = (r - b->rmin) / ((b->rmax - b->rmin) / (double)b->count);
    return (uint64_t)fmin(fmax(position + 0.5, 0), (double)b->count);
}

// Finds the number of the edge at r. If there is none, the error gives the nearest edges.
static int find_edge(uint64_t *edge, const struct rdf_bins *b, double r, struct trj_error *err) {
    double width = (b->rmax - b->rmin) / (double)b->count, position = (r - b->rmin) / width, last = (double)b->count;
    if (position > last + 0.5 || position < -0.5)
        return trj_fail(err, TRJ_USAGE, "%.10g Å is outside the histogram; give a range from %.10g to %.10g", r,
                        b->rmin, b->rmax);
    *edge = nearest_edge(b, r);
    if (fabs(r - rdf_bins_edge(b, *edge)) <= 1e-3 * width) return 0;
    uint64_t below = (uint64_t)fmin(fmax(position, 0), last - 1);
    return trj_fail(err, TRJ_USAGE, "%.10g Å is not the edge of a bin; the nearest are %.10g and %.10g", r,
                    rdf_bins_edge(b, below), rdf_bins_edge(b, below + 1));
}

static int fail_merge(uint64_t merge, uint64_t bins, struct trj_error *err) {
    uint64_t below = merge, above = merge;
    if (merge > bins)
        return trj_fail(err, TRJ_USAGE, "rebin: the range has only %llu bins, fewer than %llu; give a smaller number",
                        (unsigned long long)bins, (unsigned long long)merge);
    while (bins % below) below--;
    while (bins % above) above++;
    return trj_fail(
        err, TRJ_USAGE,
        "rebin: %llu bins are not a multiple of %llu; the nearest numbers that divide them are %llu and %llu",
        (unsigned long long)bins, (unsigned long long)merge, (unsigned long long)below, (unsigned long long)above);
}

static int make_edges(struct rdf_coarse_bins *v, uint64_t bins, struct trj_error *err) {
    free(v->edge_index);
    v->edge_index = trj_alloc(bins + 1, sizeof *v->edge_index, "edges", err);
    v->bins = bins;
    return v->edge_index ? 0 : -1;
}

// Computes logarithmic edges between the edges `first` and `last`. Returns whether all are different edges of the
// histogram. v->edge_index may be NULL.
static bool place_logarithmic(struct rdf_coarse_bins *v, const struct rdf_bins *b, uint64_t last, uint64_t bins) {
    double low = rdf_bins_edge(b, v->first), high = rdf_bins_edge(b, last);
    uint64_t before = v->first;
    v->shift = 0;
    for (uint64_t k = 0; k <= bins; k++) {
        double r = k < bins ? low * pow(high / low, (double)k / (double)bins) : high;
        uint64_t position = k ? nearest_edge(b, r) : v->first;
        if (k && position <= before) return false;
        double shift = fabs(rdf_bins_edge(b, position) - r);
        if (shift > 1e-12 * r) v->shift = fmax(v->shift, shift); // else they differ by rounding
        if (v->edge_index) v->edge_index[k] = position;
        before = position;
    }
    return true;
}

static int fit_logarithmic(struct rdf_coarse_bins *v, const struct rdf_bins *b, uint64_t last, struct trj_error *err) {
    uint64_t bins = v->logarithmic;
    if (!(rdf_bins_edge(b, v->first) > 0))
        return trj_fail(err, TRJ_USAGE,
                        "edges: logarithmic bins cannot begin at 0; give the first edge with --range LOW:");
    if (bins <= last - v->first) {
        if (make_edges(v, bins, err)) return -1;
        if (place_logarithmic(v, b, last, bins)) return 0;
    }
    free(v->edge_index);
    v->edge_index = NULL;
    if (bins > last - v->first) bins = last - v->first + 1;
    while (--bins > 1 && !place_logarithmic(v, b, last, bins)) {}
    return trj_fail(err, TRJ_USAGE,
                    "edges: %llu logarithmic bins from %.10g to %.10g Å are narrower than bins of the histogram; give "
                    "at most log:%llu, or a larger LOW in --range LOW:, or count with more bins (rdfhist -b)",
                    (unsigned long long)v->logarithmic, rdf_bins_edge(b, v->first), rdf_bins_edge(b, last),
                    (unsigned long long)(bins ? bins : 1));
}

static int fit_wanted(struct rdf_coarse_bins *v, const struct rdf_bins *b, struct trj_error *err) {
    if (make_edges(v, v->wanted_count - 1, err)) return -1;
    for (size_t k = 0; k < v->wanted_count; k++) {
        if (find_edge(&v->edge_index[k], b, v->wanted[k], err)) return trj_fail_at(err, "edges");
        if (k && v->edge_index[k] == v->edge_index[k - 1])
            return trj_fail(err, TRJ_USAGE, "edges: %.10g and %.10g Å are the same edge of the histogram",
                            v->wanted[k - 1], v->wanted[k]);
    }
    v->first = v->edge_index[0];
    return 0;
}

int rdf_coarse_bins_fit(struct rdf_coarse_bins *v, const struct rdf_bins *b, struct trj_error *err) {
    bool all = v->low == 0 && v->high == 0;
    uint64_t last = b->count;
    v->first = 0;
    if (!v->merge) v->merge = 1;
    if (v->wanted) return fit_wanted(v, b, err);
    if ((!all && isfinite(v->low) && find_edge(&v->first, b, v->low, err)) ||
        (!all && isfinite(v->high) && find_edge(&last, b, v->high, err)))
        return trj_fail_at(err, "range");
    if (v->first >= last)
        return trj_fail(err, TRJ_USAGE, "range: no bin from %.10g to %.10g Å; give a wider range", v->low, v->high);
    if (v->logarithmic) return fit_logarithmic(v, b, last, err);
    if ((last - v->first) % v->merge) return fail_merge(v->merge, last - v->first, err);
    v->bins = (last - v->first) / v->merge;
    return 0;
}

double rdf_coarse_bins_edge(const struct rdf_coarse_bins *v, const struct rdf_bins *b, uint64_t k) {
    return rdf_bins_edge(b, v->edge_index ? v->edge_index[k] : v->first + k * v->merge);
}

uint64_t rdf_coarse_bins_counts(const struct rdf_coarse_bins *v, const uint64_t *fine, uint64_t *coarse) {
    uint64_t below = 0;
    for (uint64_t k = 0; k < v->first; k++) below += fine[k];
    for (uint64_t k = 0, i = v->first; k < v->bins; k++) {
        uint64_t next = v->edge_index ? v->edge_index[k + 1] : i + v->merge;
        coarse[k] = 0;
        for (; i < next; i++) coarse[k] += fine[i];
    }
    return below;
}
