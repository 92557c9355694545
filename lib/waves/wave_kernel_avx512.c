// SPDX-License-Identifier: MIT
// The kernel for AVX-512: the sums of four rows take 8 of 32 registers.
#ifdef __x86_64__
#include "vector_avx512.h"

enum { TOGETHER = 4 };

static inline doubles d_nfma(doubles a, doubles b, doubles c) {
    return _mm512_fnmadd_pd(a, b, c);
}

#define KERNEL wav_kernel_avx512
#include "wave_kernel_body.h"
#endif
