// SPDX-License-Identifier: MIT
// Correlations between frames: sums over lags as direct sums, with breaks between runs; joined records; equal bytes of
// all instruction sets; the coverage of errors for random walks and Ornstein-Uhlenbeck processes.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "correlator.h"
#include "instruction_set.h"
#include "lag_estimate.h"
#include "pair_history.h"
#include "series_kernel.h"
#include "start_frames.h"
#include "tap.h"
#include "uniform.h"

static struct trj_error err;

static double normal(void) {
    double sum = 0;
    for (int k = 0; k < 12; k++) sum += uniform();
    return sum - 6;
}

enum { WIDTH = 75, PARTS = 3 };
static const size_t counts[PARTS] = {69, 1, 5}; // five blocks of numbers, and parts of one

// Compares the sums of runs with `lengths` frames, up to a length of 0, with direct sums.
static bool matches(const size_t *lengths, size_t max_lag, bool differences) {
    const struct tcf_correlator_setup setup = {PARTS, counts, differences, max_lag, TCF_ALL, 1};
    struct tcf_correlator *c;
    size_t frames = 0;
    for (size_t r = 0; lengths[r]; r++) frames += lengths[r];
    double(*x)[WIDTH] = calloc(frames, sizeof *x);
    bool good = x && !tcf_correlator_open(&c, &setup, &err);
    for (size_t t = 0; good && t < frames; t++)
        for (size_t i = 0; i < WIDTH; i++) x[t][i] = (t ? 0.9 * (x[t - 1][i] - 50.0) : 0) + uniform() + 50.0;
    for (size_t r = 0, t = 0; good && lengths[r]; r++) {
        for (size_t k = 0; k < lengths[r]; k++) good = good && !tcf_correlator_add(c, x[t++], &err);
        if (lengths[r + 1]) good = good && !tcf_correlator_break(c, &err);
    }
    good = good && !tcf_correlator_finish(c, &err);
    const struct tcf_records *records = good ? tcf_correlator_records(c) : NULL;
    good = good && records->lags == (frames <= max_lag ? frames : max_lag + 1);
    for (size_t p = 0, first = 0; good && p < PARTS; first += counts[p++])
        for (size_t k = 0; k < records->lags; k++) {
            double sum = 0, pairs = 0, of_records = 0;
            for (size_t r = 0, t = 0; lengths[r]; t += lengths[r++])
                for (size_t s = t; s + k < t + lengths[r]; s++, pairs++)
                    for (size_t i = first; i < first + counts[p]; i++) {
                        double a = x[s][i], b = x[s + k][i];
                        sum += differences ? (a - b) * (a - b) : a * b;
                    }
            for (size_t r = 0; r < records->count; r++) of_records += records->record[r].sum[p * records->lags + k];
            const double got = records->total[p * records->lags + k];
            good = good && fabs(got - sum) <= 1e-11 * (1 + sum) && fabs(of_records - sum) <= 1e-11 * (1 + sum) &&
                   records->number[k] == pairs;
        }
    tcf_correlator_close(c);
    free(x);
    return good;
}

static void test_sums(void) {
    static const size_t one[] = {1000, 0}, few[] = {37, 0}, two[] = {2, 0}, single[] = {1, 0},
                        runs[] = {5, 130, 1, 64, 300, 8, 0}, long_run[] = {2000, 0},
                        long_runs[] = {800, 333, 3, 2000, 64, 0};
    ok(matches(one, 100, false) && matches(one, 100, true), "sums of products and squares of differences: direct sums");
    ok(matches(few, 1000, true) && matches(few, 36, false) && matches(few, 37, false) && matches(two, 9, true) &&
           matches(single, 5, false),
       "fewer frames than lags, and as many: the lags that occur");
    ok(matches(runs, 50, true) && matches(runs, 7, false) && matches(runs, 400, false),
       "frames of different runs are not compared");
    ok(matches(long_run, 3, true) && matches(long_run, 200, false), "more chunks than records: these are joined");
    ok(matches(long_runs, 400, true) && matches(long_runs, 97, false),
       "more frames than lags in several runs, and more chunks than records");
}

