// SPDX-License-Identifier: MIT
// Constants with which kernels find the records of lib/tile/lattice_plan.h, and sort them by grid cells.
#ifndef CUDA_LATTICE_IMAGES_H
#define CUDA_LATTICE_IMAGES_H

struct tile_lattice_plan;

#ifdef __cplusplus
extern "C" {
#endif

// Members of struct tile_lattice_plan that describe a lattice in a cell.
typedef struct cuda_lattice_plan {
    int n[3], farthest[3];
    unsigned wrapped, images;
    int aligned;
    double origin[3], g[3][3], step[3], border[3], shift[3][3], fraction[3][3], low[3], high[3];
    double h[3][3]; // vectors of the cell
    unsigned shift_of_cell, cells[3];
} cuda_lattice_plan;

// Sets *to from a plan after tile_lattice_plan_start.
void cuda_lattice_plan_set(cuda_lattice_plan *to, const struct tile_lattice_plan *p);

#ifdef __cplusplus
}
#endif
#endif
