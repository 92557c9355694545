// SPDX-License-Identifier: MIT
// One GPU as a device of the pool of lib/ligand/ligand_pool.h: it uploads the frames of a batch one by one, and
// adds their Boltzmann factors to a map in its memory, which is copied to the host once for each batch.
#ifndef CUDA_LIGAND_DEVICE_H
#define CUDA_LIGAND_DEVICE_H

#include "ligand_pool.h"

struct cuda_ligand_device;

extern const struct work_device_ops cuda_ligand_device_ops;

// Opens GPU `number` and allocates memory for the job, for batches of at most `batch` frames. Fails with TRJ_NO_ENGINE
// if the GPU cannot be used: it does not exist, another process has reserved it, this build has no code for its
// architecture, or its memory is too small. The job must outlive the device.
int cuda_ligand_device_open(struct cuda_ligand_device **device, int number, const struct lig_job *job, unsigned batch,
                            struct trj_error *err);
void cuda_ligand_device_close(struct cuda_ligand_device *device); // NULL is allowed

#endif
