// SPDX-License-Identifier: MIT
// Routes messages and adds up loads. Links are kept in a hash table, so that a network of any size needs memory only
// for those that are used.
#include "net_traffic.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

enum { FIRST_CAPACITY = 1 << 12 };

// Kinds of links of trees and dragonflies, in the highest bits of the id. The lowest bit is the direction.
enum { LINK_SWITCH = 0, LINK_HOST = 1, LINK_ROUTERS = 2, LINK_GROUPS = 3 };

int net_traffic_start(struct net_traffic *t, const struct net_points *p, struct trj_error *err) {
    *t = (struct net_traffic){.p = p};
    uint64_t links = 2 * p->dimensions;
    for (unsigned k = 0; k < p->dimensions && p->kind == NET_LATTICE; k++) {
        int32_t low = p->count ? p->at[k] : 0, high = low;
        for (size_t i = 0; i < p->count; i++) {
            const int32_t c = p->at[i * p->dimensions + k];
            if (c < low) low = c;
            if (c > high) high = c;
        }
        t->low[k] = p->length[k] == NET_NO_WRAP ? low : 0;
        t->size[k] = p->length[k] == NET_NO_WRAP ? (uint64_t)((int64_t)high - low + 1) : (uint64_t)p->length[k];
        if (links > ((uint64_t)1 << 56) / t->size[k])
            return trj_fail(err, TRJ_BAD_DATA, "network with more than 2^56 links; number the positions without gaps");
        links *= t->size[k];
    }
    t->capacity = FIRST_CAPACITY;
    t->link = trj_alloc(t->capacity, sizeof *t->link, "links", err);
    return t->link ? 0 : -1;
}

void net_traffic_free(struct net_traffic *t) {
    free(t->link);
    t->link = NULL;
}

static struct net_link *find(struct net_link *link, size_t capacity, uint64_t id) {
    uint64_t hash = id * 0x9e3779b97f4a7c15u;
    size_t i = (size_t)(hash ^ hash >> 32) & (capacity - 1);
    while (link[i].id && link[i].id != id + 1) i = (i + 1) & (capacity - 1);
    return &link[i];
}

static int enlarge(struct net_traffic *t, struct trj_error *err) {
    struct net_link *larger = trj_alloc(2 * t->capacity, sizeof *larger, "links", err);
    if (!larger) return -1;
    for (size_t i = 0; i < t->capacity; i++)
        if (t->link[i].id) *find(larger, 2 * t->capacity, t->link[i].id - 1) = t->link[i];
    free(t->link);
    t->link = larger;
    t->capacity *= 2;
    return 0;
}

static int load(struct net_traffic *t, uint64_t id, double size, struct trj_error *err) {
    struct net_link *l = find(t->link, t->capacity, id);
    if (t->looks) {
        if (l->load > t->seen) t->seen = l->load;
        return 0;
    }
    if (!l->id) {
        if (2 * (t->links + 1) > t->capacity) {
            if (enlarge(t, err)) return -1;
            l = find(t->link, t->capacity, id);
        }
        l->id = id + 1;
        t->links++;
    }
    const double before = l->load * l->load;
    l->load += size;
    t->cost += l->load * l->load * (l->load * l->load) - before * before;
    return 0;
}

static int send_in_lattice(struct net_traffic *t, const int32_t *a, const int32_t *b, double size,
                           struct trj_error *err) {
    const unsigned n = t->p->dimensions;
    uint64_t stride = 1, position = 0;
    for (unsigned k = n; k--; stride *= t->size[k]) position += stride * (uint64_t)((int64_t)a[k] - t->low[k]);
    for (unsigned k = 0; k < n; k++) {
        stride /= t->size[k];
        int64_t way = (int64_t)b[k] - a[k], at = (int64_t)a[k] - t->low[k];
        const int64_t length = (int64_t)t->size[k];
        if (t->p->length[k] != NET_NO_WRAP) {
            if (2 * way > length) way -= length;
            if (2 * way <= -length) way += length;
        }
        const bool up = way > 0;
        for (int64_t steps = up ? way : -way; steps--;) {
            if (load(t, (position * n + k) * 2 + up, size, err)) return -1;
            const int64_t next = up ? (at + 1 == length ? 0 : at + 1) : (at ? at - 1 : length - 1);
            position = position + stride * (uint64_t)next - stride * (uint64_t)at;
            at = next;
        }
    }
    return 0;
}

