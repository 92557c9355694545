// SPDX-License-Identifier: MIT
// Makes tables of numbers of neighbours, of their exchange, and of triplets from the records of a histogram stream
// (neighbour_count.h, triplet.h), with standard errors by curve_mean.h. Each quantity is a weighted mean over records:
//
//   numbers    P(n), the share of the atoms of A with n neighbours of B; weight: atoms of A, summed over the frames
//   exchange   pairs of atoms that stay, enter and leave from a frame to the next; weight: pairs of frames compared.
//              p, the probability that a pair of neighbours has left in the next frame, left / (stayed + left); weight:
//              its denominator. If frames are dt apart, a pair stays for dt / p on average.
//   angles     P(angle), the probability density of the angle, per degree; weight: triplets. iso is P over that of
//              independent directions, sin(angle)/2 per radian: share of the bin / ((cos low - cos high) / 2).
//   map        P of the angle and the distance of the longer arm, per degree and Å; weight: triplets. g3 is the counts
//              over those of independent uniform positions, sum over the frames of N/V^2, times v, times the share
//              (cos low - cos high) / 2 of the angle. N is the number of triplets of three different atoms. With
//              S_i(x) the volume of the shell from the smallest distance of arm i to x, and at most to its largest,
//              v = S_1(x_hi) S_2(x_hi) - S_1(x_lo) S_2(x_lo) for a bin from x_lo to x_hi. Weight: the sum. Images of
//              one atom at both arms are not in N, so that g3 of an ideal gas is 1 up to distances of half the cell.
#ifndef RDF_NEIGHBOUR_NORM_H
#define RDF_NEIGHBOUR_NORM_H

#include "curve_mean.h"
#include "error.h"
#include "hist_stream.h"
#include "normalisation.h"
#include "output.h"
#include "tool.h"

extern const struct trj_choice rdf_neighbour_tables[], rdf_triplet_tables[]; // end with a NULL name

// Rows for the option table of a filter with a static struct rdf_neighbour_norm (tool.h).
extern const struct trj_option rdf_neighbour_norm_option_table[];

// A zeroed struct with the options set is ready for rdf_neighbour_norm_open.
struct rdf_neighbour_norm {
    const char *neighbours, *triplets; // one of the tables; NULL: not requested
    const char *error;                 // one of curve_errors
    double interval;                   // percent; 0: no confidence intervals
    struct trj_text_list pairs;        // of triplets: only these, "A:B:C"; none: all
    void (*note)(const char *text);    // reports a note, for the user
    // The sums:
    bool *kept;              // [triplets]
    double *weighted;        // work space
    double *weights;         // of one record
    struct curve_mean share; // P(n), or P of triplets
    struct curve_mean other; // of pairs: the mean number and the mean square; of triplets: g3
    struct curve_mean exchange, leave;
    double *rows; // [records][pairs][3] exchange of each record
    size_t records, row_capacity;
    uint64_t *transitions; // [records]
    size_t transition_capacity;
    double apart[2]; // ps: the smallest and the largest mean time between the frames of a record; 0: unknown
};

// Returns whether a table is requested.
bool rdf_neighbour_norm_requested(const struct rdf_neighbour_norm *n);
// Checks the options; `options` are the other options of rdfnorm. Prepares `hist` for rdf_table_read. Fails
// with TRJ_USAGE for options that apply to g(r).
int rdf_neighbour_norm_open(struct rdf_neighbour_norm *n, const struct rdf_norm_options *options, struct rdf_hist *hist,
                            struct trj_error *err);
// Returns whether the records so far suffice for a table: of the exchange, two frames must have been compared.
bool rdf_neighbour_norm_has_table(const struct rdf_neighbour_norm *n);
// Prints the table. Fails with TRJ_BAD_DATA if the streams do not contain the counts.
int rdf_neighbour_norm_print(struct trj_output *out, struct rdf_neighbour_norm *n, const struct rdf_hist *hist,
                             char **provenance, struct trj_error *err);
void rdf_neighbour_norm_free(struct rdf_neighbour_norm *n); // not n itself

#endif
