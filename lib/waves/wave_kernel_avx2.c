// SPDX-License-Identifier: MIT
// The kernel for AVX2: the sums of two rows take 8 of 16 registers.
#ifdef __x86_64__
#include "vector_avx2.h"

enum { TOGETHER = 2 };

static inline doubles d_nfma(doubles a, doubles b, doubles c) {
    return _mm256_fnmadd_pd(a, b, c);
}

#define KERNEL wav_kernel_avx2
#include "wave_kernel_body.h"
#endif
