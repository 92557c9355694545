// SPDX-License-Identifier: MIT
// Centres of mass or of geometry of sets of atoms, made whole across periodic boundaries.
//
// A set consists of units. If the topology has bonds, these are the parts of the set that bonds connect, also through
// atoms outside the set: each atom is moved to its image nearest to an atom bonded to it. Otherwise each atom is one.
// If the geometric centres of the units, each at its image nearest to a unit before it, are within half the cell along
// each vector of the reduced cell, these are the images. Otherwise the units are gathered by the rule of --centre
// (largest_gap.h): the cell is cut in the middle of the largest gap. A set that fills the cell along a vector is
// rejected, because it has no centre there.
//   centre = sum_i w_i x_i / sum_i w_i       in float64, rounded once to float32 in the unit of the frame
// w_i is the mass in u, or 1; x_i are the positions of the atoms that were made whole.
#ifndef TRJ_CENTRES_H
#define TRJ_CENTRES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "frame.h"
#include "topology.h"

// A zeroed struct is empty.
struct trj_centres {
    size_t count;    // sets
    uint32_t *first; // [count] first atom of each set
    // The sets in sequence; each atom follows its reference atom.
    size_t *begin;  // [count + 1]
    uint32_t *atom; // [begin[count]] of the trajectory
    // [begin[count]] index of the reference atom, counted from the start of the set; 0 for the first atom
    uint32_t *reference;
    double *weight;                                // 0: an atom outside the set, or without mass
    bool *outside;                                 // the atom is only the reference of others, and not in the set
    bool *starts;                                  // a unit begins with this atom
    size_t sets_capacity, atoms_capacity, longest; // longest: atoms of the largest set
};

// How the atoms of a selection are divided into sets.
enum trj_centre_sets {
    TRJ_CENTRE_RESIDUE,
    TRJ_CENTRE_MOLECULE,
    TRJ_CENTRE_SEGMENT,
    TRJ_CENTRE_CHAIN,
    TRJ_CENTRE_GROUP
};

// Fails with TRJ_USAGE unless a topology, which may be NULL, has the data that such centres require.
int trj_centres_check(bool of_mass, enum trj_centre_sets sets, const struct trj_topology *top, struct trj_error *err);

// Adds a centre for each set of atoms that share a residue, molecule, segment or chain, or one for all of them; `atoms`
// ascend, and the centres are in the order of their first atoms. `top` may be NULL for a centre of geometry of a whole
// group. Fails with TRJ_USAGE if the topology has no masses or no such sets, and with TRJ_BAD_DATA for a set without
// mass.
int trj_centres_add(struct trj_centres *c, bool of_mass, enum trj_centre_sets sets, const uint32_t *atoms, size_t count,
                    const struct trj_topology *top, struct trj_error *err);
void trj_centres_free(struct trj_centres *c); // does not free c itself

// Computes the centres in a frame with all atoms of the trajectory, into x[3][count], in the unit of the frame. May be
// called for several frames in parallel. Fails with TRJ_BAD_DATA for cells that trj_cell_reduce rejects, for an
// atom beyond TRJ_FARTHEST, and for a set that fills the cell.
int trj_centres_place(const struct trj_centres *c, const struct trj_frame *f, float *const x[3], struct trj_error *err);

// Computes the velocities of the centres, sum_i w_i v_i / sum_i w_i, in float64, rounded once, from those of all atoms
// of the trajectory, into v[3][count].
void trj_centres_velocities(const struct trj_centres *c, const struct trj_motion *m, float *const v[3]);

#endif
