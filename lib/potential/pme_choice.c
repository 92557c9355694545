// SPDX-License-Identifier: MIT
// Chooses mesh, cutoff and coefficient by a model of errors and time, because users give only the tolerance.
#include "pme_choice.h"

#include <math.h>
#include <stdbool.h>

#include "error_function.h"
#include "fourier_transform.h"

static const double PI = 3.14159265358979323846;

// ---- the model. G is without its factor 1 / (pi V), and wave vectors are s = k / (2 pi).

static double green(double square, double alpha) {
    double exponent = PI * PI / (alpha * alpha) * square;
    return square > 0 && exponent < 80 ? exp(-exponent) / square : 0;
}

// Returns the square of the length of m[0] g[0] + m[1] g[1] + m[2] g[2].
static double square_of(const double m[3], const double g[3][3]) {
    double square = 0;
    for (int c = 0; c < 3; c++) {
        double s = (m[0] * g[0][c] + m[1] * g[1][c]) + m[2] * g[2][c];
        square += s * s;
    }
    return square;
}

static double edge_of(const struct trj_cell *cell, int k) {
    return sqrt(cell->h[k][0] * cell->h[k][0] + cell->h[k][1] * cell->h[k][1] + cell->h[k][2] * cell->h[k][2]);
}

// Returns the sum of G^2 over all waves. Where these are many, the waves beyond the longest ones are an integral.
static double sum_squares(const struct trj_cell *cell, double alpha) {
    enum { STEPS = 400 };
    double g[3][3], m[3], sum = 0, volume = trj_cell_volume(cell);
    double max = alpha * 3.6 / PI; // G^2 has fallen by a factor of e^-25
    double border = fmin(max, cbrt(2e4 / volume)), width = (max - border) / STEPS;
    int end[3];
    trj_cell_reciprocal(cell, g);
    for (int k = 0; k < 3; k++) end[k] = 1 + (int)(edge_of(cell, k) * border);
    for (int i = 0; i <= end[2]; i++)
        for (int j = -end[1]; j <= end[1]; j++)
            for (int k = -end[0]; k <= end[0]; k++) {
                m[0] = k;
                m[1] = j;
                m[2] = i;
                double square = square_of(m, (const double(*)[3])g), value = green(square, alpha);
                if (square <= border * border) sum += (i ? 2 : 1) * value * value;
            }
    for (int i = 0; i < STEPS; i++) {
        double s = border + (i + 0.5) * width, value = green(s * s, alpha);
        sum += 4 * PI * volume * s * s * value * value * width;
    }
    return sum;
}

// Transforms of splines for the wave m / K = t of an axis: b[1 + l] for l from -1 to 1, divided by c.
static void set_spline(double b[3], double t, unsigned order) {
    enum { IMAGES = 4 }; // c is the sum over all l; those beyond are below 1e-3 of it for order 4, and less for others
    double sum = 0;
    for (int l = -IMAGES; l <= IMAGES; l++) {
        double x = PI * (t + l), value = pow(x == 0 ? 1 : sin(x) / x, order);
        if (l >= -1 && l <= 1) b[1 + l] = value;
        sum += value;
    }
    for (int l = 0; l < 3; l++) b[l] /= sum;
}

enum { SAMPLES = 14 }; // along an axis

static double sample_error(const double t[3], double (*const b[3])[3], const size_t position[3], const double g[3][3],
                           double alpha) {
    double own = green(square_of(t, g), alpha), sum = 0;
    for (int i = 0; i < 27; i++) {
        const int l[3] = {i % 3, i / 3 % 3, i / 9};
        double m[3];
        for (int k = 0; k < 3; k++) m[k] = t[k] + l[k] - 1;
        double error = own * b[0][position[0]][l[0]] * b[1][position[1]][l[1]] * b[2][position[2]][l[2]] -
                       (i == 13 ? own : green(square_of(m, g), alpha));
        sum += error * error;
    }
    return sum;
}

// Sums e^2 over the waves of the mesh: SAMPLES^3 of them represent all, because e changes slowly. On fine meshes, those
// along an axis end where G^2 has fallen by a factor of e^-25.
static double sum_errors(const struct trj_cell *cell, const uint64_t n[3], unsigned order, double alpha) {
    double g[3][3], b[3][SAMPLES][3], t[3], width[3], sum = 0;
    double(*const rows[3])[3] = {b[0], b[1], b[2]};
    size_t position[3];
    trj_cell_reciprocal(cell, g);
    for (int k = 0; k < 3; k++) {
        for (int c = 0; c < 3; c++) g[k][c] *= (double)n[k]; // of the mesh
        width[k] = fmin(1, 2 * 3.6 / PI * alpha * edge_of(cell, k) / (double)n[k]);
        for (int i = 0; i < SAMPLES; i++) set_spline(b[k][i], width[k] * ((i + 0.5) / SAMPLES - 0.5), order);
    }
    for (position[2] = SAMPLES / 2; position[2] < SAMPLES; position[2]++) // the other half has the same errors
        for (position[1] = 0; position[1] < SAMPLES; position[1]++)
            for (position[0] = 0; position[0] < SAMPLES; position[0]++) {
                for (int k = 0; k < 3; k++) t[k] = width[k] * (((double)position[k] + 0.5) / SAMPLES - 0.5);
                sum += 2 * sample_error(t, rows, position, (const double(*)[3])g, alpha);
            }
    for (int k = 0; k < 3; k++) sum *= width[k] * (double)n[k] / SAMPLES;
    return sum;
}

double pot_pme_reciprocal_rms(const struct trj_cell *cell, double alpha) {
    return sqrt(sum_squares(cell, alpha)) / (PI * trj_cell_volume(cell));
}

