// SPDX-License-Identifier: MIT
// One GPU as a device of a count pool (lib/count/count_pool.h). It uploads batches of frames, plans tiles
// (device_tiles.h) and counts pairs (count.h).
#ifndef CUDA_COUNT_DEVICE_H
#define CUDA_COUNT_DEVICE_H

#include "count_pool.h"
#include "pool_device.h"

// Sizes of work, from an estimate of the time that one of `gpus` GPUs takes for a frame.
struct cuda_count_sizes {
    unsigned batch, parts, slices; // frames and parts of a batch, at most; slices of a batch
    unsigned long long units;      // of work, into which each pair of groups is divided in a batch
};
struct cuda_count_sizes cuda_count_choose_sizes(const struct rdf_job *job, unsigned gpus); // count_cuda.c

// The job is a struct rdf_job. `batch` and `units` are the same on all GPUs, because otherwise the slices of a batch
// could not be added. If memory is short, a batch has only one part, and then is counted in several passes, of fewer
// frames or of parts of groups.
extern const struct cuda_analysis cuda_count_analysis;
unsigned cuda_count_parts(const struct cuda_device *device); // returns the maximum number of parts of a batch
// Returns whether the device counts a batch in one pass. Only then may batches have more than one slice.
bool cuda_count_sliceable(const struct cuda_device *device);

#endif
