// SPDX-License-Identifier: MIT
#include "potential_engine.h"

#include "cutoff_sum.h"
#include "fast_sum.h"
#include "instruction_set.h"
#include "pair_sum.h"
#include "pme_sum.h"

const struct pot_engine pot_engine_cpu = {
    .kind.name = "cpu",
    .kind.workers = "threads",
    .kind.built_for = trj_isa_names,
    .method = {[POT_DIRECT] = &pot_direct_cpu,
               [POT_MDH] = &pot_direct_cpu,
               [POT_CUTOFF] = &pot_cutoff_cpu,
               [POT_PME] = &pot_pme_cpu,
               [POT_FAST] = &pot_fast_cpu},
};

const struct pot_engine pot_engine_reference = {
    .kind.name = "reference",
    .kind.workers = "threads",
    .kind.never_auto = true,
    .method = {[POT_DIRECT] = &pot_direct_reference,
               [POT_MDH] = &pot_direct_reference,
               [POT_CUTOFF] = &pot_cutoff_reference,
               [POT_PME] = &pot_pme_reference,
               [POT_FAST] = &pot_direct_reference},
};

const struct trj_engine *const pot_engines[] = {
#ifdef TRJPIPE_CUDA
    &pot_engine_cuda.kind,
#endif
    &pot_engine_cpu.kind, &pot_engine_reference.kind, NULL};

const struct trj_choice pot_method_choices[] = {
    {"direct", "q/r of every charge at every point, without periodic images"},
    {"mdh", "multiple Debye-Hueckel: charges screened by ions outside of each atom's radius"},
    {"cutoff", "a pair potential within a cutoff, with periodic images"},
    {"pme", "particle-mesh Ewald in a periodic cell"},
    {"fast", "as direct, within a tolerance that is checked: a near part and Fourier transforms"},
    {NULL, NULL},
};

const struct trj_choice pot_engine_choices[] = {
    {"auto", "the fastest that can run here"},
    {"cuda", "NVIDIA GPUs; requires a build with nvcc"},
    {"cpu", "threads with the vector instructions of the CPU"},
    {"reference", "the formulas in float64 on one thread, for comparison"},
    {NULL, NULL},
};

// Reports why `auto` does not use an engine, unless it cannot run here at all.
static void note_unused(const struct trj_engine *engine, const struct pot_job *job, const struct trj_error *why) {
    struct trj_error absent;
    if (job->note && engine->probe && !engine->probe(&absent)) job->note(job->note_arg, why->text);
}

int pot_engine_open(const struct trj_engine **engine, const char *name, const struct pot_job *job,
                    const struct pot_method **method, void **state, struct trj_error *err) {
    for (;;) {
        const struct trj_engine *failed = *engine;
        *method = ((const struct pot_engine *)(const void *)*engine)->method[job->method]; // kind is the first member
        if (!*method)
            trj_error_set(err, TRJ_NO_ENGINE, "engine %s: method %s is not available; use -e cpu", (*engine)->name,
                          pot_method_choices[job->method].name);
        else if (!(*method)->open(state, job, err))
            return 0;
        if (!trj_engine_fall_back(engine, pot_engines, name, err)) return -1;
        if (*method) note_unused(failed, job, err);
    }
}

const char *pot_engine_versions(void) {
    return trj_engine_versions(pot_engines);
}
