// SPDX-License-Identifier: MIT
// The methods direct and mdh of the engine `cuda`: each GPU computes some of the blocks of points, one frame at a time.
//
// Kernels neither find which atom is on a point, nor add sums that int64 might not hold. If a kernel reports such a
// frame, the engine `cpu` computes it: it fails with a message, or its sums are added.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.cuh"
#include "device_memory.h"
#include "gpu.h"
#include "gpu_list.h"
#include "memory.h"
#include "pair_charges.h"
#include "pair_kernels.h"
#include "pair_sum.h"
#include "potential_engine.h"

// Kernels with more pairs of a charge and a point are launched in parts, because a GPU that has a display stops those
// that run for seconds. Rates are 1e11 to 2e12 per second.
#define MOST_PAIRS 2e11
// Room for the sums of a frame, in quanta; a frame with larger ones is rare.
#define FRAME_ROOM 0x1p61

enum flag { FAILED, OVERFLOW, FLAGS };

struct gpu {
    struct cuda_gpu gpu;
    bool open; // whether `gpu` is open
    cudaStream_t stream;
    struct cuda_memory memory;  // its limit is that of all memory
    long long *values, *total;  // [job->values] of the frame, of the frames before
    unsigned *flags;            // [FLAGS]
    double (*point)[3];         // [job->point_count]
    struct cuda_buffer charges; // [4][count] x, y, z and charge
    unsigned host_flags[FLAGS];
};

struct cuda {
    const struct pot_job *job;
    struct pot_pair pair;
    struct gpu *gpus;
    unsigned gpu_count;
    struct pot_pair_charges charges;
    struct pot_blocks blocks;
    void *cpu;      // state of pot_direct_cpu; NULL: not opened
    bool cpu_added; // it has frames since the last finish
    bool cleared;   // totals are 0
    int64_t *values, *part;
};

// ---- open and close

static void release(struct gpu *g) {
    if (g->open) CUDA_RELEASE(cudaSetDevice(g->gpu.number));
    cuda_memory_free(&g->charges.memory);
    cuda_memory_free(&g->memory);
    if (g->stream) CUDA_RELEASE(cudaStreamDestroy(g->stream));
    if (g->open) cuda_gpu_close(&g->gpu);
    *g = (struct gpu){.open = false};
}

static void close_cuda(void *state) {
    struct cuda *c = state;
    if (!c) return;
    for (unsigned i = 0; i < c->gpu_count; i++) release(&c->gpus[i]);
    pot_direct_cpu.close(c->cpu);
    pot_pair_charges_free(&c->charges);
    free(c->gpus);
    free(c->values);
    free(c->part);
    free(c);
}

static int prepare(const struct cuda *c, struct gpu *g, struct trj_error *err) {
    const struct pot_job *job = c->job;
    struct cuda_memory *m = &g->memory;
    size_t bytes = job->values * sizeof *g->values;
    // Fails if this build has no code for the architecture of the GPU.
    if (cuda_pair_check(err)) {
        (void)cudaGetLastError(); // clears the error: another GPU may be used
        return -1;
    }
    if (cuda_memory_read_limit(m, err) || cuda_memory_take(m, &g->values, bytes, "the map on the GPU", err) ||
        cuda_memory_take(m, &g->total, bytes, "the map on the GPU", err) ||
        cuda_memory_take(m, &g->flags, FLAGS * sizeof *g->flags, "flags on the GPU", err) ||
        (job->point_count && cuda_memory_take_copy(m, &g->point, job->point, job->point_count * sizeof *job->point,
                                                   "points on the GPU", err)))
        return -1;
    CUDA_CHECK(cudaStreamCreateWithFlags(&g->stream, cudaStreamNonBlocking));
    CUDA_CHECK(cudaMemset(g->total, 0, bytes));
    CUDA_CHECK(cudaMemset(g->flags, 0, FLAGS * sizeof *g->flags));
    CUDA_CHECK(cudaDeviceSynchronize()); // the stream does not wait for these operations
    return 0;
}

static int add_gpu(void *state, int number, unsigned count, struct trj_error *err) {
    struct cuda *c = state;
    if (!c->gpus && !(c->gpus = trj_alloc(count, sizeof *c->gpus, "GPUs", err))) return -1;
    struct gpu *g = &c->gpus[c->gpu_count];
    if (!cuda_gpu_open(&g->gpu, number, err)) {
        g->open = true;
        if (!prepare(c, g, err)) {
            c->gpu_count++;
            return 0;
        }
        if (err->status != TRJ_USAGE) err->status = TRJ_NO_ENGINE;
        trj_fail_at(err, "%s", g->gpu.name);
    }
    release(g);
    return -1;
}

static void ignore(void *state, const char *text) {
    (void)state, (void)text;
}

