// SPDX-License-Identifier: MIT
// Computes the constants of Gaussian densities (gauss.h), and their reference in float64.
#include <math.h>
#include <string.h>

#include "gauss.h"

#define LOG2_E_HALF 0.72134752044448170368
#define MAX_F       30.0
#define MAX_K       50.0 // then the relative error of a contribution is below 2^-17

double den_gauss_peak(double sigma) {
    return 1 / (15.749609945722418744 * ((sigma * sigma) * sigma)); // (2 pi)^1.5
}

static int check_setup(const struct den_gauss_setup *s, struct trj_error *err) {
    if (s->kinds < 1 || s->kinds > DEN_GAUSS_KINDS)
        return trj_fail(err, TRJ_BAD_DATA, "%u widths of Gaussians, expected 1 to %d", s->kinds, DEN_GAUSS_KINDS);
    for (unsigned i = 0; i < s->kinds; i++)
        if (!(s->sigma[i] >= TRJ_SHORTEST && s->sigma[i] <= TRJ_FARTHEST && s->peak[i] > 0 && isfinite(s->peak[i])))
            return trj_fail(err, TRJ_BAD_DATA,
                            "the width of a Gaussian is %g Å, and its height %g; expected %g to %g Å, and a height "
                            "above 0",
                            s->sigma[i], s->peak[i], TRJ_SHORTEST, TRJ_FARTHEST);
    if (!(s->bound > 0 && isfinite(s->bound)))
        return trj_fail(err, TRJ_BAD_DATA, "invalid bound of the weights: %g, expected a positive number", s->bound);
    if (s->cutoff != 0 && !(s->cutoff >= DEN_GAUSS_CUTOFF_MIN && s->cutoff <= DEN_GAUSS_CUTOFF_MAX))
        return trj_fail(err, TRJ_BAD_DATA, "invalid cutoff: %g sigma, expected %g to %g", s->cutoff,
                        DEN_GAUSS_CUTOFF_MIN, DEN_GAUSS_CUTOFF_MAX);
    return 0;
}

static double largest_peak(const struct den_gauss_setup *s) {
    double peak = 0;
    for (unsigned i = 0; i < s->kinds; i++) peak = fmax(peak, s->peak[i]);
    return peak;
}

int den_gauss_quantum(const struct den_gauss_setup *s, double *quantum, struct trj_error *err) {
    if (check_setup(s, err)) return -1;
    int e;
    double largest = s->bound * largest_peak(s) * (1 + 0x1p-16);
    if (!isfinite(largest))
        e = 1 << 20;
    else if (frexp(largest, &e) == 0.5)
        e--;
    if (e < -60 || e > 60)
        return trj_fail(err, TRJ_BAD_DATA,
                        "the largest density of an atom is %g, expected 2^-60 to 2^60; use another unit for weights",
                        largest);
    *quantum = ldexp(1, e - 22);
    return 0;
}

static double dot(const double a[3], const double b[3]) {
    return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2];
}

static double cosine(const struct trj_map_lattice *l, int i, int j) {
    return dot(l->step[i], l->step[j]) / sqrt(dot(l->step[i], l->step[i]) * dot(l->step[j], l->step[j]));
}

// Returns K of gauss.h.
static double cancellation(const double cosines[3]) { // of 01, 12, 02
    double c01 = fabs(cosines[0]), c12 = fabs(cosines[1]), c02 = fabs(cosines[2]);
    double max = 1 + fmax(c01 + c02, fmax(c01 + c12, c02 + c12));
    double squared_volume = 1 + 2 * cosines[0] * cosines[1] * cosines[2] - c01 * c01 - c12 * c12 - c02 * c02;
    return max / (squared_volume * 4 / 9);
}

static const int pairs[3][2] = {{0, 1}, {1, 2}, {0, 2}}; // of P, Q, R

