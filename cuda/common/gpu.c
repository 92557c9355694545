// SPDX-License-Identifier: MIT
// Opens GPUs and measures times and energy on them, for engines of several GPUs and of one.
#include "gpu.h"

#include <stdio.h>

#include "check.cuh"
#include "energy.h"
#include "thread_affinity.h"

static int open_gpu(struct cuda_gpu *gpu, struct trj_error *err) {
    struct cudaDeviceProp p;
    CUDA_CHECK(cudaGetDeviceProperties(&p, gpu->number));
    snprintf(gpu->name, sizeof gpu->name, "GPU %d (%.64s)", gpu->number, p.name);
    CUDA_CHECK(cudaSetDevice(gpu->number));
    CUDA_CHECK(cudaDeviceGetPCIBusId(gpu->bus, sizeof gpu->bus, gpu->number));
    CUDA_CHECK(cudaEventCreate(&gpu->origin));
    return cuda_check_architecture(err);
}

int cuda_gpu_open(struct cuda_gpu *gpu, int number, struct trj_error *err) {
    *gpu = (struct cuda_gpu){.number = number};
    snprintf(gpu->name, sizeof gpu->name, "GPU %d", number);
    if (!open_gpu(gpu, err)) return 0;
    return trj_fail_at(err, "%s", gpu->name);
}

int cuda_gpu_attach(struct cuda_gpu *gpu, cudaStream_t stream, struct trj_error *err) {
    cuda_bind_thread(gpu->bus);
    CUDA_CHECK(cudaSetDevice(gpu->number));
    CUDA_CHECK(cudaEventRecord(gpu->origin, stream));
    return 0;
}

void cuda_gpu_close(struct cuda_gpu *gpu) {
    if (gpu->origin) CUDA_RELEASE(cudaEventDestroy(gpu->origin));
    gpu->origin = NULL;
}

double cuda_gpu_joules(void *device) {
    return cuda_energy_joules(((const struct cuda_gpu *)device)->bus);
}

const char *cuda_gpu_name(void *device) {
    return ((const struct cuda_gpu *)device)->name;
}

int cuda_seconds_between(cudaEvent_t begin, cudaEvent_t end, double *seconds, struct trj_error *err) {
    float ms = 0;
    CUDA_CHECK(cudaEventElapsedTime(&ms, begin, end));
    *seconds = 1e-3 * (double)ms;
    return 0;
}
