// SPDX-License-Identifier: MIT
// Lags in octaves: their numbers, sums as direct sums over the same start frames, with breaks between runs; sums of
// segments that are joined to the same bytes; the coverage of errors for random walks and Ornstein-Uhlenbeck processes.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lag_estimate.h"
#include "lag_grid.h"
#include "octaves.h"
#include "tap.h"
#include "uniform.h"

static struct trj_error err;

static double normal(void) {
    double sum = 0;
    for (int k = 0; k < 12; k++) sum += uniform();
    return sum - 6;
}

static void test_lags(void) {
    bool good = tcf_lag_count(0, 100) == 101 && tcf_lag_at(0, 77) == 77;
    for (uint64_t p = 4; p <= 12; p++)
        for (uint64_t most = 1; most < 3000; most++) {
            const size_t count = tcf_lag_count(p, most);
            size_t below = 0; // lags by their definition
            for (uint64_t lag = 0; lag <= most; lag++) {
                unsigned level = 0;
                while (lag >> level >= 2 * p) level++;
                if (lag >> level << level != lag) continue;
                if (below < count) good = good && tcf_lag_at(p, below) == lag && tcf_lag_level(p, below) == level;
                below++;
            }
            good = good && below == count;
        }
    ok(good, "lags: 0 to 2 P - 1, and P to 2 P - 1 times each power of two, up to the largest one");
}

enum { WIDTH = 26, PARTS = 3 };
static const size_t counts[PARTS] = {17, 1, 8};

static bool open_octaves(struct tcf_octaves **o, uint64_t per_octave, uint64_t max_lag, bool differences,
                         uint64_t frames, const struct tcf_range *range) {
    const struct tcf_octaves_setup setup = {
        {PARTS, counts, differences, max_lag, TCF_ALL, 1}, per_octave, frames, range};
    return !tcf_octaves_open(o, &setup, &err);
}

static double (*make_frames(size_t frames))[WIDTH] {
    double(*x)[WIDTH] = calloc(frames, sizeof *x);
    for (size_t t = 0; x && t < frames; t++)
        for (size_t i = 0; i < WIDTH; i++) x[t][i] = (t ? 0.9 * (x[t - 1][i] - 5) : 0) + uniform() + 5;
    return x;
}

// Compares the sums of two runs with direct sums.
static bool matches(size_t frames, size_t second, uint64_t per_octave, uint64_t max_lag, bool differences) {
    double(*x)[WIDTH] = make_frames(frames);
    struct tcf_octaves *o;
    bool good = x && open_octaves(&o, per_octave, max_lag, differences, 0, NULL);
    for (size_t t = 0; good && t < frames; t++) {
        if (t && t == second) tcf_octaves_break(o);
        good = !tcf_octaves_add(o, x[t], &err);
    }
    good = good && !tcf_tree_finish(tcf_octaves_tree(o), &err);
    const struct tcf_records *r = good ? tcf_tree_records(tcf_octaves_tree(o)) : NULL;
    good = good && r->lags == tcf_lag_count(per_octave, max_lag) && r->count <= TCF_RECORDS &&
           (frames < TCF_RECORDS || r->count > TCF_RECORDS / 2);
    for (size_t p = 0, first = 0; good && p < PARTS; first += counts[p++])
        for (size_t k = 0; k < r->lags; k++) {
            const size_t lag = (size_t)tcf_lag_at(per_octave, k), step = (size_t)1 << tcf_lag_level(per_octave, k);
            double sum = 0, pairs = 0, of_records = 0;
            for (size_t s = 0; s + lag < frames; s += step) {
                if (s < second && s + lag >= second) continue;
                pairs++;
                for (size_t i = first; i < first + counts[p]; i++) {
                    const double a = x[s][i], b = x[s + lag][i];
                    sum += differences ? (a - b) * (a - b) : a * b;
                }
            }
            for (size_t n = 0; n < r->count; n++) of_records += r->record[n].sum[p * r->lags + k];
            good = good && fabs(r->total[p * r->lags + k] - sum) <= 1e-12 * (1 + sum) &&
                   fabs(of_records - sum) <= 1e-12 * (1 + sum) && r->number[k] == pairs;
        }
    tcf_octaves_close(o);
    free(x);
    return good;
}

