// SPDX-License-Identifier: MIT
// The engine `reference` of the method pme: sums without a mesh, or charges on a mesh with one thread.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "charge_mesh.h"
#include "ewald.h"
#include "memory.h"
#include "pme_sum.h"
#include "pme_surface.h"

struct reference {
    const struct pot_job *job;
    double *value; // [values] of the sum of the frames
    double *frame; // [values] of a frame
    int64_t *sum;  // [values]
    bool cleared;  // after the last finish
};

static void close_reference(void *state) {
    struct reference *r = state;
    if (!r) return;
    free(r->value);
    free(r->frame);
    free(r->sum);
    free(r);
}

static int open_reference(void **state, const struct pot_job *job, struct trj_error *err) {
    struct reference *r = trj_alloc(1, sizeof *r, "an engine", err);
    if (!r) return -1;
    r->job = job;
    r->value = trj_alloc(job->values, sizeof *r->value, "the map", err);
    r->frame = r->value ? trj_alloc(job->values, sizeof *r->frame, "the map", err) : NULL;
    r->sum = r->frame ? trj_alloc(job->values, sizeof *r->sum, "the map", err) : NULL;
    if (!r->sum) {
        close_reference(r);
        return -1;
    }
    r->cleared = true;
    *state = r;
    return 0;
}

static void spread(struct reference *r, const struct pot_frame *f) {
    const struct trj_map_lattice *l = &f->lattice;
    const int order = (int)r->job->order, before = order / 2 - 1;
    double g[3][3];
    trj_map_lattice_inverse(l, g);
    for (size_t a = 0; a < f->count; a++) {
        double weight[3][8];
        int64_t first[3];
        for (int k = 0; k < 3; k++) {
            double u = 0, n = (double)l->n[k];
            for (int c = 0; c < 3; c++) u += g[k][c] * (f->position[a][c] - l->origin[c]);
            u -= floor(u / n) * n;
            first[k] = (int64_t)floor(u) - before;
            for (int i = 0; i < order; i++)
                weight[k][i] = pot_spline((unsigned)order, u - (double)(first[k] + i) + order / 2.0);
        }
        for (int i = 0; i < order * order * order; i++) {
            const int offset[3] = {i % order, i / order % order, i / order / order};
            uint64_t point[3];
            for (int k = 0; k < 3; k++) {
                int64_t n = (int64_t)l->n[k];
                point[k] = (uint64_t)(((first[k] + offset[k]) % n + n) % n);
            }
            r->value[point[0] + l->n[0] * (point[1] + l->n[1] * point[2])] +=
                f->charge[a] * weight[0][offset[0]] * weight[1][offset[1]] * weight[2][offset[2]];
        }
    }
}

static int sum_ewald(struct reference *r, const struct pot_frame *f, struct trj_error *err) {
    const struct trj_map_lattice *l = &f->lattice;
    struct trj_cell cell = trj_map_lattice_cell(l);
    struct pot_surface surface = {0};
    struct pot_ewald *e;
    if (pot_surface_add(&surface, r->job, f, err) ||
        pot_ewald_open(&e, &cell, r->job->full ? 0 : r->job->alpha, f->count, f->position, f->charge, err))
        return -1;
    for (size_t i = 0; i < r->job->values; i++) {
        double x[3];
        trj_map_lattice_point(l, i, x);
        r->frame[i] = pot_ewald_reciprocal(e, x) + (r->job->full ? pot_ewald_real(e, x) : 0);
    }
    pot_ewald_close(e);
    pot_surface_apply(&surface, r->job, l, r->frame);
    for (size_t i = 0; i < r->job->values; i++) {
        if (!isfinite(r->frame[i]))
            return trj_fail(err, TRJ_BAD_DATA,
                            "a charge is at point %llu of the lattice, where the potential is infinite",
                            (unsigned long long)i);
        r->value[i] += r->frame[i];
    }
    return 0;
}

static int add(void *state, const struct pot_frame *f, struct trj_error *err) {
    struct reference *r = state;
    if (pot_pme_check_frame(r->job, f, err)) return -1;
    if (!r->cleared) memset(r->value, 0, r->job->values * sizeof *r->value);
    r->cleared = true;
    if (!r->job->charge_mesh) return sum_ewald(r, f, err);
    spread(r, f);
    return 0;
}

static int finish(void *state, const int64_t **values, struct trj_error *err) {
    struct reference *r = state;
    if (!r->cleared) memset(r->value, 0, r->job->values * sizeof *r->value);
    r->cleared = false;
    memset(r->sum, 0, r->job->values * sizeof *r->sum);
    if (pot_pme_round(r->job, r->value, r->sum, err)) return -1;
    *values = r->sum;
    return 0;
}

const struct pot_method pot_pme_reference = {
    .open = open_reference, .add = add, .finish = finish, .close = close_reference};
