// SPDX-License-Identifier: MIT
// Bricks of a mesh, in which GPUs sort charges: a brick has BRICK points along each axis, or fewer at the end of the
// mesh. Its charges change the points of a tile, which is larger by the reach of the spline.
#ifndef CUDA_MESH_BRICKS_H
#define CUDA_MESH_BRICKS_H

#include <stdint.h>

#include "cuda_host_device.h"

enum { CUDA_MESH_BRICK = 8 };

// Returns the number of bricks along an axis of n points.
CUDA_HOST_DEVICE uint32_t cuda_mesh_bricks(uint64_t n) {
    return (uint32_t)((n + CUDA_MESH_BRICK - 1) / CUDA_MESH_BRICK);
}

// Returns the brick of a mesh point.
CUDA_HOST_DEVICE uint32_t cuda_mesh_brick_of(const uint32_t bricks[3], const uint32_t point[3]) {
    return (point[2] / CUDA_MESH_BRICK * bricks[1] + point[1] / CUDA_MESH_BRICK) * bricks[0] +
           point[0] / CUDA_MESH_BRICK;
}

// Sets the first mesh point of a brick.
CUDA_HOST_DEVICE void cuda_mesh_brick_begin(const uint32_t bricks[3], uint32_t brick, uint32_t point[3]) {
    point[0] = brick % bricks[0] * CUDA_MESH_BRICK;
    point[1] = brick / bricks[0] % bricks[1] * CUDA_MESH_BRICK;
    point[2] = brick / bricks[0] / bricks[1] * CUDA_MESH_BRICK;
}

// Returns the mesh point of point i along an axis of the tile, whose brick begins at `begin`, in a periodic mesh of n
// points. The tile begins order / 2 - 1 points before the brick.
CUDA_HOST_DEVICE uint32_t cuda_mesh_tile_point(uint32_t begin, uint32_t i, uint32_t order, uint32_t n) {
    int64_t point = (int64_t)begin + i - (order / 2 - 1);
    while (point < 0) point += n;
    while (point >= n) point -= n;
    return (uint32_t)point;
}

#endif
