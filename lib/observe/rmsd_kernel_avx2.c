// SPDX-License-Identifier: MIT
// The kernel of rmsd_engine_cpu.c for AVX2 and FMA: vectors of eight numbers.
#ifdef __x86_64__
#include "vector_avx2.h"

#include "rmsd_kernel_body.h"

const struct obs_rmsd_kernel obs_rmsd_kernel_avx2 = {add, squares};
#endif
