// SPDX-License-Identifier: MIT
// Tails and quantiles of distributions for tests of hypotheses and for confidence intervals.
#ifndef CURVE_DISTRIBUTIONS_H
#define CURVE_DISTRIBUTIONS_H

// Return the probability that a random number with this distribution is above v; NaN for NaN, and for degrees of
// freedom that are not above 0.
double curve_chi2_tail(double v, double freedom);
double curve_f_tail(double v, double freedom1, double freedom2);

// Returns the probability that the absolute value of a random number with Student's distribution is above |t|. The
// degrees of freedom may be infinite: then the distribution is normal.
double curve_student_tail(double t, double freedom);
// Returns the t within which such a number is, on either side of 0, with a probability of `percent` (between 0 and 100,
// excluded; else NaN).
double curve_student_quantile(double percent, double freedom);

#endif
