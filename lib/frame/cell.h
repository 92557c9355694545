// SPDX-License-Identifier: MIT
// The cell of a frame: three lattice vectors in Å, and which of them are periodic.
#ifndef TRJ_CELL_H
#define TRJ_CELL_H

#include "error.h"

enum { TRJ_PERIODIC_A = 1, TRJ_PERIODIC_B = 2, TRJ_PERIODIC_C = 4, TRJ_PERIODIC_ALL = 7 };

struct trj_cell {
    double h[3][3];    // rows a, b, c; zeros: the vector is unknown; trj_cell_restrict rejects that if it is periodic
    unsigned periodic; // TRJ_PERIODIC_ bits; 0: no periodicity
};

// Sets a cell from its lengths in Å and the cosines of alpha (b,c), beta (a,c) and gamma (a,b): a along x, b in the xy
// plane, all three periodic. Right angles give entries of exactly 0. Three zero lengths with all cosines 0, or all 1
// (six zeros in degrees), mean no cell. If only some lengths are zero (slabs), their rows are zero and their periodic
// bits are set, for trj_cell_restrict to check. Fails with TRJ_BAD_DATA for negative or non-finite lengths, and for
// angles that span no volume.
int trj_cell_set(struct trj_cell *cell, const double length[3], const double cosine[3], struct trj_error *err);

// As trj_cell_set, from the text of a user: A,B,C or A,B,C,ALPHA,BETA,GAMMA, in Å and degrees. Fails with TRJ_USAGE.
int trj_cell_parse(struct trj_cell *cell, const char *text, struct trj_error *err);
// Returns the TRJ_PERIODIC_ bits of directions as a user gives them: "x" for the first vector, "xy", "none", ...
unsigned trj_periodic_parse(const char *text);
const char *trj_periodic_name(unsigned periodic); // returns the text for TRJ_PERIODIC_ bits: "xy"

// Return the cosine of an angle in degrees, which is exactly 0 at 90, and the angle of a cosine.
double trj_cosine(double degrees);
double trj_degrees(double cosine);

// Computes the lengths in Å and the cosines, in the order of trj_cell_set, of a cell whose three vectors are known.
void trj_cell_shape(const struct trj_cell *cell, double length[3], double cosine[3]);

// Keeps only those periodic directions that are in `periodic`. Fails with TRJ_BAD_DATA unless their vectors are known,
// finite and linearly independent.
int trj_cell_restrict(struct trj_cell *cell, unsigned periodic, struct trj_error *err);

// Returns |det H| in Å^3; 0 if a vector is unknown.
double trj_cell_volume(const struct trj_cell *cell);

// Returns the smallest distance, in Å, between planes (lines, points) of the lattice that the periodic vectors span. It
// is twice the largest radius for which the minimum-image convention holds. INFINITY without periodicity.
double trj_cell_min_width(const struct trj_cell *cell);

// Returns the distance in Å between the two faces across direction `axis` (0, 1, 2): volume / |cross product of the
// other two vectors|; 0 if it is unknown.
double trj_cell_height(const struct trj_cell *cell, int axis);

// Computes rows g[k] (1/Å), such that g[k] . x is the fractional coordinate of x along the periodic vector k, within
// the span of the periodic vectors (the pseudo-inverse). Rows of non-periodic directions are 0. 1/|g[k]| is the
// distance between the planes n_k = const.
void trj_cell_reciprocal(const struct trj_cell *cell, double g[3][3]);

// Replaces the periodic vectors by another basis of the same lattice that is as short and as orthogonal as possible: no
// vector can be shortened by adding a multiple of another one, or of the sum of both others. The new row k is
// t[k][0] h[0] + t[k][1] h[1] + t[k][2] h[2] of the old cell, with whole numbers t, which are 0 if k is not periodic.
// Fails with TRJ_BAD_DATA for cells that trj_cell_restrict rejects, and if the length of a periodic vector or the
// distance between lattice planes is not between these limits.
#define TRJ_SHORTEST 1e-6 // Å
#define TRJ_FARTHEST 1e8  // Å: larger coordinates indicate damage; the limit also bounds rounding errors
int trj_cell_reduce(struct trj_cell *cell, double t[3][3], struct trj_error *err);

#endif
