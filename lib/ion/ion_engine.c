// SPDX-License-Identifier: MIT
// Lists the engines that place ions, and estimates the time on the CPU.
#include "ion_engine.h"

static int place_on_cpu(void *engine, const void *job, struct trj_error *err) {
    const struct pot_ion_job *j = job;
    (void)engine;
    return pot_place_ions(j->placement, j->ion, j->excluded, err);
}

static const struct work_whole_engine cpu = {.kind = TRJ_ENGINE_KIND_CPU, .compute = place_on_cpu};

const struct trj_engine *const pot_ion_engines[] = { // fastest first
#ifdef TRJPIPE_CUDA
    &pot_ion_engine_cuda.kind,
#endif
    &cpu.kind, NULL};

const struct trj_choice pot_ion_engine_choices[] = {
    {"auto", "cuda if a GPU can be used and is expected to save time, otherwise cpu"},
    {"cuda", "an NVIDIA GPU; requires a build with nvcc"},
    {"cpu", "threads"},
    {NULL, NULL},
};

int pot_ion_engine_check(const struct trj_engine_options *o, struct trj_error *err) {
    return work_whole_check(pot_ion_engines, o, "places all ions", err);
}

// Measured (tests/bench/RESULTS.md): times of a thread for updating a point and for excluding one.
#define POINT_SECONDS     2.1e-9
#define EXCLUSION_SECONDS 8e-9

static double seconds_on_cpu(const struct pot_placement *p) {
    double updates = (double)trj_map_lattice_points(p->lattice) * (double)pot_ion_list_total(p->ions),
           sphere = 4.2 * p->from_solute * p->from_solute * p->from_solute,
           exclusions = (double)p->atoms * sphere / trj_map_lattice_voxel(p->lattice);
    return updates * POINT_SECONDS + exclusions * EXCLUSION_SECONDS;
}

int pot_ion_engine_place(const struct trj_engine_options *o, const struct pot_ion_job *job,
                         struct trj_engine_stats *stats, void (*note)(const char *text), struct trj_error *err) {
    const struct work_whole_job w = {pot_ion_engines, o, job, seconds_on_cpu(job->placement), note};
    return work_whole_compute(&w, stats, err);
}
