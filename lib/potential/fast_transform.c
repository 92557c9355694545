// SPDX-License-Identifier: MIT
// Convolves the charges on a mesh with a kernel that is sampled in space, so that no periodic images contribute.
#include "fast_transform.h"

#include <stdlib.h>
#include <string.h>

#include "fourier_transform.h"
#include "memory.h"
#include "pme_transform.h"

struct transform {
    struct trj_fourier f;
    struct pot_smooth smooth;
    size_t rows[2]; // of `kernel` along axes 1 and 2: half of them if the steps are orthogonal
    double *kernel; // [rows[1]][rows[0]][f.row] transform of g, divided by c and the number of points
};

static double *row_of(const struct transform *t, size_t j, size_t k) {
    return t->f.value + (k * t->f.n[1] + j) * 2 * t->f.row;
}

static void sample(struct transform *t) {
    const size_t *n = t->f.n;
    for (size_t k = 0; k < n[2]; k++)
        for (size_t j = 0; j < n[1]; j++) {
            double *to = row_of(t, j, k),
                   *from = row_of(t, pot_smooth_fold(&t->smooth, j, 1), pot_smooth_fold(&t->smooth, k, 2));
            if (from != to) {
                memcpy(to, from, n[0] * sizeof *to);
                continue;
            }
            for (size_t i = 0; i < n[0]; i++)
                to[i] = pot_smooth_fold(&t->smooth, i, 0) < i ? to[pot_smooth_fold(&t->smooth, i, 0)]
                                                              : pot_smooth_at(&t->smooth, i, j, k);
        }
}

// g is symmetric, except where an index is half of n, which no pair of a point and a charge uses; so is its transform
// without the imaginary part.
static void take_kernel(struct transform *t, double *const inverse[3]) {
    double *to = t->kernel, scale = 1 / ((double)t->f.n[0] * (double)t->f.n[1] * (double)t->f.n[2]);
    for (size_t k = 0; k < t->rows[1]; k++)
        for (size_t j = 0; j < t->rows[0]; j++, to += t->f.row) {
            const double *from = row_of(t, j, k);
            double of_row = inverse[1][j] * inverse[2][k] * scale;
            for (size_t i = 0; i < t->f.row; i++) to[i] = from[2 * i] * (inverse[0][i] * of_row);
        }
}

static int make_kernel(struct transform *t, unsigned order, struct trj_error *err) {
    double *inverse[3] = {0};
    int rc = 0;
    for (int k = 0; k < 3 && !rc; k++) {
        inverse[k] = trj_alloc(t->f.n[k], sizeof *inverse[k], "a Fourier transform", err);
        if (inverse[k])
            pot_transform_set_inverse(inverse[k], t->f.n[k], order);
        else
            rc = -1;
    }
    if (!rc) {
        sample(t);
        rc = trj_fourier_forward(&t->f, err);
    }
    if (!rc) take_kernel(t, inverse);
    for (int k = 0; k < 3; k++) free(inverse[k]);
    return rc;
}

void pot_smooth_set(struct pot_smooth *t, const struct trj_map_lattice *l, double alpha) {
    t->alpha = alpha;
    memcpy(t->step, l->step, sizeof t->step);
    for (int k = 0; k < 3; k++) t->n[k] = (size_t)l->n[k];
    t->right = pot_dot(l->step[0], l->step[1]) == 0 && pot_dot(l->step[1], l->step[2]) == 0 &&
               pot_dot(l->step[2], l->step[0]) == 0;
}

static void close_transform(void *state) {
    struct transform *t = state;
    if (!t) return;
    trj_fourier_close(&t->f);
    free(t->kernel);
    free(t);
}

static int open_transform(void **state, const struct pot_job *job, struct trj_error *err) {
    struct transform *t = trj_alloc(1, sizeof *t, "a Fourier transform", err);
    if (!t) return -1;
    pot_smooth_set(&t->smooth, &job->lattice, job->alpha);
    int rc = trj_fourier_open(&t->f, job->lattice.n, "a potential by the method fast", err);
    if (!rc) {
        for (int k = 0; k < 2; k++) t->rows[k] = t->smooth.right ? t->f.n[k + 1] / 2 + 1 : t->f.n[k + 1];
        t->kernel = trj_alloc(t->rows[0] * t->rows[1] * t->f.row, sizeof *t->kernel, "a Fourier transform", err);
        if (t->kernel) trj_use_large_pages(t->kernel, t->rows[0] * t->rows[1] * t->f.row * sizeof *t->kernel);
        rc = t->kernel ? make_kernel(t, job->order, err) : -1;
    }
    if (rc) {
        close_transform(t);
        return -1;
    }
    *state = t;
    return 0;
}

static void multiply(struct transform *t) {
    for (size_t k = 0; k < t->f.n[2]; k++)
        for (size_t j = 0; j < t->f.n[1]; j++) {
            double *v = row_of(t, j, k);
            const double *kernel =
                t->kernel +
                (pot_smooth_fold(&t->smooth, k, 2) * t->rows[0] + pot_smooth_fold(&t->smooth, j, 1)) * t->f.row;
            for (size_t i = 0; i < t->f.row; i++) {
                v[2 * i] *= kernel[i];
                v[2 * i + 1] *= kernel[i];
            }
        }
}

static int compute(void *state, const struct trj_map_lattice *l, const int64_t *charge, double quantum,
                   const uint64_t size[3], double **potential, struct trj_error *err) {
    struct transform *t = state;
    (void)l; // the steps are those of the state
    trj_fourier_load(&t->f, charge, quantum);
    if (trj_fourier_forward(&t->f, err)) return -1;
    multiply(t);
    if (trj_fourier_backward(&t->f, err)) return -1;
    trj_fourier_pack(&t->f, size);
    *potential = t->f.value;
    return 0;
}

const struct pot_transform_method pot_smooth_transform_fftw = {
    .open = open_transform, .compute = compute, .close = close_transform};

double pot_fast_transform_bytes(const uint64_t n[3]) {
    // The mesh of charges, the transform, and up to half as much for the kernel.
    return 8 * ((double)n[0] + 8) * (double)n[1] * (double)n[2] + 12 * ((double)n[0] + 2) * (double)n[1] * (double)n[2];
}
