// SPDX-License-Identifier: MIT
// Opens the GPUs of an engine: those that --devices lists, or else all that can be used.
#ifndef CUDA_GPU_LIST_H
#define CUDA_GPU_LIST_H

#include "error.h"
#include "gpu.h"

// Fails with TRJ_NO_ENGINE and the reason if there is no driver or no GPU. This is the `probe` of an engine
// (engine_choice.h).
int cuda_gpu_list_probe(struct trj_error *err);

struct cuda_gpu_list {
    void *owner;         // passed to the functions below
    const char *devices; // "0,2", as --devices gives it; NULL: all
    // Opens GPU `number` and adds it to the engine, which is expected to have `count` GPUs.
    int (*add)(void *owner, int number, unsigned count, struct trj_error *err);
    void (*note)(void *owner, const char *text); // reports a GPU that is not used
};

// Opens the GPUs. A listed GPU that cannot be used is an error. Without a list, a GPU that has failed (gpu.h) is only
// reported, unless no other can be used; any other error of `add` is an error.
int cuda_gpu_list_open(const struct cuda_gpu_list *list, struct trj_error *err);

// The member `kind` of engines.
#define CUDA_ENGINE_KIND                                                                                               \
    { .name = "cuda", .workers = "GPUs", .built_for = cuda_architectures, .probe = cuda_gpu_list_probe }

#endif
