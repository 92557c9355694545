// SPDX-License-Identifier: MIT
// One GPU as a device of a fleet (lib/rdf/fleet.h): batches of frames are uploaded, put in order (plan.h) and counted (count.h).
#ifndef CUDA_DEVICE_H
#define CUDA_DEVICE_H

#include "count_pool.h"

struct cuda_device;

extern const struct work_device_ops cuda_device_ops;

// TRJ_NO_ENGINE with the reason where GPU `number` cannot be used: it is not there, is busy, is of a kind there is no code for.
int cuda_device_open(struct cuda_device **device, int number, struct trj_error *err);
// Takes the memory for a job whose frames come in batches of so many, each pair of groups in about so many units of work: the same on all
// GPUs, or the slices of a batch do not fit together. Where there is too little memory the work is cut into smaller pieces: fewer frames
// at once, down to parts of groups. The job must outlive the device.
int cuda_device_prepare(struct cuda_device *device, const struct rdf_job *job, unsigned batch, unsigned long long units,
                        struct trj_error *err);
// Whether it counts a batch in one piece: only then batches may have more than one slice.
bool cuda_device_sliceable(const struct cuda_device *device);
int cuda_device_number(const struct cuda_device *device);
void cuda_device_close(struct cuda_device *device); // NULL is allowed

#endif
