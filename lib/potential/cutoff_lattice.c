// SPDX-License-Identifier: MIT
// Derives the constants of the float32 kernels and the bound of their errors, so that every engine uses the same
// numbers.
#include "cutoff_lattice.h"

#include <math.h>
#include <string.h>

#include "elementary.h"
#include "error_function.h"

#define LOG2_E 1.4426950408889634074
#define U      0x1p-24
#define ALL    1e30 // squared distance: all pairs are computed in float64

enum { NODES = 16, CENTRE = 7 }; // twice the index of the centre of a block is 7

static double dot(const double a[3], const double b[3]) {
    return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2];
}

// ---- geometry

// Gram-Schmidt orthogonalisation of the steps.
static void set_axes(struct pot_cutoff_constants *c, const struct trj_map_lattice *l, double cutoff) {
    for (int k = 0; k < 3; k++) {
        double rest[3];
        memcpy(rest, l->step[k], sizeof rest);
        for (int i = 0; i < k; i++) {
            double along = dot(rest, c->axes[i]);
            for (int x = 0; x < 3; x++) rest[x] -= along * c->axes[i][x];
        }
        double length = sqrt(dot(rest, rest));
        for (int x = 0; x < 3; x++) c->axes[k][x] = rest[x] / length;
    }
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++) {
            double along = dot(l->step[k], c->axes[i]) / cutoff;
            c->step[k][i] = i > k || fabs(along) < 1e-14 * sqrt(dot(l->step[k], l->step[k])) / cutoff ? 0 : along;
        }
    for (int k = 0; k < 3; k++)
        for (int x = 0; x < 3; x++) c->axes[k][x] /= cutoff;
}

static double from_centre(int i) {
    return 0.5 * (2 * i - CENTRE);
}

static void set_block(struct pot_cutoff_constants *c) {
    struct pot_cutoff_lattice *v = &c->vectors;
    double x = 0, y = 0;
    for (int k = 0; k < 3; k++) {
        c->box[k] = CENTRE / 2.0 * (fabs(c->step[0][k]) + fabs(c->step[1][k]) + fabs(c->step[2][k]));
        for (int i = 0; i < POT_BLOCK; i++) v->position[k][i] = from_centre(i) * c->step[k][k];
    }
    for (int row = 0; row < POT_BLOCK_ROWS; row++) {
        double j = from_centre(row % POT_BLOCK), k = from_centre(row / POT_BLOCK);
        v->shift_x[row] = (float)(j * c->step[1][0] + k * c->step[2][0]);
        v->shift_y[row] = (float)(k * c->step[2][1]);
        x = fmax(x, fabs((double)v->shift_x[row]));
        y = fmax(y, fabs((double)v->shift_y[row]));
    }
    v->skew = x > 0 || y > 0;
    c->shift = x + y;
}

static void set_limits(struct pot_cutoff_constants *c, const struct trj_map_lattice *l, double cutoff) {
    struct pot_cutoff_lattice *v = &c->vectors;
    double farthest = cutoff;
    for (int x = 0; x < 3; x++) {
        double max = fabs(l->origin[x]) + cutoff;
        for (int k = 0; k < 3; k++) max += fabs(l->step[k][x]) * (double)l->n[k];
        farthest = fmax(farthest, max);
    }
    double error = U * (8 + 4 * c->shift) + 64 * 0x1p-52 * farthest / cutoff;
    c->outer = 1 + error;
    v->inner = (float)(1 - error - U);
    v->outer = (float)(1 + error + 2 * U);
    // The gap between a row and an atom is computed with an error of at most 8 U times the largest coordinate.
    double slack = 8 * U * (2 + c->shift + c->box[0]) + error;
    v->half = (float)(CENTRE / 2.0 * c->step[0][0] + slack);
    v->row_limit = (float)(1 + error + 1e-5);
}

// ---- the kernel

// Returns the distance in Å beyond which the sum of the magnitudes of both terms of buckingham is below POT_LIMIT, or
// INFINITY if there is no such distance within the cutoff. The arithmetic in float32, which does not apply the limit,
// is used beyond this distance only; the factor 1 - 2^-10 covers its errors.
static double end_of_limit(const struct pot_job *job) {
    const double *p = job->parameter, max = POT_LIMIT * (1 - 0x1p-10);
    double low = 0, high = job->cutoff;
    for (int i = 0; i < 60; i++) {
        double r = i ? (low + high) / 2 : high, cube = r * r * r;
        bool above = p[0] * trj_exp(-p[1] * r) + p[2] / (cube * cube) > max;
        if (!i && above) return INFINITY;
        if (i) *(above ? &low : &high) = r;
    }
    return high;
}

