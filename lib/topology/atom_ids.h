// SPDX-License-Identifier: MIT
// Atom ids: the numbers that identify atoms in a file, which can be in any order and have gaps.
#ifndef TRJ_ATOM_IDS_H
#define TRJ_ATOM_IDS_H

#include <stddef.h>
#include <stdint.h>

struct trj_id {
    int64_t id;
    uint32_t atom; // its number, from 0
};

// Sorts ids[n] by id, and equal ids by atom.
void trj_atom_ids_sort(struct trj_id *ids, size_t n);

// These require sorted ids. They return the second of two equal ids, or NULL if all differ; and the entry of an id, or
// NULL if there is none.
const struct trj_id *trj_atom_ids_duplicate(const struct trj_id *ids, size_t n);
const struct trj_id *trj_atom_ids_find(const struct trj_id *ids, size_t n, int64_t id);

#endif
