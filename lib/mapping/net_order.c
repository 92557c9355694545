// SPDX-License-Identifier: MIT
// Sorts points by coordinates with stable counting sorts, whose time is linear: the bisection sorts all points once
// for each level.
#include "net_order.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS, FEW = 24 };

static int sorter_grow(struct net_sorter *s, size_t count, struct trj_error *err) {
    return trj_grow(&s->room, &s->capacity, count, sizeof *s->room, "sorting", err);
}

static int32_t coordinate(const struct net_points *p, uint32_t i, unsigned k) {
    return p->at[(size_t)i * p->dimensions + k];
}

static bool is_before(const struct net_points *p, uint32_t i, uint32_t j, const unsigned *dimension, unsigned n) {
    for (unsigned k = 0; k < n; k++) {
        const int32_t a = coordinate(p, i, dimension[k]), b = coordinate(p, j, dimension[k]);
        if (a != b) return a < b;
    }
    return false;
}

static void sort_few(const struct net_points *p, uint32_t *list, size_t count, const unsigned *dimension, unsigned n) {
    for (size_t i = 1; i < count; i++) {
        const uint32_t moved = list[i];
        size_t j = i;
        for (; j && is_before(p, moved, list[j - 1], dimension, n); j--) list[j] = list[j - 1];
        list[j] = moved;
    }
}

static void extent(const struct net_points *p, const uint32_t *list, size_t count, unsigned k, int32_t *low,
                   int32_t *high) {
    *low = *high = count ? coordinate(p, list[0], k) : 0;
    for (size_t i = 1; i < count; i++) {
        const int32_t c = coordinate(p, list[i], k);
        if (c < *low) *low = c;
        if (c > *high) *high = c;
    }
}

static void sort_one(struct net_sorter *s, const struct net_points *p, uint32_t *list, size_t count, unsigned k) {
    size_t place[DIGITS + 1];
    int32_t low, high;
    extent(p, list, count, k, &low, &high);
    const uint32_t span = (uint32_t)(high - low);
    for (unsigned shift = 0; shift < 32 && span >> shift; shift += DIGIT_BITS) {
        const uint32_t digits = span >> shift < DIGITS ? (span >> shift) + 1 : DIGITS;
        memset(place, 0, (digits + 1) * sizeof *place);
        for (size_t i = 0; i < count; i++)
            place[((uint32_t)(coordinate(p, list[i], k) - low) >> shift & (DIGITS - 1)) + 1]++;
        for (uint32_t d = 0; d < digits; d++) place[d + 1] += place[d];
        for (size_t i = 0; i < count; i++)
            s->room[place[(uint32_t)(coordinate(p, list[i], k) - low) >> shift & (DIGITS - 1)]++] = list[i];
        memcpy(list, s->room, count * sizeof *list);
    }
}

int net_sort(struct net_sorter *s, const struct net_points *p, uint32_t *list, size_t count, const unsigned *dimension,
             unsigned n, struct trj_error *err) {
    if (count <= FEW) {
        sort_few(p, list, count, dimension, n);
        return 0;
    }
    if (sorter_grow(s, count, err)) return -1;
    for (unsigned k = n; k--;) sort_one(s, p, list, count, dimension[k]);
    return 0;
}

static void reverse(uint32_t *list, size_t count) {
    for (size_t i = 0; i < count / 2; i++) {
        const uint32_t first = list[i];
        list[i] = list[count - 1 - i];
        list[count - 1 - i] = first;
    }
}

static void turn(const struct net_points *p, uint32_t *list, size_t count, const unsigned *dimension, unsigned n) {
    if (!n || count < 2) return;
    bool odd = false;
    for (size_t from = 0, to; from < count; from = to, odd = !odd) {
        const int32_t c = coordinate(p, list[from], dimension[0]);
        for (to = from + 1; to < count && coordinate(p, list[to], dimension[0]) == c;) to++;
        turn(p, list + from, to - from, dimension + 1, n - 1);
        if (odd) reverse(list + from, to - from);
    }
}

int net_sort_snake(struct net_sorter *s, const struct net_points *p, uint32_t *list, size_t count,
                   const unsigned *dimension, unsigned n, struct trj_error *err) {
    if (net_sort(s, p, list, count, dimension, n, err)) return -1;
    if (p->kind == NET_LATTICE) turn(p, list, count, dimension, n);
    return 0;
}

