// SPDX-License-Identifier: MIT
// Encloses a molecule in a lattice.
#include "orbital_request.h"

#include <string.h>

#include "units.h"

static const double DIGITS = 1e6;        // per bohr: lengths of boxes are rounded to multiples of 1e-6 bohr
static const double GRID = 0.2, PAD = 4; // Å, defaults
enum { POINTS_MAX = 1 << 30 };           // of an axis

// Sets one axis of a box between two coordinates, in bohr.
static int box_axis(struct trj_map_lattice *l, int axis, double low, double high, double step, struct trj_error *err) {
    double n = ceil((high - low) / step - 1e-9) + 1;
    if (!(n <= POINTS_MAX))
        return trj_fail(
            err, TRJ_USAGE,
            "--grid, --pad: the box would have %.3g points along an axis; use a larger step or a smaller margin", n);
    double origin = round(((low + high) / 2 - (n - 1) / 2 * step) * DIGITS) / DIGITS;
    l->n[axis] = (uint64_t)n;
    l->origin[axis] = origin * TRJ_BOHR;
    l->step[axis][axis] = step * TRJ_BOHR;
    return 0;
}

static int enclose(struct trj_map_lattice *l, const struct orb_request *r, const struct orb_wave_function *w,
                   struct trj_error *err) {
    double grid = isnan(r->grid) ? GRID : r->grid, pad = (isnan(r->pad) ? PAD : r->pad) / TRJ_BOHR;
    double step = round(grid / TRJ_BOHR * DIGITS) / DIGITS;
    *l = (struct trj_map_lattice){.periodic = 0};
    for (int k = 0; k < 3; k++) {
        double low = INFINITY, high = -INFINITY;
        for (size_t i = 0; i < w->atoms; i++) {
            low = fmin(low, w->atom[i].position[k]);
            high = fmax(high, w->atom[i].position[k]);
        }
        if (box_axis(l, k, low - pad, high + pad, step, err)) return -1;
    }
    if (!trj_map_lattice_check(l, err)) return 0;
    err->status = TRJ_USAGE;
    return trj_fail_at(err, "--grid, --pad");
}

int orb_request_lattice(struct trj_map_lattice *l, const struct orb_request *r, const struct orb_wave_function *w,
                        struct trj_error *err) {
    static const struct trj_cell none;
    if (!r->fixed.like && !trj_lattice_options_are_fixed(&r->fixed)) return enclose(l, r, w, err);
    if (trj_lattice_options_make(&r->fixed, &none, l, err)) return -1;
    l->periodic = 0;
    return 0;
}

void orb_job_set_lattice(struct orb_job *job, const struct trj_map_lattice *l) {
    memcpy(job->n, l->n, sizeof job->n);
    job->point = NULL;
    for (int k = 0; k < 3; k++) {
        job->origin[k] = l->origin[k] / TRJ_BOHR;
        for (int i = 0; i < 3; i++) job->step[k][i] = l->step[k][i] / TRJ_BOHR;
    }
}

size_t orb_lattice_outside(const struct trj_map_lattice *l, const struct trj_map_atoms *atoms) {
    double inverse[3][3];
    size_t outside = 0;
    trj_map_lattice_inverse(l, inverse);
    for (size_t i = 0; i < atoms->count; i++) {
        bool inside = true;
        for (int k = 0; k < 3; k++) {
            double index = 0;
            for (int c = 0; c < 3; c++) index += inverse[k][c] * (atoms->atom[i].position[c] - l->origin[c]);
            inside = inside && index >= 0 && index <= (double)(l->n[k] - 1);
        }
        outside += !inside;
    }
    return outside;
}
