// SPDX-License-Identifier: MIT
// Prints counts, or the curves that rdf_norm_layers_make computed, as tab-separated text, for rdfnorm.
#ifndef RDF_NORM_TABLE_H
#define RDF_NORM_TABLE_H

#include "error.h"
#include "norm_layers.h"
#include "output.h"

// Prints comments, the names of the columns and a row for each bin. `provenance` contains the lines of the caller and
// ends with NULL; they are printed after the provenance of the streams. Reports curves with too few records for their
// errors to the note of the normalisation.
int rdf_norm_print(struct trj_output *out, const struct rdf_norm_layers *l, char **provenance, struct trj_error *err);

#endif
