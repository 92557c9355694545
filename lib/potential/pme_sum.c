// SPDX-License-Identifier: MIT
// Connects the real-space part and the mesh of particle-mesh Ewald, which can run on different engines.
#include "pme_sum.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "charge_mesh.h"
#include "cutoff_sum.h"
#include "fast_transform.h"
#include "memory.h"
#include "pme_surface.h"
#include "pme_transform.h"

static const double PI = 3.14159265358979323846;

struct pme {
    const struct pot_job *job;
    const struct pot_parts *parts;
    struct pot_job mesh_job;
    struct pot_part mesh;
    void *transform;
    int64_t *sum; // [values]
    bool cleared; // after the last finish
    // Frames on the mesh, all of which have this lattice:
    uint64_t frames;
    struct trj_map_lattice lattice;
    struct pot_surface surface;
    // The real-space part:
    struct pot_job real_job;
    struct pot_part real;
    uint64_t added;  // number of frames
    uint64_t number; // of the frame that is added; UINT64_MAX: none
    struct trj_device_stats devices[POT_PART_DEVICES];
};

void pot_pme_close(void *state) {
    struct pme *p = state;
    if (!p) return;
    pot_part_close(&p->real);
    p->parts->transform->close(p->transform);
    pot_part_close(&p->mesh);
    free(p->sum);
    free(p);
}

static int open_real(struct pme *p, struct trj_error *err) {
    p->real_job = *p->job;
    p->real_job.method = POT_CUTOFF;
    p->real_job.kernel = POT_KERNEL_ERFC;
    p->real_job.parameter[0] = p->job->alpha;
    p->real_job.full = false;
    return p->parts->real_space_setup(&p->real_job, err) ||
                   pot_part_open(&p->real, p->parts->real_space, &p->real_job, 0, err)
               ? -1
               : 0;
}

int pot_pme_open(void **state, const struct pot_job *job, const struct pot_parts *parts, struct trj_error *err) {
    struct pme *p = trj_alloc(1, sizeof *p, "an engine", err);
    if (!p) return -1;
    p->job = job;
    p->parts = parts;
    p->mesh_job = *job;
    p->mesh_job.charge_mesh = true;
    p->mesh_job.full = false;
    p->mesh_job.quantum = pot_mesh_quantum(job->max_charge);
    int rc = pot_part_open(&p->mesh, parts->mesh, &p->mesh_job, 0, err);
    if (!rc && !job->charge_mesh) {
        rc = parts->transform->open(&p->transform, &p->mesh_job, err);
        p->sum = rc ? NULL : trj_alloc(job->values, sizeof *p->sum, "the map", err);
        if (!p->sum || (job->full && open_real(p, err))) rc = -1;
    }
    if (rc) {
        pot_pme_close(p);
        return -1;
    }
    p->cleared = true;
    *state = p;
    return 0;
}

// Adds the background of the real-space part (ewald.h).
static void add_background(const struct pme *p, const int64_t *charge, double *potential) {
    struct trj_cell cell = trj_map_lattice_cell(&p->lattice);
    double sum = 0;
    for (size_t i = 0; i < p->job->values; i++) sum += (double)charge[i];
    double shift = PI / (p->job->alpha * p->job->alpha * trj_cell_volume(&cell)) * (sum * p->mesh_job.quantum);
    for (size_t i = 0; i < p->job->values; i++) potential[i] -= shift;
}

// Adds the potential of the frames on the mesh to the sums.
static int transform_mesh(struct pme *p, struct trj_error *err) {
    double *potential;
    const int64_t *charge;
    if (!p->frames) return 0;
    if (pot_part_finish(&p->mesh, p->job->values, &charge, err) ||
        p->parts->transform->compute(p->transform, &p->lattice, charge, p->mesh_job.quantum, p->lattice.n, &potential,
                                     err))
        return -1;
    if (p->job->full) add_background(p, charge, potential);
    pot_surface_apply(&p->surface, p->job, &p->lattice, potential);
    p->surface = (struct pot_surface){0};
    p->frames = 0;
    return pot_pme_round(p->job, potential, p->sum, err);
}

static bool same_lattice(const struct trj_map_lattice *a, const struct trj_map_lattice *b) {
    bool same = true;
    for (int k = 0; k < 3; k++) {
        same = same && a->origin[k] == b->origin[k];
        for (int c = 0; c < 3; c++) same = same && a->step[k][c] == b->step[k][c];
    }
    return same;
}

