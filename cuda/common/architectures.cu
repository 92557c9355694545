// SPDX-License-Identifier: MIT
// States the architectures of this build, which only nvcc knows.
#include "gpu.h"

#define TEXT_OF(...) #__VA_ARGS__
#define TEXT(...)    TEXT_OF(__VA_ARGS__)

extern "C" const char *cuda_architectures(void) {
    return TEXT(__CUDA_ARCH_LIST__);
}
