// SPDX-License-Identifier: MIT
// Adds sums and squares of records in integers of 192 and 320 bits, so that standard errors do not depend on the order.
#include "map_sum.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "curve_mean.h"
#include "map_store.h"
#include "memory.h"

__extension__ typedef unsigned __int128 unsigned_wide;

enum { MOMENT = 3, WIDE = 6 }; // limbs of 64 bits

// Sums over blocks, in two's complement with 192 bits, which cannot overflow: S_i^2 < 2^128, |W_i S_i| < 2^128, and
// there are fewer than 2^62 blocks.
struct moments {
    uint64_t squares[MOMENT];  // of S_i^2
    uint64_t weighted[MOMENT]; // of W_i S_i
};

// Successive frames whose sums are kept, so that blocks can be chosen after the last record.
struct part {
    struct trj_map_store values; // sums; space that is allocated is kept for a later part
    struct trj_exact_sum weight;
    uint64_t frames;
};

struct trj_map_sum {
    const struct trj_map *map;
    struct trj_map_sum_setup setup;
    struct trj_grid_record record;
    struct trj_map_store sums, block, moments; // block: sums of the current one, if blocks have several records
    bool chosen;                               // blocks are chosen:
    struct part part[TRJ_MAP_PARTS];
    size_t parts, joined;            // joined: parts in a block, after the last record
    uint64_t part_frames;            // at least, in each part but the last
    bool part_is_new;                // the current record is the first one of its part
    uint64_t rounded[TRJ_MAP_PARTS]; // weights of the blocks, in multiples of 2^-32
    uint64_t records, planes;        // planes: of the current record so far
    // Blocks that have ended, and the current one:
    uint64_t blocks, in_block, block_frames; // block_frames: the largest number in a block
    struct trj_exact_sum block_weight;
    uint64_t weight, last;       // W, and the weight of the block that ended last, in multiples of 2^-32
    unsigned_wide weight_square; // sum of W_i^2, which does not exceed W^2
};

// Returns the number of values of the map, or of its slab.
static uint64_t values_of(const struct trj_map_sum *s) {
    return s->setup.slab.planes * trj_map_plane_values(s->map);
}

static bool is_integer(const struct trj_map *m) {
    return m->kind == TRJ_MAP_QUANTA || m->kind == TRJ_MAP_COUNTS;
}

int trj_map_sum_open(struct trj_map_sum **result, const struct trj_map *map, const struct trj_map_sum_setup *setup,
                     struct trj_error *err) {
    struct trj_map_sum *s = trj_alloc(1, sizeof *s, "a sum", err);
    if (!s) return -1;
    s->map = map;
    s->setup = *setup;
    s->setup.slab = trj_map_lattice_slab(&map->lattice, setup->slab);
    s->chosen = setup->errors && !setup->block;
    s->part_frames = 1;
    if (!s->setup.memory) s->setup.memory = TRJ_MAP_STORE_MEMORY;
    uint64_t n = values_of(s), limit = s->setup.memory;
    bool joins = setup->errors && s->setup.block > 1;
    // All parts together are within the limit, or each is in a file.
    if (s->chosen && n > limit / sizeof(uint64_t) / (TRJ_MAP_PARTS + 1)) s->setup.memory = limit = 1;
    if (trj_map_store_open(&s->sums, n * trj_map_value_size(map->kind), limit, err) ||
        (joins && trj_map_store_open(&s->block, n * sizeof(uint64_t), limit, err)) ||
        (setup->errors && !s->chosen && trj_map_store_open(&s->moments, n * sizeof(struct moments), limit, err))) {
        trj_map_sum_close(s);
        return -1;
    }
    *result = s;
    return 0;
}

void trj_map_sum_close(struct trj_map_sum *s) {
    if (!s) return;
    trj_map_store_close(&s->sums);
    trj_map_store_close(&s->block);
    trj_map_store_close(&s->moments);
    for (size_t i = 0; i < TRJ_MAP_PARTS; i++) trj_map_store_close(&s->part[i].values);
    trj_grid_record_free(&s->record);
    free(s);
}

// ---- integers of several limbs, the least significant one first

