// SPDX-License-Identifier: MIT
// Lists the architectures of this build, which are defined only when nvcc compiles a file, and checks that a GPU is one
// of them: all kernels are compiled for the same architectures.
#include "check.cuh"
#include "gpu.h"

#define TEXT_OF(...) #__VA_ARGS__
#define TEXT(...)    TEXT_OF(__VA_ARGS__)

extern "C" const char *cuda_architectures(void) {
    return TEXT(__CUDA_ARCH_LIST__);
}

static __global__ void no_work() {
}

extern "C" int cuda_check_architecture(struct trj_error *err) {
    cudaFuncAttributes attributes;
    CUDA_CHECK(cudaFuncGetAttributes(&attributes, (const void *)no_work));
    return 0;
}
