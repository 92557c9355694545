// SPDX-License-Identifier: MIT
// Parses, restricts and reduces unit cells in one place, because each format describes them in another form.
#include "cell.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "number.h"
#include "vector_products.h"

// Vectors are considered coplanar if their volume, divided by the product of their lengths, is less than this. The
// smallest value in our real files is 0.33. The squared sine from float32 cosines has an error of 1e-7, so that values
// near this limit can be rounding errors.
static const double FLAT = 1e-5;

static double det(double h[3][3]) {
    double bc[3];
    trj_cross(h[1], h[2], bc);
    return trj_dot(h[0], bc);
}

double trj_cosine(double degrees) {
    return degrees == 90 ? 0 : cos(degrees * (acos(-1.0) / 180));
}

double trj_degrees(double cosine) {
    return cosine == 0 ? 90 : acos(cosine) * (180 / acos(-1.0));
}

int trj_cell_parse(struct trj_cell *cell, const char *text, struct trj_error *err) {
    double v[6] = {0, 0, 0, 90, 90, 90}, cosine[3];
    size_t n = trj_parse_reals(text, v, 6);
    if (n != 3 && n != 6)
        return trj_fail(err, TRJ_USAGE, "invalid value '%s': expected A,B,C or A,B,C,ALPHA,BETA,GAMMA", text);
    for (int k = 3; k < 6; k++)
        if (!(v[k] > 0 && v[k] < 180))
            return trj_fail(err, TRJ_USAGE, "invalid angle %g: expected degrees above 0 and below 180", v[k]);
    for (int k = 0; k < 3; k++) cosine[k] = trj_cosine(v[3 + k]);
    if (!trj_cell_set(cell, v, cosine, err)) return 0;
    err->status = TRJ_USAGE;
    return trj_fail_at(err, "%s", text);
}

const char *trj_periodic_name(unsigned periodic) {
    static const char *const names[] = {"none", "x", "y", "xy", "z", "xz", "yz", "xyz"};
    return names[periodic & TRJ_PERIODIC_ALL];
}

unsigned trj_periodic_parse(const char *text) {
    unsigned periodic = 0;
    for (unsigned k = 0; k < 3; k++) periodic |= strchr(text, "xyz"[k]) ? 1u << k : 0;
    return periodic;
}

void trj_cell_shape(const struct trj_cell *cell, double length[3], double cosine[3]) {
    for (int k = 0; k < 3; k++) length[k] = trj_norm(cell->h[k]);
    for (int k = 0; k < 3; k++) {
        int p = (k + 1) % 3, q = (k + 2) % 3;
        cosine[k] = trj_dot(cell->h[p], cell->h[q]) / (length[p] * length[q]);
    }
}

int trj_cell_set(struct trj_cell *cell, const double length[3], const double cosine[3], struct trj_error *err) {
    memset(cell, 0, sizeof *cell);
    for (int k = 0; k < 3; k++) {
        if (!isfinite(length[k]) || length[k] < 0)
            return trj_fail(err, TRJ_BAD_DATA, "cell length %c is %g", 'a' + k, length[k]);
        if (!(fabs(cosine[k]) <= 1)) // or NaN
            return trj_fail(err, TRJ_BAD_DATA, "cosine of cell angle %s is %g",
                            (const char *[]){"alpha", "beta", "gamma"}[k], cosine[k]);
    }
    double ca = cosine[0], cb = cosine[1], cg = cosine[2];
    if (length[0] == 0 && length[1] == 0 && length[2] == 0) {
        // Six zeros in a file with degrees arrive here as cosines of 1.
        if ((ca == 0 && cb == 0 && cg == 0) || (ca == 1 && cb == 1 && cg == 1)) return 0;
        return trj_fail(err, TRJ_BAD_DATA, "cell of no length with angles of %g %g %g degrees", trj_degrees(ca),
                        trj_degrees(cb), trj_degrees(cg));
    }
    double sg = sqrt((1 - cg) * (1 + cg));
    double cy = sg > 0 ? (ca - cb * cg) / sg : 2;
    double cz2 = (1 - cb) * (1 + cb) - cy * cy;
    if (!(cz2 > 0) || sg * sqrt(cz2) < FLAT)
        return trj_fail(err, TRJ_BAD_DATA, "cell angles of %g %g %g degrees span no volume", trj_degrees(ca),
                        trj_degrees(cb), trj_degrees(cg));
    const double unit[3][3] = {{1, 0, 0}, {cg, sg, 0}, {cb, cy, sqrt(cz2)}};
    for (int k = 0; k < 3; k++)
        for (int j = 0; j <= k; j++) cell->h[k][j] = length[k] * unit[k][j];
    cell->periodic = TRJ_PERIODIC_ALL;
    return 0;
}

