// SPDX-License-Identifier: MIT
// The lattice of a Poisson-Boltzmann solver, and the map of its boundary values.
//
// APBS solves for the potential at dime[0] x dime[1] x dime[2] points, which fill a box of the lengths `glen` about a
// centre, with given values at the points on the six faces of the box. With `bcfl map` it reads a map from which it
// takes these values by trilinear interpolation. The map must contain the box: APBS aborts if it ends 1e-9 Å before the
// box does, which happens whenever the origin or the steps of the map are rounded in its file. The map of this header
// has therefore one more point at each end.
//
// Only the values on the faces of the box are needed: those that a job with `faces` computes (potential_job.h). As the
// lattices coincide but for that rounding, points next to a face have weights below 1e-6. Those outside get the value
// of the nearest point of the box, which is on a face; all points inside, which APBS computes, get 0. Measured for 1a63
// with APBS 3.4.1 and 97 x 65 x 97 points: the solution differs by at most 1e-8 kT/e from that with `bcfl mdh`, which
// is the last printed digit (by 1e-6 if the points outside are 0).
#ifndef POT_FACE_LATTICE_H
#define POT_FACE_LATTICE_H

#include <stdint.h>

#include "error.h"
#include "map_lattice.h"

// Sets *l to the lattice of the solver: n = dime, steps glen / (dime - 1) along x, y and z, origin center - glen / 2.
// Lengths are in Å. Fails with TRJ_BAD_DATA if a dime is below 3, or as trj_map_lattice_check.
int pot_face_lattice(const uint64_t dime[3], const double glen[3], const double center[3], struct trj_map_lattice *l,
                     struct trj_error *err);

// Returns the lattice of the map for `bcfl map`: one more point at each end of each axis.
struct trj_map_lattice pot_face_map_lattice(const struct trj_map_lattice *l);

// Computes a plane k of that map (k is at most l->n[2] + 1) from the values at the points of *l: plane[(n[0] + 2)
// (n[1] + 2)]. Of `values`, only those on the faces are read.
void pot_face_map_plane(const struct trj_map_lattice *l, const double *values, uint64_t k, double *plane);

#endif
