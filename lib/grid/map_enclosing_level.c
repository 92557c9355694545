// SPDX-License-Identifier: MIT
// Selects the value at a fraction of the integral by the bits of the values, 16 at a time, because sorting would need a
// copy of the map. Absolute values of float64 have the same order as their bits.
#include "map_enclosing_level.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "map_unit.h"
#include "memory.h"

enum { STEP = 16, BUCKETS = 1 << STEP, BUFFER = 1024, BITS = 64 };

// An unevaluated sum of two float64.
struct twofold {
    double high, low;
};

// D. E. Knuth, The Art of Computer Programming, vol. 2, section 4.2.2, theorem B.
static struct twofold two_sum(double a, double b) {
    double s = a + b, t = s - a;
    return (struct twofold){s, (a - (s - t)) + (b - t)};
}

static struct twofold add(struct twofold a, struct twofold b) {
    struct twofold s = two_sum(a.high, b.high);
    return two_sum(s.high, s.low + (a.low + b.low));
}

static struct twofold times(double a, struct twofold b) {
    double p = a * b.high;
    return two_sum(p, fma(a, b.high, -p) + a * b.low);
}

static bool at_least(struct twofold a, struct twofold b) {
    struct twofold d = add(a, (struct twofold){-b.high, -b.low});
    return d.high > 0 || (!(d.high < 0) && d.low >= 0);
}

struct selection {
    const struct trj_map *map;
    const unsigned char *values;
    uint64_t count;
    bool squares;
    unsigned shift;         // of the bits that the current pass decides
    uint64_t prefix;        // the bits above them
    struct twofold *bucket; // [BUCKETS] weights of the values with these bits, and this prefix above them
    struct twofold total, above;
    double next; // largest absolute value below the selected one
};

bool trj_map_has_square_weights(const struct trj_map *m) {
    struct trj_map_unit unit = trj_map_unit_parse(m->unit);
    return trj_map_unit_is_of_orbital(&unit);
}

static uint64_t bits_of(double v) {
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

static struct twofold weight_of(const struct selection *s, double v) {
    double square = v * v;
    return s->squares ? (struct twofold){square, fma(v, v, -square)} : (struct twofold){v, 0};
}

// Calls `take` with each absolute value.
static void pass(struct selection *s, void (*take)(struct selection *s, double v)) {
    double real[BUFFER];
    size_t size = trj_map_value_size(s->map->kind), some;
    for (uint64_t i = 0; i < s->count; i += some) {
        some = s->count - i < BUFFER ? s->count - i : BUFFER;
        trj_map_to_real(s->map, s->values + i * size, some, real);
        for (size_t k = 0; k < some; k++) take(s, fabs(real[k]));
    }
}

static void take_all(struct selection *s, double v) {
    s->total = add(s->total, weight_of(s, v));
}

static void take_bucket(struct selection *s, double v) {
    uint64_t bits = bits_of(v);
    if (s->shift + STEP < BITS && bits >> (s->shift + STEP) != s->prefix) return;
    struct twofold *b = &s->bucket[bits >> s->shift & (BUCKETS - 1)];
    *b = add(*b, weight_of(s, v));
}

static void take_next(struct selection *s, double v) {
    if (bits_of(v) < s->prefix && v > s->next) s->next = v;
}

// Selects the bits of one pass: descends through the buckets while the weights above, and those in them, are too small.
// Rounding cannot exhaust the buckets: the last one with a weight is then the one that is selected.
static void select_bits(struct selection *s, double percent) {
    uint64_t selected = 0;
    memset(s->bucket, 0, BUCKETS * sizeof *s->bucket);
    pass(s, take_bucket);
    struct twofold above = s->above, want = times(percent, s->total);
    for (size_t b = BUCKETS; b-- > 0;) {
        if (!(s->bucket[b].high > 0)) continue;
        selected = b;
        s->above = above;
        above = add(above, s->bucket[b]);
        if (at_least(times(100, above), want)) break;
    }
    s->prefix = s->prefix << STEP | selected;
}

int trj_map_enclosing_level(double *level, const struct trj_map *m, const void *values, double percent,
                            struct trj_error *err) {
    struct selection s = {.map = m,
                          .values = values,
                          .count = trj_map_lattice_points(&m->lattice) * m->components,
                          .squares = trj_map_has_square_weights(m)};
    pass(&s, take_all);
    if (!isfinite(s.total.high))
        return trj_fail(err, TRJ_BAD_DATA,
                        "no fraction of the integral: a value is unknown or infinite, or the integral is; replace such "
                        "values with mapmath --fill, or give a level in the unit of the map");
    if (!(s.total.high > 0))
        return trj_fail(err, TRJ_BAD_DATA, "no fraction of the integral: all values are 0; give a number as the level");
    if (!(s.bucket = trj_alloc(BUCKETS, sizeof *s.bucket, "a level", err))) return -1;
    for (s.shift = BITS; s.shift;) {
        s.shift -= STEP;
        select_bits(&s, percent);
    }
    free(s.bucket);
    pass(&s, take_next);
    double last;
    memcpy(&last, &s.prefix, sizeof last);
    *level = s.next + (last - s.next) / 2;
    if (!(*level < last)) *level = s.next;
    return 0;
}
