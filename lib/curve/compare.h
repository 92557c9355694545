// SPDX-License-Identifier: MIT
// Compares a curve with a reference: deviations, and tests of the hypothesis that both have the same mean.
//
// x_k is the curve, y_k the reference, interpolated linearly to the positions of the curve; s_k^2 is the sum of the
// squared standard errors of both (of one of them, if the other has none), and n the number of bins compared.
//
//   MAE = sum |x - y| / n,  RMSE = sqrt(sum (x - y)^2 / n),  chi2 = sum (x - y)^2 / s^2
//   R = sqrt(sum (x - y)^2 / sum y^2),  Rw = sqrt(sum ((x - y)/s)^2 / sum (y/s)^2), as in the refinement of pair
//   distribution functions: C. L. Farrow et al., J. Phys.: Condens. Matter 19, 335219 (2007)
//   Pearson = sum (x - <x>)(y - <y>) / sqrt(sum (x - <x>)^2 sum (y - <y>)^2)
//
// Bins of g(r) are correlated, and so may be successive records. The tests therefore use whole blocks of records, which
// are as long as `auto` of curve_mean.h requires, and no assumption about bins:
//
//   permutation  Two curves with blocks. t_k is the difference of the weighted means over the root of the sum of their
//                squared errors (`records` of curve_mean.h); the statistic is the maximum of |t_k|. p is the share of
//                assignments of the blocks to both curves, including the observed one, with at least this value. It is
//                exact for independent blocks of equal distribution, and asymptotically valid for different variances:
//                A. Janssen, Stat. Probab. Lett. 36, 9 (1997); E. Chung, J. P. Romano, Ann. Stat. 41, 484 (2013). The
//                maximum: P. H. Westfall, S. S. Young, Resampling-Based Multiple Testing (Wiley 1993). It requires
//                equal bins, because an interpolation error would count as a difference.
//   sign-flip    A curve with blocks, and a reference without errors, which is taken as exact. t_k is the mean of the
//                differences of blocks from the reference over its error, in bins that are not empty in more than half
//                of the blocks, because counts of rare pairs do not have a symmetric distribution. p is the share of
//                choices of signs of the blocks whose statistic is at least the observed one. It is exact for
//                independent blocks with symmetric distributions.
//   chi2         A reference with errors, which are taken as exact and independent. chi2 / n is compared with
//                F(n^2 / tr R^2, m): R is the correlation matrix of x - y, from the blocks (F. E. Satterthwaite,
//                Biometrics Bull. 2, 110 (1946)), tr C^2 is corrected for the noise of C (Z. Bai, H. Saranadasa, Stat.
//                Sinica 6, 311 (1996)), and m = (blocks - 1) (n / sum C_kk / s_k^2)^2.
//   cauchy       Curves of tables, whose blocks are not available, but whose number is stated (error_blocks.h). p_k of
//                a bin is that of |x_k - y_k| / s_k by Student's distribution, with the degrees of freedom of B. L.
//                Welch, Biometrika 34, 28 (1947), and errors multiplied by their `bias`. The mean of the n numbers
//                tan((1/2 - p_k) pi) has nearly the tail of Cauchy's distribution, however bins are correlated: Y. Liu,
//                J. Xie, J. Am. Stat. Assoc. 115, 393 (2020). It has exactly this distribution if bins are independent,
//                or all equal. p_k is at most 1 - 0.1/n, because p_k = 1 of one bin would outweigh all others, and bins
//                with x_k = y_k, as with few counts, contribute 0.
#ifndef CURVE_COMPARE_H
#define CURVE_COMPARE_H

#include <stdbool.h>
#include <stddef.h>

#include "error.h"
#include "error_blocks.h"
#include "table_writer.h"

enum {
    CURVE_COMPARE_PERMUTATIONS = 9999, // random ones; if there are not more in total, each of them is used
    CURVE_COMPARE_MIN_BLOCKS = 4,      // of each curve, for a permutation: p is at least 1/35 then
    CURVE_COMPARE_MIN_SIGNS = 6,       // for sign-flip: p is at least 1/32
    CURVE_COMPARE_MIN_COVARIANCE = 8,  // for the covariance of chi2
    CURVE_COMPARE_MAX_BINS = 20000,    // for a permutation or sign-flip, because of its time
};

// Values of blocks of records.
struct curve_compare_blocks {
    size_t count, bins;
    double *value;  // [count][bins]
    double *weight; // [count], above 0
    bool tested;    // there were enough records to detect a correlation between them (curve_mean.h)
};
void curve_compare_blocks_free(struct curve_compare_blocks *b); // not b itself

// A curve; the caller keeps the arrays.
struct curve_compare_curve {
    size_t bins;
    const double *x, *y, *error;               // [bins]; x ascends; error: NULL if there is none, NaN if one is unknown
    const struct curve_compare_blocks *blocks; // NULL: none
    struct curve_error_blocks error_blocks;    // what is known about `error`
};

enum curve_compare_test {
    CURVE_COMPARE_NONE,
    CURVE_COMPARE_PERMUTATION,
    CURVE_COMPARE_SIGN_FLIP,
    CURVE_COMPARE_CHI2_COVARIANCE,
    CURVE_COMPARE_CAUCHY,
};

extern const char *const curve_compare_tests[]; // names of the tests
extern const char curve_compare_head[];         // comments before the rows of a table of comparisons

struct curve_comparison {
    size_t bins, outside, undefined; // compared; outside the reference; nan in one of the curves
    size_t interpolated;             // bins compared that are between two bins of the reference
    double from, to;                 // first and last x compared
    double mae, rmse, max, max_at;   // max: x - y where its absolute value is largest
    double chi2, r, rw, pearson;     // NaN: undefined
    size_t dof;                      // bins with an error
    size_t omitted;                  // bins that differ, but are not tested: empty in most blocks, or without an error
    enum curve_compare_test test;
    double p;           // NaN with CURVE_COMPARE_NONE
    bool untested;      // p requires independent blocks, and their records were too few to detect a correlation
    const char *reason; // of CURVE_COMPARE_NONE; else NULL
};

// Compares the bins of the curve with low <= x <= high. If all values in it are NaN, so are the results. Fails with
// TRJ_USAGE if the range contains no bin, and with TRJ_BAD_DATA if none of them is within the reference.
int curve_compare(struct curve_comparison *c, const struct curve_compare_curve *curve,
                  const struct curve_compare_curve *reference, double low, double high, struct trj_error *err);

// Puts a comparison into a row of such a table, after the names of both curves.
void curve_compare_put(struct trj_table *t, const struct curve_comparison *c);

// Returns whether both names "A:B" are equal, also after an exchange of both groups, which leaves g(r) unchanged.
bool curve_compare_same_pair(const char *a, const char *b);
// Returns the pair with which `text`, "A:B" or "A:B=C:D", compares `pair`: C:D or `pair`. NULL: text names another
// pair.
const char *curve_compare_partner(const char *text, const char *pair);

#endif
