// SPDX-License-Identifier: MIT
// The options of correlations, and the checks that need no stream.
#ifndef TCF_CORRELATION_OPTIONS_H
#define TCF_CORRELATION_OPTIONS_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "error.h"
#include "frame_range.h"
#include "tool.h"

struct tcf_options {
    uint64_t lags;       // largest lag in frames
    uint64_t per_octave; // lags in each octave (lag_grid.h); 0: all lags
    const char *fit;     // "FROM:TO" in ps; NULL: chosen from the number of windows
    double viscosity;    // mPa s; NaN: no correction for the size of the cell
    double temperature;  // K; NaN: not given
    bool sums;           // write the sums of a segment in place of the table
    bool merge;          // the operands are files of such sums
    bool spectrum;       // print cosine transforms in place of correlations
    bool summary;        // print only the results
};
#define TCF_OPTIONS_DEFAULT                                                                                            \
    { .lags = 1000, .viscosity = NAN, .temperature = NAN }
enum { TCF_LAGS_MAX = 1000000, TCF_PER_OCTAVE_MIN = 4, TCF_PER_OCTAVE_MAX = 256 };

extern const struct trj_option tcf_option_table[]; // rows for the table of a filter (tool.h)

// Checks the options and the functions of the expressions before any input is read. Sets *fit if a range is given.
// Fails with TRJ_USAGE.
int tcf_options_check(const struct tcf_options *o, char *const *expressions, size_t count, struct trj_times *fit,
                      struct trj_error *err);

#endif
