// SPDX-License-Identifier: MIT
// Correlates frames on several devices side by side: the job that an engine gives to a device pool
// (work/device_pool.h). It delivers the sums in the order of the frames. If no device is left and
// resources->cpu_may_finish is set, it computes the remaining frames on the CPU.
#ifndef COR_POOL_H
#define COR_POOL_H

#include <stdbool.h>

#include "cor_engine.h"
#include "device_pool.h"

// work_result.data of the devices: the sums of each frame of the batch.
struct cor_slice {
    const struct cor_sums *sums; // [frames][selections]
    const bool *overflow;        // [frames] the density exceeds 2^43 quanta: the sums are invalid
};

struct cor_pool;

// Opens a pool for batches of at most plan->batch frames, which must not exceed WORK_MAX_PARTS; each frame is a part.
// The job must outlive the pool. See work_pool_open for the rest.
int cor_pool_open(struct cor_pool **pool, const struct cor_job *job, const struct work_resources *resources,
                  const struct work_pool_plan *plan, struct trj_error *err);
void cor_pool_close(struct cor_pool *pool); // NULL is allowed

// These implement the functions of struct work_map_engine.
int cor_pool_add(struct cor_pool *pool, struct trj_frame *frame, struct trj_error *err);
int cor_pool_finish(struct cor_pool *pool, struct trj_error *err);
uint64_t cor_pool_bad_frame(const struct cor_pool *pool);
void cor_pool_stats(struct cor_pool *pool, struct trj_engine_stats *stats);

#endif
