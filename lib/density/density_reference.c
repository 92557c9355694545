// SPDX-License-Identifier: MIT
// The engine `reference`: computes each contribution by the formulas of density_job.h, one atom image and one point
// after another. Tests compare the other engines with it. Gaussians are computed in float64 with exp(), so that they
// differ from those of the other engines by the error that gauss.h states.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cpu_map.h"
#include "density_engine.h"
#include "memory.h"
#include "tool.h"

// A point along an axis that an atom image reaches, and its distance d_k.
struct near {
    uint64_t point;
    double d;
};

struct reference {
    struct work_cpu_map map;
    const struct den_job *job;
    struct den_members members;
    struct near *near[3]; // [capacity]
    size_t capacity[3], count[3];
    // The current frame:
    struct trj_map_lattice lattice;
    double g[3][3];
};

// An atom image: index coordinates, position in Å, weight, and for Gaussians sigma and peak.
struct image {
    double u[3], x[3], weight, sigma, peak;
};

static double reach_of(const struct reference *e, const struct image *a, int k) {
    const struct den_job *job = e->job;
    double across = sqrt((e->g[k][0] * e->g[k][0] + e->g[k][1] * e->g[k][1]) + e->g[k][2] * e->g[k][2]);
    double cutoff = job->gauss.cutoff > 0 ? job->gauss.cutoff : DEN_GAUSS_CUTOFF;
    switch (job->kernel) {
    case DEN_COUNT:
        return 0.5;
    case DEN_CIC:
        return 1;
    case DEN_BALL:
        return job->radius * across + 1;
    default:
        return (double)(float)(cutoff * a->sigma * across);
    }
}

// Finds the points along an axis that an atom image reaches, in all periods of the lattice.
static int find_near(struct reference *e, const struct image *a, int k, struct trj_error *err) {
    const struct trj_map_lattice *l = &e->lattice;
    bool periodic = l->periodic >> k & 1;
    double n = (double)l->n[k], p = floor(a->u[k] + 0.5), reach = reach_of(e, a, k);
    if (trj_map_lattice_is_aligned(l) && fabs(a->u[k] - p) > 0.499999) {
        double border = l->origin[k] - 0.5 * l->step[k][k];
        if (a->x[k] < p * l->step[k][k] + border)
            p--;
        else if (a->x[k] >= (p + 1) * l->step[k][k] + border)
            p++;
    }
    double offset = (double)(float)(a->u[k] - p);
    e->count[k] = 0;
    int64_t first = (int64_t)(p - ceil(reach) - 1), last = (int64_t)(p + ceil(reach) + 1);
    for (int64_t number = first; number <= last; number++) {
        double i = (double)number, d = (i - p) - offset, index = periodic ? i - n * floor(i / n) : i;
        bool inside = e->job->kernel == DEN_COUNT ? i == p : fabs(d) <= reach; // NOLINT(clang-diagnostic-float-equal)
        if (!inside || !(index >= 0 && index < n)) continue;
        if (trj_grow(&e->near[k], &e->capacity[k], e->count[k] + 1, sizeof **e->near, "points", err)) return -1;
        e->near[k][e->count[k]++] = (struct near){(uint64_t)index, d};
    }
    return 0;
}

static double contribution(const struct reference *e, const struct image *a, const double d[3]) {
    const struct den_job *job = e->job;
    double v[3], units = nearbyint(a->weight * den_job_scale(job) / job->quantum);
    if (job->kernel == DEN_COUNT) return units;
    if (job->kernel == DEN_CIC) {
        if (!(fabs(d[0]) < 1 && fabs(d[1]) < 1 && fabs(d[2]) < 1)) return 0;
        return nearbyint(units * ((1 - fabs(d[0])) * (1 - fabs(d[1]))) * (1 - fabs(d[2])));
    }
    for (int c = 0; c < 3; c++)
        v[c] = (d[0] * e->lattice.step[0][c] + d[1] * e->lattice.step[1][c]) + d[2] * e->lattice.step[2][c];
    double r2 = (v[0] * v[0] + v[1] * v[1]) + v[2] * v[2];
    if (job->kernel == DEN_BALL) return r2 <= job->radius * job->radius ? units : 0;
    return nearbyint(a->weight * a->peak * exp(-r2 / (2 * a->sigma * a->sigma)) / job->quantum);
}

static int add_image(struct reference *e, const struct image *a, struct trj_error *err) {
    const uint64_t *n = e->lattice.n;
    for (int k = 0; k < 3; k++)
        if (find_near(e, a, k, err)) return -1;
    for (size_t z = 0; z < e->count[2]; z++)
        for (size_t y = 0; y < e->count[1]; y++)
            for (size_t x = 0; x < e->count[0]; x++) {
                const struct near *along[3] = {&e->near[0][x], &e->near[1][y], &e->near[2][z]};
                int64_t units = (int64_t)contribution(e, a, (const double[3]){along[0]->d, along[1]->d, along[2]->d}),
                        sum;
                int64_t *value = &e->map.values[along[0]->point + n[0] * (along[1]->point + n[1] * along[2]->point)];
                if (__builtin_add_overflow(*value, units, &sum))
                    return trj_fail(err, TRJ_BAD_DATA, "a sum exceeds 2^63 quanta; use fewer frames");
                *value = sum;
            }
    return 0;
}

