// SPDX-License-Identifier: MIT
// Options of rdfderive: their defaults, which depend on the quantity, and the checks of their combinations.
#ifndef RDF_DERIVE_OPTIONS_H
#define RDF_DERIVE_OPTIONS_H

#include <stdbool.h>

#include "error.h"
#include "pdf_file.h"
#include "quantity.h"
#include "simulation_table.h"
#include "tool.h"

struct rdf_derive_options {
    const char *quantity, *form, *format, *excluded; // names; form and excluded NULL: default of the quantity
    struct trj_text_list totals, pairs;
    bool partial;
    struct rdf_quantity_options options; // qmax NaN: default
    struct rdf_simulation_options table; // program NULL: none
};

// Rows for the option table of a filter with a static struct rdf_derive_options (tool.h).
extern const struct trj_option rdf_pdf_option_table[];

// Rows for the option table of a filter with a static struct rdf_derive_options (tool.h).
extern const struct trj_option rdf_simulation_option_table[];

extern const struct trj_choice rdf_derived_forms[]; // of S(q) and of G(r); ends with a NULL name

// Returns the quantity of o->quantity.
enum rdf_quantity_number rdf_derive_options_number(const struct rdf_derive_options *o);
// Sets the members of o->options that follow from others. `table`: the input is a measured table. `probe` is that of
// the first total.
void rdf_derive_options_resolve(struct rdf_derive_options *o, bool table, enum rdf_probe probe);
// Fails with TRJ_USAGE if an option has no effect or an invalid value. Call it after rdf_derive_options_resolve.
int rdf_derive_options_check(const struct rdf_derive_options *o, bool table, struct trj_error *err);

#endif