// Returns the number of records of frames, of which the first ones are a run of their own.
static size_t records_of(size_t first, size_t frames, size_t max_lag) {
    const size_t count = 1;
    const struct tcf_correlator_setup setup = {1, &count, true, max_lag, TCF_ALL, 1};
    struct tcf_correlator *c;
    bool good = !tcf_correlator_open(&c, &setup, &err);
    for (size_t t = 0; good && t < frames; t++) {
        const double x = normal();
        if (t && t == first) good = !tcf_correlator_break(c, &err);
        good = good && !tcf_correlator_add(c, &x, &err);
    }
    good = good && !tcf_correlator_finish(c, &err);
    const size_t records = good ? tcf_correlator_records(c)->count : 0;
    tcf_correlator_close(c);
    return records;
}

static void test_records(void) {
    bool good = true;
    for (size_t frames = 980; good && frames < 1900; frames += 61) good = records_of(0, frames, 1000) >= 30;
    ok(good, "a few more frames than lags: as many records for the errors as with fewer frames");
    ok(records_of(20, 300, 1000) >= 30 && records_of(0, 300, 299) >= 30, "also after a gap, and for all lags but one");
}

// Adds the nodes of a part of a run.
static bool add_nodes(struct tcf_records *to, const struct tcf_records *part) {
    bool good = true;
    for (size_t i = 0; i < part->nodes; i++)
        good = good && !tcf_records_add_node(to, part->node[i].level, part->node[i].value, &err);
    return good;
}

static bool same_records(const struct tcf_records *a, const struct tcf_records *b) {
    const size_t lags = a->lags * sizeof(double), sums = a->parts * lags;
    bool same = a->count == b->count && a->parts == b->parts && a->lags == b->lags &&
                !memcmp(a->total, b->total, sums) && !memcmp(a->number, b->number, lags);
    for (size_t i = 0; same && i < a->count; i++)
        same =
            !memcmp(a->record[i].sum, b->record[i].sum, sums) && !memcmp(a->record[i].pairs, b->record[i].pairs, lags);
    return same;
}

// Correlates frames x[frames][WIDTH] from `first` on, for the start frames of a range.
static struct tcf_correlator *correlate_range(double (*x)[WIDTH], size_t first, size_t end, size_t max_lag,
                                              bool differences, struct tcf_range range) {
    const struct tcf_correlator_setup setup = {PARTS, counts, differences, max_lag, range, 1};
    struct tcf_correlator *c;
    bool good = !tcf_correlator_open(&c, &setup, &err);
    for (size_t t = first; good && t < end; t++) good = !tcf_correlator_add(c, x[t], &err);
    if (good && !tcf_correlator_finish(c, &err)) return c;
    tcf_correlator_close(c);
    return NULL;
}

// Compares the sums of a run with those of parts that begin at these spans.
static bool parts_match(size_t frames, size_t max_lag, bool differences, const size_t *begin, size_t parts) {
    const size_t chunk = tcf_correlator_chunk(max_lag), span = (size_t)tcf_correlator_span(max_lag),
                 overlap = (size_t)tcf_correlator_overlap(max_lag);
    double(*x)[WIDTH] = calloc(frames, sizeof *x);
    for (size_t t = 0; t < frames; t++)
        for (size_t i = 0; i < WIDTH; i++) x[t][i] = (t ? x[t - 1][i] : 1000) + uniform() - 0.3;
    struct tcf_correlator *all = correlate_range(x, 0, frames, max_lag, differences, TCF_ALL);
    struct tcf_records merged;
    bool good = all && !tcf_records_open(&merged, PARTS, max_lag + 1, TCF_ALL, &err);
    for (size_t i = 0; good && i < parts; i++) {
        const bool last = i + 1 == parts;
        const size_t first = begin[i] * span, end = last ? frames : begin[i + 1] * span + overlap;
        const struct tcf_range range = {first / chunk, last ? UINT64_MAX : (begin[i + 1] - begin[i]) * span / chunk};
        struct tcf_correlator *part =
            correlate_range(x, first, end < frames ? end : frames, max_lag, differences, range);
        good = part && add_nodes(&merged, tcf_correlator_records(part));
        tcf_correlator_close(part);
    }
    good = good && !tcf_records_finish(&merged, &err) && same_records(&merged, tcf_correlator_records(all));
    tcf_records_free(&merged);
    tcf_correlator_close(all);
    free(x);
    return good;
}

