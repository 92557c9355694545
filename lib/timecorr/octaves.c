// SPDX-License-Identifier: MIT
// Compares each frame with earlier ones at logarithmic lags.
#include "octaves.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lag_grid.h"
#include "memory.h"

enum { LANES = 8 }; // sums of a part: numbers i, i + 8, ... are added together, so that vectors can be used

struct tcf_octaves {
    size_t parts, lags, width; // width: numbers of a frame that is padded
    size_t *count, *padded;    // [parts]
    bool differences;
    uint64_t per_octave;
    unsigned levels;
    double *kept;        // [levels][2 P][width]
    double *now;         // [width]
    double *sum;         // [parts + 1]
    uint64_t frame, run; // numbers of the next frame, and of the first one of the run
    uint64_t end;        // start frames are before it
    struct tcf_tree *tree;
};

static unsigned levels_of(const struct tcf_octaves_setup *s) {
    return tcf_lag_level(s->per_octave, tcf_lag_count(s->per_octave, s->numbers.max_lag) - 1) + 1;
}

static size_t padded_to_lanes(size_t count) {
    return (count + LANES - 1) / LANES * LANES;
}

double tcf_octaves_bytes(const struct tcf_octaves_setup *s) {
    double width = 0;
    for (size_t p = 0; p < s->numbers.parts; p++) width += (double)padded_to_lanes(s->numbers.count[p]);
    return width * sizeof(double) * (2.0 * (double)s->per_octave * levels_of(s) + 1) +
           tcf_tree_bytes(s->numbers.parts, tcf_lag_count(s->per_octave, s->numbers.max_lag));
}

int tcf_octaves_open(struct tcf_octaves **result, const struct tcf_octaves_setup *s, struct trj_error *err) {
    static const char what[] = "windows of frames";
    struct tcf_octaves *o = *result = trj_alloc(1, sizeof *o, what, err);
    if (!o) return -1;
    *o = (struct tcf_octaves){.parts = s->numbers.parts,
                              .lags = tcf_lag_count(s->per_octave, s->numbers.max_lag),
                              .differences = s->numbers.differences,
                              .per_octave = s->per_octave,
                              .levels = levels_of(s),
                              .end = UINT64_MAX};
    if (s->range) {
        o->frame = o->run = s->range->first;
        o->end = s->range->first + s->range->count;
    }
    if (!(o->count = trj_alloc(o->parts, sizeof *o->count, what, err)) ||
        !(o->padded = trj_alloc(o->parts, sizeof *o->padded, what, err)))
        return -1;
    for (size_t p = 0; p < o->parts; p++) {
        o->count[p] = s->numbers.count[p];
        o->padded[p] = padded_to_lanes(o->count[p]);
        o->width += o->padded[p];
    }
    if (!(o->kept = trj_alloc(2 * o->per_octave * o->levels, o->width * sizeof *o->kept, what, err)) ||
        !(o->now = trj_alloc(o->width, sizeof *o->now, what, err)) ||
        !(o->sum = trj_alloc(o->parts + 1, sizeof *o->sum, what, err)))
        return -1;
    return tcf_tree_open(&o->tree, o->parts, o->lags, s->frames, s->range, err);
}

void tcf_octaves_close(struct tcf_octaves *o) {
    if (!o) return;
    tcf_tree_close(o->tree);
    free(o->count);
    free(o->padded);
    free(o->kept);
    free(o->now);
    free(o->sum);
    free(o);
}

static double sum_lanes(const double lane[LANES]) {
    double sum = 0;
    for (int k = 0; k < LANES; k++) sum += lane[k];
    return sum;
}

static double sum_products(const double *restrict a, const double *restrict b, size_t n) {
    double lane[LANES] = {0};
    for (size_t i = 0; i < n; i += LANES)
        for (size_t k = 0; k < LANES; k++) lane[k] += a[i + k] * b[i + k];
    return sum_lanes(lane);
}

static double sum_squares(const double *restrict a, const double *restrict b, size_t n) {
    double lane[LANES] = {0};
    for (size_t i = 0; i < n; i += LANES)
        for (size_t k = 0; k < LANES; k++) {
            const double d = b[i + k] - a[i + k];
            lane[k] += d * d;
        }
    return sum_lanes(lane);
}

static double *kept_at(const struct tcf_octaves *o, unsigned level, uint64_t number) {
    return o->kept + ((size_t)level * 2 * o->per_octave + number % (2 * o->per_octave)) * o->width;
}

// Compares the frame with the one before it by a lag, which is kept.
static int compare(struct tcf_octaves *o, size_t lag, unsigned level, uint64_t start, struct trj_error *err) {
    const double *a = kept_at(o, level, start), *b = o->now;
    const struct tcf_tree_node node = {lag, level, start, o->sum};
    for (size_t p = 0; p < o->parts; a += o->padded[p], b += o->padded[p++])
        o->sum[p] = o->differences ? sum_squares(a, b, o->padded[p]) : sum_products(a, b, o->padded[p]);
    o->sum[o->parts] = 1;
    return tcf_tree_add(o->tree, &node, err);
}

int tcf_octaves_add(struct tcf_octaves *o, const double *value, struct trj_error *err) {
    const uint64_t most = 2 * o->per_octave;
    double *to = o->now;
    for (size_t p = 0; p < o->parts; value += o->count[p], to += o->padded[p++])
        memcpy(to, value, o->count[p] * sizeof *value);
    for (unsigned k = 0; k < o->levels && o->frame % (UINT64_C(1) << k) == 0; k++) {
        const uint64_t number = o->frame >> k;
        memcpy(kept_at(o, k, number), o->now, o->width * sizeof *o->now);
        for (uint64_t m = k ? o->per_octave : 0; m < most && m <= number; m++) {
            const uint64_t start = number - m;
            const size_t lag = (size_t)(k * o->per_octave + m);
            if (start << k < o->run || lag >= o->lags) break;
            if (start << k < o->end && compare(o, lag, k, start, err)) return -1;
        }
    }
    o->frame++;
    return 0;
}

void tcf_octaves_break(struct tcf_octaves *o) {
    o->run = o->frame;
}

struct tcf_tree *tcf_octaves_tree(const struct tcf_octaves *o) {
    return o->tree;
}