static double near_of(const struct pot_job *job, const struct pot_kernel *kernel) {
    double max = job->kernel == POT_KERNEL_BUCKINGHAM ? 2.5 : 2;
    const struct pot_table_cubics *p = &kernel->cubics;
    if (job->exact || (job->kernel == POT_KERNEL_TABLE && !(p->count && p->first <= job->cutoff / 2))) return ALL;
    if (job->kernel == POT_KERNEL_COUNT || job->kernel == POT_KERNEL_LJ) return 0;
    if (job->kernel == POT_KERNEL_TABLE) max = fmax(max, p->first);
    max = fmin(max, job->cutoff / 2);
    if (job->kernel == POT_KERNEL_BUCKINGHAM) max = fmax(max, end_of_limit(job));
    if (max > job->cutoff) return ALL;
    max /= job->cutoff;
    return (double)(float)(max * max);
}

// Returns the cubic of a table that contains a squared distance, or the one before it.
static size_t cubic_at(const struct pot_kernel *kernel, double square) {
    const struct pot_table_cubics *p = &kernel->cubics;
    double u = (sqrt(square) * kernel->cutoff - p->first) / p->step * (1 - 1e-6);
    return !(u > 1) ? 0 : u < (double)p->count ? (size_t)u : p->count - 1;
}

static void set_bounds(struct pot_cutoff_constants *c, const struct pot_job *job, const struct pot_kernel *kernel) {
    const double one = 1, zero = 0;
    for (int i = 0; i <= POT_BOUNDS; i++) {
        double s = fmax((double)i / POT_BOUNDS, c->near), value = 1, square = s * kernel->square;
        if (job->kernel == POT_KERNEL_BUCKINGHAM)
            value = job->parameter[0] * trj_exp(-job->parameter[1] * sqrt(square)) +
                    job->parameter[2] / (square * square * square);
        else if (job->kernel == POT_KERNEL_TABLE && c->near < ALL)
            value = kernel->cubics.bound[cubic_at(kernel, s)];
        else if (job->kernel != POT_KERNEL_LJ && c->near < ALL)
            pot_kernel_values(kernel, 1, &square, &one, &zero, &value);
        c->bound[i] = i < POT_BOUNDS ? fabs(value) : c->bound[i - 1];
    }
}

// Sets cosine[m] to cos(m pi / (2 NODES)), by square roots and Chebyshev's recurrence: cos() of libm may differ.
static void set_cosines(double cosine[4 * NODES]) {
    double c = 0; // cos(pi / 2)
    for (int n = 1; n < NODES; n *= 2) c = sqrt((1 + c) / 2);
    cosine[0] = 1;
    cosine[1] = c;
    for (int m = 2; m < 4 * NODES; m++) cosine[m] = 2 * c * cosine[m - 1] - cosine[m - 2];
}

static double scaled_erfc(double x) {
    const double inverse_root_of_pi = 0.5641895835477563, y = 1 / (2 * x * x);
    // For x above 26, exp(x^2) and erfc(x) are outside the range of float64. The omitted terms of the asymptotic series
    // are below 1e-8.
    if (x > 25) return inverse_root_of_pi * (1 - y + 3 * y * y) / x;
    return trj_exp(x * x) * pot_erfc(x);
}

// Fits exp(x^2) erfc(x), x = alpha r, for r from `near` to the cutoff (in its unit) by interpolation at Chebyshev's
// nodes. Where x is above 6, the potential is below 2^-55 e/Å.
static void fit_series(struct pot_cutoff_constants *c, double alpha) {
    double low = sqrt(c->near), high = fmax(fmin(1, 6 / alpha), low + 0.125), cosine[4 * NODES];
    double middle = (high + low) / 2, half = (high - low) / 2, series[NODES] = {0}, t[2][NODES] = {{1}, {0, 1}};
    set_cosines(cosine);
    for (int j = 0; j <= POT_ERFC_DEGREE; j++) {
        double sum = 0, next[NODES];
        for (int k = 0; k < NODES; k++)
            sum += scaled_erfc(alpha * (middle + half * cosine[2 * k + 1])) * cosine[j * (2 * k + 1) % (4 * NODES)];
        for (int i = 0; i <= j; i++) series[i] += sum * (j ? 2.0 : 1.0) / NODES * t[0][i];
        for (int i = 0; i < NODES; i++) next[i] = (i ? 2 * t[1][i - 1] : 0) - t[0][i];
        memcpy(t[0], t[1], sizeof t[0]);
        memcpy(t[1], next, sizeof t[1]);
    }
    for (int i = 0; i <= POT_ERFC_DEGREE; i++) c->vectors.series[i] = (float)series[i];
    c->vectors.map[0] = (float)(1 / half);
    c->vectors.map[1] = (float)(-middle / half);
    c->series_error = 0;
    for (int i = 0; i <= 1000; i++) {
        double u = i / 500.0 - 1, p = 0;
        for (int k = POT_ERFC_DEGREE + 1; k-- > 0;) p = p * u + (double)c->vectors.series[k];
        c->series_error = fmax(c->series_error, fabs(p - scaled_erfc(alpha * (middle + half * u))));
    }
}

