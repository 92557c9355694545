// SPDX-License-Identifier: MIT
// The kernel of Gaussian densities in portable C: vectors of one number.
#include "vector_plain.h"

static inline float v_lanes(void) {
    return 0;
}

#include "gauss_kernel_body.h"

const struct den_gauss_kernel den_gauss_kernel_plain = {"plain", add, flush};
