// SPDX-License-Identifier: MIT
// Computes a map, an array of int64 sums over frames, on several devices at once: defines the job that a method gives
// to a device pool (device_pool.h). If no device is left, the method's engine on the CPU computes the rest.
//
// Sums of batches are added exactly: the pool reports an overflow only if the final sum of a point is too large,
// whatever the order of batches. A device or the engine on the CPU may fail earlier, if its own sum, of a batch or of
// the frames that it computes, is too large.
#ifndef WORK_MAP_POOL_H
#define WORK_MAP_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "device_pool.h"
#include "engine_choice.h"
#include "error.h"
#include "frame.h"
#include "map_engine.h"

// The sums of all frames of a batch at the points first <= i < first + count. work_result.data of the devices points to
// it, or to a structure that begins with it. Slices of a batch have no points in common, and all devices of a pool
// divide a batch in the same way; points without a slice get 0.
struct work_map_slice {
    const int64_t *values; // [count]
    size_t first, count;
};

struct work_map_job {
    const void *owner; // the job of `cpu`; passed to fail_sum
    size_t atoms;      // largest number of a frame; frames with more are rejected
    size_t points;     // of the map, at least 1
    int64_t max_sum;   // larger sums are errors
    // Sets the error of the first point whose sum is above max_sum or outside int64. Returns -1.
    int (*fail_sum)(const void *owner, size_t point, struct trj_error *err);
    // Gets work_result.data of each slice that is added. Called by several threads at the same time. May be NULL.
    void (*take_slice)(void *take_arg, const void *data);
    void *take_arg;
    const struct work_map_engine *cpu; // the method's engine on the CPU, opened if no device is left
};

struct work_map_pool;

// The owner must outlive the pool; the job and the resources, which are copied, need not. Unless
// resources->cpu_may_finish is set, the pool fails if no device is left. Batches of the plan have one part. See
// work_pool_open for the rest.
int work_map_pool_open(struct work_map_pool **pool, const struct work_map_job *job,
                       const struct work_resources *resources, const struct work_pool_plan *plan,
                       struct trj_error *err);
void work_map_pool_close(struct work_map_pool *pool); // NULL is allowed

int work_map_pool_add(struct work_map_pool *pool, struct trj_frame *frame, struct trj_error *err); // as work_pool_add
// Waits until all frames are processed. Sets *values[points] to the sums over the frames since the last finish; they
// belong to the pool, and are valid until the next call of add, finish or close. Fails as work_pool_add, by
// job->fail_sum, and if memory for sums that exceed int64 is lacking.
int work_map_pool_finish(struct work_map_pool *pool, const int64_t **values, struct trj_error *err);
// Adds the sums of frames that were computed elsewhere, values[points], to those of the next finish.
int work_map_pool_add_sums(struct work_map_pool *pool, const int64_t *values, struct trj_error *err);
uint64_t work_map_pool_bad_frame(const struct work_map_pool *pool);                   // as work_pool_bad_frame
void work_map_pool_stats(struct work_map_pool *pool, struct trj_engine_stats *stats); // sets all members
// Returns the state of the engine on the CPU; NULL if it was not opened.
const void *work_map_pool_cpu(const struct work_map_pool *pool);

#endif