int pot_pme_add(void *state, const struct pot_frame *f, struct trj_error *err) {
    struct pme *p = state;
    p->number = p->added++;
    if (pot_pme_check_frame(p->job, f, err)) return -1;
    if (p->job->charge_mesh) return pot_part_add(&p->mesh, f, false, p->number, err);
    if (!p->cleared) memset(p->sum, 0, p->job->values * sizeof *p->sum);
    p->cleared = true;
    if (p->frames && !same_lattice(&p->lattice, &f->lattice) && transform_mesh(p, err)) return -1;
    p->lattice = f->lattice;
    if (pot_surface_add(&p->surface, p->job, f, err) ||
        pot_part_add(&p->mesh, f, p->real.state != NULL, p->number, err))
        return -1;
    p->frames++;
    return p->real.state ? pot_part_add(&p->real, f, false, p->number, err) : 0;
}

static int add_real(struct pme *p, struct trj_error *err) {
    const int64_t *real;
    if (pot_part_finish(&p->real, p->job->values, &real, err)) return -1;
    double ratio = p->real_job.quantum / p->job->quantum;
    for (size_t i = 0; i < p->job->values; i++) {
        double quanta = rint((double)real[i] * ratio);
        if (!(fabs(quanta) < 0x1p62) || __builtin_add_overflow(p->sum[i], (int64_t)quanta, &p->sum[i]))
            return trj_fail(
                err, TRJ_BAD_DATA,
                "the sum of the potential at value %llu exceeds 2^62 quanta of %g e/Å; use fewer frames, or "
                "points that are farther from atoms",
                (unsigned long long)i, p->job->quantum);
    }
    return 0;
}

int pot_pme_finish(void *state, const int64_t **values, struct trj_error *err) {
    struct pme *p = state;
    p->number = UINT64_MAX;
    if (p->job->charge_mesh) return pot_part_finish(&p->mesh, p->job->values, values, err);
    if (!p->cleared) memset(p->sum, 0, p->job->values * sizeof *p->sum);
    p->cleared = false;
    if (transform_mesh(p, err) || (p->real.state && add_real(p, err))) return -1;
    *values = p->sum;
    return 0;
}

int pot_pme_arrays(void *state, struct work_checkpoint_arrays *a, struct trj_error *err) {
    struct pme *p = state;
    const size_t n = p->job->values;
    int64_t *charge, *real;
    uint64_t lattice[(sizeof p->lattice + 7) / 8] = {0};
    if (p->job->charge_mesh) return 0;
    if (!p->cleared) memset(p->sum, 0, n * sizeof *p->sum);
    p->cleared = true;
    memcpy(lattice, &p->lattice, sizeof p->lattice);
    if (pot_part_collect(&p->mesh, n, &charge, err) || (p->real.state && pot_part_collect(&p->real, n, &real, err)) ||
        work_checkpoint_array(a, p->sum, n, err) || work_checkpoint_array(a, charge, n, err) ||
        (p->real.state && work_checkpoint_array(a, real, n, err)) || work_checkpoint_array(a, &p->frames, 1, err) ||
        work_checkpoint_array(a, lattice, sizeof lattice / 8, err) ||
        work_checkpoint_array(a, &p->surface, sizeof p->surface / 8, err))
        return -1;
    memcpy(&p->lattice, lattice, sizeof p->lattice);
    return 1;
}

uint64_t pot_pme_bad_frame(const void *state) {
    const struct pme *p = state;
    const struct pot_part *const parts[2] = {&p->mesh, &p->real};
    return pot_parts_bad_frame(parts, p->number);
}

void pot_pme_stats(void *state, struct trj_engine_stats *stats) {
    struct pme *p = state;
    struct pot_part *const parts[2] = {&p->mesh, &p->real};
    pot_parts_stats(parts, p->devices, stats);
}

// ---- the engine cpu

const struct pot_parts pot_parts_cpu = {.mesh = &pot_mesh_cpu,
                                        .transform = &pot_transform_fftw,
                                        .smooth_transform = &pot_smooth_transform_fftw,
                                        .real_space = &pot_cutoff_cpu,
                                        .real_space_setup = pot_cutoff_setup};

static int open_cpu(void **state, const struct pot_job *job, struct trj_error *err) {
    return pot_pme_open(state, job, &pot_parts_cpu, err);
}

const struct pot_method pot_pme_cpu = {
    .open = open_cpu, .add = pot_pme_add, .finish = pot_pme_finish, .close = pot_pme_close, .arrays = pot_pme_arrays};
