// SPDX-License-Identifier: MIT
// Histograms of observables over frames, along one or two axes.
//
// A histogram has one or several columns, such as one for each residue, that share the bins of its axes. Its results
// are counts. The counts of segments of a trajectory therefore add up to those of the whole one, exactly and in any
// order; the table contains all that is needed for that (histogram_merge.c). Densities follow from the counts.
#ifndef OBS_HISTOGRAM_H
#define OBS_HISTOGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "output.h"
#include "table_writer.h"
#include "tool.h"

struct obs_histogram_options {
    struct trj_text_list one, two; // the expressions of --hist and --hist2d; the filter frees the arrays
    const char *range, *bins;      // NULL: not given
    double temperature;            // K; NaN: not given
    bool pool;
};

#define OBS_HISTOGRAM_OPTIONS_DEFAULT                                                                                  \
    { .temperature = NAN }

// Rows for the option table of a filter (tool.h).
extern const struct trj_option obs_histogram_option_table[];
bool obs_histogram_is_requested(const struct obs_histogram_options *o);
// Checks the options before any input is read; `errors`: standard errors of the densities are requested. Fails with
// TRJ_USAGE.
int obs_histogram_check(const struct obs_histogram_options *o, bool errors, struct trj_error *err);

struct obs_histogram_axis {
    char *name; // of the quantity: "rg"
    char *unit; // "Angstrom"; "1" for numbers
    double low, high;
    size_t bins;            // of equal width
    double lowest, highest; // of all values; highest < lowest: unknown
};

// Of an axis, and of all columns together, whose counts take 0.8 GB.
enum { OBS_HISTOGRAM_BINS_MAX = 100000, OBS_HISTOGRAM_ALL_MAX = 100000000 };

// What was counted in a column. Each frame adds a value, or as many as there are pooled columns.
struct obs_histogram_column {
    char *name; // "rg(P)"; "phi.5(P):psi.5(P)" with two axes
    uint64_t inside;
    // With one axis, the values below and above its range; with two, pairs outside of the range of the first axis, and
    // the others that are outside of that of the second one.
    uint64_t outside[2];
    uint64_t undefined; // values that are NaN, or pairs of which one is
};

// Ready for use if zeroed except for `axes` and `temperature`; obs_histogram_free frees what it contains.
struct obs_histogram {
    unsigned axes; // 1 or 2
    struct obs_histogram_axis axis[2];
    char **definition; // [definitions] comments on the observables
    size_t definitions, definition_capacity;
    double temperature;                  // K; NaN: no free energies
    struct obs_histogram_column *column; // [columns]
    size_t columns;
    uint64_t *count; // [columns][axis[1].bins][axis[0].bins]; the second axis has one bin if there is only one
    uint64_t frames;
};

// Reads a number of bins from text[n]. Fails with TRJ_USAGE unless it is from 1 to OBS_HISTOGRAM_BINS_MAX.
int obs_parse_bins(size_t *bins, const char *text, size_t n, struct trj_error *err);
// Sets range and bins of the axes, whose units are set, from the options or their defaults. Fails with TRJ_USAGE if
// there is no default.
int obs_histogram_set_bins(struct obs_histogram *h, const struct obs_histogram_options *o, struct trj_error *err);
int obs_histogram_add_definition(struct obs_histogram *h, const char *text, struct trj_error *err);
// Allocates columns without names, and the counts, once the axes are set. Fails with TRJ_USAGE for more than
// OBS_HISTOGRAM_ALL_MAX counts.
int obs_histogram_open(struct obs_histogram *h, size_t columns, struct trj_error *err);
void obs_histogram_free(struct obs_histogram *h); // not h itself

// Returns the number of bins of all axes together.
size_t obs_histogram_cells(const struct obs_histogram *h);
// Adds a value, or a pair of them, of a column. Returns its bin, or SIZE_MAX if it is in none.
size_t obs_histogram_add(struct obs_histogram *h, size_t column, const double *value);

// Returns the middle of a bin along an axis. The first axis is the one that changes from a bin to the next one.
double obs_histogram_centre(const struct obs_histogram *h, unsigned axis, size_t cell);
// Returns the density in a bin: its share of all values that are not NaN, also of those outside of the bins, divided by
// the width or the area of the bin. NaN if there is no value.
double obs_histogram_density(const struct obs_histogram *h, size_t column, size_t cell);
// Writes the table after the provenance; with a temperature it contains free energies -k_B T ln(p / p_max) in kJ/mol,
// which are 0 in the bin with the most values, infinite in empty ones, and NaN if all are empty.
// error[columns][cells]: standard errors of the densities, NaN where unknown; NULL: none.
int obs_histogram_write(const struct obs_histogram *h, const double *error, struct trj_table *t);
// Writes an array of NumPy: [columns][axis[1].bins][axis[0].bins], without the first axis for one column; free energies
// as float64 with a temperature, otherwise counts as int64.
int obs_histogram_write_npy(const struct obs_histogram *h, struct trj_output *out, struct trj_error *err);
// Reports values that are in no bin, for each column that has some, by `note`.
void obs_histogram_note(const struct obs_histogram *h, void (*note)(const char *text));

// The comments of the table that histogram_merge.c reads.
#define OBS_HISTOGRAM_DEFINITION  "histogram of "
#define OBS_HISTOGRAM_TEMPERATURE "temperature: "
#define OBS_HISTOGRAM_VALUES      "values of "

#endif
