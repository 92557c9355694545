// SPDX-License-Identifier: MIT
// Lists the engines of this build, estimates the time of a frame on the CPU, so that `auto` can decide whether starting
// the GPUs would save time, and connects the engine cuda to the pool of devices, which is common to all maps.
#include "density_engine.h"

#include <math.h>

// Measured on one core (tests/bench/RESULTS.md).
#define CONTRIBUTION_SECONDS 0.3e-9
#define ATOM_SECONDS         20e-9
#define POINT_SECONDS        1e-9

const struct trj_engine *const den_engines[] = { // fastest first
#ifdef TRJPIPE_CUDA
    &den_engine_cuda.kind,
#endif
    &den_engine_cpu.kind, &den_engine_reference.kind, NULL};

const struct trj_choice den_engine_choices[] = {
    {"auto", "cpu, then cuda when the GPUs have started"},
    {"cuda", "NVIDIA GPUs; requires a build with nvcc"},
    {"cpu", "threads with the vector instructions of the CPU"},
    {"reference", "the formulas in float64 on one thread, for comparison"},
    {NULL, NULL},
};

double den_gauss_seconds(const struct den_gauss_setup *g, double atoms, const struct trj_map_lattice *l) {
    double sigma = 0;
    for (unsigned i = 0; i < g->kinds; i++) sigma = fmax(sigma, g->sigma[i]);
    double width = 2 * (g->cutoff > 0 ? g->cutoff : DEN_GAUSS_CUTOFF) * sigma;
    return atoms * (width * width * width / trj_map_lattice_voxel(l) * CONTRIBUTION_SECONDS + ATOM_SECONDS);
}

double den_engine_seconds(const struct den_job *job, const struct trj_frame *f) {
    struct trj_map_lattice l;
    struct trj_error ignored; // the engine reports it
    double atoms = (double)job->group->count, width = 2 * job->radius;
    if (den_job_lattice(job, f, &l, &ignored)) return 0;
    double points = (double)trj_map_lattice_points(&l) * POINT_SECONDS;
    if (job->kernel == DEN_GAUSS) return points + den_gauss_seconds(&job->gauss, atoms, &l);
    if (job->kernel != DEN_BALL) return points + atoms * ATOM_SECONDS;
    return points + atoms * (width * width * width / trj_map_lattice_voxel(&l) * CONTRIBUTION_SECONDS + ATOM_SECONDS);
}

static int fail_sum(const void *owner, size_t point, struct trj_error *err) {
    const struct den_job *job = owner;
    const uint64_t first = job->slab.first * trj_map_lattice_plane(&job->lattice);
    return trj_fail(err, TRJ_BAD_DATA,
                    "point %s: the sum of frames exceeds 2^63 quanta; write several maps of fewer frames each",
                    trj_map_lattice_point_text(&job->lattice, point + first).text);
}

struct work_map_job den_map_job(const struct den_job *job) {
    return (struct work_map_job){.owner = job,
                                 .atoms = job->atoms,
                                 .points = (size_t)den_job_points(job),
                                 .max_sum = INT64_MAX,
                                 .fail_sum = fail_sum,
                                 .cpu = &den_engine_cpu};
}
