// SPDX-License-Identifier: MIT
// The options that select numbers of neighbours and triplets, and their use by a filter: RDF_OPTIONS_NEIGHBOURS
// is for its table of options; rdf_neighbour_options_check checks them before input is read;
// rdf_neighbour_options_open adds them to a set-up and opens the counter.
#ifndef RDF_NEIGHBOUR_OPTIONS_H
#define RDF_NEIGHBOUR_OPTIONS_H

#include "error.h"
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

#define RDF_OPTIONS_NEIGHBOURS(o)                                                                                      \
    {.heading = "Neighbours",                                                                                          \
     .name = "neighbours",                                                                                             \
     .kind = TRJ_OPTION_REAL,                                                                                          \
     .value = &(o)->radius,                                                                                            \
     .arg = "R",                                                                                                       \
     .help = "also count the neighbours of each atom of A, the atoms of B within R Angstrom, and those that enter "    \
             "and leave"},                                                                                             \
        {.name = "events",                                                                                             \
         .kind = TRJ_OPTION_TEXT,                                                                                      \
         .value = &(o)->events,                                                                                        \
         .arg = "FILE",                                                                                                \
         .help = "with --neighbours: also write a table of the pairs of atoms that enter and leave to FILE",           \
         .role = TRJ_ROLE_OUTPUT},                                                                                     \
        {.name = "triplet",                                                                                            \
         .kind = TRJ_OPTION_LIST,                                                                                      \
         .value = &(o)->triplets,                                                                                      \
         .arg = "A:B:C",                                                                                               \
         .help = "also count the angles at B between neighbours in A and C from --rmin to --rmax, or within 'A:B:C "   \
                 "LOW:HIGH' or 'A:B:C LOW:HIGH LOW:HIGH' Angstrom; * is any group"},                                   \
    {                                                                                                                  \
        .name = "triplet-bins", .kind = TRJ_OPTION_TEXT, .value = &(o)->bins, .arg = "ANGLES:DISTANCES",               \
        .help = "count triplets in these numbers of bins of the angle and of the longer distance"                      \
    }

// Fails with TRJ_USAGE for invalid values, and for combinations that are not counted: with a lag, with excluded pairs,
// and a file of events that is also the output (NULL: standard output).
int rdf_neighbour_options_check(const struct rdf_neighbour_options *o, bool lag, const char *exclude,
                                const char *output, struct trj_error *err);
// Sets `neighbours` and `triplets` of the set-up, whose pairs must be complete, and opens *c; leaves it NULL if neither
// is required. rmin and rmax are those of the options (NaN: not given). For the rest see rdf_neighbour_counter_open.
int rdf_neighbour_options_open(struct rdf_neighbour_counter **c, const struct rdf_neighbour_options *o, double rmin,
                               double rmax, const struct trj_stream_header *h, const struct rdf_job *job,
                               struct rdf_setup *setup, const struct rdf_neighbour_engine *engine,
                               struct trj_error *err);

#endif
