// SPDX-License-Identifier: MIT
// Compares rmax with the width of each cell, because the first frame need not have the narrowest one.
#include "image_limit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Relative tolerance: limits of frames with the same cell differ by rounding.
#define SLACK 1e-6

// Returns the limit with the 6 digits that %.6g prints, rounded down: a run with the value that a note suggests must
// not print the note again.
static double not_above(double half) {
    double power = floor(log10(half)) - 5, scaled = power < 0 ? half * pow(10, -power) : half / pow(10, power),
           digits = floor(scaled * (1 + SLACK / 10));
    return power < 0 ? digits / pow(10, -power) : digits * pow(10, power);
}

// Returns whether all atoms have one height along an axis, with the reciprocal vector g.
static bool is_one_height(const struct trj_frame *f, const double g[3]) {
    double first = 0;
    for (size_t i = 0; i < f->atoms; i++) {
        double s = (g[0] * (double)f->x[0][i] + g[1] * (double)f->x[1][i] + g[2] * (double)f->x[2][i]) * f->unit;
        if (!i) first = s;
        if (fabs(s - first - rint(s - first)) > 1e-5) return false;
    }
    return true;
}

// Returns whether the cell has no height along vector k, as in two dimensions, and all atoms are in one plane of the
// other two vectors, which are periodic.
static bool is_plane(const struct trj_frame *f, int k) {
    const double *a = f->cell.h[(k + 1) % 3], *b = f->cell.h[(k + 2) % 3], *c = f->cell.h[k];
    const double normal[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
    double area = sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]), first = 0;
    if (f->cell.periodic != (TRJ_PERIODIC_ALL & ~(1U << k)) || fabs(c[0]) + fabs(c[1]) + fabs(c[2]) > 0) return false;
    for (size_t i = 0; i < f->atoms; i++) {
        double s = 0;
        for (int d = 0; d < 3; d++) s += normal[d] / area * (double)f->x[d][i] * f->unit;
        if (!i) first = s;
        if (!(fabs(s - first) < 1e-4)) return false;
    }
    return true;
}

int rdf_flat_axis(const struct trj_frame *f) {
    double g[3][3];
    for (int k = 2; k >= 0 && f->atoms > 1; k--)
        if (is_plane(f, k)) return k;
    trj_cell_reciprocal(&f->cell, g);
    for (int k = 2; k >= 0 && f->atoms > 2; k--) {
        double height = trj_cell_height(&f->cell, k), others = INFINITY;
        for (int j = 1; j < 3; j++) others = fmin(others, trj_cell_height(&f->cell, (k + j) % 3));
        bool thin = height > 0 && height < others / 2;
        if (f->cell.periodic == TRJ_PERIODIC_ALL && thin && is_one_height(f, g[k])) return k;
    }
    return -1;
}

// Returns the length of the shortest vector of the lattice; infinity if there is none.
static double shortest_vector(const struct trj_cell *cell) {
    struct trj_cell reduced = *cell;
    struct trj_error ignored;
    double t[3][3], shortest = INFINITY;
    if (trj_cell_reduce(&reduced, t, &ignored)) return INFINITY;
    for (int k = 0; k < 3; k++) {
        const double *h = reduced.h[k];
        if (reduced.periodic >> k & 1) shortest = fmin(shortest, sqrt(h[0] * h[0] + h[1] * h[1] + h[2] * h[2]));
    }
    return shortest;
}

void rdf_image_limit_add(struct rdf_image_limit *w, const struct trj_cell *cell) {
    double half = trj_cell_min_width(cell) / 2; // infinity if the cell is not periodic
    w->note[0] = 0;
    if (isnan(w->rmax)) return;
    if (!w->frames++) {
        w->first = w->min = half;
        if (w->rmax > half * (1 + SLACK))
            snprintf(w->note, sizeof w->note,
                     "note: -r %.6g Å is beyond half the width of the cell, %.6g Å: from there on several periodic "
                     "images of an atom are counted; to count nearest images alone, give -r %.6g",
                     w->rmax, half, not_above(half));
        size_t end = strlen(w->note);
        double own = shortest_vector(cell);
        if (*w->note && !w->own_images && w->rmax > own * (1 + SLACK))
            snprintf(w->note + end, sizeof w->note - end,
                     "; from %.6g Å on, the pairs of an atom with its own images are missing: in a small cell, add "
                     "--own-images",
                     own);
        return;
    }
    w->narrower += half < fmin(w->first, w->rmax) * (1 - SLACK);
    w->min = fmin(w->min, half);
}

void rdf_image_limit_finish(struct rdf_image_limit *w) {
    w->note[0] = 0;
    if (!w->narrower) return;
    snprintf(w->note, sizeof w->note,
             "note: in %llu of %llu frames the cell is narrower than %s: the smallest half width is %.6g Å; to count "
             "nearest images alone in all frames, give -r %.6g",
             (unsigned long long)w->narrower, (unsigned long long)w->frames,
             w->rmax > w->first * (1 + SLACK) ? "in the first" : "twice -r, so that periodic images are counted",
             w->min, not_above(w->min));
}
