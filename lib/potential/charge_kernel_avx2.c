// SPDX-License-Identifier: MIT
// The charge-spreading kernel for AVX2: vectors of four numbers.
#ifdef __x86_64__
#define LANES 4
#include "charge_kernel_body.h"

const struct pot_charge_kernel pot_charge_kernel_avx2 = {"avx2", add};
#endif
