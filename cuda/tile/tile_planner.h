// SPDX-License-Identifier: MIT
// Order, tiles and boxes made on the device: what lib/tile/tiles.h makes on the host, for many frames in one go.
//
// A set is a group of one frame (or a part of it): its atoms in order (columns.h), cut into tiles of 64 slots; slots
// behind its last atom are empty. Boxes stand in levels: those of tiles, those of 32 tiles, those of 32 such.
// Everything of all sets lies in common arrays, one set behind the other. All pointers are to device memory.
#ifndef CUDA_PLAN_H
#define CUDA_PLAN_H

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
    CUDA_PATCH = 8, // atoms of a tile that have a small box of their own
    CUDA_FAN = 32,  // boxes that share one of the level above
    CUDA_LEVELS = 3,
};
#define CUDA_NO_ATOM  0xffffffffu
#define CUDA_FAR_AWAY 0x1p228 // the square of local64 that empty slots have: 2^50 bins from everything (float64.cuh)

typedef struct cuda_frame {
    float *x; // [3][room]
    size_t room;
    double unit, h[3][3], g[3][3];
    double rounding,
        rounding_each; // Å that float64 may lose: the larger of the first and the second times the farthest coordinate
} cuda_frame;

typedef struct cuda_set {
    unsigned frame, group, part;
    unsigned atoms;
    const uint32_t *list;                            // [atoms] which ones of the frame
    unsigned first[CUDA_LEVELS], boxes[CUDA_LEVELS]; // places in the arrays of boxes; level 0: tiles
} cuda_set;

// What is measured of a set; unsigned, so that atomics can: zero at first.
typedef struct cuda_bounds {
    unsigned long long low[3], high[3], farthest;
    unsigned long long order; // digest of which atom lies in which slot
} cuda_bounds;

typedef struct cuda_plan {
    const cuda_frame *frames;
    const cuda_set *sets;
    const unsigned *set_of_tile;  // [tiles]
    unsigned set_count, tiles;    // of all sets
    cuda_bounds *bounds;          // [sets]
    struct cuda_columns *columns; // [sets]
    uint32_t *atom;               // [slots] or CUDA_NO_ATOM
    int *wrap;                    // [slots][3] lattice vector added: wrapped position = x + wrap . H
    // One of the two, for the kernel there is (count.h):
    float4 *local32; // [slots] position relative to the tile's centre, times `scale`; w: unused
    double *local64; // [slots][4] the same, and its square
    double scale;
    double *centre[CUDA_LEVELS], *half[CUDA_LEVELS]; // [boxes][3]: |at - centre| <= half by component, Å
    double *radius;                                  // [tiles]
    float4 *patch; // [slots / 8][2] centre relative to the tile's, half; half < 0: empty
} cuda_plan;

// Scratch memory of the sort.
typedef struct cuda_sorter {
    uint32_t *keys[2], *atom; // [slots] each
    void *scratch;
    size_t scratch_bytes;
} cuda_sorter;

int cuda_plan_scratch(unsigned slots, size_t *bytes, struct trj_error *err); // bytes of scratch that slots require
// The coordinates must be on the device. Sets of so many atoms at most.
int cuda_plan_launch(const cuda_plan *plan, const cuda_sorter *sorter, unsigned most_atoms, cudaStream_t stream,
                     struct trj_error *err);

#ifdef __cplusplus
}
#endif
#endif
