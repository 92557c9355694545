// SPDX-License-Identifier: MIT
// The engine `cuda` of potentials: a pool (lib/potential/potential_pool.h) of all GPUs, or of those that --devices
// lists.
#include <stdlib.h>

#include "gpu_list.h"
#include "memory.h"
#include "pme_cuda.h"
#include "potential_device.h"
#include "potential_engine.h"
#include "potential_pool.h"

struct cuda {
    struct cuda_potential_job job;
    struct cuda_gpus gpus;
    struct pot_pool *pool;
};

static const struct cuda_potential_method *const methods[POT_METHODS] = {
    [POT_DIRECT] = &cuda_potential_pair,
    [POT_MDH] = &cuda_potential_pair,
    [POT_CUTOFF] = &cuda_potential_cutoff,
    [POT_FAST] = &cuda_potential_fast_frames, // jobs with near_part and mesh_part
};

static void close_cuda(void *state) {
    struct cuda *c = state;
    if (!c) return;
    pot_pool_close(c->pool);
    cuda_gpus_close(&c->gpus);
    free(c);
}

static int open_cuda(void **state, const struct pot_job *job, struct trj_error *err) {
    struct cuda *c = trj_alloc(1, sizeof *c, "an engine", err);
    if (!c) return -1;
    c->job.job = job;
    c->job.method = job->charge_mesh ? &cuda_potential_mesh : methods[job->method];
    c->gpus = (struct cuda_gpus){
        .analysis = &cuda_potential_analysis,
        .job = &c->job,
        .resources = {.devices = job->devices, .note = job->note, .note_arg = job->note_arg},
    };
    if (cuda_gpus_open(&c->gpus, err)) goto out;
    bool divide = c->job.method->multiple && (c->gpus.batch == 1 || cuda_potential_is_direct(job));
    const struct work_pool_plan plan = cuda_gpus_plan(&c->gpus, divide ? c->gpus.count : 1);
    if (pot_pool_open(&c->pool, job, c->job.method->cpu, &plan, err)) goto out;
    *state = c;
    return 0;
out:
    close_cuda(c);
    return -1;
}

static struct work_map_pool *map_of(const void *state) {
    return pot_pool_map(((const struct cuda *)state)->pool);
}

static int add(void *state, const struct pot_frame *frame, struct trj_error *err) {
    return work_map_pool_add(map_of(state), frame->stream, err);
}

static int finish(void *state, const int64_t **values, struct trj_error *err) {
    return work_map_pool_finish(map_of(state), values, err);
}

static double error(const void *state) {
    return pot_pool_error(((const struct cuda *)state)->pool);
}

static uint64_t bad_frame(const void *state) {
    return work_map_pool_bad_frame(map_of(state));
}

static void stats(void *state, struct trj_engine_stats *s) {
    work_map_pool_stats(map_of(state), s);
}

static int add_sums(void *state, const int64_t *values, struct trj_error *err) {
    return work_map_pool_add_sums(map_of(state), values, err);
}

static bool uses_stream(const struct pot_job *job) {
    (void)job;
    return true;
}

const struct pot_method cuda_potential_on_gpus = {.open = open_cuda,
                                                  .add = add,
                                                  .uses_stream = uses_stream,
                                                  .finish = finish,
                                                  .add_sums = add_sums,
                                                  .close = close_cuda,
                                                  .error = error,
                                                  .bad_frame = bad_frame,
                                                  .stats = stats};

static int open_engine(void **engine, const void *job, const struct work_resources *resources, struct trj_error *err) {
    static const struct pot_method *const on_gpus[POT_METHODS] = {[POT_DIRECT] = &cuda_potential_on_gpus,
                                                                  [POT_MDH] = &cuda_potential_on_gpus,
                                                                  [POT_CUTOFF] = &cuda_potential_on_gpus,
                                                                  [POT_PME] = &cuda_potential_pme,
                                                                  [POT_FAST] = &cuda_potential_fast};
    return pot_engine_open(engine, on_gpus, job, resources, err);
}

const struct work_map_engine pot_engine_cuda = {
    .kind = CUDA_ENGINE_KIND,
    .slabs = true,
    .open = open_engine,
    .add_sums = pot_engine_add_sums,
    POT_ENGINE_FUNCTIONS,
};
