// SPDX-License-Identifier: MIT
// The CUDA engine of amplitudes: one GPU, one frame at a time.
#include <stdlib.h>
#include <string.h>

#include "check.cuh"
#include "device_memory.h"
#include "gpu.h"
#include "gpu_list.h"
#include "memory.h"
#include "wave_engine.h"
#include "wave_kernels.h"

enum { POWER_BYTES = 1 << 30, MOST_ATOMS = 1 << 20 }; // of the atoms whose powers are in memory at a time

struct cuda {
    const struct wav_job *job;
    struct cuda_gpu gpu;
    bool open; // whether `gpu` is open
    cudaStream_t stream;
    struct cuda_memory memory; // of the groups; its limit is that of all memory
    uint32_t **lists;          // [groups]
    struct cuda_buffer x, rows, power[3], rho;
    cuda_wave_row *host_rows;
    size_t row_capacity;
    struct wav_engine_stats stats;
};

static struct cuda_buffer *buffer(struct cuda *e, int i) {
    struct cuda_buffer *const all[] = {&e->x, &e->rows, &e->power[0], &e->power[1], &e->power[2], &e->rho, NULL};
    return all[i];
}

static int take(struct cuda *e, struct cuda_buffer *b, size_t bytes, struct trj_error *err) {
    size_t used = e->memory.bytes;
    for (int i = 0; buffer(e, i); i++) used += buffer(e, i) == b ? 0 : buffer(e, i)->memory.bytes;
    if (cuda_buffer_take(b, bytes, used < e->memory.limit ? e->memory.limit - used : 0, "waves on the GPU", err))
        return 0;
    if (b->memory.full)
        trj_error_set(err, TRJ_NO_ENGINE, "engine cuda: out of memory: %zu bytes for waves; use -e cpu", bytes);
    return -1;
}

// Releases the GPU, so that another one can be opened.
static void release(struct cuda *e) {
    if (e->open) CUDA_RELEASE(cudaSetDevice(e->gpu.number));
    for (int i = 0; buffer(e, i); i++) cuda_memory_free(&buffer(e, i)->memory);
    cuda_memory_free(&e->memory);
    if (e->stream) CUDA_RELEASE(cudaStreamDestroy(e->stream));
    if (e->open) cuda_gpu_close(&e->gpu);
    free(e->lists);
    free(e->host_rows);
    *e = (struct cuda){.job = e->job};
}

static void close_cuda(void *engine) {
    if (engine) release(engine);
    free(engine);
}

static int prepare(struct cuda *e, struct trj_error *err) {
    const struct wav_job *job = e->job;
    // Fails if this build has no code for the architecture of the GPU.
    if (cuda_wave_check(err)) {
        err->status = TRJ_NO_ENGINE;
        return -1;
    }
    if (!(e->lists = trj_alloc(job->group_count, sizeof *e->lists, "groups", err)) ||
        cuda_memory_read_limit(&e->memory, err))
        return -1;
    for (size_t g = 0; g < job->group_count; g++)
        if (job->used[g] && cuda_memory_take_copy(&e->memory, &e->lists[g], job->groups[g].atoms,
                                                  job->groups[g].count * sizeof(uint32_t), "groups on the GPU", err))
            return -1;
    CUDA_CHECK(cudaStreamCreateWithFlags(&e->stream, cudaStreamNonBlocking));
    CUDA_CHECK(cudaDeviceSynchronize()); // the stream does not wait for these copies
    return 0;
}

// Opens the first GPU of the list, and accepts the others without opening them.
static int add_gpu(void *engine, int number, unsigned gpus, struct trj_error *err) {
    struct cuda *e = engine;
    (void)gpus;
    if (e->open) return 0;
    if (!cuda_gpu_open(&e->gpu, number, err)) {
        e->open = true;
        if (!prepare(e, err)) return 0;
        if (e->memory.full) err->status = TRJ_NO_ENGINE;
        trj_fail_at(err, "%s", e->gpu.name);
    }
    release(e);
    return -1;
}

static void ignore(void *engine, const char *text) {
    (void)engine, (void)text;
}

static int open_cuda(void **engine, const struct wav_job *job, struct trj_error *err) {
    struct cuda *e = trj_alloc(1, sizeof *e, "an engine", err);
    unsigned gpus;
    if (!e) return -1;
    e->job = job;
    const struct cuda_gpu_list list = {.owner = e, .devices = job->devices, .add = add_gpu, .note = ignore};
    if (cuda_gpu_list_open(&list, &gpus, err)) {
        close_cuda(e);
        return -1;
    }
    e->stats.workers = 1;
    *engine = e;
    return 0;
}

