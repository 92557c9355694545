// SPDX-License-Identifier: MIT
// Prints the results of rdf_derive as tab-separated text, for rdfderive.
#ifndef RDF_DERIVED_TABLE_H
#define RDF_DERIVED_TABLE_H

#include "error.h"
#include "output.h"
#include "quantity.h"
#include "table_writer.h"

// Prints comments, the names of the columns and a row for each bin, q or shell. `provenance` contains the lines of the
// caller and ends with NULL; they are printed after the provenance of the streams.
int rdf_derived_print(struct trj_output *out, const struct rdf_derivation *d, char **provenance, struct trj_error *err);
// Prints the comments only, without those on the columns.
int rdf_derived_print_comments(struct trj_output *out, const struct rdf_derivation *d, char **provenance,
                               struct trj_error *err);

// Prints the error of a value, and the half-width of its confidence interval if that was requested; the names of these
// columns, of the column "S(A:B)" or "S".
void rdf_derived_put_error(struct trj_table *t, const struct rdf_derivation *d, double error, double half_width);
void rdf_derived_put_error_names(struct trj_table *t, const struct rdf_derivation *d, const char *column);

#endif
