// SPDX-License-Identifier: MIT
// Verifies that atoms of two topologies correspond to each other, before one set is superposed on the other.
#ifndef TRJ_ATOM_PAIRS_H
#define TRJ_ATOM_PAIRS_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "topology.h"

// Fails with TRJ_BAD_DATA unless atoms[count] of `top`, the topology of a trajectory, correspond to selected[count] of
// `file`, that of a reference file; both lists are in ascending order. The message gives the first difference and a
// remedy. The names of corresponding atoms must be equal. If both topologies have residue names:
//
// - residues begin at the same atoms, and their names agree (trj_residue_names_agree);
// - if both topologies have residue numbers, these differ by a constant. The constant may change at the beginning
// of a chain, a segment, or a molecule that is or follows a protein or nucleic acid, and numbers that continue at 0
// after 9999 or 99999 are accepted;
// - at most one of the topologies has beginnings of chains that the other one lacks.
//
// A residue that only one of the files contains is thus detected, while chain names may differ and residue numbers may
// be shifted.
int trj_atom_pairs_check(const struct trj_topology *file, const uint32_t *selected, const struct trj_topology *top,
                         const uint32_t *atoms, size_t count, struct trj_error *err);

#endif
