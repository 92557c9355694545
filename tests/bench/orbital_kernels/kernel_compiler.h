// SPDX-License-Identifier: MIT
// A kernel that is generated for a molecule and compiled at run time by NVRTC. Neither its header nor its library is
// needed to build or to start the program: NVRTC and the driver are loaded at run time.
#ifndef KERNEL_COMPILER_H
#define KERNEL_COMPILER_H

#include <cuda_runtime_api.h>

#include "error.h"
#include "kernel_data.h"

// Writes the source: the loops over shells and primitives are unrolled, and exponents and contraction coefficients are
// literals. The compiler unrolls the loop over the atoms of an element by `unroll`; 0: completely. Positions and the
// coefficients of the orbital are in constant memory, so that the same kernel computes all orbitals. The caller frees
// *source.
int kernel_source(char **source, const struct kernel_data *data, unsigned unroll, struct trj_error *err);

// Compiles the source for the current device. The caller frees *code. Fails with TRJ_NO_ENGINE if NVRTC or the driver
// is missing, or if NVRTC does not know the device.
int kernel_compile(char **code, const char *source, struct trj_error *err);

// The kernel on one device, which must be the current device of the thread.
struct kernel_module {
    void *module, *function;
};
int kernel_module_load(struct kernel_module *m, const char *code, const struct kernel_data *data,
                       struct trj_error *err);
// As point_kernel_launch.
int kernel_module_launch(const struct kernel_module *m, const struct kernel_lattice *lattice, uint32_t planes,
                         float *value, cudaStream_t stream, struct trj_error *err);
void kernel_module_unload(struct kernel_module *m); // no effect if it was not loaded

#endif
