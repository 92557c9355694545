// SPDX-License-Identifier: MIT
// Heights of points along the normal of two vectors of the cell, and the height of the centre of a group that a
// periodic boundary may divide.
#ifndef OBS_HEIGHTS_H
#define OBS_HEIGHTS_H

#include <math.h>

#include "cell.h"
#include "error.h"
#include "system.h"
#include "vector_products.h"

struct obs_heights {
    double normal[3]; // unit vector, on the side of the third vector of the cell
    double area;      // Å^2, of the parallelogram of the two vectors
    double length;    // Å, of the cell along the normal; 0: the third vector is unknown
    double period;    // Å: `length` if the third vector is periodic, else 0
    double centre;    // Å along the normal: heights are relative to it
};

// Sets all but the centre, which becomes 0, for the planes of the two vectors of the cell other than number `axis`.
// Fails with TRJ_BAD_DATA if these are unknown or parallel.
int obs_heights_make(struct obs_heights *z, const struct trj_cell *cell, int axis, struct trj_error *err);

// Returns the height of a point above the centre, in Å, of the image nearest to it: from -period/2, within 1e-12
// periods, to below period/2.
static inline double obs_height(const struct obs_heights *z, const double x[3]) {
    double h = trj_dot(z->normal, x) - z->centre;
    return z->period > 0 ? h - z->period * floor(h / z->period + (0.5 + 1e-12)) : h;
}

// Sets the centre to the mean height of atoms, weighted by mass[header->atoms] (NULL: equally): first the angle of the
// mean of unit vectors, then the mean of the images nearest to it. Sets *nearest to the distance in Å of the nearest
// atom from it: if there is none nearby, as of the head groups of a bilayer alone, the centre may be half a period away
// from the one that is meant. `text` is the selection. Fails with TRJ_BAD_DATA if the atoms have no mass or fill the
// cell.
int obs_heights_find_centre(struct obs_heights *z, const struct obs_positions *p, const double *mass, const char *text,
                            double *nearest, struct trj_error *err);

#endif
