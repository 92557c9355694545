// SPDX-License-Identifier: MIT
// Means over records with their errors, and the columns and comments that tables print of them. Tables of other
// quantities than g(r) share these functions.
#ifndef RDF_MEAN_TABLE_H
#define RDF_MEAN_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "curve_mean.h"
#include "error.h"
#include "error_blocks.h"
#include "table_writer.h"

struct rdf_mean_curve {
    double *mean; // [bins]; NaN if there is no weight
    struct curve_mean_error error;
};

// Computes the curves [m->curves]; NULL after an error. rdf_mean_curves_free frees them; NULL is allowed.
struct rdf_mean_curve *rdf_mean_curves_make(const struct curve_mean *m, struct trj_error *err);
void rdf_mean_curves_free(struct rdf_mean_curve *c, size_t count);

// Which columns of errors a table has, and their description, which is "" without errors.
struct rdf_mean_columns {
    bool errors, intervals;
    char name[CURVE_INTERVAL_NAME]; // of the column of intervals
    char text[120];
};

// `interval` is the probability of confidence intervals in percent; 0: none.
struct rdf_mean_columns rdf_mean_columns(double interval, const struct rdf_mean_curve *c, size_t count);
// Puts the columns of errors of a value that is `scale` times the mean of bin k.
void rdf_mean_put_error(struct trj_table *t, const struct rdf_mean_columns *e, const struct rdf_mean_curve *c, size_t k,
                        double scale);
// Writes the error of a mean in a comment: "standard error E" and, if requested, ", ci95 E".
enum { RDF_MEAN_ERROR_TEXT = 100 };
const char *rdf_mean_error_text(char text[RDF_MEAN_ERROR_TEXT], double interval, const struct rdf_mean_curve *c,
                                size_t k, double scale);
// Checks that the curves have errors if confidence intervals are requested, and calls `note`, unless it is NULL, if
// these are unknown.
int rdf_mean_check_intervals(double interval, void (*note)(const char *text), const struct rdf_mean_curve *c,
                             size_t count, struct trj_error *err);
// Calls `note`, unless it is NULL, if there are too few records to estimate their correlation.
void rdf_mean_note_too_few(void (*note)(const char *text), const struct rdf_mean_curve *c, size_t count);
// Prints the longest of the blocks from which the errors of some curves follow.
void rdf_mean_put_blocks(struct trj_table *t, const struct rdf_mean_curve *c, size_t count);

#endif
