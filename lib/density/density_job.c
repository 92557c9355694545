// SPDX-License-Identifier: MIT
// Derives quantum and error bound of a map from its set-up, so that every engine and machine rounds alike.
#include "density_job.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "boxes.h"
#include "elementary.h"
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

uint64_t den_job_points(const struct den_job *job) {
    return trj_map_lattice_slab(&job->lattice, job->slab).planes * trj_map_lattice_plane(&job->lattice);
}

int den_job_lattice(const struct den_job *job, const struct trj_frame *f, struct trj_map_lattice *l,
                    struct trj_error *err) {
    return trj_map_lattice_in_cell(l, &job->lattice, job->fractional, &f->cell, err);
}

// The support of a Gaussian: vectors from its centre to the centres of its faces along each step, and the distance of
// its farthest corner.
struct support {
    double half[3][3], radius;
};

static struct support support_of(const struct trj_map_lattice *l, double reach) {
    struct support s = {.radius = 0};
    double rows[3][3];
    trj_map_lattice_inverse(l, rows);
    for (int k = 0; k < 3; k++)
        for (int c = 0; c < 3; c++) s.half[k][c] = reach * sqrt(tile_dot(rows[k], rows[k])) * l->step[k][c];
    for (int corner = 0; corner < 4; corner++) {
        double x[3];
        for (int c = 0; c < 3; c++)
            x[c] = s.half[0][c] + (corner & 1 ? -1 : 1) * s.half[1][c] + (corner & 2 ? -1 : 1) * s.half[2][c];
        s.radius = fmax(s.radius, sqrt(tile_dot(x, x)));
    }
    return s;
}

// Sets `images` and `relative` of den_job_bound for a lattice and a cell. `margin` is 0 for the cell of a frame, 1 for
// a cell from which those of frames differ by rounding, and above 1 to include cells in any orientation that are
// smaller by up to this factor.
static void measure(const struct den_job *job, const struct trj_map_lattice *l, const struct trj_cell *cell,
                    double margin, double *images, double *relative) {
    const struct den_gauss_setup *g = &job->gauss;
    double sigma = 0, narrowest = INFINITY, steps = 0, fraction[3][3];
    for (unsigned i = 0; i < g->kinds; i++) {
        sigma = fmax(sigma, g->sigma[i]);
        narrowest = fmin(narrowest, g->sigma[i]);
    }
    struct support s = support_of(l, (g->cutoff > 0 ? g->cutoff : DEN_GAUSS_CUTOFF) * sigma);
    trj_cell_reciprocal(cell, fraction);
    *images = 1;
    for (int v = 0; v < 3; v++) {
        double extent = 0, across = sqrt(tile_dot(fraction[v], fraction[v]));
        for (int k = 0; k < 3; k++) extent += fabs(tile_dot(fraction[v], s.half[k]));
        if (margin > 1) extent = margin * across * s.radius;
        if (cell->periodic >> v & 1) *images *= floor(2 * extent + (margin > 0 ? 2e-5 : 1e-5)) + 1;
        steps += sqrt(tile_dot(l->step[v], l->step[v]));
    }
    *relative = den_gauss_relative_error(l, g->cutoff) + 0.61 * steps / narrowest * 0x1p-25;
}

int den_job_bound(struct den_job *job, const struct trj_cell *first, struct trj_error *err) {
    const struct den_gauss_setup *g = &job->gauss;
    if (job->kernel != DEN_GAUSS) return 0;
    bool changes = job->fractional || (first->periodic & ~job->lattice.periodic);
    measure(job, &job->lattice, first, changes ? 1.5 : 1, &job->max_images, &job->max_relative);
    if (job->fractional) job->max_relative = fmax(2 * job->max_relative, 0x1.2p-17);
    double cutoff = g->cutoff > 0 ? g->cutoff : DEN_GAUSS_CUTOFF, atoms = (double)job->group->count, sum = 0,
           factor = fmax(job->max_relative, (1 + 0x1p-10) * trj_exp(-(cutoff * cutoff) / 2));
    for (size_t i = 0; i < job->group->count; i++)
        sum += fabs(job->weight ? (double)job->weight[i] : 1) * g->peak[job->kind ? job->kind[i] : 0];
    // The last factor covers the rounding of this sum and of means.
    job->error_bound = job->max_images * (sum * factor + atoms * (job->quantum / 2)) * (1 + 0x1p-20);
    if (isfinite(job->error_bound)) return 0;
    return trj_fail(err, TRJ_BAD_DATA, "the sum of the weights exceeds the largest float64; use another unit");
}

static int check_bound(const struct den_job *job, const struct trj_map_lattice *l, const struct trj_cell *cell,
                       struct trj_error *err) {
    double images, relative;
    if (!(job->error_bound > 0)) return 0;
    measure(job, l, cell, 0, &images, &relative);
    if (images <= job->max_images && relative <= job->max_relative) return 0;
    return trj_fail(err, TRJ_BAD_DATA,
                    "the cell differs so much from that of the first frame that the error bound of the map would not "
                    "hold; select the frames before this one with trjcat -f, and compute another map of the rest");
}

int den_job_check_frame(const struct den_job *job, const struct trj_frame *f, struct trj_error *err) {
    struct trj_map_lattice l;
    if (f->atoms != job->atoms)
        return trj_fail(err, TRJ_BAD_DATA, "%zu atoms, but earlier frames have %zu", f->atoms, job->atoms);
    const struct tile_lattice_atoms atoms = {.frame = f, .count = f->atoms};
    if (tile_lattice_check_atoms(&atoms, err)) return -1;
    return den_job_lattice(job, f, &l, err) || check_bound(job, &l, &f->cell, err) ? -1 : 0;
}

int den_members_of(struct den_members *m, const struct den_job *job, const struct trj_frame *f, struct trj_error *err) {
    const struct trj_group *g = job->group;
    m->atoms = (struct den_gauss_atoms){g->atoms, g->count, job->weight, job->kind};
    if (!g->dynamic) return 0;
    if (!m->capacity) {
        size_t n = g->count ? g->count : 1;
        m->list = trj_alloc(n, sizeof *m->list, "members of a group", err);
        m->weight = m->list ? trj_alloc(n, sizeof *m->weight, "members of a group", err) : NULL;
        m->kind = m->weight ? trj_alloc(n, sizeof *m->kind, "members of a group", err) : NULL;
        if (!m->kind) return -1;
        m->capacity = n;
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
    *m = (struct den_members){.capacity = 0};
}
