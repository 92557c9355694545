// SPDX-License-Identifier: MIT
// The CUDA engine: a count pool (lib/count/count_pool.h) of all GPUs, or of those that --devices lists.
#include <math.h>
#include <stdlib.h>

#include "count.h"
#include "count_device.h"
#include "engine.h"
#include "gpu.h"
#include "gpu_list.h"
#include "memory.h"

// Sizes of work, for the speed of a GPU of 2024: large enough that launches and transfers take a small share of the
// time, small enough that GPUs finish together.
#define PAIRS_A_SECOND 1e12
#define LONG_BATCH     20e-3 // s, on one GPU
#define SHORT_BATCH    4e-3  // s, on each of several GPUs
#define SHORT_SLICE    2e-3  // s
// Units of work, which warps take: eight for each warp of a large GPU, and none so long that others wait for it.
#define UNITS_A_SLICE 32768
#define LONG_UNIT     5e-7 // s, of a whole GPU
enum { BATCH_ATOMS = 4000000, MOST_BATCH = 256, SLICES_A_GPU = 4 };
// Memory of the counts of all parts of a batch: little compared with that of its coordinates.
#define PARTS_BYTES 8e6

struct cuda {
    const struct rdf_job *job;
    struct cuda_device **devices; // [device_count]
    unsigned device_count;
    struct rdf_count_pool *pool;
};

static void close_cuda(void *engine) {
    struct cuda *e = engine;
    if (!e) return;
    rdf_count_pool_close(e->pool);
    for (unsigned i = 0; e->devices && i < e->device_count; i++) cuda_device_close(e->devices[i]);
    free(e->devices);
    free(e);
}

// Sizes of work, from an estimate of the time that one GPU takes for a frame.
struct sizes {
    unsigned batch, parts, slices;
    unsigned long long units; // of a batch
};

static struct sizes choose_sizes(const struct rdf_job *job, unsigned devices) {
    double atoms = 0, seconds = rdf_job_pairs_near(job) / PAIRS_A_SECOND, most = devices > 1 ? SHORT_BATCH : LONG_BATCH;
    for (size_t g = 0; g < job->group_count; g++) atoms += (double)job->groups[g].count;
    // At the end of a slice every block adds its bins to those in device memory, which takes as long as 10^5 pairs a
    // bin.
    double slice = SHORT_SLICE + 1e-7 * (double)(job->pair_count * job->bins.count);
    double batch = fmin(fmin(BATCH_ATOMS / atoms, most / seconds), MOST_BATCH);
    double slices = devices > 1 && batch < 2 ? fmin(seconds / slice, SLICES_A_GPU * devices) : 1;
    double parts = fmin(PARTS_BYTES / (8.0 * (double)(job->pair_count * job->bins.count)), WORK_MOST_PARTS);
    struct sizes s = {.batch = batch > 1 ? (unsigned)batch : 1,
                      .parts = parts > 1 ? (unsigned)parts : 1,
                      .slices = slices > 1 ? (unsigned)slices : 1};
    s.units = (unsigned long long)fmax(UNITS_A_SLICE * s.slices, s.batch * seconds / LONG_UNIT);
    return s;
}

static int add_gpu(void *engine, int number, unsigned count, struct trj_error *err) {
    struct cuda *e = engine;
    struct cuda_device *d;
    struct sizes sizes = choose_sizes(e->job, count);
    if (!e->devices && !(e->devices = trj_alloc(count, sizeof(struct cuda_device *), "GPUs", err))) return -1;
    if (cuda_device_open(&d, number, err)) return -1;
    if (cuda_device_prepare(d, e->job, sizes.batch, sizes.parts, sizes.units, err)) {
        trj_fail_at(err, "%s", cuda_device_ops.name(d));
        cuda_device_close(d);
        return -1;
    }
    e->devices[e->device_count++] = d;
    return 0;
}

static void note(void *engine, const char *text) {
    const struct rdf_job *job = ((struct cuda *)engine)->job;
    if (job->note) job->note(job->note_arg, text);
}

static int open_pool(struct cuda *e, unsigned count, struct trj_error *err) {
    struct sizes sizes = choose_sizes(e->job, count);
    struct work_pool_plan plan = {.ops = &cuda_device_ops,
                                  .device_count = e->device_count,
                                  .batch = sizes.batch,
                                  .parts = sizes.parts,
                                  .slices = sizes.slices};
    void **devices = trj_alloc(e->device_count, sizeof *devices, "GPUs", err);
    if (!devices) return -1;
    for (unsigned i = 0; i < e->device_count; i++) {
        devices[i] = e->devices[i];
        if (!cuda_device_sliceable(e->devices[i])) plan.slices = 1;
        if (cuda_device_parts(e->devices[i]) < plan.parts) plan.parts = cuda_device_parts(e->devices[i]);
    }
    plan.devices = devices;
    int rc = rdf_count_pool_open(&e->pool, e->job, &plan, err);
    free(devices);
    return rc;
}

static int open_cuda(void **engine, const struct rdf_job *job, struct trj_error *err) {
    struct cuda *e = trj_alloc(1, sizeof *e, "an engine", err);
    if (!e) return -1;
    e->job = job;
    const struct cuda_gpu_list list = {.owner = e, .devices = job->devices, .add = add_gpu, .note = note};
    unsigned count;
    if (cuda_gpu_list_open(&list, &count, err) || open_pool(e, count, err)) {
        close_cuda(e);
        return -1;
    }
    *engine = e;
    return 0;
}

static int add(void *engine, struct trj_frame *f, struct trj_error *err) {
    return rdf_count_pool_add(((struct cuda *)engine)->pool, f, err);
}

static int end_record(void *engine, uint64_t tag, struct trj_error *err) {
    return rdf_count_pool_end_record(((struct cuda *)engine)->pool, tag, err);
}

static int finish(void *engine, uint64_t *counts, struct trj_error *err) {
    return rdf_count_pool_finish(((struct cuda *)engine)->pool, counts, err);
}

static void stats(void *engine, struct rdf_engine_stats *s) {
    rdf_count_pool_stats(((struct cuda *)engine)->pool, s);
}

const struct rdf_engine rdf_engine_cuda = {
    .kind.name = "cuda",
    .kind.workers = "GPUs",
    .kind.built_for = cuda_architectures,
    .kind.probe = cuda_gpu_list_probe,
    .neighbours = &rdf_neighbour_cuda,
    .open = open_cuda,
    .add = add,
    .end_record = end_record,
    .finish = finish,
    .stats = stats,
    .close = close_cuda,
};
