// SPDX-License-Identifier: MIT
// Cells of all shapes, and ways to place atoms in them, for unit tests that compare engines.
#ifndef CELL_SHAPES_H
#define CELL_SHAPES_H

#include <math.h>
#include <string.h>

#include "frame.h"
#include "uniform.h"

struct shape {
    const char *name;
    double h[3][3];
    unsigned periodic;
    double rmax; // beyond half the box in several
};

static const struct shape shapes[] = {
    {"cube", {{20, 0, 0}, {0, 20, 0}, {0, 0, 20}}, 7, 10},
    {"cube, three images deep", {{6, 0, 0}, {0, 6, 0}, {0, 0, 6}}, 7, 15.5},
    {"orthorhombic", {{17.5, 0, 0}, {0, 23.25, 0}, {0, 0, 41}}, 7, 8.7},
    {"triclinic", {{19, 0, 0}, {-6, 21, 0}, {3, 8, 17}}, 7, 9},
    {"truncated octahedron", {{24, 0, 0}, {-8, 22.627416998, 0}, {-8, -11.313708499, 19.595917942}}, 7, 12},
    {"symmetric shape matrix", {{30.8, 14.6, 9.6}, {14.6, 31.8, -2.6}, {9.6, -2.6, 32.7}}, 7, 13},
    {"very skew", {{10, 0, 0}, {9, 4, 0}, {-8, 3, 5}}, 7, 7},
    {"left-handed", {{0, 15, 0}, {16, 0, 0}, {1, 2, 17}}, 7, 8},
    {"slab xy", {{20, 0, 0}, {4, 18, 0}, {3, -2, 50}}, 3, 11},
    {"slab xz, third vector unknown", {{20, 0, 0}, {0, 0, 0}, {5, 0, 22}}, 5, 9},
    {"slab yz", {{60, 0, 0}, {0, 14, 0}, {0, 3, 15}}, 6, 20},
    {"wire x", {{12, 1, 2}, {0, 0, 0}, {0, 0, 0}}, 1, 14},
    {"no period", {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}, 0, 25},
    {"huge cube", {{1e6, 0, 0}, {0, 1e6, 0}, {0, 0, 1e6}}, 7, 4e5},
    {"tiny cube", {{0.01, 0, 0}, {0, 0.01, 0}, {0, 0, 0.01}}, 7, 0.02},
    {"monoclinic", {{17, 0, 0}, {0, 19, 0}, {-6.5, 0, 21}}, 7, 8},
    {"hexagonal", {{18, 0, 0}, {-9, 15.588457268, 0}, {0, 0, 23}}, 7, 7.7},
    {"rhombic dodecahedron", {{22, 0, 0}, {0, 22, 0}, {11, 11, 15.556349186}}, 7, 11},
};

// Returns whether a cell has a size that occurs in simulations, so that a test can sum over all of its images.
__attribute__((unused)) static bool is_usual(const struct shape *s) {
    return s->rmax > 1 && s->rmax < 1e5;
}

enum placing { RANDOM, LATTICE, FAR_OUT, CLUSTER, TWINS, ISLANDS, PLACINGS };
static const char *const placing_name[] = {"random",  "lattice",          "far outside the cell",
                                           "cluster", "coincident pairs", "islands"};

// Places atoms in the box that the vectors span; along an axis without a vector, in 30 Å.
__attribute__((unused)) static void place(struct trj_frame *f, const struct shape *s, enum placing how, double unit) {
    f->unit = unit;
    memcpy(f->cell.h, s->h, sizeof s->h);
    f->cell.periodic = s->periodic;
    for (size_t i = 0; i < f->atoms; i++) {
        double u[3], x[3] = {0};
        for (int k = 0; k < 3; k++) {
            u[k] = uniform();
            if (how == LATTICE) u[k] = floor(u[k] * 8) / 8; // most distances fall on an edge of 2^n bins
            if (how == FAR_OUT && s->periodic >> k & 1) u[k] += floor((s->rmax > 1e5 ? 60 : 2000) * (uniform() - 0.5));
            if (how == CLUSTER) u[k] = 0.5 + 1e-3 * u[k];
        }
        for (int k = 0; k < 3; k++)
            for (int c = 0; c < 3; c++)
                x[c] += u[k] * (s->h[k][0] != 0 || s->h[k][1] != 0 || s->h[k][2] != 0 ? s->h[k][c] : k == c ? 30 : 0);
        if (how == ISLANDS) // in tiles that span several islands, float32 resolves positions within an island badly
            for (int c = 0; c < 3; c++)
                if (!(s->periodic >> c & 1)) x[c] += 1e6 * floor(3 * uniform());
        for (int c = 0; c < 3; c++) f->x[c][i] = (float)(x[c] / unit);
        if (how == TWINS && i % 2)
            for (int c = 0; c < 3; c++) f->x[c][i] = f->x[c][i - 1];
    }
}

#endif
