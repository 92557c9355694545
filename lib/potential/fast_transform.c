// SPDX-License-Identifier: MIT
#include "fast_transform.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "error_function.h"
#include "fourier_transform.h"
#include "memory.h"
#include "pme_transform.h"

struct pot_fast_transform {
    struct trj_fourier f;
    double alpha, step[3][3];
    bool right;     // the steps are orthogonal, so that g has the same values for both signs of each index
    size_t rows[2]; // of `kernel` along axes 1 and 2: half of them if the steps are orthogonal
    double *kernel; // [rows[1]][rows[0]][f.row] transform of g, divided by c and the number of points
};

// Returns the index of the wave, or displacement, of which index i is the negative one if the steps are orthogonal.
static size_t fold(const struct pot_fast_transform *t, size_t i, int axis) {
    return t->right && 2 * i > t->f.n[axis] ? t->f.n[axis] - i : i;
}

static double signed_index(size_t i, size_t n) {
    return 2 * i > n ? (double)i - (double)n : (double)i;
}

static double smooth_term(const struct pot_fast_transform *t, size_t i, size_t j, size_t k) {
    double m[3] = {signed_index(i, t->f.n[0]), signed_index(j, t->f.n[1]), signed_index(k, t->f.n[2])}, d[3];
    for (int c = 0; c < 3; c++) d[c] = (m[0] * t->step[0][c] + m[1] * t->step[1][c]) + m[2] * t->step[2][c];
    double r = sqrt((d[0] * d[0] + d[1] * d[1]) + d[2] * d[2]);
    if (!(r > 0)) return t->alpha * 1.12837916709551257390; // 2 / sqrt(pi)
    return t->alpha * r > 6 ? 1 / r : pot_erf(t->alpha * r) / r;
}

static double *row_of(const struct pot_fast_transform *t, size_t j, size_t k) {
    return t->f.value + (k * t->f.n[1] + j) * 2 * t->f.row;
}

static void sample(struct pot_fast_transform *t) {
    const size_t *n = t->f.n;
    for (size_t k = 0; k < n[2]; k++)
        for (size_t j = 0; j < n[1]; j++) {
            double *to = row_of(t, j, k), *from = row_of(t, fold(t, j, 1), fold(t, k, 2));
            if (from != to) {
                memcpy(to, from, n[0] * sizeof *to);
                continue;
            }
            for (size_t i = 0; i < n[0]; i++) to[i] = fold(t, i, 0) < i ? to[fold(t, i, 0)] : smooth_term(t, i, j, k);
        }
}

// g is symmetric, except where an index is half of n, which no pair of a point and a charge uses; so is its transform
// without the imaginary part.
static void take_kernel(struct pot_fast_transform *t, double *const inverse[3]) {
    double *to = t->kernel, scale = 1 / ((double)t->f.n[0] * (double)t->f.n[1] * (double)t->f.n[2]);
    for (size_t k = 0; k < t->rows[1]; k++)
        for (size_t j = 0; j < t->rows[0]; j++, to += t->f.row) {
            const double *from = row_of(t, j, k);
            double of_row = inverse[1][j] * inverse[2][k] * scale;
            for (size_t i = 0; i < t->f.row; i++) to[i] = from[2 * i] * (inverse[0][i] * of_row);
        }
}

static int make_kernel(struct pot_fast_transform *t, unsigned order, struct trj_error *err) {
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

static double dot(const double a[3], const double b[3]) {
    return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2];
}

int pot_fast_transform_open(struct pot_fast_transform **transform, const struct trj_map_lattice *l, const uint64_t n[3],
                            unsigned order, double alpha, struct trj_error *err) {
    struct pot_fast_transform *t = trj_alloc(1, sizeof *t, "a Fourier transform", err);
    if (!t) return -1;
    t->alpha = alpha;
    memcpy(t->step, l->step, sizeof t->step);
    t->right = dot(l->step[0], l->step[1]) == 0 && dot(l->step[1], l->step[2]) == 0 && dot(l->step[2], l->step[0]) == 0;
    int rc = trj_fourier_open(&t->f, n, "a potential by the method fast", err);
    if (!rc) {
        for (int k = 0; k < 2; k++) t->rows[k] = t->right ? t->f.n[k + 1] / 2 + 1 : t->f.n[k + 1];
        t->kernel = trj_alloc(t->rows[0] * t->rows[1] * t->f.row, sizeof *t->kernel, "a Fourier transform", err);
        if (t->kernel) trj_use_large_pages(t->kernel, t->rows[0] * t->rows[1] * t->f.row * sizeof *t->kernel);
        rc = t->kernel ? make_kernel(t, order, err) : -1;
    }
    if (rc) {
        pot_fast_transform_close(t);
        return -1;
    }
    *transform = t;
    return 0;
}

void pot_fast_transform_close(struct pot_fast_transform *t) {
    if (!t) return;
    trj_fourier_close(&t->f);
    free(t->kernel);
    free(t);
}

static void load(struct pot_fast_transform *t, const int64_t *charge, double quantum) {
    for (size_t r = 0; r < t->f.n[1] * t->f.n[2]; r++) {
        double *to = t->f.value + 2 * t->f.row * r;
        for (size_t i = 0; i < t->f.n[0]; i++) to[i] = (double)charge[r * t->f.n[0] + i] * quantum;
    }
}

static void multiply(struct pot_fast_transform *t) {
    for (size_t k = 0; k < t->f.n[2]; k++)
        for (size_t j = 0; j < t->f.n[1]; j++) {
            double *v = row_of(t, j, k);
            const double *kernel = t->kernel + (fold(t, k, 2) * t->rows[0] + fold(t, j, 1)) * t->f.row;
            for (size_t i = 0; i < t->f.row; i++) {
                v[2 * i] *= kernel[i];
                v[2 * i + 1] *= kernel[i];
            }
        }
}

int pot_fast_transform_compute(struct pot_fast_transform *t, const int64_t *charge, double quantum,
                               const uint64_t size[3], const double **potential, struct trj_error *err) {
    load(t, charge, quantum);
    if (trj_fourier_forward(&t->f, err)) return -1;
    multiply(t);
    if (trj_fourier_backward(&t->f, err)) return -1;
    double *to = t->f.value;
    for (size_t k = 0; k < size[2]; k++)
        for (size_t j = 0; j < size[1]; j++, to += size[0]) memmove(to, row_of(t, j, k), size[0] * sizeof *to);
    *potential = t->f.value;
    return 0;
}

double pot_fast_transform_bytes(const uint64_t n[3]) {
    // The mesh of charges, the transform, and up to half as much for the kernel.
    return 8 * ((double)n[0] + 8) * (double)n[1] * (double)n[2] + 12 * ((double)n[0] + 2) * (double)n[1] * (double)n[2];
}
