// SPDX-License-Identifier: MIT
// The kernel of orbitals for AVX-512: vectors of eight numbers.
#ifdef __x86_64__
#include "vector_avx512.h"

#include "orbital_kernel_body.h"

const struct orb_kernel orb_kernel_avx512 = {"avx512", sums, layer, products, axis, exponentials, factors, add};
#endif
