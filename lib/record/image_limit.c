// SPDX-License-Identifier: MIT
// Compares rmax with the width of each cell, because the first frame need not have the narrowest one.
#include "image_limit.h"

#include <math.h>
#include <stdio.h>

// Relative tolerance: limits of frames with the same cell differ by rounding.
#define SLACK 1e-6

// Returns the limit with the 6 digits that %.6g prints, rounded down: a run with the value that a note suggests must
// not print the note again.
static double not_above(double half) {
    double power = floor(log10(half)) - 5, scaled = power < 0 ? half * pow(10, -power) : half / pow(10, power),
           digits = floor(scaled * (1 + SLACK / 10));
    return power < 0 ? digits / pow(10, -power) : digits * pow(10, power);
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
