// SPDX-License-Identifier: MIT
// The charge-spreading kernel for AVX-512: vectors of eight numbers.
#ifdef __x86_64__
#define LANES 8
#include "charge_kernel_body.h"

const struct pot_charge_kernel pot_charge_kernel_avx512 = {"avx512", add};
#endif
