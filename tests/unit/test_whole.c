// SPDX-License-Identifier: MIT
// Tests how molecules are made whole by their bonds: in cells of several shapes, with rings, and infinite molecules.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tap.h"
#include "uniform.h"
#include "whole.h"

static struct trj_error err;

enum { CHAIN = 300, RING = 12, WATERS = 50, ATOMS = CHAIN + RING + 3 * WATERS };
static uint32_t bond[2 * ATOMS][2];
static size_t bonds;
static double where[ATOMS][3], wrapped[ATOMS][3];

static void add_bond(uint32_t i, uint32_t j) {
    bool first = uniform() < 0.5;
    bond[bonds][!first] = i;
    bond[bonds++][first] = j;
}

static void put_near(uint32_t atom, const double x[3], double distance) {
    for (int k = 0; k < 3; k++) where[atom][k] = x[k] + distance * (2 * uniform() - 1);
}

// Makes a chain longer than the cell, a closed ring, and waters. Atoms of the waters alternate: O O O ... H H H.
static void make_system(void) {
    static const double origin[3] = {5, 5, 5};
    bonds = 0;
    put_near(0, origin, 3);
    for (uint32_t i = 1; i < CHAIN; i++) {
        uint32_t from = i > 5 ? i - 1 - (uint32_t)(3 * uniform()) : i - 1; // branches
        put_near(i, where[from], 1);
        add_bond(from, i);
    }
    for (uint32_t i = 0; i < RING; i++) {
        double angle = 2 * acos(-1.0) * i / RING;
        where[CHAIN + i][0] = 3 * cos(angle);
        where[CHAIN + i][1] = 3 * sin(angle);
        where[CHAIN + i][2] = 0;
        add_bond(CHAIN + i, CHAIN + (i + 1) % RING);
    }
    for (uint32_t i = 0; i < WATERS; i++) {
        uint32_t o = CHAIN + RING + i;
        put_near(o, origin, 30);
        for (uint32_t h = 1; h < 3; h++) {
            put_near(o + h * WATERS, where[o], 0.6);
            add_bond(o, o + h * WATERS);
        }
    }
}

// Moves each atom into the cell.
static void wrap(const struct trj_cell *cell) {
    double g[3][3];
    trj_cell_reciprocal(cell, g);
    memcpy(wrapped, where, sizeof where);
    for (int i = 0; i < ATOMS; i++)
        for (int k = 0; k < 3; k++) {
            double n = floor(g[k][0] * where[i][0] + g[k][1] * where[i][1] + g[k][2] * where[i][2]);
            for (int c = 0; c < 3; c++) wrapped[i][c] -= n * cell->h[k][c];
        }
}

// Returns the largest error of a vector between bonded atoms.
static double worst_bond(double (*x)[3]) {
    double worst = 0;
    for (size_t b = 0; b < bonds; b++)
        for (int k = 0; k < 3; k++)
            worst =
                fmax(worst, fabs(x[bond[b][1]][k] - x[bond[b][0]][k] - where[bond[b][1]][k] + where[bond[b][0]][k]));
    return worst;
}

static void test_cells(void) {
    static const struct {
        const char *name;
        struct trj_cell cell;
    } cells[] = {
        {"orthorhombic", {{{14, 0, 0}, {0, 15, 0}, {0, 0, 16}}, TRJ_PERIODIC_ALL}},
        {"triclinic", {{{14, 0, 0}, {6, 13, 0}, {-5, 4, 12}}, TRJ_PERIODIC_ALL}},
        {"very skewed", {{{14, 0, 0}, {40, 13, 0}, {-35, 44, 12}}, TRJ_PERIODIC_ALL}},
        {"rotated", {{{8, 9, 7}, {-10, 8, 3}, {-4, -5, 13}}, TRJ_PERIODIC_ALL}},
        {"slab", {{{14, 0, 0}, {6, 13, 0}, {0, 0, 30}}, TRJ_PERIODIC_A | TRJ_PERIODIC_B}},
        {"line", {{{0, 0, 0}, {0, 13, 0}, {0, 0, 0}}, TRJ_PERIODIC_B}},
    };
    make_system();
    struct trj_whole w = {.atoms = 0};
    ok(!trj_whole_make(&w, bond, bonds, ATOMS, &err) && w.molecules == 2 + WATERS && w.rings == 1,
       "a chain, a ring and %d waters: %zu molecules, %zu bond that closes a ring", WATERS, w.molecules, w.rings);
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        struct trj_lattice l;
        wrap(&cells[i].cell);
        double(*x)[3] = wrapped, first[3] = {wrapped[0][0], wrapped[0][1], wrapped[0][2]};
        bool good = !trj_lattice_make(&l, &cells[i].cell, &err) && !trj_whole_apply(&w, &l, x, &err);
        ok(good && worst_bond(x) < 1e-11 && !memcmp(first, x[0], sizeof first),
           "%s cell: wrapped molecules become whole, even if longer than the cell; the first atom is not moved",
           cells[i].name);
        double again[ATOMS][3];
        memcpy(again, x, sizeof again);
        ok(!trj_whole_apply(&w, &l, again, &err) && !memcmp(again, x, sizeof again),
           "%s cell: whole molecules do not change", cells[i].name);
    }
    trj_whole_free(&w);
}

// A chain along x whose last atom is bonded to the image of the first one.
static void test_infinite(void) {
    enum { N = 10 };
    uint32_t loop[N][2];
    double x[N][3] = {{0}};
    struct trj_cell cell = {{{15, 0, 0}, {4, 15, 0}, {0, 0, 15}}, TRJ_PERIODIC_ALL};
    struct trj_lattice l;
    struct trj_whole w = {.atoms = 0};
    for (uint32_t i = 0; i < N; i++) {
        loop[i][0] = i;
        loop[i][1] = (i + 1) % N;
        x[i][0] = 1.5 * i;
    }
    bool made = !trj_whole_make(&w, loop, N, N, &err) && !trj_lattice_make(&l, &cell, &err);
    ok(made && trj_whole_apply(&w, &l, x, &err) && err.status == TRJ_BAD_DATA && has_text(err.text, "infinite"),
       "a chain bonded to its own image is an error: %s", err.text);
    cell.periodic = TRJ_PERIODIC_B;
    ok(!trj_lattice_make(&l, &cell, &err) && !trj_whole_apply(&w, &l, x, &err), "without that period it is whole");
    trj_whole_free(&w);
}

int main(void) {
    test_cells();
    test_infinite();
    return done();
}
