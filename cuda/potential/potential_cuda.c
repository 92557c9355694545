// SPDX-License-Identifier: MIT
// The engine `cuda` of potentials: a pool (lib/potential/potential_pool.h) of all GPUs, or of those that --devices
// lists.
#include <stdlib.h>

#include "gpu.h"
#include "gpu_list.h"
#include "memory.h"
#include "pme_cuda.h"
#include "potential_device.h"
#include "potential_engine.h"
#include "potential_pool.h"

// The map of a batch is copied to the host, and added there, in about 1 ns for each point. A GPU adds about 2e12 pairs
// of a charge and a point per second. A batch has enough frames that its copy takes at most 2 % of the time.
#define PAIRS_OF_BATCH 1e5 // for each point
#define BATCH_BYTES    256e6
enum { MOST_BATCH = 64 };

struct cuda {
    const struct pot_job *job;
    const struct cuda_potential_method *method;
    void **devices; // [device_count] struct cuda_potential_device
    unsigned device_count;
    struct pot_pool *pool;
};

static const struct cuda_potential_method *const methods[POT_METHODS] = {
    [POT_DIRECT] = &cuda_potential_pair,
    [POT_MDH] = &cuda_potential_pair,
    [POT_CUTOFF] = &cuda_potential_cutoff,
    [POT_FAST] = &cuda_potential_fast_frames, // jobs with near_part and mesh_part
};

// Returns whether every charge contributes to every point, so that a part of the points is the same part of the work.
static bool is_direct(const struct pot_job *job) {
    return job->method == POT_DIRECT || job->method == POT_MDH;
}

static unsigned choose_batch(const struct pot_job *job) {
    const double within_cutoff = 500; // charges
    double pairs = is_direct(job) ? (double)job->atoms : within_cutoff;
    double frames = PAIRS_OF_BATCH / (pairs + 1) + 1, most = BATCH_BYTES / (12.0 * (double)job->stream_atoms + 1);
    if (frames > most) frames = most;
    return frames > MOST_BATCH ? MOST_BATCH : frames > 1 ? (unsigned)frames : 1;
}

static void close_cuda(void *state) {
    struct cuda *c = state;
    if (!c) return;
    pot_pool_close(c->pool);
    for (unsigned i = 0; c->devices && i < c->device_count; i++) cuda_potential_device_close(c->devices[i]);
    free(c->devices);
    free(c);
}

static int add_gpu(void *state, int number, unsigned count, struct trj_error *err) {
    struct cuda *c = state;
    struct cuda_potential_device *d;
    if (!c->devices && !(c->devices = trj_alloc(count, sizeof *c->devices, "GPUs", err))) return -1;
    if (cuda_potential_device_open(&d, number, c->job, c->method, choose_batch(c->job), err)) return -1;
    c->devices[c->device_count++] = d;
    return 0;
}

static void note(void *state, const char *text) {
    const struct pot_job *job = ((const struct cuda *)state)->job;
    if (job->note) job->note(job->note_arg, text);
}

static int open_pool(struct cuda *c, struct trj_error *err) {
    unsigned batch = choose_batch(c->job);
    bool divide = c->method->multiple && (batch == 1 || is_direct(c->job));
    struct work_pool_plan plan = {.ops = &cuda_potential_device_ops,
                                  .devices = c->devices,
                                  .device_count = c->device_count,
                                  .batch = batch,
                                  .parts = 1,
                                  .slices = divide ? c->device_count : 1};
    return pot_pool_open(&c->pool, c->job, c->method->cpu, &plan, err);
}

static int open_cuda(void **state, const struct pot_job *job, struct trj_error *err) {
    struct cuda *c = trj_alloc(1, sizeof *c, "an engine", err);
    if (!c) return -1;
    c->job = job;
    c->method = job->charge_mesh ? &cuda_potential_mesh : methods[job->method];
    const struct cuda_gpu_list list = {.owner = c, .devices = job->devices, .add = add_gpu, .note = note};
    unsigned count;
    if (cuda_gpu_list_open(&list, &count, err) || open_pool(c, err)) {
        close_cuda(c);
        return -1;
    }
    *state = c;
    return 0;
}

static int add(void *state, const struct pot_frame *frame, struct trj_error *err) {
    return pot_pool_add(((struct cuda *)state)->pool, frame, err);
}

static int finish(void *state, const int64_t **values, struct trj_error *err) {
    return pot_pool_finish(((struct cuda *)state)->pool, values, err);
}

static double error(const void *state) {
    return pot_pool_error(((const struct cuda *)state)->pool);
}

static uint64_t bad_frame(const void *state) {
    return pot_pool_bad_frame(((const struct cuda *)state)->pool);
}

static void stats(void *state, struct pot_stats *s) {
    pot_pool_stats(((struct cuda *)state)->pool, s);
}

static int add_sums(void *state, const int64_t *values, struct trj_error *err) {
    return pot_pool_add_sums(((struct cuda *)state)->pool, values, err);
}

const struct pot_method cuda_potential_on_gpus = {.open = open_cuda,
                                                  .add = add,
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
    .kind.name = "cuda",
    .kind.workers = "GPUs",
    .kind.built_for = cuda_architectures,
    .kind.probe = cuda_gpu_list_probe,
    .open = open_engine,
    .add = pot_engine_add,
    .finish = pot_engine_finish,
    .add_sums = pot_engine_add_sums,
    .error = pot_engine_error,
    .bad_frame = pot_engine_bad_frame,
    .stats = pot_engine_stats,
    .close = pot_engine_close,
};
