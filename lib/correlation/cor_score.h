// SPDX-License-Identifier: MIT
// Scores of two maps x and y over n points, as functions of exact sums (cor_sums.h). Sums are over these points:
//
//     pearson   sum (x - <x>)(y - <y>) / sqrt(sum (x - <x>)^2 sum (y - <y>)^2)
//     zero      sum x y / sqrt(sum x^2 sum y^2)
//     overlap   sum x y
//     inner     sum x y / n
//     msd       sum (x - y)^2 / n
//     residual  sum (a x + b - y)^2 / n, with the a and b for which it is smallest
//     re        sum p ln(p / q), p = y / sum y and q = x / sum x, over the points where x and y are above 0
//
// filters/mapcc.1 gives their sources.
#ifndef COR_SCORE_H
#define COR_SCORE_H

#include <stddef.h>

#include "cor_sums.h"
#include "tool.h"

// The values of the maps are (x_offset + X) x and (y_offset + Y) y, for the integers X and Y that were added.
struct cor_scale {
    double x, x_offset, y, y_offset;
};

extern const struct trj_choice cor_scores[]; // names and meanings; ends with a NULL name
// Returns the number of a name, which must be one of them.
size_t cor_score_find(const char *name);
// Returns the name of the column of a score in tables.
const char *cor_score_column(size_t score);
// Returns whether a score needs the sums of the relative entropy.
bool cor_score_needs_entropy(size_t score);
// Computes a score; NaN if it is not defined, as without points or for constant values.
double cor_score(size_t score, const struct cor_sums *s, const struct cor_scale *scale);

#endif
