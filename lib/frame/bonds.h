// SPDX-License-Identifier: MIT
// Lists of bonds: who is bonded to whom, and which of them atoms that travel need.
#ifndef TRJ_BONDS_H
#define TRJ_BONDS_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"

// Neighbours of atom i are to[begin[i]] up to to[begin[i + 1]].
struct trj_bonds {
    size_t *begin; // [atoms + 2]
    uint32_t *to;
};

// Of `count` pairs of numbers below `atoms`.
int trj_bonds_list(struct trj_bonds *b, uint32_t (*const bond)[2], size_t count, size_t atoms, struct trj_error *err);
void trj_bonds_free(struct trj_bonds *b); // not b itself

// Of bonds of `atoms` atoms those that a way from one atom that travels to another can take: chains that end in none of them and molecules
// without any are left out. The travelling ones, which stand at rows[travelling], ascending, become 0, 1, ...; those between them become
// first_between and on. *result is never NULL but on failure; free() frees. TRJ_BAD_DATA for more than 2^32 in all.
int trj_bonds_between(uint32_t (*const bond)[2], size_t count, size_t atoms, const uint32_t *rows, size_t travelling,
                      size_t first_between, uint32_t (**result)[2], size_t *result_count, size_t *between,
                      struct trj_error *err);

#endif
