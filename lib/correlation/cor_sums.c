// SPDX-License-Identifier: MIT
// Adds products of integers in buffers of bounded length, whose sums cannot overflow, so that the loop has no branches.
#include "cor_sums.h"

#include <math.h>
#include <string.h>

#include "elementary.h"

void cor_sums_merge(struct cor_sums *to, const struct cor_sums *from) {
    to->n += from->n;
    to->x += from->x;
    to->y += from->y;
    to->xx += from->xx;
    to->yy += from->yy;
    to->xy += from->xy;
    to->entropy.x += from->entropy.x;
    to->entropy.y += from->entropy.y;
    to->entropy.log += from->entropy.log;
}

static void add_entropy(struct cor_adder *a, int64_t x, uint32_t y) {
    double p = a->x_offset + (double)x, q = a->y_offset + (double)y; // whole, below 2^53
    if (p <= 0 || q <= 0) return;
    a->sums.entropy.x += (int64_t)p;
    a->sums.entropy.y += (int64_t)q;
    a->sums.entropy.log += (cor_wide)rint(q * 0x1p16 * (trj_log(q) - trj_log(p)));
}

// A product of two uint32 is added in two halves, so that sums of COR_BUFFER products do not overflow, and compilers
// can use instructions for several products.
struct halves {
    uint64_t low, high;
};

static inline void add_product(struct halves *h, uint32_t a, uint32_t b) {
    uint64_t p = (uint64_t)a * b;
    h->low += (uint32_t)p;
    h->high += p >> 32;
}

static cor_wide joined(struct halves h) {
    return (cor_wide)h.low + ((cor_wide)h.high << 32);
}

void cor_adder_flush(struct cor_adder *a) {
    const uint32_t *x = a->x, *y = a->y;
    size_t n = a->count;
    uint64_t sum_x = 0, sum_y = 0;
    struct halves xx = {0, 0}, xy = {0, 0}, yy = {0, 0};
    for (size_t i = 0; i < n; i++) {
        sum_x += x[i];
        add_product(&xx, x[i], x[i]);
        add_product(&xy, x[i], y[i]);
    }
    a->sums.x += sum_x;
    a->sums.xx += joined(xx);
    a->sums.xy += joined(xy);
    for (size_t i = 0; a->entropy && i < n; i++) add_entropy(a, x[i], y[i]);
    a->count = 0;
    if (a->only_x) return;
    for (size_t i = 0; i < n; i++) {
        sum_y += y[i];
        add_product(&yy, y[i], y[i]);
    }
    a->sums.n += n;
    a->sums.y += sum_y;
    a->sums.yy += joined(yy);
}

void cor_adder_reset(struct cor_adder *a) {
    a->sums = (struct cor_sums){0};
    a->count = 0;
}

// Adds points whose x does not fit into uint32.
static void add_large(struct cor_adder *a, const struct cor_row *r) {
    for (size_t i = 0; i < r->n; i++) {
        int64_t x = r->x[i];
        if ((r->mask && !r->mask[i]) || (r->own && r->own[i] <= r->above)) continue;
        a->overflow = a->overflow || x >= (int64_t)1 << 43 || x <= -((int64_t)1 << 43);
        if (a->overflow) return;
        a->sums.x += x;
        a->sums.xx += (cor_wide)x * x;
        a->sums.xy += (cor_wide)x * r->y[i];
        if (a->entropy) add_entropy(a, x, r->y[i]);
        if (a->only_x) continue;
        a->sums.n++;
        a->sums.y += r->y[i];
        a->sums.yy += (cor_wide)r->y[i] * r->y[i];
    }
}

// Copies the points that are to be added, without branches, to the end of the buffer, whose capacity is enough for all.
static void add_small(struct cor_adder *a, const struct cor_row *r) {
    uint32_t *x = a->x + a->count, *y = a->y + a->count;
    size_t n = 0;
    if (!r->mask && !r->own) {
        for (size_t i = 0; i < r->n; i++) x[i] = (uint32_t)r->x[i];
        memcpy(y, r->y, r->n * sizeof *y);
        n = r->n;
    } else if (!r->own) {
        for (size_t i = 0; i < r->n; i++) x[n] = (uint32_t)r->x[i], y[n] = r->y[i], n += r->mask[i];
    } else if (!r->mask) {
        for (size_t i = 0; i < r->n; i++) x[n] = (uint32_t)r->x[i], y[n] = r->y[i], n += r->own[i] > r->above;
    } else {
        for (size_t i = 0; i < r->n; i++)
            x[n] = (uint32_t)r->x[i], y[n] = r->y[i], n += r->mask[i] & (r->own[i] > r->above);
    }
    a->count += n;
}

void cor_adder_row(struct cor_adder *a, const struct cor_row *row) {
    enum { PIECE = 256 };
    for (size_t position = 0; position < row->n; position += PIECE) {
        struct cor_row r = {.n = row->n - position < PIECE ? row->n - position : PIECE,
                            .x = row->x + position,
                            .y = row->y + position,
                            .mask = row->mask ? row->mask + position : NULL,
                            .own = row->own ? row->own + position : NULL,
                            .above = row->above};
        uint64_t bits = 0;
        for (size_t i = 0; i < r.n; i++) bits |= (uint64_t)r.x[i];
        if (bits >> 32) {
            add_large(a, &r);
            continue;
        }
        if (COR_BUFFER - a->count < r.n) cor_adder_flush(a);
        add_small(a, &r);
    }
}
