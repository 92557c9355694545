// SPDX-License-Identifier: MIT
// One GPU as a device of a correlation pool (lib/correlation/cor_pool.h). The map and the Gaussians stay in its memory.
// The frames of a batch are uploaded one by one, and only the sums of their selections are copied to the host.
#ifndef CUDA_CORRELATION_DEVICE_H
#define CUDA_CORRELATION_DEVICE_H

#include "cor_pool.h"

struct cuda_correlation_device;

extern const struct work_device_ops cuda_correlation_device_ops;

// Opens GPU `number` and allocates memory for the job, for batches of at most `batch` frames. Fails with TRJ_NO_ENGINE
// if the GPU cannot be used: it does not exist, another process has reserved it, this build has no code for its
// architecture, or its memory is too small. The job must outlive the device.
int cuda_correlation_device_open(struct cuda_correlation_device **device, int number, const struct cor_job *job,
                                 unsigned batch, struct trj_error *err);
void cuda_correlation_device_close(struct cuda_correlation_device *device); // NULL is allowed

#endif
