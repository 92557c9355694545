// SPDX-License-Identifier: MIT
// Adds the powers of each shell directly from the transforms of both maps, without a third transform or a list of
// waves.
#include "fourier_shell.h"

#include <math.h>
#include <stdlib.h>

#include "fourier_transform.h"
#include "memory.h"

double cor_shells_resolution(const struct cor_shells *f, double threshold) {
    double s = 0, fsc = 1; // the curve begins at 1
    for (size_t i = 0; i < f->count; i++) {
        const struct cor_shell *next = &f->shell[i];
        if (next->fsc < threshold) {
            double share = fsc > next->fsc ? (fsc - threshold) / (fsc - next->fsc) : 0;
            return 1 / (s + share * (next->s - s));
        }
        s = next->s;
        fsc = next->fsc;
    }
    return 0;
}

// Sums of a shell.
struct power {
    double cross, a, b;
    uint64_t terms;
};

// Transforms the values of a map; the mean is subtracted, which affects only s = 0, so that the rest loses no digits.
static int transform(struct trj_fourier *f, const struct cor_map *m, struct trj_error *err) {
    const uint64_t *n = m->lattice.n;
    if (trj_fourier_open(f, n, "a Fourier shell correlation", err)) return -1;
    for (size_t r = 0; r < f->n[1] * f->n[2]; r++) {
        double *to = f->value + 2 * f->row * r;
        for (uint64_t i = 0; i < n[0]; i++) to[i] = cor_map_value(m, r * n[0] + i) - m->summary.mean;
    }
    return trj_fourier_forward(f, err);
}

static double wave_number(uint64_t k, uint64_t n) {
    return k > n / 2 ? (double)k - (double)n : (double)k;
}

static void add_powers(struct power *shell, size_t count, double width, const struct trj_map_lattice *l,
                       const double *a, const double *b) {
    double g[3][3];
    trj_map_lattice_inverse(l, g);
    for (uint64_t k = 0; k < l->n[2]; k++)
        for (uint64_t j = 0; j < l->n[1]; j++)
            for (uint64_t i = 0; i < l->n[0] / 2 + 1; i++, a += 2, b += 2) {
                double index[3] = {(double)i / (double)l->n[0], wave_number(j, l->n[1]) / (double)l->n[1],
                                   wave_number(k, l->n[2]) / (double)l->n[2]};
                double square = 0;
                for (int c = 0; c < 3; c++) {
                    double s = index[0] * g[0][c] + index[1] * g[1][c] + index[2] * g[2][c];
                    square += s * s;
                }
                double number = floor(sqrt(square) / width + 0.5);
                if (!(number < (double)count)) continue;
                struct power *p = &shell[(size_t)number];
                unsigned times = i && 2 * i != l->n[0] ? 2 : 1; // the other half of the vectors is not stored
                p->cross += times * (a[0] * b[0] + a[1] * b[1]);
                p->a += times * (a[0] * a[0] + a[1] * a[1]);
                p->b += times * (b[0] * b[0] + b[1] * b[1]);
                p->terms += times;
            }
}

static double length(const double v[3]) {
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

int cor_fourier_shells(struct cor_shells *f, const struct cor_map *a, const struct cor_map *b, struct trj_error *err) {
    const struct trj_map_lattice *l = &a->lattice;
    double edge = 0, step = 0;
    if (cor_map_check_same(a, b, err)) return -1;
    for (int k = 0; k < 3; k++) {
        if (l->n[k] < 4 || l->n[k] > INT32_MAX)
            return trj_fail(err, TRJ_BAD_DATA, "axis %d of %s has %llu points, expected 4 to 2^31 - 1 for --fsc", k,
                            a->name, (unsigned long long)l->n[k]);
        edge = fmax(edge, length(l->step[k]) * (double)l->n[k]);
        step = fmax(step, length(l->step[k]));
    }
    size_t count = (size_t)floor(edge / (2 * step) * (1 + 1e-9)) + 1;
    struct power *shell = trj_alloc(count, sizeof *shell, "shells", err);
    struct trj_fourier fa = {0}, fb = {0};
    if (shell && !transform(&fa, a, err) && !transform(&fb, b, err) &&
        (f->shell = trj_alloc(count, sizeof *f->shell, "shells", err))) {
        add_powers(shell, count, 1 / edge, l, fa.value, fb.value);
        for (size_t i = 1; i < count; i++) {
            const struct power *p = &shell[i];
            double power = sqrt(p->a * p->b);
            f->shell[f->count++] = (struct cor_shell){(double)i / edge, power > 0 ? p->cross / power : NAN, p->terms};
        }
    }
    trj_fourier_close(&fa);
    trj_fourier_close(&fb);
    free(shell);
    return f->count ? 0 : -1;
}
