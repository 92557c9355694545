// SPDX-License-Identifier: MIT
// Exact sums of positions and integers of 128 bits: fluctuations compared with those in long double, and sums over
// segments of any lengths with those over all frames.
#include "position_sums.h"
#include "sums.h"
#include "tap.h"
#include "uniform.h"
#include "wide.h"

enum { FRAMES = 200, SUMS = 4 };

static bool reads(const char *text, bool valid) {
    char again[TRJ_WIDE_CAPACITY];
    trj_wide v = 0;
    if (trj_wide_parse(text, &v) != valid) return false;
    if (valid) trj_wide_print(again, v);
    return !valid || !strcmp(text, again);
}

// Sums frames [from, to) of a position that fluctuates by `width` about `centre`.
static bool sum_frames(trj_wide sum[SUMS], double (*x)[3], size_t from, size_t to) {
    struct obs_exact_positions p = {.count = 0};
    struct trj_error err;
    bool good = !obs_exact_positions_open(&p, 1, &err);
    for (size_t t = from; good && t < to; t++) good = !obs_exact_positions_add(&p, 0, x[t], &err);
    good = good && !obs_exact_positions_sums(sum, &p, 0, to - from, &err);
    obs_exact_positions_free(&p);
    return good;
}

static double fluctuation(double (*x)[3]) {
    long double square = 0;
    for (int k = 0; k < 3; k++) {
        long double mean = 0;
        for (int t = 0; t < FRAMES; t++) mean += (long double)x[t][k] / FRAMES;
        for (int t = 0; t < FRAMES; t++) square += (x[t][k] - mean) * (x[t][k] - mean) / FRAMES;
    }
    return (double)sqrtl(square);
}

static void test_fluctuations(double centre, double width) {
    const struct obs_sum_kind *kind = &obs_fluctuation_sums;
    double x[FRAMES][3], value[2];
    trj_wide all[SUMS], sum[SUMS], part[SUMS];
    bool good = true;
    for (int t = 0; t < FRAMES; t++)
        for (int k = 0; k < 3; k++) x[t][k] = centre + width * (uniform() - 0.5);
    good = sum_frames(all, x, 0, FRAMES);
    kind->evaluate(value, all, FRAMES);
    double want = fluctuation(x);
    ok(good && fabs(value[0] - want) <= 1e-12 * want + 1e-11, "fluctuation %g about %g: %.15g, in long double %.15g",
       width, centre, value[0], want);
    for (int i = 0; good && i < 100; i++) {
        size_t to = 1 + (size_t)(uniform() * 20), from = 0;
        good = sum_frames(sum, x, 0, to);
        for (from = to; good && from < FRAMES; from = to) {
            to = from + 1 + (size_t)(uniform() * 90);
            if (to > FRAMES) to = FRAMES;
            good = sum_frames(part, x, from, to) && kind->is_valid(part, to - from) &&
                   kind->add(sum, from, part, to - from);
        }
        good = good && !memcmp(sum, all, sizeof sum);
    }
    ok(good, "fluctuation %g about %g: any segments give the same sums", width, centre);
}

int main(void) {
    ok(reads("0", true) && reads("-1", true) && reads("170141183460469231731687303715884105727", true) &&
           reads("-170141183460469231731687303715884105728", true),
       "wide integers: the smallest and the largest are read as they are written");
    ok(reads("170141183460469231731687303715884105728", false) &&
           reads("-170141183460469231731687303715884105729", false) && reads("", false) && reads("-", false) &&
           reads("-0", false) && reads("01", false) && reads("+1", false) && reads(" 1", false) &&
           reads("1e5", false) && reads("1.0", false) && reads("0x1", false) &&
           reads("99999999999999999999999999999999999999999", false),
       "wide integers: other text is rejected");
    ok(trj_wide_floor(7, 2) == 3 && trj_wide_floor(-7, 2) == -4 && trj_wide_floor(-8, 2) == -4 &&
           trj_wide_floor(0, 3) == 0,
       "wide integers: quotients are rounded down");
    test_fluctuations(0, 1);
    test_fluctuations(-31.7, 0.01);
    test_fluctuations(6e7, 1);
    test_fluctuations(1e4, 2e6);
    test_fluctuations(12.5, 0);

    struct obs_exact_positions p = {.count = 0};
    struct trj_error err;
    const double far[3] = {7e7, 0, 0}, not_finite[3] = {0, NAN, 0}, left[3] = {-5e7, 0, 0}, right[3] = {5e7, 0, 0};
    bool good = !obs_exact_positions_open(&p, 2, &err);
    ok(good && obs_exact_positions_add(&p, 0, far, &err) && obs_exact_positions_add(&p, 0, not_finite, &err) &&
           !obs_exact_positions_add(&p, 1, left, &err) && obs_exact_positions_add(&p, 1, right, &err),
       "positions, and displacements, beyond the range are rejected");
    obs_exact_positions_free(&p);

    // Sums of damaged tables, which fit together with none
    const trj_wide huge = (trj_wide)1 << 123;
    const trj_wide low[SUMS] = {-((trj_wide)1 << 80), 0, 0, huge}, high[SUMS] = {(trj_wide)1 << 80, 0, 0, huge};
    trj_wide sum[SUMS];
    memcpy(sum, low, sizeof sum);
    ok(obs_fluctuation_sums.is_valid(low, UINT64_C(1) << 20) && !obs_fluctuation_sums.is_valid(low, 1) &&
           !obs_fluctuation_sums.add(sum, 1 << 17, high, 1 << 17),
       "sums that overflow are rejected");
    return done();
}
