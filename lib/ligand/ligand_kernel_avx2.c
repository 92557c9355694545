// SPDX-License-Identifier: MIT
// The kernel of ligand maps for AVX2 and FMA: vectors of eight numbers.
#ifdef __x86_64__
#include "vector_avx2.h"

static inline reals v_div(reals a, reals b) {
    return _mm256_div_ps(a, b);
}
static inline reals v_root(reals x) {
    return _mm256_sqrt_ps(x);
}

#include "ligand_kernel_body.h"

const struct lig_kernel lig_kernel_avx2 = {"avx2", energies};
#endif
