// SPDX-License-Identifier: MIT
// One GPU: its name, its energy, and the threads and clock of the work on it.
//
// When a GPU fails: an error with the status TRJ_NO_ENGINE, which CUDA_CHECK and a lack of GPU memory set, is a failure
// of a GPU. Errors with another status, such as an invalid setting or invalid input, end the work.
//   - When an engine is opened: a GPU that --devices lists must work. Otherwise other GPUs are used instead, and an
//     engine of several GPUs reports those that are not used. If none can be used, opening fails with TRJ_NO_ENGINE.
//   - During the work: in an engine of several GPUs, the others repeat the work of the GPU (lib/work/device_pool.h). If
//     no GPU is left, the engine fails with TRJ_NO_ENGINE, unless the caller allows its fallback on the CPU.
#ifndef CUDA_GPU_H
#define CUDA_GPU_H

#include <cuda_runtime_api.h>

#include "error.h"

#ifdef __cplusplus
extern "C" {
#endif
const char *cuda_architectures(void); // "750,800,...": architectures with machine code in this build
// Fails if this build has no code for the current device.
int cuda_check_architecture(struct trj_error *err);
#ifdef __cplusplus
}
#endif

struct cuda_gpu {
    int number;         // of CUDA
    char name[96];      // "GPU 0 (NVIDIA H200)"
    char bus[32];       // PCI bus id
    cudaEvent_t origin; // times are measured from here
};

// Makes the GPU the current device of the calling thread and creates its context. Fails with TRJ_NO_ENGINE if it does
// not exist or cannot be used, for example because another process has reserved it, or because this build has no code
// for its architecture. `name` is set also after a failure.
int cuda_gpu_open(struct cuda_gpu *gpu, int number, struct trj_error *err);
// Binds the calling thread to cores near the GPU, makes it the thread's current device, and starts the clock in a
// stream.
int cuda_gpu_attach(struct cuda_gpu *gpu, cudaStream_t stream, struct trj_error *err);
void cuda_gpu_close(struct cuda_gpu *gpu);

// Functions of struct work_device_ops for devices whose first member is a struct cuda_gpu.
double cuda_gpu_joules(void *device); // see energy.h
const char *cuda_gpu_name(void *device);

// Sets *seconds to the time between two events that have happened.
int cuda_seconds_between(cudaEvent_t begin, cudaEvent_t end, double *seconds, struct trj_error *err);

#endif