void net_dimensions_by_extent(const struct net_points *p, const uint32_t *list, size_t count, unsigned *dimension) {
    int32_t span[NET_COORDINATES_MAX];
    for (unsigned k = 0; k < p->dimensions; k++) {
        int32_t low, high;
        unsigned place = k;
        extent(p, list, count, k, &low, &high);
        for (; place && p->kind == NET_LATTICE && span[place - 1] < high - low; place--) {
            span[place] = span[place - 1];
            dimension[place] = dimension[place - 1];
        }
        span[place] = high - low;
        dimension[place] = k;
    }
}

// Replaces the coordinates of a point by its place on the curve, in Skilling's transposed form: bit b of coordinate k
// is bit b * dimensions + (dimensions - 1 - k) of the place.
static void transpose_to_curve(uint32_t *c, unsigned dimensions, unsigned bits) {
    for (unsigned bit = bits - 1; bit > 0; bit--) {
        const uint32_t below = (1u << bit) - 1;
        for (unsigned k = 0; k < dimensions; k++) {
            const uint32_t exchanged = (c[0] ^ c[k]) & below;
            if (c[k] >> bit & 1) {
                c[0] ^= below;
            } else {
                c[0] ^= exchanged;
                c[k] ^= exchanged;
            }
        }
    }
    for (unsigned k = 1; k < dimensions; k++) c[k] ^= c[k - 1];
    uint32_t inverted = 0;
    for (unsigned bit = bits - 1; bit > 0; bit--)
        if (c[dimensions - 1] >> bit & 1) inverted ^= (1u << bit) - 1;
    for (unsigned k = 0; k < dimensions; k++) c[k] ^= inverted;
}

// Sorts by the places on the curve, [points][dimensions], with one counting sort for each bit, from the lowest.
static void sort_curve(struct net_sorter *s, const uint32_t *curve, unsigned dimensions, unsigned bits, uint32_t *list,
                       size_t count, size_t *place) {
    const size_t digits = (size_t)1 << dimensions;
    for (unsigned bit = 0; bit < bits; bit++) {
        memset(place, 0, (digits + 1) * sizeof *place);
        for (int pass = 0; pass < 2; pass++) {
            for (size_t i = 0; i < count; i++) {
                const uint32_t *c = curve + (size_t)list[i] * dimensions;
                size_t digit = 0;
                for (unsigned k = 0; k < dimensions; k++) digit = digit << 1 | (c[k] >> bit & 1);
                if (pass)
                    s->room[place[digit]++] = list[i];
                else
                    place[digit + 1]++;
            }
            if (!pass)
                for (size_t d = 0; d < digits; d++) place[d + 1] += place[d];
        }
        memcpy(list, s->room, count * sizeof *list);
    }
}

int net_sort_hilbert(struct net_sorter *s, const struct net_points *p, uint32_t *list, size_t count,
                     struct trj_error *err) {
    const unsigned n = p->dimensions;
    unsigned dimension[NET_COORDINATES_MAX], bits = 1;
    int32_t origin[NET_DIMENSIONS_MAX], high;
    for (unsigned k = 0; k < n; k++) dimension[k] = k;
    if (p->kind != NET_LATTICE || n < 2) return net_sort(s, p, list, count, dimension, n, err);
    for (unsigned k = 0; k < n; k++) {
        extent(p, list, count, k, &origin[k], &high);
        if (p->length[k] != NET_NO_WRAP) origin[k] = 0;
        while ((high - origin[k]) >> bits) bits++;
    }
    if (sorter_grow(s, count, err)) return -1;
    uint32_t *curve = trj_alloc(p->count * n, sizeof *curve, "the Hilbert curve", err);
    size_t *place = curve ? trj_alloc(((size_t)1 << n) + 1, sizeof *place, "sorting", err) : NULL;
    for (size_t i = 0; place && i < count; i++) {
        uint32_t *c = curve + (size_t)list[i] * n;
        for (unsigned k = 0; k < n; k++) c[k] = (uint32_t)(coordinate(p, list[i], k) - origin[k]);
        transpose_to_curve(c, n, bits);
    }
    if (place) sort_curve(s, curve, n, bits, list, count, place);
    const int rc = place ? 0 : -1;
    free(place);
    free(curve);
    return rc;
}