// Adds x, or subtracts it, modulo 2^(64 n).
static void add_limbs(uint64_t *to, size_t n, const uint64_t *x, size_t x_limbs, bool subtract) {
    uint64_t carry = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t v = i < x_limbs ? x[i] : 0, first, second;
        bool over = subtract ? __builtin_sub_overflow(to[i], v, &first) : __builtin_add_overflow(to[i], v, &first);
        over |=
            subtract ? __builtin_sub_overflow(first, carry, &second) : __builtin_add_overflow(first, carry, &second);
        to[i] = second;
        carry = over;
    }
}

// Sets to [n + m] to the product of a [n] and b [m].
static void multiply(uint64_t *to, const uint64_t *a, size_t n, const uint64_t *b, size_t m) {
    memset(to, 0, (n + m) * sizeof *to);
    for (size_t i = 0; i < n; i++) {
        unsigned_wide carry = 0;
        for (size_t k = 0; k < m; k++) {
            carry += (unsigned_wide)a[i] * b[k] + to[i + k];
            to[i + k] = (uint64_t)carry;
            carry >>= 64;
        }
        to[i + m] = (uint64_t)carry;
    }
}

static void split(uint64_t to[2], unsigned_wide x) {
    to[0] = (uint64_t)x;
    to[1] = (uint64_t)(x >> 64);
}

// Returns the value to within one unit in the last place.
static double limbs_value(const uint64_t *x, size_t n) {
    size_t top = n;
    while (top && !x[top - 1]) top--;
    double value = 0;
    for (size_t i = top; i-- && i + 3 > top;) value += ldexp((double)x[i], 64 * (int)i);
    return value;
}

// A value of a map, or a sum of them.
struct signed_value {
    uint64_t size;
    bool negative;
};
static struct signed_value value_at(const struct trj_map *m, const unsigned char *values, uint64_t i) {
    uint64_t bits;
    memcpy(&bits, values + i * sizeof bits, sizeof bits);
    bool negative = m->kind == TRJ_MAP_QUANTA && bits >> 63;
    return (struct signed_value){negative ? -bits : bits, negative};
}

// ---- addition

static int fail_overflow(const struct trj_map_sum *s, uint64_t i, struct trj_error *err) {
    const struct trj_map *m = s->map;
    uint64_t point = i / m->components + s->setup.slab.first * trj_map_lattice_plane(&m->lattice);
    return trj_fail(err, TRJ_BAD_DATA, "the sum at the point %s exceeds %s; add fewer records",
                    trj_map_lattice_point_text(&m->lattice, point).text,
                    m->kind == TRJ_MAP_COUNTS ? "2^64" : "2^63 quanta");
}

// Adds n values from number `first` on. Sums of all records bound those of blocks if no value is negative; otherwise
// both can overflow.
static int add_integers(const struct trj_map_sum *s, unsigned char *sums, const unsigned char *values, uint64_t first,
                        uint64_t n, struct trj_error *err) {
    const struct trj_map *m = s->map;
    uint64_t *to = (uint64_t *)(void *)sums + first, add, sum;
    for (uint64_t i = 0; i < n; i++) {
        memcpy(&add, values + i * sizeof add, sizeof add);
        int64_t signed_sum;
        bool over = m->kind == TRJ_MAP_COUNTS ? __builtin_add_overflow(to[i], add, &sum)
                                              : __builtin_add_overflow((int64_t)to[i], (int64_t)add, &signed_sum);
        if (over) return fail_overflow(s, first + i, err);
        to[i] += add;
    }
    return 0;
}

// Ends the current block. Its weight must be so large that rounding it to a multiple of 2^-32 has no noticeable effect.
static int end_block(struct trj_map_sum *s, struct trj_error *err) {
    double weight = trj_exact_value(&s->block_weight);
    uint64_t rounded = weight < 0x1p32 ? (uint64_t)floor(weight * 0x1p32 + 0.5) : 0;
    if (rounded < 1 << 20 || __builtin_add_overflow(s->weight, rounded, &s->weight))
        return trj_fail(err, TRJ_BAD_DATA,
                        "a block has the weight %.3g, but standard errors require weights of at least 2^-12, and a sum "
                        "of at most 2^32; multiply all weights by the same number",
                        weight);
    s->last = rounded;
    s->weight_square += (unsigned_wide)rounded * rounded;
    s->blocks++;
    s->in_block = 0;
    s->block_weight = (struct trj_exact_sum){{0}};
    return 0;
}

