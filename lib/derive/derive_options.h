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

// Options of the quantity pdf, for the option table.
#define RDF_OPTIONS_PDF(o)                                                                                             \
    {.heading = "G(r) as measured",                                                                                    \
     .name = "qdamp",                                                                                                  \
     .kind = TRJ_OPTION_REAL,                                                                                          \
     .value = &(o)->options.pdf.qdamp,                                                                                 \
     .arg = "Q",                                                                                                       \
     .help = "pdf: damp G(r) by exp(-(r Q)^2/2), in 1/Angstrom"},                                                      \
        {.name = "qbroad",                                                                                             \
         .kind = TRJ_OPTION_REAL,                                                                                      \
         .value = &(o)->options.pdf.qbroad,                                                                            \
         .arg = "Q",                                                                                                   \
         .help = "pdf: broaden peaks by Q r times their width, in 1/Angstrom"},                                        \
        {.name = "peak-width",                                                                                         \
         .kind = TRJ_OPTION_REAL,                                                                                      \
         .value = &(o)->options.pdf.peak_width,                                                                        \
         .arg = "W",                                                                                                   \
         .help = "pdf: set the width of peaks for --qbroad in Angstrom"},                                              \
        {.name = "rmin",                                                                                               \
         .kind = TRJ_OPTION_REAL,                                                                                      \
         .value = &(o)->options.pdf.rmin,                                                                              \
         .arg = "R",                                                                                                   \
         .help = "pdf: set the smallest r in Angstrom"},                                                               \
        {.name = "rmax",                                                                                               \
         .kind = TRJ_OPTION_REAL,                                                                                      \
         .value = &(o)->options.pdf.rmax,                                                                              \
         .arg = "R",                                                                                                   \
         .help = "pdf: set the largest r in Angstrom (default: that of the counts; of a table: 20)"},                  \
        {.name = "dr",                                                                                                 \
         .kind = TRJ_OPTION_REAL,                                                                                      \
         .value = &(o)->options.pdf.dr,                                                                                \
         .arg = "R",                                                                                                   \
         .help = "pdf: set the step of r in Angstrom"},                                                                \
    {                                                                                                                  \
        .name = "to", .kind = TRJ_OPTION_CHOICE, .value = &(o)->format, .arg = "FORMAT",                               \
        .help = "pdf: write this format", .choices = rdf_pdf_formats                                                   \
    }

// Options of tables for simulation, for the option table.
#define RDF_OPTIONS_TABLE(o)                                                                                           \
    {.heading = "Tables for simulation",                                                                               \
     .name = "table",                                                                                                  \
     .kind = TRJ_OPTION_CHOICE,                                                                                        \
     .value = &(o)->table.program,                                                                                     \
     .arg = "PROGRAM",                                                                                                 \
     .help = "pmf: write the potential and its force as a table of this program",                                      \
     .choices = rdf_table_programs},                                                                                   \
        {.name = "units",                                                                                              \
         .kind = TRJ_OPTION_CHOICE,                                                                                    \
         .value = &(o)->table.units,                                                                                   \
         .arg = "UNITS",                                                                                               \
         .help = "table: use these units (default: real for LAMMPS, else gromacs)",                                    \
         .choices = rdf_table_units},                                                                                  \
        {.name = "cutoff",                                                                                             \
         .kind = TRJ_OPTION_REAL,                                                                                      \
         .value = &(o)->table.cutoff,                                                                                  \
         .arg = "R",                                                                                                   \
         .help = "table: let the potential reach 0 at R Angstrom (default: rmax of the counts)"},                      \
        {.name = "switch",                                                                                             \
         .kind = TRJ_OPTION_REAL,                                                                                      \
         .value = &(o)->table.switching,                                                                               \
         .arg = "R",                                                                                                   \
         .help = "table: begin to switch off the potential at R Angstrom (default: 0.9 of the cutoff)"},               \
        {.name = "core",                                                                                               \
         .kind = TRJ_OPTION_CHOICE,                                                                                    \
         .value = &(o)->table.core,                                                                                    \
         .arg = "WAY",                                                                                                 \
         .help = "table: extrapolate the potential in this way where g(r) is 0 or too noisy (default: linear)",        \
         .choices = rdf_table_cores},                                                                                  \
    {                                                                                                                  \
        .name = "spacing", .kind = TRJ_OPTION_REAL, .value = &(o)->table.spacing, .arg = "R",                          \
        .help = "table: set the largest spacing of rows in Angstrom (default: 0.01)"                                   \
    }

extern const struct trj_choice rdf_derived_forms[]; // of S(q) and of G(r); ends with a NULL name

// Returns the quantity of o->quantity.
enum rdf_quantity_number rdf_derive_options_number(const struct rdf_derive_options *o);
// Sets the members of o->options that follow from others. `table`: the input is a measured table. `probe` is that of
// the first total.
void rdf_derive_options_resolve(struct rdf_derive_options *o, bool table, enum rdf_probe probe);
// Fails with TRJ_USAGE if an option has no effect or an invalid value. Call it after rdf_derive_options_resolve.
int rdf_derive_options_check(const struct rdf_derive_options *o, bool table, struct trj_error *err);

#endif
