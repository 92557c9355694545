// SPDX-License-Identifier: MIT
// Tests centres of mass and of geometry, of molecules across cell boundaries, with and without bonds.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "centres.h"
#include "nearest_image.h"
#include "tap.h"
#include "uniform.h"

static struct trj_error err;

enum { CHAIN = 40 };

// A chain in a cell, whose atoms are wrapped individually; where[i] is the unwrapped position of atom i.
static void wrap_chain(struct trj_frame *f, double where[CHAIN][3]) {
    double g[3][3];
    trj_cell_reciprocal(&f->cell, g);
    if (trj_frame_resize(f, CHAIN, &err)) exit(1);
    for (int i = 0; i < CHAIN; i++) {
        double x[3] = {where[i][0], where[i][1], where[i][2]}, n[3];
        for (int k = 0; k < 3; k++) n[k] = -floor(g[k][0] * x[0] + g[k][1] * x[1] + g[k][2] * x[2]);
        for (int c = 0; c < 3; c++)
            f->x[c][i] =
                (float)((x[c] + n[0] * f->cell.h[0][c] + n[1] * f->cell.h[1][c] + n[2] * f->cell.h[2][c]) / f->unit);
    }
}

// Returns whether a and b are images of each other, within the precision of float32.
static bool same_place(const struct trj_cell *cell, const double a[3], const double b[3]) {
    double g[3][3], d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]}, r2 = 0;
    trj_cell_reciprocal(cell, g);
    double n[3];
    for (int k = 0; k < 3; k++) n[k] = round(g[k][0] * d[0] + g[k][1] * d[1] + g[k][2] * d[2]);
    for (int c = 0; c < 3; c++) {
        d[c] -= n[0] * cell->h[0][c] + n[1] * cell->h[1][c] + n[2] * cell->h[2][c];
        r2 += d[c] * d[c];
    }
    return r2 < 1e-9;
}

static uint32_t residue[CHAIN], molecule[CHAIN], bond[CHAIN - 1][2];
static double mass[CHAIN];
static struct trj_topology top = {.atoms = CHAIN,
                                  .residue = residue,
                                  .molecule = molecule,
                                  .mass = mass,
                                  .bond = bond,
                                  .bonds = CHAIN - 1,
                                  .format = "PSF"};

// Computes the centre of the unwrapped positions of listed atoms.
static void expect(double centre[3], double where[CHAIN][3], const uint32_t *list, size_t n, bool of_mass) {
    double weight = 0;
    for (int c = 0; c < 3; c++) centre[c] = 0;
    for (size_t i = 0; i < n; i++) {
        double w = of_mass ? mass[list[i]] : 1;
        weight += w;
        for (int c = 0; c < 3; c++) centre[c] += w * where[list[i]][c];
    }
    for (int c = 0; c < 3; c++) centre[c] /= weight;
}

// Computes one centre of `list` in the frame.
static bool centre_is(const struct trj_frame *f, double where[CHAIN][3], const uint32_t *list, size_t n, bool of_mass,
                      const struct trj_topology *t) {
    struct trj_centres c = {.count = 0};
    float x[3];
    float *const to[3] = {&x[0], &x[1], &x[2]};
    double want[3], got[3];
    expect(want, where, list, n, of_mass);
    bool good = !trj_centres_add(&c, of_mass, TRJ_CENTRE_GROUP, list, n, t, &err) && c.count == 1 &&
                c.first[0] == list[0] && !trj_centres_place(&c, f, to, &err);
    for (int k = 0; k < 3 && good; k++) got[k] = (double)x[k] * f->unit;
    trj_centres_free(&c);
    return good && same_place(&f->cell, want, got);
}

// Returns whether the centre of a chain without bonds is right, or the chain rejected because it fills the cell.
static bool without_bonds(const struct trj_frame *f, double where[CHAIN][3], const uint32_t *all) {
    struct trj_topology bare = {.atoms = CHAIN};
    err = (struct trj_error){.status = TRJ_OK};
    return centre_is(f, where, all, CHAIN, false, &bare) ||
           (f->cell.periodic && err.status == TRJ_BAD_DATA && has_text(err.text, "fills the cell"));
}

