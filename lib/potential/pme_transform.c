// SPDX-License-Identifier: MIT
// Solves for the potential on the mesh by FFTW, with factors for each axis, which take less time than an exponential
// for each wave.
#include "pme_transform.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "charge_mesh.h"
#include "elementary.h"
#include "fourier_transform.h"
#include "memory.h"

struct transform {
    struct trj_fourier f;
    double alpha;
    double *inverse[3];     // [n[k]] 1 / c_k(m)
    double *factor[3];      // [n[k]] for cells with right angles: exp(-k^2 / (4 alpha^2)) / c_k(m) of the axis
    struct pot_green green; // of the current cell
};

void pot_transform_set_inverse(double *inverse, size_t points, unsigned order) {
    for (size_t m = 0; m < points; m++) {
        double sum = 0;
        for (unsigned j = 1; j < order; j++)
            sum += pot_spline(order, j) * cos(2 * POT_PI * (double)m / (double)points * (j - 0.5 * order));
        inverse[m] = 1 / sum;
    }
}

static void close_transform(void *state) {
    struct transform *t = state;
    if (!t) return;
    trj_fourier_close(&t->f);
    for (int k = 0; k < 3; k++) {
        free(t->inverse[k]);
        free(t->factor[k]);
    }
    free(t);
}

static int open_transform(void **state, const struct pot_job *job, struct trj_error *err) {
    struct transform *t = trj_alloc(1, sizeof *t, "a Fourier transform", err);
    if (!t) return -1;
    t->alpha = job->alpha;
    int rc = trj_fourier_open(&t->f, job->lattice.n, "a potential by particle-mesh Ewald", err);
    for (int k = 0; k < 3 && !rc; k++) {
        t->inverse[k] = trj_alloc(t->f.n[k], sizeof *t->inverse[k], "a Fourier transform", err);
        t->factor[k] = t->inverse[k] ? trj_alloc(t->f.n[k], sizeof *t->factor[k], "a Fourier transform", err) : NULL;
        if (t->factor[k])
            pot_transform_set_inverse(t->inverse[k], t->f.n[k], job->order);
        else
            rc = -1;
    }
    if (rc) {
        close_transform(t);
        return -1;
    }
    *state = t;
    return 0;
}

void pot_green_set(struct pot_green *t, const struct trj_map_lattice *l, double alpha) {
    struct trj_cell cell = trj_map_lattice_cell(l);
    t->alpha = alpha;
    trj_cell_reciprocal(&cell, t->g);
    t->volume = trj_cell_volume(&cell);
    for (int k = 0; k < 3; k++) {
        t->n[k] = (size_t)l->n[k];
        t->square[k] = pot_dot(t->g[k], t->g[k]);
    }
    t->right = pot_dot(t->g[0], t->g[1]) == 0 && pot_dot(t->g[1], t->g[2]) == 0 && pot_dot(t->g[2], t->g[0]) == 0;
}

void pot_green_set_factors(const struct pot_green *t, double *const inverse[3], double *const factor[3]) {
    for (int k = 0; k < 3; k++)
        for (size_t i = 0; i < t->n[k]; i++) {
            double m = pot_signed_index(i, t->n[k]);
            factor[k][i] = trj_exp(-POT_PI * POT_PI / (t->alpha * t->alpha) * (m * m * t->square[k])) * inverse[k][i];
        }
}

// Multiplies in a cell with right angles, where G is a product of factors of the axes, apart from 1 / k^2. This takes a
// tenth of the time of an exponential for each wave vector.
static void multiply_factors(struct transform *t) {
    const double *square = t->green.square;
    double *v = t->f.value;
    pot_green_set_factors(&t->green, t->inverse, t->factor);
    for (size_t k = 0; k < t->f.n[2]; k++)
        for (size_t j = 0; j < t->f.n[1]; j++, v += 2 * t->f.row) {
            double y = pot_signed_index(j, t->f.n[1]), z = pot_signed_index(k, t->f.n[2]);
            double of_row = t->factor[2][k] * t->factor[1][j] / (POT_PI * t->green.volume),
                   square_of_row = y * y * square[1] + z * z * square[2];
            for (size_t i = 0; i < t->f.row; i++) {
                double x = (double)i, s = square_of_row + x * x * square[0];
                double factor = s > 0 ? of_row * t->factor[0][i] / s : 0;
                v[2 * i] *= factor;
                v[2 * i + 1] *= factor;
            }
        }
}

static void multiply(struct transform *t) {
    size_t i[3];
    double *v = t->f.value;
    for (i[2] = 0; i[2] < t->f.n[2]; i[2]++)
        for (i[1] = 0; i[1] < t->f.n[1]; i[1]++) {
            double of_row = t->inverse[2][i[2]] * t->inverse[1][i[1]];
            for (i[0] = 0; i[0] < t->f.row; i[0]++, v += 2) {
                double factor = pot_green_mean(&t->green, i) * of_row * t->inverse[0][i[0]];
                v[0] *= factor;
                v[1] *= factor;
            }
        }
}

static int compute(void *state, const struct trj_map_lattice *l, const int64_t *charge, double quantum,
                   const uint64_t size[3], double **potential, struct trj_error *err) {
    struct transform *t = state;
    pot_green_set(&t->green, l, t->alpha);
    trj_fourier_load(&t->f, charge, quantum);
    if (trj_fourier_forward(&t->f, err)) return -1;
    (t->green.right ? multiply_factors : multiply)(t);
    if (trj_fourier_backward(&t->f, err)) return -1;
    trj_fourier_pack(&t->f, size);
    *potential = t->f.value;
    return 0;
}

const struct pot_transform_method pot_transform_fftw = {
    .open = open_transform, .compute = compute, .close = close_transform};
