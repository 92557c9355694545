// SPDX-License-Identifier: MIT
// Computes a density map on several devices at once: defines the job that an engine gives to a device pool
// (work/device_pool.h). It adds the sums of slices and batches. If no device is left and job->cpu_may_finish is set,
// the engine cpu computes the rest.
#ifndef DEN_DENSITY_POOL_H
#define DEN_DENSITY_POOL_H

#include <stdint.h>

#include "density_engine.h"
#include "device_pool.h"

// work_result.data of the devices: the sums of all frames of the batch at the planes [plane, plane + planes).
struct den_slice {
    const int64_t *values; // [planes][n[1]][n[0]]
    uint64_t plane, planes;
};

struct den_pool;

// The job must outlive the pool. See work_pool_open for the rest; batches have one part.
int den_pool_open(struct den_pool **pool, const struct den_job *job, const struct work_pool_plan *plan,
                  struct trj_error *err);
void den_pool_close(struct den_pool *pool); // NULL is allowed

// These implement the functions of struct den_engine.
int den_pool_add(struct den_pool *pool, struct trj_frame *frame, struct trj_error *err);
int den_pool_finish(struct den_pool *pool, const int64_t **values, struct trj_error *err);
void den_pool_stats(struct den_pool *pool, struct den_engine_stats *stats);

#endif
