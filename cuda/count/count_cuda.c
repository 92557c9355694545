// SPDX-License-Identifier: MIT
// The CUDA engine: a count pool (lib/count/count_pool.h) of all GPUs, or of those that --devices lists.
#include <math.h>
#include <stdlib.h>

#include "count.h"
#include "count_device.h"
#include "engine.h"
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
enum { BATCH_ATOMS = 4000000, MAX_BATCH = 256, SLICES_A_GPU = 4 };
_Static_assert((int)MAX_BATCH <= (int)CUDA_MAX_FRAMES, "a batch is planned at once");
// Memory of the counts of all parts of a batch: little compared with that of its coordinates.
#define PARTS_BYTES 8e6

struct cuda {
    struct cuda_gpus gpus;
    struct rdf_count_pool *pool;
};

static void close_cuda(void *engine) {
    struct cuda *e = engine;
    if (!e) return;
    rdf_count_pool_close(e->pool);
    cuda_gpus_close(&e->gpus);
    free(e);
}

struct cuda_count_sizes cuda_count_choose_sizes(const struct rdf_job *job, unsigned gpus) {
    double atoms = 0, seconds = rdf_job_pairs_near(job) / PAIRS_A_SECOND, max = gpus > 1 ? SHORT_BATCH : LONG_BATCH;
    for (size_t g = 0; g < job->group_count; g++) atoms += (double)job->groups[g].count;
    // At the end of a slice every block adds its bins to those in device memory, which takes as long as 10^5 pairs a
    // bin.
    double slice = SHORT_SLICE + 1e-7 * (double)(job->pair_count * job->bins.count);
    double batch = fmin(fmin(BATCH_ATOMS / atoms, max / seconds), MAX_BATCH);
    double slices = gpus > 1 && batch < 2 ? fmin(seconds / slice, SLICES_A_GPU * gpus) : 1;
    double parts = fmin(PARTS_BYTES / (8.0 * (double)(job->pair_count * job->bins.count)), WORK_MAX_PARTS);
    struct cuda_count_sizes s = {.batch = batch > 1 ? (unsigned)batch : 1,
                                 .parts = parts > 1 ? (unsigned)parts : 1,
                                 .slices = slices > 1 ? (unsigned)slices : 1};
    s.units = (unsigned long long)fmax(UNITS_A_SLICE * s.slices, s.batch * seconds / LONG_UNIT);
    return s;
}

static int open_pool(struct cuda *e, const struct rdf_job *job, struct trj_error *err) {
    const struct cuda_gpus *g = &e->gpus;
    struct cuda_count_sizes sizes = cuda_count_choose_sizes(job, g->expected);
    struct work_pool_plan plan = cuda_gpus_plan(g, sizes.slices);
    plan.parts = sizes.parts;
    for (unsigned i = 0; i < g->count; i++) {
        if (!cuda_count_sliceable(g->device[i])) plan.slices = 1;
        if (cuda_count_parts(g->device[i]) < plan.parts) plan.parts = cuda_count_parts(g->device[i]);
    }
    return rdf_count_pool_open(&e->pool, job, &plan, err);
}

static int open_cuda(void **engine, const struct rdf_job *job, struct trj_error *err) {
    struct cuda *e = trj_alloc(1, sizeof *e, "an engine", err);
    if (!e) return -1;
    e->gpus = (struct cuda_gpus){
        .analysis = &cuda_count_analysis,
        .job = job,
        .resources = {.devices = job->devices, .note = job->note, .note_arg = job->note_arg},
    };
    if (cuda_gpus_open(&e->gpus, err) || open_pool(e, job, err)) {
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

static void stats(void *engine, struct trj_engine_stats *s) {
    rdf_count_pool_stats(((struct cuda *)engine)->pool, s);
}

const struct rdf_engine rdf_engine_cuda = {
    .kind = CUDA_ENGINE_KIND,
    .neighbours = &rdf_neighbour_cuda,
    .open = open_cuda,
    .add = add,
    .end_record = end_record,
    .finish = finish,
    .stats = stats,
    .close = close_cuda,
};
