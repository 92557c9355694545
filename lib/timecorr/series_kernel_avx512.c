// SPDX-License-Identifier: MIT
// The kernel of correlator.c for AVX-512.
#ifdef __x86_64__
#define WIDTH 8
#define TILE  4
#include "series_kernel_body.h"

const struct tcf_kernel tcf_kernel_avx512 = TCF_KERNEL;
#endif
