// SPDX-License-Identifier: MIT
// Tests whether two curves agree, by blocks of records, because bins and successive records are correlated.
#include "compare.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "distributions.h"
#include "memory.h"

#define PI 3.14159265358979323846

const char *const curve_compare_tests[] = {[CURVE_COMPARE_NONE] = "none",
                                           [CURVE_COMPARE_PERMUTATION] = "permutation",
                                           [CURVE_COMPARE_SIGN_FLIP] = "sign-flip",
                                           [CURVE_COMPARE_CHI2_COVARIANCE] = "chi2-covariance",
                                           [CURVE_COMPARE_CAUCHY] = "cauchy"};

const char curve_compare_head[] =
    "# deviations: curve minus reference, which is interpolated linearly to the bins of the curve\n"
    "# mae: mean of |x - y|; rmse: root of the mean of (x - y)^2; max: largest deviation, at r or q\n"
    "# chi2: sum of (x - y)^2/s^2 over the bins with a standard error s (of both, or of one), dof\n"
    "# R: sqrt(sum (x - y)^2 / sum y^2); Rw: the same with weights 1/s^2 (Farrow et al., J. Phys.: Condens. Matter 19, "
    "335219 (2007))\n"
    "# p: of the hypothesis that both have the same mean, by the test in the last column, which rdfcmp(1) describes\n"
    "# curve\treference\tfrom\tto\tbins\tmae\trmse\tmax\tat\tchi2\tdof\tR\tRw\tpearson\tp\ttest\n";

void curve_compare_put(struct trj_table *t, const struct curve_comparison *c) {
    const double values[] = {c->from,        c->to, (double)c->bins, c->mae,     c->rmse, c->max, c->max_at, c->chi2,
                             (double)c->dof, c->r,  c->rw,           c->pearson, c->p};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) trj_table_real(t, 8, values[i]);
    trj_table_text(t, "%s", curve_compare_tests[c->test]);
}

void curve_compare_blocks_free(struct curve_compare_blocks *b) {
    free(b->value);
    free(b->weight);
    *b = (struct curve_compare_blocks){0};
}

bool curve_compare_same_pair(const char *a, const char *b) {
    const char *colon = strchr(a, ':'), *other = strchr(b, ':');
    if (!strcmp(a, b)) return true;
    if (!colon || !other) return false;
    size_t n = (size_t)(colon - a), m = (size_t)(other - b);
    return strlen(colon + 1) == m && strlen(other + 1) == n && !memcmp(a, other + 1, n) && !memcmp(colon + 1, b, m);
}

const char *curve_compare_partner(const char *text, const char *pair) {
    size_t n = strlen(pair);
    if (strncmp(text, pair, n) != 0 || (text[n] && text[n] != '=')) return NULL;
    return text[n] ? text + n + 1 : pair;
}

// ---- bins that both curves have

// Bin own[i] of the curve is at part[i] of the way from row at[i] of the reference to the next one.
struct overlap {
    size_t count, *own, *place;
    double *part;
    double *x, *y, *variance; // [count] values; sum of the squared errors, 0: unknown
};

static void free_overlap(struct overlap *o) {
    free(o->own);
    free(o->place);
    free(o->part);
    free(o->x);
    free(o->y);
    free(o->variance);
}

static int open_overlap(struct overlap *o, size_t n, struct trj_error *err) {
    o->own = trj_alloc(n, sizeof *o->own, "a comparison", err);
    o->place = o->own ? trj_alloc(n, sizeof *o->place, "a comparison", err) : NULL;
    o->part = o->place ? trj_alloc(n, sizeof *o->part, "a comparison", err) : NULL;
    o->x = o->part ? trj_alloc(n, sizeof *o->x, "a comparison", err) : NULL;
    o->y = o->x ? trj_alloc(n, sizeof *o->y, "a comparison", err) : NULL;
    o->variance = o->y ? trj_alloc(n, sizeof *o->variance, "a comparison", err) : NULL;
    return o->variance ? 0 : -1;
}