static void test_sums(void) {
    ok(matches(3000, 3000, 4, 1000, true) && matches(3000, 3000, 5, 2999, false) && matches(700, 700, 16, 31, true),
       "sums of products and squares of differences: direct sums over the start frames of the level");
    ok(matches(1500, 701, 6, 900, true) && matches(1500, 64, 8, 200, false), "frames of two runs are not compared");
    ok(matches(201, 201, 8, 120, true) && matches(5, 5, 4, 1000, true) && matches(1, 1, 4, 10, false) &&
           matches(33, 33, 4, 1000000, true),
       "fewer frames than lags: the pairs that exist");
}

// With 64 2^h + 1 frames, the last start frame is one too many for the records, which are then joined at the end.
static void test_last_start(void) {
    bool good = true;
    for (size_t frames = 1; frames < 280; frames++) good = good && matches(frames, frames, 4, 40, frames % 2);
    for (size_t power = 256; power <= 2048; power *= 2)
        for (size_t frames = power - 1; frames <= power + 2; frames++)
            good = good && matches(frames, frames - 70, 4, frames, true) && matches(frames, frames, 8, 100, false);
    ok(good, "any number of frames: the sums contain the last start frame");
}

// Compares the bytes of the records of a trajectory, in which the frames from `second` on are a run of their own, with
// those of segments.
static bool joins(size_t frames, size_t second, size_t segments, uint64_t per_octave, uint64_t max_lag) {
    double(*x)[WIDTH] = make_frames(frames);
    struct tcf_octaves *all, *part;
    struct tcf_tree *joined;
    bool good = x && open_octaves(&all, per_octave, max_lag, true, 0, NULL) &&
                !tcf_tree_open(&joined, PARTS, tcf_lag_count(per_octave, max_lag), frames, NULL, &err);
    for (size_t t = 0; good && t < frames; t++) {
        if (t == second) tcf_octaves_break(all);
        good = !tcf_octaves_add(all, x[t], &err);
    }
    for (size_t k = 0; good && k < segments; k++) {
        const size_t first = frames * k / segments, next = frames * (k + 1) / segments,
                     end = next + max_lag < frames ? next + (size_t)max_lag : frames;
        const struct tcf_range range = {first, next - first};
        size_t count;
        good = open_octaves(&part, per_octave, max_lag, true, frames, &range);
        for (size_t t = first; good && t < end; t++) {
            if (t == second) tcf_octaves_break(part);
            good = !tcf_octaves_add(part, x[t], &err);
        }
        good = good && !tcf_tree_finish(tcf_octaves_tree(part), &err);
        const struct tcf_tree_node *node = good ? tcf_tree_nodes(tcf_octaves_tree(part), &count) : NULL;
        for (size_t i = 0; good && i < count; i++) good = !tcf_tree_add(joined, &node[i], &err);
        tcf_octaves_close(part);
    }
    good = good && !tcf_tree_finish(tcf_octaves_tree(all), &err) && !tcf_tree_finish(joined, &err);
    const struct tcf_records *a = good ? tcf_tree_records(tcf_octaves_tree(all)) : NULL,
                             *b = good ? tcf_tree_records(joined) : NULL;
    good = good && a->count == b->count && a->lags == b->lags &&
           !memcmp(a->total, b->total, PARTS * a->lags * sizeof *a->total) &&
           !memcmp(a->number, b->number, a->lags * sizeof *a->number);
    for (size_t n = 0; good && n < a->count; n++)
        good = !memcmp(a->record[n].sum, b->record[n].sum, PARTS * a->lags * sizeof *a->record[n].sum) &&
               !memcmp(a->record[n].pairs, b->record[n].pairs, a->lags * sizeof *a->record[n].pairs);
    tcf_octaves_close(all);
    tcf_tree_close(joined);
    free(x);
    return good;
}

static void test_segments(void) {
    bool good = true;
    for (size_t frames = 60; frames < 1200; frames = frames * 7 / 5)
        for (size_t segments = 1; segments < 12; segments += 2)
            for (size_t second = 0; second < 2; second++)
                good = good && joins(frames, second ? frames / 3 + 1 : frames, segments, 4 + segments, frames / 2);
    for (size_t frames = 120; frames < 140; frames++)
        good = good && joins(frames, frames, 3, 4, frames / 3) && joins(4 * frames, 50, 7, 5, frames);
    ok(good, "segments of any length, also with a gap: the bytes of the trajectory as a whole");
    ok(joins(5000, 5000, 7, 4, 4999) && joins(4096, 2000, 3, 16, 100), "also with lags as long as the trajectory");
}

