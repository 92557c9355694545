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
    CUDA_RELEASE(cudaFreeHost(c->host_found));
    cuda_memory_free(&c->image_memory);
    tile_lattice_plan_free(&c->plan);
    pot_kernel_close(&c->kernel);
    free(c);
}

static int upload_table(struct cutoff *c, struct cuda_memory *m, struct trj_error *err) {
    struct pot_kernel *to = &c->args.kernel;
    const struct pot_kernel *from = &c->kernel;
    size_t bytes = from->rows * sizeof *from->r;
    if (!from->rows) return 0;
    if (cuda_memory_take_copy(m, &to->r, from->r, bytes, "the table on the GPU", err) ||
        cuda_memory_take_copy(m, &to->f, from->f, bytes, "the table on the GPU", err) ||
        cuda_memory_take_copy(m, &to->slope, from->slope, bytes, "the table on the GPU", err))
        return -1;
    return from->cubics.count
               ? cuda_memory_take_copy(m, &to->cubics.c, from->cubics.c, from->cubics.count * sizeof *from->cubics.c,
                                       "the table on the GPU", err)
               : 0;
}

static int take_memory(struct cutoff *c, struct cuda_memory *m, struct trj_error *err) {
    const struct pot_job *job = c->job;
    cuda_cutoff_images *r = &c->images;
    if (upload_table(c, m, err)) return -1;
    if (job->point_count)
        return cuda_memory_take_copy(m, &c->args.point, job->point, job->point_count * sizeof *job->point,
                                     "points on the GPU", err);
    size_t cells = job->atoms + 64; // as tile_lattice_plan_start
    if (cuda_cutoff_shape(&c->args, err) || cuda_cutoff_scratch(cells, &r->scratch_bytes, err) ||
        cuda_memory_take(m, &r->first, (cells + 1) * sizeof *r->first, "grid cells on the GPU", err) ||
        cuda_memory_take(m, &r->next, (cells + 1) * sizeof *r->next, "grid cells on the GPU", err) ||
        cuda_memory_take(m, &r->scratch, r->scratch_bytes, "grid cells on the GPU", err) ||
        cuda_memory_take(m, &r->found, 3 * sizeof *r->found, "images of atoms on the GPU", err))
        return -1;
    CUDA_CHECK(cudaMallocHost((void **)&c->host_found, 3 * sizeof *c->host_found));
    memset(c->host_found, 0, 3 * sizeof *c->host_found);
    return cuda_memory_read_limit(&c->image_memory, err);
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
    if (take_memory(c, memory, err)) goto out;
    *state = c;
    return 0;
out:
    close_cutoff(c);
    return -1;
}

// ---- images

static int take_images(struct cutoff *c, unsigned long long capacity, struct trj_error *err) {
    struct cuda_memory *m = &c->image_memory;
    cuda_cutoff_images *r = &c->images;
    if (capacity > UINT32_MAX) return trj_fail(err, TRJ_FAILED, "more than 2^32 images of atoms reach the lattice");
    cuda_memory_empty(m);
    r->capacity = 0;
    const char *what = "images of atoms on the GPU";
    if (cuda_memory_take(m, &r->rough, capacity * sizeof *r->rough, what, err) ||
        cuda_memory_take(m, &r->place, capacity * sizeof *r->place, what, err) ||
        cuda_memory_take(m, &r->numbers, capacity * sizeof *r->numbers, what, err) ||
        cuda_memory_take(m, &r->exact, capacity * sizeof *r->exact, what, err)) {
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
        double most = 0;
        for (int v = 0; v < 3; v++)
            most += fabs(a->constants.step[v][k]) * ((double)f->lattice.n[v] + (double)reach[0][v] + POT_BLOCK);
        farthest = fmax(farthest, most);
    }
    double limit = sqrt(a->constants.outer) + 8 * 0x1p-23 * farthest;
    a->rough_limit = (float)(limit * limit * (1 + 1e-6));
    return 0;
}

static int add_lattice(struct cutoff *c, const struct cuda_potential_frame *f, const struct cuda_potential_range *range,
                       cuda_cutoff_args *a, cudaStream_t stream, struct trj_error *err) {
    double expected, most = 4 * (double)c->job->atoms;
    if (set_plan(c, f, a, &expected, err)) return -1;
    a->first_plane = (unsigned)range->first;
    a->end_plane = (unsigned)range->end;
    if (!c->images.capacity && take_images(c, (unsigned long long)(1.05 * fmin(expected, most)) + 1024, err)) return -1;
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
    for (int k = 0; k < 3; k++) a.at[k] = f->at[k];
    a.charge = f->charge;
    a.radius = f->radius;
    a.epsilon = f->epsilon;
    a.count = f->count;
    a.periodic = f->cell.periodic;
    a.values = values;
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
        return take_images(c, found + found / 8, err);
    }
    if (c->job->kernel != POT_KERNEL_COUNT) memcpy(error, &c->host_found[2], sizeof *error);
    return 0;
}

const struct cuda_potential_method cuda_potential_cutoff = {.cpu = &pot_cutoff_cpu,
                                                            .multiple = POT_BLOCK,
                                                            .check = cuda_cutoff_check,
                                                            .open = open_cutoff,
                                                            .add = add,
                                                            .end = end,
                                                            .close = close_cutoff};
