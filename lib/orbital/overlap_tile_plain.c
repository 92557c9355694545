// SPDX-License-Identifier: MIT
// The inner loop of overlaps of orbitals in portable C: vectors of two numbers, which SSE2 and NEON have.
#define LANES   2
#define ROWS    4
#define VECTORS 2
#include "overlap_tile_body.h"

const struct orb_tile_kernel orb_tile_kernel_plain = {add};
