// SPDX-License-Identifier: MIT
// The cell of a frame: three lattice vectors in Å and which of them are periods.
#ifndef TRJ_CELL_H
#define TRJ_CELL_H

#include "error.h"

enum { TRJ_PERIODIC_A = 1, TRJ_PERIODIC_B = 2, TRJ_PERIODIC_C = 4, TRJ_PERIODIC_ALL = 7 };

struct trj_cell {
    double h[3][3];    // rows a, b, c; zeros: the vector is unknown, which trj_cell_restrict refuses if it is periodic
    unsigned periodic; // TRJ_PERIODIC_ bits; 0: no periodicity
};

// Lengths in Å and cosines of alpha (b,c), beta (a,c), gamma (a,b) -> a along x, b in the xy plane, periodic in all three;
// entries that are zero by the angles' being right are exactly 0. Three zero lengths with all cosines 0, or all 1 (six zeros in
// degrees), mean no cell. Where only some lengths are zero (slabs) their rows stay zero with the periodic bit set, for
// trj_cell_restrict to judge. Negative or not finite lengths, and angles that span no volume, are TRJ_BAD_DATA.
int trj_cell_set(struct trj_cell *cell, const double length[3], const double cosine[3], struct trj_error *err);

// The same as a user writes it: A,B,C or A,B,C,ALPHA,BETA,GAMMA, in Å and degrees. TRJ_USAGE
int trj_cell_parse(struct trj_cell *cell, const char *text, struct trj_error *err);
// Returns the TRJ_PERIODIC_ bits of directions as a user gives them: "x" for the first vector, "xy", "none", ...
unsigned trj_periodic_parse(const char *text);

// cos of an angle in degrees, exactly 0 at 90; and back.
double trj_cosine(double degrees);
double trj_degrees(double cosine);

// The lengths and cosines of a cell whose three vectors are known: what trj_cell_set makes it of.
void trj_cell_shape(const struct trj_cell *cell, double length[3], double cosine[3]);

// Leaves only those of the periodic directions that are in `periodic`; then checks that their vectors are there, finite and
// linearly independent.
int trj_cell_restrict(struct trj_cell *cell, unsigned periodic, struct trj_error *err);

// |det H| in Å^3; 0 where a vector is unknown.
double trj_cell_volume(const struct trj_cell *cell);

// Smallest distance between lattice planes (lines, points) of the lattice the periodic vectors span, in Å: twice the largest
// radius for which the minimum image convention holds. INFINITY without periodicity.
double trj_cell_min_width(const struct trj_cell *cell);

// Distance of the two faces across direction `axis` (0, 1, 2): volume / |product of the other two|. 0 where unknown.
double trj_cell_height(const struct trj_cell *cell, int axis);

// Rows g[k] such that g[k] . x is the fractional coordinate of x along the periodic vector k, within the span of the periodic
// vectors (the pseudo-inverse); rows of non-periodic directions are 0. 1/|g[k]| is the spacing of the planes n_k = const.
void trj_cell_reciprocal(const struct trj_cell *cell, double g[3][3]);

// Another basis of the same lattice, with periods as short and as upright as there are: none can be shortened by another, nor by a sum of
// both others. Row k is t[k][0] h[0] + t[k][1] h[1] + t[k][2] h[2] of what the cell was: whole numbers, 0 where k is no period. TRJ_BAD_DATA
// where trj_cell_restrict refuses the cell, and where periods, or the distances of lattice planes, are not between these two.
#define TRJ_SHORTEST 1e-6 // Å
#define TRJ_FARTHEST 1e8  // Å: what lies beyond is damage, and it bounds the rounding
int trj_cell_reduce(struct trj_cell *cell, double t[3][3], struct trj_error *err);

#endif
