// SPDX-License-Identifier: MIT
// Adds records to levels of blocks as they arrive, so that errors need no second pass and memory grows with log M.
#include "curve_mean.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "error_blocks.h"
#include "memory.h"

enum { AUTO, RECORDS, BLOCKS, BOOTSTRAP, NONE, WAYS };

const struct trj_choice curve_errors[WAYS + 1] = {
    [AUTO] = {"auto", "blocks if correlation between records is detected, otherwise records"},
    [RECORDS] = {"records", "from the differences between records, assumed to be independent"},
    [BLOCKS] = {"blocks", "from blocks of successive records, as long as required"},
    [BOOTSTRAP] = {"bootstrap", "from all bootstrap draws of records, assumed to be independent"},
    [NONE] = {"none", "no standard errors"},
};

static int way_of(const struct curve_mean *m) {
    for (int i = 0; m->error && i < WAYS; i++)
        if (!strcmp(curve_errors[i].name, m->error)) return i;
    return AUTO;
}

int curve_mean_open(struct curve_mean *m, size_t curves, size_t bins, struct trj_error *err) {
    m->curves = curves;
    m->bins = bins;
    m->sum = trj_alloc(curves * bins, sizeof *m->sum, "sums", err);
    m->weight = m->sum ? trj_alloc(curves, sizeof *m->weight, "sums", err) : NULL;
    return m->weight ? 0 : -1;
}

void curve_mean_free(struct curve_mean *m) {
    for (unsigned l = 0; l < m->level_count; l++) {
        struct curve_level *level = &m->levels[l];
        free(level->first);
        free(level->second);
        free(level->weight2);
        free(level->part);
        free(level->part_weight);
    }
    free(m->sum);
    free(m->weight);
    free(m->kept);
    free(m->kept_weight);
    *m = (struct curve_mean){0};
}

static void add(double *to, const double *from, size_t n) {
    for (size_t i = 0; i < n; i++) to[i] += from[i];
}

static int open_level(struct curve_mean *m, bool parts, struct trj_error *err) {
    struct curve_level *level = &m->levels[m->level_count++];
    size_t n = m->curves * m->bins;
    level->first = trj_alloc(n, sizeof *level->first, "sums", err);
    level->second = level->first ? trj_alloc(n, sizeof *level->second, "sums", err) : NULL;
    level->weight2 = level->second ? trj_alloc(m->curves, sizeof *level->weight2, "sums", err) : NULL;
    if (!level->weight2 || !parts) return level->weight2 ? 0 : -1;
    level->part = trj_alloc(n, sizeof *level->part, "blocks", err);
    level->part_weight = level->part ? trj_alloc(m->curves, sizeof *level->part_weight, "blocks", err) : NULL;
    return level->part_weight ? 0 : -1;
}

static void add_block(struct curve_level *level, const struct curve_mean *m, const double *weighted,
                      const double *weights) {
    level->blocks++;
    for (size_t c = 0, i = 0; c < m->curves; c++) {
        level->weight2[c] += weights[c] * weights[c];
        for (size_t k = 0; k < m->bins; k++, i++) {
            level->first[i] += weights[c] * weighted[i];
            level->second[i] += weighted[i] * weighted[i];
        }
    }
}

// A block either waits for its neighbour, or forms a block of the next level with the neighbour that waited.
static int add_levels(struct curve_mean *m, const double *weighted, const double *weights, bool blocks,
                      struct trj_error *err) {
    size_t n = m->curves * m->bins;
    for (unsigned l = 0; l < CURVE_MAX_LEVELS; l++) {
        struct curve_level *level = &m->levels[l];
        if (l == m->level_count && open_level(m, blocks, err)) return -1;
        add_block(level, m, weighted, weights);
        if (!blocks) return 0;
        level->half = !level->half;
        if (level->half) {
            memcpy(level->part, weighted, n * sizeof *weighted);
            memcpy(level->part_weight, weights, m->curves * sizeof *weights);
            return 0;
        }
        add(level->part, weighted, n);
        add(level->part_weight, weights, m->curves);
        weighted = level->part;
        weights = level->part_weight;
    }
    return 0; // 2^64 records
}

