// SPDX-License-Identifier: MIT
// The charge-spreading kernel in portable C: vectors of two numbers, which SSE2 and NEON have.
#define LANES 2
#include "charge_kernel_body.h"

const struct pot_charge_kernel pot_charge_kernel_plain = {"plain", add};
