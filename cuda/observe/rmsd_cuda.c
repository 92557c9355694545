// SPDX-License-Identifier: MIT
// The engine `cuda` of matrices of deviations. One GPU gets the deviations of all frames from their mean, and holds the
// matrix.
#include "check.cuh"
#include "gpu_list.h"
#include "memory.h"
#include "rmsd_engine.h"
#include "rmsd_kernels.h"
#include "single_gpu.h"

// Largest number of products of atoms in a launch: a GPU that drives a display stops kernels that run for seconds.
#define MAX_PRODUCTS 4e10

enum step { UPLOAD, COMPARE, DOWNLOAD, STEPS };

struct cuda {
    struct cuda_single base;
    cuda_rmsd_args args;
    double seconds[STEPS];
};

static int open_cuda(void **engine, const char *devices, struct trj_error *err) {
    static const struct cuda_single_ops ops = {.prepare = NULL};
    return cuda_single_create(engine, sizeof(struct cuda), NULL, &ops, devices, err);
}

static int upload(struct cuda *c, const struct obs_rmsd_job *j, struct trj_error *err) {
    cuda_rmsd_args *a = &c->args;
    struct obs_rmsd_row *row;
    struct obs_rmsd_panel *panel;
    float *v;
    const size_t numbers = 3 * OBS_RMSD_TILE * j->atoms; // of a tile
    const struct cuda_array arrays[] = {
        CUDA_ARRAY(v, j->tiles * numbers, "deviations of all frames on the GPU"),
        CUDA_ARRAY(row, j->tiles * OBS_RMSD_TILE, "frames on the GPU"),
        CUDA_ARRAY(panel, j->tiles * OBS_RMSD_PANELS, "frames on the GPU"),
        CUDA_ARRAY(a->value, j->frames * j->frames, "a matrix of all pairs of frames on the GPU"),
    };
    if (CUDA_ALLOC(&c->base.memory, arrays, err)) return -1;
    for (size_t i = 0; i < j->tiles; i++) {
        const struct obs_rmsd_tile *t = j->tile[i];
        CUDA_CHECK(cudaMemcpyAsync(v + i * numbers, t->v, numbers * sizeof *v, cudaMemcpyHostToDevice, c->base.stream));
        CUDA_CHECK(
            cudaMemcpyAsync(row + i * OBS_RMSD_TILE, t->row, sizeof t->row, cudaMemcpyHostToDevice, c->base.stream));
        CUDA_CHECK(cudaMemcpyAsync(panel + i * OBS_RMSD_PANELS, t->panel, sizeof t->panel, cudaMemcpyHostToDevice,
                                   c->base.stream));
    }
    a->v = v;
    a->row = row;
    a->panel = panel;
    return cuda_single_wait(&c->base, err);
}

static int compare(struct cuda *c, struct trj_error *err) {
    const cuda_rmsd_args *a = &c->args;
    const unsigned rows = (unsigned)((a->frames + CUDA_RMSD_SIDE - 1) / CUDA_RMSD_SIDE);
    const double products = 9.0 * CUDA_RMSD_SIDE * (double)a->frames * (double)a->atoms; // of a row of blocks
    const unsigned some = products < MAX_PRODUCTS ? (unsigned)(MAX_PRODUCTS / products) : 1;
    for (unsigned first = 0; first < rows; first += some)
        if (cuda_rmsd_compare(a, first, rows - first < some ? rows - first : some, c->base.stream, err)) return -1;
    return cuda_single_wait(&c->base, err);
}

static int compute_on_gpu(struct cuda *c, const struct obs_rmsd_job *j, struct trj_error *err) {
    double began = trj_seconds();
    c->args = (cuda_rmsd_args){.frames = j->frames, .atoms = j->atoms, .rotates = j->rotates, .total = j->total};
    if (cuda_single_use(&c->base, err) || upload(c, j, err)) return -1;
    double uploaded = trj_seconds();
    if (compare(c, err)) return -1;
    double compared = trj_seconds();
    if (cuda_single_fetch(&c->base, j->value, c->args.value, j->frames * j->frames * sizeof *j->value, err)) return -1;
    c->seconds[UPLOAD] = uploaded - began;
    c->seconds[COMPARE] = compared - uploaded;
    c->seconds[DOWNLOAD] = trj_seconds() - compared;
    return 0;
}

static int compute(void *engine, const void *job, struct trj_error *err) {
    struct cuda *c = engine;
    return compute_on_gpu(c, job, err) ? trj_fail_at(err, "%s", c->base.gpu.name) : 0;
}

static void stats(void *engine, struct trj_engine_stats *s) {
    const double *seconds = ((const struct cuda *)engine)->seconds;
    *s = (struct trj_engine_stats){
        .workers = 1,
        .times = {{"upload", seconds[UPLOAD]}, {"pairs", seconds[COMPARE]}, {"download", seconds[DOWNLOAD]}}};
}

const struct work_whole_engine obs_rmsd_engine_cuda = {
    .kind = CUDA_ENGINE_KIND,
    .open = open_cuda,
    .compute = compute,
    .stats = stats,
    .close = cuda_single_close,
};
