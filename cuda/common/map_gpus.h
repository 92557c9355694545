// SPDX-License-Identifier: MIT
// Functions of engines of maps (lib/work/map_engine.h) that compute the map of a batch on each GPU.
#ifndef CUDA_MAP_GPUS_H
#define CUDA_MAP_GPUS_H

#include "gpu_list.h"
#include "map_engine.h"
#include "map_pool.h"
#include "pool_device.h"

// Opens an engine of the job map->owner. `slices` returns the number of slices of a batch.
int cuda_map_open(void **engine, const struct cuda_analysis *analysis, const struct work_map_job *map,
                  unsigned (*slices)(const struct cuda_gpus *gpus), const struct work_resources *resources,
                  struct trj_error *err);
int cuda_map_add(void *engine, struct trj_frame *frame, struct trj_error *err);
int cuda_map_finish(void *engine, const int64_t **values, struct trj_error *err);
int cuda_map_add_sums(void *engine, const int64_t *values, struct trj_error *err);
uint64_t cuda_map_bad_frame(const void *engine);
void cuda_map_stats(void *engine, struct trj_engine_stats *stats);
void cuda_map_close(void *engine);

// All members of such an engine but `open`.
#define CUDA_MAP_FUNCTIONS                                                                                             \
    .kind = CUDA_ENGINE_KIND, .add = cuda_map_add, .finish = cuda_map_finish, .add_sums = cuda_map_add_sums,           \
    .bad_frame = cuda_map_bad_frame, .stats = cuda_map_stats, .close = cuda_map_close

#endif
