// SPDX-License-Identifier: MIT
// Stores hosts and their coordinates, and computes distances between them.
#include "net_topology.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"

void net_topology_start(struct net_topology *t) {
    memset(t, 0, sizeof *t);
    t->index.texts = &t->names;
    for (int k = 0; k < NET_DIMENSIONS_MAX; k++) t->length[k] = NET_NO_WRAP;
}

void net_topology_free(struct net_topology *t) {
    trj_text_index_free(&t->index);
    trj_texts_clear(&t->names);
    trj_texts_clear(&t->switches);
    free(t->at);
    for (int k = 0; k < NET_DIMENSIONS_MAX; k++) free(t->dimension[k]);
    memset(t, 0, sizeof *t);
}

int net_topology_add(struct net_topology *t, const char *name, const int32_t *at, struct trj_error *err) {
    const size_t before = t->names.count;
    uint32_t id;
    if (before == NET_HOSTS_MAX)
        return trj_fail(err, TRJ_BAD_DATA, "more than %d hosts; leave out those that the job does not use",
                        NET_HOSTS_MAX);
    if (trj_text_index_add(&t->index, name, &id, err)) return -1;
    if (id < before) return 1;
    if (trj_grow(&t->at, &t->capacity, (before + 1) * t->dimensions, sizeof *t->at, "coordinates", err)) return -1;
    memcpy(t->at + before * t->dimensions, at, t->dimensions * sizeof *at);
    return 0;
}

int net_points_make(struct net_points *p, const struct net_topology *t, const uint32_t *host, size_t count,
                    struct trj_error *err) {
    *p = (struct net_points){.kind = t->kind, .dimensions = t->dimensions, .count = count};
    memcpy(p->length, t->length, sizeof p->length);
    p->at = trj_alloc(count * t->dimensions, sizeof *p->at, "coordinates", err);
    if (!p->at) return -1;
    for (size_t i = 0; i < count; i++)
        memcpy(p->at + i * t->dimensions, t->at + host[i] * (size_t)t->dimensions, t->dimensions * sizeof *p->at);
    return 0;
}

void net_points_free(struct net_points *p) {
    free(p->at);
    p->at = NULL;
}

uint32_t net_distance_at(const struct net_points *p, const int32_t *a, const int32_t *b) {
    uint32_t common = 0, levels_a = 0, levels_b = 0;
    if (p->kind == NET_LATTICE) return net_lattice_distance(p->dimensions, p->length, a, b);
    // The last coordinate is the host itself.
    if (a[p->dimensions - 1] == b[p->dimensions - 1]) return 0;
    const unsigned switches = p->dimensions - 1;
    if (p->kind == NET_DRAGONFLY) return a[0] != b[0] ? 5 : a[1] != b[1] ? 3 : 2;
    while (levels_a < switches && a[levels_a] != NET_NONE) levels_a++;
    while (levels_b < switches && b[levels_b] != NET_NONE) levels_b++;
    while (common < levels_a && common < levels_b && a[common] == b[common]) common++;
    return levels_a + levels_b - 2 * common + 2;
}

static int compare_int32(const void *a, const void *b) {
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

int net_points_shift(struct net_points *p, struct trj_error *err) {
    if (p->kind != NET_LATTICE || !p->count) return 0;
    int32_t *occupied = trj_alloc(p->count, sizeof *occupied, "positions", err);
    if (!occupied) return -1;
    for (unsigned k = 0; k < p->dimensions; k++) {
        for (size_t i = 0; i < p->count; i++) occupied[i] = p->at[i * p->dimensions + k];
        qsort(occupied, p->count, sizeof *occupied, compare_int32);
        int32_t origin = occupied[0];
        if (p->length[k] != NET_NO_WRAP) {
            int32_t largest = 0;
            for (size_t i = 0; i < p->count; i++) { // the gap behind position i
                const bool last = i + 1 == p->count;
                const int32_t next = last ? occupied[0] : occupied[i + 1];
                const int32_t gap = last ? next + p->length[k] - occupied[i] : next - occupied[i];
                if (gap <= largest) continue;
                largest = gap;
                origin = next;
            }
        }
        for (size_t i = 0; i < p->count; i++) {
            int32_t *c = &p->at[i * p->dimensions + k];
            *c -= origin;
            if (*c < 0) *c += p->length[k];
        }
    }
    free(occupied);
    return 0;
}
