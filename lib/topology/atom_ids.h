// SPDX-License-Identifier: MIT
// Numbers by which a file names its atoms, in any order.
#ifndef TRJ_IDS_H
#define TRJ_IDS_H

#include <stddef.h>
#include <stdint.h>

struct trj_id {
    int64_t id;
    uint32_t atom;
};

void trj_atom_ids_sort(struct trj_id *ids, size_t n);                                   // those of one number by atom
const struct trj_id *trj_atom_ids_duplicate(const struct trj_id *ids, size_t n);        // sorted; NULL: all differ
const struct trj_id *trj_atom_ids_find(const struct trj_id *ids, size_t n, int64_t id); // sorted; NULL: there is none

#endif
