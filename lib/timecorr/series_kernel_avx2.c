// SPDX-License-Identifier: MIT
// The kernel of correlator.c for AVX2.
#ifdef __x86_64__
#define WIDTH 4
#define TILE  2
#include "series_kernel_body.h"

const struct tcf_kernel tcf_kernel_avx2 = TCF_KERNEL;
#endif
