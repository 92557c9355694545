// SPDX-License-Identifier: MIT
// Matches the bases of consecutive cells by integers, because simulations of sheared systems change the basis.
#include "cell_basis.h"

#include <math.h>
#include <string.h>

// Largest deformation of a vector (cell_basis.h), and largest integer that is tried.
#define LARGEST (1.0 / 3)
enum { REACH = 2 };

static const double identity[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

static double dot(const double a[3], const double b[3]) {
    return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2];
}

static bool equal(const double a[3], const double b[3]) {
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

bool trj_basis_same_vectors(const struct trj_cell *a, const struct trj_cell *b) {
    return equal(a->h[0], b->h[0]) && equal(a->h[1], b->h[1]) && equal(a->h[2], b->h[2]);
}

static double det(const double m[3][3]) {
    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
           m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

static void multiply(const double a[3][3], const double b[3][3], double to[3][3]) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) to[i][j] = (a[i][0] * b[0][j] + a[i][1] * b[1][j]) + a[i][2] * b[2][j];
}

// Rotates the vectors so that a is along x, and b in the x y plane.
static void orient(struct trj_cell *cell) {
    double axis[3][3], h[3][3] = {{0}};
    memcpy(axis, cell->h, sizeof axis);
    for (int k = 0; k < 3; k++) {
        for (int j = 0; j < k; j++) {
            double along = dot(axis[k], axis[j]);
            for (int c = 0; c < 3; c++) axis[k][c] -= along * axis[j][c];
        }
        double length = sqrt(dot(axis[k], axis[k]));
        for (int c = 0; c < 3; c++) axis[k][c] /= length;
        for (int j = 0; j <= k; j++) h[k][j] = dot(cell->h[k], axis[j]);
    }
    memcpy(cell->h, h, sizeof h);
}

// Computes C. Non-periodic directions have the rows and columns of a unit matrix.
static void compare(const struct trj_basis *b, const struct trj_cell *cell, double c[3][3]) {
    struct trj_cell from = b->last, to = *cell;
    double g[3][3];
    if (b->rotates && cell->periodic == TRJ_PERIODIC_ALL) {
        orient(&from);
        orient(&to);
    }
    trj_cell_reciprocal(&from, g);
    memcpy(c, identity, sizeof identity);
    for (int k = 0; k < 3; k++)
        for (int j = 0; j < 3 && cell->periodic >> k & 1; j++) c[k][j] = dot(g[j], to.h[k]);
}

static bool correspond(const double c[3][3]) {
    bool all = true;
    for (int k = 0; k < 3; k++) {
        double other = fabs(c[k][(k + 1) % 3]) + fabs(c[k][(k + 2) % 3]);
        all = all && c[k][k] > 0 && other <= LARGEST * c[k][k];
    }
    return all;
}

// Finds row k of M. Returns whether there is one.
static bool find_row(const double c[3][3], double scale, unsigned periodic, int k, double row[3]) {
    int reach[3];
    for (int j = 0; j < 3; j++) reach[j] = periodic >> j & 1 ? REACH : 0;
    for (int x = -reach[0]; x <= reach[0]; x++)
        for (int y = -reach[1]; y <= reach[1]; y++)
            for (int z = -reach[2]; z <= reach[2]; z++) {
                double off = 0;
                for (int j = 0; j < 3; j++)
                    off += fabs(((x * c[0][j] + y * c[1][j]) + z * c[2][j]) / scale - identity[k][j]);
                if (off > LARGEST) continue;
                row[0] = x;
                row[1] = y;
                row[2] = z;
                return true;
            }
    return false;
}

// Finds M. Returns whether there is one.
static bool match(const double c[3][3], unsigned periodic, double m[3][3]) {
    int n = 0;
    memcpy(m, identity, sizeof identity);
    if (correspond(c)) return true;
    for (int k = 0; k < 3; k++) n += (int)(periodic >> k & 1);
    double scale = pow(fabs(det(c)), 1.0 / n);
    for (int k = 0; k < 3; k++)
        if (periodic >> k & 1 && !find_row(c, scale, periodic, k, m[k])) return false;
    return fabs(det((const double(*)[3])m)) == 1;
}

static int next_basis(struct trj_basis *b, const struct trj_cell *cell, struct trj_error *err) {
    double c[3][3], m[3][3], t[3][3];
    compare(b, cell, c);
    if (!match((const double(*)[3])c, cell->periodic, m))
        return trj_fail(err, TRJ_BAD_DATA,
                        "the cell cannot be followed from the frame before: no vectors of its lattice are within a "
                        "third of those before; write frames more often, or select frames with similar cells (trjcat "
                        "-f)");
    multiply((const double(*)[3])b->t, (const double(*)[3])m, t);
    memcpy(b->t, t, sizeof t);
    return 0;
}

int trj_basis_follow(struct trj_basis *b, struct trj_cell *cell, struct trj_error *err) {
    double h[3][3];
    if (!b->started || b->last.periodic != cell->periodic) {
        memcpy(b->t, identity, sizeof identity);
        b->started = true;
    } else if (!trj_basis_same_vectors(&b->last, cell) && next_basis(b, cell, err)) {
        return -1;
    }
    b->last = *cell;
    multiply((const double(*)[3])b->t, (const double(*)[3])cell->h, h);
    for (int k = 0; k < 3; k++)
        if (cell->periodic >> k & 1 && !equal(b->t[k], identity[k])) memcpy(cell->h[k], h[k], sizeof h[k]);
    return 0;
}

void trj_basis_restart(struct trj_basis *b) {
    b->started = false;
}
