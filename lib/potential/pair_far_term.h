// SPDX-License-Identifier: MIT
// The contribution of a far charge (pair_term.h), for the kernels of the CPU and of GPUs. The file that includes this
// one includes vectors of lib/base first, and defines SPECIALISED, which declares a function whose argument `kind` is a
// constant. Returns z of pair_term.h for r2 = square.
#if !defined POT_PAIR_FAR_TERM_H && defined SPECIALISED
#define POT_PAIR_FAR_TERM_H

#include "inverse_root.h"
#include "pair_term.h"

SPECIALISED reals far_term(enum pot_pair_kind kind, reals square, reals charge, reals magic) {
    reals y = v_half_from(POT_ROOT_MAGIC, square), t = v_mul(square, y), h = v_nfma(t, y, v_all(POT_FAR_ROOT_0));
    reals e = v_fma(h, h, v_all(POT_FAR_ROOT_1)),
          w = v_fma(v_fma(h, v_all(POT_FAR_ROOT_2), e), e, v_all(POT_FAR_ROOT_3));
    if (kind == POT_PAIR_PLAIN) return v_fma(v_mul(charge, y), w, magic);
    if (kind == POT_PAIR_DIELECTRIC) {
        reals v = v_mul(y, w);
        return v_fma(v_mul(charge, v), v, magic);
    }
    reals n = v_nfma(t, w, v_all(POT_FAR_ROUNDER)), i = v_fma(n, v_all(POT_FAR_STEP), v_all(-POT_FAR_ROUNDER - 1));
    reals f = v_fma(t, w, i);
    e = v_fma(f, f, v_all(POT_FAR_EXP2_1));
    reals g = v_fma(v_fma(f, v_all(POT_FAR_EXP2_2), e), e, v_all(POT_FAR_EXP2_3));
    g = v_fma(g, f, v_all(POT_FAR_EXP2_4));
    return v_fma(v_mul(v_mul(charge, y), w), v_scale(g, n), magic);
}

#endif
