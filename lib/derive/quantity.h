// SPDX-License-Identifier: MIT
// Computes the quantities of derive.h for each pair of groups of a histogram, with jackknife errors, and checks that
// the histogram meets their requirements.
#ifndef RDF_QUANTITY_H
#define RDF_QUANTITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "blocks.h"
#include "derive.h"
#include "error.h"
#include "hist_stream.h"
#include "measured_pdf.h"
#include "scattering.h"
#include "tool.h"

enum rdf_quantity_number {
    RDF_COORDINATION,
    RDF_SHELLS,
    RDF_SQ,
    RDF_DEBYE,
    RDF_KB,
    RDF_PMF,
    RDF_S2,
    RDF_PDF,
    RDF_QUANTITIES
};
extern const struct trj_choice rdf_quantity_names[]; // by number; ends with a NULL name
extern const struct trj_choice rdf_windows[];        // measured_pdf.h; S(q) uses the first two, none and lorch

enum { RDF_MAX_COLUMNS = 6, RDF_MAX_SMOOTHED_BINS = 20000 };

struct rdf_derivation;

struct rdf_quantity {
    // The rows: middles or upper edges of bins, q, or shells.
    enum rdf_axis { RDF_MIDDLES, RDF_EDGES, RDF_WAVES, RDF_SHELL_ROWS } axis;
    bool curve;          // requires g(r), not only counts
    bool bulk;           // requires a bulk system, with full shells
    bool fixed;          // requires groups of constant size
    bool bins_any;       // bins may begin above 0
    bool tends;          // requires a g(r) that tends to 1, unlike g(r) of excluded pairs alone
    enum rdf_part usual; // default treatment of excluded pairs
    // Fills to[column][row] of a set for a pair; NULL for quantities over q, which are computed together.
    int (*fill)(const struct rdf_derivation *d, size_t set, size_t pair, double *to, struct trj_error *err);
    struct rdf_derived_column {
        const char *name;
        bool reversed;              // of B:A; left out for a group with itself
    } columns[RDF_MAX_COLUMNS + 1]; // ends with a NULL name
    const char *description;        // description of the columns
};

// The options; see rdfderive(1).
struct rdf_quantity_options {
    const char *window;                // one of rdf_windows
    double volume, temperature, reach; // Å^3 (NaN: use the volume of the frames), K, Å
    double interval;                   // percent; NaN: no confidence intervals
    double smooth;                     // width of the windows of conserving_smooth.h in Å; 0: g(r) is not smoothed
    double qmin, qmax, dq;             // Å^-1
    uint64_t atoms, shells;            // atoms of the whole system (0: Ashcroft and Langreth); number of shells
    bool corrected;                    // kb: for the closed system; s2: for the bias caused by noise
    const struct rdf_total *totals;    // sq, debye: sums over all pairs of groups
    size_t total_count;
    struct trj_text_list scatterers; // GROUP=WHAT, for them
    struct trj_text_list patterns;   // their contributions, as rdf_scattering_split takes them
    bool split;                      // sq: contributions of excluded pairs and of the others
    struct rdf_pdf_options pdf;
    bool undivided; // F(q) = <b>^2 (S(q) - 1) of Faber and Ziman instead of S(q); for RDF_PART_REST <b>^2 S(q)
    bool reduced;   // q (S(q) - 1) instead of S(q); for RDF_PART_REST q S(q)
};

// To use: zero it, call rdf_derivation_open, read streams into hist, call rdf_derive, read values.
struct rdf_derivation {
    enum rdf_quantity_number number;
    const struct rdf_quantity *quantity;
    struct rdf_quantity_options options;
    enum rdf_part part; // ALL, REST or EXCLUDED; hist.part is the part that is read
    void (*progress)(const char *what, uint64_t done, uint64_t total); // may be NULL
    struct rdf_hist hist;
    struct rdf_blocks blocks;
    // Set 0 is all blocks, each other set is all blocks but one. With one block there is only set 0.
    size_t sets, pairs, columns, rows;
    uint64_t smoothed;        // number of bins in a window, if g(r) is smoothed; else 0
    double *frames;           // [sets]
    double *atoms;            // [sets][groups] mean number in a frame
    uint64_t *group_atoms;    // [groups] sums over all frames; NULL if no group is dynamic
    double *inverse_volume;   // [sets] means, Å^-3; the inverse of the volume of the options, if given
    struct rdf_curve *curves; // [sets][pairs]
    double *values;           // [sets][pairs][columns][rows]
    struct rdf_scattering scattering;
    // Number of totals with their contributions. Those of S(q) add up to S(q) - 1, without the constant term.
    size_t total_curves;
    double *totals; // [sets][total_curves][rows]
    bool summed;    // pdf: of Debye's sum, for frames without periodicity
    size_t each;    // pdf: the number of rows of each step of q that was requested
    struct rdf_pdf pdf;
    struct rdf_shell *shells; // [pairs][rows] of the first set, or of the set followed last; NULL unless requested
    // [pairs] the error if shells are missing, else without a text; NULL unless requested
    struct trj_error *missing_shells;
};

// `excluded` is one of rdf_parts (table.h), or NULL for the default of the quantity. Fails with TRJ_USAGE if the
// quantity is undefined for it.
int rdf_derivation_open(struct rdf_derivation *d, enum rdf_quantity_number number,
                        const struct rdf_quantity_options *options, const char *excluded, struct trj_error *err);
// Fails with TRJ_BAD_DATA and the reason if the quantity is undefined for the histogram.
int rdf_derive(struct rdf_derivation *d, struct trj_error *err);
void rdf_derivation_close(struct rdf_derivation *d);

// After rdf_derive: whether the pair has the column; the place of the row (Å, or Å^-1 for quantities over q).
bool rdf_derived_has(const struct rdf_derivation *d, size_t pair, size_t column);
double rdf_derived_at(const struct rdf_derivation *d, size_t row);
double rdf_derived_value(const struct rdf_derivation *d, size_t pair, size_t column, size_t row);
// For two blocks or more: the number by which standard errors are multiplied for a confidence interval; the standard
// error, and the mean bias of the value caused by noise.
double rdf_derived_half_width(const struct rdf_derivation *d);
double rdf_derived_error(const struct rdf_derivation *d, size_t pair, size_t column, size_t row);
double rdf_derived_bias(const struct rdf_derivation *d, size_t pair, size_t column, size_t row);

// A total or contribution, by its number among total_curves, and its standard error.
double rdf_derived_total(const struct rdf_derivation *d, size_t total, size_t row);
double rdf_derived_total_error(const struct rdf_derivation *d, size_t total, size_t row);

// The q (Å^-1) below which a structure factor of periodic frames is not resolved is the larger of 2 pi/L and pi/rmax. A
// system that repeats after L has no wave vector between 0 and 2 pi/L, and a curve that ends at rmax does not resolve
// longer waves.
struct rdf_wave_limit {
    double min;    // 0: no limit, as for frames without periodicity and for excluded pairs alone
    double length; // L (Å): smallest distance of opposite faces of a cell, in the periodic directions
    bool cube;     // L is the cube root of the mean volume, because the stream lacks these distances
};
struct rdf_wave_limit rdf_derived_wave_limit(const struct rdf_derivation *d);

// Sets *all to the number of pairs of atoms of Debye's sum in all frames, and *counted to the number of them that were
// counted. Without periodicity, the others are beyond rmax.
void rdf_derived_coverage(const struct rdf_derivation *d, size_t pair, double *all, double *counted);

#endif
