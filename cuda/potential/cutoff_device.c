// SPDX-License-Identifier: MIT
// The method cutoff on a GPU. The values and their error bound are those of the engine cpu, byte for byte.
//
// The number of images of atoms that reach the lattice depends on their positions: if the memory for them was too small
// for a batch, it is enlarged, and the batch is computed again.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.cuh"
#include "cutoff_image.h"
#include "cutoff_kernels.h"
#include "cutoff_sum.h"
#include "lattice_plan.h"
#include "memory.h"
#include "potential_device.h"

enum { BYTES_OF_IMAGE = sizeof(float4) + sizeof(cuda_cutoff_place) + sizeof(float2) + sizeof(cuda_cutoff_exact) };

struct cutoff {
    const struct pot_job *job;
    struct pot_kernel kernel;        // in host memory
    struct cuda_memory image_memory; // of the images
    cuda_cutoff_images images;
    unsigned long long *host_found; // [3]
    bool started;                   // `found` is set to 0 before the first frame of a batch
    struct tile_lattice_plan plan;  // only its constants are used
    cuda_cutoff_args args;          // what is the same for all frames
};

static void close_cutoff(void *state) {
    struct cutoff *c = state;
    if (!c) return;
    cuda_memory_free(&c->image_memory);
    tile_lattice_plan_free(&c->plan);
    pot_kernel_close(&c->kernel);
    free(c);
}

static int upload_table(struct cutoff *c, struct cuda_memory *m, struct trj_error *err) {
    struct pot_kernel *to = &c->args.kernel;
    const struct pot_kernel *from = &c->kernel;
    const struct cuda_array arrays[] = {
        CUDA_ARRAY_COPY(to->r, from->rows, "the table on the GPU", from->r),
        CUDA_ARRAY_COPY(to->f, from->rows, "the table on the GPU", from->f),
        CUDA_ARRAY_COPY(to->slope, from->rows, "the table on the GPU", from->slope),
        CUDA_ARRAY_COPY(to->cubics.c, from->cubics.count, "the table on the GPU", from->cubics.c),
    };
    return from->rows ? cuda_memory_alloc_all(m, arrays, from->cubics.count ? 4 : 3, err) : 0;
}

static int alloc_memory(struct cutoff *c, struct cuda_memory *m, struct trj_error *err) {
    const struct pot_job *job = c->job;
    cuda_cutoff_images *r = &c->images;
    cuda_memory_join(&c->image_memory, m);
    if (upload_table(c, m, err)) return -1;
    if (job->point_count)
        return cuda_memory_alloc_copy(m, &c->args.point, job->point, job->point_count * sizeof *job->point,
                                      "points on the GPU", err);
    size_t cells = job->atoms + 64; // as tile_lattice_plan_start
    if (cuda_cutoff_shape(&c->args, err) || cuda_cutoff_scratch(cells, &r->scratch_bytes, err)) return -1;
    const struct cuda_array arrays[] = {
        CUDA_ARRAY(r->first, cells + 1, "grid cells on the GPU"),
        CUDA_ARRAY(r->next, cells + 1, "grid cells on the GPU"),
        CUDA_ARRAY_BYTES(r->scratch, r->scratch_bytes, "grid cells on the GPU"),
        CUDA_ARRAY(r->found, 3, "images of atoms on the GPU"),
        CUDA_ARRAY_HOST(c->host_found, 3),
    };
    if (CUDA_ALLOC(m, arrays, err)) return -1;
    memset(c->host_found, 0, 3 * sizeof *c->host_found);
    return 0;
}

static int open_cutoff(void **state, const struct pot_job *job, struct cuda_memory *memory, struct trj_error *err) {
    struct cutoff *c = trj_alloc(1, sizeof *c, "a method", err);
    if (!c) return -1;
    c->job = job;
    if (pot_kernel_open(&c->kernel, job, err)) goto out;
    c->args.kernel = c->kernel;
    memcpy(c->args.parameter, job->parameter, sizeof c->args.parameter);
    c->args.max_charge = job->max_charge;
    c->args.quantum = job->quantum;
    c->args.lowest = pot_cutoff_lowest(job->quantum);
    c->args.error_scale = 0x1p10 / job->quantum;
    if (alloc_memory(c, memory, err)) goto out;
    *state = c;
    return 0;
out:
    close_cutoff(c);
    return -1;
}

// ---- images

static int alloc_images(struct cutoff *c, unsigned long long capacity, struct trj_error *err) {
    struct cuda_memory *m = &c->image_memory;
    cuda_cutoff_images *r = &c->images;
    const char *what = "images of atoms on the GPU";
    const struct cuda_array arrays[] = {
        CUDA_ARRAY(r->rough, capacity, what),
        CUDA_ARRAY(r->place, capacity, what),
        CUDA_ARRAY(r->numbers, capacity, what),
        CUDA_ARRAY(r->exact, capacity, what),
    };
    if (capacity > UINT32_MAX) return trj_fail(err, TRJ_NO_ENGINE, "more than 2^32 images of atoms reach the lattice");
    cuda_memory_empty(m);
    r->capacity = 0;
    if (CUDA_ALLOC(m, arrays, err)) {
        if (m->full)
            trj_error_append(err, ": %.3g GiB for %llu images; use a shorter cutoff or -e cpu",
                             (double)capacity * BYTES_OF_IMAGE / 0x1p30, capacity);
        return -1;
    }
    r->capacity = capacity;
    return 0;
}

