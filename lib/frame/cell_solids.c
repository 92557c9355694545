// SPDX-License-Identifier: MIT
// Computes lattice vectors from the box around a solid, as DL_POLY Classic (appendix "Periodic boundary conditions" of
// its manual) and Tinker define it: both wrap positions by the vectors from a corner of the box to its centre.
#include "cell_solids.h"

#include <math.h>
#include <string.h>

static const struct {
    const char *name, *box;
    double ratio[3]; // of the edges of the box
    double h[3][3];  // the lattice vectors, as multiples of the edges
} solids[] = {
    [TRJ_SOLID_OCTAHEDRON] = {"truncated octahedron",
                              "a cube",
                              {1, 1, 1},
                              {{-0.5, 0.5, 0.5}, {0.5, -0.5, 0.5}, {0.5, 0.5, -0.5}}},
    [TRJ_SOLID_DODECAHEDRON] = {"rhombic dodecahedron",
                                "a, a, sqrt(2) a",
                                {1, 1, 1.4142135623730951},
                                {{1, 0, 0}, {0, 1, 0}, {0.5, 0.5, 0.5}}},
    [TRJ_SOLID_PRISM] = {"hexagonal prism",
                         "sqrt(3) b, b, c",
                         {1.7320508075688772, 1, 0},
                         {{0.5, 0.5, 0}, {0, 1, 0}, {0, 0, 1}}},
};

const char *trj_cell_solid_name(enum trj_cell_solid solid) {
    return solids[solid].name;
}

int trj_cell_of_solid(struct trj_cell *cell, enum trj_cell_solid solid, struct trj_error *err) {
    enum { ORDER = 1 }; // the edge that is 1 in all ratios
    double edge[3];
    bool fits = true;
    for (int i = 0; i < 3; i++) edge[i] = cell->h[i][i];
    for (int i = 0; i < 3; i++) {
        double expected = solids[solid].ratio[i] * edge[ORDER];
        fits =
            fits && edge[i] > 0 && isfinite(edge[i]) && (expected == 0 || fabs(edge[i] - expected) < 1e-4 * expected);
        for (int j = 0; j < 3; j++) fits = fits && (i == j || fabs(cell->h[i][j]) < 1e-6 * edge[ORDER]);
    }
    if (!fits)
        return trj_fail(err, TRJ_BAD_DATA, "the cell is a %s, but its box is not %s along x, y and z",
                        solids[solid].name, solids[solid].box);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) cell->h[i][j] = solids[solid].h[i][j] * edge[j];
    cell->periodic = TRJ_PERIODIC_ALL;
    return 0;
}
