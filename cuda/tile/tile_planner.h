// SPDX-License-Identifier: MIT
// Makes the order, tiles and boxes of many frames on the device, as lib/tile/tiles.h does for one frame on the host.
//
// A set is a group of one frame, or a part of the group. Its atoms are sorted (columns.h) and cut into tiles of 64
// places; places after its last atom are empty. Boxes have three levels: those of tiles, of 32 tiles, and of 32 boxes
// of level 1. All sets share one array for each quantity, one set after the other. All pointers are to device memory.
#ifndef CUDA_TILE_PLANNER_H
#define CUDA_TILE_PLANNER_H

#include <cuda_runtime_api.h>
#include <stddef.h>
#include <stdint.h>

#include "columns.h"

struct trj_error;

#ifdef __cplusplus
extern "C" {
#endif

enum {
    CUDA_TILE = 64,
    CUDA_PATCH = 8,     // atoms of a tile with a box of their own
    CUDA_CHILDREN = 32, // boxes below a box of the next level
    CUDA_LEVELS = 3,
};
#define CUDA_NO_ATOM  0xffffffffu
#define CUDA_FAR_AWAY 0x1p228 // square in local64 of empty places: 2^50 bins from all atoms

typedef struct cuda_frame {
    float *x; // [3][capacity]
    size_t capacity;
    double unit, h[3][3], g[3][3];
    double rounding,
        rounding_each; // bound on the error of float64, Å: the larger of `rounding` and rounding_each * farthest
} cuda_frame;

typedef struct cuda_set {
    unsigned frame, group, part;
    unsigned atoms;
    const uint32_t *list;                            // [atoms] numbers in the frame
    unsigned first[CUDA_LEVELS], boxes[CUDA_LEVELS]; // in the arrays of boxes; level 0: tiles
} cuda_set;

// Measured quantities of a set: doubles as ordered unsigned integers, for atomicMax; zero at first.
typedef struct cuda_bounds {
    unsigned long long low[3], high[3], farthest;
    unsigned long long order; // digest of the order: of the atom at each place
} cuda_bounds;

typedef struct cuda_plan {
    const cuda_frame *frames;
    const cuda_set *sets;
    const unsigned *set_of_tile;  // [tiles]
    unsigned set_count, tiles;    // of all sets
    cuda_bounds *bounds;          // [sets]
    struct cuda_columns *columns; // [sets]
    uint32_t *atom;               // [places] or CUDA_NO_ATOM
    int *wrap;                    // [places][3] lattice vector added: wrapped position = x + wrap . H; empty places: 0
    // One of the two is set:
    float4 *local32; // [places] position relative to the tile's centre, times `scale`; w: unused
    double *local64; // [places][4] the same, and its square
    double scale;
    double *centre[CUDA_LEVELS], *half[CUDA_LEVELS]; // [boxes][3]: |at - centre| <= half by component, Å
    double *radius;                                  // [tiles]
    float4 *patch; // [places / 8][2] centre relative to that of the tile, half; half < 0: empty
} cuda_plan;

// Scratch memory of the sort.
typedef struct cuda_sorter {
    uint32_t *keys[2], *atom; // [places] each
    void *scratch;
    size_t scratch_bytes;
} cuda_sorter;

// Sets *bytes to the size of `scratch` for a number of places.
int cuda_plan_scratch(unsigned places, size_t *bytes, struct trj_error *err);
// Enqueues the planning of all sets, whose coordinates are on the device. No set has more than max_atoms atoms.
int cuda_plan_launch(const cuda_plan *plan, const cuda_sorter *sorter, unsigned max_atoms, cudaStream_t stream,
                     struct trj_error *err);

#ifdef __cplusplus
}
#endif
#endif
