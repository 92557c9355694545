// SPDX-License-Identifier: MIT
// Normalises histograms as a user requests it: checks the options, adds records, and computes the curves of all pairs
// of groups and of all totals. The functions for one curve are in norm_curve.h, the table is in norm_table.h.
#ifndef RDF_NORMALISATION_H
#define RDF_NORMALISATION_H

#include <stdbool.h>
#include <stdint.h>

#include "error.h"
#include "hist_stream.h"
#include "norm_curve.h"
#include "scattering.h"
#include "tool.h"

// The options of rdfnorm(1). The caller keeps ownership of texts and lists.
struct rdf_norm_options {
    const char *norm, *error, *form, *excluded; // names in rdf_norms, curve_errors, rdf_forms, rdf_parts
    double volume, density, droplet, thickness; // Å^3, Å^-3, Å, Å; NaN: not given
    double interval;                            // percent; NaN: no confidence intervals
    const char *box;                            // "LX,LY,LZ" in Å; NULL: not given
    const char *plane;                          // one of "x", "y", "z"; NULL: not given
    const char *range;                          // as rdf_coarse_bins_parse takes it; NULL: all bins
    uint64_t merge;                             // bins of the histogram that become one bin
    const char *edges;                          // as rdf_coarse_bins_parse_edges takes it; NULL: equal widths
    bool counts;                                // only counts are required, no curves
    bool covariance;                            // covariances are printed instead of curves
    bool self;                                  // the self part of counts with a lag
    bool split;                                 // totals are split into excluded pairs and the others
    bool partial;                               // totals of groups that lack atoms of the system are accepted
    struct trj_text_list totals, scatterers, pairs;
};

// To use: zero it, call rdf_normalisation_open, read streams into `hist` (rdf_table_read), call rdf_normalise.
struct rdf_normalisation {
    struct rdf_norm_options options;
    double box[3];            // sides in Å, if options.box is given
    struct rdf_total *totals; // [options.totals.count]
    struct rdf_hist hist;
    struct rdf_sums sums;
    struct rdf_curve *curves;             // [pairs][sums.second]; NULL with options.counts
    struct rdf_total_curve *total_curves; // [options.totals.count]; NULL with options.counts
    void (*note)(const char *text);       // reports a note, for the user; may be NULL
    bool may_be_empty;                    // curves are NaN if there are no pairs of atoms in any frame
};

// Checks options.interval: fails with TRJ_USAGE for an invalid value, and if no errors are printed.
int rdf_norm_check_interval(const struct rdf_norm_options *options, struct trj_error *err);
// Checks the options for another table than g(r), which `option` requests, and options.interval: fails with TRJ_USAGE
// if options are given that apply to g(r) alone. With `bins`, the table has the bins of g(r) and a density, and
// options.range, merge, edges and density are accepted.
int rdf_norm_check_other_table(const char *option, const struct rdf_norm_options *options, bool bins,
                               struct trj_error *err);
// Checks the options. Fails with TRJ_USAGE for values out of range and for options that exclude one another.
int rdf_normalisation_open(struct rdf_normalisation *n, const struct rdf_norm_options *options, struct trj_error *err);
// Computes all curves of the records so far; further records and calls may follow. Fails with TRJ_BAD_DATA if the
// records cannot be normalised as requested. A pair of groups without pairs of atoms is reported, and its curve is NaN,
// if other pairs of groups have some.
int rdf_normalise(struct rdf_normalisation *n, struct trj_error *err);
void rdf_normalisation_close(struct rdf_normalisation *n); // not n itself

#endif
