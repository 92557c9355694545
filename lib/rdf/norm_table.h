// SPDX-License-Identifier: MIT
// Prints counts, or the curves that rdf_normalise computed, as tab-separated text, for rdfnorm.
#ifndef RDF_NORM_TABLE_H
#define RDF_NORM_TABLE_H

#include "error.h"
#include "normalise.h"
#include "output.h"

// Prints comments, the names of the columns and a row for each bin. `provenance` contains the lines of the caller and
// ends with NULL; they are printed after the provenance of the streams. Reports curves with too few records for their
// errors to n->note.
int rdf_norm_print(struct trj_output *out, const struct rdf_normalisation *n, char **provenance, struct trj_error *err);

#endif