// Adds the sum S_i of a block with this weight.
static void add_moment(struct moments *m, struct signed_value v, uint64_t weight) {
    uint64_t product[2];
    if (!v.size) return;
    split(product, (unsigned_wide)v.size * v.size);
    add_limbs(m->squares, MOMENT, product, 2, false);
    split(product, (unsigned_wide)v.size * weight);
    add_limbs(m->weighted, MOMENT, product, 2, v.negative);
}

// Adds n sums of the block that ended last to the moments, from number `first` on.
static void add_moments(struct trj_map_sum *s, const unsigned char *values, uint64_t first, uint64_t n) {
    struct moments *m = (struct moments *)(void *)s->moments.bytes + first;
    for (uint64_t i = 0; i < n; i++) add_moment(&m[i], value_at(s->map, values, i), s->last);
}

// Adds the block that ended last to the moments, and sets its sums to 0.
static void flush_block(struct trj_map_sum *s) {
    uint64_t n = trj_map_plane_values(s->map);
    size_t bytes = n * sizeof(uint64_t);
    for (uint64_t k = 0; k < s->setup.slab.planes; k++) {
        unsigned char *plane = s->block.bytes + k * bytes;
        add_moments(s, plane, k * n, n);
        memset(plane, 0, bytes);
        trj_map_store_release(&s->block, k * bytes, bytes);
        trj_map_store_release(&s->moments, k * n * sizeof(struct moments), n * sizeof(struct moments));
    }
}

static int end_joined_block(struct trj_map_sum *s, struct trj_error *err) {
    if (end_block(s, err)) return -1;
    flush_block(s);
    return 0;
}

// ---- parts

// Returns the number of frames in a part after parts have been joined.
static uint64_t frames_after_join(const struct trj_map_sum *s) {
    uint64_t frames = 0, half = TRJ_MAP_PARTS / 2;
    for (size_t i = 0; i < TRJ_MAP_PARTS; i++) frames += s->part[i].frames;
    return (frames + half - 1) / half;
}

// Adds neighbouring parts to each other two by two. The space of those that are left is kept after the others.
static int join_parts(struct trj_map_sum *s, struct trj_error *err) {
    struct part left[TRJ_MAP_PARTS / 2];
    uint64_t n = trj_map_plane_values(s->map);
    size_t bytes = n * sizeof(uint64_t);
    s->part_frames = frames_after_join(s);
    for (size_t i = 0; i < TRJ_MAP_PARTS / 2; i++) {
        struct part *to = &s->part[2 * i], *from = to + 1;
        for (uint64_t k = 0; k < s->setup.slab.planes; k++) {
            if (add_integers(s, to->values.bytes, from->values.bytes + k * bytes, k * n, n, err)) return -1;
            trj_map_store_release(&to->values, k * bytes, bytes);
            trj_map_store_release(&from->values, k * bytes, bytes);
        }
        trj_exact_merge(&to->weight, &from->weight);
        to->frames += from->frames;
        left[i] = *from;
        s->part[i] = *to;
    }
    memcpy(s->part + TRJ_MAP_PARTS / 2, left, sizeof left);
    s->parts = TRJ_MAP_PARTS / 2;
    return 0;
}

static int begin_in_part(struct trj_map_sum *s, const struct trj_grid_record *r, struct trj_error *err) {
    s->part_is_new = !s->parts || s->part[s->parts - 1].frames >= s->part_frames;
    if (s->part_is_new) {
        if (s->parts == TRJ_MAP_PARTS && join_parts(s, err)) return -1;
        struct part *next = &s->part[s->parts];
        if (!next->values.bytes &&
            trj_map_store_open(&next->values, values_of(s) * sizeof(uint64_t), s->setup.memory, err))
            return -1;
        next->weight = (struct trj_exact_sum){{0}};
        next->frames = 0;
        s->parts++;
    }
    struct part *p = &s->part[s->parts - 1];
    trj_exact_merge(&p->weight, &r->weight);
    p->frames += r->frames;
    return 0;
}

