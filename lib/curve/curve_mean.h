// SPDX-License-Identifier: MIT
// Computes the weighted mean of a series of curves and its standard error, estimated in one of several ways.
//
// Records i = 1 .. M with curves g_i and weights W_i; w_i = W_i / sum of W, g = sum of w_i g_i.
//
//   records    se^2 = sum of w_i^2 (g_i - g)^2 / (1 - sum of w_i^2), which is M/(M-1) sum of ((g_i - g) / M)^2 if all
//              w_i are 1/M. It is unbiased if records are independent and have variances proportional to 1/w_i, as
//              longer and shorter records have: then cov(g_i, g) = var(g), so that <(g_i - g)^2> = (1/w_i - 1) var(g).
//   blocks     Neighbouring records are joined in pairs to form blocks, these blocks are joined again, and so on:
//              H. Flyvbjerg, H. G. Petersen, J. Chem. Phys. 91, 461 (1989). For blocks of B = 2^l records (the last
//              may be shorter)
//                  se_B^2 = sum of w_b^2 (g_b - g)^2 / (1 - sum of w_b^2),
//              which is unbiased if blocks are independent and have variances proportional to 1/w_b. The statistical
//              inefficiency s = se_B^2 / se_1^2 is the number of records that contain as much information as one
//              independent record. The smallest B is used for which B^3 > 2 M <s^2>, the mean over the bins that vary.
//              For one quantity this is the rule of R. M. Lee, G. J. Conduit, N. Nemec, P. Lopez Rios, N. D. Drummond,
//              Phys. Rev. E 83, 066706 (2011), after U. Wolff, Comput. Phys. Commun. 156, 143 (2004): it minimises the
//              sum of the bias of the estimate, of the order s/B, and its variance, 2B/M. The mean of squares minimises
//              the sum over the bins. One B is used for the whole curve: the largest B of a single bin would be that of
//              the noisiest bin. At least CURVE_MIN_BLOCKS blocks are kept; if the rule gives fewer blocks, there are
//              too few records.
//   auto       The default: `blocks` if correlation is detected, else `records`, whose estimate has less noise. It is
//              detected if, for any B that the rule above tries, the mean of s over the bins exceeds 1 by more than
//              sqrt(2 (B - 1) / M). This is the standard deviation of s of one quantity with independent records:
//              se_B^2 / se_1^2 - 1 is then the sum of M (B - 1) / 2 products of different records, divided by M / 2
//              squares. The mean over many bins varies less. For each B, blocks are therefore used in at most one of
//              six series without correlation. They are valid there, too, but less precise.
//   bootstrap  The standard deviation of g over all M^M draws of M records out of the M, with replacement: B. Efron,
//              Ann. Stat. 7, 1 (1979). For a mean no draws are necessary: it is se^2 = sum of w_i^2 (g_i - g)^2,
//              exactly if all w_i are 1/M, else up to terms of the order of 1/M (the delta method: B. Efron, The
//              Jackknife, the Bootstrap and Other Resampling Plans, SIAM 1982, ch. 6). 1000 draws would give it to 2%.
//
// The covariance of bins k and l of the mean is estimated in the same way as the error, with (g_i - g)_k (g_i - g)_l in
// place of the square, and with blocks of the length that the error uses: its diagonal is se^2.
//
// Records are not stored, so that memory grows with log M, unless covariances are required.
#ifndef CURVE_MEAN_H
#define CURVE_MEAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "tool.h"

enum {
    CURVE_MAX_LEVELS = 64,
    CURVE_MIN_BLOCKS = 4,
};

// The methods by name; ends with a NULL name. The first is the default.
extern const struct trj_choice curve_errors[];

// Blocks of one length.
struct curve_level {
    uint64_t blocks;
    double *first, *second; // [curves][bins] sums over blocks of W^2 g and W^2 g^2
    double *weight2;        // [curves] sum of W^2
    bool half;              // a block waits for its neighbour:
    double *part;           // [curves][bins] W g
    double *part_weight;    // [curves] W
};

// A zeroed struct with `error` set is ready for curve_mean_open.
struct curve_mean {
    const char *error; // one of curve_errors; NULL: the first
    bool keep;         // records are kept for curve_mean_covariance
    double interval;   // probability of a confidence interval in percent; 0: none
    size_t curves, bins;
    uint64_t records;
    double *sum;                // [curves][bins] of W g
    double *weight;             // [curves] of W
    double *kept, *kept_weight; // with `keep`: [records][curves][bins] of W g, [records][curves] of W
    size_t kept_capacity, kept_weight_capacity;
    unsigned level_count;
    struct curve_level levels[CURVE_MAX_LEVELS]; // 0: the records themselves
};

int curve_mean_open(struct curve_mean *m, size_t curves, size_t bins, struct trj_error *err);
// Adds a record: weighted[curves][bins] is W g, weights[curves] is W.
int curve_mean_add(struct curve_mean *m, const double *weighted, const double *weights, struct trj_error *err);
void curve_mean_free(struct curve_mean *m); // not m itself

struct curve_mean_error {
    // [bins]; NULL for fewer than two records or if no error is requested; infinite if one record has all weight.
    // free() frees.
    double *error;
    uint64_t block;      // for `auto` and `blocks`: records in a block; 0 for other methods
    double inefficiency; // mean of s over the bins that vary, for the longest blocks tried; 1 if no bin varies
    bool too_few;        // there are too few records for blocks of the required length
    bool joined;         // the error is that of blocks, not that of single records (`auto` and `blocks`)
    // With `interval`: it is the value plus or minus this number times the error (curve_error_blocks_interval).
    double half_width;
    double blocks; // number n of blocks, or of single records, from which the error follows: 1 / sum of w_b^2
    // For `auto` and `blocks`. tested: there were enough records to test for correlation; correlated: it was detected.
    bool tested, correlated;
};

// Judges blocks of 2^level records, of which a series has `records` in all, by the rule of `auto`: s and s_square are
// the means of s and s^2 over the bins that vary. To be called for levels 0, 1, 2 ... while e->too_few, which is true
// at first, and while there are CURVE_MIN_BLOCKS such blocks. Sets block, inefficiency, too_few, tested and correlated.
void curve_mean_judge(struct curve_mean_error *e, unsigned level, double records, double s, double s_square);

// Computes the error of curve number `curve`; g[bins] is the mean, as the caller prints it.
int curve_mean_error(struct curve_mean_error *e, const struct curve_mean *m, size_t curve, const double *g,
                     struct trj_error *err);

// Sets covariance[bins][bins] of a curve, whose mean g[bins] has the error e, which is not NULL or infinite. Requires
// `keep`.
int curve_mean_covariance(double *covariance, const struct curve_mean *m, size_t curve, const double *g,
                          const struct curve_mean_error *e, struct trj_error *err);

#endif