static void test_chain(void) {
    static const struct trj_cell cells[] = {
        {{{12, 0, 0}, {0, 13, 0}, {0, 0, 14}}, 7}, {{{12, 0, 0}, {-4, 13, 0}, {5, 6, 14}}, 7},
        {{{0, 12, 0}, {13, 1, 0}, {2, 0, 14}}, 7}, {{{12, 0, 0}, {3, 13, 0}, {0, 0, 0}}, 3},
        {{{0, 0, 0}, {0, 0, 0}, {9, 9, 9}}, 4},    {{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}, 0}};
    static const double units[] = {1, 10};
    double where[CHAIN][3];
    uint32_t all[CHAIN], ends[2] = {0, CHAIN - 1}, third[CHAIN / 3 + 1], n = 0;
    for (uint32_t i = 0; i < CHAIN; i++) {
        all[i] = i;
        if (i % 3 == 0) third[n++] = i;
        mass[i] = 1 + i % 5;
        residue[i] = i / 4;
        // Bonds in any order and direction; 0 1 2 ... is the chain.
        if (i) bond[CHAIN - 1 - i][i % 2] = i, bond[CHAIN - 1 - i][!(i % 2)] = i - 1;
    }
    for (size_t k = 0; k < sizeof cells / sizeof *cells; k++)
        for (int u = 0; u < 2; u++) {
            struct trj_frame f = {.unit = units[u], .cell = cells[k]};
            bool good = true;
            for (int turn = 0; turn < 20; turn++) {
                // Steps of 1.5 Å, mainly in one direction: the chain is longer than several cells.
                double at[3] = {20 * uniform(), 20 * uniform(), 20 * uniform()};
                for (int i = 0; i < CHAIN; i++) {
                    double step[3], length = 0;
                    for (int c = 0; c < 3; c++) length += pow(step[c] = uniform() - 0.1 * c, 2);
                    for (int c = 0; c < 3; c++) where[i][c] = at[c] += 1.5 * step[c] / sqrt(length);
                }
                wrap_chain(&f, where);
                good = good && centre_is(&f, where, all, CHAIN, true, &top) &&
                       centre_is(&f, where, all, CHAIN, false, &top) && centre_is(&f, where, third, n, true, &top) &&
                       centre_is(&f, where, ends, 2, true, &top) && centre_is(&f, where, all + 7, 4, false, NULL) &&
                       without_bonds(&f, where, all);
            }
            ok(good, "cell %zu, unit %g: a chain longer than the cell, its thirds and its ends", k, units[u]);
            trj_frame_free(&f);
        }
}

static void test_sets(void) {
    struct trj_centres c = {.count = 0};
    uint32_t some[] = {5, 6, 8, 9, 10, 30};
    ok(!trj_centres_add(&c, true, TRJ_CENTRE_RESIDUE, some, 6, &top, &err) && c.count == 3 && c.first[0] == 5 &&
           c.first[1] == 8 && c.first[2] == 30 && c.begin[3] == 6,
       "a centre for each residue");
    ok(!trj_centres_add(&c, true, TRJ_CENTRE_MOLECULE, some, 6, &top, &err) && c.count == 4 && c.first[3] == 5,
       "one centre for the molecule");
    size_t places = c.begin[4] - c.begin[3];
    ok(places == 30 - 5 + 1 && c.longest == places, "it requires the %zu atoms from the first to the last along bonds",
       places);
    ok(trj_centres_add(&c, true, TRJ_CENTRE_SEGMENT, some, 6, &top, &err) && err.status == TRJ_USAGE, "%s", err.text);
    ok(trj_centres_add(&c, true, TRJ_CENTRE_GROUP, some, 6, NULL, &err) && err.status == TRJ_USAGE, "%s", err.text);
    ok(trj_centres_add(&c, false, TRJ_CENTRE_RESIDUE, some, 6, NULL, &err) && err.status == TRJ_USAGE, "%s", err.text);
    mass[30] = 0;
    ok(trj_centres_add(&c, true, TRJ_CENTRE_RESIDUE, some, 6, &top, &err) && err.status == TRJ_BAD_DATA, "%s",
       err.text);
    trj_centres_free(&c);
}

