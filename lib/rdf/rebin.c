// SPDX-License-Identifier: MIT
#include "rebin.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "number.h"

int rdf_rebin_parse(struct rdf_rebin *v, const char *text, struct trj_error *err) {
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

// Finds the number of the edge at r. If there is none, the error gives the nearest edges.
static int find_edge(uint64_t *edge, const struct rdf_bins *b, double r, struct trj_error *err) {
    double width = (b->rmax - b->rmin) / (double)b->count, at = (r - b->rmin) / width, last = (double)b->count;
    if (at > last + 0.5 || at < -0.5)
        return trj_fail(err, TRJ_USAGE, "range: %.10g Å is outside the histogram; give a range from %.10g to %.10g", r,
                        b->rmin, b->rmax);
    *edge = (uint64_t)fmin(fmax(at + 0.5, 0), last);
    if (fabs(r - rdf_bins_edge(b, *edge)) <= 1e-3 * width) return 0;
    uint64_t below = (uint64_t)fmin(fmax(at, 0), last - 1);
    return trj_fail(err, TRJ_USAGE, "range: %.10g Å is not the edge of a bin; the nearest are %.10g and %.10g", r,
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

int rdf_rebin_fit(struct rdf_rebin *v, const struct rdf_bins *b, struct trj_error *err) {
    bool all = v->low == 0 && v->high == 0;
    uint64_t last = b->count;
    v->first = 0;
    if (!v->merge) v->merge = 1;
    if (!all && isfinite(v->low) && find_edge(&v->first, b, v->low, err)) return -1;
    if (!all && isfinite(v->high) && find_edge(&last, b, v->high, err)) return -1;
    if (v->first >= last)
        return trj_fail(err, TRJ_USAGE, "range: no bin from %.10g to %.10g Å; give a wider range", v->low, v->high);
    if ((last - v->first) % v->merge) return fail_merge(v->merge, last - v->first, err);
    v->bins = (last - v->first) / v->merge;
    return 0;
}

double rdf_rebin_edge(const struct rdf_rebin *v, const struct rdf_bins *b, uint64_t k) {
    return rdf_bins_edge(b, v->first + k * v->merge);
}

uint64_t rdf_rebin_counts(const struct rdf_rebin *v, const uint64_t *fine, uint64_t *coarse) {
    uint64_t below = 0;
    for (uint64_t k = 0; k < v->first; k++) below += fine[k];
    fine += v->first;
    for (uint64_t k = 0; k < v->bins; k++, fine += v->merge) {
        coarse[k] = 0;
        for (uint64_t i = 0; i < v->merge; i++) coarse[k] += fine[i];
    }
    return below;
}
