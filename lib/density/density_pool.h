// SPDX-License-Identifier: MIT
// Computes a density map on several devices at once; each returns struct work_map_slice (work/map_pool.h). If no device
// is left and resources->cpu_may_finish is set, the engine cpu computes the rest.
#ifndef DEN_DENSITY_POOL_H
#define DEN_DENSITY_POOL_H

#include "density_job.h"
#include "map_pool.h"

// The job must outlive the pool, whose functions implement those of struct work_map_engine. See
// work_map_pool_open for the rest.
int den_pool_open(struct work_map_pool **pool, const struct den_job *job, const struct work_resources *resources,
                  const struct work_pool_plan *plan, struct trj_error *err);

#endif
