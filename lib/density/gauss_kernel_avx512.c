// SPDX-License-Identifier: MIT
// The kernel of Gaussian densities for AVX-512: vectors of sixteen numbers.
#ifdef __x86_64__
#include "vector_avx512.h"

static inline reals v_lanes(void) {
    return _mm512_setr_ps(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}

#include "gauss_kernel_body.h"

const struct den_gauss_kernel den_gauss_kernel_avx512 = {"avx512", add, flush};
#endif
