// SPDX-License-Identifier: MIT
// Comments of tables of trjcorr that figures use: units of columns, fitted lines, and estimates from the first frames.
#ifndef PLOT_CORRELATION_COMMENTS_H
#define PLOT_CORRELATION_COMMENTS_H

#include <stddef.h>

#include "error.h"

// The straight line through a range of lags, from comments "# result: EXPRESSION<TAB>slope<TAB>VALUE<TAB>...".
struct plot_fit {
    char *expression;
    double slope, intercept; // NaN: not given
    double exponent, error;  // of the line through the logarithms, and its standard error
    double from, to;         // lags, ps
};

struct plot_correlation_comments {
    struct plot_fit *fit; // [fits]
    size_t fits, fit_capacity;
    struct plot_unit_comment {
        char *column, *unit; // as "acf.x(cog(A))" and "Angstrom^2"
    } * unit;                // [units]
    size_t units, unit_capacity;
    // An estimate from the first frames, from a comment "# running: EXPRESSION<TAB>FRAMES<TAB>VALUE".
    struct plot_running_value {
        char *expression;
        size_t column; // number of the expression
        double frames, value;
    } * running; // [runnings]
    size_t runnings, running_capacity;
};

// Reads a line if it is one of these comments; other lines, and numbers that are invalid, are ignored. Fails if memory
// is missing. The caller frees *c, which is zeroed at first, also after a failure.
int plot_correlation_comments_add(struct plot_correlation_comments *c, const char *line, struct trj_error *err);
void plot_correlation_comments_free(struct plot_correlation_comments *c);
// Returns the straight line of a column, such as that of msd(O) for msd.total(O), if all its numbers but the error are
// known; otherwise NULL. The result is valid until the next call of plot_correlation_comments_add.
const struct plot_fit *plot_correlation_fit(const struct plot_correlation_comments *c, const char *column);
// Returns the unit of a column; NULL: unknown.
const char *plot_correlation_unit(const struct plot_correlation_comments *c, const char *column);

#endif
