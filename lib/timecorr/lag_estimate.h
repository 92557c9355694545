// SPDX-License-Identifier: MIT
// Quantities that follow from sums over lags, such as a mean square displacement, the slope of a line through several
// lags, or an integral, with their standard errors.
//
// A quantity is computed from the sums of all start frames, and from those of each record, a block of start frames. Its
// error is that of the mean of the records, weighted by their numbers of pairs (curve_mean.h): neighbouring records are
// joined until their correlation is small, which includes that windows of one record reach into the next ones. So the
// error of a slope contains the covariance of the lags, because each record has a slope of its own.
#ifndef TCF_LAG_ESTIMATE_H
#define TCF_LAG_ESTIMATE_H

#include <stddef.h>

#include "error.h"
#include "lag_records.h"

struct tcf_value {
    double value;   // NaN: not defined
    double error;   // standard error; NaN: there are too few independent records
    double freedom; // degrees of freedom of the error; NaN: unknown
};

// Returns the half-width of the interval that contains the true value with 95 %, from Student's t; NaN: unknown. It
// takes as long as the estimate itself, so that only results have one.
double tcf_half_width(const struct tcf_value *v);

struct tcf_estimator {
    size_t outputs;
    // Sets out[outputs] from sum[parts][lags] and pairs[lags]; NaN if a lag that is required has no pairs.
    void (*evaluate)(const void *arg, const double *sum, const double *pairs, double *out);
    const void *arg;
    const size_t *longest; // [outputs] the largest lag that the output requires: its pairs are the weight of a record
};

// Sets to[outputs]. Fails only if memory is not available.
int tcf_estimate(const struct tcf_records *r, const struct tcf_estimator *e, struct tcf_value *to,
                 struct trj_error *err);

#endif
