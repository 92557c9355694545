// SPDX-License-Identifier: MIT
#include "transform_device.h"

#include <stdlib.h>
#include <string.h>

#include "check.cuh"
#include "device_fourier.h"
#include "gpu.h"
#include "gpu_list.h"
#include "memory.h"
#include "pme_transform.h"
#include "transform_kernels.h"

struct transform {
    const struct pot_job *job;
    struct cuda_gpu gpu;
    bool open; // whether `gpu` is open
    // Numbers in the list of GPUs: of the first to try, of the one that is listed next, and after the last one tried.
    unsigned from, seen, next;
    cudaStream_t stream;
    struct cuda_memory memory;
    struct cuda_fourier f;
    cuda_transform_args args;
    long long *charge;              // [n[2]][n[1]][n[0]]; the potential after a transform
    double *inverse[3], *factor[3]; // [n[k]] host memory
    double *potential;              // [n[2]][n[1]][n[0]] page-locked host memory
};

static void close_transform(void *state) {
    struct transform *t = state;
    if (!t) return;
    if (t->open) CUDA_RELEASE(cudaSetDevice(t->gpu.number));
    cuda_fourier_close(&t->f);
    cuda_memory_free(&t->memory);
    if (t->potential) cuda_host_release(t->potential);
    if (t->stream) CUDA_RELEASE(cudaStreamDestroy(t->stream));
    if (t->open) cuda_gpu_close(&t->gpu);
    for (int k = 0; k < 3; k++) {
        free(t->inverse[k]);
        free(t->factor[k]);
    }
    free(t);
}

// ---- open

static int take_axes(struct transform *t, struct trj_error *err) {
    for (int k = 0; k < 3; k++) {
        size_t n = t->f.n[k];
        t->inverse[k] = trj_alloc(n, sizeof *t->inverse[k], "a Fourier transform", err);
        t->factor[k] = t->inverse[k] ? trj_alloc(n, sizeof *t->factor[k], "a Fourier transform", err) : NULL;
        if (!t->factor[k]) return -1;
        pot_transform_set_inverse(t->inverse[k], n, t->job->order);
        if (cuda_memory_take_copy(&t->memory, &t->args.factor[k], t->inverse[k], n * sizeof *t->inverse[k],
                                  "a Fourier transform on the GPU", err))
            return -1;
    }
    return 0;
}

static int prepare(struct transform *t, struct trj_error *err) {
    size_t bytes = (size_t)trj_map_lattice_points(&t->job->lattice) * sizeof *t->charge;
    CUDA_CHECK(cudaStreamCreateWithFlags(&t->stream, cudaStreamNonBlocking));
    if (cuda_transform_check(err) || cuda_memory_read_limit(&t->memory, err) ||
        cuda_memory_take(&t->memory, &t->charge, bytes, "a Fourier transform on the GPU", err) ||
        cuda_fourier_open(&t->f, t->job->lattice.n, &t->memory, err))
        return -1;
    memcpy(t->args.n, t->f.n, sizeof t->args.n);
    t->args.row = t->f.row;
    t->args.value = t->f.value;
    if (!(t->potential = cuda_host_allocate(bytes))) return trj_fail_memory(err, (double)bytes, "the potential");
    if (take_axes(t, err)) return -1;
    CUDA_CHECK(cudaDeviceSynchronize()); // the stream does not wait for the copies
    return 0;
}

// Opens a GPU, unless one is open or its number in the list is below t->from.
static int add_gpu(void *state, int number, unsigned count, struct trj_error *err) {
    struct transform *t = state;
    unsigned place = t->seen++;
    (void)count;
    if (t->open || place < t->from) return 0;
    t->next = place + 1;
    if (cuda_gpu_open(&t->gpu, number, err)) return -1;
    t->open = true;
    return 0;
}

static void ignore(void *state, const char *text) {
    (void)state, (void)text; // the GPUs that compute the mesh are reported
}

static int open_transform(void **state, const struct pot_job *job, unsigned *next, struct trj_error *err) {
    struct transform *t = trj_alloc(1, sizeof *t, "a Fourier transform", err);
    unsigned count, from = *next;
    *next = 0;
    if (!t) return -1;
    t->job = job;
    t->from = from;
    const struct cuda_gpu_list list = {.owner = t, .devices = job->devices, .add = add_gpu, .note = ignore};
    if (cuda_gpu_list_open(&list, &count, err)) {
        *next = t->next;
        goto out;
    }
    if (!t->open) {
        trj_error_set(err, TRJ_NO_ENGINE, "engine cuda: no other GPU can compute Fourier transforms");
        goto out;
    }
    *next = t->next;
    CUDA_RELEASE(cudaSetDevice(t->gpu.number));
    if (!prepare(t, err)) {
        *state = t;
        return 0;
    }
    if (err->status != TRJ_USAGE) err->status = TRJ_NO_ENGINE;
    trj_fail_at(err, "%s", t->gpu.name);
out:
    close_transform(t);
    return -1;
}

// ---- a transform

// Sets G of the cell that a lattice divides.
static int set_green(struct transform *t, const struct trj_map_lattice *l, struct trj_error *err) {
    pot_green_set(&t->args.green, l, t->job->alpha);
    if (t->args.green.right) pot_green_set_factors(&t->args.green, t->inverse, t->factor);
    for (int k = 0; k < 3; k++)
        CUDA_CHECK(cudaMemcpyAsync(t->args.factor[k], t->args.green.right ? t->factor[k] : t->inverse[k],
                                   t->f.n[k] * sizeof *t->factor[k], cudaMemcpyHostToDevice, t->stream));
    return 0;
}

static int run(struct transform *t, const struct trj_map_lattice *l, const int64_t *charge, double quantum,
               const uint64_t size[3], struct trj_error *err) {
    const size_t *n = t->f.n, part[3] = {(size_t)size[0], (size_t)size[1], (size_t)size[2]};
    double *packed = (double *)t->charge;
    CUDA_CHECK(cudaSetDevice(t->gpu.number));
    CUDA_CHECK(
        cudaMemcpyAsync(t->charge, charge, n[0] * n[1] * n[2] * sizeof *charge, cudaMemcpyHostToDevice, t->stream));
    if (set_green(t, l, err) || cuda_transform_load(&t->args, t->charge, quantum, t->stream, err) ||
        cuda_fourier_forward(&t->f, t->stream, err) || cuda_transform_multiply_green(&t->args, t->stream, err) ||
        cuda_fourier_backward(&t->f, t->stream, err) || cuda_transform_pack(&t->args, part, packed, t->stream, err))
        return -1;
    CUDA_CHECK(cudaMemcpyAsync(t->potential, packed, part[0] * part[1] * part[2] * sizeof *packed,
                               cudaMemcpyDeviceToHost, t->stream));
    CUDA_CHECK(cudaStreamSynchronize(t->stream));
    return 0;
}

static int compute(void *state, const struct trj_map_lattice *l, const int64_t *charge, double quantum,
                   const uint64_t size[3], double **potential, struct trj_error *err) {
    struct transform *t = state;
    *potential = t->potential;
    return run(t, l, charge, quantum, size, err) ? trj_fail_at(err, "%s", t->gpu.name) : 0;
}

const struct pot_device_transform cuda_transform = {
    .open = open_transform, .compute = compute, .close = close_transform};
