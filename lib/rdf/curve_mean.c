// SPDX-License-Identifier: MIT
#include "curve_mean.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

enum { RECORDS, BLOCKS, BOOTSTRAP, NONE, WAYS };

// Of bootstrap:
enum {
    MOST_DRAWN = 1 << 20, // records that replicas hold together
    TILE = 16,            // bins that are added up in registers
};

const struct trj_choice rdf_errors[WAYS + 1] = {
    [RECORDS] = {"records", "records are independent"},
    [BLOCKS] = {"blocks", "records that follow one another, in blocks as long as they need to be"},
    [BOOTSTRAP] = {"bootstrap", "1000 draws among records that are independent"},
    [NONE] = {"none", "no errors"},
};

static int way_of(const struct rdf_mean *m) {
    for (int i = 0; m->error && i < WAYS; i++)
        if (!strcmp(rdf_errors[i].name, m->error)) return i;
    return RECORDS;
}

int rdf_mean_open(struct rdf_mean *m, size_t curves, size_t bins, struct trj_error *err) {
    m->curves = curves;
    m->bins = bins;
    m->sum = trj_alloc(curves * bins, sizeof *m->sum, "sums", err);
    m->weight = m->sum ? trj_alloc(curves, sizeof *m->weight, "sums", err) : NULL;
    return m->weight ? 0 : -1;
}

void rdf_mean_free(struct rdf_mean *m) {
    for (unsigned l = 0; l < m->level_count; l++) {
        struct rdf_level *level = &m->levels[l];
        free(level->first);
        free(level->second);
        free(level->weight2);
        free(level->part);
        free(level->part_weight);
    }
    free(m->sum);
    free(m->weight);
    free(m->kept);
    free(m->kept_weights);
    *m = (struct rdf_mean){0};
}

static void add(double *to, const double *from, size_t n) {
    for (size_t i = 0; i < n; i++) to[i] += from[i];
}

static int open_level(struct rdf_mean *m, bool parts, struct trj_error *err) {
    struct rdf_level *level = &m->levels[m->level_count++];
    size_t n = m->curves * m->bins;
    level->first = trj_alloc(n, sizeof *level->first, "sums", err);
    level->second = level->first ? trj_alloc(n, sizeof *level->second, "sums", err) : NULL;
    level->weight2 = level->second ? trj_alloc(m->curves, sizeof *level->weight2, "sums", err) : NULL;
    if (!level->weight2 || !parts) return level->weight2 ? 0 : -1;
    level->part = trj_alloc(n, sizeof *level->part, "blocks", err);
    level->part_weight = level->part ? trj_alloc(m->curves, sizeof *level->part_weight, "blocks", err) : NULL;
    return level->part_weight ? 0 : -1;
}

