// SPDX-License-Identifier: MIT
// The kernel of accessible_surface.c in portable C: vectors of one number.
#include "surface_kernel.h"
#include "vector_plain.h"

static inline unsigned bits(flags f) {
    return f;
}

// Rounds twice, because fmaf() is slow without an instruction for it.
static inline reals multiply_add(reals a, reals b, reals c) {
    return v_add(v_mul(a, b), c);
}

static inline void append(struct obs_surface_atoms *to, unsigned mask, const reals x[4], uint32_t first, uint32_t run) {
    (void)mask;
    for (int k = 0; k < 4; k++) to->x[k][to->count] = x[k];
    to->point[to->count] = first;
    to->run[to->count++] = run;
}

#include "surface_kernel_body.h"

const struct obs_surface_kernel obs_surface_kernel_plain = {gather, expose};
