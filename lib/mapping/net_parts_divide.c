// SPDX-License-Identifier: MIT
// Divides points by a named method, and by the best of all methods.
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "net_parts.h"

// Work of `best`, in computed distances, of which a core does about 1e8 in a second: 16,384 hosts take less than 0.1 s.
enum { EXCHANGE_WORK = 1600000, EXCHANGE_PER_POINT = 60, SWAP_WORK = 1600000, SWAP_PER_POINT = 100 };
enum { EXCHANGE_SQUARINGS = 2, SWAP_SQUARINGS = 3 };
enum { POLISHED = 64 }; // largest number of points of which all swaps are tried

// ---- trees

struct packer {
    struct net_parts *d;
    const struct net_points *p;
    const uint32_t *sorted;
    uint32_t *rest;       // points without a part
    size_t count, filled; // of `rest`; points in parts
    size_t part;
};

static void pack(struct packer *k, size_t from, size_t to, unsigned level) {
    const size_t before = k->count;
    if (level == k->p->dimensions) {
        for (size_t i = from; i < to; i++) k->rest[k->count++] = k->sorted[i];
    } else {
        for (size_t end; from < to; from = end) {
            const int32_t c = k->p->at[(size_t)k->sorted[from] * k->p->dimensions + level];
            end = from + 1;
            while (end < to && k->p->at[(size_t)k->sorted[end] * k->p->dimensions + level] == c) end++;
            pack(k, from, end, level + 1);
        }
    }
    size_t taken = before;
    while (k->part < k->d->parts) {
        const size_t size = k->d->start[k->part + 1] - k->d->start[k->part];
        if (k->count - taken < size) break;
        memcpy(k->d->order + k->filled, k->rest + taken, size * sizeof *k->rest);
        k->filled += size;
        taken += size;
        k->part++;
    }
    memmove(k->rest + before, k->rest + taken, (k->count - taken) * sizeof *k->rest);
    k->count -= taken - before;
}

int net_parts_pack(struct net_parts *d, const struct net_points *p, struct trj_error *err) {
    struct net_sorter s = {.room = NULL};
    struct packer k = {.d = d, .p = p};
    uint32_t *sorted = trj_alloc(d->points, sizeof *sorted, "hosts", err);
    k.rest = sorted ? trj_alloc(d->points, sizeof *k.rest, "hosts", err) : NULL;
    k.sorted = sorted;
    int rc = k.rest ? 0 : -1;
    if (!rc) {
        memcpy(sorted, d->order, d->points * sizeof *sorted);
        rc = net_sort_hilbert(&s, p, sorted, d->points, err);
    }
    if (!rc) pack(&k, 0, d->points, 0);
    free(s.room);
    free(k.rest);
    free(sorted);
    return rc;
}

// ---- the best method

// Sorts the points of each part along the Hilbert curve of the network.
static int sort_parts(struct net_parts *d, const struct net_points *p, struct trj_error *err) {
    struct net_sorter s = {.room = NULL};
    uint32_t *curve = trj_alloc(d->points, sizeof *curve, "points", err);
    uint32_t *part = curve ? trj_alloc(d->points, sizeof *part, "points", err) : NULL;
    size_t *next = part ? trj_alloc(d->parts, sizeof *next, "parts", err) : NULL;
    int rc = next ? 0 : -1;
    if (!rc) {
        memcpy(next, d->start, d->parts * sizeof *next);
        for (size_t k = 0; k < d->parts; k++)
            for (size_t i = d->start[k]; i < d->start[k + 1]; i++) part[d->order[i]] = (uint32_t)k;
        for (size_t i = 0; i < d->points; i++) curve[i] = (uint32_t)i;
        rc = net_sort_hilbert(&s, p, curve, d->points, err);
    }
    for (size_t i = 0; !rc && i < d->points; i++) d->order[next[part[curve[i]]]++] = curve[i];
    free(s.room);
    free(next);
    free(part);
    free(curve);
    return rc;
}

// Only a Hilbert curve uses the origin of the network: that of its own coordinates is the order of hosts on many
// machines.
static int divide_by(struct net_parts *d, struct net_points *p, enum net_method method, struct trj_error *err) {
    struct net_sorter s = {.room = NULL};
    uint64_t work = UINT64_MAX;
    int rc = method == NET_HILBERT ? 0 : net_points_shift(p, err);
    if (rc) return rc;
    for (size_t i = 0; i < d->points; i++) d->order[i] = (uint32_t)i;
    switch (method) {
    case NET_GIVEN:
        break;
    case NET_BISECT:
        rc = net_parts_bisect(d, p, err);
        break;
    case NET_HILBERT:
        rc = net_sort_hilbert(&s, p, d->order, d->points, err);
        break;
    case NET_PACK:
        rc = net_parts_pack(d, p, err);
        break;
    case NET_KMEANS:
        if (net_parts_bisect(d, p, err) || net_parts_exchange(d, p, EXCHANGE_SQUARINGS, &work, err) ||
            sort_parts(d, p, err))
            rc = -1;
        break;
    case NET_BEST:
    case NET_WHOLE:
        break;
    }
    free(s.room);
    return rc;
}