static int open_cuda(void **state, const struct pot_job *job, struct trj_error *err) {
    struct cuda *c = trj_alloc(1, sizeof *c, "an engine", err);
    unsigned count;
    if (!c) return -1;
    c->job = job;
    c->cleared = true;
    pot_pair_set(&c->pair, job);
    const struct cuda_gpu_list list = {.owner = c, .devices = job->devices, .add = add_gpu, .note = ignore};
    if (cuda_gpu_list_open(&list, &count, err) ||
        !(c->values = trj_alloc(job->values, sizeof *c->values, "the map", err)) ||
        !(c->part = trj_alloc(job->values, sizeof *c->part, "the map", err))) {
        close_cuda(c);
        return -1;
    }
    *state = c;
    return 0;
}

// ---- a frame

static int upload(const struct cuda *c, struct gpu *g, cuda_pair_args *a, struct trj_error *err) {
    const struct pot_pair_charges *q = &c->charges;
    size_t limit = g->memory.limit - g->memory.bytes, bytes = q->count * sizeof(double);
    if (!cuda_buffer_take(&g->charges, 4 * bytes, limit, "charges on the GPU", err)) {
        if (g->charges.memory.full)
            trj_error_set(err, TRJ_NO_ENGINE, "engine cuda: out of memory: %zu bytes for charges; use -e cpu",
                          4 * bytes);
        return -1;
    }
    double *to = g->charges.at;
    for (int k = 0; k < 4; k++) {
        const double *from = k < 3 ? q->at[k] : q->charge;
        if (bytes)
            CUDA_CHECK(cudaMemcpyAsync(to + (size_t)k * q->count, from, bytes, cudaMemcpyHostToDevice, g->stream));
        if (k < 3) a->at[k] = to + (size_t)k * q->count;
    }
    a->charge = to + 3 * q->count;
    return 0;
}

// Starts the computation of some blocks.
static int begin(const struct cuda *c, unsigned number, struct trj_error *err) {
    struct gpu *g = &c->gpus[number];
    size_t blocks = c->blocks.count,
           first = blocks / c->gpu_count * number + blocks % c->gpu_count * number / c->gpu_count,
           end = blocks / c->gpu_count * (number + 1) + blocks % c->gpu_count * (number + 1) / c->gpu_count;
    cuda_pair_args a = {.pair = c->pair,
                        .blocks = c->blocks,
                        .exact = c->job->exact,
                        .first_block = first,
                        .end_block = end,
                        .values = (unsigned long long *)g->values,
                        .failed = &g->flags[FAILED]};
    if (c->job->point_count) a.blocks.point = (const double(*)[3])g->point;
    CUDA_CHECK(cudaSetDevice(g->gpu.number));
    if (upload(c, g, &a, err)) return -1;
    CUDA_CHECK(cudaMemsetAsync(g->values, 0, c->job->values * sizeof *g->values, g->stream));
    CUDA_CHECK(cudaMemsetAsync(g->flags, 0, FLAGS * sizeof *g->flags, g->stream));
    double most = fmin(fmax(MOST_PAIRS / (double)c->job->values * c->gpu_count, 4096), 0x1p31);
    size_t part = (size_t)most, count = c->charges.count;
    const cuda_pair_args all = a;
    size_t parts = count / part + 1;
    a.room = FRAME_ROOM / (double)parts;
    for (size_t i = 0; i < count; i += part) {
        for (int k = 0; k < 3; k++) a.at[k] = all.at[k] + i;
        a.charge = all.charge + i;
        a.charges = (unsigned)(count - i < part ? count - i : part);
        if (cuda_pair_add(&a, g->stream, err)) return -1;
    }
    return 0;
}

// Waits for the GPUs, and sets *set to whether one of them has set the flag.
static int wait_for_flag(const struct cuda *c, enum flag flag, bool *set, struct trj_error *err) {
    *set = false;
    for (unsigned i = 0; i < c->gpu_count; i++) {
        struct gpu *g = &c->gpus[i];
        CUDA_CHECK(cudaSetDevice(g->gpu.number));
        CUDA_CHECK(cudaMemcpyAsync(g->host_flags, g->flags, sizeof g->host_flags, cudaMemcpyDeviceToHost, g->stream));
        CUDA_CHECK(cudaStreamSynchronize(g->stream));
        *set |= g->host_flags[flag] != 0;
    }
    return 0;
}

static int add_on_cpu(struct cuda *c, const struct pot_frame *f, struct trj_error *err) {
    if (!c->cpu && pot_direct_cpu.open(&c->cpu, c->job, err)) return -1;
    c->cpu_added = true;
    return pot_direct_cpu.add(c->cpu, f, err);
}