static int add_to_part(struct trj_map_sum *s, const void *values, uint64_t first, uint64_t n, struct trj_error *err) {
    const struct trj_map_store *to = &s->part[s->parts - 1].values;
    uint64_t offset = first * sizeof(uint64_t), bytes = n * sizeof(uint64_t);
    if (s->part_is_new)
        memcpy(to->bytes + offset, values, bytes);
    else if (add_integers(s, to->bytes, values, first, n, err))
        return -1;
    trj_map_store_release(to, offset, bytes);
    return 0;
}

uint64_t trj_map_sum_frames_of_part(const struct trj_map_sum *s) {
    bool full = s->parts == TRJ_MAP_PARTS && s->part[s->parts - 1].frames >= s->part_frames;
    return full ? frames_after_join(s) : s->part_frames; // the next record will join parts
}

int trj_map_sum_begin(struct trj_map_sum *s, const struct trj_grid_record *r, struct trj_error *err) {
    if ((s->records || s->setup.errors) && !is_integer(s->map))
        return trj_fail(err, TRJ_BAD_DATA,
                        "values are floating-point numbers, whose sum depends on the order of the records; add counts "
                        "or multiples of a quantum, or compute the mean of several maps with mapmath");
    if (s->block.bytes && s->in_block == s->setup.block && end_joined_block(s, err)) return -1;
    if (trj_grid_record_merge(&s->record, r, err)) return -1;
    s->records++;
    s->planes = 0;
    if (s->chosen) return begin_in_part(s, r, err);
    trj_exact_merge(&s->block_weight, &r->weight);
    s->in_block++;
    // A block of one record needs no separate sums: it ends here, because its weight is known.
    if (s->setup.errors && !s->block.bytes) return end_block(s, err);
    return 0;
}

int trj_map_sum_add(struct trj_map_sum *s, const void *values, uint64_t planes, struct trj_error *err) {
    const struct trj_map *m = s->map;
    if (!s->records || planes > s->setup.slab.planes - s->planes)
        return trj_fail(err, TRJ_FAILED, "more planes than the record has");
    uint64_t first = s->planes * trj_map_plane_values(m), n = planes * trj_map_plane_values(m);
    size_t size = trj_map_value_size(m->kind);
    s->planes += planes;
    if (!is_integer(m)) {
        memcpy(s->sums.bytes + first * size, values, n * size);
    } else {
        if (add_integers(s, s->sums.bytes, values, first, n, err)) return -1;
        if (s->block.bytes && add_integers(s, s->block.bytes, values, first, n, err)) return -1;
        if (s->chosen && add_to_part(s, values, first, n, err)) return -1;
        if (s->moments.bytes && !s->block.bytes) add_moments(s, values, first, n);
    }
    trj_map_store_release(&s->sums, first * size, n * size);
    trj_map_store_release(&s->block, first * size, n * size);
    trj_map_store_release(&s->moments, first * sizeof(struct moments), n * sizeof(struct moments));
    return 0;
}

// ---- results

const struct trj_grid_record *trj_map_sum_record(const struct trj_map_sum *s) {
    return &s->record;
}

int trj_map_sum_check_frames(struct trj_map_sum *s, const struct trj_stream_header *origin, struct trj_error *err) {
    for (size_t i = 0; i < s->record.run_count; i++) {
        uint32_t *source = &s->record.runs[i].source, same = 0;
        while (origin->sources[same].fingerprint != origin->sources[*source].fingerprint) same++;
        *source = same;
    }
    return trj_grid_check_once(s->record.runs, s->record.run_count, origin->sources, err);
}

const void *trj_map_sum_plane(struct trj_map_sum *s, uint64_t plane) {
    size_t bytes = trj_map_plane_size(s->map);
    if (plane) trj_map_store_release(&s->sums, (plane - 1) * bytes, bytes);
    return s->sums.bytes + plane * bytes;
}

void trj_map_sum_means(struct trj_map_sum *s, uint64_t plane, double *to) {
    trj_grid_record_to_real(&s->record, s->map, trj_map_sum_plane(s, plane), trj_map_plane_values(s->map), to);
}

// ---- the choice of blocks

// Sums over the points that vary of the ratio of the squared errors of blocks and of parts, and of its square.
struct ratios {
    double sum, squares;
};

