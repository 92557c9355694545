// SPDX-License-Identifier: MIT
// Lists the engines of matrices of deviations. `auto` uses a GPU only if --devices names one, because the engine cuda
// has not been measured on GPUs.
#include "rmsd_engine.h"

#include <stdio.h>

const struct trj_engine *const obs_rmsd_engines[] = { // fastest first
#ifdef TRJPIPE_CUDA
    &obs_rmsd_engine_cuda.kind,
#endif
    &obs_rmsd_engine_cpu.kind, &obs_rmsd_engine_reference.kind, NULL};

static void note_failure(const char *text) {
    trj_tool_message("note: %s; the CPU computes all pairs", text);
}

int obs_rmsd_engine_compute(const struct trj_engine_options *o, const struct obs_rmsd_job *job, struct trj_error *err) {
    const struct work_whole_job w = {.engines = obs_rmsd_engines, .options = o, .job = job, .note = note_failure};
    struct trj_engine_stats stats;
    char work[128];
    if (work_whole_compute(&w, &stats, err)) return -1;
    snprintf(work, sizeof work, "%zu pairs of %zu frames, %zu atoms", job->frames * (job->frames - 1) / 2, job->frames,
             job->atoms);
    work_whole_print(o, &stats, work, trj_tool_print_line);
    return 0;
}