// Fails with the first point, in the order of blocks, whose sum exceeds int64.
static int fail_sum(struct cuda *c, const struct gpu *g, struct trj_error *err) {
    size_t bytes = c->job->values * sizeof *c->values;
    struct pot_block *block = trj_alloc(1, sizeof *block, "a block of points", err);
    if (!block) return -1;
    int rc = cudaSetDevice(g->gpu.number) != cudaSuccess ||
             cudaMemcpy(c->values, g->values, bytes, cudaMemcpyDeviceToHost) != cudaSuccess ||
             cudaMemcpy(c->part, g->total, bytes, cudaMemcpyDeviceToHost) != cudaSuccess;
    uint64_t number = 0;
    bool found = false;
    for (size_t b = 0; !rc && !found && b < c->blocks.count; b++) {
        pot_blocks_get(&c->blocks, b, block);
        for (size_t i = 0; !found && i < block->count; i++) {
            number = block->number[i];
            int64_t before = (int64_t)((uint64_t)c->part[number] - (uint64_t)c->values[number]), sum;
            found = __builtin_add_overflow(before, c->values[number], &sum);
        }
    }
    free(block);
    if (rc) return trj_fail(err, TRJ_FAILED, "%s: cannot read the map", g->gpu.name);
    return pot_pair_fail_sum(c->job, &c->blocks.lattice, number, err);
}

// Adds the values of the frame to the totals.
static int accumulate(struct cuda *c, struct trj_error *err) {
    bool overflow;
    for (unsigned i = 0; i < c->gpu_count; i++) {
        struct gpu *g = &c->gpus[i];
        CUDA_CHECK(cudaSetDevice(g->gpu.number));
        if (cuda_pair_accumulate(g->values, g->total, c->job->values, &g->flags[OVERFLOW], g->stream, err)) return -1;
    }
    if (wait_for_flag(c, OVERFLOW, &overflow, err)) return -1;
    for (unsigned i = 0; overflow && i < c->gpu_count; i++)
        if (c->gpus[i].host_flags[OVERFLOW]) return fail_sum(c, &c->gpus[i], err);
    return 0;
}

static int clear(struct cuda *c, struct trj_error *err) {
    for (unsigned i = 0; !c->cleared && i < c->gpu_count; i++) {
        const struct gpu *g = &c->gpus[i];
        CUDA_CHECK(cudaSetDevice(g->gpu.number));
        CUDA_CHECK(cudaMemsetAsync(g->total, 0, c->job->values * sizeof *g->total, g->stream));
    }
    c->cleared = true;
    return 0;
}

static int add(void *state, const struct pot_frame *f, struct trj_error *err) {
    struct cuda *c = state;
    bool failed;
    if (clear(c, err) || pot_pair_charges_take(&c->charges, &c->pair, f, err)) return -1;
    pot_blocks_set(&c->blocks, c->job, &f->lattice);
    for (unsigned i = 0; i < c->gpu_count; i++)
        if (begin(c, i, err)) return -1;
    if (wait_for_flag(c, FAILED, &failed, err)) return -1;
    return failed ? add_on_cpu(c, f, err) : accumulate(c, err);
}

// ---- the result

static int add_values(struct cuda *c, const int64_t *from, struct trj_error *err) {
    for (size_t i = 0; i < c->job->values; i++)
        if (__builtin_add_overflow(c->values[i], from[i], &c->values[i]))
            return pot_pair_fail_sum(c->job, &c->job->lattice, i, err);
    return 0;
}

static int finish(void *state, const int64_t **values, struct trj_error *err) {
    struct cuda *c = state;
    size_t bytes = c->job->values * sizeof *c->values;
    const int64_t *on_cpu;
    if (clear(c, err)) return -1;
    for (unsigned i = 0; i < c->gpu_count; i++) {
        const struct gpu *g = &c->gpus[i];
        CUDA_CHECK(cudaSetDevice(g->gpu.number));
        CUDA_CHECK(cudaMemcpyAsync(i ? c->part : c->values, g->total, bytes, cudaMemcpyDeviceToHost, g->stream));
        CUDA_CHECK(cudaStreamSynchronize(g->stream));
        if (i && add_values(c, c->part, err)) return -1;
    }
    if (c->cpu_added && (pot_direct_cpu.finish(c->cpu, &on_cpu, err) || add_values(c, on_cpu, err))) return -1;
    c->cpu_added = false;
    c->cleared = false;
    *values = c->values;
    return 0;
}

static const struct pot_method direct = {.open = open_cuda, .add = add, .finish = finish, .close = close_cuda};

const struct pot_engine pot_engine_cuda = {
    .kind.name = "cuda",
    .kind.workers = "GPUs",
    .kind.built_for = cuda_architectures,
    .kind.probe = cuda_gpu_list_probe,
    .method = {[POT_DIRECT] = &direct, [POT_MDH] = &direct},
};
