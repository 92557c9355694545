// SPDX-License-Identifier: MIT
// Sorts ids by counting where they have few gaps, as most do, and finds positions without a search.
#include "atom_ids.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static int by_id(const void *a, const void *b) {
    const struct trj_id *p = a, *q = b;
    if (p->id != q->id) return p->id < q->id ? -1 : 1;
    return (p->atom > q->atom) - (p->atom < q->atom);
}

// Sorts ids without large gaps by counting. Returns false if the gaps are too large or memory is short.
static bool sort_dense(struct trj_id *ids, size_t n) {
    int64_t lowest = ids[0].id, highest = lowest;
    for (size_t i = 1; i < n; i++) {
        if (ids[i].id < lowest) lowest = ids[i].id;
        if (ids[i].id > highest) highest = ids[i].id;
    }
    uint64_t span = (uint64_t)highest - (uint64_t)lowest;
    if (span / 4 > n) return false;
    uint32_t *begin = calloc((size_t)span + 2, sizeof *begin);
    struct trj_id *sorted = malloc(n * sizeof *sorted);
    for (size_t i = 0; i < n && begin && sorted; i++) begin[ids[i].id - lowest + 1]++;
    for (size_t k = 1; k <= span && begin && sorted; k++) begin[k] += begin[k - 1];
    for (size_t i = 0; i < n && begin && sorted; i++) sorted[begin[ids[i].id - lowest]++] = ids[i];
    if (begin && sorted) memcpy(ids, sorted, n * sizeof *sorted);
    bool done = begin && sorted;
    free(begin);
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
    // The ids of most files have no gaps.
    uint64_t index = n ? (uint64_t)id - (uint64_t)ids[0].id : 0;
    if (index < n && ids[index].id == id) return &ids[index];
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
