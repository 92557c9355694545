// SPDX-License-Identifier: MIT
// The contributions of far and distant charges (pair_term.h), for the kernels of the CPU and of GPUs. The file that
// includes this one includes vectors of lib/base first, and defines SPECIALISED, which declares a function whose
// arguments `kind` and `aligned` must be constants.
#if !defined POT_PAIR_FAR_TERM_H && defined SPECIALISED
#define POT_PAIR_FAR_TERM_H

#include "inverse_root.h"
#include "pair_groups.h"
#include "pair_term.h"

// Returns w for h: A (1 - h')^(-1/2), h' = h + 1 - A0.
SPECIALISED reals far_root(reals h) {
    reals e = v_fma(h, h, v_all(POT_FAR_ROOT_1));
    return v_fma(v_fma(h, v_all(POT_FAR_ROOT_2), e), e, v_all(POT_FAR_ROOT_3));
}

// Returns P of pair_term.h for t and w.
SPECIALISED reals far_exponential(reals t, reals w) {
    reals n = v_nfma(t, w, v_all(POT_FAR_ROUNDER)), i = v_fma(n, v_all(POT_FAR_STEP), v_all(-POT_FAR_ROUNDER - 1));
    reals f = v_fma(t, w, i), e = v_fma(f, f, v_all(POT_FAR_EXP2_1));
    reals g = v_fma(v_fma(f, v_all(POT_FAR_EXP2_2), e), e, v_all(POT_FAR_EXP2_3));
    return v_scale(v_fma(g, f, v_all(POT_FAR_EXP2_4)), n);
}

// Returns z of a far charge for r2 = square.
SPECIALISED reals far_term(enum pot_pair_kind kind, reals square, reals charge, reals magic) {
    reals y = v_half_from(POT_ROOT_MAGIC, square), t = v_mul(square, y), h = v_nfma(t, y, v_all(POT_FAR_ROOT_0));
    reals w = far_root(h);
    if (kind == POT_PAIR_PLAIN) return v_fma(v_mul(charge, y), w, magic);
    if (kind == POT_PAIR_DIELECTRIC) {
        reals v = v_mul(y, w);
        return v_fma(v_mul(charge, v), v, magic);
    }
    return v_fma(v_mul(v_mul(charge, y), w), far_exponential(t, w), magic);
}

// Returns fma(a, b, c), or c if not `used`: a component of an edge that is 0 needs no operation.
SPECIALISED reals distant_fma(bool used, float a, reals b, reals c) {
    return used ? v_fma(v_all(a), b, c) : c;
}

// Values that the contributions of a distant charge to all points of a group share.
struct distant_shared {
    reals q, m, u[4]; // q: the factor of z, by which w_i, or fma(f, h_i, 1), is multiplied
    reals c[POT_DISTANT_DEGREE];
};

// Sets u_i, i < 4, for d = D'.
SPECIALISED void distant_offsets(bool aligned, const struct pot_group_shape *g, const reals d[3], reals u[4]) {
    const float(*e)[3] = g->edge;
    reals last = v_mul(v_all(e[2][2]), d[2]), middle[2];
    last = distant_fma(!aligned, e[2][0], d[0], distant_fma(!aligned, e[2][1], d[1], last));
    for (int i = 0; i < 2; i++) {
        const float sign = i ? -1 : 1;
        reals x = distant_fma(!aligned, sign * e[1][2], d[2], last);
        x = v_fma(v_all(sign * e[1][1]), d[1], x);
        middle[i] = distant_fma(!aligned, sign * e[1][0], d[0], x);
    }
    for (int i = 0; i < 4; i++) {
        const float sign = i & 1 ? -1 : 1;
        reals x = distant_fma(!aligned, sign * e[0][2], d[2], middle[i >> 1]);
        x = distant_fma(!aligned, sign * e[0][1], d[1], x);
        u[i] = v_fma(v_all(sign * e[0][0]), d[0], x);
    }
}

// Sets c_n, 1 <= n <= POT_DISTANT_DEGREE, in c[n - 1] for x.
SPECIALISED void distant_series(reals x, reals c[POT_DISTANT_DEGREE]) {
    static const float b[POT_DISTANT_DEGREE][POT_DISTANT_DEGREE + 1] = POT_DISTANT_SERIES;
    for (int n = 0; n < POT_DISTANT_DEGREE; n++) {
        c[n] = v_all(b[n][n + 1]);
        for (int j = n; j >= 0; j--) c[n] = v_fma(c[n], x, v_all(b[n][j]));
    }
}

// Sets *shared for d, the centre of a group minus the position of a charge.
SPECIALISED void distant_centre(enum pot_pair_kind kind, bool aligned, const struct pot_group_shape *g,
                                const reals d[3], reals soft, reals charge, struct distant_shared *shared) {
    reals r2 = v_fma(d[0], d[0], v_fma(d[1], d[1], v_fma(d[2], d[2], soft)));
    reals y = v_half_from(POT_ROOT_MAGIC, r2), t = v_mul(r2, y), w = far_root(v_nfma(t, y, v_all(POT_FAR_ROOT_0)));
    reals v = v_mul(y, w), m = v_mul(v, v);
    const reals dm[3] = {v_mul(d[0], m), v_mul(d[1], m), v_mul(d[2], m)};
    shared->m = m;
    distant_offsets(aligned, g, dm, shared->u);
    shared->q = v_mul(charge, kind == POT_PAIR_DIELECTRIC ? m : v);
    if (kind != POT_PAIR_SCREENED) return;
    shared->q = v_mul(shared->q, far_exponential(t, w));
    distant_series(v_mul(t, w), shared->c);
}

// Returns z of point i of a group; i must be a constant.
SPECIALISED reals distant_term(enum pot_pair_kind kind, bool aligned, const struct pot_group_shape *g,
                               const struct distant_shared *shared, int i, reals magic) {
    const int pair = i < 4 ? i : 7 - i;
    const reals shift = v_all(kind == POT_PAIR_SCREENED ? 0 : POT_FAR_ROOT_0 - 1);
    const reals s = v_fma(v_all(g->g[aligned ? 0 : pair]), shared->m, shift);
    const reals h = i < 4 ? v_add(s, shared->u[pair]) : v_sub(s, shared->u[pair]);
    if (kind == POT_PAIR_SCREENED) {
        reals f = shared->c[POT_DISTANT_DEGREE - 1];
        for (int n = POT_DISTANT_DEGREE - 1; n-- > 0;) f = v_fma(f, h, shared->c[n]);
        return v_fma(shared->q, v_fma(f, h, v_all(1)), magic);
    }
    const reals w = far_root(h);
    return v_fma(kind == POT_PAIR_DIELECTRIC ? v_mul(shared->q, w) : shared->q, w, magic);
}

#endif