// Lists the periodic directions in `axis`. Returns their number.
static int periodic_rows(const struct trj_cell *cell, int rows[3]) {
    int n = 0;
    for (int k = 0; k < 3; k++)
        if (cell->periodic & (1u << k)) rows[n++] = k;
    return n;
}

// Returns the length, area or volume that the n vectors span.
static double span(double h[3][3], const int rows[3], int n) {
    double c[3];
    switch (n) {
    case 1:
        return trj_norm(h[rows[0]]);
    case 2:
        trj_cross(h[rows[0]], h[rows[1]], c);
        return trj_norm(c);
    default:
        return fabs(det(h));
    }
}

int trj_cell_restrict(struct trj_cell *cell, unsigned periodic, struct trj_error *err) {
    cell->periodic &= periodic;
    int rows[3], n = periodic_rows(cell, rows);
    if (!n) return 0;
    double product = 1;
    for (int i = 0; i < n; i++) {
        const double *v = cell->h[rows[i]];
        if (!isfinite(v[0]) || !isfinite(v[1]) || !isfinite(v[2]))
            return trj_fail(err, TRJ_BAD_DATA, "cell vector %c is %g %g %g", 'a' + rows[i], v[0], v[1], v[2]);
        if (!(trj_norm(v) > 0)) return trj_fail(err, TRJ_BAD_DATA, "cell vector %c is zero", 'a' + rows[i]);
        product *= trj_norm(v);
    }
    double volume = span(cell->h, rows, n);
    if (!(volume >= FLAT * product) || !isfinite(product))
        return trj_fail(err, TRJ_BAD_DATA, "cell vectors lie in one %s", n == 3 ? "plane" : "line");
    return 0;
}

double trj_cell_volume(const struct trj_cell *cell) {
    struct trj_cell c = *cell;
    return fabs(det(c.h));
}

double trj_cell_height(const struct trj_cell *cell, int axis) {
    double face[3];
    trj_cross(cell->h[(axis + 1) % 3], cell->h[(axis + 2) % 3], face);
    double area = trj_norm(face);
    return area > 0 ? trj_cell_volume(cell) / area : 0;
}

// 1/|g[k]| is the distance between neighbouring planes n_k = const. The smallest of them is twice the radius of the
// largest sphere inside the cell.
double trj_cell_min_width(const struct trj_cell *cell) {
    double g[3][3], width = INFINITY;
    int rows[3], n = periodic_rows(cell, rows);
    trj_cell_reciprocal(cell, g);
    for (int i = 0; i < n; i++) {
        double size = trj_norm(g[rows[i]]);
        width = fmin(width, size > 0 ? 1 / size : 0);
    }
    return width;
}

