// SPDX-License-Identifier: MIT
// Lists the engines of this build, and estimates the time of a frame on the CPU, so that `auto` can decide whether
// starting the GPUs would save time.
#include "ligand_engine.h"

// Measured on one core (tests/bench/RESULTS.md): the energies of a site within 12 Å.
#define SITE_SECONDS 75e-9

const struct trj_engine *const lig_engines[] = { // fastest first
#ifdef TRJPIPE_CUDA
    &lig_engine_cuda.kind,
#endif
    &lig_engine_cpu.kind, NULL};

const struct trj_choice lig_engine_choices[] = {
    {"auto", "cpu, then cuda when the GPUs have started"},
    {"cuda", "NVIDIA GPUs; requires a build with nvcc"},
    {"cpu", "threads with the vector instructions of the CPU"},
    {NULL, NULL},
};

double lig_engine_seconds(const struct lig_job *job) {
    double cutoff = job->cutoff / 12;
    return (double)trj_map_lattice_points(&job->lattice) * job->orientations * (double)job->placements.sites *
           (cutoff * cutoff * cutoff) * SITE_SECONDS;
}

const char *lig_engine_versions(void) {
    return trj_engine_versions(lig_engines);
}