static double between(const double *values, size_t place, double part) {
    return part > 0 ? (1 - part) * values[place] + part * values[place + 1] : values[place];
}

// Finds the place of x among the rows of the reference. Positions are printed with ten digits, so that a difference of
// a millionth of a row is a rounding error.
static bool find_place(size_t *place, double *part, const struct curve_compare_curve *reference, double x) {
    static const double equal = 1e-6;
    const double *r = reference->x;
    size_t last = reference->bins - 1;
    if (!last) {
        *place = 0, *part = 0;
        return fabs(x - r[0]) <= equal * fabs(x);
    }
    if (x < r[0] - equal * (r[1] - r[0]) || x > r[last] + equal * (r[last] - r[last - 1])) return false;
    while (*place < last && r[*place + 1] <= x) ++*place;
    *part = *place == last ? 0 : (x - r[*place]) / (r[*place + 1] - r[*place]);
    if (*part < equal) *part = 0;
    if (*part > 1 - equal) *part = 0, ++*place;
    return true;
}

// Returns the sum of the squared errors of both values; that of the reference is the error of an interpolation between
// independent values. Returns 0 if no error is known, or if one is unknown in a curve that has errors.
static double variance_of(const struct curve_compare_curve *curve, const struct curve_compare_curve *reference,
                          size_t own, size_t place, double part) {
    double v = curve->error ? curve->error[own] * curve->error[own] : 0;
    if (reference->error) {
        const double *e = reference->error + place;
        v += part > 0 ? (1 - part) * (1 - part) * e[0] * e[0] + part * part * e[1] * e[1] : e[0] * e[0];
    }
    return isfinite(v) ? v : 0;
}

static void find_overlap(struct overlap *o, struct curve_comparison *c, const struct curve_compare_curve *curve,
                         const struct curve_compare_curve *reference, double low, double high) {
    size_t place = 0;
    for (size_t k = 0; k < curve->bins; k++) {
        double part;
        if (curve->x[k] < low || curve->x[k] > high) continue;
        if (!find_place(&place, &part, reference, curve->x[k])) {
            c->outside++;
            continue;
        }
        double x = curve->y[k], y = between(reference->y, place, part);
        if (!isfinite(x) || !isfinite(y)) {
            c->undefined++;
            continue;
        }
        c->interpolated += part > 0;
        size_t i = o->count++;
        o->own[i] = k;
        o->place[i] = place;
        o->part[i] = part;
        o->x[i] = x;
        o->y[i] = y;
        o->variance[i] = variance_of(curve, reference, k, place, part);
    }
}

static void measure(struct curve_comparison *c, const struct overlap *o) {
    static const double rounding = 1e-28; // the square of a hundred units in the last place
    double n = (double)o->count, absolute = 0, square = 0, squares_y = 0, chi2 = 0, weighted_y = 0, mean_x = 0,
           mean_y = 0, xx = 0, yy = 0, xy = 0, squares_x = 0;
    for (size_t i = 0; i < o->count; i++) {
        double d = o->x[i] - o->y[i], y2 = o->y[i] * o->y[i];
        absolute += fabs(d);
        square += d * d;
        squares_y += y2;
        squares_x += o->x[i] * o->x[i];
        mean_x += (o->x[i] - o->x[0]) / n;
        mean_y += (o->y[i] - o->y[0]) / n;
        if (!i || fabs(d) > fabs(c->max)) {
            c->max = d;
            c->max_at = (double)i; // replaced by the position
        }
        if (!(o->variance[i] > 0)) continue;
        c->dof++;
        chi2 += d * d / o->variance[i];
        weighted_y += y2 / o->variance[i];
    }
    for (size_t i = 0; i < o->count; i++) {
        double x = o->x[i] - o->x[0] - mean_x, y = o->y[i] - o->y[0] - mean_y;
        xx += x * x;
        yy += y * y;
        xy += x * y;
    }
    c->bins = o->count;
    c->mae = absolute / n;
    c->rmse = sqrt(square / n);
    c->chi2 = c->dof ? chi2 : NAN;
    c->r = squares_y > 0 ? sqrt(square / squares_y) : NAN;
    c->rw = weighted_y > 0 ? sqrt(chi2 / weighted_y) : NAN;
    // A constant curve has no correlation. Interpolation leaves rounding errors in it, which are no deviations.
    c->pearson = xx > rounding * squares_x && yy > rounding * squares_y ? xy / sqrt(xx * yy) : NAN;
}

