// SPDX-License-Identifier: MIT
// The CUDA engine of scattering amplitudes: it uses one GPU and computes one frame at a time.
#include <stdlib.h>
#include <string.h>

#include "check.cuh"
#include "gpu_list.h"
#include "memory.h"
#include "single_gpu.h"
#include "wave_engine.h"
#include "wave_kernels.h"

enum { POWER_BYTES = 1 << 30, MAX_ATOMS = 1 << 20 }; // of the atoms whose powers are in memory at a time

struct cuda {
    struct cuda_single base;
    const struct wav_job *job;
    uint32_t **lists; // [groups]
    struct cuda_buffer x, rows, power[3], rho;
    cuda_wave_row *host_rows;
    size_t row_capacity;
    struct trj_engine_stats stats;
};

static int alloc(struct cuda *e, struct cuda_buffer *b, size_t bytes, struct trj_error *err) {
    return cuda_buffer_alloc(b, &e->base.memory, bytes, "waves", err) ? 0 : -1;
}

// ---- open and close

static int prepare(void *engine, struct trj_error *err) {
    struct cuda *e = engine;
    const struct wav_job *job = e->job = e->base.job;
    e->lists = trj_alloc(job->group_count, sizeof *e->lists, "groups", err);
    if (!e->lists) return -1;
    for (size_t g = 0; g < job->group_count; g++)
        if (job->used[g] && cuda_memory_alloc_copy(&e->base.memory, &e->lists[g], job->groups[g].atoms,
                                                   job->groups[g].count * sizeof(uint32_t), "groups on the GPU", err))
            return -1;
    return 0;
}

static void release(void *engine) {
    struct cuda *e = engine;
    free(e->lists);
    e->lists = NULL;
}

static void close_cuda(void *engine) {
    free(((struct cuda *)engine)->host_rows);
}

static int open_cuda(void **engine, const struct wav_job *job, struct trj_error *err) {
    static const struct cuda_single_ops ops = {prepare, release, close_cuda};
    return cuda_single_create(engine, sizeof(struct cuda), job, &ops, job->devices, err);
}

// ---- amplitudes

static int upload(struct cuda *e, const struct trj_frame *f, const struct wav_vectors *v, cuda_wave_args *a,
                  struct trj_error *err) {
    size_t x = 3 * f->capacity * sizeof(float), rows = v->row_count * sizeof *e->host_rows;
    if (alloc(e, &e->x, x, err) || alloc(e, &e->rows, rows, err)) return -1;
    if (trj_grow(&e->host_rows, &e->row_capacity, v->row_count, sizeof *e->host_rows, "wave vectors", err)) return -1;
    for (size_t i = 0; i < v->row_count; i++) {
        const struct wav_row *r = &v->rows[i];
        e->host_rows[i] = (cuda_wave_row){r->h, r->k, r->l, r->count, r->first};
    }
    CUDA_CHECK(cudaMemcpyAsync(e->x.address, f->x[0], x, cudaMemcpyHostToDevice, e->base.stream));
    CUDA_CHECK(cudaMemcpyAsync(e->rows.address, e->host_rows, rows, cudaMemcpyHostToDevice, e->base.stream));
    *a = (cuda_wave_args){.x = e->x.address,
                          .capacity = f->capacity,
                          .unit = f->unit,
                          .bits = e->job->bits,
                          .rows = e->rows.address,
                          .row_count = (unsigned)v->row_count,
                          .vectors = v->count};
    memcpy(a->g, v->g, sizeof a->g);
    for (int c = 0; c < 3; c++) a->max[c] = v->max[c];
    return 0;
}

// Adds the amplitudes of a group, some atoms at a time.
static int add_group(struct cuda *e, size_t group, cuda_wave_args a, struct trj_error *err) {
    size_t atom_bytes = 0, count = e->job->groups[group].count;
    for (int c = 0; c < 3; c++) atom_bytes += ((size_t)a.max[c] + 1) * sizeof(double2);
    size_t max = POWER_BYTES / atom_bytes;
    if (max > MAX_ATOMS) max = MAX_ATOMS;
    if (max > count) max = count;
    if (!max) max = 1;
    for (int c = 0; c < 3; c++) {
        if (alloc(e, &e->power[c], ((size_t)a.max[c] + 1) * max * sizeof(double2), err)) return -1;
        a.power[c] = e->power[c].address;
    }
    for (size_t first = 0; first < count; first += max) {
        a.list = e->lists[group] + first;
        a.atoms = (unsigned)(count - first < max ? count - first : max);
        if (cuda_wave_add(&a, e->base.stream, err)) return -1;
    }
    return 0;
}

static int amplitudes(void *engine, const struct trj_frame *f, const struct wav_vectors *v, int64_t *rho,
                      struct trj_error *err) {
    struct cuda *e = engine;
    double began = trj_seconds();
    size_t size = e->job->group_count * 2 * v->count;
    cuda_wave_args a;
    if (cuda_single_use(&e->base, err)) return -1;
    if (upload(e, f, v, &a, err) || alloc(e, &e->rho, size * sizeof *rho, err)) return -1;
    CUDA_CHECK(cudaMemsetAsync(e->rho.address, 0, size * sizeof *rho, e->base.stream));
    for (size_t g = 0; g < e->job->group_count; g++) {
        a.rho = (unsigned long long *)e->rho.address + g * 2 * v->count;
        if (e->job->used[g] && add_group(e, g, a, err)) return -1;
        e->stats.terms += e->job->used[g] ? (double)e->job->groups[g].count * (double)v->count : 0;
    }
    if (cuda_single_fetch(&e->base, rho, e->rho.address, size * sizeof *rho, err)) return -1;
    e->stats.seconds += trj_seconds() - began;
    return 0;
}

static void stats(void *engine, struct trj_engine_stats *s) {
    *s = ((const struct cuda *)engine)->stats;
    s->workers = 1;
}

const struct wav_engine wav_engine_cuda = {
    .kind = CUDA_ENGINE_KIND,
    .open = open_cuda,
    .amplitudes = amplitudes,
    .stats = stats,
    .close = cuda_single_close,
};
