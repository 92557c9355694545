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

// These implement the functions of struct pot_method. Frames need the member `stream`.
int pot_pool_add(struct pot_pool *pool, const struct pot_frame *frame, struct trj_error *err);
int pot_pool_finish(struct pot_pool *pool, const int64_t **values, struct trj_error *err);
int pot_pool_add_sums(struct pot_pool *pool, const int64_t *values, struct trj_error *err);
double pot_pool_error(const struct pot_pool *pool);
uint64_t pot_pool_bad_frame(const struct pot_pool *pool);
void pot_pool_stats(struct pot_pool *pool, struct trj_engine_stats *stats);

#endif
