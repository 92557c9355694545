// SPDX-License-Identifier: MIT
// The contribution of an atom image to a point in float32, as lib/potential/cutoff_sum.h defines it. The operations are
// those of lib/potential/cutoff_kernel_body.h, with vectors of one number.
#ifndef CUDA_CUTOFF_TERM_CUH
#define CUDA_CUTOFF_TERM_CUH

extern "C" {
#include "cutoff_lattice.h"
#include "inverse_root.h"
}

static __device__ __forceinline__ float cutoff_exp2(float x) {
    const float magic = 12582912.0f;
    x = fmaxf(x, -90.0f);
    const float n = __fadd_rn(x, magic), r = __fsub_rn(x, __fsub_rn(n, magic));
    float s = 0x1.44f196p-13f;
    s = __fmaf_rn(s, r, 0x1.5f3660p-10f);
    s = __fmaf_rn(s, r, 0x1.3b295cp-7f);
    s = __fmaf_rn(s, r, 0x1.c6aefcp-5f);
    s = __fmaf_rn(s, r, 0x1.ebfbe0p-3f);
    s = __fmaf_rn(s, r, 0x1.62e430p-1f);
    s = __fmaf_rn(s, r, 1.0f);
    return __uint_as_float(__float_as_uint(s) + (__float_as_uint(n) << 23));
}

static __device__ __forceinline__ float cutoff_series(const struct pot_cutoff_lattice &l, float r) {
    const float t = fminf(__fmaf_rn(r, l.map[0], l.map[1]), 1.0f);
    float s = l.series[POT_ERFC_DEGREE];
#pragma unroll
    for (int i = POT_ERFC_DEGREE; i-- > 0;) s = __fmaf_rn(s, t, l.series[i]);
    return s;
}

static __device__ __forceinline__ float cutoff_cubic(const struct pot_cutoff_lattice &l, float r) {
    const float magic = 12582912.0f;
    const float x = fminf(fmaxf(__fmaf_rn(r, l.map[0], l.map[1]), 0.0f), l.last),
                whole = __fadd_rn(__fsub_rn(x, 0.5f), magic), t = __fsub_rn(x, __fsub_rn(whole, magic));
    const float4 c = __ldg((const float4 *)l.cubic + (__float_as_uint(whole) - 0x4b400000u));
    return __fmaf_rn(__fmaf_rn(__fmaf_rn(c.w, t, c.z), t, c.y), t, c.x);
}

// Returns whether contributions are not 0 at the cutoff.
template <int KIND> static __device__ __forceinline__ constexpr bool cutoff_jumps() {
    return KIND != POT_KERNEL_RODRIGUES && KIND != POT_KERNEL_SHIFT && KIND != POT_KERNEL_REACTION;
}

// Returns M plus the contribution, rounded to a multiple of the quantum of M. 1 - s is at most 1, so that saturation
// (which costs nothing) is the maximum of it and 0.
template <int KIND>
static __device__ __forceinline__ float cutoff_term(const struct pot_cutoff_lattice &l, float square, float a, float b,
                                                    float magic) {
    if (KIND == POT_KERNEL_COUNT) return __fadd_rn(magic, 1.0f);
    const float y = __uint_as_float(POT_ROOT_MAGIC - (__float_as_uint(square) >> 1)), t = __fmul_rn(square, y),
                d = __fmaf_rn(-t, y, 1.0f);
    float w = __fmaf_rn(POT_ROOT_4, d, POT_ROOT_3), u, v;
    w = __fmaf_rn(w, d, POT_ROOT_2);
    w = __fmaf_rn(w, d, POT_ROOT_1);
    w = __fmaf_rn(w, d, 1.0f);
    if (KIND == POT_KERNEL_TABLE) return __fmaf_rn(a, cutoff_cubic(l, __fmul_rn(t, w)), magic);
    const float inverse = __fmul_rn(__fmul_rn(a, y), w);
    switch (KIND) {
    case POT_KERNEL_RODRIGUES:
        u = __saturatef(__fsub_rn(1.0f, square));
        return __fmaf_rn(inverse, __fmul_rn(u, u), magic);
    case POT_KERNEL_SHIFT:
        u = __saturatef(__fmaf_rn(-t, w, 1.0f));
        return __fmaf_rn(inverse, __fmul_rn(u, u), magic);
    case POT_KERNEL_REACTION:
        u = __fmaf_rn(__fmaf_rn(square, l.c[0], l.c[1]), a, inverse);
        return __fadd_rn(square < 1.0f ? u : 0.0f, magic);
    case POT_KERNEL_ERFC:
        u = cutoff_exp2(__fmul_rn(square, l.c[0]));
        v = cutoff_series(l, __fmul_rn(t, w));
        return __fmaf_rn(inverse, __fmul_rn(u, v), magic);
    case POT_KERNEL_YUKAWA:
        u = cutoff_exp2(__fmul_rn(__fmul_rn(t, w), l.c[0]));
        return __fmaf_rn(inverse, u, magic);
    default:
        break;
    }
    u = __fmul_rn(y, w);
    u = __fmul_rn(u, u);
    u = __fmul_rn(__fmul_rn(u, u), u);
    if (KIND == POT_KERNEL_LJ) return __fmaf_rn(u, __fmaf_rn(a, u, -b), magic);
    v = cutoff_exp2(__fmul_rn(__fmul_rn(t, w), l.c[0]));
    return __fadd_rn(__fmaf_rn(v, l.c[1], __fmul_rn(u, l.c[2])), magic);
}

#endif
