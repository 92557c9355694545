// SPDX-License-Identifier: MIT
// An engine that computes on one GPU: the first of its list that can be used, in the order of their numbers. The GPUs
// of an engine that divides its work are in pool_device.h. gpu.h states what happens when a GPU fails.
#ifndef CUDA_SINGLE_GPU_H
#define CUDA_SINGLE_GPU_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>

#include "device_memory.h"
#include "error.h"
#include "gpu.h"

enum { CUDA_SINGLE_EVENTS = 3 };

// First member of the state of an engine, which is zeroed at first.
struct cuda_single {
    struct cuda_gpu gpu;
    bool open; // whether `gpu` is open
    cudaStream_t stream;
    cudaEvent_t event[CUDA_SINGLE_EVENTS]; // for the engine
    struct cuda_memory memory;
    // Numbers in the list of GPUs: of the first to try, of the one that is listed next, and after the last one tried.
    unsigned from, listed, next;
    const struct cuda_single_ops *ops;
    const void *job; // of cuda_single_create
};

// The functions get the state of the engine, and run with the GPU as the current device. NULL: there is nothing to do.
struct cuda_single_ops {
    // Allocates memory from single->memory. Copies may be in the default stream: the stream begins after them.
    int (*prepare)(void *engine, struct trj_error *err);
    // Frees what `prepare` has allocated otherwise, also after its failure, so that another GPU can be prepared.
    void (*release)(void *engine);
    void (*close)(void *engine); // frees what does not depend on the GPU
};

// Opens the GPU, and accepts others in a list without opening them. After a failure cuda_single_close is required, too.
int cuda_single_open(void *engine, const struct cuda_single_ops *ops, const char *devices, struct trj_error *err);
// Allocates the state of an engine, of `bytes` bytes, for this job, and opens the GPU. `devices`: as above.
int cuda_single_create(void **engine, size_t bytes, const void *job, const struct cuda_single_ops *ops,
                       const char *devices, struct trj_error *err);
void cuda_single_close(void *engine); // frees the state, too; NULL is allowed

// Makes the GPU the current device of the calling thread. Required if another thread may have opened the engine.
int cuda_single_use(const struct cuda_single *single, struct trj_error *err);
// Copies memory of the GPU to the host, after everything that is enqueued.
int cuda_single_fetch(const struct cuda_single *single, void *to, const void *from, size_t bytes,
                      struct trj_error *err);
int cuda_single_wait(const struct cuda_single *single, struct trj_error *err); // until the stream is empty

#endif
