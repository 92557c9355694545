// SPDX-License-Identifier: MIT
// Makes engines of maps from the function tables of methods, which are also used without frames of a stream.
#include "potential_engine.h"

#include <math.h>
#include <stdlib.h>

#include "charges.h"
#include "cutoff_kernel.h"
#include "cutoff_sum.h"
#include "fast_sum.h"
#include "instruction_set.h"
#include "memory.h"
#include "pair_blocks.h"
#include "pair_sum.h"
#include "pme_sum.h"
#include "pool.h"

struct engine {
    struct pot_job job; // a copy, with the resources of this engine
    const struct pot_method *method;
    void *state;
    uint64_t frames; // added
    bool adding;     // the last call was `add`
    double seconds;
};

void pot_engine_close(void *engine) {
    struct engine *e = engine;
    if (!e) return;
    if (e->state) e->method->close(e->state);
    free(e);
}

int pot_engine_open(void **engine, const struct pot_method *const methods[POT_METHODS], const void *job,
                    const struct work_resources *resources, struct trj_error *err) {
    struct engine *e = trj_alloc(1, sizeof *e, "an engine", err);
    if (!e) return -1;
    e->job = *(const struct pot_job *)job;
    e->job.threads = resources->threads;
    e->job.devices = resources->devices;
    e->job.cpu_may_finish = resources->cpu_may_finish;
    e->job.note = resources->note;
    e->job.note_arg = resources->note_arg;
    e->method = methods[e->job.method];
    if (e->method->open(&e->state, &e->job, err)) {
        pot_engine_close(e);
        return -1;
    }
    *engine = e;
    return 0;
}

int pot_layers_find(const struct pot_job *job, uint64_t *planes, uint64_t *count, struct trj_error *err) {
    struct pot_blocks blocks;
    if (job->point_count || job->faces)
        return trj_fail(err, TRJ_USAGE, "does not work with --points, --faces or --apbs; use --divide frames");
    if (job->method == POT_PME || job->method == POT_FAST)
        return trj_fail(err, TRJ_USAGE,
                        "the Fourier transforms of --method %s require the whole map; leave --mpi and --divide out",
                        pot_method_choices[job->method].name);
    *planes = POT_BLOCK;
    *count = (job->lattice.n[2] + POT_BLOCK - 1) / POT_BLOCK;
    if (job->method == POT_CUTOFF) return 0;
    pot_blocks_set(&blocks, job, &job->lattice);
    *planes = blocks.region[0].size[2];
    *count = blocks.region[0].blocks[2];
    return 0;
}

// Sets the members of the group, which pot_setup_frame has left out.
static int find_members(const struct engine *e, const struct trj_frame *frame, struct pot_frame *f,
                        struct trj_error *err) {
    struct pot_frame members;
    if (pot_charges_in(e->job.charges, frame, &members, err)) return -1;
    members.cell = f->cell;
    members.lattice = f->lattice;
    *f = members;
    return 0;
}

int pot_engine_add(void *engine, struct trj_frame *frame, struct trj_error *err) {
    struct engine *e = engine;
    struct pot_frame f = *e->job.frame;
    double began = trj_seconds();
    e->adding = true;
    if (!f.position && !(e->method->uses_stream && e->method->uses_stream(&e->job)) && find_members(e, frame, &f, err))
        return -1;
    f.stream = frame;
    if (e->method->add(e->state, &f, err)) return -1;
    e->frames++;
    e->seconds += trj_seconds() - began;
    return 0;
}

int pot_engine_finish(void *engine, const int64_t **values, struct trj_error *err) {
    struct engine *e = engine;
    double began = trj_seconds();
    e->adding = false;
    if (e->method->finish(e->state, values, err)) return -1;
    e->seconds += trj_seconds() - began;
    return 0;
}

int pot_engine_add_sums(void *engine, const int64_t *values, struct trj_error *err) {
    struct engine *e = engine;
    return e->method->add_sums(e->state, values, err);
}

double pot_engine_error(const void *engine) {
    const struct engine *e = engine;
    return e->method->error ? e->method->error(e->state) : NAN;
}

int pot_engine_arrays(void *engine, struct work_checkpoint_arrays *a, struct trj_error *err) {
    struct engine *e = engine;
    return e->method->arrays ? e->method->arrays(e->state, a, err) : 0;
}

uint64_t pot_engine_bad_frame(const void *engine) {
    const struct engine *e = engine;
    if (e->method->bad_frame) return e->method->bad_frame(e->state);
    return e->adding ? e->frames : UINT64_MAX;
}

void pot_engine_stats(void *engine, struct trj_engine_stats *stats) {
    const struct engine *e = engine;
    *stats = (struct trj_engine_stats){.device_count = 0};
    if (e->method->stats) e->method->stats(e->state, stats);
    stats->workers = stats->device_count ? stats->device_count : trj_pool_size(e->job.threads);
    stats->frames = e->frames;
    stats->seconds = e->seconds;
}

// Measured on one core (tests/bench/RESULTS.md): contributions per second.
#define PAIR_RATE   4e9
#define CUTOFF_RATE 1.5e9

double pot_engine_seconds(const struct pot_job *job) {
    double atoms = (double)job->atoms, pairs = atoms * (double)pot_point_count(job), width = 2 * job->cutoff;
    if (job->method == POT_DIRECT || job->method == POT_MDH) return pairs / PAIR_RATE;
    if (job->method != POT_CUTOFF) return NAN;
    if (!job->point_count) pairs = atoms * (width * width * width / trj_map_lattice_voxel(&job->lattice));
    return pairs / CUTOFF_RATE;
}

// ---- engines without devices

static int open_cpu(void **engine, const void *job, const struct work_resources *resources, struct trj_error *err) {
    static const struct pot_method *const methods[POT_METHODS] = {[POT_DIRECT] = &pot_direct_cpu,
                                                                  [POT_MDH] = &pot_direct_cpu,
                                                                  [POT_CUTOFF] = &pot_cutoff_cpu,
                                                                  [POT_PME] = &pot_pme_cpu,
                                                                  [POT_FAST] = &pot_fast_cpu};
    return pot_engine_open(engine, methods, job, resources, err);
}

static int open_reference(void **engine, const void *job, const struct work_resources *resources,
                          struct trj_error *err) {
    static const struct pot_method *const methods[POT_METHODS] = {[POT_DIRECT] = &pot_direct_reference,
                                                                  [POT_MDH] = &pot_direct_reference,
                                                                  [POT_CUTOFF] = &pot_cutoff_reference,
                                                                  [POT_PME] = &pot_pme_reference,
                                                                  [POT_FAST] = &pot_direct_reference};
    return pot_engine_open(engine, methods, job, resources, err);
}

const struct work_map_engine pot_engine_cpu = {
    .kind = TRJ_ENGINE_KIND_CPU,
    .slabs = true,
    .open = open_cpu,
    POT_ENGINE_FUNCTIONS,
};

const struct work_map_engine pot_engine_reference = {
    .kind = TRJ_ENGINE_KIND_REFERENCE,
    .open = open_reference,
    POT_ENGINE_FUNCTIONS,
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
