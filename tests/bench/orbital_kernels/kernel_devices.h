// SPDX-License-Identifier: MIT
// Evaluates an orbital on several GPUs. A thread for each GPU, which exists until the end, fetches slabs of the lattice
// one after another, so that a faster GPU computes more of them.
#ifndef KERNEL_DEVICES_H
#define KERNEL_DEVICES_H

#include <stdint.h>

#include "error.h"
#include "point_kernels.h"

enum { KERNEL_SLAB = 8 }; // planes of a slab

struct kernel_devices;

// Opens GPUs 0 to count - 1. `code` is that of kernel_compile; NULL: KERNEL_COMPILED cannot be used. The caller closes
// the devices, also after a failure.
int kernel_devices_open(struct kernel_devices **devices, unsigned count, const struct kernel_data *data,
                        const struct kernel_lattice *lattice, uint32_t planes, const char *code, struct trj_error *err);
void kernel_devices_close(struct kernel_devices *devices); // NULL is allowed

// Computes `planes` planes on all GPUs, and copies the values to value[planes][height][width], which is page-locked
// memory. KERNEL_EMPTY launches an empty kernel for each slab, and copies nothing.
int kernel_devices_run(struct kernel_devices *devices, enum point_kernel kernel, uint32_t planes, float *value,
                       struct trj_error *err);

// Sets *seconds to the time of one launch of a kernel for the whole lattice, on GPU 0, without copies.
int kernel_devices_time(struct kernel_devices *devices, enum point_kernel kernel, double *seconds,
                        struct trj_error *err);

#endif
