// SPDX-License-Identifier: MIT
// The kernel of orbitals in portable C: vectors of one number.
#include "vector_plain.h"

#include "orbital_kernel_body.h"

const struct orb_kernel orb_kernel_plain = {"plain", sums, layer, products, axis, exponentials, factors, add};
