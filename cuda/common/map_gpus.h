// SPDX-License-Identifier: MIT
// Functions of engines of maps (lib/work/map_engine.h) that compute the map of a batch on each GPU.
#ifndef CUDA_MAP_GPUS_H
#define CUDA_MAP_GPUS_H

#include "gpu_list.h"
#include "map_engine.h"
#include "map_pool.h"
#include "pool_device.h"

// First member of the state of an engine. `open` of the engine opens both: first the GPUs, and then the pool with
// cuda_gpus_plan.
struct cuda_map {
    struct cuda_gpus gpus;
    struct work_map_pool *pool;
};

int cuda_map_add(void *engine, struct trj_frame *frame, struct trj_error *err);
int cuda_map_finish(void *engine, const int64_t **values, struct trj_error *err);
int cuda_map_add_sums(void *engine, const int64_t *values, struct trj_error *err);
uint64_t cuda_map_bad_frame(const void *engine);
void cuda_map_stats(void *engine, struct trj_engine_stats *stats);
void cuda_map_close(void *engine);

#endif