// ---- tests of blocks

// Blocks of both curves at the bins of the overlap, minus their common mean; or those of one, minus the reference.
struct sample {
    size_t bins, count, first; // blocks; the first of them are those of the curve
    double *value, *weight;    // [count][bins], [count]
    double *sum, *total;       // [3][bins] of w v, w^2 v, w^2 v^2
    double weight_sum, weight_squares;
};

static void free_sample(struct sample *s) {
    free(s->value);
    free(s->weight);
    free(s->sum);
    free(s->total);
}

static int open_sample(struct sample *s, const struct overlap *o, const struct curve_compare_blocks *a,
                       const struct curve_compare_blocks *b, struct trj_error *err) {
    s->bins = o->count;
    s->first = a->count;
    s->count = a->count + (b ? b->count : 0);
    s->value = trj_alloc(s->count * s->bins, sizeof *s->value, "blocks", err);
    s->weight = s->value ? trj_alloc(s->count, sizeof *s->weight, "blocks", err) : NULL;
    s->sum = s->weight ? trj_alloc(3 * s->bins, sizeof *s->sum, "blocks", err) : NULL;
    s->total = s->sum ? trj_alloc(3 * s->bins, sizeof *s->total, "blocks", err) : NULL;
    if (!s->total) return -1;
    for (size_t j = 0; j < s->count; j++) {
        const struct curve_compare_blocks *from = j < a->count ? a : b;
        size_t block = j < a->count ? j : j - a->count;
        const double *v = from->value + block * from->bins;
        s->weight[j] = from->weight[block];
        s->weight_sum += s->weight[j];
        s->weight_squares += s->weight[j] * s->weight[j];
        for (size_t i = 0; i < s->bins; i++)
            s->value[j * s->bins + i] =
                from == a ? v[o->own[i]] - (b ? 0 : o->y[i]) : between(v, o->place[i], o->part[i]);
    }
    for (size_t i = 0; b && i < s->bins; i++) { // differences of sums then lose no digits
        double mean = 0;
        for (size_t j = 0; j < s->count; j++) mean += s->weight[j] * s->value[j * s->bins + i];
        mean /= s->weight_sum;
        for (size_t j = 0; j < s->count; j++) s->value[j * s->bins + i] -= mean;
    }
    return 0;
}

// Adds a block, with this sign, to the sums.
static void add_block(double *sum, const struct sample *s, size_t block, double sign) {
    const double *v = s->value + block * s->bins;
    double w = s->weight[block], signed_w = sign * w;
    for (size_t i = 0; i < s->bins; i++) {
        sum[i] += signed_w * v[i];
        sum[s->bins + i] += w * signed_w * v[i];
        sum[2 * s->bins + i] += w * w * (v[i] * v[i]);
    }
}

// Returns the squared error of a weighted mean: `records` of curve_mean.h.
static double squared_error(const double sum[3], double w, double w2) {
    double mean = sum[0] / w, v = sum[2] - 2 * mean * sum[1] + mean * mean * w2;
    // The rounding error of a difference of equal numbers is not a variance.
    return v > 1e-13 * sum[2] ? v / (w * w - w2) : 0;
}

