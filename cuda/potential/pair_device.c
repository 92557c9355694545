// SPDX-License-Identifier: MIT
// The methods direct and mdh on a GPU. The values and their error bound are those of the engine cpu.
#include <math.h>
#include <stdlib.h>

#include "charges.h"
#include "check.cuh"
#include "frame_kernels.h"
#include "group.h"
#include "memory.h"
#include "pair_kernels.h"
#include "pair_sum.h"
#include "potential_device.h"

// Kernels with more pairs of a charge and a point are launched in parts, because a GPU that drives a display stops
// kernels that run for seconds. Rates are 1e11 to 2e12 pairs per second.
#define MAX_PAIRS 2e11
// Limit of the sums of one frame, in quanta, above which the engine cpu computes it; such frames are rare.
#define FRAME_LIMIT 0x1p61

enum {
    PLANES = 8,         // of most blocks (pair_blocks.h)
    MIN_CHARGES = 4096, // of a launch
};

struct pair {
    const struct pot_job *job;
    struct pot_pair pair;
    struct pot_blocks blocks;
    double *host_charge;      // [job->group->count] pot_pair_charge
    double largest;           // magnitude of all charges
    double *charge, *members; // [job->group->count] of the group, of the members of a dynamic group
    double (*point)[3];       // [job->point_count]
    unsigned *counts;         // [blocks.count][POT_CLASSES]
    double *error;            // largest bound of a frame
    double *host_error;
};

static void close_pair(void *state) {
    struct pair *p = state;
    if (!p) return;
    free(p->host_charge);
    free(p);
}

static int set_charges(struct pair *p, struct trj_error *err) {
    const struct pot_charges *c = p->job->charges;
    size_t n = p->job->group->count;
    p->host_charge = trj_alloc(n ? n : 1, sizeof *p->host_charge, "charges", err);
    for (size_t i = 0; p->host_charge && i < n; i++) {
        p->host_charge[i] = pot_pair_charge(&p->pair, c->charge[i], c->radius ? c->radius[i] : 0);
        p->largest = fmax(p->largest, fabs(p->host_charge[i]));
    }
    return p->host_charge ? 0 : -1;
}

static int alloc_memory(struct pair *p, struct cuda_memory *m, struct trj_error *err) {
    const struct pot_job *job = p->job;
    size_t charges = job->group->count;
    const struct cuda_array arrays[] = {
        CUDA_ARRAY_COPY(p->charge, charges, "charges on the GPU", p->host_charge),
        CUDA_ARRAY(p->members, job->group->dynamic ? charges : 0, "charges on the GPU"),
        CUDA_ARRAY(p->counts, p->blocks.count * POT_CLASSES, "counts on the GPU"),
        CUDA_ARRAY(p->error, 1, "the error on the GPU"),
        CUDA_ARRAY_HOST(p->host_error, 1),
        CUDA_ARRAY_COPY(p->point, job->point_count, "points on the GPU", job->point), // unless there is a lattice
    };
    size_t count = sizeof arrays / sizeof *arrays;
    if (cuda_memory_alloc_all(m, arrays, job->point_count ? count : count - 1, err)) return -1;
    *p->host_error = 0;
    CUDA_CHECK(cudaMemset(p->error, 0, sizeof *p->error));
    return 0;
}

static int open_pair(void **state, const struct pot_job *job, struct cuda_memory *memory, struct trj_error *err) {
    struct pair *p = trj_alloc(1, sizeof *p, "a method", err);
    if (!p) return -1;
    p->job = job;
    pot_pair_set(&p->pair, job);
    pot_blocks_set(&p->blocks, job, &job->lattice);
    if (set_charges(p, err) || alloc_memory(p, memory, err)) {
        close_pair(p);
        return -1;
    }
    *state = p;
    return 0;
}

