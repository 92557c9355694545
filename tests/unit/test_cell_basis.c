// SPDX-License-Identifier: MIT
// The basis of the cell is followed through random changes of basis and deformations.
#include "cell_basis.h"

#include <math.h>
#include <string.h>

#include "tap.h"
#include "uniform.h"

static struct trj_error err;

static void product(const double a[3][3], const double b[3][3], double to[3][3]) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) to[i][j] = a[i][0] * b[0][j] + a[i][1] * b[1][j] + a[i][2] * b[2][j];
}

static double distance(const double a[3][3], const double b[3][3]) {
    double most = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) most = fmax(most, fabs(a[i][j] - b[i][j]));
    return most;
}

// Makes a unimodular matrix: a permutation, signs, and two vectors added to others.
static void change_basis(double m[3][3], unsigned periodic) {
    memset(m, 0, 9 * sizeof **m);
    for (int k = 0; k < 3; k++) m[k][k] = periodic >> k & 1 && uniform() < 0.3 ? -1 : 1;
    for (int step = 0; step < 3; step++) {
        int a = (int)(3 * uniform()), b = (int)(3 * uniform());
        if (a == b || !(periodic >> a & 1) || !(periodic >> b & 1)) continue;
        double old[3][3], sign = uniform() < 0.5 ? -1 : 1;
        memcpy(old, m, sizeof old);
        for (int c = 0; c < 3; c++) m[a][c] += sign * old[b][c];
    }
}

// Returns whether M and its inverse have entries of at most 2: the rule tries no larger ones.
static bool within_reach(const double m[3][3]) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            int p = (i + 1) % 3, q = (i + 2) % 3, r = (j + 1) % 3, s = (j + 2) % 3;
            if (fabs(m[i][j]) > 2 || fabs(m[p][r] * m[q][s] - m[p][s] * m[q][r]) > 2) return false;
        }
    return true;
}

static struct trj_cell random_cell(unsigned periodic) {
    struct trj_cell cell = {.periodic = periodic};
    for (int k = 0; k < 3; k++)
        for (int c = 0; c < 3; c++) cell.h[k][c] = k == c ? 10 + 20 * uniform() : 6 * uniform() - 3;
    return cell;
}

// Follows cells that are deformed a little in each frame, and whose basis changes at random.
static void check_random(unsigned periodic, const char *name) {
    int bad = 0, changes = 0;
    for (int run = 0; run < 100; run++) {
        struct trj_basis basis = {.rotates = false};
        struct trj_cell smooth = random_cell(periodic), cell = smooth; // smooth: what the followed cell must be
        double of_frame[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
        bad += trj_basis_follow(&basis, &cell, &err) != 0;
        for (int frame = 0; frame < 20; frame++) {
            double m[3][3], next[3][3];
            for (int k = 0; k < 3; k++)
                for (int c = 0; c < 3; c++) smooth.h[k][c] += 0.02 * (2 * uniform() - 1);
            change_basis(m, periodic);
            product((const double(*)[3])m, (const double(*)[3])of_frame, next);
            if (within_reach((const double(*)[3])m) && within_reach((const double(*)[3])next)) {
                memcpy(of_frame, next, sizeof of_frame);
                changes++;
            }
            cell = smooth;
            product((const double(*)[3])of_frame, (const double(*)[3])smooth.h, cell.h);
            bad += trj_basis_follow(&basis, &cell, &err) != 0;
            bad += !(distance((const double(*)[3])cell.h, (const double(*)[3])smooth.h) < 1e-9);
        }
    }
    ok(!bad && changes > 1000, "%s: %d random changes of the basis are undone, %d are not", name, changes, bad);
}

static struct trj_cell tilted(double tilt) {
    return (struct trj_cell){.h = {{12, 0, 0}, {tilt, 12, 0}, {0, 0, 12}}, .periodic = TRJ_PERIODIC_ALL};
}

// Follows a cell from `first`. Returns the tilt of the basis found, NAN if there is none.
static double follow_tilt(double first, double tilt) {
    struct trj_basis basis = {.rotates = false};
    struct trj_cell a = tilted(first), b = tilted(tilt);
    if (trj_basis_follow(&basis, &a, &err)) return NAN;
    return trj_basis_follow(&basis, &b, &err) ? NAN : b.h[1][0];
}

static void check_shear(void) {
    struct trj_basis basis = {.rotates = false};
    double most = 0;
    for (int step = 0; step < 100; step++) { // LAMMPS replaces 6.6 by -5.4 and so on: 10 cells of shear
        double shear = 1.2 * step;
        struct trj_cell cell = tilted(shear - 12 * rint(shear / 12));
        if (trj_basis_follow(&basis, &cell, &err)) most = INFINITY;
        most = fmax(most, fabs(cell.h[1][0] - shear));
    }
    ok(most < 1e-9, "shear by ten cells, with the tilt kept within half a cell: the basis is sheared by ten cells");
    ok(follow_tilt(6, -6) == 6 && follow_tilt(5, -5) == 7, "tilts of 6 and -6 of 12: one lattice; of 5 and -5: 7");
    ok(follow_tilt(0, 3.9) == 3.9 && fabs(follow_tilt(0, 8.1) + 3.9) < 1e-12,
       "tilts of just below a third and above two thirds: deformed by a third");
    ok(isnan(follow_tilt(0, 6)) && err.status == TRJ_BAD_DATA && has_text(err.text, "write frames more often"),
       "a tilt of half a cell in one frame is rejected: %s", err.text);
}

static void check_bits(void) {
    struct trj_basis basis = {.rotates = false};
    bool same = true;
    for (int frame = 0; frame < 100; frame++) {
        struct trj_cell cell = {.h = {{0}}, .periodic = TRJ_PERIODIC_ALL}, before;
        for (int k = 0; k < 3; k++) cell.h[k][k] = (k + 1) * (frame < 50 ? 10 : 30) + uniform(); // also far larger
        before = cell;
        same = same && !trj_basis_follow(&basis, &cell, &err) &&
               distance((const double(*)[3])cell.h, (const double(*)[3])before.h) == 0;
    }
    ok(same, "vectors that only become longer or shorter are not changed in a bit");
}

// A cubic cell that turns by 90 degrees has the lattice of the frame before, but another basis of it.
static void check_rotation(void) {
    const struct trj_cell first = {.h = {{9, 0, 0}, {0, 9, 0}, {0, 0, 9}}, .periodic = TRJ_PERIODIC_ALL},
                          turned = {.h = {{0, 9, 0}, {-9, 0, 0}, {0, 0, 9}}, .periodic = TRJ_PERIODIC_ALL};
    for (int rotates = 0; rotates < 2; rotates++) {
        struct trj_basis basis = {.rotates = rotates};
        struct trj_cell a = first, b = turned;
        bool good = !trj_basis_follow(&basis, &a, &err) && !trj_basis_follow(&basis, &b, &err);
        ok(good && distance((const double(*)[3])b.h, (const double(*)[3])(rotates ? turned.h : first.h)) == 0,
           "a cell that turns by 90 degrees: %s",
           rotates ? "its vectors turn, if frames are rotated" : "its lattice stays");
    }
}

int main(void) {
    check_random(TRJ_PERIODIC_ALL, "three periodic directions");
    check_random(TRJ_PERIODIC_A | TRJ_PERIODIC_B, "a slab");
    check_random(TRJ_PERIODIC_B, "a wire");
    check_shear();
    check_bits();
    check_rotation();
    return done();
}