static void test_parts(void) {
    static const size_t halves[] = {0, 2}, many[] = {0, 1, 3, 4, 9, 10}, odd[] = {0, 7, 8};
    ok(parts_match(500, 100, true, halves, 2) && parts_match(2800, 130, true, many, 6) &&
           parts_match(3000, 260, false, odd, 3) && parts_match(700, 1, true, many, 6),
       "parts of a run: the bytes of the whole run");
    struct tcf_records r;
    const double value[2] = {1, 1};
    ok(!tcf_records_open(&r, 1, 1, TCF_ALL, &err) && !tcf_records_add_node(&r, 1, value, &err) &&
           tcf_records_add_node(&r, 2, value, &err) && tcf_records_add_node(&r, 60, value, &err),
       "a node that does not begin at a multiple of its length is rejected");
    tcf_records_free(&r);
}

// Compares sums of wide frames, of several sections, with direct ones, and those of one thread with those of three.
static bool wide_matches(size_t max_lag, bool differences) {
    enum { FRAMES = 130, WIDE = 2500 };
    static const size_t wide[] = {2200, 300};
    static double x[FRAMES][WIDE];
    struct tcf_correlator *c[2];
    bool good = true;
    for (size_t t = 0; t < FRAMES; t++)
        for (size_t i = 0; i < WIDE; i++) x[t][i] = (t ? x[t - 1][i] : 1000) + uniform() - 0.5;
    for (unsigned k = 0; k < 2; k++) {
        const struct tcf_correlator_setup setup = {2, wide, differences, max_lag, TCF_ALL, 1 + 2 * k};
        good = good && !tcf_correlator_open(&c[k], &setup, &err);
        for (size_t t = 0; good && t < FRAMES; t++) good = !tcf_correlator_add(c[k], x[t], &err);
        good = good && !tcf_correlator_finish(c[k], &err);
    }
    const struct tcf_records *r = good ? tcf_correlator_records(c[0]) : NULL;
    for (size_t lag = 0; good && lag < r->lags; lag += lag / 7 + 1)
        for (size_t p = 0; p < 2; p++) {
            double sum = 0;
            for (size_t t = 0; t + lag < FRAMES; t++)
                for (size_t i = p ? 2200 : 0; i < (p ? WIDE : 2200); i++) {
                    const double a = x[t][i], b = x[t + lag][i];
                    sum += differences ? (a - b) * (a - b) : a * b;
                }
            good = good && fabs(r->total[p * r->lags + lag] - sum) <= 1e-11 * (1 + sum);
        }
    good = good && same_records(r, tcf_correlator_records(c[1]));
    tcf_correlator_close(c[0]);
    tcf_correlator_close(c[1]);
    return good;
}

static void test_wide(void) {
    ok(wide_matches(200, true) && wide_matches(50, true) && wide_matches(129, false),
       "many numbers, in runs that are correlated as a whole or not: direct sums; any number of threads: the same "
       "bytes");
}

static int add_members(struct tcf_pair_history *m, const double *member, size_t possible) {
    return tcf_pair_history_add_set(m, member, possible, &err) ? -1 : tcf_pair_history_end_frame(m, &err);
}

// Compares the records of members, start frames of parts of a run, with those of the whole run.
static bool starts_match(void) {
    enum { FRAMES = 1000, MAX_LAG = 20 };
    static const size_t begin[] = {0, 1, 77, 400, 999, FRAMES};
    struct tcf_pair_history *m;
    struct tcf_records merged;
    double member[FRAMES][3];
    bool good = !tcf_pair_history_open(&m, MAX_LAG, TCF_ALL, &err) &&
                !tcf_records_open(&merged, TCF_SET_PARTS, MAX_LAG + 1, TCF_ALL, &err);
    for (size_t t = 0; good && t < FRAMES; t++) {
        for (size_t i = 0; i < 3; i++) member[t][i] = uniform() < 0.7;
        good = !add_members(m, member[t], 3);
    }
    good = good && !tcf_pair_history_finish(m, &err);
    for (size_t i = 0; good && begin[i] < FRAMES; i++) {
        const struct tcf_range range = {begin[i], begin[i + 1] - begin[i]};
        struct tcf_pair_history *part;
        good = !tcf_pair_history_open(&part, MAX_LAG, range, &err);
        for (size_t t = begin[i]; good && t < FRAMES && t < begin[i + 1] + MAX_LAG; t++)
            good = !add_members(part, member[t], 3);
        good = good && !tcf_pair_history_finish(part, &err) && add_nodes(&merged, tcf_pair_history_records(part));
        tcf_pair_history_close(part);
    }
    good = good && !tcf_records_finish(&merged, &err) && same_records(&merged, tcf_pair_history_records(m));
    tcf_records_free(&merged);
    tcf_pair_history_close(m);
    return good;
}

