// SPDX-License-Identifier: MIT
#include "density_job.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

double den_job_scale(const struct den_job *job) {
    return job->kernel == DEN_BALL ? 0.23873241463784300365 / ((job->radius * job->radius) * job->radius) : 1;
}

double den_job_units(const struct den_job *job, double weight) {
    return den_round_even(weight * den_job_scale(job) / job->quantum);
}

int den_job_quantum(struct den_job *job, struct trj_error *err) {
    for (size_t i = 0; job->weight && i < job->group->count; i++)
        if (!(fabs((double)job->weight[i]) <= job->gauss.bound))
            return trj_fail(err, TRJ_BAD_DATA,
                            "atom %u: weight %g exceeds the largest weight, %g; set a larger one with --max-weight",
                            job->group->atoms[i], (double)job->weight[i], job->gauss.bound);
    if (!job->weight && job->gauss.bound < 1)
        return trj_fail(err, TRJ_BAD_DATA,
                        "the weights are 1, which exceeds the largest weight, %g; set a larger one with --max-weight",
                        job->gauss.bound);
    if (job->kernel == DEN_GAUSS) return den_gauss_quantum(&job->gauss, &job->quantum, err);
    if (job->kernel == DEN_BALL && !(job->radius >= TRJ_SHORTEST && job->radius <= TRJ_FARTHEST))
        return trj_fail(err, TRJ_BAD_DATA, "invalid radius: %g Å, expected %g to %g", job->radius, TRJ_SHORTEST,
                        TRJ_FARTHEST);
    double largest = job->gauss.bound * den_job_scale(job);
    int e = 0;
    if (!(largest >= 0x1p-200 && largest <= 0x1p200))
        return trj_fail(err, TRJ_BAD_DATA, "invalid bound of the weights: %g, expected a positive number",
                        job->gauss.bound);
    if (frexp(largest, &e) == 0.5) e--;
    job->quantum = job->kernel == DEN_COUNT && !job->weight ? 1 : ldexp(1, e - 30);
    return 0;
}

// Verifies that the periods of the lattice are vectors of the cell, to within a millionth of a step.
static int check_period(const struct trj_map_lattice *l, const struct trj_cell *cell, struct trj_error *err) {
    struct trj_cell period = trj_map_lattice_cell(l);
    for (int k = 0; k < 3; k++) {
        double apart = 0, step = 0;
        for (int c = 0; c < 3 && l->periodic >> k & 1; c++) {
            apart += (period.h[k][c] - cell->h[k][c]) * (period.h[k][c] - cell->h[k][c]);
            step += l->step[k][c] * l->step[k][c];
        }
        if (apart <= 1e-12 * step && (cell->periodic & l->periodic) == l->periodic) continue;
        return trj_fail(err, TRJ_BAD_DATA,
                        "the cell differs from that of the lattice, in vector %d by %.4g Å; add --fractional to move "
                        "the points with the cell, or give a fixed lattice with --origin, --points and --steps",
                        k, sqrt(apart));
    }
    return 0;
}

int den_job_lattice(const struct den_job *job, const struct trj_frame *f, struct trj_map_lattice *l,
                    struct trj_error *err) {
    *l = job->lattice;
    if (!job->fractional) return check_period(l, &f->cell, err);
    if (f->cell.periodic != TRJ_PERIODIC_ALL)
        return trj_fail(err, TRJ_BAD_DATA,
                        "the frame has no cell that is periodic in three directions, which --fractional requires; give "
                        "a cell, or a fixed lattice");
    return trj_map_lattice_divide(l, &f->cell, job->lattice.n, err);
}

int den_job_check_frame(const struct den_job *job, const struct trj_frame *f, struct trj_error *err) {
    struct trj_map_lattice l;
    if (f->atoms != job->atoms)
        return trj_fail(err, TRJ_BAD_DATA, "%zu atoms, but earlier frames have %zu", f->atoms, job->atoms);
    float farthest = f->farthest > 0 ? f->farthest : trj_frame_farthest(f);
    bool valid = (double)farthest * f->unit <= TRJ_FARTHEST;
    for (int k = 0; k < 3 && !valid; k++)
        for (size_t i = 0; i < f->atoms; i++)
            if (!(fabs((double)f->x[k][i] * f->unit) <= TRJ_FARTHEST))
                return trj_fail(err, TRJ_BAD_DATA,
                                "atom %zu: coordinate %g Å, expected a magnitude of at most %g Å; the frame is damaged",
                                i, (double)f->x[k][i] * f->unit, TRJ_FARTHEST);
    return den_job_lattice(job, f, &l, err);
}

int den_members_of(struct den_members *m, const struct den_job *job, const struct trj_frame *f, struct trj_error *err) {
    const struct trj_group *g = job->group;
    m->atoms = (struct den_gauss_atoms){g->atoms, g->count, job->weight, job->kind};
    if (!g->dynamic) return 0;
    if (!m->room) {
        size_t n = g->count ? g->count : 1;
        m->list = trj_alloc(n, sizeof *m->list, "members of a group", err);
        m->weight = m->list ? trj_alloc(n, sizeof *m->weight, "members of a group", err) : NULL;
        m->kind = m->weight ? trj_alloc(n, sizeof *m->kind, "members of a group", err) : NULL;
        if (!m->kind) return -1;
        m->room = n;
    }
    size_t n = 0;
    for (size_t i = 0; i < g->count; i++) {
        if (!trj_group_has(g, f, i)) continue;
        m->list[n] = g->atoms[i];
        m->weight[n] = job->weight ? job->weight[i] : 1;
        m->kind[n++] = job->kind ? job->kind[i] : 0;
    }
    m->atoms = (struct den_gauss_atoms){m->list, n, job->weight ? m->weight : NULL, job->kind ? m->kind : NULL};
    return 0;
}

void den_members_free(struct den_members *m) {
    free(m->list);
    free(m->weight);
    free(m->kind);
    *m = (struct den_members){.room = 0};
}
