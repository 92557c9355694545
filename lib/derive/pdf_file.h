// SPDX-License-Identifier: MIT
// Prints G(r) and S(q) of measured_pdf.h in the formats of programs for pair distribution functions.
#ifndef RDF_PDF_FILE_H
#define RDF_PDF_FILE_H

#include "error.h"
#include "output.h"
#include "quantity.h"
#include "tool.h"

// Formats by name; ends with a NULL name. The first is the default.
//   tsv     the form that the options give, as tables of rdfnorm
//   gr      G(r) of the form pdf: r, G, 0, standard error. PDFgui reads "key = value" and "#### start data", GSAS-II
//           reads "#L r" and "X-Ray"
//   sq, fq  S(q), and F(q) = q (S(q) - 1): q, value, standard error; read by GSAS-II
//   rmc     the form that the options give, as RMCProfile reads it: number of points, title, r and value without r = 0
//   rmc-fq  F(q) of Keen: number of points, title, q and value without q = 0; in barn for neutrons, divided by <b>^2
//           for other probes
extern const struct trj_choice rdf_pdf_formats[];

// Returns whether a format and form require F(q) = <b>^2 (S(q) - 1) of the probe instead of S(q).
bool rdf_pdf_takes_f(const char *format, const char *form, enum rdf_probe probe);

// What is printed: a result, the derivation that it belongs to, or a measured table.
struct rdf_pdf_report {
    const char *format;
    const struct rdf_pdf *pdf;
    const struct rdf_pdf_options *options;
    const char *window;
    const char *probe;              // of the first curve: "xray", ...; "measured" if it is unknown
    const struct rdf_derivation *d; // NULL: of the table
    const char *table, *column;     // its name, and that of its second column
    char **provenance;              // ends with NULL
};
int rdf_pdf_print(struct trj_output *out, const struct rdf_pdf_report *report, struct trj_error *err);

#endif
