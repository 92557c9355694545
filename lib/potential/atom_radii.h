// SPDX-License-Identifier: MIT
// Radii of atoms for the method mdh and for Poisson-Boltzmann solvers.
#ifndef POT_ATOM_RADII_H
#define POT_ATOM_RADII_H

#include "error.h"
#include "frame_stream.h"
#include "group.h"

// What --radii accepts, for its help and for messages.
#define POT_RADII "bondi, mbondi or the name of a file"

// Sets radius[group->count], in Å, of the atoms of a group. `source` is
//
//     NULL      the property radius of the stream: of a PQR file, of RADII in a prmtop file, or of another source that
//               trjcat --carry radius supports
//     "bondi"   the radii of the elements (trj_bondi_radius)
//     "mbondi"  the modified Bondi radii of Amber (LEaP, "set default PBradii mbondi"; V. Tsui and D. A. Case,
//               Biopolymers 56, 275 (2001)): H bonded to C or N 1.3, H bonded to O or S 0.8, other H 1.2, C 1.7,
//               N 1.55, O 1.5, F 1.5, Si 2.1, P 1.85, S 1.8, Cl 1.7. A hydrogen atom needs a bond in the stream; bonds
//               to other hydrogen atoms, as in water, do not matter. United atoms are not recognised.
//     FILE      a table of radii in Å (atom_table.h)
//
// Fails with TRJ_BAD_DATA if an atom has no radius in the source or an invalid one, naming the first such atom, or if
// the stream lacks the elements, bonds or names that the source requires; and for an invalid line of a file.
int pot_radii_set(double *radius, const char *source, const struct trj_stream_header *h, const struct trj_group *group,
                  struct trj_error *err);

#endif