static int keep(struct curve_mean *m, const double *weighted, const double *weights, struct trj_error *err) {
    size_t n = m->curves * m->bins, record = (size_t)m->records;
    if (trj_grow(&m->kept, &m->kept_capacity, (record + 1) * n, sizeof *m->kept, "records", err) ||
        trj_grow(&m->kept_weight, &m->kept_weight_capacity, (record + 1) * m->curves, sizeof *m->kept_weight, "records",
                 err))
        return -1;
    memcpy(m->kept + record * n, weighted, n * sizeof *weighted);
    memcpy(m->kept_weight + record * m->curves, weights, m->curves * sizeof *weights);
    return 0;
}

int curve_mean_add(struct curve_mean *m, const double *weighted, const double *weights, struct trj_error *err) {
    int way = way_of(m);
    if (m->keep && keep(m, weighted, weights, err)) return -1;
    if (way != NONE && add_levels(m, weighted, weights, way == BLOCKS || way == AUTO, err)) return -1;
    add(m->sum, weighted, m->curves * m->bins);
    add(m->weight, weights, m->curves);
    m->records++;
    return 0;
}

// Returns the squared error of bin i of curve c, without its factor, from the blocks of a level and the records after
// the last of them.
static double square(const struct curve_mean *m, const struct curve_level *level, size_t c, size_t i, double g,
                     double rest, double rest_weight) {
    // sum of W^2 (g_b - g)^2, multiplied out
    double first = level->first[i] + rest_weight * rest, second = level->second[i] + rest * rest,
           weight2 = level->weight2[c] + rest_weight * rest_weight, all = m->weight[c];
    return fmax(second - 2 * g * first + g * g * weight2, 0) / (all * all);
}

// Returns the sum of the squares of the blocks' shares of the weight: 1 if one block has all of it.
static double share(const struct curve_mean *m, const struct curve_level *level, size_t c, double rest_weight) {
    return (level->weight2[c] + rest_weight * rest_weight) / (m->weight[c] * m->weight[c]);
}

// The errors of single records, whose squares are multiplied by `factor`.
static void by_records(double *error, const struct curve_mean *m, size_t c, const double *g, double factor) {
    for (size_t k = 0; k < m->bins; k++)
        error[k] = sqrt(factor * square(m, &m->levels[0], c, c * m->bins + k, g[k], 0, 0));
}

// Evaluates the blocks of one length: writes squared errors to squares[bins], and compares them with those of single
// records.
struct ratio {
    double mean, mean_square;
};

static struct ratio of_level(double *squares, const struct curve_mean *m, unsigned l, size_t c, const double *g,
                             const double *rest, double rest_weight, const double *single) {
    const struct curve_level *level = &m->levels[l];
    double factor = 1 / (1 - share(m, level, c, rest_weight)), varying = 0;
    struct ratio r = {0, 0};
    for (size_t k = 0; k < m->bins; k++) {
        squares[k] = factor * square(m, level, c, c * m->bins + k, g[k], rest[k], rest_weight);
        double one = single ? single[k] : squares[k];
        if (!(one > 0)) continue;
        varying++;
        r.mean += squares[k] / one;
        r.mean_square += squares[k] / one * (squares[k] / one);
    }
    if (!(varying > 0)) return (struct ratio){1, 1};
    return (struct ratio){r.mean / varying, r.mean_square / varying};
}

void curve_mean_judge(struct curve_mean_error *e, unsigned level, double records, double s, double s_square) {
    double block = ldexp(1, (int)level);
    e->block = (uint64_t)1 << level;
    e->inefficiency = s;
    e->too_few = !(block * block * block > 2 * records * s_square);
    e->tested = level > 1;
    e->correlated = e->correlated || s > 1 + sqrt(2 * (block - 1) / records);
}