static double t_of(double difference, double variance) {
    if (variance > 0) return fabs(difference) / sqrt(variance);
    return fabs(difference) > 0 ? INFINITY : 0;
}

// Returns the largest |t| if the blocks in chosen[count] are those of the curve.
static double largest_difference(struct sample *s, const size_t *chosen, size_t count) {
    double w = 0, w2 = 0, t = 0;
    memset(s->sum, 0, 3 * s->bins * sizeof *s->sum);
    for (size_t j = 0; j < count; j++) {
        add_block(s->sum, s, chosen[j], 1);
        w += s->weight[chosen[j]];
        w2 += s->weight[chosen[j]] * s->weight[chosen[j]];
    }
    for (size_t i = 0; i < s->bins; i++) {
        const double a[3] = {s->sum[i], s->sum[s->bins + i], s->sum[2 * s->bins + i]},
                     b[3] = {s->total[i] - a[0], s->total[s->bins + i] - a[1], s->total[2 * s->bins + i] - a[2]};
        double rest = s->weight_sum - w, rest2 = s->weight_squares - w2;
        if (!(s->total[2 * s->bins + i] > 0)) continue; // all blocks are equal
        t = fmax(t, t_of(a[0] / w - b[0] / rest, squared_error(a, w, w2) + squared_error(b, rest, rest2)));
    }
    return t;
}

// Sets total[i] to whether bin i is tested: not if more than half of the blocks have the smallest value, as those
// without a pair. Returns the number of bins that are not tested and differ from the reference.
static size_t omit_rare(struct sample *s) {
    size_t omitted = 0;
    for (size_t i = 0; i < s->bins; i++) {
        double min = INFINITY, sum = 0;
        size_t equal = 0;
        for (size_t j = 0; j < s->count; j++) {
            double v = s->value[j * s->bins + i];
            equal = v == min ? equal + 1 : v < min ? 1 : equal;
            min = v < min ? v : min;
            sum += s->weight[j] * v;
        }
        s->total[i] = 2 * equal <= s->count;
        omitted += 2 * equal > s->count && sum != 0;
    }
    return omitted;
}

// Returns the largest |t| of the mean in the bins that are tested, if bit j of `signs` reverses block j.
static double largest_mean(struct sample *s, uint64_t signs) {
    double t = 0;
    memset(s->sum, 0, 3 * s->bins * sizeof *s->sum);
    for (size_t j = 0; j < s->count; j++) add_block(s->sum, s, j, signs >> j & 1 ? -1 : 1);
    for (size_t i = 0; i < s->bins; i++) {
        const double sum[3] = {s->sum[i], s->sum[s->bins + i], s->sum[2 * s->bins + i]};
        if (!(s->total[i] > 0)) continue;
        t = fmax(t, t_of(sum[0] / s->weight_sum, squared_error(sum, s->weight_sum, s->weight_squares)));
    }
    return t;
}

