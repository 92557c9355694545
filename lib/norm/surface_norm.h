// SPDX-License-Identifier: MIT
// Makes the table of g(r) from surfaces (surface_search.h) from the records of a histogram stream, with standard errors
// by curve_mean.h. With n_k the counts of bin k, P_k the points, each times the pairs of its object, M the points of a
// frame, N the pairs of an object and an atom of B, and O the objects, all summed over the frames:
//
//   g_k = M n_k / P_k              N atoms that are distributed uniformly in the cell have P_k / M in the bin
//   v_k = <V> P_k / (M N)          volume of the shell of an object
//   n(r_k+1) = sum of n_i / O      i from the first bin of the histogram to k
// With a given density rho of B, g_k = n_k / (rho O v_k), which is the above times N / (rho O <V>).
//
// g_k is a ratio of two sums that both vary between records. Its error is that of the sum over the records i of
// (n_ki - g_k P_ki / M) / (P_k / M), the first order of its variation. It contains the error of the volume.
#ifndef RDF_SURFACE_NORM_H
#define RDF_SURFACE_NORM_H

#include "coarse_bins.h"
#include "error.h"
#include "hist_stream.h"
#include "normalisation.h"
#include "output.h"
#include "tool.h"

// Rows for the option table of a filter with a static struct rdf_surface_norm (tool.h).
extern const struct trj_option rdf_surface_norm_option_table[];

// A zeroed struct with the option set is ready for rdf_surface_norm_open.
struct rdf_surface_norm {
    bool requested;                 // the option
    void (*note)(const char *text); // reports a note, for the user; NULL: none
    const struct rdf_norm_options *options;
    struct rdf_coarse_bins coarse;
    // The sums:
    size_t records;
    uint64_t frames;
    uint64_t *totals;        // [pairs][RDF_SURFACE_SUMS] objects and pairs
    uint64_t *below;         // [pairs] counts of bins before the first one
    uint64_t *fine, *merged; // work space
    // For each record: its frames; [records][pairs][2][coarse.bins] its counts n_k, and P_k / M
    double *record_frames, *rows;
    size_t frames_capacity, rows_capacity;
};

// Checks the other options of rdfnorm, which must outlive *n, and prepares `hist` for rdf_table_read. Fails with
// TRJ_USAGE for options that do not apply.
int rdf_surface_norm_open(struct rdf_surface_norm *n, const struct rdf_norm_options *options, struct rdf_hist *hist,
                          struct trj_error *err);
// Prints the table. Fails with TRJ_BAD_DATA if there is no object in any frame.
int rdf_surface_norm_print(struct trj_output *out, struct rdf_surface_norm *n, const struct rdf_hist *hist,
                           char **provenance, struct trj_error *err);
void rdf_surface_norm_free(struct rdf_surface_norm *n); // not n itself

#endif
