// SPDX-License-Identifier: MIT
// The kernel of rmsd_engine_cpu.c for AVX-512: vectors of sixteen numbers.
#ifdef __x86_64__
#include "vector_avx512.h"

#include "rmsd_kernel_body.h"

const struct obs_rmsd_kernel obs_rmsd_kernel_avx512 = {add, squares};
#endif
