// SPDX-License-Identifier: MIT
// The kernel of accessible_surface.c for AVX-512: vectors of sixteen numbers.
#ifdef __x86_64__
#include "surface_kernel.h"
#include "vector_avx512.h"

static inline unsigned bits(flags f) {
    return f;
}

static inline reals multiply_add(reals a, reals b, reals c) {
    return v_fma(a, b, c);
}

static inline void append(struct obs_surface_atoms *to, unsigned mask, const reals x[4], uint32_t first, uint32_t run) {
    const __m512i lanes = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    const __mmask16 m = (__mmask16)mask;
    const size_t n = to->count;
    for (int k = 0; k < 4; k++) _mm512_storeu_ps(to->x[k] + n, _mm512_maskz_compress_ps(m, x[k]));
    _mm512_storeu_si512(to->point + n,
                        _mm512_maskz_compress_epi32(m, _mm512_add_epi32(lanes, _mm512_set1_epi32((int)first))));
    _mm512_storeu_si512(to->run + n, _mm512_set1_epi32((int)run));
    to->count += (size_t)__builtin_popcount(mask);
}

#include "surface_kernel_body.h"

const struct obs_surface_kernel obs_surface_kernel_avx512 = {gather, expose};
#endif
