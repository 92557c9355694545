// SPDX-License-Identifier: MIT
// The pair distribution function as an instrument measures it: the transform of S(q), which is known between qmin and
// qmax only, with a window, and with the resolution of the instrument.
//
// Symbols: S(q) is the total structure factor of Faber and Ziman, whose weights depend on q for X-rays and electrons;
// <b>^2 = (sum of c_i b_i)^2, with f(q) instead of b for X-rays; rho is the number density; F(q) = <b>^2 (S(q) - 1). D.
// A. Keen, J. Appl. Cryst. 34, 172 (2001) compares the names of these functions; the names here are those of Keen.
//
// Back-transform, with the window W(q):
//   H(r) = 2/pi integral from qmin to qmax of q^2 i(q) W(q) sin(qr)/(qr) dq,   i(q) = S(q) - 1, or F(q)
// by the trapezoidal rule; for computed i(q), which are smooth between points, with Gregory's corrections at the ends.
// The forms of scattering.h follow from H of S(q) - 1:
//   pdf   G^PDF(r) = r H(r) = 4 pi r rho (g(r) - 1), the G(r) of PDFgui and PDFgetX
//   g     1 + H(r) / (4 pi rho)
//   rdf   r^2 H(r) + 4 pi r^2 rho
// and from H of F(q):
//   fz    G(r) = H(r) / (4 pi rho)
//   d     D(r) = r H(r)
//   t     T(r) = r H(r) + 4 pi r rho <b>^2, with <b>^2 at q = 0
// For X-rays fz, d and t contain the decrease of f(q), which broadens their peaks. For excluded pairs alone, which are
// a part of g, the constants 1, 4 pi r^2 rho and 4 pi r rho <b>^2 are omitted.
//
// Windows, with x = q/qmax:
//   none           1; a peak of G(r) at r' has ripples sin(qmax (r - r'))/(r - r') (B. H. Toby, T. Egami, Acta Cryst.
//                  A48, 336 (1992))
//   lorch          sin(pi x)/(pi x). E. Lorch, J. Phys. C 2, 229 (1969)
//   revised-lorch  3 (sin y - y cos y)/y^3, y = 4.4934 x: the mean of the three-dimensional density over a sphere of
//                  radius 4.4934/qmax, with the first zero at qmax. A. K. Soper, E. R. Barney, J. Appl. Cryst. 44, 714
//                  (2011), who leave the radius free
//   hann           (1 + cos(pi x))/2. R. B. Blackman, J. W. Tukey, The measurement of power spectra (1958)
//
// Resolution. An instrument with a resolution in q of standard deviation s(q), s^2 = D^2 + B^2 q^2, multiplies
// sin(qr) in q (S(q) - 1) by exp(-r^2 s^2/2):
//   D = Qdamp   an envelope exp(-r^2 Qdamp^2/2) of G(r)
//   B           Gaussian broadening of a peak at r by B r, so that its width is sqrt(w^2 + B^2 r^2)
// The program PDFgui has w sqrt(1 + Qbroad^2 r^2) with the width w of each peak without resolution (C. L. Farrow and
// others, J. Phys.: Condens. Matter 19, 335219 (2007)), so that B = Qbroad w. g(r) does not give the w of single peaks;
// one w is therefore given for all. Both are applied to g(r) - 1, in the middle of each bin, before the transform to
// S(q). S(q) is then that of the instrument, and the end at qmax is sharp.
#ifndef RDF_MEASURED_PDF_H
#define RDF_MEASURED_PDF_H

#include <stdbool.h>
#include <stddef.h>

#include "error.h"
#include "measured_curve.h"

struct rdf_pdf_options {
    double qdamp, qbroad, peak_width; // 1/Å, 1/Å, Å
    double rmin, rmax, dr;            // Å; rmax NaN: default
    const char *form;                 // one of rdf_forms (scattering.h)
    const char *probe;                // of a measured table; NULL: as the table states
};

// Returns W(q) of one of rdf_windows.
double rdf_window_at(const char *name, double q, double qmax);

// Adds to h[grid.count][curves] the function H(r) for each i(q) in y[points][curves], at q[points] with the weights of
// the integral.
struct rdf_r_grid {
    double min, step; // Å
    size_t count;
};
void rdf_back_transform(double *h, const struct rdf_r_grid *grid, const double *y, size_t curves, const double *q,
                        const double *weight, size_t points);

// Writes the weights of the trapezoidal rule between qmin and qmax, multiplied by the window; the integrand is linear
// between points.
void rdf_pdf_weights(double *weight, const double *q, size_t points, double qmin, double qmax, const char *window);
// Writes the weights for points that divide the range from qmin to qmax into equal steps h, multiplied by the window:
// the trapezoidal rule with Gregory's corrections of the fourth order, an error of 19/720 h^4 times the third
// derivative of the integrand at the ends (M. Abramowitz, I. A. Stegun, Handbook of Mathematical Functions (1964),
// 25.4.7, with derivatives from differences). Requires at least RDF_PDF_MIN_POINTS points.
enum { RDF_PDF_MIN_POINTS = 6 };
void rdf_pdf_smooth_weights(double *weight, size_t points, double qmin, double qmax, const char *window);

// The result: G(r) of `curves` totals, and S(q) of each of them.
struct rdf_pdf {
    struct rdf_r_grid r;
    size_t curves;
    double *value, *error;   // [curves][r.count]; error: NULL if there are none
    double qmin, qmax, step; // 1/Å; step: of q, 0 if the steps of a table differ
    size_t waves;
    double *q, *i, *i_error; // [waves], [curves][waves]: S(q) - 1, or F(q) for forms of F(q)
};
void rdf_pdf_free(struct rdf_pdf *p); // not p itself
int rdf_pdf_alloc(struct rdf_pdf *p, size_t curves, bool errors, struct trj_error *err);

// Returns the factor and sets *add to the constant that convert H(r) to a form. `mean` is <b>^2; `base` is 0 for a
// share of g, else 1.
double rdf_pdf_scale(double *add, const char *form, double r, double density, double mean, double base);

// Sets p->r from the request. Fails with TRJ_USAGE if it is invalid.
int rdf_pdf_set_grid(struct rdf_pdf *p, const struct rdf_pdf_options *options, double rmax, struct trj_error *err);

// Sets *table if a path names a regular file that is not a histogram stream, and thus a measured table. Histogram
// streams may also come from a pipe or standard input. Fails if the file cannot be read.
int rdf_pdf_detect_table(bool *table, const char *path, struct trj_error *err);

// Reads a measured table into *c, which the caller frees by trj_measured_free, and transforms its S(q), q (S(q) - 1) or
// F(q). Standard errors of its points are taken to be independent. `qmax` NaN is the last q; `density` NaN is unknown.
// Fails with TRJ_BAD_DATA if the table is another function or damaged, and with TRJ_USAGE if it has too few points for
// the largest r (pi divided by the largest step), if options->probe is not that of the table, or if the form requires
// what is unknown.
int rdf_pdf_of_table(struct rdf_pdf *p, struct trj_measured_curve *c, const char *path,
                     const struct rdf_pdf_options *options, const char *window, double qmin, double qmax,
                     double density, struct trj_error *err);

#endif
