// SPDX-License-Identifier: MIT
// Random walks of molecules are wrapped atom by atom into cells of random shape and basis; unwrapping gives them back.
#include "unwrap.h"

#include <math.h>
#include <string.h>

#include "tap.h"
#include "uniform.h"

static struct trj_error err;

enum { MOLECULES = 40, SIZE = 3, ATOMS = MOLECULES * SIZE, FRAMES = 200 };

static uint32_t bond[MOLECULES * (SIZE - 1)][2];
static struct trj_whole molecules;
static double truth[ATOMS][3], wrapped[ATOMS][3];

static void place(const double s[3], const struct trj_cell *cell, double x[3]) {
    for (int c = 0; c < 3; c++) x[c] = (s[0] * cell->h[0][c] + s[1] * cell->h[1][c]) + s[2] * cell->h[2][c];
}

static void fractions(const struct trj_cell *cell, const double x[3], double s[3]) {
    double g[3][3];
    trj_cell_reciprocal(cell, g);
    for (int k = 0; k < 3; k++) s[k] = g[k][0] * x[0] + g[k][1] * x[1] + g[k][2] * x[2];
}

static void make_molecules(void) {
    for (uint32_t m = 0, n = 0; m < MOLECULES; m++)
        for (uint32_t i = 1; i < SIZE; i++, n++) {
            bond[n][0] = m * SIZE + i - 1;
            bond[n][1] = m * SIZE + i;
        }
    if (trj_whole_make(&molecules, bond, sizeof bond / sizeof *bond, ATOMS, &err)) exit(1);
}

// A skewed cell with periodic vectors of about 20 Å.
static struct trj_cell skewed(unsigned periodic) {
    struct trj_cell cell = {.periodic = periodic};
    for (int k = 0; k < 3; k++)
        for (int c = 0; c < 3; c++) cell.h[k][c] = k == c ? 18 + 4 * uniform() : 5 * uniform() - 2.5;
    return cell;
}

// Replaces the basis of the lattice by another one, as LAMMPS does, with whole numbers of at most 1.
static struct trj_cell flipped(const struct trj_cell *cell) {
    struct trj_cell other = *cell;
    int a = (int)(3 * uniform()), b = (a + 1 + (int)(2 * uniform())) % 3;
    double sign = uniform() < 0.5 ? -1 : 1;
    if (cell->periodic >> a & cell->periodic >> b & 1)
        for (int c = 0; c < 3; c++) other.h[a][c] += sign * cell->h[b][c];
    return other;
}

// Wraps each atom of truth, which is in the lattice of `cell`, into the cell.
static void wrap(const struct trj_cell *cell) {
    for (size_t i = 0; i < ATOMS; i++) {
        double s[3];
        fractions(cell, truth[i], s);
        memcpy(wrapped[i], truth[i], sizeof wrapped[i]);
        for (int k = 0; k < 3; k++)
            for (int c = 0; c < 3 && cell->periodic >> k & 1; c++) wrapped[i][c] -= floor(s[k]) * cell->h[k][c];
    }
}

static int unwrap(struct trj_unwrap *u, const struct trj_cell *cell, bool by_molecule) {
    struct trj_lattice l;
    if (trj_lattice_make(&l, cell, &err)) return -1;
    if (by_molecule && trj_whole_apply(&molecules, &l, wrapped, &err)) return -1;
    return trj_unwrap_apply(u, cell, &l, wrapped, &err);
}

// Returns the largest difference between the displacements of atoms since the first frame.
static double worst(double (*start)[3], double (*start_truth)[3]) {
    double most = 0;
    for (size_t i = 0; i < ATOMS; i++)
        for (int c = 0; c < 3; c++)
            most = fmax(most, fabs((wrapped[i][c] - start[i][c]) - (truth[i][c] - start_truth[i][c])));
    return most;
}

static void put_molecules(void) {
    for (uint32_t m = 0; m < MOLECULES; m++)
        for (uint32_t i = 0; i < SIZE; i++)
            for (int c = 0; c < 3; c++)
                truth[m * SIZE + i][c] = i ? truth[m * SIZE + i - 1][c] + 2 * uniform() - 1 : 20 * uniform();
}