// Compares counts of runs of random sets with direct counts.
static void test_membership(void) {
    enum { FRAMES = 230, POSSIBLE = 70, LAGS = 40 };
    static const int lengths[] = {150, 1, 20, 59, 0};
    static double x[FRAMES][POSSIBLE];
    struct tcf_pair_history *m;
    struct tcf_pair_history *h;
    bool good =
             !tcf_pair_history_open(&m, LAGS - 1, TCF_ALL, &err) && !tcf_pair_history_open(&h, LAGS - 1, TCF_ALL, &err),
         same = true;
    for (int t = 0; t < FRAMES; t++)
        for (int i = 0; i < POSSIBLE; i++) x[t][i] = t && uniform() < 0.9 ? x[t - 1][i] : uniform() < 0.3;
    for (int r = 0, t = 0; good && lengths[r]; r++) {
        for (int k = 0; k < lengths[r]; k++, t++) {
            good = good && !add_members(m, x[t], POSSIBLE);
            for (uint32_t i = 0; i < 2 * POSSIBLE; i++) // each pair is found twice
                if (x[t][i / 2] != 0) good = good && !tcf_pair_history_add(h, i / 2, 7, &err);
            good = good && !tcf_pair_history_end_frame(h, &err);
        }
        good = good && !tcf_pair_history_break(m, &err) && !tcf_pair_history_break(h, &err);
    }
    good = good && !tcf_pair_history_finish(m, &err) && !tcf_pair_history_finish(h, &err);
    const struct tcf_records *records = good ? tcf_pair_history_records(m) : NULL;
    for (int k = 0; good && k < LAGS; k++) {
        double there = 0, stayed = 0, starts = 0;
        for (int r = 0, t = 0; lengths[r]; t += lengths[r++])
            for (int s = t; s + k < t + lengths[r]; s++)
                for (int i = 0; i < POSSIBLE; i++) {
                    bool all = true;
                    for (int u = s; u <= s + k; u++) all = all && x[u][i];
                    starts += x[s][i];
                    there += x[s][i] && x[s + k][i];
                    stayed += all;
                }
        good = records->number[k] == starts && records->total[k] == there && records->total[LAGS + k] == stayed;
    }
    ok(good, "members that are left, in the later frame and in all frames up to it: direct counts, without gaps");
    const struct tcf_records *other = good ? tcf_pair_history_records(h) : NULL;
    same = good && other->count == records->count &&
           !memcmp(other->total, records->total, TCF_SET_PARTS * LAGS * sizeof *other->total) &&
           !memcmp(other->number, records->number, LAGS * sizeof *other->number);
    ok(same, "pairs that are left: the same counts");
    ok(starts_match(), "parts of a run of sets: the bytes of the whole run");
    tcf_pair_history_close(m);
    tcf_pair_history_close(h);
}

static void test_far(void) {
    static const size_t count = 1;
    const struct tcf_correlator_setup setup = {1, &count, true, 4, TCF_ALL, 1};
    struct tcf_correlator *c;
    bool good = !tcf_correlator_open(&c, &setup, &err);
    for (int t = 0; good && t < 50; t++) {
        const double x = 1e7 + 0.001 * t;
        good = !tcf_correlator_add(c, &x, &err);
    }
    good = good && !tcf_correlator_finish(c, &err);
    const struct tcf_records *r = tcf_correlator_records(c);
    for (size_t k = 0; k < 5; k++) good = good && fabs(r->total[k] / r->number[k] - 1e-6 * (double)(k * k)) <= 1e-11;
    ok(good, "small steps far away from 0 lose no digits");
    tcf_correlator_close(c);
}

