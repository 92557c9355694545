// SPDX-License-Identifier: MIT
#include "atom_ids.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static int by_id(const void *a, const void *b) {
    const struct trj_id *p = a, *q = b;
    if (p->id != q->id) return p->id < q->id ? -1 : 1;
    return (p->atom > q->atom) - (p->atom < q->atom);
}

// By counting, for ids without large gaps.
static bool sort_dense(struct trj_id *ids, size_t n) {
    int64_t least = ids[0].id, most = least;
    for (size_t i = 1; i < n; i++) {
        if (ids[i].id < least) least = ids[i].id;
        if (ids[i].id > most) most = ids[i].id;
    }
    uint64_t span = (uint64_t)most - (uint64_t)least;
    if (span / 4 > n) return false;
    uint32_t *place = calloc((size_t)span + 2, sizeof *place);
    struct trj_id *sorted = malloc(n * sizeof *sorted);
    for (size_t i = 0; i < n && place && sorted; i++) place[ids[i].id - least + 1]++;
    for (size_t k = 1; k <= span && place && sorted; k++) place[k] += place[k - 1];
    for (size_t i = 0; i < n && place && sorted; i++) sorted[place[ids[i].id - least]++] = ids[i];
    if (place && sorted) memcpy(ids, sorted, n * sizeof *sorted);
    bool done = place && sorted;
    free(place);
    free(sorted);
    return done;
}

void trj_atom_ids_sort(struct trj_id *ids, size_t n) {
    size_t i = 1;
    while (i < n && ids[i - 1].id <= ids[i].id) i++;
    if (i < n && !sort_dense(ids, n)) qsort(ids, n, sizeof *ids, by_id);
}

const struct trj_id *trj_atom_ids_duplicate(const struct trj_id *ids, size_t n) {
    for (size_t i = 1; i < n; i++)
        if (ids[i].id == ids[i - 1].id) return &ids[i];
    return NULL;
}

const struct trj_id *trj_atom_ids_find(const struct trj_id *ids, size_t n, int64_t id) {
    // Most files count from 1 without gaps.
    uint64_t at = n ? (uint64_t)id - (uint64_t)ids[0].id : 0;
    if (at < n && ids[at].id == id) return &ids[at];
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (ids[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < n && ids[low].id == id ? &ids[low] : NULL;
}