void trj_cell_reciprocal(const struct trj_cell *cell, double g[3][3]) {
    struct trj_cell c = *cell;
    int rows[3], n = periodic_rows(cell, rows);
    memset(g, 0, sizeof(double[3][3]));
    if (!n || !(span(c.h, rows, n) > 0)) return;
    if (n == 3) {
        double volume = det(c.h);
        for (int k = 0; k < 3; k++) {
            trj_cross(c.h[(k + 1) % 3], c.h[(k + 2) % 3], g[k]);
            for (int j = 0; j < 3; j++) g[k][j] /= volume;
        }
    } else if (
        n ==
        2) { // within the plane of the two, from its normal: p.p q.q - (p.q)^2 loses digits if they are almost parallel
        const double *p = c.h[rows[0]], *q = c.h[rows[1]];
        double face[3];
        trj_cross(p, q, face);
        trj_cross(q, face, g[rows[0]]);
        trj_cross(face, p, g[rows[1]]);
        for (int j = 0; j < 3; j++) {
            g[rows[0]][j] /= trj_dot(face, face);
            g[rows[1]][j] /= trj_dot(face, face);
        }
    } else {
        const double *p = c.h[rows[0]];
        for (int j = 0; j < 3; j++) g[rows[0]][j] = p[j] / trj_dot(p, p);
    }
}

// Subtracts `times` h[b] from h[a], and updates the whole numbers t.
static void subtract(struct trj_cell *cell, double t[3][3], int a, int b, double times) {
    for (int c = 0; c < 3; c++) {
        cell->h[a][c] -= times * cell->h[b][c];
        t[a][c] -= times * t[b][c];
    }
}

// Each step shortens a vector. The limit on the number of steps only matters for rounding errors.
static void shorten(struct trj_cell *cell, double t[3][3]) {
    double(*h)[3] = cell->h;
    bool changed = true;
    for (int step = 0; changed && step < 1000; step++) {
        changed = false;
        for (int a = 0; a < 3; a++)
            for (int b = 0; b < 3; b++) {
                if (a == b || !(cell->periodic & 1u << a) || !(cell->periodic & 1u << b)) continue;
                double times = round(trj_dot(h[a], h[b]) / trj_dot(h[b], h[b]));
                if (fabs(trj_dot(h[a], h[b])) <= 0.5000001 * trj_dot(h[b], h[b])) continue;
                subtract(cell, t, a, b, times);
                changed = true;
            }
        for (int a = 0; a < 3; a++)
            for (int signs = 0; signs < 4; signs++) {
                int b = (a + 1) % 3, c = (a + 2) % 3;
                double sb = signs & 1 ? 1 : -1, sc = signs & 2 ? 1 : -1, sum[3];
                if (cell->periodic != TRJ_PERIODIC_ALL) continue;
                for (int k = 0; k < 3; k++) sum[k] = h[a][k] - sb * h[b][k] - sc * h[c][k];
                if (trj_dot(sum, sum) >= 0.9999999 * trj_dot(h[a], h[a])) continue;
                subtract(cell, t, a, b, sb);
                subtract(cell, t, a, c, sc);
                changed = true;
            }
    }
}

int trj_cell_reduce(struct trj_cell *cell, double t[3][3], struct trj_error *err) {
    if (trj_cell_restrict(cell, TRJ_PERIODIC_ALL, err)) return -1;
    memset(t, 0, sizeof(double[3][3]));
    for (int k = 0; k < 3; k++) {
        if (!(cell->periodic & 1u << k)) continue;
        double length = trj_norm(cell->h[k]);
        if (!(length >= TRJ_SHORTEST && length <= TRJ_FARTHEST))
            return trj_fail(err, TRJ_BAD_DATA, "cell vector %c is %g Å long: not within %g and %g Å", 'a' + k, length,
                            TRJ_SHORTEST, TRJ_FARTHEST);
        t[k][k] = 1;
    }
    shorten(cell, t);
    double width = trj_cell_min_width(cell);
    return width >= TRJ_SHORTEST
               ? 0
               : trj_fail(err, TRJ_BAD_DATA, "the cell's lattice planes are %g Å apart: expected at least %g Å", width,
                          TRJ_SHORTEST);
}