// ------------------------------------------------------------------------------------------------------------ coverage

struct line {
    size_t first, last, lags;
};

// The slope of the line through lags number first to last, and the value at lag number `last`.
static void evaluate(const void *arg, const double *sum, const double *pairs, double *out) {
    const struct line *l = arg;
    const double n = (double)(l->last - l->first + 1);
    double x = 0, y = 0, xx = 0, xy = 0;
    for (size_t k = l->first; k <= l->last; k++) {
        x += (double)tcf_lag_at(4, k) / n;
        y += sum[k] / pairs[k] / n;
    }
    for (size_t k = l->first; k <= l->last; k++) {
        const double d = (double)tcf_lag_at(4, k) - x;
        xx += d * d;
        xy += d * (sum[k] / pairs[k] - y);
    }
    out[0] = xy / xx;
    out[1] = sum[l->last] / pairs[l->last];
}

struct coverage {
    double inside[2], known[2];
};

// Of random walks with steps of variance 1, or of processes x' = a x + noise with variance 1.
static struct coverage cover(double a, struct line l, const double truth[2], int trials) {
    enum { NUMBERS = 3, FRAMES = 4000 };
    const size_t numbers = NUMBERS;
    const struct tcf_octaves_setup setup = {{1, &numbers, a == 1, tcf_lag_at(4, l.last), TCF_ALL, 1}, 4, 0, NULL};
    struct coverage c = {.known = {0}};
    for (int trial = 0; trial < trials; trial++) {
        const size_t longest[2] = {l.last, l.last};
        const struct tcf_estimator e = {2, evaluate, &l, longest};
        double x[NUMBERS];
        struct tcf_octaves *o;
        struct tcf_value v[2];
        bool good = !tcf_octaves_open(&o, &setup, &err);
        for (size_t i = 0; i < NUMBERS; i++) x[i] = normal();
        for (size_t t = 0; good && t < FRAMES; t++) {
            for (size_t i = 0; i < NUMBERS; i++) x[i] = a * x[i] + (a == 1 ? 1 : sqrt(1 - a * a)) * normal();
            good = !tcf_octaves_add(o, x, &err);
        }
        good = good && !tcf_tree_finish(tcf_octaves_tree(o), &err) &&
               !tcf_estimate(tcf_tree_records(tcf_octaves_tree(o)), &e, v, &err);
        tcf_octaves_close(o);
        for (int k = 0; good && k < 2; k++) {
            if (isnan(v[k].error)) continue;
            c.known[k]++;
            c.inside[k] += fabs(v[k].value / NUMBERS - truth[k]) <= tcf_half_width(&v[k]) / NUMBERS;
        }
    }
    for (int k = 0; k < 2; k++) {
        c.inside[k] /= c.known[k];
        c.known[k] /= trials;
    }
    return c;
}

static void test_coverage(void) {
    enum { TRIALS = 500 };
    // Lags 8 to 48 and 4 to 24 of P = 4; 48 is number 18.
    const struct line line = {8, 18, 19}, decay = {4, 14, 15};
    const double walk[2] = {1, (double)tcf_lag_at(4, 18)}, memory[2] = {0, exp(-0.2 * (double)tcf_lag_at(4, 14))};
    struct coverage c = cover(1, line, walk, TRIALS);
    printf("# walks: slope %.3f of %.3f known, value %.3f of %.3f\n", c.inside[0], c.known[0], c.inside[1], c.known[1]);
    ok(c.inside[0] > 0.92 && c.inside[0] < 0.98 && c.inside[1] > 0.92 && c.inside[1] < 0.98 && c.known[0] > 0.99,
       "random walks: intervals of 95 %% contain the slope and the mean square displacement");
    c = cover(exp(-0.2), decay, memory, TRIALS);
    printf("# decay: value %.3f of %.3f known\n", c.inside[1], c.known[1]);
    ok(c.inside[1] > 0.92 && c.inside[1] < 0.98 && c.known[1] > 0.99,
       "Ornstein-Uhlenbeck processes: intervals of 95 %% contain the correlation");
}

int main(void) {
    test_lags();
    test_sums();
    test_last_start();
    test_segments();
    test_coverage();
    return done();
}
