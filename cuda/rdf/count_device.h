// SPDX-License-Identifier: MIT
// One GPU as a device of a count pool (lib/count/count_pool.h): it uploads batches of frames, plans tiles
// (device_tiles.h) and counts pairs (count.h).
#ifndef CUDA_COUNT_DEVICE_H
#define CUDA_COUNT_DEVICE_H

#include "count_pool.h"

struct cuda_device;

extern const struct work_device_ops cuda_device_ops;

// Fails with TRJ_NO_ENGINE if GPU `number` cannot be used: it does not exist, another process has reserved it, or this
// build has no code for its architecture.
int cuda_device_open(struct cuda_device **device, int number, struct trj_error *err);
// Takes memory for batches of at most `batch` frames in at most `most_parts` parts, each pair of groups in about
// `units` units of work. `batch` and `units` must be the same on all GPUs, or the slices of a batch cannot be added. If
// memory is short, a batch has only one part, and then is counted in several passes, of fewer frames or of parts of
// groups. The job must outlive the device.
int cuda_device_prepare(struct cuda_device *device, const struct rdf_job *job, unsigned batch, unsigned most_parts,
                        unsigned long long units, struct trj_error *err);
unsigned cuda_device_parts(const struct cuda_device *device); // returns the maximum number of parts of a batch
// Returns whether the device counts a batch in one pass. Only then may batches have more than one slice.
bool cuda_device_sliceable(const struct cuda_device *device);
int cuda_device_number(const struct cuda_device *device);
void cuda_device_close(struct cuda_device *device); // NULL is allowed

#endif