// Two random atoms in skewed cells: their distance must be the shortest of all images.
static void test_nearest(void) {
    bool good = true;
    int near = 0;
    for (int turn = 0; turn < 1000 && good; turn++) {
        struct trj_frame f = {.unit = 1, .cell = {.periodic = 7}};
        for (int k = 0; k < 3; k++)
            for (int c = 0; c < 3; c++) f.cell.h[k][c] = (k == c ? 4 : 0) + 8 * (uniform() - 0.5);
        if (trj_cell_volume(&f.cell) < 40) continue;
        if (trj_frame_resize(&f, 2, &err)) exit(1);
        double shortest = INFINITY, got = 0, d[3];
        for (int i = 0; i < 2; i++)
            for (int k = 0; k < 3; k++) f.x[k][i] = (float)(30 * uniform());
        for (int k = 0; k < 3; k++) d[k] = (double)f.x[k][1] - (double)f.x[k][0];
        double g[3][3];
        trj_cell_reciprocal(&f.cell, g);
        for (int k = 0; k < 3; k++) {
            double n = round(g[k][0] * d[0] + g[k][1] * d[1] + g[k][2] * d[2]);
            for (int c = 0; c < 3; c++) d[c] -= n * f.cell.h[k][c];
        }
        for (int n = 0; n < 17 * 17 * 17; n++) {
            const int of_a = n % 17 - 8, of_b = n / 17 % 17 - 8, of_c = n / 289 - 8;
            double r2 = 0;
            for (int c = 0; c < 3; c++)
                r2 += pow(d[c] + of_a * f.cell.h[0][c] + of_b * f.cell.h[1][c] + of_c * f.cell.h[2][c], 2);
            shortest = fmin(shortest, sqrt(r2));
        }
        uint32_t both[] = {0, 1};
        struct trj_centres c = {.count = 0};
        float x[3];
        float *const to[3] = {&x[0], &x[1], &x[2]};
        good =
            !trj_centres_add(&c, false, TRJ_CENTRE_GROUP, both, 2, NULL, &err) && !trj_centres_place(&c, &f, to, &err);
        for (int k = 0; k < 3; k++) got += pow(2 * ((double)x[k] - (double)f.x[k][0]), 2);
        // Two atoms within half the width of the cell have one centre; others are rejected or have any.
        struct trj_lattice l;
        if (trj_lattice_make(&l, &f.cell, &err)) exit(1);
        near += shortest < l.half;
        good = shortest >= l.half || (good && fabs(sqrt(got) - shortest) < 1e-4);
        if (!good) printf("# %g, shortest %g\n", sqrt(got), shortest);
        trj_centres_free(&c);
        trj_frame_free(&f);
    }
    ok(good && near > 100, "skewed cells: the nearest image is used");
}

// A ball of atoms, wider than half the cell, of molecules of two atoms; some are broken by the boundary.
static void test_ball(bool bonds, double radius, bool fills) {
    enum { MOLECULES = 600 };
    static uint32_t all[2 * MOLECULES], pairs[MOLECULES][2];
    static double where[2 * MOLECULES][3];
    const struct trj_topology pair_top = {
        .atoms = 2 * MOLECULES, .bond = bonds ? pairs : NULL, .bonds = bonds ? MOLECULES : 0};
    struct trj_frame f = {.unit = 1, .cell = {{{60, 0, 0}, {12, 60, 0}, {0, 0, 60}}, TRJ_PERIODIC_ALL}};
    struct trj_centres c = {.count = 0};
    double want[3] = {0}, got[3];
    float x[3];
    float *const to[3] = {&x[0], &x[1], &x[2]};
    if (trj_frame_resize(&f, 2 * MOLECULES, &err)) exit(1);
    for (size_t m = 0; m < MOLECULES;) {
        double at[3];
        for (int k = 0; k < 3; k++) at[k] = radius * (2 * uniform() - 1);
        if (at[0] * at[0] + at[1] * at[1] + at[2] * at[2] > radius * radius) continue;
        for (size_t i = 2 * m; i < 2 * m + 2; i++)
            for (int k = 0; k < 3; k++) where[i][k] = at[k] + (k == 0 && i % 2 ? 1 : 0) + (k ? 0 : 55);
        pairs[m][0] = (uint32_t)(2 * m);
        pairs[m][1] = (uint32_t)(2 * m + 1);
        m++;
    }
    for (uint32_t i = 0; i < 2 * MOLECULES; i++) {
        all[i] = i;
        double n[3], g[3][3];
        trj_cell_reciprocal(&f.cell, g);
        for (int k = 0; k < 3; k++)
            n[k] = -floor(g[k][0] * where[i][0] + g[k][1] * where[i][1] + g[k][2] * where[i][2]);
        for (int k = 0; k < 3; k++) {
            want[k] += where[i][k] / (2 * MOLECULES);
            f.x[k][i] = (float)(where[i][k] + n[0] * f.cell.h[0][k] + n[1] * f.cell.h[1][k] + n[2] * f.cell.h[2][k]);
        }
    }
    int rc = trj_centres_add(&c, false, TRJ_CENTRE_GROUP, all, 2 * MOLECULES, &pair_top, &err) ||
             trj_centres_place(&c, &f, to, &err);
    for (int k = 0; k < 3; k++) got[k] = x[k];
    ok(fills ? rc && err.status == TRJ_BAD_DATA && has_text(err.text, "fills the cell")
             : !rc && same_place(&f.cell, want, got),
       "a ball of diameter %g in a cell of 60 Angstrom, %s: %s", 2 * radius,
       bonds ? "molecules with bonds" : "no bonds", fills ? "rejected" : "its centre");
    trj_centres_free(&c);
    trj_frame_free(&f);
}

int main(void) {
    uniform_state = 3;
    test_chain();
    test_sets();
    test_nearest();
    for (int bonds = 0; bonds < 2; bonds++) {
        test_ball(bonds, 12, false);
        test_ball(bonds, 20, false);
        test_ball(bonds, 26, false);
        test_ball(bonds, 29, true);
    }
    return done();
}
