// SPDX-License-Identifier: MIT
// The contribution of a far charge (pair_term.h), for the kernels of the CPU and of GPUs. The file that includes this
// one includes vectors of lib/base first, and defines SPECIALISED, which declares a function whose argument `kind` is a
// constant. Returns z of pair_term.h for r2 = square.
#if !defined POT_PAIR_FAR_TERM_H && defined SPECIALISED
#define POT_PAIR_FAR_TERM_H

#include "inverse_root.h"
#include "pair_term.h"

SPECIALISED reals far_term(enum pot_pair_kind kind, reals square, reals charge, reals exponent, reals magic) {
    reals one = v_all(1), y = v_half_from(POT_ROOT_MAGIC, square), t = v_mul(square, y), d = v_nfma(t, y, one);
    reals w = v_fma(v_all(POT_ROOT_4), d, v_all(POT_ROOT_3));
    w = v_fma(w, d, v_all(POT_ROOT_2));
    w = v_fma(w, d, v_all(POT_ROOT_1));
    w = v_fma(w, d, one);
    if (kind == POT_PAIR_PLAIN) return v_fma(v_mul(charge, y), w, magic);
    if (kind == POT_PAIR_DIELECTRIC) {
        reals v = v_mul(y, w);
        return v_fma(v_mul(charge, v), v, magic);
    }
    const reals rounder = v_all(12582912.0f);
    reals e = v_mul(t, w), n = v_fma(e, exponent, rounder), f = v_fma(e, exponent, v_sub(rounder, n));
    reals g = v_fma(v_all(POT_EXP2_5), f, v_all(POT_EXP2_4));
    g = v_fma(g, f, v_all(POT_EXP2_3));
    g = v_fma(g, f, v_all(POT_EXP2_2));
    g = v_fma(g, f, v_all(POT_EXP2_1));
    g = v_fma(g, f, one);
    return v_fma(v_mul(v_mul(charge, y), w), v_scale(g, n), magic);
}

#endif
