// SPDX-License-Identifier: MIT
// Computes a map of a potential on several devices at once: defines the job that an engine gives to a map pool
// (work/map_pool.h). If no device is left and job->cpu_may_finish is set, a method of the engine cpu computes the rest.
#ifndef POT_POTENTIAL_POOL_H
#define POT_POTENTIAL_POOL_H

#include <stdint.h>

#include "map_pool.h"
#include "potential_job.h"

// work_result.data of the devices.
struct pot_slice {
    struct work_map_slice map; // quanta
    double error;              // bound of pot_method.error for these frames; NAN: there is none
};

struct pot_pool;

// The job, of which the members for frames of the stream must be set, and the method `cpu` must outlive the pool. See
// work_map_pool_open for the rest.
int pot_pool_open(struct pot_pool **pool, const struct pot_job *job, const struct pot_method *cpu,
                  const struct work_pool_plan *plan, struct trj_error *err);
void pot_pool_close(struct pot_pool *pool); // NULL is allowed

// Returns the pool of maps to which frames are added, and from which sums come.
struct work_map_pool *pot_pool_map(const struct pot_pool *pool);
double pot_pool_error(const struct pot_pool *pool); // as pot_method.error

#endif
