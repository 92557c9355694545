// SPDX-License-Identifier: MIT
#include "pme_transform.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "charge_mesh.h"
#include "elementary.h"
#include "fourier_transform.h"
#include "memory.h"

static const double PI = 3.14159265358979323846;

struct pot_transform {
    struct trj_fourier f;
    double alpha;
    double *inverse[3]; // [n[k]] 1 / c_k(m)
    double *factor[3];  // [n[k]] for cells with right angles: exp(-k^2 / (4 alpha^2)) / c_k(m) of the axis
    // The current cell:
    double g[3][3], volume;
};

void pot_transform_set_inverse(double *inverse, size_t points, unsigned order) {
    for (size_t m = 0; m < points; m++) {
        double sum = 0;
        for (unsigned j = 1; j < order; j++)
            sum += pot_spline(order, j) * cos(2 * PI * (double)m / (double)points * (j - 0.5 * order));
        inverse[m] = 1 / sum;
    }
}

int pot_transform_open(struct pot_transform **transform, const uint64_t n[3], unsigned order, double alpha,
                       struct trj_error *err) {
    struct pot_transform *t = trj_alloc(1, sizeof *t, "a Fourier transform", err);
    if (!t) return -1;
    t->alpha = alpha;
    int rc = trj_fourier_open(&t->f, n, "a potential by particle-mesh Ewald", err);
    for (int k = 0; k < 3 && !rc; k++) {
        t->inverse[k] = trj_alloc(t->f.n[k], sizeof *t->inverse[k], "a Fourier transform", err);
        t->factor[k] = t->inverse[k] ? trj_alloc(t->f.n[k], sizeof *t->factor[k], "a Fourier transform", err) : NULL;
        if (t->factor[k])
            pot_transform_set_inverse(t->inverse[k], t->f.n[k], order);
        else
            rc = -1;
    }
    if (rc) {
        pot_transform_close(t);
        return -1;
    }
    *transform = t;
    return 0;
}

void pot_transform_close(struct pot_transform *t) {
    if (!t) return;
    trj_fourier_close(&t->f);
    for (int k = 0; k < 3; k++) {
        free(t->inverse[k]);
        free(t->factor[k]);
    }
    free(t);
}

static void load(struct pot_transform *t, const int64_t *charge, double quantum) {
    for (size_t r = 0; r < t->f.n[1] * t->f.n[2]; r++) {
        double *to = t->f.value + 2 * t->f.row * r;
        for (size_t i = 0; i < t->f.n[0]; i++) to[i] = (double)charge[r * t->f.n[0] + i] * quantum;
    }
}

// G(m) for m . g = s. Terms that are below e^-70 of the others are 0, which the factors 1 / c, below 10^4, do not
// change.
static double green(const struct pot_transform *t, const double s[3]) {
    double square = s[0] * s[0] + s[1] * s[1] + s[2] * s[2], exponent = PI * PI / (t->alpha * t->alpha) * square;
    return square > 0 && exponent < 70 ? trj_exp(-exponent) / (PI * t->volume * square) : 0;
}

static double wave_number(size_t index, size_t n) {
    return 2 * index > n ? (double)index - (double)n : (double)index;
}

// Returns G(m), or its mean over the signs of those m that are half of n.
static double mean_green(const struct pot_transform *t, const size_t index[3]) {
    double m[3], sum = 0;
    unsigned halves = 0, count = 0;
    for (int k = 0; k < 3; k++) {
        m[k] = wave_number(index[k], t->f.n[k]);
        if (2 * index[k] == t->f.n[k]) halves |= 1u << k;
    }
    for (unsigned signs = 0; signs < 8; signs++) {
        double s[3] = {0};
        if (signs & ~halves) continue;
        for (int k = 0; k < 3; k++)
            for (int c = 0; c < 3; c++) s[c] += (signs >> k & 1 ? -m[k] : m[k]) * t->g[k][c];
        sum += green(t, s);
        count++;
    }
    return sum / count;
}

static double dot(const double a[3], const double b[3]) {
    return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2];
}

// Multiplies in a cell with right angles, where G is a product of factors of the axes, apart from 1 / k^2. This takes a
// tenth of the time of an exponential for each wave vector.
static void multiply_factors(struct pot_transform *t) {
    double square[3], *v = t->f.value;
    for (int k = 0; k < 3; k++) {
        square[k] = dot(t->g[k], t->g[k]);
        for (size_t i = 0; i < t->f.n[k]; i++) {
            double m = wave_number(i, t->f.n[k]);
            t->factor[k][i] = trj_exp(-PI * PI / (t->alpha * t->alpha) * (m * m * square[k])) * t->inverse[k][i];
        }
    }
    for (size_t k = 0; k < t->f.n[2]; k++)
        for (size_t j = 0; j < t->f.n[1]; j++, v += 2 * t->f.row) {
            double y = wave_number(j, t->f.n[1]), z = wave_number(k, t->f.n[2]);
            double of_row = t->factor[2][k] * t->factor[1][j] / (PI * t->volume),
                   square_of_row = y * y * square[1] + z * z * square[2];
            for (size_t i = 0; i < t->f.row; i++) {
                double x = (double)i, s = square_of_row + x * x * square[0];
                double factor = s > 0 ? of_row * t->factor[0][i] / s : 0;
                v[2 * i] *= factor;
                v[2 * i + 1] *= factor;
            }
        }
}

static void multiply(struct pot_transform *t) {
    size_t i[3];
    double *v = t->f.value;
    for (i[2] = 0; i[2] < t->f.n[2]; i[2]++)
        for (i[1] = 0; i[1] < t->f.n[1]; i[1]++) {
            double of_row = t->inverse[2][i[2]] * t->inverse[1][i[1]];
            for (i[0] = 0; i[0] < t->f.row; i[0]++, v += 2) {
                double factor = mean_green(t, i) * of_row * t->inverse[0][i[0]];
                v[0] *= factor;
                v[1] *= factor;
            }
        }
}

int pot_transform_compute(struct pot_transform *t, const struct trj_map_lattice *l, const int64_t *charge,
                          double quantum, double **potential, struct trj_error *err) {
    struct trj_cell cell = trj_map_lattice_cell(l);
    trj_cell_reciprocal(&cell, t->g);
    t->volume = trj_cell_volume(&cell);
    load(t, charge, quantum);
    if (trj_fourier_forward(&t->f, err)) return -1;
    bool right = dot(t->g[0], t->g[1]) == 0 && dot(t->g[1], t->g[2]) == 0 && dot(t->g[2], t->g[0]) == 0;
    (right ? multiply_factors : multiply)(t);
    if (trj_fourier_backward(&t->f, err)) return -1;
    for (size_t r = 1; r < t->f.n[1] * t->f.n[2]; r++)
        memmove(t->f.value + r * t->f.n[0], t->f.value + 2 * r * t->f.row, t->f.n[0] * sizeof *t->f.value);
    *potential = t->f.value;
    return 0;
}