static void test_kernels(void) {
    enum { N = 64, NUMBERS = N * TCF_LANES, BLOCKS = 3, ROW = 2 * TCF_LANES * BLOCKS, LATER = 4 };
    static double in[2][NUMBERS], out[2][2][NUMBERS], back[2][2][NUMBERS], sum[2][2 * TCF_LANES * LATER], cosine[N / 2],
        sine[N / 2];
    bool good = true, any = false;
    for (int t = 0; t < N / 2; t++) {
        cosine[t] = cos(2 * 3.14159265358979323846 * t / N);
        sine[t] = sin(2 * 3.14159265358979323846 * t / N);
    }
    for (int i = 0; i < NUMBERS; i++) in[0][i] = normal(), in[1][i] = normal();
    const struct tcf_kernel *const kernels[] = {
        &tcf_kernel_plain,
#ifdef __x86_64__
        trj_isa_can_run(TRJ_ISA_AVX2) ? &tcf_kernel_avx2 : NULL,
        trj_isa_can_run(TRJ_ISA_AVX512) ? &tcf_kernel_avx512 : NULL,
#endif
    };
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        if (!kernels[k]) continue;
        any = any || k;
        memcpy(out[!!k], in, sizeof in);
        kernels[k]->transform(out[!!k][0], out[!!k][1], N, cosine, sine);
        memcpy(back[!!k], out[!!k], sizeof out[0]);
        kernels[k]->transform_back(back[!!k][0], back[!!k][1], N, cosine, sine);
        for (int i = 0; i < 2 * TCF_LANES * LATER; i++) sum[!!k][i] = i;
        kernels[k]->multiply(sum[!!k], in[0], in[1], LATER, BLOCKS);
        good = good && (!k || (!memcmp(out[0], out[1], sizeof out[0]) && !memcmp(sum[0], sum[1], sizeof sum[0]) &&
                               !memcmp(back[0], back[1], sizeof back[0])));
    }
    ok(good, "kernels of all instruction sets: the same bytes%s", any ? "" : " (only one here)");
    // The place of frequency f has the bits of f in reverse order.
    for (int f = 0; f < N; f++) {
        int place = 0;
        double re = 0, im = 0;
        for (int bit = 0; bit < 6; bit++) place |= (f >> bit & 1) << (5 - bit);
        for (int t = 0; t < N; t++) {
            const double angle = -2 * 3.14159265358979323846 * f * t / N;
            re += in[0][t * TCF_LANES] * cos(angle) - in[1][t * TCF_LANES] * sin(angle);
            im += in[1][t * TCF_LANES] * cos(angle) + in[0][t * TCF_LANES] * sin(angle);
        }
        good =
            good && fabs(out[0][0][place * TCF_LANES] - re) < 1e-12 && fabs(out[0][1][place * TCF_LANES] - im) < 1e-12;
    }
    ok(good, "transforms: as direct sums");
    good = true;
    for (int i = 0; i < NUMBERS; i++)
        good = good && fabs(back[0][0][i] / N - in[0][i]) < 1e-14 && fabs(back[0][1][i] / N - in[1][i]) < 1e-14;
    ok(good, "transforms back: the series");
    good = true;
    for (int j = 0; j < LATER; j++)
        for (int i = 0; i < TCF_LANES; i++) {
            const int at = 2 * j * TCF_LANES + i;
            double re = at, im = at + TCF_LANES;
            for (int k = 0; i < TCF_STARTS && k < ROW; k++) {
                if (k / TCF_LANES % 2) continue;
                const double *a = in[0] + i * ROW + k, *b = in[1] + j * ROW + k;
                re += a[0] * b[0] + a[TCF_LANES] * b[TCF_LANES];
                im += a[0] * b[TCF_LANES] - a[TCF_LANES] * b[0];
            }
            good = good && fabs(sum[0][at] - re) < 1e-12 && fabs(sum[0][at + TCF_LANES] - im) < 1e-12;
        }
    ok(good, "products of transforms: as direct sums; sums of other chunks remain");
}

// ------------------------------------------------------------------------------------------------------------ coverage

struct slope {
    size_t lags, first, last;
};

// The slope of the line through lags first to last, and the value at lag `first`.
static void evaluate(const void *arg, const double *sum, const double *pairs, double *out) {
    const struct slope *s = arg;
    const double middle = (double)(s->first + s->last) / 2;
    double xx = 0, xy = 0;
    for (size_t k = s->first; k <= s->last; k++) {
        xx += ((double)k - middle) * ((double)k - middle);
        xy += ((double)k - middle) * sum[k] / pairs[k];
    }
    out[0] = xy / xx;
    out[1] = sum[s->first] / pairs[s->first];
}

struct coverage {
    double inside[2], known[2], ratio[2]; // shares; mean of error^2 / mean of (value - truth)^2
};