// Returns the sum of the squared diameters, or of all distances. -1: no memory.
static double score(const struct net_parts *d, const struct net_points *p, bool hops, struct trj_error *err) {
    double sum = 0;
    for (size_t i = 0; i < d->parts; i++) {
        const uint32_t *list = d->order + d->start[i];
        const size_t count = d->start[i + 1] - d->start[i];
        const double value = hops ? net_part_distances(p, list, count, err) : net_part_diameter(p, list, count);
        if (value < 0) return -1;
        sum += hops ? value : value * value;
    }
    return sum;
}

struct choice {
    struct net_parts *d;
    struct net_points *p;
    bool hops;
    uint32_t *order; // [points] of the best parts so far
    double score;    // less than 0: none yet
};

// Keeps the parts if they are the best so far. 1: they are; 0; -1
static int keep_better(struct choice *best, struct trj_error *err) {
    const double now = score(best->d, best->p, best->hops, err);
    if (now < 0) return -1;
    if (best->score >= 0 && now >= best->score) return 0;
    best->score = now;
    memcpy(best->order, best->d->order, best->d->points * sizeof *best->order);
    return 1;
}

static double square(double x) {
    return x * x;
}

// Swaps two points of different parts while this reduces the sum of the squared diameters. All pairs are tried, so that
// this is for few points.
static void polish(struct net_parts *d, const struct net_points *p) {
    bool any = true;
    while (any) {
        any = false;
        for (size_t a = 0; a < d->parts; a++)
            for (size_t b = a + 1; b < d->parts; b++)
                for (size_t i = d->start[a]; i < d->start[a + 1]; i++)
                    for (size_t j = d->start[b]; j < d->start[b + 1]; j++) {
                        uint32_t *first = d->order + d->start[a], *second = d->order + d->start[b];
                        const size_t count = d->start[a + 1] - d->start[a], others = d->start[b + 1] - d->start[b];
                        const uint32_t moved = d->order[i];
                        const double before =
                            square(net_part_diameter(p, first, count)) + square(net_part_diameter(p, second, others));
                        d->order[i] = d->order[j];
                        d->order[j] = moved;
                        if (square(net_part_diameter(p, first, count)) + square(net_part_diameter(p, second, others)) <
                            before) {
                            any = true;
                            continue;
                        }
                        d->order[j] = d->order[i];
                        d->order[i] = moved;
                    }
    }
}

static int improve(struct choice *best, struct trj_error *err) {
    struct net_parts *d = best->d;
    const uint64_t points = d->points;
    uint64_t exchange_work = EXCHANGE_PER_POINT * points, swap_work = SWAP_PER_POINT * points;
    if (exchange_work < EXCHANGE_WORK) exchange_work = EXCHANGE_WORK;
    if (swap_work < SWAP_WORK) swap_work = SWAP_WORK;
    if (net_parts_exchange(d, best->p, best->hops ? 0 : EXCHANGE_SQUARINGS, &exchange_work, err) ||
        keep_better(best, err) < 0 || net_parts_swap(d, best->p, best->hops ? 0 : SWAP_SQUARINGS, &swap_work, err))
        return -1;
    if (!best->hops && points <= POLISHED) polish(d, best->p);
    if (keep_better(best, err) < 0) return -1;
    memcpy(d->order, best->order, d->points * sizeof *d->order);
    return sort_parts(d, best->p, err);
}

static int divide_best(struct choice *best, bool improves, enum net_method *taken, struct trj_error *err) {
    static const enum net_method of_lattice[] = {NET_HILBERT, NET_GIVEN, NET_HILBERT, NET_BISECT, NET_BEST};
    static const enum net_method of_tree[] = {NET_GIVEN, NET_PACK, NET_BISECT, NET_BEST};
    struct net_parts *d = best->d;
    const bool lattice = best->p->kind == NET_LATTICE;
    for (const enum net_method *m = lattice ? of_lattice : of_tree; *m != NET_BEST; m++) {
        if (divide_by(d, best->p, *m, err)) return -1;
        if (improves && lattice && !best->hops && d->points <= POLISHED) polish(d, best->p);
        const int kept = keep_better(best, err);
        if (kept < 0) return -1;
        if (kept) *taken = *m;
    }
    memcpy(d->order, best->order, d->points * sizeof *d->order);
    return improves && lattice && d->parts > 1 && d->points > d->parts ? improve(best, err) : 0;
}

int net_parts_divide(struct net_parts *d, struct net_points *p, size_t parts, enum net_method method, bool hops,
                     enum net_method *taken, struct trj_error *err) {
    struct choice best = {.d = d, .p = p, .hops = hops, .score = -1};
    *taken = method;
    if (net_parts_start(d, p, parts, err)) return -1;
    if (method != NET_BEST && method != NET_WHOLE) return divide_by(d, p, method, err);
    best.order = trj_alloc(d->points, sizeof *best.order, "points", err);
    const int rc = best.order ? divide_best(&best, method == NET_BEST, taken, err) : -1;
    free(best.order);
    return rc;
}
