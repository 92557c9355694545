// SPDX-License-Identifier: MIT
// Computes Ewald sums in float64 without a mesh, as an independent reference for particle-mesh methods.
#include "ewald.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

static const double PI = 3.14159265358979323846;
static const double REACH = 6.3; // exp(-6.3^2) = 6e-18

struct wave {
    double k[3], re, im; // the factor of cos(k . r) and of sin(k . r); for k and -k together
};

struct pot_ewald {
    struct trj_cell cell;
    double g[3][3], alpha, background;
    size_t count;
    double (*position)[3], *charge;
    size_t waves;
    struct wave *wave;
};

static double dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double length(const double v[3]) {
    return sqrt(dot(v, v));
}

// Adds the waves of one half space with |k| <= 2 alpha REACH. Without memory for them, counts them.
static void list_waves(struct pot_ewald *e) {
    double max = 2 * e->alpha * REACH;
    long end[3], m[3];
    e->waves = 0;
    for (int a = 0; a < 3; a++) end[a] = (long)(max * length(e->cell.h[a]) / (2 * PI)); // |m_a| = |k . h_a| / (2 pi)
    for (m[2] = 0; m[2] <= end[2]; m[2]++)
        for (m[1] = m[2] ? -end[1] : 0; m[1] <= end[1]; m[1]++)
            for (m[0] = m[2] || m[1] ? -end[0] : 1; m[0] <= end[0]; m[0]++) {
                struct wave w = {.re = 0};
                for (int c = 0; c < 3; c++)
                    for (int a = 0; a < 3; a++) w.k[c] += 2 * PI * (double)m[a] * e->g[a][c];
                if (length(w.k) > max) continue;
                if (e->wave) e->wave[e->waves] = w;
                e->waves++;
            }
}

static void sum_charges(struct pot_ewald *e) {
    double volume = trj_cell_volume(&e->cell);
    for (struct wave *w = e->wave; w < e->wave + e->waves; w++) {
        double k2 = dot(w->k, w->k), factor = 2 * 4 * PI / (volume * k2) * exp(-k2 / (4 * e->alpha * e->alpha));
        for (size_t j = 0; j < e->count; j++) {
            double phase = dot(w->k, e->position[j]);
            w->re += e->charge[j] * cos(phase);
            w->im += e->charge[j] * sin(phase);
        }
        w->re *= factor;
        w->im *= factor;
    }
    for (size_t j = 0; j < e->count; j++) e->background -= PI / (e->alpha * e->alpha * volume) * e->charge[j];
}

int pot_ewald_open(struct pot_ewald **ewald, const struct trj_cell *cell, double alpha, size_t count,
                   const double (*position)[3], const double *charge, struct trj_error *err) {
    struct pot_ewald *e = trj_alloc(1, sizeof *e, "Ewald sums", err);
    if (!e) return -1;
    e->cell = *cell;
    e->count = count;
    e->alpha = alpha > 0 ? alpha : sqrt(PI) / cbrt(trj_cell_volume(cell)); // both sums have about as many terms
    trj_cell_reciprocal(cell, e->g);
    list_waves(e);
    e->position = trj_alloc(count, sizeof *e->position, "Ewald sums", err);
    e->charge = e->position ? trj_alloc(count, sizeof *e->charge, "Ewald sums", err) : NULL;
    e->wave = e->charge ? trj_alloc(e->waves, sizeof *e->wave, "Ewald sums", err) : NULL;
    if (!e->wave) {
        pot_ewald_close(e);
        return -1;
    }
    for (size_t j = 0; j < count; j++) {
        memcpy(e->position[j], position[j], sizeof *position);
        e->charge[j] = charge[j];
    }
    list_waves(e);
    sum_charges(e);
    *ewald = e;
    return 0;
}

void pot_ewald_close(struct pot_ewald *e) {
    if (!e) return;
    free(e->position);
    free(e->charge);
    free(e->wave);
    free(e);
}

double pot_ewald_alpha(const struct pot_ewald *e) {
    return e->alpha;
}

double pot_ewald_reciprocal(const struct pot_ewald *e, const double point[3]) {
    double sum = 0;
    for (const struct wave *w = e->wave; w < e->wave + e->waves; w++) {
        double phase = dot(w->k, point);
        sum += w->re * cos(phase) + w->im * sin(phase);
    }
    return sum;
}

// Returns the sum of erfc(alpha d) / d over the images of a charge at distance `from` of the point.
static double sum_images(const struct pot_ewald *e, const double from[3]) {
    double max = REACH / e->alpha, sum = 0;
    long low[3], high[3], n[3];
    for (int a = 0; a < 3; a++) { // the fractional coordinate of from + n h is that of from, plus n
        double s = dot(e->g[a], from), range = max * length(e->g[a]);
        low[a] = (long)ceil(-s - range);
        high[a] = (long)floor(-s + range);
    }
    for (n[2] = low[2]; n[2] <= high[2]; n[2]++)
        for (n[1] = low[1]; n[1] <= high[1]; n[1]++)
            for (n[0] = low[0]; n[0] <= high[0]; n[0]++) {
                double d[3];
                for (int c = 0; c < 3; c++)
                    d[c] = from[c] + (double)n[0] * e->cell.h[0][c] + (double)n[1] * e->cell.h[1][c] +
                           (double)n[2] * e->cell.h[2][c];
                double r = length(d);
                if (r <= max) sum += erfc(e->alpha * r) / r;
            }
    return sum;
}

double pot_ewald_real(const struct pot_ewald *e, const double point[3]) {
    double sum = e->background;
    for (size_t j = 0; j < e->count; j++) {
        double from[3];
        for (int c = 0; c < 3; c++) from[c] = point[c] - e->position[j][c];
        sum += e->charge[j] * sum_images(e, from);
    }
    return sum;
}