// SplitMix64: G. L. Steele, D. Lea, C. H. Flood, OOPSLA 2014.
static uint64_t random_bits(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

// Equal values that were summed in another order count as equal.
static bool reaches(double t, double observed) {
    return t >= observed * (1 - 1e-9);
}

// Returns the number of choices of k out of n, or a number above CURVE_COMPARE_PERMUTATIONS if there are more.
static size_t choices(size_t n, size_t k) {
    size_t c = 1;
    for (size_t i = 1; i <= k && c <= CURVE_COMPARE_PERMUTATIONS; i++) c = c * (n - k + i) / i;
    return c;
}

// Sets chosen[k] to the next choice out of n in lexicographic order. Returns false after the last one.
static bool next_choice(size_t *chosen, size_t k, size_t n) {
    size_t i = k;
    while (i && chosen[i - 1] == n - k + i - 1) i--;
    if (!i) return false;
    chosen[i - 1]++;
    for (; i < k; i++) chosen[i] = chosen[i - 1] + 1;
    return true;
}

static int permute(double *p, struct sample *s, struct trj_error *err) {
    size_t n = s->count, k = s->first, all = choices(n, k), reached = 0, used = 0;
    size_t *order = trj_alloc(n, sizeof *order, "permutations", err);
    uint64_t state = 1;
    if (!order) return -1;
    for (size_t j = 0; j < n; j++) {
        order[j] = j;
        add_block(s->total, s, j, 1);
    }
    double observed = largest_difference(s, order, k);
    if (all <= CURVE_COMPARE_PERMUTATIONS) {
        do reached += reaches(largest_difference(s, order, k), observed);
        while (used++, next_choice(order, k, n));
    } else {
        for (reached = used = 1; used <= CURVE_COMPARE_PERMUTATIONS; used++) {
            for (size_t j = 0, left = n; j < k && left; j++, left--) {
                size_t other = j + (size_t)(random_bits(&state) % left), swap = order[j];
                order[j] = order[other];
                order[other] = swap;
            }
            reached += reaches(largest_difference(s, order, k), observed);
        }
    }
    *p = (double)reached / (double)used;
    free(order);
    return 0;
}

static double flip_signs(struct sample *s) {
    bool few = s->count < 14; // 2^13 choices
    uint64_t state = 1, all = few ? UINT64_C(1) << s->count : CURVE_COMPARE_PERMUTATIONS + 1;
    double observed = largest_mean(s, 0), reached = 1; // no reversed sign is the observed choice
    for (uint64_t i = 1; i < all; i++) reached += reaches(largest_mean(s, few ? i : random_bits(&state)), observed);
    return reached / (double)all;
}

// ---- chi2 with the covariance of the blocks

// Returns p of chi2 by the distribution F. The values of the sample are scaled in place.
static double f_of_chi2(const struct curve_comparison *c, struct sample *s, const struct overlap *o) {
    double w = s->weight_sum, share = s->weight_squares / (w * w), freedom = (double)s->count - 1, trace = 0,
           square = 0, mixed = 0, n = (double)c->dof;
    for (size_t i = 0; i < s->bins; i++) {
        double mean = 0, of_blocks = 0;
        for (size_t j = 0; j < s->count; j++) mean += s->weight[j] * s->value[j * s->bins + i] / w;
        for (size_t j = 0; j < s->count; j++) {
            double *v = &s->value[j * s->bins + i];
            *v = o->variance[i] > 0 ? (*v - mean) * s->weight[j] / w / sqrt(o->variance[i] * (1 - share)) : 0;
            of_blocks += *v * *v;
        }
        if (!(o->variance[i] > 0)) continue;
        of_blocks = fmin(of_blocks, 1); // the error may be that of other blocks
        trace += of_blocks;
        mixed += (1 - of_blocks) * (1 + of_blocks); // 2 C_kk s_y^2 + s_y^4, over s^4
    }
    for (size_t a = 0; a < s->count; a++)
        for (size_t b = 0; b < s->count; b++) {
            double product = 0;
            for (size_t i = 0; i < s->bins; i++) product += s->value[a * s->bins + i] * s->value[b * s->bins + i];
            square += product * product;
        }
    square = freedom * freedom / ((freedom - 1) * (freedom + 2)) * (square - trace * trace / freedom);
    square = fmin(fmax(square, trace * trace / n), trace * trace) + mixed;
    double m = trace > 0 ? freedom * (n / trace) * (n / trace) : INFINITY;
    return curve_f_tail(c->chi2 / n, n * n / square, m);
}

// Returns the number of bins that differ and have no error, so that chi2 does not contain them.
static size_t count_without_error(const struct overlap *o) {
    size_t n = 0;
    for (size_t i = 0; i < o->count; i++) n += !(o->variance[i] > 0) && o->x[i] != o->y[i];
    return n;
}

// ---- the p values of all bins together

// Returns the degrees of freedom of a difference whose variance is the sum of va and vb. Infinite if both are exact.
static double welch(double va, double freedom_a, double vb, double freedom_b) {
    double spread = va * va / freedom_a + vb * vb / freedom_b;
    return spread > 0 ? (va + vb) * (va + vb) / spread : INFINITY;
}

// Returns p of a bin whose values differ.
static double p_of_bin(const struct overlap *o, size_t i, const struct curve_compare_curve *curve,
                       const struct curve_compare_curve *reference) {
    const struct curve_error_blocks *a = &curve->error_blocks, *b = &reference->error_blocks;
    double of_curve = curve->error ? curve->error[o->own[i]] : 0, va = of_curve * of_curve,
           vb = fmax(o->variance[i] - va, 0);
    va *= a->bias * a->bias;
    vb *= b->bias * b->bias;
    double freedom =
        welch(va, curve->error ? a->number - 1 : INFINITY, vb, reference->error ? b->number - 1 : INFINITY);
    return curve_student_tail((o->x[i] - o->y[i]) / sqrt(va + vb), freedom);
}

static double combine_bins(const struct curve_comparison *c, const struct overlap *o,
                           const struct curve_compare_curve *curve, const struct curve_compare_curve *reference) {
    double n = (double)c->dof, sum = 0;
    bool differ = false;
    for (size_t i = 0; i < o->count; i++) {
        if (!(o->variance[i] > 0) || o->x[i] == o->y[i]) continue;
        double p = fmin(p_of_bin(o, i, curve, reference), 1 - 0.1 / n);
        sum += p < 0.25 ? 1 / tan(PI * p) : tan((0.5 - p) * PI);
        differ = true;
    }
    if (!differ) return 1;
    double mean = sum / n; // atan(1/x) has no cancellation for large x
    return mean > 1 ? atan(1 / mean) / PI : 0.5 - atan(mean) / PI;
}

// Returns why no test can use the errors of a curve, or NULL.
static const char *fault_of_errors(const struct curve_compare_curve *curve) {
    static const char *const reasons[] = {
        [CURVE_BLOCKS_UNSTATED] =
            "a table does not state from how many independent blocks its errors follow; print it again with rdfnorm or "
            "rdfderive, and keep its comments, or compare histogram streams",
        [CURVE_BLOCKS_ASSUMED] =
            "the errors of a table were estimated with the assumption that records are independent; "
            "print it again with --error auto",
        [CURVE_BLOCKS_TOO_FEW] = "errors follow from too few records; count more frames, or use shorter "
                                 "records (rdfhist -B)",
        [CURVE_BLOCKS_EXACT] = NULL};
    return curve->error ? reasons[curve->error_blocks.state] : NULL;
}

static void test_tables(struct curve_comparison *c, const struct overlap *o, const struct curve_compare_curve *curve,
                        const struct curve_compare_curve *reference) {
    c->reason = fault_of_errors(curve);
    if (!c->reason) c->reason = fault_of_errors(reference);
    if (!c->reason && !c->dof)
        c->reason = curve->error || reference->error ? "no bin has a standard error above 0" : "no standard errors";
    if (c->reason) return;
    c->test = CURVE_COMPARE_CAUCHY;
    c->omitted = count_without_error(o);
    c->p = combine_bins(c, o, curve, reference);
}

// ---- choice of the test

static int test_blocks(struct curve_comparison *c, const struct overlap *o, const struct curve_compare_curve *curve,
                       const struct curve_compare_curve *reference, struct trj_error *err) {
    const struct curve_compare_blocks *a = curve->blocks, *b = reference->blocks;
    struct sample s = {0};
    int rc = open_sample(&s, o, a, b, err);
    if (!rc && b) {
        c->test = CURVE_COMPARE_PERMUTATION;
        rc = permute(&c->p, &s, err);
    } else if (!rc && reference->error) {
        c->test = CURVE_COMPARE_CHI2_COVARIANCE;
        c->omitted = count_without_error(o);
        c->p = f_of_chi2(c, &s, o);
    } else if (!rc) {
        c->test = CURVE_COMPARE_SIGN_FLIP;
        c->omitted = omit_rare(&s);
        c->p = flip_signs(&s);
    }
    free_sample(&s);
    return rc;
}

static int test(struct curve_comparison *c, const struct overlap *o, const struct curve_compare_curve *curve,
                const struct curve_compare_curve *reference, struct trj_error *err) {
    size_t a = curve->blocks ? curve->blocks->count : 0, b = reference->blocks ? reference->blocks->count : 0;
    bool with_errors = !reference->blocks && reference->error;
    if (!curve->blocks && reference->blocks) {
        c->reason = "only the reference has records; exchange the operands";
    } else if (!curve->blocks || (with_errors && curve->error && reference->error_blocks.state != CURVE_BLOCKS_EXACT)) {
        test_tables(c, o, curve, reference);
    } else if (reference->blocks && c->interpolated) {
        c->reason = "the bins of both streams differ, and an interpolation would change p; count both with the same "
                    "bins (rdfhist -b, -r)";
    } else if (reference->blocks && (a < CURVE_COMPARE_MIN_BLOCKS || b < CURVE_COMPARE_MIN_BLOCKS)) {
        c->reason = "too few independent records: at least 4 of each curve are required; count more frames, or use "
                    "shorter records (rdfhist -B)";
    } else if (!reference->blocks && a < (with_errors ? CURVE_COMPARE_MIN_COVARIANCE : CURVE_COMPARE_MIN_SIGNS)) {
        c->reason = with_errors ? "too few independent records: at least 8 are required for a covariance; count more "
                                  "frames, or use shorter records (rdfhist -B)"
                                : "too few independent records: at least 6 are required; count more frames, or use "
                                  "shorter records (rdfhist -B)";
    } else if (o->count > CURVE_COMPARE_MAX_BINS) {
        c->reason = "too many bins: at most 20000; give a --range, or count in wider bins";
    } else if (with_errors && !c->dof) {
        c->reason = "no bin has a standard error above 0";
    } else {
        c->untested = !curve->blocks->tested || (reference->blocks && !reference->blocks->tested);
        return test_blocks(c, o, curve, reference, err);
    }
    return 0;
}

int curve_compare(struct curve_comparison *c, const struct curve_compare_curve *curve,
                  const struct curve_compare_curve *reference, double low, double high, struct trj_error *err) {
    struct overlap o = {0};
    *c = (struct curve_comparison){.p = NAN};
    int rc = open_overlap(&o, curve->bins, err);
    if (!rc) find_overlap(&o, c, curve, reference, low, high);
    if (!rc && !o.count && c->undefined) {
        c->from = c->to = c->mae = c->rmse = c->max = c->max_at = c->chi2 = c->r = c->rw = c->pearson = NAN;
        c->reason = "all values are nan";
    } else if (!rc && !o.count) {
        rc = !c->outside
                 ? trj_fail(err, TRJ_USAGE, "--range %g:%g contains no bin; bins are from %g to %g", low, high,
                            curve->x[0], curve->x[curve->bins - 1])
                 : trj_fail(err, TRJ_BAD_DATA,
                            "no overlap: bins are from %g to %g, those of the reference from %g to %g", curve->x[0],
                            curve->x[curve->bins - 1], reference->x[0], reference->x[reference->bins - 1]);
    } else if (!rc) {
        measure(c, &o);
        c->max_at = curve->x[o.own[(size_t)c->max_at]];
        c->from = curve->x[o.own[0]];
        c->to = curve->x[o.own[o.count - 1]];
        rc = test(c, &o, curve, reference, err);
    }
    free_overlap(&o);
    return rc;
}
