// SPDX-License-Identifier: MIT
// Finds the images of atoms that reach a lattice, and sorts them by grid cells.
#ifndef CUDA_CUTOFF_RECORDS_CUH
#define CUDA_CUTOFF_RECORDS_CUH

#include "cutoff_kernels.h"
#include "lattice_images.cuh"
extern "C" {
#include "cutoff_image.h"
}

enum { RECORD_THREADS = 256 };

// Sets the numbers of an atom. Returns false if the engine cpu would reject it.
static __device__ bool take_atom(const cuda_cutoff_args &c, unsigned i, double x[3], double *a, double *b) {
    const enum pot_kernel_kind kind = c.kernel.kind;
    const double charge = pot_kernel_of_charge(kind) ? c.charge[i] : 0;
    double radius = 0, epsilon = 0;
    bool valid = fabs(charge) <= c.max_charge;
    for (int k = 0; k < 3; k++) {
        x[k] = c.position[k][i];
        valid = valid && fabs(x[k]) <= TRJ_FARTHEST;
    }
    if (kind == POT_KERNEL_LJ) {
        radius = c.radius[i];
        epsilon = c.epsilon[i];
        valid = valid && radius >= 0 && radius <= TRJ_FARTHEST && epsilon >= 0 && epsilon <= POT_MAX_EPSILON;
    }
    pot_kernel_numbers(kind, c.parameter, charge, radius, epsilon, a, b);
    return valid;
}

static __global__ void count_records(const __grid_constant__ cuda_cutoff_args c, cuda_cutoff_images r) {
    const unsigned i = blockIdx.x * RECORD_THREADS + threadIdx.x;
    unsigned long long found = 0;
    if (i < c.count) {
        double x[3], a, b;
        if (!take_atom(c, i, x, &a, &b))
            *c.failed = 1;
        else
            for_images(c.plan, x, c.plan.farthest, [&](const int point[3], const float[3]) {
                atomicAdd(&r.next[cell_of(c.plan, point)], 1u);
                found++;
            });
    }
    for (int step = 16; step; step /= 2) found += __shfl_xor_sync(0xffffffffu, found, step);
    if (threadIdx.x % 32 == 0 && found) atomicAdd(&r.found[1], found);
}

// Updates the largest number of images, found[0], and resets that of the current frame.
static __global__ void keep_max(unsigned long long *found) {
    if (found[1] > found[0]) found[0] = found[1];
    found[1] = 0;
}

// Computes the position of the image of an atom at x that a record describes, as lib/potential/cutoff_images.c.
static __device__ void image_position(const cuda_cutoff_args &c, const double x[3], const int point[3],
                                      const float offset[3], double y[3]) {
    const cuda_lattice_plan &p = c.plan;
    double index[3], shift[3], n[3] = {0, 0, 0};
    for (int k = 0; k < 3; k++) index[k] = (double)point[k] + (double)offset[k];
    for (int k = 0; k < 3; k++)
        shift[k] = p.origin[k] + index[0] * c.step[0][k] + index[1] * c.step[1][k] + index[2] * c.step[2][k];
    for (int k = 0; k < 3; k++) shift[k] -= x[k];
    for (int v = 0; v < 3; v++)
        if (c.periodic >> v & 1)
            n[v] =
                floor((p.fraction[v][0] * shift[0] + p.fraction[v][1] * shift[1]) + p.fraction[v][2] * shift[2] + 0.5);
    for (int k = 0; k < 3; k++) y[k] = x[k] + ((n[0] * p.h[0][k] + n[1] * p.h[1][k]) + n[2] * p.h[2][k]);
}

static __global__ void place_records(const __grid_constant__ cuda_cutoff_args c, cuda_cutoff_images r) {
    const unsigned i = blockIdx.x * RECORD_THREADS + threadIdx.x;
    double x[3], a, b;
    if (i >= c.count || r.found[0] > r.capacity || !take_atom(c, i, x, &a, &b)) return;
    struct pot_cutoff_image image;
    pot_cutoff_image_make(&image, &c.kernel, &c.constants, i, a, b);
    for_images(c.plan, x, c.plan.farthest, [&](const int point[3], const float offset[3]) {
        const unsigned to = atomicAdd(&r.next[cell_of(c.plan, point)], 1u);
        struct cuda_cutoff_exact exact;
        struct cuda_cutoff_place place;
        double from[3];
        image_position(c, x, point, offset, exact.y);
        for (int k = 0; k < 3; k++) from[k] = exact.y[k] - c.plan.origin[k];
        for (int k = 0; k < 3; k++) {
            const double *axis = c.constants.axes[k];
            place.r[k] = (axis[0] * from[0] + axis[1] * from[1]) + axis[2] * from[2];
        }
        exact.a = a;
        exact.b = b;
        place.strength = image.strength;
        r.exact[to] = exact;
        r.place[to] = place;
        r.numbers[to] = make_float2(image.a, image.b);
        r.rough[to] = make_float4((float)place.r[0], (float)place.r[1], (float)place.r[2], image.near);
    });
}

#endif
