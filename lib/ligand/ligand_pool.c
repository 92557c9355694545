// SPDX-License-Identifier: MIT
// Connects the engine cuda of ligand maps to the pool of devices, which is common to all maps.
#include "ligand_pool.h"

#include "ligand_engine.h"

static int fail_sum(const void *owner, size_t point, struct trj_error *err) {
    const struct lig_job *job = owner;
    size_t x = (size_t)job->lattice.n[0], y = (size_t)job->lattice.n[1];
    return trj_fail(err, TRJ_BAD_DATA,
                    "point %zu, %zu, %zu: the sum exceeds 2^62 quanta; reduce --bits, or the number of frames in a "
                    "record with --block",
                    point % x, point / x % y, point / x / y);
}

int lig_pool_open(struct work_map_pool **pool, const struct lig_job *job, const struct work_resources *resources,
                  const struct work_pool_plan *plan, struct trj_error *err) {
    const struct work_map_job map = {.owner = job,
                                     .atoms = job->atoms,
                                     .points = (size_t)trj_map_lattice_points(&job->lattice),
                                     .max_sum = LIG_SUM_MAX,
                                     .fail_sum = fail_sum,
                                     .cpu = &lig_engine_cpu};
    return work_map_pool_open(pool, &map, resources, plan, err);
}
