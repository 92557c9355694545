// SPDX-License-Identifier: MIT
// Host interface of the kernels of ligand maps, which compute the sums that lib/ligand/ligand_job.h and ligand_kernel.h
// define, byte for byte. All pointers are to device memory.
//
// The order in which atoms are added is part of the definition, so the records of a frame are sorted as in
// lib/tile/lattice_plan.h: counted, scanned and written to their grid cells by one thread for each atom, and then
// ranked within their grid cells. Thread blocks take parts of large blocks of points in turn. For each one, a thread
// block lists its atoms, divides them for each small block, excludes the orientations that overlap with near atoms, and
// computes the energies of the others. Lists are in memory that belongs to the thread block.
#ifndef CUDA_LIGAND_KERNELS_H
#define CUDA_LIGAND_KERNELS_H

#include <cuda_runtime_api.h>
#include <stddef.h>
#include <stdint.h>

#include "density.h"
#include "ligand_blocks.h"
#include "ligand_kernel.h"

struct trj_error;

#ifdef __cplusplus
extern "C" {
#endif

enum { CUDA_LIGAND_FOUND = 4 };

typedef struct cuda_ligand_pair {
    float c12, minus_c6;
} cuda_ligand_pair;

typedef struct cuda_ligand_memory {
    // Records: first in any order, then sorted.
    int4 *point, *sorted_point;     // [capacity] nearest point, number of the atom in the list
    float4 *offset, *sorted_offset; // [capacity]
    unsigned *image;                // [capacity] number among the records of its atom
    unsigned long long capacity;
    unsigned *first, *next; // [cells + 1] each
    void *scratch;          // [scratch_bytes] for the scan
    size_t scratch_bytes;
    // Largest number of records of a frame since it was set to 0; that of this frame; largest number of atoms near a
    // block since it was set to 0; number of parts that have been taken.
    unsigned long long *found; // [CUDA_LIGAND_FOUND]
    // Lists of each thread block:
    unsigned blocks, near_capacity; // thread blocks; atoms, at most
    float4 *all;                    // [blocks][near_capacity] position relative to the first point of the block, number
    float4 *atom;                   // [blocks][near_capacity] near ones, then far ones: position, charge
    cuda_ligand_pair *pair;         // [blocks][types][near_capacity]
    float *hit2;                    // [blocks][near_capacity] of near atoms
} cuda_ligand_memory;

typedef struct cuda_ligand_args {
    cuda_density_args records; // x, x_capacity, unit, list, count, kind_of (all 0), kind, plan, and step as the lattice
    const uint16_t *kind;      // [count]
    const float *charge;       // [count]
    const cuda_ligand_pair *pair; // [kinds][types]
    const float *hit2;            // [kinds]
    unsigned types, sites, orientations;
    struct lig_kernel_site site[LIG_SITES_MAX];
    const float *position; // [orientations][sites][3]
    float cutoff2, cap, k, c;
    double near, far, reach; // Å: of near and far atoms from the centre of a point block of size 0; as lig_frame_reach
    double share, quanta;    // 1 / orientations; quanta in 1
    double factor;           // of the correction for the cutoff
    struct lig_blocks blocks;
    // Result: the planes [plane, plane + planes) of the lattice.
    int64_t plane, planes;
    long long *map; // [planes][n[1]][n[0]] sums in quanta, to which the frame is added
} cuda_ligand_args;

// Fails if the current device does not round reciprocals and square roots as the engine cpu does. Sets *blocks to the
// number of thread blocks that it runs at once.
int cuda_ligand_check(unsigned *blocks, struct trj_error *err);
// Sets *bytes to the size of `scratch` for a number of grid cells.
int cuda_ligand_scratch(size_t cells, size_t *bytes, struct trj_error *err);
// Enqueues one frame, which has atoms. If it has more records than m->capacity, or more atoms near a block than
// m->near_capacity, found[0] or found[2] becomes their number, and the map is invalid.
int cuda_ligand_launch(const cuda_ligand_args *args, const cuda_ligand_memory *m, cudaStream_t stream,
                       struct trj_error *err);
// Enqueues a frame without atoms: the factor is 1 at all points.
int cuda_ligand_launch_vacuum(const cuda_ligand_args *args, cudaStream_t stream, struct trj_error *err);

#ifdef __cplusplus
}
#endif
#endif
