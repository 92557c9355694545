// SPDX-License-Identifier: MIT
// Prints correlations, or their spectra, as a table with a row for each lag, and their results as comments: diffusion
// coefficients, correlation times, and the lags that only few windows support.
//
// Comments "# result: ..." have fields separated by tabs: expression, quantity, value, standard error, half-width of
// the interval that contains the true value with 95 %, unit, and the lags in ps from which it follows. With --summary,
// they are the rows of a table without lags.
#ifndef TCF_CORRELATION_TABLE_H
#define TCF_CORRELATION_TABLE_H

#include "correlation_run.h"
#include "error.h"
#include "frame_range.h"
#include "table_writer.h"

enum {
    TCF_FEW_WINDOWS = 10, // lags with fewer windows that do not overlap are marked
    TCF_FIT_WINDOWS = 20, // the largest lag of a fit has as many, unless a range is given
};

// Writes all but the provenance, after tcf_run_finish. `fit` is used if r->options->fit is set. `note` prints notes.
// Fails with TRJ_USAGE if the range of the fit contains fewer than three lags, and with TRJ_BAD_DATA if the correction
// for the size of the cell is requested for a cell that is not a cube.
int tcf_table_write(const struct tcf_run *r, const struct trj_times *fit, struct trj_table *t,
                    void (*note)(const char *line), struct trj_error *err);

#endif
