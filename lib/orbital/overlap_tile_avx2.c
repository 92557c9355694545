// SPDX-License-Identifier: MIT
// The inner loop of overlaps of orbitals for AVX2: vectors of four numbers.
#ifdef __x86_64__
#define LANES   4
#define ROWS    4
#define VECTORS 3
#include "overlap_tile_body.h"

const struct orb_tile_kernel orb_tile_kernel_avx2 = {add};
#endif
