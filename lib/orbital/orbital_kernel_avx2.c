// SPDX-License-Identifier: MIT
// The kernel of orbitals for AVX2 and FMA: vectors of four numbers.
#ifdef __x86_64__
#include "vector_avx2.h"

#include "orbital_kernel_body.h"

const struct orb_kernel orb_kernel_avx2 = {"avx2", sums, layer, products, axis, exponentials, factors, add};
#endif
