// SPDX-License-Identifier: MIT
// Adds the charges to the mesh on a GPU, for the methods pme and fast.
#include <math.h>
#include <stdlib.h>

#include "charge_mesh.h"
#include "memory.h"
#include "mesh_bricks.h"
#include "mesh_kernels.h"
#include "potential_device.h"

// Limit of the sums of one frame, in quanta, above which the engine cpu computes it; such frames are rare.
#define FRAME_LIMIT 0x1p61

struct mesh {
    cuda_mesh_args args; // those that do not depend on the frame are set
};

static void close_mesh(void *state) {
    free(state);
}

// Returns the largest number of charges in a brick for which no sum can exceed the limit: charges of at most 27 bricks
// contribute to a point.
static uint32_t max_charges(double largest) {
    return (uint32_t)fmin(FRAME_LIMIT / (27 * largest), UINT32_MAX);
}

static int alloc(struct mesh *m, size_t atoms, struct cuda_memory *memory, struct trj_error *err) {
    cuda_mesh_args *a = &m->args;
    const char *what = "charges on the GPU";
    double bricks = (double)a->bricks[0] * a->bricks[1] * a->bricks[2];
    if (atoms > UINT32_MAX / 2 || bricks > INT32_MAX)
        return cuda_memory_fail(memory, bricks + (double)atoms, what, err);
    size_t items = (size_t)bricks + atoms / CUDA_MESH_ITEM;
    const struct cuda_array arrays[] = {
        CUDA_ARRAY(a->brick, atoms, what),          CUDA_ARRAY(a->rank, atoms, what), CUDA_ARRAY(a->order, atoms, what),
        CUDA_ARRAY(a->begin, (size_t)bricks, what), CUDA_ARRAY(a->item, items, what), CUDA_ARRAY(a->items, 1, what),
    };
    return CUDA_ALLOC(memory, arrays, err);
}

static int open_mesh(void **state, const struct pot_job *job, struct cuda_memory *memory, struct trj_error *err) {
    struct mesh *m = trj_alloc(1, sizeof *m, "a mesh", err);
    if (!m) return -1;
    cuda_mesh_args *a = &m->args;
    int rc = pot_mesh_spline_set(&a->spline, job->lattice.n, job->order, job->max_charge, job->quantum, err);
    for (int k = 0; k < 3 && !rc; k++) {
        a->n[k] = (uint32_t)job->lattice.n[k];
        a->bricks[k] = cuda_mesh_bricks(job->lattice.n[k]);
    }
    a->max_charge = job->max_charge;
    a->max_charges = rc ? 0 : max_charges(a->spline.largest);
    if (rc || alloc(m, job->atoms, memory, err)) {
        close_mesh(m);
        return -1;
    }
    *state = m;
    return 0;
}

static int add(void *state, const struct cuda_potential_frame *f, const struct cuda_potential_range *range,
               unsigned long long *values, unsigned *flags, cudaStream_t stream, struct trj_error *err) {
    struct mesh *m = state;
    cuda_mesh_args *a = &m->args;
    (void)range; // frames are not divided
    pot_mesh_places_set(&a->places, &f->lattice);
    for (int k = 0; k < 3; k++) a->position[k] = f->position[k];
    a->charge = f->charge;
    a->count = f->count;
    a->values = values;
    a->failed = &flags[CUDA_POTENTIAL_BY_CPU];
    return cuda_mesh_add(a, stream, err);
}

const struct cuda_potential_method cuda_potential_mesh = {
    .cpu = &pot_mesh_cpu, .multiple = 0, .open = open_mesh, .add = add, .close = close_mesh};