static int upload(struct cuda *e, const struct trj_frame *f, const struct wav_vectors *v, cuda_wave_args *a,
                  struct trj_error *err) {
    size_t x = 3 * f->capacity * sizeof(float), rows = v->row_count * sizeof *e->host_rows;
    if (take(e, &e->x, x, err) || take(e, &e->rows, rows, err) ||
        trj_grow(&e->host_rows, &e->row_capacity, v->row_count, sizeof *e->host_rows, "wave vectors", err))
        return -1;
    for (size_t i = 0; i < v->row_count; i++) {
        const struct wav_row *r = &v->rows[i];
        e->host_rows[i] = (cuda_wave_row){r->h, r->k, r->l, r->count, r->first};
    }
    CUDA_CHECK(cudaMemcpyAsync(e->x.at, f->x[0], x, cudaMemcpyHostToDevice, e->stream));
    CUDA_CHECK(cudaMemcpyAsync(e->rows.at, e->host_rows, rows, cudaMemcpyHostToDevice, e->stream));
    *a = (cuda_wave_args){.x = e->x.at,
                          .capacity = f->capacity,
                          .unit = f->unit,
                          .bits = e->job->bits,
                          .rows = e->rows.at,
                          .row_count = (unsigned)v->row_count,
                          .vectors = v->count};
    memcpy(a->g, v->g, sizeof a->g);
    for (int c = 0; c < 3; c++) a->most[c] = v->most[c];
    return 0;
}

// Adds the amplitudes of a group, some atoms at a time.
static int add_group(struct cuda *e, size_t group, cuda_wave_args a, struct trj_error *err) {
    size_t of_atom = 0, count = e->job->groups[group].count;
    for (int c = 0; c < 3; c++) of_atom += ((size_t)a.most[c] + 1) * sizeof(double2);
    size_t most = POWER_BYTES / of_atom;
    if (most > MOST_ATOMS) most = MOST_ATOMS;
    if (most > count) most = count;
    if (!most) most = 1;
    for (int c = 0; c < 3; c++) {
        if (take(e, &e->power[c], ((size_t)a.most[c] + 1) * most * sizeof(double2), err)) return -1;
        a.power[c] = e->power[c].at;
    }
    for (size_t first = 0; first < count; first += most) {
        a.list = e->lists[group] + first;
        a.atoms = (unsigned)(count - first < most ? count - first : most);
        if (cuda_wave_add(&a, e->stream, err)) return -1;
    }
    return 0;
}

static int amplitudes(void *engine, const struct trj_frame *f, const struct wav_vectors *v, int64_t *rho,
                      struct trj_error *err) {
    struct cuda *e = engine;
    double began = trj_seconds();
    size_t size = e->job->group_count * 2 * v->count;
    cuda_wave_args a;
    CUDA_CHECK(cudaSetDevice(e->gpu.number));
    if (upload(e, f, v, &a, err) || take(e, &e->rho, size * sizeof *rho, err)) return -1;
    CUDA_CHECK(cudaMemsetAsync(e->rho.at, 0, size * sizeof *rho, e->stream));
    for (size_t g = 0; g < e->job->group_count; g++) {
        a.rho = (unsigned long long *)e->rho.at + g * 2 * v->count;
        if (e->job->used[g] && add_group(e, g, a, err)) return -1;
        e->stats.terms += e->job->used[g] ? (double)e->job->groups[g].count * (double)v->count : 0;
    }
    CUDA_CHECK(cudaMemcpyAsync(rho, e->rho.at, size * sizeof *rho, cudaMemcpyDeviceToHost, e->stream));
    CUDA_CHECK(cudaStreamSynchronize(e->stream));
    e->stats.seconds += trj_seconds() - began;
    return 0;
}

static void stats(void *engine, struct wav_engine_stats *s) {
    *s = ((const struct cuda *)engine)->stats;
}

const struct wav_engine wav_engine_cuda = {
    .kind.name = "cuda",
    .kind.workers = "GPUs",
    .kind.built_for = cuda_architectures,
    .kind.probe = cuda_gpu_list_probe,
    .open = open_cuda,
    .amplitudes = amplitudes,
    .stats = stats,
    .close = close_cuda,
};