static uint64_t link_id(unsigned kind, uint64_t number, bool up) {
    return (uint64_t)kind << 60 | number << 1 | up;
}

static int send_in_tree(struct net_traffic *t, const int32_t *a, const int32_t *b, double size, struct trj_error *err) {
    const unsigned switches = t->p->dimensions - 1;
    unsigned common = 0;
    while (common < switches && a[common] == b[common] && a[common] != NET_NONE) common++;
    for (int side = 0; side < 2; side++) {
        const int32_t *end = side ? b : a;
        if (load(t, link_id(LINK_HOST, (uint64_t)end[switches], !side), size, err)) return -1;
        for (unsigned k = common; k < switches && end[k] != NET_NONE; k++)
            if (load(t, link_id(LINK_SWITCH, (uint64_t)end[k], !side), size, err)) return -1;
    }
    return 0;
}

static int send_in_dragonfly(struct net_traffic *t, const int32_t *a, const int32_t *b, double size,
                             struct trj_error *err) {
    if (load(t, link_id(LINK_HOST, (uint64_t)a[2], true), size, err) ||
        load(t, link_id(LINK_HOST, (uint64_t)b[2], false), size, err))
        return -1;
    if (a[0] != b[0]) return load(t, link_id(LINK_GROUPS, (uint64_t)a[0] << 24 | (uint64_t)b[0], false), size, err);
    if (a[1] != b[1]) return load(t, link_id(LINK_ROUTERS, (uint64_t)a[1] << 24 | (uint64_t)b[1], false), size, err);
    return 0;
}

int net_traffic_send(struct net_traffic *t, size_t a, size_t b, double size, struct trj_error *err) {
    const unsigned n = t->p->dimensions;
    const int32_t *from = t->p->at + a * n, *to = t->p->at + b * n;
    t->messages += size;
    t->hops += size * net_distance_at(t->p, from, to);
    if (t->p->kind == NET_LATTICE) return send_in_lattice(t, from, to, size, err);
    if (from[n - 1] == to[n - 1]) return 0;
    if (t->p->kind == NET_TREE) return send_in_tree(t, from, to, size, err);
    return send_in_dragonfly(t, from, to, size, err);
}

// ---- patterns

static int stencil(struct net_traffic *t, const size_t n[3], const uint32_t *point, struct trj_error *err) {
    const size_t step[3] = {n[1] * n[2], n[2], 1};
    for (size_t i = 0; i < n[0] * n[1] * n[2]; i++)
        for (int axis = 0; axis < 3; axis++) {
            const size_t at = i / step[axis] % n[axis], line = i - at * step[axis];
            if (n[axis] == 1) continue;
            if (net_traffic_send(t, point[i], point[line + (at + 1) % n[axis] * step[axis]], 1, err) ||
                net_traffic_send(t, point[i], point[line + (at + n[axis] - 1) % n[axis] * step[axis]], 1, err))
                return -1;
        }
    return 0;
}

static int transpose(struct net_traffic *t, const size_t n[3], const uint32_t *point, struct trj_error *err) {
    const size_t step[3] = {n[1] * n[2], n[2], 1};
    for (size_t i = 0; i < n[0] * n[1] * n[2]; i++)
        for (int axis = 0; axis < 3; axis++) {
            const size_t at = i / step[axis] % n[axis], line = i - at * step[axis];
            for (size_t k = 0; k < n[axis]; k++)
                if (k != at && net_traffic_send(t, point[i], point[line + k * step[axis]], 1.0 / (double)n[axis], err))
                    return -1;
        }
    return 0;
}

