// SPDX-License-Identifier: MIT
// Centres of mass or of geometry of sets of atoms, made whole across periodic boundaries.
//
// A set is made whole atom by atom: each is taken at its image nearest to an atom that stands already, one that it is bonded to where the
// topology has bonds (also through atoms that are not in the set), else the one before it in the file. Parts of a set that no bond
// joins are put next to its first atom. So a set must not have neighbours farther apart than half the cell.
//   centre = sum_i w_i x_i / sum_i w_i       w_i the mass in u, or 1; in float64, rounded once to float32 in the frame's unit
#ifndef TRJ_CENTRES_H
#define TRJ_CENTRES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "frame.h"
#include "topology.h"

// A zeroed one is empty.
struct trj_centres {
    size_t count;    // sets
    uint32_t *first; // [count] the set's first atom
    // The sets, one behind the other: atoms in an order in which each comes after the one it is put next to.
    size_t *begin;    // [count + 1]
    uint32_t *atom;   // [begin[count]] of the trajectory
    uint32_t *beside; // the same: place, from the set's begin, of the one it is put next to; 0 for the first
    double *weight;   // 0: only on the way to others
    size_t sets_room, atoms_room, longest; // longest: places of the largest set
};

// Into what sets the atoms of a selection are divided.
enum trj_centre_sets {
    TRJ_CENTRE_RESIDUE,
    TRJ_CENTRE_MOLECULE,
    TRJ_CENTRE_SEGMENT,
    TRJ_CENTRE_CHAIN,
    TRJ_CENTRE_GROUP
};

// Whether a topology, or NULL, tells what such centres need: TRJ_USAGE.
int trj_centres_check(bool of_mass, enum trj_centre_sets sets, const struct trj_topology *top, struct trj_error *err);

// Adds the centres of those of the atoms (ascending) that share a residue, a molecule, a segment, a chain, or of all: in the order of their first
// atoms. `top` may be NULL for centres of geometry of a whole group. TRJ_USAGE where the topology does not know masses or such sets;
// TRJ_BAD_DATA for a set without mass.
int trj_centres_add(struct trj_centres *c, bool of_mass, enum trj_centre_sets sets, const uint32_t *atoms, size_t count,
                    const struct trj_topology *top, struct trj_error *err);
void trj_centres_free(struct trj_centres *c); // not c itself

// Centres in a frame of the whole trajectory, into x[k][count]. May be called for several frames at once. TRJ_BAD_DATA for cells that
// trj_cell_reduce refuses, and for an atom beyond TRJ_FARTHEST.
int trj_centres_place(const struct trj_centres *c, const struct trj_frame *f, float *const x[3], struct trj_error *err);

#endif
