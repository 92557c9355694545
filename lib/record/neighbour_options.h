// SPDX-License-Identifier: MIT
// The options that select numbers of neighbours and triplets, and their use by a filter: rdf_neighbour_option_table
// is for its table of options; rdf_neighbour_options_check checks them before input is read;
// rdf_neighbour_options_open adds them to a set-up and opens the counter.
#ifndef RDF_NEIGHBOUR_OPTIONS_H
#define RDF_NEIGHBOUR_OPTIONS_H

#include "error.h"
#include "frame_gap.h"
#include "frame_stream.h"
#include "hist_setup.h"
#include "job.h"
#include "neighbour_count.h"
#include "tool.h"

struct rdf_neighbour_options {
    double radius;      // Å; NaN: not given
    const char *events; // path; NULL: not given
    const char *bins;   // of triplets
    struct trj_text_list triplets;
};
#define RDF_TRIPLET_BINS "180:20"
#define RDF_NEIGHBOUR_OPTIONS_DEFAULT                                                                                  \
    { .radius = NAN, .bins = RDF_TRIPLET_BINS }

// Rows for the option table of a filter with a static struct rdf_neighbour_options (tool.h).
extern const struct trj_option rdf_neighbour_option_table[];

// Fails with TRJ_USAGE for invalid values, and for combinations that are not counted: with a lag, with excluded pairs,
// and a file of events that is also the output (NULL: standard output).
int rdf_neighbour_options_check(const struct rdf_neighbour_options *o, bool lag, const char *exclude,
                                const char *output, struct trj_error *err);
// Sets `neighbours` and `triplets` of the set-up, whose pairs must be complete, and opens *c; leaves it NULL if neither
// is required. rmin and rmax are those of the options (NaN: not given). For the rest see rdf_neighbour_counter_open.
int rdf_neighbour_options_open(struct rdf_neighbour_counter **c, const struct rdf_neighbour_options *o, double rmin,
                               double rmax, const struct trj_stream_header *h, const struct rdf_job *job,
                               struct rdf_setup *setup, const struct rdf_neighbour_engine *engine,
                               const struct trj_gap *interval, struct trj_error *err);

#endif
