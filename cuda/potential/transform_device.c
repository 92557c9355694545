// SPDX-License-Identifier: MIT
// Transforms the mesh of pme on one GPU: a transform takes less time than the transfer of its mesh to a second GPU.
#include "transform_device.h"

#include <stdlib.h>
#include <string.h>

#include "check.cuh"
#include "device_fourier.h"
#include "memory.h"
#include "pme_transform.h"
#include "single_gpu.h"
#include "transform_kernels.h"

struct transform {
    struct cuda_single base;
    const struct pot_job *job;
    struct cuda_fourier f;
    cuda_transform_args args;
    long long *charge;              // [n[2]][n[1]][n[0]]; the potential after a transform
    double *inverse[3], *factor[3]; // [n[k]] host memory
    double *potential;              // [n[2]][n[1]][n[0]] page-locked host memory
};

static void free_axes(void *state) {
    struct transform *t = state;
    for (int k = 0; k < 3; k++) {
        free(t->inverse[k]);
        free(t->factor[k]);
    }
}

static void close_transform(void *state) {
    struct transform *t = state;
    if (!t) return;
    if (t->base.open) CUDA_RELEASE(cudaSetDevice(t->base.gpu.number));
    cuda_fourier_close(&t->f);
    cuda_single_close(t);
}

// ---- open

static int alloc_axes(struct transform *t, struct trj_error *err) {
    for (int k = 0; k < 3; k++) {
        size_t n = t->f.n[k];
        t->inverse[k] = trj_alloc(n, sizeof *t->inverse[k], "a Fourier transform", err);
        t->factor[k] = t->inverse[k] ? trj_alloc(n, sizeof *t->factor[k], "a Fourier transform", err) : NULL;
        if (!t->factor[k]) return -1;
        pot_transform_set_inverse(t->inverse[k], n, t->job->order);
        if (cuda_memory_alloc_copy(&t->base.memory, &t->args.factor[k], t->inverse[k], n * sizeof *t->inverse[k],
                                   "a Fourier transform on the GPU", err))
            return -1;
    }
    return 0;
}

static int prepare(struct transform *t, struct trj_error *err) {
    size_t points = (size_t)trj_map_lattice_points(&t->job->lattice);
    const struct cuda_array arrays[] = {
        CUDA_ARRAY(t->charge, points, "a Fourier transform on the GPU"),
        CUDA_ARRAY_HOST(t->potential, points),
    };
    if (cuda_single_use(&t->base, err)) return -1;
    if (CUDA_ALLOC(&t->base.memory, arrays, err)) return -1;
    if (cuda_fourier_open(&t->f, t->job->lattice.n, &t->base.memory, err)) return -1;
    memcpy(t->args.n, t->f.n, sizeof t->args.n);
    t->args.row = t->f.row;
    t->args.value = t->f.value;
    if (alloc_axes(t, err)) return -1;
    CUDA_CHECK(cudaDeviceSynchronize()); // the stream does not wait for the copies
    return 0;
}

// Does not report a GPU that can be opened, but not prepared, because the mesh is too large for its memory: the caller
// does, since another GPU may have more memory.
static int open_transform(void **state, const struct pot_job *job, unsigned *next, struct trj_error *err) {
    static const struct cuda_single_ops ops = {.close = free_axes};
    struct transform *t = trj_alloc(1, sizeof *t, "a Fourier transform", err);
    unsigned from = *next;
    *next = 0;
    if (!t) return -1;
    t->job = job;
    t->base.from = from;
    if (cuda_single_open(t, &ops, job->devices, err)) {
        *next = t->base.next;
        goto out;
    }
    if (!t->base.open) {
        trj_error_set(err, TRJ_NO_ENGINE, "engine cuda: no other GPU can compute Fourier transforms");
        goto out;
    }
    *next = t->base.next;
    if (!prepare(t, err)) {
        *state = t;
        return 0;
    }
    trj_fail_at(err, "%s", t->base.gpu.name);
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
                                   t->f.n[k] * sizeof *t->factor[k], cudaMemcpyHostToDevice, t->base.stream));
    return 0;
}

static int run(struct transform *t, const struct trj_map_lattice *l, const int64_t *charge, double quantum,
               const uint64_t size[3], struct trj_error *err) {
    const size_t *n = t->f.n, part[3] = {(size_t)size[0], (size_t)size[1], (size_t)size[2]};
    double *packed = (double *)t->charge;
    cudaStream_t stream = t->base.stream;
    if (cuda_single_use(&t->base, err)) return -1;
    CUDA_CHECK(cudaMemcpyAsync(t->charge, charge, n[0] * n[1] * n[2] * sizeof *charge, cudaMemcpyHostToDevice, stream));
    if (set_green(t, l, err)) return -1;
    if (cuda_transform_load(&t->args, t->charge, quantum, stream, err)) return -1;
    if (cuda_fourier_forward(&t->f, stream, err)) return -1;
    if (cuda_transform_multiply_green(&t->args, stream, err)) return -1;
    if (cuda_fourier_backward(&t->f, stream, err)) return -1;
    if (cuda_transform_pack(&t->args, part, packed, stream, err)) return -1;
    return cuda_single_fetch(&t->base, t->potential, packed, part[0] * part[1] * part[2] * sizeof *packed, err);
}

static int compute(void *state, const struct trj_map_lattice *l, const int64_t *charge, double quantum,
                   const uint64_t size[3], double **potential, struct trj_error *err) {
    struct transform *t = state;
    *potential = t->potential;
    return run(t, l, charge, quantum, size, err) ? trj_fail_at(err, "%s", t->base.gpu.name) : 0;
}

const struct pot_device_transform cuda_transform = {
    .open = open_transform, .compute = compute, .close = close_transform};
