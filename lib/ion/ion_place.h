// SPDX-License-Identifier: MIT
// Places ions at the points of a map of the electrostatic potential, one after the other: each at the point where its
// energy is lowest, of all points that are far enough from the solute and from earlier ions. The potential of the
// ion, q / (dielectric constant r), is then added to the map. Along periodic axes of the lattice, r is the distance of
// the nearest image.
//
// The method is that of J. E. Stone et al., J. Comput. Chem. 28, 2618 (2007). The results are the same for any number
// of threads: each value is computed by the same operations in the same order.
#ifndef POT_ION_PLACE_H
#define POT_ION_PLACE_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "ion_list.h"
#include "map_lattice.h"

struct pot_ion {
    size_t kind;        // index into pot_ion_list.kind
    uint64_t point;     // number of the point (map_lattice.h)
    double position[3]; // Å
    double potential;   // at the point before the ion is there, in the unit of the map
    double net;         // charge of the solute and of the ions up to this one, e
};

struct pot_placement {
    const struct trj_map_lattice *lattice;
    double *value;               // [points] the potential; NaN: no ion may be placed here. Changed by the function
    double charge;               // potential of a charge of 1 e at 1 Å, in the unit of the map
    double from_solute, between; // Å: least distance of an ion from atoms of the solute, and from other ions
    size_t atoms;                // of the solute
    const double (*position)[3]; // [atoms] Å
    const struct pot_ion_list *ions;
    double net;                                      // charge of the solute, e
    unsigned threads;                                // 0: as many as there are processors
    void (*progress)(uint64_t done, uint64_t total); // called after each ion, by the calling thread; NULL: none
};

// Places all ions of the list, and sets ion[pot_ion_list_total()]. At each step the next kind is the one, of those with
// ions left, that leaves the smallest magnitude of the net charge; the first one in the list if there are several. Of
// points with equal energies, the ion gets the one with the lowest number. *excluded is the number of points that are
// not allowed for the first ion, because the value is NaN or an atom is near; 0 without ions. Fails with TRJ_BAD_DATA
// if no point is left, and if the potential is infinite at an allowed point.
int pot_place_ions(const struct pot_placement *p, struct pot_ion *ion, uint64_t *excluded, struct trj_error *err);

// For engines that place ions in another way (ion_engine.h). Returns the square of the distance in Å within which an
// ion excludes points, with a margin for rounding errors; above 0, so that the point of the ion itself is excluded.
double pot_placement_reach2(const struct pot_placement *p);
// Sets `point` and `position` of an ion, and its indices.
void pot_ion_set(struct pot_ion *ion, const struct trj_map_lattice *l, uint64_t point, uint64_t index[3]);

#endif
