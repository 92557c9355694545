// SPDX-License-Identifier: MIT
// Computes a ligand map on several devices at once; each returns struct work_map_slice (work/map_pool.h). Sums of
// slices that exceed LIG_SUM_MAX are LIG_SUM_MAX + 1. If no device is left and resources->cpu_may_finish is set, the
// engine cpu computes the rest.
#ifndef LIG_LIGAND_POOL_H
#define LIG_LIGAND_POOL_H

#include "ligand_job.h"
#include "map_pool.h"

// The job must outlive the pool, whose functions implement those of struct work_map_engine for frames that
// lig_frame_set has accepted. See work_map_pool_open for the rest.
int lig_pool_open(struct work_map_pool **pool, const struct lig_job *job, const struct work_resources *resources,
                  const struct work_pool_plan *plan, struct trj_error *err);

#endif