// Adds an atom and its images along the periodic cell vectors along which the lattice is not periodic, as far as they
// may reach the lattice.
static int add_images(struct reference *e, const struct trj_cell *cell, const struct image *atom,
                      struct trj_error *err) {
    const struct trj_map_lattice *l = &e->lattice;
    double f[3][3], middle[3], index[3], radius = 0;
    int64_t low[3] = {0, 0, 0}, high[3] = {0, 0, 0}, i[3];
    for (int k = 0; k < 3; k++) {
        const double *s = l->step[k];
        index[k] = (double)(l->n[k] - 1) / 2;
        radius += (index[k] + reach_of(e, atom, k) + 1) * sqrt(s[0] * s[0] + s[1] * s[1] + s[2] * s[2]);
    }
    trj_map_lattice_position(l, index, middle);
    trj_cell_reciprocal(cell, f);
    for (int v = 0; v < 3; v++) {
        if (!(cell->periodic & ~l->periodic & 1U << v)) continue;
        double away = 0, across = radius * sqrt(f[v][0] * f[v][0] + f[v][1] * f[v][1] + f[v][2] * f[v][2]);
        for (int c = 0; c < 3; c++) away += f[v][c] * (middle[c] - atom->x[c]);
        low[v] = (int64_t)floor(away - across);
        high[v] = (int64_t)ceil(away + across);
    }
    for (i[2] = low[2]; i[2] <= high[2]; i[2]++)
        for (i[1] = low[1]; i[1] <= high[1]; i[1]++)
            for (i[0] = low[0]; i[0] <= high[0]; i[0]++) {
                const double n[3] = {(double)i[0], (double)i[1], (double)i[2]};
                struct image image = *atom;
                for (int k = 0; k < 3; k++) {
                    double t[3];
                    for (int v = 0; v < 3; v++)
                        t[v] = (e->g[k][0] * cell->h[v][0] + e->g[k][1] * cell->h[v][1]) + e->g[k][2] * cell->h[v][2];
                    image.u[k] += (n[0] * t[0] + n[1] * t[1]) + n[2] * t[2];
                    image.x[k] += (n[0] * cell->h[0][k] + n[1] * cell->h[1][k]) + n[2] * cell->h[2][k];
                }
                if (add_image(e, &image, err)) return -1;
            }
    return 0;
}

static int add_frame(void *engine, struct trj_frame *f, struct trj_error *err) {
    struct reference *e = engine;
    const struct den_job *job = e->job;
    if (den_job_lattice(job, f, &e->lattice, err) || den_members_of(&e->members, job, f, err)) return -1;
    trj_map_lattice_inverse(&e->lattice, e->g);
    const struct den_gauss_atoms *atoms = &e->members.atoms;
    for (size_t i = 0; i < atoms->count; i++) {
        struct image a = {.weight = atoms->weight ? (double)atoms->weight[i] : 1};
        double d[3];
        if (job->kernel == DEN_GAUSS) {
            a.sigma = job->gauss.sigma[atoms->kind ? atoms->kind[i] : 0];
            a.peak = job->gauss.peak[atoms->kind ? atoms->kind[i] : 0];
        }
        for (int k = 0; k < 3; k++) {
            a.x[k] = (double)f->x[k][atoms->list[i]] * f->unit;
            d[k] = a.x[k] - e->lattice.origin[k];
        }
        for (int k = 0; k < 3; k++) a.u[k] = (e->g[k][0] * d[0] + e->g[k][1] * d[1]) + e->g[k][2] * d[2];
        if (add_images(e, &f->cell, &a, err)) return -1;
    }
    return 0;
}

static void close_reference(void *engine) {
    struct reference *e = engine;
    if (!e) return;
    for (int k = 0; k < 3; k++) free(e->near[k]);
    den_members_free(&e->members);
    work_cpu_map_free(&e->map);
    free(e);
}

static int open_reference(void **engine, const void *of_job, const struct work_resources *resources,
                          struct trj_error *err) {
    const struct den_job *job = of_job;
    (void)resources;
    struct reference *e = trj_alloc(1, sizeof *e, "an engine", err);
    if (!e) return -1;
    e->job = job;
    e->map.threads = 1;
    e->map.add = add_frame;
    if (work_cpu_map_open(&e->map, (size_t)trj_map_lattice_points(&job->lattice), err)) {
        close_reference(e);
        return -1;
    }
    *engine = e;
    return 0;
}

const struct work_map_engine den_engine_reference = {
    .kind = TRJ_ENGINE_KIND_REFERENCE,
    .open = open_reference,
    WORK_CPU_MAP_FUNCTIONS,
    .close = close_reference,
};
