// SPDX-License-Identifier: MIT
// Counts on several devices side by side: the job that an engine gives to a device pool (work/device_pool.h). It adds
// the counts of slices and batches, subtracts the counts of atoms of overlapping groups with themselves, and counts the
// rest with engine cpu if no device is left and job->cpu_may_finish is set.
#ifndef RDF_COUNT_POOL_H
#define RDF_COUNT_POOL_H

#include <stdint.h>

#include "device_pool.h"
#include "engine.h"

// work_result.data of the devices.
struct rdf_slice_counts {
    // [parts of the batch][pairs][bins]. For pairs of groups that overlap, a device counts an atom with its own images,
    // and with itself at distance 0, like any two atoms. The pool subtracts this (rdf_job_subtract_self_images).
    const uint64_t *counts;
    uint64_t evaluated, resolved; // of all parts, as in struct trj_device_stats
};

struct rdf_count_pool;

// The job must outlive the pool. See work_pool_open for the rest.
int rdf_count_pool_open(struct rdf_count_pool **pool, const struct rdf_job *job, const struct work_pool_plan *plan,
                        struct trj_error *err);
void rdf_count_pool_close(struct rdf_count_pool *pool); // NULL is allowed

// These implement the functions of struct rdf_engine.
int rdf_count_pool_add(struct rdf_count_pool *pool, struct trj_frame *frame, struct trj_error *err);
int rdf_count_pool_end_record(struct rdf_count_pool *pool, uint64_t tag, struct trj_error *err);
int rdf_count_pool_finish(struct rdf_count_pool *pool, uint64_t *counts, struct trj_error *err);
// Includes the work that engine cpu has done in place of devices; stats->workers is the number of devices.
void rdf_count_pool_stats(struct rdf_count_pool *pool, struct trj_engine_stats *stats);

#endif