// Computes the ratios for blocks of `joined` parts at the points of a plane. Returns the number of points that vary.
// `single` [points] contains the squared errors of parts; they are computed if joined is 1. Products with the weights
// are float64: they decide how many parts form a block, but are no part of the result.
static double compare_blocks(const struct trj_map_sum *s, uint64_t plane, size_t joined, const double *weight,
                             double *single, struct ratios *to) {
    const struct trj_map *m = s->map;
    uint64_t n = trj_map_plane_values(m);
    double all = 0, shares = 0, varying = 0;
    for (size_t i = 0; i < s->parts; i++) all += weight[i];
    for (size_t i = 0; i < s->parts; i += joined) {
        double w = 0;
        for (size_t k = i; k < i + joined && k < s->parts; k++) w += weight[k] / all;
        shares += w * w;
    }
    for (uint64_t v = 0; v < n; v++) {
        uint64_t index = plane * n + v;
        struct signed_value total = value_at(m, s->sums.bytes, index);
        double mean = (total.negative ? -1 : 1) * (double)total.size / all, square = 0;
        for (size_t i = 0; i < s->parts; i += joined) {
            double off = 0;
            for (size_t k = i; k < i + joined && k < s->parts; k++) {
                struct signed_value x = value_at(m, s->part[k].values.bytes, index);
                off += (x.negative ? -1 : 1) * (double)x.size - mean * weight[k];
            }
            square += off * off;
        }
        square /= 1 - shares;
        if (joined == 1) single[v] = square;
        if (!(single[v] > 0)) continue;
        varying++;
        to->sum += square / single[v];
        to->squares += square / single[v] * (square / single[v]);
    }
    return varying;
}

// Sets s->joined and the state of the blocks by the rule `auto`.
static int choose_blocks(struct trj_map_sum *s, struct trj_map_blocks *b, struct trj_error *err) {
    enum { LEVELS = 4 }; // CURVE_MIN_BLOCKS blocks of 2^3 of at most 32 parts
    struct ratios ratio[LEVELS] = {{0}};
    struct curve_mean_error e = {.too_few = true};
    double weight[TRJ_MAP_PARTS], varying = 0;
    uint64_t n = trj_map_plane_values(s->map);
    double *single = trj_alloc(n, sizeof *single, "a plane", err);
    unsigned levels = 0;
    if (!single) return -1;
    while (levels < LEVELS && (s->parts + ((size_t)1 << levels) - 1) >> levels >= CURVE_MIN_BLOCKS) levels++;
    for (size_t i = 0; i < s->parts; i++) weight[i] = trj_exact_value(&s->part[i].weight);
    for (uint64_t k = 0; k < s->setup.slab.planes; k++) {
        double here = 0;
        for (unsigned l = 0; l < levels; l++) here = compare_blocks(s, k, (size_t)1 << l, weight, single, &ratio[l]);
        varying += here;
        for (size_t i = 0; i < s->parts; i++)
            trj_map_store_release(&s->part[i].values, k * n * sizeof(uint64_t), n * sizeof(uint64_t));
    }
    free(single);
    for (unsigned l = 0; e.too_few && l < levels; l++)
        curve_mean_judge(&e, l, (double)s->parts, varying > 0 ? ratio[l].sum / varying : 1,
                         varying > 0 ? ratio[l].squares / varying : 1);
    s->joined = e.correlated ? (size_t)e.block : 1;
    b->independent = e.correlated ? !e.too_few : e.tested;
    b->too_few = !b->independent;
    return 0;
}

static int end_chosen_blocks(struct trj_map_sum *s, struct trj_map_blocks *b, struct trj_error *err) {
    if (choose_blocks(s, b, err)) return -1;
    for (size_t i = 0; i < s->parts; i += s->joined) {
        uint64_t frames = 0;
        for (size_t k = i; k < i + s->joined && k < s->parts; k++) {
            trj_exact_merge(&s->block_weight, &s->part[k].weight);
            frames += s->part[k].frames;
        }
        if (end_block(s, err)) return -1;
        s->rounded[s->blocks - 1] = s->last;
        if (frames > s->block_frames) s->block_frames = frames;
    }
    return 0;
}

