// SPDX-License-Identifier: MIT
// Adds the surface term of an Ewald sum, which depends on what surrounds the periodic system.
#include "pme_surface.h"

#include <math.h>

static const double PI = 3.14159265358979323846, LARGEST_CHARGE = 1e-3, WIDEST = 0.9;

static void add(struct trj_exact_sum *s, double x) {
    if (trj_exact_in_range(x)) trj_exact_add(s, x); // other numbers are below 2^-200
}

static int add_vacuum(struct pot_surface *s, const struct pot_frame *f, struct trj_error *err) {
    struct trj_exact_sum net = {0};
    for (size_t i = 0; i < f->count; i++) {
        const double *x = f->position[i], q = f->charge[i];
        add(&net, q);
        for (int c = 0; c < 3; c++) add(&s->moment[c], q * x[c]);
        add(&s->square, q * ((x[0] * x[0] + x[1] * x[1]) + x[2] * x[2]));
    }
    trj_exact_merge(&s->charge, &net);
    if (fabs(trj_exact_value(&net)) <= LARGEST_CHARGE) return 0;
    return trj_fail(err, TRJ_BAD_DATA, "the net charge is %g e, but a crystal in vacuum must be neutral; use tinfoil",
                    trj_exact_value(&net));
}

static int add_slab(struct pot_surface *s, int axis, const struct pot_frame *f, struct trj_error *err) {
    struct trj_cell cell = trj_map_lattice_cell(&f->lattice);
    double g[3][3], height = trj_cell_height(&cell, axis), min = 1, max = 0;
    trj_cell_reciprocal(&cell, g);
    for (size_t i = 0; i < f->count; i++) {
        double d[3], q = f->charge[i];
        for (int c = 0; c < 3; c++) d[c] = f->position[i][c] - f->lattice.origin[c];
        double u = (d[0] * g[axis][0] + d[1] * g[axis][1]) + d[2] * g[axis][2];
        u -= floor(u);
        if (q == 0) continue;
        min = fmin(min, u);
        max = fmax(max, u);
        double z = u * height;
        add(&s->charge, q);
        add(&s->moment[0], q * z);
        add(&s->square, q * (z * z));
    }
    if (max - min <= WIDEST) return 0;
    return trj_fail(err, TRJ_BAD_DATA,
                    "charges extend over %.0f %% of the height of the cell, %g Å: expected a slab with at least 10 %% "
                    "vacuum around the face of the cell; centre the slab, or make the cell higher",
                    100 * (max - min), height);
}

int pot_surface_add(struct pot_surface *s, const struct pot_job *job, const struct pot_frame *frame,
                    struct trj_error *err) {
    return job->surface == POT_VACUUM ? add_vacuum(s, frame, err)
           : job->surface == POT_SLAB ? add_slab(s, job->slab_axis, frame, err)
                                      : 0;
}

void pot_surface_apply(const struct pot_surface *s, const struct pot_job *job, const struct trj_map_lattice *l,
                       double *potential) {
    if (job->surface == POT_TINFOIL) return;
    struct trj_cell cell = trj_map_lattice_cell(l);
    double volume = trj_cell_volume(&cell), height = trj_cell_height(&cell, job->slab_axis);
    double charge = trj_exact_value(&s->charge), square = trj_exact_value(&s->square), moment[3];
    bool slab = job->surface == POT_SLAB;
    for (int c = 0; c < 3; c++) moment[c] = trj_exact_value(&s->moment[c]);
    uint64_t i[3];
    for (i[2] = 0; i[2] < l->n[2]; i[2]++)
        for (i[1] = 0; i[1] < l->n[1]; i[1]++)
            for (i[0] = 0; i[0] < l->n[0]; i[0]++) {
                double x[3], index[3] = {(double)i[0], (double)i[1], (double)i[2]};
                if (slab) {
                    double z = index[job->slab_axis] / (double)l->n[job->slab_axis] * height;
                    *potential++ -=
                        2 * PI / volume * (charge * (z * z + height * height / 6) - 2 * z * moment[0] + square);
                    continue;
                }
                trj_map_lattice_position(l, index, x);
                double product = x[0] * moment[0] + x[1] * moment[1] + x[2] * moment[2];
                *potential++ -= 2 * PI / (3 * volume) * (square - 2 * product);
            }
}
