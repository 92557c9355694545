// SPDX-License-Identifier: MIT
// Divides points by recursive bisection, and computes the diameters of parts.
#include "net_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

int net_parts_start(struct net_parts *d, const struct net_points *p, size_t parts, struct trj_error *err) {
    *d = (struct net_parts){.parts = parts, .points = p->count};
    d->start = trj_alloc(parts + 1, sizeof *d->start, "parts", err);
    d->order = d->start ? trj_alloc(p->count, sizeof *d->order, "parts", err) : NULL;
    if (!d->order) return -1;
    for (size_t i = 0; i < p->count; i++) d->order[i] = (uint32_t)i;
    for (size_t i = 0; i <= parts; i++) d->start[i] = (size_t)((unsigned long long)p->count * i / parts);
    return 0;
}

void net_parts_free(struct net_parts *d) {
    free(d->start);
    free(d->order);
    *d = (struct net_parts){.parts = 0};
}

static int bisect(struct net_sorter *s, struct net_parts *d, const struct net_points *p, size_t first, size_t last,
                  struct trj_error *err) {
    unsigned dimension[NET_COORDINATES_MAX];
    uint32_t *list = d->order + d->start[first];
    const size_t count = d->start[last] - d->start[first];
    net_dimensions_by_extent(p, list, count, dimension);
    if (net_sort_snake(s, p, list, count, dimension, p->dimensions, err)) return -1;
    const size_t middle = first + (last - first) / 2;
    if (last - first < 2) return 0;
    return bisect(s, d, p, first, middle, err) || bisect(s, d, p, middle, last, err) ? -1 : 0;
}

int net_parts_bisect(struct net_parts *d, const struct net_points *p, struct trj_error *err) {
    struct net_sorter s = {.room = NULL};
    const int rc = bisect(&s, d, p, 0, d->parts, err);
    free(s.room);
    return rc;
}

// ---- diameters

// Returns the largest distance that the box of the points allows. *plain: no pair is nearer across a border.
static uint32_t box_limit(const struct net_points *p, const uint32_t *list, size_t count, bool *plain) {
    uint32_t limit = 0;
    *plain = true;
    for (unsigned k = 0; k < p->dimensions; k++) {
        int32_t low = INT32_MAX, high = INT32_MIN;
        for (size_t i = 0; i < count; i++) {
            const int32_t c = p->at[(size_t)list[i] * p->dimensions + k];
            if (c < low) low = c;
            if (c > high) high = c;
        }
        const int32_t span = high - low;
        if (span > p->length[k] / 2) *plain = false;
        limit += (uint32_t)(span < p->length[k] / 2 ? span : p->length[k] / 2);
    }
    return limit;
}

// Without a border, the diameter is the largest extent along the diagonals, of which there are 2^(dimensions - 1).
static uint32_t largest_diagonal(const struct net_points *p, const uint32_t *list, size_t count) {
    int64_t largest = 0;
    if (!p->dimensions) return 0;
    for (unsigned signs = 0; signs < 1u << (p->dimensions - 1); signs++) {
        int64_t low = INT64_MAX, high = INT64_MIN;
        for (size_t i = 0; i < count; i++) {
            const int32_t *c = p->at + (size_t)list[i] * p->dimensions;
            int64_t sum = 0;
            for (unsigned k = 0; k < p->dimensions; k++) sum += signs >> k & 1 ? -c[k] : c[k];
            if (sum < low) low = sum;
            if (sum > high) high = sum;
        }
        if (high - low > largest) largest = high - low;
    }
    return (uint32_t)largest;
}

// Finds the point farthest from the first one, and returns its largest distance to a point. In a tree, that is the
// diameter; in a dragonfly already the first of both distances is.
static uint32_t largest_in_tree(const struct net_points *p, const uint32_t *list, size_t count) {
    uint32_t from = list[0], farthest = from, largest = 0;
    for (int pass = 0; pass < 2; pass++, from = farthest)
        for (size_t i = 0; i < count; i++) {
            const uint32_t distance = net_distance(p, from, list[i]);
            if (distance <= largest) continue;
            largest = distance;
            farthest = list[i];
        }
    return largest;
}

uint32_t net_part_diameter(const struct net_points *p, const uint32_t *list, size_t count) {
    uint32_t largest = 0;
    bool plain;
    if (count < 2) return 0;
    if (p->kind != NET_LATTICE) return largest_in_tree(p, list, count);
    const uint32_t limit = box_limit(p, list, count, &plain);
    if (plain && p->dimensions <= 8) return largest_diagonal(p, list, count);
    for (size_t i = 0; i < count; i++)
        for (size_t j = i + 1; j < count; j++) {
            const uint32_t distance = net_distance(p, list[i], list[j]);
            if (distance <= largest) continue;
            largest = distance;
            if (largest == limit) return largest;
        }
    return largest;
}

static int compare_positions(const void *a, const void *b) {
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

double net_part_distances(const struct net_points *p, const uint32_t *list, size_t count, struct trj_error *err) {
    int32_t *at = trj_alloc(count, sizeof *at, "positions", err);
    uint32_t *same = at ? trj_alloc(count, sizeof *same, "positions", err) : NULL;
    double sum = 0;
    for (unsigned k = 0; same && k < p->dimensions; k++) {
        size_t positions = 0;
        for (size_t i = 0; i < count; i++) at[i] = p->at[(size_t)list[i] * p->dimensions + k];
        qsort(at, count, sizeof *at, compare_positions);
        for (size_t i = 0; i < count; i++) {
            if (!positions || at[i] != at[positions - 1]) {
                same[positions] = 0;
                at[positions++] = at[i];
            }
            same[positions - 1]++;
        }
        for (size_t i = 0; i < positions; i++)
            for (size_t j = i + 1; j < positions; j++) {
                const int32_t way = at[j] - at[i], around = p->length[k] - way;
                sum += (double)same[i] * same[j] * (way < around ? way : around);
            }
    }
    const bool failed = !same;
    free(same);
    free(at);
    return failed ? -1 : sum;
}

struct net_diameters net_parts_diameters(const struct net_parts *d, const struct net_points *p) {
    struct net_diameters result = {.mean = 0};
    uint64_t sum = 0;
    for (size_t i = 0; i < d->parts; i++) {
        const uint32_t diameter = net_part_diameter(p, d->order + d->start[i], d->start[i + 1] - d->start[i]);
        sum += diameter;
        if (diameter > result.max) result.max = diameter;
    }
    result.mean = (double)sum / (double)d->parts;
    return result;
}