// Enqueues the contributions of all charges to some points, in parts of the charges.
static int add_charges(const cuda_pair_args *all, unsigned part, cudaStream_t stream, struct trj_error *err) {
    cuda_pair_args a = *all;
    unsigned parts = all->charges / part + 1;
    a.limit = FRAME_LIMIT / parts;
    for (unsigned i = 0; i < all->charges; i += a.charges) {
        for (int k = 0; k < 3; k++) a.position[k] = all->position[k] + i;
        a.charge = all->charge + i;
        a.charges = all->charges - i < part ? all->charges - i : part;
        if (cuda_pair_add(&a, stream, err)) return -1;
    }
    return 0;
}

static int add_range(const struct pair *p, const struct cuda_potential_range *range, const cuda_pair_args *all,
                     cudaStream_t stream, struct trj_error *err) {
    const uint64_t *n = p->job->lattice.n;
    double plane = p->job->point_count ? 1 : (double)n[0] * (double)n[1], planes = (double)(range->end - range->first);
    double part = fmin(fmax(MAX_PAIRS / (plane * planes), MIN_CHARGES), 0x1p31);
    // Planes of a launch, as whole blocks.
    double max = fmax(floor(MAX_PAIRS / (plane * MIN_CHARGES) / PLANES), 1) * PLANES;
    size_t step = (size_t)fmin(max, planes);
    cuda_pair_args a = *all;
    for (size_t i = range->first; i < range->end; i = a.end) {
        a.first = i;
        a.end = range->end - i < step ? range->end : i + step;
        if (add_charges(&a, (unsigned)part, stream, err)) return -1;
    }
    return 0;
}

static double largest_charge(const struct pair *p, const struct cuda_potential_frame *f) {
    double largest = 0;
    if (!f->host_place) return p->largest;
    for (unsigned i = 0; i < f->count; i++) largest = fmax(largest, fabs(p->host_charge[f->host_place[i]]));
    return largest;
}

static int add_error(const struct pair *p, const struct cuda_potential_frame *f, cudaStream_t stream,
                     struct trj_error *err) {
    cuda_pair_error e = {.pair = p->pair, .counts = p->counts, .blocks = p->blocks.count, .error = p->error};
    pot_pair_error_terms(&p->pair, largest_charge(p, f), e.term);
    if (cuda_pair_find_error(&e, stream, err)) return -1;
    CUDA_CHECK(cudaMemcpyAsync(p->host_error, p->error, sizeof *p->error, cudaMemcpyDeviceToHost, stream));
    return 0;
}

static int add(void *state, const struct cuda_potential_frame *f, const struct cuda_potential_range *range,
               unsigned long long *values, unsigned *flags, cudaStream_t stream, struct trj_error *err) {
    struct pair *p = state;
    pot_blocks_set(&p->blocks, p->job, &f->lattice);
    cuda_pair_args a = {.pair = p->pair,
                        .blocks = p->blocks,
                        .exact = p->job->exact,
                        .position = {f->position[0], f->position[1], f->position[2]},
                        .charge = f->place ? p->members : p->charge,
                        .charges = f->count,
                        .counts = p->counts};
    for (int i = 0; i < p->blocks.regions; i++)
        pot_group_shape_set(&a.shape[i], &p->pair, &f->lattice, &p->blocks.region[i]);
    a.values = values - range->first_value; // so that kernels use the number of a point in the lattice
    a.failed = &flags[CUDA_POTENTIAL_BY_CPU];
    if (p->point) a.blocks.point = (const double(*)[3])p->point;
    if (!f->count) return 0;
    if (f->place && cuda_frame_gather_values(p->charge, f->place, f->count, p->members, stream, err)) return -1;
    CUDA_CHECK(cudaMemsetAsync(p->counts, 0, p->blocks.count * POT_CLASSES * sizeof *p->counts, stream));
    return add_range(p, range, &a, stream, err) || add_error(p, f, stream, err) ? -1 : 0;
}

// The bound is that of all frames since the state was opened, because the result is the bound of all batches.
static int end(void *state, bool *again, double *error, struct trj_error *err) {
    (void)err;
    *again = false;
    *error = *((const struct pair *)state)->host_error;
    return 0;
}

const struct cuda_potential_method cuda_potential_pair = {
    .cpu = &pot_direct_cpu, .multiple = PLANES, .open = open_pair, .add = add, .end = end, .close = close_pair};
