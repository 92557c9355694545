// SPDX-License-Identifier: MIT
// Turns the options of neighbours and triplets into a set-up, and opens their counter.
#include "neighbour_options.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "output.h"
#include "triplet.h"

const struct trj_option rdf_neighbour_option_table[] = {
    {.heading = "Neighbours",
     TRJ_OPTION_FIELD(
         0, "neighbours", REAL, struct rdf_neighbour_options, radius, "R",
         "also count the neighbours of each atom of A, the atoms of B within R Angstrom, and those that enter "
         "and leave")},
    {TRJ_OPTION_FIELD(0, "events", TEXT, struct rdf_neighbour_options, events, "FILE",
                      "with --neighbours: also write a table of the pairs of atoms that enter and leave to FILE"),
     .role = TRJ_ROLE_OUTPUT},
    {TRJ_OPTION_FIELD(
        0, "triplet", LIST, struct rdf_neighbour_options, triplets, "A:B:C",
        "also count the angles at B between neighbours in A and C from --rmin to --rmax, or within 'A:B:C "
        "LOW:HIGH' or 'A:B:C LOW:HIGH LOW:HIGH' Angstrom; * is any group")},
    {TRJ_OPTION_FIELD(0, "triplet-bins", TEXT, struct rdf_neighbour_options, bins, "ANGLES:DISTANCES",
                      "count triplets in these numbers of bins of the angle and of the longer distance")},
    TRJ_OPTION_END,
};

int rdf_neighbour_options_check(const struct rdf_neighbour_options *o, bool lag, const char *exclude,
                                const char *output, struct trj_error *err) {
    struct rdf_triplet_setup t;
    bool neighbours = !isnan(o->radius);
    const char *option = neighbours ? "neighbours" : "triplet";
    if (neighbours && !(o->radius >= RDF_MIN_RMAX && o->radius <= RDF_MAX_COORDINATE))
        return trj_fail(err, TRJ_USAGE, "--neighbours: invalid value %g: expected a distance from %g to %g Angstrom",
                        o->radius, RDF_MIN_RMAX, RDF_MAX_COORDINATE);
    if (rdf_triplet_bins_parse(&t, o->bins, err)) return -1;
    if (!o->triplets.count && strcmp(o->bins, RDF_TRIPLET_BINS) != 0)
        return trj_fail(err, TRJ_USAGE, "--triplet-bins: no triplets are counted; add --triplet A:B:C");
    if (o->events && !neighbours) return trj_fail(err, TRJ_USAGE, "--events: requires neighbours; add --neighbours R");
    if (o->events && trj_output_is_stdout(o->events))
        return trj_fail(err, TRJ_USAGE, "--events: standard output is for the histogram stream; give a file");
    if (trj_output_check_second(o->events, "--events", output, err)) return -1;
    if (!neighbours && !o->triplets.count) return 0;
    if (lag)
        return trj_fail(err, TRJ_USAGE, "--%s and --lag: neighbours are atoms of one frame; count in two runs", option);
    if (exclude)
        return trj_fail(err, TRJ_USAGE,
                        "--%s and --exclude: neighbours are counted together, so that excluded ones could not be left "
                        "out later; select groups without them, or count in two runs",
                        option);
    return 0;
}

int rdf_neighbour_options_open(struct rdf_neighbour_counter **c, const struct rdf_neighbour_options *o, double rmin,
                               double rmax, const struct trj_stream_header *h, const struct rdf_job *job,
                               struct rdf_setup *setup, const struct rdf_neighbour_engine *engine,
                               const struct trj_gap *interval, struct trj_error *err) {
    if (!isnan(o->radius)) setup->neighbours = (struct rdf_neighbour_setup){o->radius, RDF_NEIGHBOUR_CLASSES};
    if (rdf_triplet_bins_parse(&setup->triplets, o->bins, err) ||
        rdf_triplets_parse(&setup->triplets, h, &o->triplets, rmin, rmax, err))
        return -1;
    if (isnan(o->radius) && !o->triplets.count) return 0;
    return rdf_neighbour_counter_open(c, h, job, setup, engine, interval, o->events, err);
}
