// SPDX-License-Identifier: MIT
// Computes a ligand map on several devices at once: defines the job that an engine gives to a device pool
// (work/device_pool.h). It adds the sums of slices and batches. If no device is left and job->cpu_may_finish is set,
// the engine cpu computes the rest.
#ifndef LIG_LIGAND_POOL_H
#define LIG_LIGAND_POOL_H

#include <stdint.h>

#include "device_pool.h"
#include "ligand_engine.h"

// work_result.data of the devices: the sums of all frames of the batch at the planes [plane, plane + planes). Sums that
// exceed LIG_SUM_MAX are LIG_SUM_MAX + 1.
struct lig_slice {
    const int64_t *values; // [planes][n[1]][n[0]]
    uint64_t plane, planes;
};

struct lig_pool;

// The job must outlive the pool. See work_pool_open for the rest; batches have one part.
int lig_pool_open(struct lig_pool **pool, const struct lig_job *job, const struct work_pool_plan *plan,
                  struct trj_error *err);
void lig_pool_close(struct lig_pool *pool); // NULL is allowed

// These implement the functions of struct lig_engine.
int lig_pool_add(struct lig_pool *pool, struct trj_frame *frame, struct trj_error *err);
int lig_pool_finish(struct lig_pool *pool, const int64_t **values, struct trj_error *err);
void lig_pool_stats(struct lig_pool *pool, struct lig_engine_stats *stats);

#endif