// Of random walks with steps of variance 1, or of processes x' = a x + noise with variance 1.
static struct coverage cover(double a, size_t numbers, size_t frames, struct slope s, const double truth[2],
                             int trials) {
    const struct tcf_correlator_setup setup = {1, &numbers, a == 1, s.lags - 1, TCF_ALL, 1};
    struct coverage c = {.ratio = {0}};
    double squares[2] = {0}, errors[2] = {0}, x[16];
    for (int trial = 0; trial < trials; trial++) {
        const size_t longest[2] = {s.last, s.first};
        const struct tcf_estimator e = {2, evaluate, &s, longest};
        struct tcf_correlator *correlator;
        struct tcf_value v[2];
        bool good = !tcf_correlator_open(&correlator, &setup, &err);
        for (size_t i = 0; i < numbers; i++) x[i] = normal();
        for (size_t t = 0; good && t < frames; t++) {
            for (size_t i = 0; i < numbers; i++) x[i] = a * x[i] + (a == 1 ? 1 : sqrt(1 - a * a)) * normal();
            good = !tcf_correlator_add(correlator, x, &err);
        }
        good = good && !tcf_correlator_finish(correlator, &err) &&
               !tcf_estimate(tcf_correlator_records(correlator), &e, v, &err);
        tcf_correlator_close(correlator);
        for (int k = 0; good && k < 2; k++) {
            const double off = v[k].value / (double)numbers - truth[k];
            if (isnan(v[k].error)) continue;
            c.known[k]++;
            c.inside[k] += fabs(off) <= tcf_half_width(&v[k]) / (double)numbers;
            squares[k] += off * off;
            errors[k] += v[k].error * v[k].error / (double)numbers / (double)numbers;
        }
    }
    for (int k = 0; k < 2; k++) {
        c.inside[k] /= c.known[k];
        c.ratio[k] = errors[k] / squares[k];
        c.known[k] /= trials;
    }
    return c;
}

static void test_coverage(void) {
    const double walk[2] = {1, 10}, memory[2] = {0, exp(-2)};
    const struct slope line = {41, 10, 40}, decay = {31, 10, 30};
    struct coverage c = cover(1, 3, 4000, line, walk, 400);
    printf("# walks: slope %.3f of %.3f known, ratio %.3f; value %.3f of %.3f, %.3f\n", c.inside[0], c.known[0],
           c.ratio[0], c.inside[1], c.known[1], c.ratio[1]);
    ok(c.inside[0] > 0.92 && c.inside[0] < 0.98 && c.inside[1] > 0.92 && c.inside[1] < 0.98 && c.known[0] > 0.99,
       "random walks: intervals of 95 %% contain the slope and the mean square displacement");
    c = cover(exp(-0.2), 3, 4000, decay, memory, 400);
    printf("# decay: value %.3f of %.3f known, ratio %.3f\n", c.inside[1], c.known[1], c.ratio[1]);
    ok(c.inside[1] > 0.92 && c.inside[1] < 0.98 && c.known[1] > 0.99,
       "Ornstein-Uhlenbeck processes: intervals of 95 %% contain the correlation");
}

// Of independent frames, 64 records of equal length are independent blocks: Student's t for 63 degrees of freedom.
static void test_half_width(void) {
    enum { FRAMES = 4096 };
    static const size_t count = 1;
    const struct tcf_correlator_setup setup = {1, &count, false, 1, TCF_ALL, 1};
    const struct slope s = {2, 0, 1};
    const size_t longest[2] = {0, 0};
    const struct tcf_estimator e = {2, evaluate, &s, longest};
    struct tcf_correlator *c;
    struct tcf_value v[2] = {{0, NAN, NAN}, {0, NAN, NAN}};
    bool good = !tcf_correlator_open(&c, &setup, &err);
    for (int t = 0; good && t < FRAMES; t++) {
        const double x = normal();
        good = !tcf_correlator_add(c, &x, &err);
    }
    good = good && !tcf_correlator_finish(c, &err) && !tcf_estimate(tcf_correlator_records(c), &e, v, &err);
    const double t = tcf_half_width(&v[1]) / v[1].error;
    printf("# %.9g degrees of freedom, t = %.9g\n", v[1].freedom, t);
    ok(good && fabs(v[1].freedom - 63) < 1e-9 && fabs(t - 1.998340543) < 1e-8,
       "half-width of an interval: Student's t for the number of independent blocks");
    tcf_correlator_close(c);
}

int main(void) {
    test_sums();
    test_records();
    test_parts();
    test_wide();
    test_membership();
    test_far();
    test_kernels();
    test_half_width();
    test_coverage();
    return done();
}