int trj_map_sum_finish_errors(struct trj_map_sum *s, struct trj_map_blocks *b, struct trj_error *err) {
    *b = (struct trj_map_blocks){.count = 0};
    if (s->chosen && end_chosen_blocks(s, b, err)) return -1;
    if (s->block.bytes && s->in_block && end_joined_block(s, err)) return -1;
    b->count = s->blocks;
    b->frames = s->block_frames;
    b->number = (double)s->weight * (double)s->weight / (double)s->weight_square;
    if (s->blocks > 1) return 0;
    if (s->record.frames == 1)
        return trj_fail(err, TRJ_BAD_DATA, "standard errors require at least 2 frames, found 1; read more frames");
    return trj_fail(err, TRJ_BAD_DATA,
                    "standard errors require at least 2 blocks of records, found %llu; create records of fewer frames "
                    "(densmap --block), or join fewer of them into a block",
                    (unsigned long long)s->blocks);
}

void trj_map_blocks_text(char text[TRJ_MAP_BLOCKS_TEXT], const struct trj_map_blocks *b) {
    snprintf(text, TRJ_MAP_BLOCKS_TEXT, "%.6g %sblocks of up to %llu frame%s%s", b->number,
             b->independent ? "independent " : "", (unsigned long long)b->frames, b->frames > 1 ? "s" : "",
             b->too_few ? "; too few frames to estimate their correlation: errors may be too small" : "");
}

// Returns N = W^2 sum S_i^2 - 2 W S sum W_i S_i + S^2 sum W_i^2 = sum (W S_i - W_i S)^2, all of which are integers.
// N < 2^320, because W^2 < 2^128 and sum S_i^2 < 2^191.
static double numerator(const struct trj_map_sum *s, struct signed_value sum, const struct moments *m) {
    uint64_t n[WIDE] = {0}, product[WIDE], pair[2], weights[2], cross[MOMENT], part[MOMENT + 1];
    split(pair, (unsigned_wide)s->weight * s->weight);
    multiply(n, m->squares, MOMENT, pair, 2);
    bool negative = m->weighted[MOMENT - 1] >> 63;
    memset(cross, 0, sizeof cross);
    add_limbs(cross, MOMENT, m->weighted, MOMENT, negative); // its absolute value
    multiply(part, cross, MOMENT, &sum.size, 1);
    multiply(product, part, MOMENT + 1, &s->weight, 1);
    for (int twice = 0; twice < 2; twice++) add_limbs(n, WIDE, product, MOMENT + 2, negative == sum.negative);
    split(pair, (unsigned_wide)sum.size * sum.size);
    split(weights, s->weight_square);
    multiply(product, pair, 2, weights, 2);
    add_limbs(n, WIDE, product, 4, false);
    return limbs_value(n, WIDE);
}

// Computes the moments of the chosen blocks at a point.
static struct moments moments_of_parts(const struct trj_map_sum *s, uint64_t offset) {
    struct moments m = {{0}, {0}};
    size_t block = 0;
    for (size_t i = 0; i < s->parts; i += s->joined) {
        uint64_t sum = 0, add;
        for (size_t k = i; k < i + s->joined && k < s->parts; k++) {
            memcpy(&add, s->part[k].values.bytes + offset * sizeof add, sizeof add);
            sum += add;
        }
        add_moment(&m, value_at(s->map, (const unsigned char *)&sum, 0), s->rounded[block++]);
    }
    return m;
}

void trj_map_sum_errors(struct trj_map_sum *s, uint64_t plane, double *to) {
    const struct trj_map *m = s->map;
    uint64_t n = trj_map_plane_values(m), rest[2];
    const unsigned char *sums = trj_map_sum_plane(s, plane);
    const struct moments *moments = (struct moments *)(void *)s->moments.bytes;
    split(rest, (unsigned_wide)s->weight * s->weight - s->weight_square);
    double unit = 0x1p32 * (m->kind == TRJ_MAP_QUANTA ? m->quantum : 1);
    double divisor = limbs_value(rest, 2), weight = (double)s->weight;
    for (uint64_t i = 0; i < n; i++) {
        struct moments here = s->chosen ? moments_of_parts(s, plane * n + i) : moments[plane * n + i];
        to[i] = sqrt(numerator(s, value_at(m, sums, i), &here) / divisor) / weight * unit;
    }
    trj_map_store_release(&s->moments, plane * n * sizeof *moments, n * sizeof *moments);
    for (size_t i = 0; i < s->parts; i++)
        trj_map_store_release(&s->part[i].values, plane * n * sizeof(uint64_t), n * sizeof(uint64_t));
}
