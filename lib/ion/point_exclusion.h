// SPDX-License-Identifier: MIT
// Excludes the points of a map that are near to atoms.
#ifndef POT_POINT_EXCLUSION_H
#define POT_POINT_EXCLUSION_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "map_lattice.h"

struct pot_exclusion {
    struct trj_map_lattice lattice;
    double g[3][3];     // trj_map_lattice_inverse
    double reach[3];    // largest difference of indices along each axis from an atom to an excluded point
    double reach2;      // Å^2
    size_t count;       // atoms
    double (*index)[3]; // [count] of the atoms, in steps; in [0, n) along periodic axes
};

// Distances are compared with the square of a distance times this, so that a point whose distance is the limit but for
// rounding errors is not nearer.
#define POT_DISTANCE_ROUNDING (1 - 1e-9)

// Prepares the exclusion of all points that are nearer than `distance` (in Å, at least 0) to one of the atoms at
// position[count] (Å, at most TRJ_FARTHEST), or to an image of it along the periodic axes of the lattice. Fails with
// TRJ_BAD_DATA if the distance exceeds four times the length of a periodic axis. The caller frees *e with
// pot_exclusion_free, also after an error.
int pot_exclusion_make(struct pot_exclusion *e, const struct trj_map_lattice *lattice, const double (*position)[3],
                       size_t count, double distance, struct trj_error *err);
void pot_exclusion_free(struct pot_exclusion *e);

// Sets the excluded points of the planes from `first` to before `end` to NaN; `value` is the whole map. Callable from
// several threads for different planes.
void pot_exclusion_apply(const struct pot_exclusion *e, double *value, uint64_t first, uint64_t end);

#endif
