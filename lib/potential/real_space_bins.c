// SPDX-License-Identifier: MIT
// Sorts charges into bins, so that the reference of a tolerance visits only charges within the cutoff.
#include "real_space_bins.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "memory.h"

static const double TWO_BY_ROOT_PI = 1.12837916709551257390; // 2 / sqrt(pi)

struct charge {
    double x[3], q; // x is inside the cell
};

struct pot_bins {
    struct trj_cell cell;
    double g[3][3];
    long n[3];             // bins along the axes
    size_t *first;         // [n[0] n[1] n[2] + 1]
    struct charge *sorted; // [count]
};

static double dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// Moves a charge into the cell, and returns its bin.
static size_t place(const struct pot_bins *b, struct charge *c) {
    size_t bin = 0;
    double s[3];
    for (int k = 0; k < 3; k++) s[k] = dot(b->g[k], c->x);
    for (int k = 2; k >= 0; k--) {
        double whole = floor(s[k]);
        long index = (long)((s[k] - whole) * (double)b->n[k]);
        for (int d = 0; d < 3; d++) c->x[d] -= whole * b->cell.h[k][d];
        bin = bin * (size_t)b->n[k] + (size_t)(index < b->n[k] ? index : b->n[k] - 1);
    }
    return bin;
}

int pot_bins_open(struct pot_bins **bins, const struct trj_cell *cell, size_t count, const double (*position)[3],
                  const double *charge, struct trj_error *err) {
    const double width = 6; // smallest width, Å; with a reach of tens of Å, few bins are partly outside of it
    enum { MAX = 100 };     // bins along an axis
    struct pot_bins *b = trj_alloc(1, sizeof *b, "sums over charges", err);
    size_t *next = NULL, total = 1;
    if (!b) return -1;
    b->cell = *cell;
    trj_cell_reciprocal(cell, b->g);
    for (int k = 0; k < 3; k++) {
        double height = 1 / sqrt(dot(b->g[k], b->g[k]));
        b->n[k] = (long)fmax(1, fmin(MAX, floor(height / width)));
        total *= (size_t)b->n[k];
    }
    b->first = trj_alloc(total + 1, sizeof *b->first, "sums over charges", err);
    b->sorted = b->first ? trj_alloc(count ? count : 1, sizeof *b->sorted, "sums over charges", err) : NULL;
    next = b->sorted ? trj_alloc(total + 1, sizeof *next, "sums over charges", err) : NULL;
    if (!next) {
        pot_bins_close(b);
        return -1;
    }
    for (size_t i = 0; i < count; i++) {
        struct charge c = {{position[i][0], position[i][1], position[i][2]}, charge[i]};
        next[place(b, &c) + 1]++;
    }
    for (size_t i = 0; i < total; i++) next[i + 1] += next[i];
    for (size_t i = 0; i <= total; i++) b->first[i] = next[i];
    for (size_t i = 0; i < count; i++) {
        struct charge c = {{position[i][0], position[i][1], position[i][2]}, charge[i]};
        size_t bin = place(b, &c);
        b->sorted[next[bin]++] = c;
    }
    free(next);
    *bins = b;
    return 0;
}

void pot_bins_close(struct pot_bins *b) {
    if (!b) return;
    free(b->first);
    free(b->sorted);
    free(b);
}

static void add_charge(const struct charge *c, const double to[3], const struct pot_bin_terms *t,
                       struct pot_bin_sums *sums) {
    const double d[3] = {to[0] - c->x[0], to[1] - c->x[1], to[2] - c->x[2]};
    double square = dot(d, d);
    if (square > t->reach * t->reach) return;
    double r = sqrt(square), narrow = t->narrow * r;
    if (!(r > 1e-100)) { // erf(x) / x has the limit 2 / sqrt(pi)
        sums->smooth += c->q * TWO_BY_ROOT_PI * (t->narrow - t->wide);
        return;
    }
    if (t->wide < t->narrow)
        sums->smooth += c->q * (narrow < POT_BINS_END ? erf(narrow) - erf(t->wide * r) : erfc(t->wide * r)) / r;
    if (narrow >= POT_BINS_END) return;
    double value = c->q * erfc(narrow) / r;
    sums->whole += value;
    if (r <= t->cutoff) sums->within += value;
}

void pot_bins_sum(const struct pot_bins *b, const double point[3], const struct pot_bin_terms *terms,
                  struct pot_bin_sums *sums) {
    long low[3], high[3], index[3];
    *sums = (struct pot_bin_sums){0};
    for (int k = 0; k < 3; k++) { // the numbering of bins continues in the images of the cell
        double s = dot(b->g[k], point), range = terms->reach * sqrt(dot(b->g[k], b->g[k]));
        low[k] = (long)floor((s - range) * (double)b->n[k]);
        high[k] = (long)floor((s + range) * (double)b->n[k]);
    }
    for (index[2] = low[2]; index[2] <= high[2]; index[2]++)
        for (index[1] = low[1]; index[1] <= high[1]; index[1]++)
            for (index[0] = low[0]; index[0] <= high[0]; index[0]++) {
                double to[3] = {point[0], point[1], point[2]}; // relative to this image of the cell
                size_t bin = 0;
                for (int k = 2; k >= 0; k--) {
                    long image = (index[k] >= 0 ? index[k] : index[k] - b->n[k] + 1) / b->n[k];
                    for (int d = 0; d < 3; d++) to[d] -= (double)image * b->cell.h[k][d];
                    bin = bin * (size_t)b->n[k] + (size_t)(index[k] - image * b->n[k]);
                }
                for (size_t i = b->first[bin]; i < b->first[bin + 1]; i++) add_charge(&b->sorted[i], to, terms, sums);
            }
}