// ---- frames

static int set_plan(struct cutoff *c, const struct cuda_potential_frame *f, cuda_cutoff_args *a, double *expected,
                    struct trj_error *err) {
    float reach[1][3];
    pot_cutoff_constants_set(&a->constants, c->job, &c->kernel, &f->lattice, reach[0]);
    a->constants.vectors.cubic = (const float(*)[4])a->kernel.cubics.c;
    for (int k = 0; k < 3; k++)
        if (!(reach[0][k] <= TILE_LATTICE_REACH_MAX))
            return trj_fail(err, TRJ_BAD_DATA, "the cutoff reaches %g points along axis %d", (double)reach[0][k], k);
    const struct trj_frame view = {.unit = 1, .cell = f->cell, .atoms = f->count};
    const struct tile_lattice_atoms atoms = {
        .frame = &view, .count = f->count, .kinds = 1, .reach = (const float(*)[3])reach, .numbered = true};
    if (tile_lattice_plan_start(&c->plan, &f->lattice, &atoms, 1, err)) return -1;
    cuda_lattice_plan_set(&a->plan, &c->plan);
    *expected = tile_lattice_plan_expected(&c->plan); // the plan refers to `atoms`
    // The rounding errors of `rough` and of its differences are at most 2^-23 of the largest coordinate.
    double farthest = 2;
    for (int k = 0; k < 3; k++) {
        double max = 0;
        for (int v = 0; v < 3; v++)
            max += fabs(a->constants.step[v][k]) * ((double)f->lattice.n[v] + (double)reach[0][v] + POT_BLOCK);
        farthest = fmax(farthest, max);
    }
    double limit = sqrt(a->constants.outer) + 8 * 0x1p-23 * farthest;
    a->rough_limit = (float)(limit * limit * (1 + 1e-6));
    return 0;
}

static int add_lattice(struct cutoff *c, const struct cuda_potential_frame *f, const struct cuda_potential_range *range,
                       cuda_cutoff_args *a, cudaStream_t stream, struct trj_error *err) {
    double expected, max = 4 * (double)c->job->atoms;
    if (set_plan(c, f, a, &expected, err)) return -1;
    a->first_plane = (unsigned)range->first;
    a->end_plane = (unsigned)range->end;
    if (!c->images.capacity && alloc_images(c, (unsigned long long)(1.05 * fmin(expected, max)) + 1024, err)) return -1;
    if (!c->started) CUDA_CHECK(cudaMemsetAsync(c->images.found, 0, 3 * sizeof *c->images.found, stream));
    c->started = true;
    if (cuda_cutoff_add(a, &c->images, stream, err)) return -1;
    CUDA_CHECK(
        cudaMemcpyAsync(c->host_found, c->images.found, 3 * sizeof *c->host_found, cudaMemcpyDeviceToHost, stream));
    return 0;
}

static int add(void *state, const struct cuda_potential_frame *f, const struct cuda_potential_range *range,
               unsigned long long *values, unsigned *flags, cudaStream_t stream, struct trj_error *err) {
    struct cutoff *c = state;
    cuda_cutoff_args a = c->args;
    for (int k = 0; k < 3; k++) a.position[k] = f->position[k];
    a.charge = f->charge;
    a.radius = f->radius;
    a.epsilon = f->epsilon;
    a.count = f->count;
    a.periodic = f->cell.periodic;
    a.values = values - range->first_value; // so that kernels use the number of a point in the lattice
    a.failed = &flags[CUDA_POTENTIAL_BY_CPU];
    memcpy(a.step, f->lattice.step, sizeof a.step);
    if (!f->count) return 0;
    // The magic numbers of all classes must be normal float32 numbers.
    if (a.lowest < -120 || a.lowest + POT_CUTOFF_CLASSES > 120)
        return trj_fail(err, TRJ_BAD_DATA, "the values of the table are too large or too small for a GPU");
    if (!c->job->point_count) return add_lattice(c, f, range, &a, stream, err);
    trj_cell_reciprocal(&f->cell, a.plan.fraction);
    memcpy(a.plan.h, f->cell.h, sizeof a.plan.h);
    a.first_point = range->first;
    a.end_point = range->end;
    return cuda_cutoff_add_points(&a, stream, err);
}

static int end(void *state, bool *again, double *error, struct trj_error *err) {
    struct cutoff *c = state;
    *again = false;
    *error = 0;
    c->started = false;
    if (c->job->point_count) return 0;
    unsigned long long found = c->host_found[0];
    if (found > c->images.capacity) {
        *again = true;
        return alloc_images(c, found + found / 8, err);
    }
    if (c->job->kernel != POT_KERNEL_COUNT) memcpy(error, &c->host_found[2], sizeof *error);
    return 0;
}

const struct cuda_potential_method cuda_potential_cutoff = {
    .cpu = &pot_cutoff_cpu, .multiple = POT_BLOCK, .open = open_cutoff, .add = add, .end = end, .close = close_cutoff};