static void step_molecules(double length) {
    for (uint32_t m = 0; m < MOLECULES; m++) {
        double by[3];
        for (int c = 0; c < 3; c++) by[c] = length * (2 * uniform() - 1);
        for (uint32_t i = 0; i < SIZE; i++)
            for (int c = 0; c < 3; c++) truth[m * SIZE + i][c] += by[c];
    }
}

// A constant lattice, whose basis changes in each frame: both ways must give the walk.
static void check_walk(enum trj_movement_kind kind, unsigned periodic, bool by_molecule, const char *name) {
    double start[ATOMS][3] = {{0}}, start_truth[ATOMS][3] = {{0}}, most = 0, far = 0;
    struct trj_cell cell = skewed(periodic);
    struct trj_unwrap_setup setup = {.kind = kind, .atoms = ATOMS, .molecules = by_molecule ? &molecules : NULL};
    struct trj_unwrap *u = NULL;
    memcpy(setup.mean_cell, cell.h, sizeof cell.h);
    bool good = !trj_unwrap_open(&u, &setup, &err);
    put_molecules();
    for (int f = 0; good && f < FRAMES; f++) {
        struct trj_cell now = f ? flipped(&cell) : cell;
        if (f) step_molecules(2);
        wrap(&now);
        good = !unwrap(u, &now, by_molecule);
        if (!f) {
            memcpy(start, wrapped, sizeof start);
            memcpy(start_truth, truth, sizeof start_truth);
        }
        most = fmax(most, worst(start, start_truth));
    }
    for (size_t i = 0; i < ATOMS; i++) far = fmax(far, fabs(truth[i][0] - start_truth[i][0]));
    ok(good && most < 1e-9 && far > 20, "%s: a walk of %.3g Å in a skewed cell whose basis flips (%g)", name, far,
       most);
    trj_unwrap_close(u);
}

// Centres of molecules walk in fractional coordinates of a cell that changes; their atoms keep their distances.
static void check_fractions(void) {
    double start[ATOMS][3] = {{0}}, start_truth[ATOMS][3] = {{0}}, s[MOLECULES][3], shape[ATOMS][3], most = 0;
    struct trj_cell mean = skewed(TRJ_PERIODIC_ALL), now = mean;
    struct trj_unwrap_setup setup = {.kind = TRJ_UNWRAPPED_FRACTION, .atoms = ATOMS, .molecules = &molecules};
    struct trj_unwrap *u = NULL;
    memcpy(setup.mean_cell, mean.h, sizeof mean.h);
    bool good = !trj_unwrap_open(&u, &setup, &err);
    for (size_t m = 0; m < MOLECULES; m++) {
        double sum[3] = {0};
        for (int c = 0; c < 3; c++) s[m][c] = uniform();
        for (size_t i = 0; i < SIZE; i++)
            for (int c = 0; c < 3; c++) sum[c] += shape[m * SIZE + i][c] = (double)i + uniform();
        for (size_t i = 0; i < SIZE; i++)
            for (int c = 0; c < 3; c++) shape[m * SIZE + i][c] -= sum[c] / SIZE;
    }
    for (int f = 0; good && f < FRAMES; f++) {
        for (int k = 0; k < 3; k++)
            for (int c = 0; c < 3; c++) now.h[k][c] = mean.h[k][c] * (0.95 + 0.1 * uniform());
        struct trj_cell basis = f ? flipped(&now) : now;
        for (size_t i = 0; i < ATOMS; i++) {
            double x[3];
            for (int c = 0; i % SIZE == 0 && f && c < 3; c++) s[i / SIZE][c] += 0.3 * uniform() - 0.15;
            place(s[i / SIZE], &now, x);
            for (int c = 0; c < 3; c++) truth[i][c] = x[c] + shape[i][c];
        }
        wrap(&basis);
        good = !unwrap(u, &basis, true);
        for (size_t i = 0; i < ATOMS; i++) {
            double x[3];
            place(s[i / SIZE], &mean, x);
            for (int c = 0; c < 3; c++) truth[i][c] = x[c] + shape[i][c];
        }
        if (!f) {
            memcpy(start, wrapped, sizeof start);
            memcpy(start_truth, truth, sizeof start_truth);
        }
        most = fmax(most, worst(start, start_truth));
    }
    ok(good && most < 1e-9, "fractions: walks in the fractions of a cell that changes, with rigid molecules (%g)",
       most);
    trj_unwrap_close(u);
}

