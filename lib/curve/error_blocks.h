// SPDX-License-Identifier: MIT
// From how many independent blocks a standard error follows: the comment of a table, as it is written and read, and
// what follows from it.
//
// Errors of curve_mean.h follow from n blocks, with n = 1 / sum of w_b^2 of their shares w_b of the weight: the number
// of blocks, if all have equal weight. If these are independent, (mean - true mean) / se has approximately Student's
// distribution with n - 1 degrees of freedom.
//
// Neighbouring blocks of finite length are correlated a little, so that se is slightly too small. If the correlation
// decreases exponentially, the inefficiency of B records, s_B = s - (s^2 - 1) / (2 B), is that of blocks of length B,
// where s is that of infinitely long ones. Solved for s, this gives the factor `bias`, sqrt(s / s_B), by which tests of
// hypotheses multiply se.
#ifndef CURVE_ERROR_BLOCKS_H
#define CURVE_ERROR_BLOCKS_H

#include <stddef.h>

#include "curve_mean.h"

struct curve_error_blocks {
    enum curve_blocks_state {
        CURVE_BLOCKS_UNSTATED,    // nothing is known
        CURVE_BLOCKS_INDEPENDENT, // blocks whose correlation was found to be small
        CURVE_BLOCKS_ASSUMED,     // records, which were taken to be independent
        CURVE_BLOCKS_TOO_FEW,     // too few records for blocks of the required length, or to detect correlation
        CURVE_BLOCKS_EXACT,       // the error is taken as exact, as that of a measurement
    } state;
    double number, bias; // if independent or exact
};

extern const struct curve_error_blocks curve_error_blocks_exact;

// Writes the comment on an error, without "error NAME: ". It begins with `how`, which states how the error follows from
// blocks, or with the length of the blocks if that is NULL.
enum { CURVE_ERROR_BLOCKS_TEXT = 240 };
void curve_error_blocks_text(char text[CURVE_ERROR_BLOCKS_TEXT], const char *how, const struct curve_mean_error *e);
// Returns what such a comment states.
struct curve_error_blocks curve_error_blocks_read(const char *text);
// Returns the text of a comment in a table, "# error NAME: TEXT" or, for all curves, "# errors: TEXT"; NULL if the line
// is another one. NAME is name[*length], without the number of curves that it describes; *length is 0 for all curves.
const char *curve_error_blocks_comment(const char *line, const char **name, size_t *length);
// Returns what is known about an error. CURVE_BLOCKS_TOO_FEW if e->error is NULL.
struct curve_error_blocks curve_error_blocks_of(const struct curve_mean_error *e);

// Returns whether the number of independent blocks is known.
bool curve_error_blocks_are_known(const struct curve_error_blocks *b);
// Returns Student's t for the number of blocks: with a probability of `percent`, the true value is within t times the
// error. NaN if there are too few records, because the number of independent blocks is then unknown.
double curve_error_blocks_interval(const struct curve_mean_error *e, double percent);
// Fails with TRJ_USAGE unless the value of the option --interval is from 1 to below 100, or NaN, which means that it
// was not given. Values below 1 are rejected because 0.95 is likely to mean 95 %.
int curve_interval_check(double percent, struct trj_error *err);
// Writes the name of its column before "(A:B)", such as "ci95".
enum { CURVE_INTERVAL_NAME = 24 };
void curve_interval_name(char name[CURVE_INTERVAL_NAME], double percent);
// Fails with TRJ_BAD_DATA, because curves of one record have no errors.
int curve_interval_fail_single(struct trj_error *err);
// The note that curve_error_blocks_interval is NaN.
extern const char curve_interval_unknown[];
// The option --interval of filters that print errors, whose value is a real number.
extern const struct trj_option curve_interval_option[];

// Selects of two errors the one with the longer blocks, or the one with too few records.
const struct curve_mean_error *curve_error_blocks_longer(const struct curve_mean_error *a,
                                                         const struct curve_mean_error *b);

#endif
