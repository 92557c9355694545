// SPDX-License-Identifier: MIT
// Computes exact sums of values and of squares. A float64 is m 2^e with an integer m below 2^53. For each e, the
// integers are added in 128 bits, which is exact for 2^74 values and takes one addition for each. The total over all e
// is an integer of about 2200 bits in units of 2^-1074, which is rounded at the end.
//
// A square is added as two float64: the rounded square, and its rounding error, which is also a float64 unless the
// square is below 2^-969. The error of smaller squares has no effect on the digits of a result above 1e-280.
#include "map_statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "map_unit.h"
#include "memory.h"

__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 unsigned_wide;

enum { EXPONENTS = 2048, LIMBS = EXPONENTS / 64 + 4, BUFFER = 1024 };

// Exact sum of float64. `part[e]` is in units of 2^(e - 1074).
struct big_sum {
    wide part[EXPONENTS];
};

struct trj_map_statistics {
    const struct trj_map *map;
    uint64_t values, not_finite, min_at, max_at;
    double min, max;
    struct big_sum sum, squares;
    struct big_sum *work; // [2] for squared_deviations, which could not report a failed allocation
};

static void big_add(struct big_sum *s, double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    unsigned e = bits >> 52 & 2047;
    int64_t m = (int64_t)((bits & (((uint64_t)1 << 52) - 1)) | (uint64_t)(e > 0) << 52);
    s->part[e ? e - 1 : 0] += bits >> 63 ? -m : m;
}

// Adds a b exactly.
static void big_add_product(struct big_sum *s, double a, double b) {
    double product = a * b;
    big_add(s, product);
    big_add(s, fma(a, b, -product));
}

// Adds v 2^(64 i) to an integer in two's complement.
static void add_limbs(uint64_t limb[LIMBS], unsigned i, uint64_t low, uint64_t high, uint64_t sign) {
    unsigned_wide carry = 0;
    for (unsigned k = i; k < LIMBS; k++) {
        carry += (unsigned_wide)limb[k] + (k == i ? low : k == i + 1 ? high : sign);
        limb[k] = (uint64_t)carry;
        carry >>= 64;
    }
}

static double big_value(const struct big_sum *s) {
    uint64_t limb[LIMBS] = {0};
    for (unsigned e = 0; e < EXPONENTS; e++) {
        if (!s->part[e]) continue;
        // The shifted number can have more than 128 bits, so that its halves are shifted separately.
        unsigned_wide low = (unsigned_wide)(uint64_t)s->part[e] << e % 64;
        wide high = (s->part[e] >> 64) * ((wide)1 << e % 64);
        add_limbs(limb, e / 64, (uint64_t)low, (uint64_t)(low >> 64), 0);
        add_limbs(limb, e / 64 + 1, (uint64_t)high, (uint64_t)(high >> 64), high < 0 ? UINT64_MAX : 0);
    }
    bool negative = limb[LIMBS - 1] >> 63;
    uint64_t carry = 1;
    for (unsigned i = 0; negative && i < LIMBS; i++) {
        limb[i] = ~limb[i] + carry;
        carry = carry && !limb[i];
    }
    double value = 0; // the first two limbs that are not 0 have more bits than a float64
    for (unsigned i = LIMBS; i--;) value += ldexp((double)limb[i], 64 * (int)i - 1074);
    return negative ? -value : value;
}

struct trj_map_statistics *trj_map_statistics_open(const struct trj_map *m, struct trj_error *err) {
    struct trj_map_statistics *s = trj_alloc(1, sizeof *s, "statistics", err);
    if (!s || !(s->work = trj_alloc(2, sizeof *s->work, "statistics", err))) {
        free(s);
        return NULL;
    }
    s->map = m;
    s->min = INFINITY;
    s->max = -INFINITY;
    return s;
}

static void add_value(struct trj_map_statistics *s, double x) {
    uint64_t number = s->values + s->not_finite;
    if (!isfinite(x)) {
        s->not_finite++;
        return;
    }
    s->values++;
    if (x < s->min) {
        s->min = x;
        s->min_at = number;
    }
    if (x > s->max) {
        s->max = x;
        s->max_at = number;
    }
    big_add(&s->sum, x);
    // The square of a larger number is infinite.
    if (fabs(x) < 0x1p511) big_add_product(&s->squares, x, x);
}

void trj_map_statistics_add(struct trj_map_statistics *s, const void *values, size_t n) {
    double real[BUFFER];
    const unsigned char *next = values;
    for (size_t some; n; n -= some, next += some * trj_map_value_size(s->map->kind)) {
        some = n < BUFFER ? n : BUFFER;
        trj_map_to_real(s->map, next, some, real);
        for (size_t i = 0; i < some; i++) add_value(s, real[i]);
    }
}

// Returns the sum of (x - mean)^2 = Q - 2 mean S + n mean^2, in which everything is exact but the last rounding, so
// that no digits are lost by the subtraction.
static double squared_deviations(const struct trj_map_statistics *s, double mean) {
    struct big_sum *total = s->work, *rest = s->work + 1;
    *total = s->squares;
    *rest = s->sum;
    for (int i = 0; i < 4; i++) { // S as a sum of float64
        double part = big_value(rest);
        big_add(rest, -part);
        big_add_product(total, -2 * mean, part);
    }
    double square = mean * mean, error = fma(mean, mean, -square);
    big_add_product(total, (double)s->values, square);
    big_add_product(total, (double)s->values, error);
    double value = big_value(total);
    return value > 0 ? value : 0;
}

struct trj_map_summary trj_map_statistics_summary(const struct trj_map_statistics *s) {
    struct trj_map_summary r = {
        .values = s->values, .not_finite = s->not_finite, .min = NAN, .max = NAN, .mean = NAN, .sigma = NAN};
    if (!s->values) return r;
    r.min = s->min;
    r.max = s->max;
    r.min_at = s->min_at;
    r.max_at = s->max_at;
    r.sum = big_value(&s->sum);
    r.mean = r.sum / (double)s->values;
    const char *name;
    double length = trj_map_unit_length(s->map->unit, &name), voxel = trj_map_lattice_voxel(&s->map->lattice);
    r.integral = s->map->meaning == TRJ_MAP_TOTALS ? r.sum : r.sum * (voxel / (length * length * length));
    bool squares = fmax(fabs(r.min), fabs(r.max)) < 0x1p511;
    r.sigma = squares ? sqrt(squared_deviations(s, r.mean) / (double)s->values) : NAN;
    return r;
}

void trj_map_statistics_close(struct trj_map_statistics *s) {
    if (s) free(s->work);
    free(s);
}
