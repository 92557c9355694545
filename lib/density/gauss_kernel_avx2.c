// SPDX-License-Identifier: MIT
// The kernel of Gaussian densities for AVX2 and FMA: vectors of eight numbers.
#ifdef __x86_64__
#include "vector_avx2.h"

static inline reals v_lanes(void) {
    return _mm256_setr_ps(0, 1, 2, 3, 4, 5, 6, 7);
}

#include "gauss_kernel_body.h"

const struct den_gauss_kernel den_gauss_kernel_avx2 = {"avx2", add, flush};
#endif
