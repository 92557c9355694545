// SPDX-License-Identifier: MIT
// Updates gaps, volumes and extents frame by frame, with integer comparisons, which compilers vectorise.
#include "frame_statistics.h"

#include <math.h>
#include <string.h>

const double trj_time_rounding = 1.0 / (1 << 23);

static void add_number(struct trj_series *q, double v, uint64_t number) {
    if (!q->count++) {
        q->first = v;
        q->first_frame = number;
    } else if (number == q->last_frame + 1) {
        double gap = v - q->last;
        if (!q->gaps || gap < q->min_gap) q->min_gap = gap;
        if (!q->gaps || gap > q->max_gap) q->max_gap = gap;
        q->gaps++;
        q->repeated += gap == 0;
        q->decreasing += gap < 0;
    }
    q->last = v;
    q->last_frame = number;
    q->max = fmax(q->max, fabs(v));
}

double trj_series_spacing(const struct trj_series *q, double rounding, bool *uniform) {
    *uniform = false;
    if (q->count < 2) return NAN;
    double spacing = (q->last - q->first) / (double)(q->last_frame - q->first_frame);
    double error = 4 * rounding * q->max;
    *uniform = !q->gaps || (q->min_gap >= spacing - error && q->max_gap <= spacing + error);
    return spacing;
}

static void add_cell(struct trj_frame_statistics *s, const struct trj_cell *cell) {
    double volume = trj_cell_volume(cell);
    if (!s->frames) s->cell = *cell;
    bool same = cell->periodic == s->cell.periodic;
    for (int k = 0; k < 9; k++) same = same && cell->h[k / 3][k % 3] == s->cell.h[k / 3][k % 3];
    s->other_cells += !same;
    if (volume == 0) return;
    s->min_volume = s->volumes ? fmin(s->min_volume, volume) : volume;
    s->max_volume = fmax(s->max_volume, volume);
    s->volumes++;
}

// Returns |x| as an integer of the same order, because compilers vectorise integer comparisons.
static int32_t bits_of(float x) {
    int32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits & INT32_MAX;
}

// The number of the atom is determined only if the frame exceeds all earlier ones.
static void add_reach(struct trj_frame_statistics *s, const struct trj_frame *f, uint64_t number) {
    for (int k = 0; k < 3; k++) {
        const float *x = f->x[k];
        int32_t bits = 0;
        float max;
        for (size_t i = 0; i < f->atoms; i++) bits = bits_of(x[i]) > bits ? bits_of(x[i]) : bits;
        memcpy(&max, &bits, sizeof max);
        if ((double)max * f->unit <= s->reach) continue;
        s->reach = (double)max * f->unit;
        s->reach_frame = number;
        for (s->reach_atom = 0; bits_of(x[s->reach_atom]) != bits;) s->reach_atom++;
    }
}

void trj_frame_statistics_add(struct trj_frame_statistics *s, const struct trj_frame *f, uint64_t number) {
    if (isfinite(f->time)) add_number(&s->time, f->time, number);
    if (f->step != TRJ_NO_STEP) add_number(&s->step, (double)f->step, number);
    add_cell(s, &f->cell);
    add_reach(s, f, number);
    s->unit = f->unit;
    s->frames++;
}
