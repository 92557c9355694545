// SPDX-License-Identifier: MIT
// The lattice of a map: where its points are. Any three independent step vectors are allowed, in any orientation.
//
// Points have indices i, j, k along the axes 0, 1, 2, from 0. The number of a point is i + n[0] (j + n[1] k): axis 0 is
// the fastest, and axis 2 the slowest, in every array, stream and function of this folder. A plane is all points with
// the same k.
#ifndef TRJ_MAP_LATTICE_H
#define TRJ_MAP_LATTICE_H

#include <stdbool.h>
#include <stdint.h>

#include "cell.h"
#include "error.h"

struct trj_map_lattice {
    uint64_t n[3];     // number of points along each axis
    double origin[3];  // Å: position of the point 0, 0, 0, which is the centre of its voxel
    double step[3][3]; // Å: row k is the vector from a point to the next one along axis k
    unsigned periodic; // TRJ_PERIODIC_ bits of the axes: the point n[k] is an image of the point 0
};

// Limit of the number of points, so that a size in bytes never overflows.
#define TRJ_MAP_POINTS_MAX ((uint64_t)1 << 40)

// Fails with TRJ_BAD_DATA unless all numbers are finite and within TRJ_SHORTEST and TRJ_FARTHEST (cell.h), the steps
// are linearly independent, and there are 1 to TRJ_MAP_POINTS_MAX points. All other functions require a lattice that
// has passed this check.
int trj_map_lattice_check(const struct trj_map_lattice *l, struct trj_error *err);

uint64_t trj_map_lattice_points(const struct trj_map_lattice *l);
uint64_t trj_map_lattice_plane(const struct trj_map_lattice *l); // points of a plane

// Consecutive planes of a lattice. If all members are 0, it is the whole lattice.
struct trj_map_slab {
    uint64_t first, planes; // the planes first <= k < first + planes
};
// Returns the slab with its number of planes, also of the whole lattice.
struct trj_map_slab trj_map_lattice_slab(const struct trj_map_lattice *l, struct trj_map_slab slab);

// Computes origin + i step[0] + j step[1] + k step[2] in Å, in this order. Indices need not be integers.
void trj_map_lattice_position(const struct trj_map_lattice *l, const double index[3], double position[3]);
// Splits the number of a point into its indices.
void trj_map_lattice_indices(const struct trj_map_lattice *l, uint64_t number, uint64_t index[3]);
// Computes the position of the point with this number, in Å.
void trj_map_lattice_point(const struct trj_map_lattice *l, uint64_t number, double position[3]);
// Returns the indices of the point with this number as messages contain them: "1, 2, 3".
struct trj_map_point_text {
    char text[64];
};
struct trj_map_point_text trj_map_lattice_point_text(const struct trj_map_lattice *l, uint64_t number);
// Computes rows g[k] (1/Å), such that g[k] . (position - origin) is the index along axis k.
void trj_map_lattice_inverse(const struct trj_map_lattice *l, double g[3][3]);

// Finds the points next to an index u along an axis, for linear interpolation: point[0] has the weight 1 - *weight, and
// point[1] has *weight. Along periodic axes u is wrapped. Returns how many points have a weight above 0: 2, or 1 within
// TRJ_MAP_NEAR of a point, or 0 if u lies before the first or after the last point by more than TRJ_MAP_NEAR.
#define TRJ_MAP_NEAR 1e-6 // steps
int trj_map_lattice_neighbours(const struct trj_map_lattice *l, int axis, double u, uint64_t point[2], double *weight);

// Returns the volume of a voxel, in Å^3.
double trj_map_lattice_voxel(const struct trj_map_lattice *l);

// Returns the cell that the voxels fill: its vectors are n[k] step[k], and its periodic axes are those of the lattice.
struct trj_cell trj_map_lattice_cell(const struct trj_map_lattice *l);
// Divides a cell into n[0] n[1] n[2] voxels. The origin is 0, 0, 0. Fails with TRJ_BAD_DATA as trj_map_lattice_check.
int trj_map_lattice_divide(struct trj_map_lattice *l, const struct trj_cell *cell, const uint64_t n[3],
                           struct trj_error *err);
// As trj_map_lattice_divide, with the fewest points whose steps are not longer than `spacing`, in Å. A step may be
// longer by a millionth, so that 30 Å divided into steps of 0.1 Å are 300 points.
int trj_map_lattice_cover(struct trj_map_lattice *l, const struct trj_cell *cell, double spacing,
                          struct trj_error *err);

// Sets *to to the lattice of a frame with this cell. If `fractional`, it divides the cell, with the origin 0, and only
// `n` of *l is used. Otherwise it is *l; fails with TRJ_BAD_DATA if a period of *l is not the vector of the cell, to
// within a millionth of a step. Fails, too, if the points cannot divide the cell.
int trj_map_lattice_in_cell(struct trj_map_lattice *to, const struct trj_map_lattice *l, bool fractional,
                            const struct trj_cell *cell, struct trj_error *err);

// Returns whether both lattices have the same numbers of points and the same periodic axes, and each point of one is
// within `tolerance` times the shortest step from that point of the other. With a tolerance of 0, the positions must be
// equal.
bool trj_map_lattice_same(const struct trj_map_lattice *a, const struct trj_map_lattice *b, double tolerance);

// Returns whether step k has the direction of Cartesian axis k.
bool trj_map_lattice_is_aligned(const struct trj_map_lattice *l);

#endif
