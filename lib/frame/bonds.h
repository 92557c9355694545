// SPDX-License-Identifier: MIT
// Bonds as lists of neighbours, and the selection of the bonds that stream atoms require.
#ifndef TRJ_BONDS_H
#define TRJ_BONDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"

// The atoms bonded to atom i are to[begin[i]] to to[begin[i + 1] - 1].
struct trj_bonds {
    size_t *begin; // [atoms + 2]
    uint32_t *to;
};

// Makes the lists from `count` pairs of atom numbers less than `atoms`. Returns 0 or -1; trj_bonds_free frees.
int trj_bonds_list(struct trj_bonds *b, uint32_t (*const bond)[2], size_t count, size_t atoms, struct trj_error *err);
void trj_bonds_free(struct trj_bonds *b); // not b itself

// Compares the bonds of two topologies of `atoms` atoms; their order does not matter, and a repeated bond counts once.
// Returns 0 if they are equal, -1 on failure, or 1 if they differ: pair[2] is then set to two atoms that are bonded in
// only one of the topologies.
int trj_bonds_compare(uint32_t (*const a)[2], size_t count_of_a, uint32_t (*const b)[2], size_t count_of_b,
                      size_t atoms, uint32_t pair[2], struct trj_error *err);

// Sets *gaps to whether bonds seem to be missing: whether two successive atoms of a residue include one without any
// bond. residue[atoms] is the number of each atom's residue. Returns 0 or -1.
int trj_bonds_find_gaps(uint32_t (*const bond)[2], size_t count, const uint32_t *residue, size_t atoms, bool *gaps,
                        struct trj_error *err);

// Selects the bonds of `atoms` atoms that lie on a path between two stream atoms. Chains that do not end in a stream
// atom, and molecules without stream atoms, are omitted. The stream atoms, rows[stream_atoms] in ascending order, get
// the numbers 0, 1, ...; atoms between them get numbers from first_between on. *result is NULL only on failure; free()
// frees it. Fails with TRJ_BAD_DATA for more than 2^32 atoms in all.
int trj_bonds_between(uint32_t (*const bond)[2], size_t count, size_t atoms, const uint32_t *rows, size_t stream_atoms,
                      size_t first_between, uint32_t (**result)[2], size_t *result_count, size_t *between,
                      struct trj_error *err);

#endif
