// SPDX-License-Identifier: MIT
// Levels that enclose a fraction of the integral: by hand, and against sorted values.
#include "map_enclosing_level.h"

#include "tap.h"

static struct trj_error err;

static struct trj_map map_of(uint64_t n, enum trj_map_kind kind) {
    return (struct trj_map){.lattice = {.n = {n, 1, 1}, .step = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
                            .kind = kind,
                            .components = 1,
                            .quantum = kind == TRJ_MAP_QUANTA ? 0.25 : 0};
}

// Returns the level of n values; NaN after an error.
static double level_of(uint64_t n, const double *values, const char *unit, double percent) {
    struct trj_map m = map_of(n, TRJ_MAP_FLOAT64);
    char text[32];
    double level;
    snprintf(text, sizeof text, "%s", unit);
    m.unit = text;
    err = (struct trj_error){0};
    return trj_map_enclosing_level(&level, &m, values, percent, &err) ? NAN : level;
}

static void test_by_hand(void) {
    static const double four[] = {1, 4, 2, 3}, ties[] = {2, 1, 2, 1}, orbital[] = {0, 1, -2, -1};
    static const struct {
        uint64_t n;
        const double *values;
        const char *unit;
        double percent, level;
    } list[] = {
        {4, four, "A^-3", 1, 3.5},
        {4, four, "A^-3", 40, 3.5},
        {4, four, "A^-3", 40.1, 2.5},
        {4, four, "A^-3", 70, 2.5},
        {4, four, "", 90, 1.5},
        {4, four, "", 90.1, 0.5},
        {4, ties, "", 10, 1.5},
        {4, ties, "", 66, 1.5},
        {4, ties, "", 67, 0.5},
        {4, orbital, "", 50, 1.5},
        {4, orbital, "", 51, 0.5},
        {4, orbital, "bohr^-3/2", 66, 1.5},
        {4, orbital, "bohr^-3/2", 67, 0.5},
        {4, orbital, "A^-3/2", 66, 1.5},
        {1, four, "", 50, 0.5},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        double level = level_of(list[i].n, list[i].values, list[i].unit, list[i].percent);
        ok(level == list[i].level, "%zu: %g %% in '%s': level %.17g", i, list[i].percent, list[i].unit, level);
    }
    const double near[] = {1, 1 + 0x1p-52};
    ok(level_of(2, near, "", 50) == 1, "two adjacent numbers: the larger one is above the level");
    const double tiny[] = {1e-320, 3e-320, 0, 0};
    ok(level_of(4, tiny, "", 60) > 1e-320 && level_of(4, tiny, "", 60) < 3e-320, "subnormal numbers");
    static const int64_t quanta[] = {-4, 16, 8};
    struct trj_map m = map_of(3, TRJ_MAP_QUANTA);
    double level;
    ok(!trj_map_enclosing_level(&level, &m, quanta, 70, &err) && level == 1.5, "multiples of a quantum");
}

static int descending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

// The sums of whole numbers are exact.
static void test_against_sorting(void) {
    enum { N = 5000 };
    static double values[N], sorted[N];
    double total = 0, above = 0;
    unsigned long long state = 1;
    for (int i = 0; i < N; i++) {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        values[i] = sorted[i] = (double)(state >> 34) / (double)(1 << (state >> 60));
        values[i] = sorted[i] = floor(values[i]);
        if (state >> 33 & 1) values[i] = -values[i];
        total += sorted[i];
    }
    qsort(sorted, N, sizeof *sorted, descending);
    int taken = 0, bad = 0;
    for (int percent = 1; percent < 100; percent++) {
        while (100 * above < percent * total || sorted[taken] == sorted[taken - 1]) above += sorted[taken++];
        double level = level_of(N, values, "", percent);
        bad += !(level < sorted[taken - 1] && level > sorted[taken]);
    }
    ok(!bad, "99 percentages of %d values: %d differ from those of sorted values", N, bad);
}

static void test_errors(void) {
    const double unknown[] = {1, NAN}, infinite[] = {1, -INFINITY}, large[] = {1e200, 1}, none[] = {0, -0.0};
    ok(isnan(level_of(2, unknown, "", 50)) && err.status == TRJ_BAD_DATA && has_text(err.text, "mapmath --fill"), "%s",
       err.text);
    ok(isnan(level_of(2, infinite, "", 50)) && err.status == TRJ_BAD_DATA, "an infinite value");
    ok(isnan(level_of(2, large, "bohr^-3/2", 50)) && err.status == TRJ_BAD_DATA, "squares that are too large");
    ok(level_of(2, large, "", 50) == 5e199 + 0.5, "and the same values without squares");
    ok(isnan(level_of(2, none, "", 50)) && has_text(err.text, "all values are 0"), "%s", err.text);
}

int main(void) {
    test_by_hand();
    test_against_sorting();
    test_errors();
    return done();
}
