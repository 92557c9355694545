// SPDX-License-Identifier: MIT
// Stores frame numbers as arithmetic progressions, so that overlaps of records are found without lists of all frames.
#include "frame_runs.h"

#include <stdlib.h>

#include "memory.h"

int trj_frame_runs_add(struct trj_frame_run **runs, size_t *count, uint32_t source, uint64_t index,
                       struct trj_error *err) {
    struct trj_frame_run *last = *count ? &(*runs)[*count - 1] : NULL;
    if (last && last->source == source && index > trj_frame_run_last(last)) {
        if (last->count == 1) last->step = index - last->first;
        if (index == last->first + last->count * last->step) {
            last->count++;
            return 0;
        }
    }
    if (last && last->count == 1) last->step = 1;
    size_t capacity = *count;
    if (trj_grow(runs, &capacity, capacity + 1, sizeof **runs, "frame ranges", err)) return -1;
    (*runs)[(*count)++] = (struct trj_frame_run){source, index, 1, 1};
    return 0;
}

void trj_frame_runs_put(struct trj_bytes *b, const struct trj_frame_run *runs, size_t count) {
    trj_put_u64(b, count);
    for (size_t i = 0; i < count; i++) {
        trj_put_u64(b, runs[i].source);
        trj_put_u64(b, runs[i].first);
        trj_put_u64(b, runs[i].step);
        trj_put_u64(b, runs[i].count);
    }
}

static bool is_valid(const struct trj_frame_run *run) {
    uint64_t span;
    return run->count && run->step && !__builtin_mul_overflow(run->count - 1, run->step, &span) &&
           span <= UINT64_MAX - run->first;
}

int trj_frame_runs_get(struct trj_cursor *c, struct trj_frame_run **runs, size_t *count, const uint32_t *source,
                       size_t sources, uint64_t frames, struct trj_error *err) {
    enum { STORED = 4 * sizeof(uint64_t) };
    uint64_t n = trj_get_u64(c), covered = 0;
    if (n > trj_cursor_left(c) / STORED) return trj_fail(err, TRJ_BAD_DATA, "invalid number of frames or frame ranges");
    if (!(*runs = trj_alloc(n, sizeof **runs, "frame ranges", err))) return -1;
    *count = n;
    for (uint64_t i = 0; i < n; i++) {
        struct trj_frame_run *run = &(*runs)[i];
        uint64_t number = trj_get_u64(c);
        run->first = trj_get_u64(c);
        run->step = trj_get_u64(c);
        run->count = trj_get_u64(c);
        if (number >= sources || !is_valid(run) || __builtin_add_overflow(covered, run->count, &covered))
            return trj_fail(err, TRJ_BAD_DATA, "invalid frame range");
        run->source = source[number];
    }
    if (covered != frames) return trj_fail(err, TRJ_BAD_DATA, "frame ranges do not add up to its number of frames");
    return 0;
}

static int by_source_and_first(const void *x, const void *y) {
    const struct trj_frame_run *a = x, *b = y;
    if (a->source != b->source) return a->source < b->source ? -1 : 1;
    return a->first < b->first ? -1 : a->first > b->first;
}

// These functions return (x * y) mod m, and the inverse of x modulo m for coprime x and m.
static uint64_t multiply(uint64_t x, uint64_t y, uint64_t m) {
    return (uint64_t)((unsigned __int128)x * y % m);
}

static uint64_t invert(uint64_t x, uint64_t m) {
    uint64_t r0 = m, r1 = x % m, y0 = 0, y1 = 1 % m; // r1 == x * y1 mod m, throughout (Euclid)
    while (r1 > 1) {
        uint64_t q = r0 / r1, r = r0 % r1, t = multiply(q, y1, m), y = y0 >= t ? y0 - t : m - (t - y0);
        r0 = r1, r1 = r;
        y0 = y1, y1 = y;
    }
    return y1;
}

static uint64_t greatest_divisor(uint64_t x, uint64_t y) {
    while (y) {
        uint64_t rest = x % y;
        x = y;
        y = rest;
    }
    return x;
}

// Finds the first frame that both runs contain. With a->first <= b->first, it is b->first + k b->step with the smallest
// k >= 0 for which k b->step = a->first - b->first modulo a->step.
static bool common(const struct trj_frame_run *a, const struct trj_frame_run *b, uint64_t *frame) {
    if (a->first > b->first) {
        const struct trj_frame_run *c = a;
        a = b;
        b = c;
    }
    uint64_t divisor = greatest_divisor(a->step, b->step), m = a->step / divisor,
             remainder = (b->first - a->first) % a->step;
    if (remainder % divisor) return false;
    uint64_t need = remainder ? (a->step - remainder) / divisor : 0,
             k = multiply(need, invert(b->step / divisor, m), m);
    if (k >= b->count) return false;
    *frame = b->first + k * b->step;
    return *frame <= trj_frame_run_last(a);
}

bool trj_frame_runs_overlap(struct trj_frame_run *runs, size_t n, uint32_t *source, uint64_t *frame) {
    if (n) qsort(runs, n, sizeof *runs, by_source_and_first);
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1;
             j < n && runs[j].source == runs[i].source && runs[j].first <= trj_frame_run_last(&runs[i]); j++)
            if (common(&runs[i], &runs[j], frame)) {
                *source = runs[i].source;
                return true;
            }
    return false;
}