// The terms of 1/r have a relative error of POT_PLAIN_ERROR; those of buckingham at most POT_STEEP_ERROR, and the
// exponential function 8 u times its argument, of which x exp(-x) decreases above x = 1.
static void set_errors(struct pot_cutoff_constants *c, const struct pot_job *job, const struct pot_kernel *kernel) {
    double skew = 1 + c->shift / sqrt(c->near);
    for (int i = 0; i <= POT_BOUNDS; i++) {
        double r = sqrt(fmin(fmax((double)i / POT_BOUNDS, c->near), 1)) * job->cutoff;
        c->error[i] = (POT_PLAIN_ERROR * skew + c->series_error) / r;
        if (job->kernel == POT_KERNEL_BUCKINGHAM)
            c->error[i] = c->bound[i] * skew * (POT_STEEP_ERROR + 8 * U * fmax(job->parameter[1] * r, 1));
        if (job->kernel == POT_KERNEL_COUNT || c->near >= ALL)
            c->error[i] = 0;
        else if (job->kernel == POT_KERNEL_TABLE)
            c->error[i] = kernel->cubics.error[cubic_at(kernel, fmax((double)i / POT_BOUNDS, c->near))] * skew;
    }
}

static void set_kernel(struct pot_cutoff_constants *c, const struct pot_job *job, const struct pot_kernel *kernel) {
    struct pot_cutoff_lattice *v = &c->vectors;
    const double *p = job->parameter;
    double rc = job->cutoff;
    v->kernel = c->near < ALL ? job->kernel : POT_KERNEL_COUNT;
    switch (v->kernel) {
    case POT_KERNEL_REACTION:
        v->c[0] = (float)(kernel->c[0] * (kernel->square * rc));
        v->c[1] = (float)(-kernel->c[1] * rc);
        break;
    case POT_KERNEL_ERFC:
        v->c[0] = (float)(-(p[0] * rc) * (p[0] * rc) * LOG2_E);
        fit_series(c, p[0] * rc);
        break;
    case POT_KERNEL_YUKAWA:
        v->c[0] = (float)(-p[0] * rc * LOG2_E);
        break;
    case POT_KERNEL_BUCKINGHAM:
        v->c[0] = (float)(-p[1] * rc * LOG2_E);
        v->c[1] = (float)p[0];
        v->c[2] = (float)(-p[2] / (kernel->square * kernel->square * kernel->square));
        break;
    case POT_KERNEL_TABLE:
        v->map[0] = (float)(rc / kernel->cubics.step);
        v->map[1] = (float)(-kernel->cubics.first / kernel->cubics.step);
        v->last = nextafterf((float)kernel->cubics.count, 0);
        v->cubic = (const float(*)[4])kernel->cubics.c;
        break;
    default:
        break;
    }
}

void pot_cutoff_constants_set(struct pot_cutoff_constants *c, const struct pot_job *job,
                              const struct pot_kernel *kernel, const struct trj_map_lattice *l, float reach[3]) {
    double rows[3][3];
    *c = (struct pot_cutoff_constants){.near = near_of(job, kernel)};
    set_axes(c, l, job->cutoff);
    set_block(c);
    set_limits(c, l, job->cutoff);
    set_bounds(c, job, kernel);
    set_kernel(c, job, kernel);
    set_errors(c, job, kernel);
    trj_map_lattice_inverse(l, rows);
    for (int k = 0; k < 3; k++) reach[k] = (float)(job->cutoff * sqrt(dot(rows[k], rows[k])) * (1 + 1e-6) + 1e-3);
}

int pot_cutoff_set_bound(struct pot_job *job, struct trj_error *err) {
    struct pot_cutoff_constants c;
    struct pot_kernel kernel;
    float reach[3];
    job->error_bound = 0;
    if (job->kernel == POT_KERNEL_LJ || job->kernel == POT_KERNEL_COUNT) return 0;
    if (pot_kernel_open(&kernel, job, err)) return -1;
    struct trj_map_lattice unit = {.n = {1, 1, 1}, .step = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    pot_cutoff_constants_set(&c, job, &kernel, job->point_count ? &unit : &job->lattice, reach);
    double terms = (double)job->atoms + 0.25 * 4.18879020478639 * (job->cutoff * kernel.square), error = 0;
    if (c.near < ALL && !job->point_count)
        error = (job->kernel == POT_KERNEL_BUCKINGHAM ? 1 : job->max_charge) * (c.bound[0] * 0x1p-22 + c.error[0]);
    job->error_bound = terms * (error + job->quantum / 2);
    pot_kernel_close(&kernel);
    return 0;
}
