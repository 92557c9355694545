// SPDX-License-Identifier: MIT
// Computes scores from exact sums in integers as far as possible, because differences of large sums would lose digits.
#include "cor_score.h"

#include <math.h>
#include <string.h>

#include "elementary.h"

enum { PEARSON, ZERO, OVERLAP, INNER, MSD, RESIDUAL, ENTROPY };

const struct trj_choice cor_scores[] = {
    [PEARSON] = {"pearson", "correlation about the mean"},
    [ZERO] = {"zero", "correlation about zero"},
    [OVERLAP] = {"overlap", "sum of products"},
    [INNER] = {"inner", "mean of products"},
    [MSD] = {"msd", "mean squared difference"},
    [RESIDUAL] = {"residual", "mean squared difference after a linear fit"},
    [ENTROPY] = {"re", "relative entropy of the map and the simulated density"},
    {NULL, NULL},
};

static const char *const columns[] = {
    [PEARSON] = "cc", [ZERO] = "cc0",          [OVERLAP] = "overlap", [INNER] = "inner",
    [MSD] = "msd",    [RESIDUAL] = "residual", [ENTROPY] = "entropy"};

size_t cor_score_find(const char *name) {
    size_t i = 0;
    while (strcmp(cor_scores[i].name, name) != 0) i++;
    return i;
}

const char *cor_score_column(size_t score) {
    return columns[score];
}

bool cor_score_needs_entropy(size_t score) {
    return score == ENTROPY;
}

// Returns sum (a - <a>)(b - <b>) without cancellation: the largest whole numbers p <= <a> and q <= <b> are subtracted
// first, in integers, and only the rest is rounded. 0 <= a - n p < n, and so is b - n q.
static double central(uint64_t n, cor_wide a, cor_wide b, cor_wide ab) {
    cor_wide count = (cor_wide)n, p = a / count, q = b / count;
    if (a - p * count < 0) p--;
    if (b - q * count < 0) q--;
    cor_wide rest_a = a - p * count, rest_b = b - q * count;
    cor_wide centred = ab - p * b - q * rest_a;
    return (double)centred - (double)rest_a * (double)rest_b / (double)n;
}

static double entropy(const struct cor_entropy *e) {
    double x = (double)e->x, y = (double)e->y; // p and q do not depend on the quanta
    if (!(x > 0 && y > 0)) return NAN;
    return (double)e->log * 0x1p-16 / y - (trj_log(y) - trj_log(x));
}

// Returns the sum of (a + p)(b + q) over n points, from the sums of a, b and a b.
static double shifted(double n, cor_wide a, double p, cor_wide b, double q, cor_wide ab) {
    return (double)ab + p * (double)b + q * ((double)a + p * n);
}

double cor_score(size_t score, const struct cor_sums *s, const struct cor_scale *scale) {
    if (!s->n) return NAN;
    double n = (double)s->n, ox = scale->x_offset, oy = scale->y_offset;
    double xx = shifted(n, s->x, ox, s->x, ox, s->xx), yy = shifted(n, s->y, oy, s->y, oy, s->yy);
    double xy = shifted(n, s->x, ox, s->y, oy, s->xy); // all three in units of the quanta
    double cxx = central(s->n, s->x, s->x, s->xx), cyy = central(s->n, s->y, s->y, s->yy);
    double cxy = central(s->n, s->x, s->y, s->xy);
    switch (score) {
    case PEARSON:
        return cxx > 0 && cyy > 0 ? cxy / sqrt(cxx * cyy) : NAN;
    case ZERO:
        return xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : NAN;
    case OVERLAP:
        return xy * scale->x * scale->y;
    case INNER:
        return xy * scale->x * scale->y / n;
    case MSD:
        return ((xx * scale->x - 2 * xy * scale->y) * scale->x + yy * scale->y * scale->y) / n;
    case RESIDUAL:
        return cxx > 0 ? (cyy - cxy / cxx * cxy) * scale->y * scale->y / n : NAN;
    default:
        return entropy(&s->entropy);
    }
}
