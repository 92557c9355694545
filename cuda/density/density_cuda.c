// SPDX-License-Identifier: MIT
// The engine `cuda` of density maps: a map pool (lib/density/density_pool.h) of all GPUs, or of those that
// --devices lists.
#include <stdlib.h>

#include "density_device.h"
#include "density_engine.h"
#include "gpu.h"
#include "gpu_list.h"
#include "memory.h"

// A batch has up to about four times as many bytes of coordinates as the map, which is copied and added once for each
// batch.
enum { MOST_BATCH = 256 };
#define BATCH_BYTES 256e6

struct cuda {
    const struct den_job *job;
    struct work_resources resources;
    void **devices; // [device_count] struct cuda_density_device
    unsigned device_count;
    struct work_map_pool *pool;
};

static unsigned choose_batch(const struct den_job *job, unsigned devices) {
    double frame = 12.0 * (double)job->atoms, map = 8.0 * (double)trj_map_lattice_points(&job->lattice);
    double frames = 4 * map / frame + 1, most = BATCH_BYTES / frame;
    // With several GPUs, batches are smaller, so that a short file still occupies all of them.
    if (devices > 1) frames = frames / 2 + 1;
    if (frames > most) frames = most;
    return frames > MOST_BATCH ? MOST_BATCH : frames > 1 ? (unsigned)frames : 1;
}

static void close_cuda(void *engine) {
    struct cuda *e = engine;
    if (!e) return;
    work_map_pool_close(e->pool);
    for (unsigned i = 0; e->devices && i < e->device_count; i++) cuda_density_device_close(e->devices[i]);
    free(e->devices);
    free(e);
}

static int add_gpu(void *engine, int number, unsigned count, struct trj_error *err) {
    struct cuda *e = engine;
    struct cuda_density_device *d;
    if (!e->devices && !(e->devices = trj_alloc(count, sizeof *e->devices, "GPUs", err))) return -1;
    if (cuda_density_device_open(&d, number, e->job, choose_batch(e->job, count), err)) return -1;
    e->devices[e->device_count++] = d;
    return 0;
}

static void note(void *engine, const char *text) {
    const struct work_resources *r = &((struct cuda *)engine)->resources;
    if (r->note) r->note(r->note_arg, text);
}

static int open_pool(struct cuda *e, unsigned count, struct trj_error *err) {
    unsigned batch = choose_batch(e->job, count);
    struct work_pool_plan plan = {.ops = &cuda_density_device_ops,
                                  .devices = e->devices,
                                  .device_count = e->device_count,
                                  .batch = batch,
                                  .parts = 1,
                                  .slices = batch == 1 ? e->device_count : 1};
    return den_pool_open(&e->pool, e->job, &e->resources, &plan, err);
}

static int open_cuda(void **engine, const void *job, const struct work_resources *resources, struct trj_error *err) {
    struct cuda *e = trj_alloc(1, sizeof *e, "an engine", err);
    if (!e) return -1;
    e->job = job;
    e->resources = *resources;
    const struct cuda_gpu_list list = {.owner = e, .devices = resources->devices, .add = add_gpu, .note = note};
    unsigned count;
    if (cuda_gpu_list_open(&list, &count, err) || open_pool(e, count, err)) {
        close_cuda(e);
        return -1;
    }
    *engine = e;
    return 0;
}

static int add(void *engine, struct trj_frame *f, struct trj_error *err) {
    return work_map_pool_add(((struct cuda *)engine)->pool, f, err);
}

static int finish(void *engine, const int64_t **values, struct trj_error *err) {
    return work_map_pool_finish(((struct cuda *)engine)->pool, values, err);
}

static int add_sums(void *engine, const int64_t *values, struct trj_error *err) {
    return work_map_pool_add_sums(((struct cuda *)engine)->pool, values, err);
}

static uint64_t bad_frame(const void *engine) {
    return work_map_pool_bad_frame(((const struct cuda *)engine)->pool);
}

static void stats(void *engine, struct trj_engine_stats *s) {
    work_map_pool_stats(((struct cuda *)engine)->pool, s);
}

const struct work_map_engine den_engine_cuda = {
    .kind.name = "cuda",
    .kind.workers = "GPUs",
    .kind.built_for = cuda_architectures,
    .kind.probe = cuda_gpu_list_probe,
    .open = open_cuda,
    .add = add,
    .finish = finish,
    .add_sums = add_sums,
    .bad_frame = bad_frame,
    .stats = stats,
    .close = close_cuda,
};
