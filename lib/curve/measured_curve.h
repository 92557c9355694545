// SPDX-License-Identifier: MIT
// Reads curves as beamlines and their programs write them: columns of numbers after lines of text, in the files .gr,
// .sq, .fq, .iq, .int and .chi of PDFgetX, PDFgetN, GSAS-II, Mantid, Gudrun, pyFAI and RMCProfile. Tables of rdfnorm
// and rdfderive are read, too.
//
// The lines before the first row are text. "#### start data" ends them (PDFgui). "#L r(A) G(A^-2)" names the columns
// (SPEC); without such a line, the last line that begins with '#' does. A line that consists of one number gives the
// number of rows, and the next line is a title that may name the function (RMCProfile, "rmc G(r) # title").
#ifndef TRJ_MEASURED_CURVE_H
#define TRJ_MEASURED_CURVE_H

#include <stdbool.h>
#include <stddef.h>

#include "error.h"
#include "error_blocks.h"
#include "input.h"

// The function in the second column, which the name of the column ("G(A^-2)") or else the ending of the file name
// gives. <b>^2 is (sum of c_i b_i)^2, rho the density of atoms; the names are those of measured files, which differ
// from those of Keen.
enum trj_curve_kind {
    TRJ_CURVE_OTHER,
    TRJ_CURVE_PDF, // G(r) = 4 pi r rho (g(r) - 1), .gr
    TRJ_CURVE_G,   // g(r), which tends to 1
    TRJ_CURVE_D,   // D(r) = 4 pi r rho <b>^2 (g(r) - 1)
    TRJ_CURVE_T,   // T(r) = 4 pi r rho <b>^2 g(r)
    TRJ_CURVE_RDF, // 4 pi r^2 rho g(r)
    TRJ_CURVE_S,   // S(q), which tends to 1, .sq
    TRJ_CURVE_QI,  // F(q) = q (S(q) - 1), .fq
    TRJ_CURVE_F,   // F(q) = <b>^2 (S(q) - 1), "F(neutron)" of rdfderive
    TRJ_CURVE_INTENSITY,
};

struct trj_measured_curve {
    enum trj_curve_kind kind;
    bool of_q;             // the first column is q in 1/Å, else r in Å
    const char *probe;     // "neutron", "xray" or "electron", if the text contains it; else NULL
    char *name;            // of the second column; "" if there is none
    size_t rows;           // at least 2
    double *x, *y, *error; // [rows]; x increases; y is NaN where the file has "nan"; error: NULL if there are none
    struct curve_error_blocks error_blocks;        // as a comment states, else exact
    size_t x_capacity, y_capacity, error_capacity; // used while the curve is read
};

// Returns whether the first n bytes of an input are such a curve rather than a table of rdfnorm or rdfderive.
bool trj_measured_is(const unsigned char *head, size_t n, const struct trj_input *in);

// Reads the curve of an input into *c, which the caller frees by trj_measured_free, also after a failure. Fails with
// TRJ_BAD_DATA and the line if a row has another number of columns or a field that is no number, if x does not increase
// or is in other units than Å, if a declared number of rows differs, or if it is unclear whether x is q or r.
int trj_measured_read(struct trj_measured_curve *c, struct trj_input *in, struct trj_error *err);
void trj_measured_free(struct trj_measured_curve *c);

#endif
