// SPDX-License-Identifier: MIT
// Lists the engines of this build, estimates the time of a frame on the CPU, so that `auto` can decide whether starting
// the GPUs would save time, and connects the engine cuda to the pool of devices, which is common to all maps.
#include "ligand_engine.h"

// Measured on one core (tests/bench/RESULTS.md): the energies of a site within 12 Å.
#define SITE_SECONDS 75e-9

const struct trj_engine *const lig_engines[] = { // fastest first
#ifdef TRJPIPE_CUDA
    &lig_engine_cuda.kind,
#endif
    &lig_engine_cpu.kind, NULL};

double lig_engine_seconds(const struct lig_job *job) {
    double cutoff = job->cutoff / 12;
    return (double)trj_map_lattice_points(&job->lattice) * job->orientations * (double)job->placements.sites *
           (cutoff * cutoff * cutoff) * SITE_SECONDS;
}

static int fail_sum(const void *owner, size_t point, struct trj_error *err) {
    const struct lig_job *job = owner;
    return trj_fail(err, TRJ_BAD_DATA,
                    "point %s: the sum exceeds 2^62 quanta; reduce --bits, or the number of frames in a "
                    "record with --block",
                    trj_map_lattice_point_text(&job->lattice, point).text);
}

struct work_map_job lig_map_job(const struct lig_job *job) {
    return (struct work_map_job){.owner = job,
                                 .atoms = job->atoms,
                                 .points = (size_t)trj_map_lattice_points(&job->lattice),
                                 .max_sum = LIG_SUM_MAX,
                                 .fail_sum = fail_sum,
                                 .cpu = &lig_engine_cpu};
}
