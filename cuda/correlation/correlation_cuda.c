// SPDX-License-Identifier: MIT
// The engine `cuda` of correlations: a correlation pool (lib/correlation/cor_pool.h) of all GPUs, or of those that
// --devices lists.
#include <stdlib.h>

#include "correlation_device.h"
#include "gpu.h"
#include "gpu_list.h"
#include "memory.h"

// Batches are small, so that a GPU copies the coordinates of one batch while it computes another.
enum { MOST_BATCH = 16 };
#define BATCH_BYTES 32e6

struct cuda {
    const struct cor_job *job;
    struct work_resources resources;
    void **devices; // [device_count] struct cuda_correlation_device
    unsigned device_count;
    struct cor_pool *pool;
};

static unsigned choose_batch(const struct cor_job *job) {
    double sums = (double)job->frames.selections->count * sizeof(struct cor_sums);
    double frames = BATCH_BYTES / (12.0 * (double)job->atoms + sums);
    return frames > MOST_BATCH ? MOST_BATCH : frames > 1 ? (unsigned)frames : 1;
}

static void close_cuda(void *engine) {
    struct cuda *e = engine;
    if (!e) return;
    cor_pool_close(e->pool);
    for (unsigned i = 0; e->devices && i < e->device_count; i++) cuda_correlation_device_close(e->devices[i]);
    free(e->devices);
    free(e);
}

static int add_gpu(void *engine, int number, unsigned count, struct trj_error *err) {
    struct cuda *e = engine;
    struct cuda_correlation_device *d;
    if (!e->devices && !(e->devices = trj_alloc(count, sizeof *e->devices, "GPUs", err))) return -1;
    if (cuda_correlation_device_open(&d, number, e->job, choose_batch(e->job), err)) return -1;
    e->devices[e->device_count++] = d;
    return 0;
}

static void note(void *engine, const char *text) {
    const struct work_resources *r = &((const struct cuda *)engine)->resources;
    if (r->note) r->note(r->note_arg, text);
}

static int check(const void *of_job, struct trj_error *err) {
    const struct cor_job *job = of_job;
    if (job->frames.mask->radius >= 0)
        return trj_fail(err, TRJ_NO_ENGINE, "engine cuda: --mask radius:R is not supported; use -e cpu");
    if (job->frames.entropy)
        return trj_fail(err, TRJ_NO_ENGINE, "engine cuda: --score re is not supported; use -e cpu");
    return 0;
}

static int open_cuda(void **engine, const void *of_job, const struct work_resources *resources, struct trj_error *err) {
    const struct cor_job *job = of_job;
    if (check(job, err)) return -1;
    struct cuda *e = trj_alloc(1, sizeof *e, "an engine", err);
    if (!e) return -1;
    e->job = job;
    e->resources = *resources;
    const struct cuda_gpu_list list = {.owner = e, .devices = resources->devices, .add = add_gpu, .note = note};
    unsigned count;
    if (cuda_gpu_list_open(&list, &count, err) || cor_pool_open(&e->pool, job, resources, &cuda_correlation_device_ops,
                                                                e->devices, e->device_count, choose_batch(job), err)) {
        close_cuda(e);
        return -1;
    }
    *engine = e;
    return 0;
}

static int add(void *engine, struct trj_frame *f, struct trj_error *err) {
    return cor_pool_add(((struct cuda *)engine)->pool, f, err);
}

static int finish(void *engine, const int64_t **values, struct trj_error *err) {
    (void)values;
    return cor_pool_finish(((struct cuda *)engine)->pool, err);
}

// The job has taken the results of the frames.
static int add_sums(void *engine, const int64_t *values, struct trj_error *err) {
    (void)engine, (void)values, (void)err;
    return 0;
}

static void stats(void *engine, struct trj_engine_stats *s) {
    cor_pool_stats(((struct cuda *)engine)->pool, s);
}

const struct work_map_engine cor_engine_cuda = {
    .kind.name = "cuda",
    .kind.workers = "GPUs",
    .kind.built_for = cuda_architectures,
    .kind.probe = cuda_gpu_list_probe,
    .check = check,
    .open = open_cuda,
    .add = add,
    .finish = finish,
    .add_sums = add_sums,
    .stats = stats,
    .close = close_cuda,
};
