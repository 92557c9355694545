// SPDX-License-Identifier: MIT
// The inner loop of overlaps of orbitals for AVX-512: vectors of eight numbers.
#ifdef __x86_64__
#define LANES   8
#define ROWS    8
#define VECTORS 3
#include "overlap_tile_body.h"

const struct orb_tile_kernel orb_tile_kernel_avx512 = {add};
#endif