// Sets l_01, l_12, l_02 and D_k of gauss.h.
static void factorise(const struct trj_map_lattice *l, double ratio[3], double square[3]) {
    static const int order[3] = {0, 2,
                                 1}; // of `pairs`: step 0 is projected out of steps 1 and 2, then step 1 out of step 2
    double rest[3][3];
    memcpy(rest, l->step, sizeof rest);
    for (int n = 0; n < 3; n++) {
        const double *from = rest[pairs[order[n]][0]];
        double *to = rest[pairs[order[n]][1]], r = dot(from, to) / dot(from, from);
        for (int c = 0; c < 3; c++) to[c] -= r * from[c];
        ratio[order[n]] = r;
    }
    for (int k = 0; k < 3; k++) square[k] = dot(rest[k], rest[k]);
}

static void set_oblique(struct den_gauss_kind *kind, const struct trj_map_lattice *l, double factor) {
    double ratio[3], square[3];
    factorise(l, ratio, square);
    for (int k = 0; k < 3; k++) {
        kind->e[k] = (float)(square[k] * factor);
        kind->l[k] = (float)ratio[k];
    }
}

static int set_kind(struct den_gauss_kind *kind, const struct den_gauss_lattice *g, double sigma, double cutoff,
                    struct trj_error *err) {
    const struct trj_map_lattice *l = &g->lattice;
    double rows[3][3], factor = -LOG2_E_HALF / (sigma * sigma);
    trj_map_lattice_inverse(l, rows);
    for (int k = 0; k < 3; k++) {
        double c = dot(l->step[k], l->step[k]) * factor;
        double reach = (cutoff * sigma) * sqrt(dot(rows[k], rows[k]));
        if (!(reach <= TILE_LATTICE_REACH_MAX))
            return trj_fail(err, TRJ_BAD_DATA,
                            "a Gaussian of sigma %g Å reaches %g points along axis %d, expected at most 2^20; use a "
                            "coarser lattice",
                            sigma, reach, k);
        kind->reach[k] = (float)reach;
        kind->far[k] = tile_lattice_farthest(kind->reach[k]);
        kind->c[k] = (float)c;
        kind->a[k] = (float)(c / 2);
        kind->b[k] = (float)(2 * (dot(l->step[pairs[k][0]], l->step[pairs[k][1]]) * factor));
    }
    set_oblique(kind, l, factor);
    return 0;
}

// Returns whether F and K of gauss.h are so small that a skew lattice can use a table for each pair of axes.
static bool suits_tables(const struct trj_map_lattice *l, const double cosines[3], double cutoff) {
    double rows[3][3];
    trj_map_lattice_inverse(l, rows);
    if (!(cancellation(cosines) <= MAX_K)) return false;
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 2; i++) {
            int axis = pairs[k][i];
            double max = LOG2_E_HALF / 2 * (cutoff * cutoff) * dot(l->step[axis], l->step[axis]) *
                         dot(rows[axis], rows[axis]); // |a| reach^2
            if (!((4 * cosines[k] * cosines[k] - 1) * max <= MAX_F)) return false;
        }
    return true;
}

// Returns the error bound of an oblique lattice in units of u |A|, without that of the quantum.
static double oblique_error(const struct trj_map_lattice *l, double cutoff) {
    double rows[3][3], ratio[3], square[3], g[3];
    trj_map_lattice_inverse(l, rows);
    factorise(l, ratio, square);
    for (int k = 0; k < 3; k++) g[k] = cutoff * sqrt(dot(rows[k], rows[k]));
    double t0 = sqrt(square[0] / 2) * (g[0] + fabs(ratio[0]) * g[1] + fabs(ratio[2]) * g[2]),
           t1 = sqrt(square[1] / 2) * (g[1] + fabs(ratio[1]) * g[2]);
    return 4.3 * t0 + 3.5 * t1 + 7;
}

static double cutoff_of(double cutoff) {
    return cutoff > 0 ? cutoff : DEN_GAUSS_CUTOFF;
}

