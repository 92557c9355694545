// SPDX-License-Identifier: MIT
// The method fast with fixed parts (pot_job.near_part and mesh_part) on a GPU. All steps of a frame stay in the memory
// of the GPU: charges on the mesh, transforms, the near part, and the addition of both.
//
// Unlike the engine cpu, which adds the charges of several frames on the mesh and transforms once, each frame is
// transformed and rounded to the quantum. GPUs can therefore share the frames, and a transform takes less time than the
// transfer of a mesh to the host. Means of the engines agree to about 1e-12.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.cuh"
#include "device_fourier.h"
#include "fast_sum.h"
#include "fast_transform.h"
#include "memory.h"
#include "pme_transform.h"
#include "potential_device.h"
#include "transform_kernels.h"

struct fast {
    const struct pot_job *job;
    void *near, *mesh; // states of the methods of the parts
    struct cuda_fourier f;
    cuda_transform_args args;
    unsigned long long *near_values, *charge; // [job->values], [mesh_part->values]
};

static void close_fast(void *state) {
    struct fast *s = state;
    if (!s) return;
    cuda_fourier_close(&s->f);
    cuda_potential_cutoff.close(s->near);
    cuda_potential_mesh.close(s->mesh);
    free(s);
}

// Uploads 1 / c of each axis.
static int alloc_axes(struct fast *s, struct cuda_memory *memory, struct trj_error *err) {
    for (int k = 0; k < 3; k++) {
        size_t n = s->f.n[k];
        double *inverse = trj_alloc(n, sizeof *inverse, "a Fourier transform", err);
        if (!inverse) return -1;
        pot_transform_set_inverse(inverse, n, s->job->mesh_part->order);
        int rc = cuda_memory_alloc_copy(memory, &s->args.factor[k], inverse, n * sizeof *inverse,
                                        "a Fourier transform on the GPU", err);
        free(inverse);
        if (rc) return -1;
    }
    return 0;
}

// Computes the transform of g in the default stream, for which the caller of `open` waits.
static int make_kernel(struct fast *s, struct cuda_memory *memory, struct trj_error *err) {
    const struct pot_job *mesh = s->job->mesh_part;
    cuda_transform_args *a = &s->args;
    memcpy(a->n, s->f.n, sizeof a->n);
    a->row = s->f.row;
    a->value = s->f.value;
    pot_smooth_set(&a->smooth, &mesh->lattice, mesh->alpha);
    for (int k = 0; k < 2; k++) a->rows[k] = a->smooth.right ? a->n[k + 1] / 2 + 1 : a->n[k + 1];
    return cuda_memory_alloc(memory, &a->kernel, a->rows[0] * a->rows[1] * a->row * sizeof *a->kernel,
                             "a Fourier transform on the GPU", err) ||
                   cuda_transform_sample(a, NULL, err) || cuda_fourier_forward(&s->f, NULL, err) ||
                   cuda_transform_take_kernel(a, NULL, err)
               ? -1
               : 0;
}

static int open_fast(void **state, const struct pot_job *job, struct cuda_memory *memory, struct trj_error *err) {
    struct fast *s = trj_alloc(1, sizeof *s, "a GPU", err);
    if (!s) return -1;
    s->job = job;
    const struct cuda_array arrays[] = {
        CUDA_ARRAY(s->near_values, job->values, "the map on the GPU"),
        CUDA_ARRAY(s->charge, job->mesh_part->values, "a mesh on the GPU"),
    };
    if (cuda_potential_cutoff.open(&s->near, job->near_part, memory, err)) goto out;
    if (cuda_potential_mesh.open(&s->mesh, job->mesh_part, memory, err)) goto out;
    if (CUDA_ALLOC(memory, arrays, err)) goto out;
    if (cuda_fourier_open(&s->f, job->mesh_part->lattice.n, memory, err)) goto out;
    if (alloc_axes(s, memory, err)) goto out;
    if (make_kernel(s, memory, err)) goto out;
    *state = s;
    return 0;
out:
    close_fast(s);
    return -1;
}

static int add_near(struct fast *s, const struct cuda_potential_frame *f, const struct cuda_potential_range *range,
                    unsigned *flags, cudaStream_t stream, struct trj_error *err) {
    struct cuda_potential_frame open = *f;
    memset(&open.cell, 0, sizeof open.cell);
    CUDA_CHECK(cudaMemsetAsync(s->near_values, 0, s->job->values * sizeof *s->near_values, stream));
    return cuda_potential_cutoff.add(s->near, &open, range, s->near_values, flags, stream, err);
}

// Replaces the charges on the mesh by their smooth potential.
static int transform(struct fast *s, const struct cuda_potential_frame *f, unsigned *flags, cudaStream_t stream,
                     struct trj_error *err) {
    const struct pot_job *mesh = s->job->mesh_part;
    const struct cuda_potential_range all = {.end = (size_t)mesh->lattice.n[2]};
    struct cuda_potential_frame on_mesh = *f;
    on_mesh.lattice = mesh->lattice;
    CUDA_CHECK(cudaMemsetAsync(s->charge, 0, mesh->values * sizeof *s->charge, stream));
    if (cuda_potential_mesh.add(s->mesh, &on_mesh, &all, s->charge, flags, stream, err)) return -1;
    if (cuda_transform_load(&s->args, (const long long *)s->charge, mesh->quantum, stream, err)) return -1;
    if (cuda_fourier_forward(&s->f, stream, err)) return -1;
    if (cuda_transform_multiply_kernel(&s->args, stream, err)) return -1;
    return cuda_fourier_backward(&s->f, stream, err);
}

static int add(void *state, const struct cuda_potential_frame *f, const struct cuda_potential_range *range,
               unsigned long long *values, unsigned *flags, cudaStream_t stream, struct trj_error *err) {
    struct fast *s = state;
    const struct pot_job *job = s->job;
    const size_t size[3] = {(size_t)job->lattice.n[0], (size_t)job->lattice.n[1], (size_t)job->lattice.n[2]};
    if (add_near(s, f, range, flags, stream, err) || transform(s, f, flags, stream, err)) return -1;
    return cuda_transform_add(&s->args, size, job->quantum, (const long long *)s->near_values,
                              job->near_part->quantum / job->quantum, values, &flags[CUDA_POTENTIAL_BY_CPU], stream,
                              err);
}

// The method has no bound of the error.
static int end(void *state, bool *again, double *error, struct trj_error *err) {
    double near_error;
    *error = NAN;
    return cuda_potential_cutoff.end(((struct fast *)state)->near, again, &near_error, err);
}

const struct cuda_potential_method cuda_potential_fast_frames = {
    .cpu = &pot_fast_fixed_cpu, .multiple = 0, .open = open_fast, .add = add, .end = end, .close = close_fast};
