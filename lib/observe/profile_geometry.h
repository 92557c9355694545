// SPDX-License-Identifier: MIT
// The bins of profiles: slabs of the cell, slabs about a centre, shells of cylinders, or shells of spheres.
#ifndef OBS_PROFILE_GEOMETRY_H
#define OBS_PROFILE_GEOMETRY_H

#include <stdbool.h>
#include <stddef.h>

#include "error.h"
#include "heights.h"
#include "nearest_image.h"
#include "system.h"
#include "tool.h"

extern const struct trj_choice obs_profile_words[]; // "z", "cylinder:z", "sphere", ...; ends with a NULL name

// Bins have equal widths in a coordinate, which is the distance from a centre in Å, or without one (`about` not set)
// the share of the cell along the normal of the slabs. A position at an edge belongs to the bin above it. Positions
// that are below an edge by less than 1e-12 of the profile are at the edge, so that no atom is lost by rounding at a
// boundary of the cell, and an atom is in the same half of a bin as with bins of half the width.
struct obs_profile_geometry {
    enum obs_profile_shape { OBS_SLABS, OBS_CYLINDER, OBS_SPHERE } shape;
    int axis; // of slabs: the vector of the cell that they divide; of cylinders: the vector parallel to their axis
    bool about, fixed;
    double centre[3];       // Å, if `fixed`
    struct obs_point point; // otherwise, if `about`: the centre in each frame
    size_t bins;
    double extent;        // Å, largest distance from the centre; NaN: up to the limit in the first frame
    bool extent_is_given; // frames in which it exceeds the limit are errors
};

// Sets the shape and the bins of one of obs_profile_words, without the centre.
void obs_profile_geometry_set(struct obs_profile_geometry *g, const char *word, bool about, double extent, size_t bins);
// Sets the geometry from options: one of obs_profile_words; a point, "X,Y,Z" in Å, or NULL; and the extent or NaN.
// Fails with TRJ_USAGE.
int obs_profile_geometry_open(struct obs_profile_geometry *g, const char *word, const char *about, double extent,
                              size_t bins, struct obs_system *s, struct trj_error *err);
// Sets the extent in the first frame if it is not given. Fails with TRJ_BAD_DATA if no periodic boundary limits it.
int obs_profile_geometry_begin(struct obs_profile_geometry *g, struct obs_view *v, struct trj_error *err);

// The geometry in a frame.
struct obs_profile_frame {
    const struct obs_profile_geometry *geometry;
    struct obs_heights heights;        // of slabs
    double centre[3], axis[3];         // of cylinders and spheres; axis: unit vector along the cylinder
    struct trj_lattice plane;          // of cylinders: the lattice, projected along the axis
    const struct trj_lattice *lattice; // of cylinders and spheres
    // Å: largest distance from the centre at which no image of a point is nearer; INFINITY if there are no images, and
    // without a centre.
    double limit;
    // The volume of bin b in Å^3 is measure * obs_profile_measure(b): of slabs, measure is the volume of the cell, or
    // the area of the slab; of cylinders, the length of the cell along the axis; of spheres 1.
    double measure;
};

// Prepares a frame. Fails with TRJ_BAD_DATA if its cell is unknown, if the centre is unknown (obs_view_point; of slabs
// obs_heights_find_centre), or if a given extent exceeds the limit.
int obs_profile_frame_begin(struct obs_profile_frame *f, const struct obs_profile_geometry *g, struct obs_view *v,
                            struct trj_error *err);
double obs_profile_measure(const struct obs_profile_geometry *g, size_t bin);
// Returns the bin of a position; SIZE_MAX if it is in none. Sets the direction in which the coordinate increases, a
// unit vector; zeros at the centre of a cylinder or sphere. NULL: not needed.
size_t obs_profile_bin(const struct obs_profile_frame *f, const double x[3], double direction[3]);
// Returns the middle (part = 0.5) or an edge (0, 1) of a bin, in Å from the centre, or as a share of the cell.
double obs_profile_coordinate(const struct obs_profile_geometry *g, size_t bin, double part);

#endif