static void add_block(struct rdf_level *level, const struct rdf_mean *m, const double *weighted,
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

// A block either waits for its neighbour, or makes with the one that waited a block of the next level.
static int add_levels(struct rdf_mean *m, const double *weighted, const double *weights, bool blocks,
                      struct trj_error *err) {
    size_t n = m->curves * m->bins;
    for (unsigned l = 0; l < RDF_MOST_LEVELS; l++) {
        struct rdf_level *level = &m->levels[l];
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

static int keep(struct rdf_mean *m, const double *weighted, const double *weights, struct trj_error *err) {
    size_t n = m->curves * m->bins, records = m->records;
    if ((records + 1) * (n < TILE ? TILE : n) > RDF_MOST_KEPT)
        return trj_fail(err, TRJ_FAILED,
                        "bootstrap keeps the curves of all records, and more than %zu of %zu bins are too many: take "
                        "fewer bins, blocks, or counts of longer records (rdfhist -B)",
                        records, n);
    if (trj_grow(&m->kept, &m->kept_room, (records + 1) * n, sizeof *m->kept, "records", err) ||
        trj_grow(&m->kept_weights, &m->kept_weights_room, (records + 1) * m->curves, sizeof *m->kept_weights, "records",
                 err))
        return -1;
    memcpy(m->kept + records * n, weighted, n * sizeof *weighted);
    memcpy(m->kept_weights + records * m->curves, weights, m->curves * sizeof *weights);
    return 0;
}

int rdf_mean_add(struct rdf_mean *m, const double *weighted, const double *weights, struct trj_error *err) {
    int way = way_of(m);
    if (way == BOOTSTRAP && keep(m, weighted, weights, err)) return -1;
    if ((way == RECORDS || way == BLOCKS) && add_levels(m, weighted, weights, way == BLOCKS, err)) return -1;
    add(m->sum, weighted, m->curves * m->bins);
    add(m->weight, weights, m->curves);
    m->records++;
    return 0;
}

// The squared error of bin i, of curve c, from the blocks of a level and from what is left behind the last of them; without its factor.
static double square(const struct rdf_mean *m, const struct rdf_level *level, size_t c, size_t i, double g, double rest,
                     double rest_weight) {
    // sum of W^2 (g_b - g)^2, multiplied out
    double first = level->first[i] + rest_weight * rest, second = level->second[i] + rest * rest,
           weight2 = level->weight2[c] + rest_weight * rest_weight, all = m->weight[c];
    return fmax(second - 2 * g * first + g * g * weight2, 0) / (all * all);
}

static void by_records(double *error, const struct rdf_mean *m, size_t c, const double *g) {
    double records = (double)m->records;
    for (size_t k = 0; k < m->bins; k++)
        error[k] = sqrt(square(m, &m->levels[0], c, c * m->bins + k, g[k], 0, 0) * records / (records - 1));
}

// What blocks of one length say: squared errors to squares[bins], and how they compare to those of single records.
struct ratio {
    double mean, mean_square;
};

static struct ratio of_level(double *squares, const struct rdf_mean *m, unsigned l, size_t c, const double *g,
                             const double *rest, double rest_weight, const double *single) {
    const struct rdf_level *level = &m->levels[l];
    double all = m->weight[c], share = (level->weight2[c] + rest_weight * rest_weight) / (all * all),
           factor = share < 1 ? 1 / (1 - share) : 0, varying = 0; // 1: all but one are of groups that are empty
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

static int by_blocks(struct rdf_mean_error *e, const struct rdf_mean *m, size_t c, const double *g,
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
        const struct rdf_level *level = &m->levels[l];
        if (level->blocks + (rest_weight > 0) < RDF_FEWEST_BLOCKS) break;
        struct ratio r = of_level(next, m, l, c, g, rest, rest_weight, single);
        double block = ldexp(1, (int)l);
        memcpy(e->error, next, m->bins * sizeof *next);
        e->block = (uint64_t)1 << l;
        e->inefficiency = r.mean;
        e->too_few = !(block * block * block > 2 * (double)m->records * r.mean_square);
        if (!level->half) continue;
        add(rest, level->part + c * m->bins, m->bins); // what is left at the end grows with the blocks
        rest_weight += level->part_weight[c];
    }
    for (size_t k = 0; k < m->bins; k++) e->error[k] = sqrt(e->error[k]);
    rc = 0;
out:
    free(single);
    free(rest);
    free(next);
    return rc;
}

static uint64_t splitmix64(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

// Draws of records, some replicas at a time: which records each of them holds, and how often.
struct draws {
    size_t replicas, *ends; // [replicas] into record, times
    uint32_t *record;
    double *times, *weight; // weight[replicas]: of all records of one
    uint32_t *tally;        // [records]
};

static void draw(struct draws *d, const struct rdf_mean *m, size_t c, uint64_t *state) {
    size_t n = 0;
    for (size_t i = 0; i < d->replicas; i++) {
        memset(d->tally, 0, m->records * sizeof *d->tally);
        for (size_t r = 0; r < m->records; r++)
            d->tally[(size_t)((unsigned __int128)splitmix64(state) * m->records >> 64)]++;
        d->weight[i] = 0;
        for (size_t r = 0; r < m->records; r++) {
            if (!d->tally[r]) continue;
            d->record[n] = (uint32_t)r;
            d->times[n] = d->tally[r];
            d->weight[i] += d->times[n++] * m->kept_weights[r * m->curves + c];
        }
        d->ends[i] = n;
    }
}

// Adds to off[TILE] and off2[TILE] how far the replicas' means are off, and its square; y[records][TILE] is W (g_i - g).
static void add_replicas(double *off, double *off2, const struct draws *d, const double *y) {
    for (size_t i = 0, n = 0; i < d->replicas; i++) {
        double sum[TILE] = {0};
        for (; n < d->ends[i]; n++) {
            const double *x = y + (size_t)d->record[n] * TILE;
            for (int k = 0; k < TILE; k++) sum[k] += d->times[n] * x[k];
        }
        if (!(d->weight[i] > 0)) continue; // of groups that were empty in all of them
        for (int k = 0; k < TILE; k++) {
            double mean = sum[k] / d->weight[i];
            off[k] += mean;
            off2[k] += mean * mean;
        }
    }
}

static void take_tile(double *y, const struct rdf_mean *m, size_t c, size_t first, size_t n, const double *g) {
    for (size_t r = 0; r < m->records; r++) {
        const double *x = m->kept + (r * m->curves + c) * m->bins + first;
        double w = m->kept_weights[r * m->curves + c];
        for (size_t k = 0; k < n; k++) y[r * TILE + k] = x[k] - w * g[first + k];
    }
}

static int by_bootstrap(double *error, const struct rdf_mean *m, size_t c, const double *g, struct trj_error *err) {
    size_t together = MOST_DRAWN / m->records, rows = (m->bins + TILE - 1) / TILE * TILE, left = RDF_REPLICAS;
    together = together < 1 ? 1 : together < left ? together : left;
    struct draws d = {.ends = trj_alloc(together, sizeof *d.ends, "draws", err)};
    double *y = trj_alloc(m->records * TILE, sizeof *y, "draws", err), means = 0;
    double *off = trj_alloc(rows, sizeof *off, "draws", err), *off2 = trj_alloc(rows, sizeof *off2, "draws", err);
    uint64_t state = 0;
    int rc = -1;
    d.record = trj_alloc(together * m->records, sizeof *d.record, "draws", err);
    d.times = trj_alloc(together * m->records, sizeof *d.times, "draws", err);
    d.weight = trj_alloc(together, sizeof *d.weight, "draws", err);
    d.tally = trj_alloc(m->records, sizeof *d.tally, "draws", err);
    if (!d.ends || !y || !off || !off2 || !d.record || !d.times || !d.weight || !d.tally) goto out;
    for (; left; left -= d.replicas) {
        d.replicas = together < left ? together : left;
        draw(&d, m, c, &state);
        for (size_t i = 0; i < d.replicas; i++) means += d.weight[i] > 0;
        for (size_t first = 0; first < m->bins; first += TILE) {
            take_tile(y, m, c, first, m->bins - first < TILE ? m->bins - first : TILE, g);
            add_replicas(off + first, off2 + first, &d, y);
        }
    }
    for (size_t k = 0; k < m->bins; k++) error[k] = sqrt(fmax(off2[k] - off[k] * off[k] / means, 0) / (means - 1));
    rc = 0;
out:
    free(d.ends);
    free(d.record);
    free(d.times);
    free(d.weight);
    free(d.tally);
    free(y);
    free(off);
    free(off2);
    return rc;
}

int rdf_mean_error(struct rdf_mean_error *e, const struct rdf_mean *m, size_t curve, const double *g,
                   struct trj_error *err) {
    int way = way_of(m), rc = 0;
    *e = (struct rdf_mean_error){.inefficiency = 1};
    if (way == NONE || m->records < 2) return 0;
    if (!(e->error = trj_alloc(m->bins, sizeof *e->error, "errors", err))) return -1;
    if (way == RECORDS) by_records(e->error, m, curve, g);
    if (way == BLOCKS) rc = by_blocks(e, m, curve, g, err);
    if (way == BOOTSTRAP) rc = by_bootstrap(e->error, m, curve, g, err);
    if (!rc) return 0;
    free(e->error);
    e->error = NULL;
    return -1;
}
