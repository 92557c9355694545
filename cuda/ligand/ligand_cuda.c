// SPDX-License-Identifier: MIT
// The engine `cuda` of ligand maps: a map pool (lib/ligand/ligand_pool.h) of all GPUs, or of those that
// --devices lists.
#include <stdlib.h>

#include "gpu.h"
#include "gpu_list.h"
#include "ligand_device.h"
#include "ligand_engine.h"
#include "ligand_frame.h"
#include "memory.h"

// The map is copied and added once for each batch; this takes a tenth of the time of computing a frame. With several
// GPUs, frames are also divided into slices, but not below this number of positions of sites.
enum { MOST_BATCH = 4 };
#define BATCH_BYTES     256e6
#define SLICE_POSITIONS 1e7

struct cuda {
    const struct lig_job *job;
    struct work_resources resources;
    void **devices; // [device_count] struct cuda_ligand_device
    unsigned device_count;
    struct work_map_pool *pool;
    struct lig_frame checked; // of the last frame that was added
};

static unsigned choose_batch(const struct lig_job *job) {
    double frames = BATCH_BYTES / (12.0 * (double)job->atoms + 1);
    return frames > MOST_BATCH ? MOST_BATCH : frames > 1 ? (unsigned)frames : 1;
}

static unsigned choose_slices(const struct lig_job *job, unsigned devices) {
    double slices = (double)trj_map_lattice_points(&job->lattice) * job->orientations * (double)job->placements.sites /
                    SLICE_POSITIONS;
    return slices > devices ? devices : slices > 1 ? (unsigned)slices : 1;
}

static void close_cuda(void *engine) {
    struct cuda *e = engine;
    if (!e) return;
    work_map_pool_close(e->pool);
    for (unsigned i = 0; e->devices && i < e->device_count; i++) cuda_ligand_device_close(e->devices[i]);
    free(e->devices);
    lig_frame_close(&e->checked);
    free(e);
}

static int add_gpu(void *engine, int number, unsigned count, struct trj_error *err) {
    struct cuda *e = engine;
    struct cuda_ligand_device *d;
    if (!e->devices && !(e->devices = trj_alloc(count, sizeof *e->devices, "GPUs", err))) return -1;
    if (cuda_ligand_device_open(&d, number, e->job, choose_batch(e->job), err)) return -1;
    e->devices[e->device_count++] = d;
    return 0;
}

static void note(void *engine, const char *text) {
    const struct work_resources *r = &((struct cuda *)engine)->resources;
    if (r->note) r->note(r->note_arg, text);
}

static int open_pool(struct cuda *e, struct trj_error *err) {
    struct work_pool_plan plan = {.ops = &cuda_ligand_device_ops,
                                  .devices = e->devices,
                                  .device_count = e->device_count,
                                  .batch = choose_batch(e->job),
                                  .parts = 1,
                                  .slices = choose_slices(e->job, e->device_count)};
    return lig_pool_open(&e->pool, e->job, &e->resources, &plan, err);
}

static int open_cuda(void **engine, const void *job, const struct work_resources *resources, struct trj_error *err) {
    struct cuda *e = trj_alloc(1, sizeof *e, "an engine", err);
    if (!e) return -1;
    e->job = job;
    e->resources = *resources;
    const struct cuda_gpu_list list = {.owner = e, .devices = resources->devices, .add = add_gpu, .note = note};
    unsigned count;
    if (lig_frame_open(&e->checked, e->job, err) || cuda_gpu_list_open(&list, &count, err) || open_pool(e, err)) {
        close_cuda(e);
        return -1;
    }
    *engine = e;
    return 0;
}

static int add(void *engine, struct trj_frame *f, struct trj_error *err) {
    struct cuda *e = engine;
    return lig_frame_set(&e->checked, f, err) ? -1 : work_map_pool_add(e->pool, f, err);
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

const struct work_map_engine lig_engine_cuda = {
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