double pot_pme_mesh_error(const struct trj_cell *cell, const uint64_t n[3], unsigned order, double alpha) {
    double squares = sum_squares(cell, alpha);
    return squares > 0 ? sqrt(sum_errors(cell, n, order, alpha) / squares) : 0;
}

double pot_pme_cutoff_error(const struct trj_cell *cell, double alpha, double cutoff) {
    enum { STEPS = 200 };
    double width = 4 / alpha / STEPS, integral = 0; // erfc^2 decreases by more than e^-32 within 4 / alpha
    for (int i = 0; i < STEPS; i++) {
        double value = pot_erfc(alpha * (cutoff + (i + 0.5) * width));
        integral += value * value * width;
    }
    return sqrt(4 * PI / trj_cell_volume(cell) * integral) / pot_pme_reciprocal_rms(cell, alpha);
}

// ---- the choice

struct choice {
    unsigned order;
    uint64_t n[3];
    double error, cost;
};

// Returns seconds of one core for a frame: both factors are measured on a machine of 2024, and only their ratio counts.
static double cost_of(const struct choice *c, size_t atoms) {
    double points = (double)c->n[0] * (double)c->n[1] * (double)c->n[2];
    return (double)atoms * (25e-9 + 0.15e-9 * pow(c->order, 3)) + points * 40e-9;
}

// Sets the mesh with this step, or the next finer one, and its error.
static void set_mesh(struct choice *c, const struct trj_cell *cell, double step, double alpha, double squares) {
    for (int k = 0; k < 3; k++) c->n[k] = trj_fourier_size((uint64_t)fmax(1, ceil(edge_of(cell, k) / step - 1e-6)));
    c->error = sqrt(sum_errors(cell, c->n, c->order, alpha) / squares);
}

// Finds the coarsest mesh whose error is at most `max`. Returns false if the steps would be below a 20th of 1 / alpha.
static bool find_mesh(struct choice *c, const struct trj_cell *cell, double grid, double alpha, double max,
                      double squares) {
    enum { HALVINGS = 9 }; // of the interval; steps that differ by less give the same mesh, because sizes are smooth
    double high = grid > 0 ? fmin(grid, 3 / alpha) : 3 / alpha, low = fmin(high, 0.05 / alpha);
    set_mesh(c, cell, high, alpha, squares);
    if (c->error <= max) return true;
    struct choice good = *c;
    set_mesh(&good, cell, low, alpha, squares);
    for (int i = 0; i < HALVINGS && good.error <= max; i++) {
        double step = sqrt(low * high);
        set_mesh(c, cell, step, alpha, squares);
        bool fine = c->error <= max;
        if (fine) good = *c;
        *(fine ? &low : &high) = step;
    }
    *c = good;
    return c->error <= max;
}

// Chooses the smallest alpha for which the real-space part is accurate; a larger one needs a finer mesh.
static int choose_alpha(struct pot_job *job, const struct trj_cell *cell, double max, struct trj_error *err) {
    if (!(job->cutoff > 0)) job->cutoff = POT_PME_CUTOFF;
    double low = 0.5 / job->cutoff, high = 8 / job->cutoff;
    if (job->alpha > 0) {
        if (!(pot_pme_cutoff_error(cell, job->alpha, job->cutoff) > max)) return 0; // also NaN: both parts are 0
        return trj_fail(err, TRJ_USAGE,
                        "alpha %g 1/Å is too small for a cutoff of %g Å; increase one of them, or leave out --alpha",
                        job->alpha, job->cutoff);
    }
    for (int i = 0; i < 20; i++) {
        double middle = (low + high) / 2;
        *(pot_pme_cutoff_error(cell, middle, job->cutoff) <= max ? &high : &low) = middle;
    }
    double scale = pow(10, 3 - floor(log10(high))); // four digits, which the note can give exactly
    job->alpha = ceil(high * scale) / scale;
    return 0;
}

int pot_pme_choose(struct pot_job *job, const struct trj_cell *cell, double grid, const struct pot_pme_errors *allowed,
                   struct pot_pme_errors *errors, struct trj_error *err) {
    struct choice best = {.cost = INFINITY};
    *errors = (struct pot_pme_errors){0};
    if (job->full) {
        if (choose_alpha(job, cell, allowed->cutoff, err)) return -1;
        errors->cutoff = pot_pme_cutoff_error(cell, job->alpha, job->cutoff);
    }
    if (!(job->alpha > 0)) job->alpha = POT_PME_ALPHA;
    double squares = sum_squares(cell, job->alpha);
    if (!(squares > 0))
        return trj_fail(err, TRJ_USAGE,
                        "the reciprocal part is almost 0 for alpha %g 1/Å in this cell; use a larger alpha%s",
                        job->alpha, job->full ? ", or a shorter cutoff" : "");
    for (unsigned order = 4; order <= 8; order += 2) {
        struct choice c = {.order = order};
        if (job->order && job->order != order) continue;
        if (!find_mesh(&c, cell, grid, job->alpha, allowed->mesh, squares)) continue;
        c.cost = cost_of(&c, job->atoms);
        if (c.cost < best.cost) best = c;
    }
    if (!best.order)
        return trj_fail(err, TRJ_USAGE, "no mesh is fine enough for alpha %g 1/Å and %s; use a larger tolerance",
                        job->alpha, job->order ? "this order" : "splines up to order 8");
    if (trj_map_lattice_divide(&job->lattice, cell, best.n, err)) return -1;
    job->values = (size_t)trj_map_lattice_points(&job->lattice);
    job->order = best.order;
    errors->mesh = best.error;
    return 0;
}
