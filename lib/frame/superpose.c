// SPDX-License-Identifier: MIT
// Finds the rotation by the eigenvectors of a 4 x 4 matrix (Horn), and rejects points for which it is ambiguous.
#include "superpose.h"

#include <math.h>
#include <stdbool.h>

enum { SWEEPS = 50 }; // at most; a 4 x 4 matrix takes about 6

static void find_centre(double (*x)[3], const double *weight, size_t count, double centre[3]) {
    double sum[3] = {0}, total = 0;
    // Sums are relative to the first point, because small terms have small rounding errors.
    for (size_t i = 0; i < count; i++) {
        double w = weight ? weight[i] : 1;
        for (int k = 0; k < 3; k++) sum[k] += w * (x[i][k] - x[0][k]);
        total += w;
    }
    for (int k = 0; k < 3; k++) centre[k] = x[0][k] + sum[k] / total;
}

// Returns whether points lie on a line. The matrix of second moments has the eigenvalues e0 >= e1 >= e2; the sum of its
// principal minors of order 2 is e0 e1 + e0 e2 + e1 e2, which is about e1 / e0 of the squared trace.
static bool is_line(double (*x)[3], size_t count, const double centre[3]) {
    double m[3][3] = {{0}}, trace = 0, minors = 0;
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < 9; k++) m[k / 3][k % 3] += (x[i][k / 3] - centre[k / 3]) * (x[i][k % 3] - centre[k % 3]);
    for (int k = 0; k < 3; k++) {
        int p = (k + 1) % 3, q = (k + 2) % 3;
        trace += m[k][k];
        minors += m[p][p] * m[q][q] - m[p][q] * m[q][p];
    }
    return !(minors > TRJ_SUPERPOSE_GAP * trace * trace);
}

// Makes the element a[p][q] zero by a rotation of rows and columns p and q, and applies it to the columns of v (G. H.
// Golub, C. F. Van Loan, Matrix Computations, section 8.5).
static void rotate_axes(double a[4][4], double v[4][4], int p, int q) {
    if (a[p][q] == 0) return;
    double tau = (a[q][q] - a[p][p]) / (2 * a[p][q]);
    double t = (tau >= 0 ? 1 : -1) / (fabs(tau) + sqrt(1 + tau * tau));
    double c = 1 / sqrt(1 + t * t), s = t * c;
    for (int k = 0; k < 4; k++) {
        double kp = a[k][p], kq = a[k][q];
        a[k][p] = c * kp - s * kq;
        a[k][q] = s * kp + c * kq;
    }
    for (int k = 0; k < 4; k++) {
        double pk = a[p][k], qk = a[q][k], vp = v[k][p], vq = v[k][q];
        a[p][k] = c * pk - s * qk;
        a[q][k] = s * pk + c * qk;
        v[k][p] = c * vp - s * vq;
        v[k][q] = s * vp + c * vq;
    }
    a[p][q] = a[q][p] = 0; // removes rounding errors, which would delay convergence
}

void trj_diagonalise(double a[4][4], double v[4][4]) {
    for (int i = 0; i < 16; i++) v[i / 4][i % 4] = i / 4 == i % 4;
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        double outside = 0, inside = 0;
        for (int i = 0; i < 16; i++) *(i / 4 == i % 4 ? &inside : &outside) += a[i / 4][i % 4] * a[i / 4][i % 4];
        if (outside <= 1e-36 * inside) return;
        for (int p = 0; p < 3; p++)
            for (int q = p + 1; q < 4; q++) rotate_axes(a, v, p, q);
    }
}

static void set_rotation(double r[3][3], const double q[4]) {
    double w = q[0], x = q[1], y = q[2], z = q[3], n = w * w + x * x + y * y + z * z;
    const double of_q[3][3] = {{w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)},
                               {2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)},
                               {2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z}};
    for (int i = 0; i < 9; i++) r[i / 3][i % 3] = of_q[i / 3][i % 3] / n;
}

static int fail_ambiguous(struct trj_error *err) {
    return trj_fail(err, TRJ_BAD_DATA,
                    "the best rotation is not unique: the selected atoms lie on a line, or are the mirror image of a "
                    "symmetric reference; select at least %d atoms that do not lie on a line",
                    TRJ_SUPERPOSE_MIN);
}

int trj_superpose(struct trj_superposition *s, double (*reference)[3], double (*points)[3], const double *weight,
                  size_t count, struct trj_error *err) {
    double m[3][3] = {{0}}, v[4][4]; // m: products of coordinates of a point and its reference
    if (count < TRJ_SUPERPOSE_MIN) return fail_ambiguous(err);
    find_centre(points, weight, count, s->from);
    find_centre(reference, weight, count, s->to);
    if (is_line(points, count, s->from) || is_line(reference, count, s->to)) return fail_ambiguous(err);
    for (size_t i = 0; i < count; i++) {
        double w = weight ? weight[i] : 1;
        for (int a = 0; a < 3; a++)
            for (int b = 0; b < 3; b++) m[a][b] += w * (points[i][a] - s->from[a]) * (reference[i][b] - s->to[b]);
    }
    double n[4][4] = {{m[0][0] + m[1][1] + m[2][2], m[1][2] - m[2][1], m[2][0] - m[0][2], m[0][1] - m[1][0]},
                      {m[1][2] - m[2][1], m[0][0] - m[1][1] - m[2][2], m[0][1] + m[1][0], m[2][0] + m[0][2]},
                      {m[2][0] - m[0][2], m[0][1] + m[1][0], -m[0][0] + m[1][1] - m[2][2], m[1][2] + m[2][1]},
                      {m[0][1] - m[1][0], m[2][0] + m[0][2], m[1][2] + m[2][1], -m[0][0] - m[1][1] + m[2][2]}};
    trj_diagonalise(n, v);
    int best = 0, second = 1;
    for (int k = 1; k < 4; k++) best = n[k][k] > n[best][best] ? k : best;
    for (int k = 0; k < 4; k++)
        if (k != best && (second == best || n[k][k] > n[second][second])) second = k;
    if (!(n[best][best] > 0 && n[best][best] - n[second][second] > TRJ_SUPERPOSE_GAP * n[best][best]))
        return fail_ambiguous(err);
    const double q[4] = {v[0][best], v[1][best], v[2][best], v[3][best]};
    set_rotation(s->rotation, q);
    return 0;
}

static inline void rotate(const double r[3][3], double x[3]) {
    const double old[3] = {x[0], x[1], x[2]};
    for (int k = 0; k < 3; k++) x[k] = r[k][0] * old[0] + r[k][1] * old[1] + r[k][2] * old[2];
}

void trj_superpose_points(const struct trj_superposition *s, double (*x)[3], size_t count) {
    for (size_t i = 0; i < count; i++) {
        for (int k = 0; k < 3; k++) x[i][k] -= s->from[k];
        rotate(s->rotation, x[i]);
        for (int k = 0; k < 3; k++) x[i][k] += s->to[k];
    }
}

void trj_superpose_cell(const struct trj_superposition *s, struct trj_cell *cell) {
    for (int k = 0; k < 3; k++) rotate(s->rotation, cell->h[k]);
}
