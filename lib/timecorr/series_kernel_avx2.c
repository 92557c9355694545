// SPDX-License-Identifier: MIT
// The kernel of correlator.c for AVX2.
#ifdef __x86_64__
#include "series_kernel_body.h"

const struct tcf_kernel tcf_kernel_avx2 = {transform, multiply};
#endif
