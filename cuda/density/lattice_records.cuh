// SPDX-License-Identifier: MIT
// The records of an atom with its kind, for densities (lattice_images.cuh).
#ifndef CUDA_LATTICE_RECORDS_CUH
#define CUDA_LATTICE_RECORDS_CUH

#include "density.h"
#include "lattice_images.cuh"

// Returns the number of the grid cell of the point of a record.
static __device__ unsigned cell_of(const cuda_lattice_plan &p, int4 point) {
    const int index[3] = {point.x, point.y, point.z};
    return cell_of(p, index);
}

// Calls `take` with each record of an atom.
template <typename Take> static __device__ void for_records(const cuda_density_args &a, unsigned i, Take take) {
    unsigned atom = a.list[i], kind = a.kind_of[i];
    double x[3];
    int far[3];
    for (int k = 0; k < 3; k++) {
        x[k] = (double)a.x[k * a.x_capacity + atom] * a.unit;
        far[k] = (int)((double)a.kind[kind].reach[k] + 0.5);
    }
    for_images(a.plan, x, far, [&](const int point[3], const float offset[3]) {
        take(make_int4(point[0], point[1], point[2], (int)kind),
             make_float4(offset[0], offset[1], offset[2], a.amplitude ? a.amplitude[i] : 0.0f));
    });
}

#endif