// Whether the second frame is accepted if one of two atoms moves by d.
static bool accepts(const struct trj_cell *cell, const double d[3], const uint32_t *rows) {
    struct trj_unwrap_setup setup = {
        .kind = TRJ_UNWRAPPED_TOROIDAL, .atoms = 2, .rows = rows, .row_count = rows ? 1 : 0};
    struct trj_unwrap *u = NULL;
    struct trj_lattice l;
    double x[2][3] = {{1, 1, 1}, {2, 3, 4}};
    if (trj_lattice_make(&l, cell, &err) || trj_unwrap_open(&u, &setup, &err) || trj_unwrap_apply(u, cell, &l, x, &err))
        exit(1);
    for (int c = 0; c < 3; c++) x[1][c] += d[c];
    bool good = !trj_unwrap_apply(u, cell, &l, x, &err);
    trj_unwrap_close(u);
    return good;
}

// The step is compared with the projections on all lattice vectors near the origin.
static void check_limit(void) {
    int wrong = 0, rejected = 0, count = 0;
    for (int run = 0; run < 20; run++) {
        struct trj_cell cell = skewed(run % 2 ? TRJ_PERIODIC_ALL : TRJ_PERIODIC_A | TRJ_PERIODIC_B);
        struct trj_lattice l;
        if (trj_lattice_make(&l, &cell, &err)) exit(1);
        for (int k = 0; k < 500; k++, count++) {
            double d[3], largest = 0;
            for (int c = 0; c < 3; c++) d[c] = c == 2 && run % 2 == 0 ? 0 : 60 * uniform() - 30;
            double near[3] = {d[0], d[1], d[2]};
            trj_nearest_image(&l, near);
            for (int n = 0; n < 343; n++) {
                const double at[3] = {n % 7 - 3, n / 7 % 7 - 3, cell.periodic >> 2 & 1 ? n / 49 - 3 : 0};
                double v[3], v2, dv;
                place(at, &cell, v);
                v2 = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
                dv = fabs(near[0] * v[0] + near[1] * v[1] + near[2] * v[2]);
                if (v2 > 0) largest = fmax(largest, dv / v2);
            }
            bool good = accepts(&cell, d, NULL);
            rejected += !good;
            if (fabs(largest - TRJ_UNWRAP_LIMIT) > 1e-9) wrong += good != (largest < TRJ_UNWRAP_LIMIT);
        }
    }
    ok(!wrong && rejected > 1000 && rejected < count - 1000, "ambiguous steps: %d of %d rejected, %d wrong", rejected,
       count, wrong);
}

int main(void) {
    const struct trj_cell cube = {.h = {{10, 0, 0}, {0, 10, 0}, {0, 0, 10}}, .periodic = TRJ_PERIODIC_ALL};
    static const double near_half[3] = {0, 4.6, 0}, below[3] = {0, -4.4, 0};
    static const uint32_t other[1] = {0};
    make_molecules();
    check_walk(TRJ_UNWRAPPED_TOROIDAL, TRJ_PERIODIC_ALL, true, "toroidal, molecules");
    check_walk(TRJ_UNWRAPPED_TOROIDAL, TRJ_PERIODIC_ALL, false, "toroidal, atoms");
    check_walk(TRJ_UNWRAPPED_TOROIDAL, TRJ_PERIODIC_A | TRJ_PERIODIC_C, true, "toroidal, periodic along a and c");
    check_walk(TRJ_UNWRAPPED_FRACTION, TRJ_PERIODIC_ALL, true, "fractions, molecules");
    check_walk(TRJ_UNWRAPPED_FRACTION, TRJ_PERIODIC_ALL, false, "fractions, atoms");
    check_walk(TRJ_UNWRAPPED_FRACTION, TRJ_PERIODIC_A | TRJ_PERIODIC_B, true, "fractions, periodic along a and b");
    check_fractions();
    check_limit();
    ok(accepts(&cube, below, NULL) && !accepts(&cube, near_half, NULL) &&
           has_text(err.text, "atom 1 (counted from 0) has moved by 0.46 of a cell vector"),
       "a step of 0.44 is followed, one of 0.46 is rejected with the atom");
    ok(accepts(&cube, near_half, other), "an atom that is not unwrapped may move by half a cell");
    trj_whole_free(&molecules);
    return done();
}