// Returns den_gauss_relative_error, and sets *skew and *oblique, which select the formula.
static double find_formula(const struct trj_map_lattice *l, double cutoff, bool *skew, bool *oblique) {
    double cosines[3];
    *skew = false;
    for (int k = 0; k < 3; k++) {
        cosines[k] = cosine(l, pairs[k][0], pairs[k][1]);
        if (!(fabs(cosines[k]) <= 0x1p-30)) *skew = true;
    }
    *oblique = *skew && !suits_tables(l, cosines, cutoff);
    return 0x1p-24 * (*oblique ? oblique_error(l, cutoff) : *skew ? 10 + 2.21 * cancellation(cosines) : 9);
}

double den_gauss_relative_error(const struct trj_map_lattice *l, double cutoff) {
    bool skew, oblique;
    return find_formula(l, cutoff_of(cutoff), &skew, &oblique);
}

int den_gauss_lattice_set(struct den_gauss_lattice *g, struct den_gauss_kind *kind, const struct den_gauss_setup *s,
                          const struct trj_map_lattice *l, struct trj_error *err) {
    double cutoff = cutoff_of(s->cutoff);
    *g = (struct den_gauss_lattice){.lattice = *l};
    if (den_gauss_quantum(s, &g->quantum, err)) return -1;
    g->magic = (float)(g->quantum * 0x3p22);
    memcpy(&g->magic_bits, &g->magic, sizeof g->magic_bits);
    g->error = s->bound * largest_peak(s) * find_formula(l, cutoff, &g->skew, &g->oblique) + g->quantum / 2;
    for (unsigned i = 0; i < s->kinds; i++)
        if (set_kind(&kind[i], g, s->sigma[i], cutoff, err)) return -1;
    return 0;
}

// Returns the sum of exp(-r^2 / (2 sigma^2)) at a position over the images of an atom at x within a radius.
static double sum_images(const struct trj_cell *cell, double rows[3][3], const double position[3], const double x[3],
                         double sigma, double radius) {
    double d[3], sum = 0;
    int64_t low[3] = {0, 0, 0}, high[3] = {0, 0, 0}, n[3];
    for (int k = 0; k < 3; k++) d[k] = position[k] - x[k];
    for (int v = 0; v < 3; v++) {
        if (!(cell->periodic >> v & 1)) continue;
        double s = dot(rows[v], d), range = radius * sqrt(dot(rows[v], rows[v])) + 1e-9;
        low[v] = (int64_t)ceil(s - range);
        high[v] = (int64_t)floor(s + range);
    }
    for (n[2] = low[2]; n[2] <= high[2]; n[2]++)
        for (n[1] = low[1]; n[1] <= high[1]; n[1]++)
            for (n[0] = low[0]; n[0] <= high[0]; n[0]++) {
                double r2 = 0;
                for (int k = 0; k < 3; k++) {
                    double r = d[k] - ((double)n[0] * cell->h[0][k] + (double)n[1] * cell->h[1][k] +
                                       (double)n[2] * cell->h[2][k]);
                    r2 += r * r;
                }
                if (r2 <= radius * radius) sum += exp(-r2 / (2 * sigma * sigma));
            }
    return sum;
}

double den_gauss_reference(const struct den_gauss_setup *s, const struct trj_map_lattice *l,
                           const struct trj_frame *frame, const struct den_gauss_atoms *atoms, const int64_t point[3]) {
    double rows[3][3], position[3], cutoff = s->cutoff > 0 ? s->cutoff : DEN_GAUSS_CUTOFF, sum = 0;
    const double index[3] = {(double)point[0], (double)point[1], (double)point[2]};
    trj_cell_reciprocal(&frame->cell, rows);
    trj_map_lattice_position(l, index, position);
    for (size_t i = 0; i < atoms->count; i++) {
        size_t atom = atoms->list ? atoms->list[i] : i;
        unsigned kind = atoms->kind ? atoms->kind[i] : 0;
        double x[3], weight = atoms->weight ? (double)atoms->weight[i] : 1;
        for (int k = 0; k < 3; k++) x[k] = (double)frame->x[k][atom] * frame->unit;
        sum += weight * s->peak[kind] *
               sum_images(&frame->cell, rows, position, x, s->sigma[kind], cutoff * s->sigma[kind]);
    }
    return sum;
}
