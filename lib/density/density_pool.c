// SPDX-License-Identifier: MIT
// Connects the engine cuda of densities to the pool of devices, which is common to all maps.
#include "density_pool.h"

#include "density_engine.h"

static int fail_sum(const void *owner, size_t point, struct trj_error *err) {
    const struct den_job *job = owner;
    size_t x = (size_t)job->lattice.n[0], y = (size_t)job->lattice.n[1];
    return trj_fail(err, TRJ_BAD_DATA,
                    "point %zu, %zu, %zu: the sum of frames exceeds 2^63 quanta; write several maps of fewer frames "
                    "each",
                    point % x, point / x % y, point / x / y);
}

int den_pool_open(struct work_map_pool **pool, const struct den_job *job, const struct work_resources *resources,
                  const struct work_pool_plan *plan, struct trj_error *err) {
    const struct work_map_job map = {.owner = job,
                                     .atoms = job->atoms,
                                     .points = (size_t)trj_map_lattice_points(&job->lattice),
                                     .max_sum = INT64_MAX,
                                     .fail_sum = fail_sum,
                                     .cpu = &den_engine_cpu};
    return work_map_pool_open(pool, &map, resources, plan, err);
}