static int by_blocks(struct curve_mean_error *e, const struct curve_mean *m, int way, size_t c, const double *g,
                     struct trj_error *err) {
    double *single = trj_alloc(m->bins, sizeof *single, "blocks", err), *rest = NULL, *next = NULL, rest_weight = 0;
    int rc = -1;
    rest = single ? trj_alloc(m->bins, sizeof *rest, "blocks", err) : NULL;
    next = rest ? trj_alloc(m->bins, sizeof *next, "blocks", err) : NULL;
    if (!next) goto out;
    e->inefficiency = of_level(single, m, 0, c, g, rest, 0, NULL).mean;
    e->block = 1;
    e->too_few = true;
    memcpy(e->error, single, m->bins * sizeof *single);
    for (unsigned l = 0; e->too_few && l < m->level_count; l++) {
        const struct curve_level *level = &m->levels[l];
        if (level->blocks + (rest_weight > 0) < CURVE_MIN_BLOCKS || !(share(m, level, c, rest_weight) < 1)) break;
        struct ratio r = of_level(next, m, l, c, g, rest, rest_weight, single);
        memcpy(e->error, next, m->bins * sizeof *next);
        e->blocks = 1 / share(m, level, c, rest_weight);
        curve_mean_judge(e, l, (double)m->records, r.mean, r.mean_square);
        if (!level->half) continue;
        add(rest, level->part + c * m->bins, m->bins); // longer blocks leave a longer rest
        rest_weight += level->part_weight[c];
    }
    e->joined = way == BLOCKS || e->correlated;
    if (!e->joined) {
        memcpy(e->error, single, m->bins * sizeof *single);
        e->block = 1;
        e->blocks = 1 / share(m, &m->levels[0], c, 0);
        e->too_few = false;
    }
    for (size_t k = 0; k < m->bins; k++) e->error[k] = sqrt(e->error[k]);
    rc = 0;
out:
    free(single);
    free(rest);
    free(next);
    return rc;
}

int curve_mean_error(struct curve_mean_error *e, const struct curve_mean *m, size_t curve, const double *g,
                     struct trj_error *err) {
    int way = way_of(m), rc = 0;
    *e = (struct curve_mean_error){.inefficiency = 1, .half_width = NAN};
    if (way == NONE || m->records < 2) return 0;
    if (!(e->error = trj_alloc(m->bins, sizeof *e->error, "errors", err))) return -1;
    double of_all = share(m, &m->levels[0], curve, 0);
    e->blocks = 1 / of_all;
    if (!(of_all < 1)) { // the group is empty in all records but one: no comparison is possible
        for (size_t k = 0; k < m->bins; k++) e->error[k] = INFINITY;
        e->too_few = true;
        e->joined = way == BLOCKS;
        e->block = way == BLOCKS || way == AUTO;
        return 0;
    }
    if (way == RECORDS) by_records(e->error, m, curve, g, 1 / (1 - of_all));
    if (way == BOOTSTRAP) by_records(e->error, m, curve, g, 1);
    if (way == BLOCKS || way == AUTO) rc = by_blocks(e, m, way, curve, g, err);
    if (!rc && m->interval > 0) e->half_width = curve_error_blocks_interval(e, m->interval);
    if (!rc) return 0;
    free(e->error);
    e->error = NULL;
    return -1;
}

// Sets off[bins] to W (g_b - g) of the block of records from `first` on, and returns its W.
static double deviation(double *off, const struct curve_mean *m, size_t first, size_t count, size_t curve,
                        const double *g) {
    double weight = 0;
    memset(off, 0, m->bins * sizeof *off);
    for (size_t i = first; i < first + count; i++) {
        weight += m->kept_weight[i * m->curves + curve];
        add(off, m->kept + (i * m->curves + curve) * m->bins, m->bins);
    }
    for (size_t k = 0; k < m->bins; k++) off[k] -= weight * g[k];
    return weight;
}

int curve_mean_covariance(double *covariance, const struct curve_mean *m, size_t curve, const double *g,
                          const struct curve_mean_error *e, struct trj_error *err) {
    const size_t records = (size_t)m->records, block = e->block > 1 ? (size_t)e->block : 1, n = m->bins;
    double *off = trj_alloc(n, sizeof *off, "a covariance", err), weight2 = 0, all = m->weight[curve];
    if (!off) return -1;
    memset(covariance, 0, n * n * sizeof *covariance);
    for (size_t first = 0; first < records; first += block) {
        double w = deviation(off, m, first, records - first < block ? records - first : block, curve, g);
        weight2 += w * w;
        for (size_t k = 0; k < n; k++)
            for (size_t l = 0; l <= k; l++) covariance[k * n + l] += off[k] * off[l];
    }
    double factor = 1 / (all * all) / (way_of(m) == BOOTSTRAP ? 1 : 1 - weight2 / (all * all));
    for (size_t k = 0; k < n; k++)
        for (size_t l = 0; l <= k; l++) covariance[l * n + k] = covariance[k * n + l] *= factor;
    free(off);
    return 0;
}
