// SPDX-License-Identifier: MIT
// The kernel of ligand maps for AVX-512: vectors of sixteen numbers.
#ifdef __x86_64__
#include "vector_avx512.h"

static inline reals v_div(reals a, reals b) {
    return _mm512_div_ps(a, b);
}
static inline reals v_root(reals x) {
    return _mm512_sqrt_ps(x);
}

#include "ligand_kernel_body.h"

const struct lig_kernel lig_kernel_avx512 = {"avx512", energies};
#endif
