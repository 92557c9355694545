// SPDX-License-Identifier: MIT
// The shells of radial profiles of maps, about a point or an axis, and which part of each voxel is in each of them.
#ifndef TRJ_MAP_SHELLS_H
#define TRJ_MAP_SHELLS_H

#include <stdbool.h>
#include <stdint.h>

#include "error.h"
#include "map_lattice.h"
#include "nearest_image.h"

// What --profile requests.
struct trj_map_profile {
    enum trj_map_profile_shape { TRJ_MAP_PLANES, TRJ_MAP_CYLINDER, TRJ_MAP_SPHERE } shape;
    int axis;         // 0, 1 or 2: that of planes or cylinders
    bool has_centre;  // otherwise the centre of the map
    double centre[3]; // Å
};

// Parses "x", "cylinder:z", "cylinder:z@X,Y,Z" or "sphere@X,Y,Z". Fails with TRJ_USAGE.
int trj_map_profile_parse(struct trj_map_profile *p, const char *text, struct trj_error *err);

// Each voxel is divided into this number of equal parts, and each of them belongs to the shell of its centre.
enum { TRJ_MAP_PARTS = 64 };

struct trj_map_shells {
    struct trj_map_profile profile;
    struct trj_map_lattice lattice;
    // Å. The width of each shell is that of the longest step across the axis, so that none is empty. The shells end at
    // the largest radius at which no other image of a point is nearer to the centre, and which is not beyond a face of
    // the map along an axis that is not periodic.
    double width, limit;
    uint64_t count;
    struct trj_lattice images; // of cylinders, projected along the axis
    double centre[3], along[3];
    double part[TRJ_MAP_PARTS][3]; // Å, centres of the parts, from that of the voxel
    double reach;                  // Å, largest distance of a point of a voxel from its centre
};

// Fails with TRJ_BAD_DATA if the centre is not in the map, or too close to a face for one shell.
int trj_map_shells_open(struct trj_map_shells *s, const struct trj_map_lattice *l, const struct trj_map_profile *p,
                        struct trj_error *err);
// Sets `in` to the shells that contain parts of a voxel, and their numbers. Returns how many shells there are; 0 if the
// voxel is beyond the last one.
struct trj_map_shell_parts {
    uint64_t shell;
    unsigned parts;
};
unsigned trj_map_shells_find(const struct trj_map_shells *s, const uint64_t voxel[3],
                             struct trj_map_shell_parts in[TRJ_MAP_PARTS]);

#endif