static int allreduce(struct net_traffic *t, size_t cells, const uint32_t *point, struct trj_error *err) {
    size_t power = 1;
    while (power <= cells / 2) power *= 2;
    for (size_t i = 0; i < cells; i++) {
        for (size_t step = 1; i < power && step < power; step *= 2)
            if (net_traffic_send(t, point[i], point[i ^ step], 1, err)) return -1;
        if (i >= power && (net_traffic_send(t, point[i], point[i - power], 1, err) ||
                           net_traffic_send(t, point[i - power], point[i], 1, err)))
            return -1;
    }
    return 0;
}

int net_traffic_add(struct net_traffic *t, enum net_pattern pattern, const uint32_t n[3], const uint32_t *point,
                    struct trj_error *err) {
    const size_t size[3] = {n[0], n[1], n[2]};
    switch (pattern) {
    case NET_STENCIL:
        return stencil(t, size, point, err);
    case NET_TRANSPOSE:
        return transpose(t, size, point, err);
    case NET_ALLREDUCE:
        return allreduce(t, size[0] * size[1] * size[2], point, err);
    }
    return 0;
}

double net_traffic_largest(const struct net_traffic *t, double *mean) {
    double largest = 0, sum = 0;
    for (size_t i = 0; i < t->capacity; i++) {
        sum += t->link[i].load;
        if (t->link[i].load > largest) largest = t->link[i].load;
    }
    *mean = t->links ? sum / (double)t->links : 0;
    return largest;
}

static int compare_links(const void *a, const void *b) {
    const struct net_link *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

void net_traffic_sort(struct net_traffic *t) {
    size_t used = 0;
    for (size_t i = 0; i < t->capacity; i++)
        if (t->link[i].id) t->link[used++] = t->link[i];
    qsort(t->link, used, sizeof *t->link, compare_links);
}

void net_traffic_position(const struct net_traffic *t, uint64_t id, int32_t *position, unsigned *dimension,
                          bool *upwards) {
    const unsigned n = t->p->dimensions;
    *upwards = id & 1;
    *dimension = (unsigned)(id / 2 % n);
    id /= 2 * n;
    for (unsigned k = n; k--; id /= t->size[k]) position[k] = (int32_t)((int64_t)(id % t->size[k]) + t->low[k]);
}

static void put_switch(const struct net_topology *network, uint64_t number, struct trj_table *table) {
    if (number < network->switches.count)
        trj_table_text(table, "%s", network->switches.text[number]);
    else
        trj_table_count(table, number);
}

void net_traffic_describe(const struct net_topology *network, uint64_t id, struct trj_table *table) {
    static const char *const kinds[] = {"switch", "host", "routers", "groups"};
    const unsigned kind = (unsigned)(id >> 60);
    const uint64_t number = (id & ~((uint64_t)0xf << 60)) >> 1;
    trj_table_text(table, "%s", kinds[kind]);
    if (kind == LINK_HOST)
        trj_table_text(table, "%s", network->names.text[number]);
    else if (kind == LINK_SWITCH)
        put_switch(network, number, table);
    else
        put_switch(network, number >> 24, table);
    if (kind <= LINK_HOST)
        trj_table_text(table, id & 1 ? "up" : "down");
    else
        put_switch(network, number & 0xffffff, table);
}

void net_grid_of(size_t cells, uint32_t n[3]) {
    uint64_t least = UINT64_MAX;
    for (size_t c = 1; c * c * c <= cells; c++) {
        if (cells % c) continue;
        const size_t face = cells / c;
        size_t b = (size_t)sqrt((double)face);
        while (face % b) b--;
        if (b < c) continue;
        const size_t a = face / b;
        const uint64_t surface = (uint64_t)a * b + (uint64_t)b * c + (uint64_t)a * c;
        if (surface >= least) continue;
        least = surface;
        n[0] = (uint32_t)a;
        n[1] = (uint32_t)b;
        n[2] = (uint32_t)c;
    }
}
