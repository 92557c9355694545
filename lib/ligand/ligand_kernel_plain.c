// SPDX-License-Identifier: MIT
// The kernel of ligand maps in portable C: vectors of one number. sqrtf() is correctly rounded, with or without an
// instruction for it.
#include "vector_plain.h"

static inline reals v_div(reals a, reals b) {
    return a / b;
}
static inline reals v_root(reals x) {
    return sqrtf(x);
}

#include "ligand_kernel_body.h"

const struct lig_kernel lig_kernel_plain = {"plain", energies};
