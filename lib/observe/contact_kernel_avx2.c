// SPDX-License-Identifier: MIT
// The kernel of contact_search.c for AVX2. The points of a register are compared with all rows of a run, which stay in
// memory as scalars that the loads broadcast.
#ifdef __x86_64__
#include <immintrin.h>
#include <math.h>

#include "contact_kernel.h"

enum { LANES = OBS_CONTACT_LANES };

// Infinity is added to the distances of lanes that are left out.
static const float out[3 * LANES] = {INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY,
                                     0,        0,        0,        0,        0,        0,        0,        0,
                                     INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY};

struct points {
    __m256 x, y, z, out; // out: to be added
};

// Returns |x - at|^2 - inner2. Its sign bit is set inside, and as an unsigned integer it is less than outer2 - inner2
// between both limits alone: three instructions for each row count and find these.
static inline __m256 square(const struct obs_contact_run *run, size_t q, const struct points *p, __m256 inner) {
    __m256 dx = _mm256_sub_ps(p->x, _mm256_broadcast_ss(&run->at[0][q])),
           dy = _mm256_sub_ps(p->y, _mm256_broadcast_ss(&run->at[1][q])),
           dz = _mm256_sub_ps(p->z, _mm256_broadcast_ss(&run->at[2][q]));
    return _mm256_fmadd_ps(dz, dz, _mm256_fmadd_ps(dy, dy, _mm256_fmsub_ps(dx, dx, inner)));
}

// Compares all rows with the points; adds the numbers of points inside to *inside, and returns the smallest value.
static inline __m256i compare(const struct obs_contact_run *run, const struct points *p, __m256 inner, bool tail,
                              __m256i *inside) {
    __m256i least = _mm256_set1_epi32(-1);
    for (size_t q = 0; q < OBS_CONTACT_ROWS; q++) {
        __m256 s = square(run, q, p, inner);
        if (tail) s = _mm256_add_ps(s, p->out);
        __m256i bits = _mm256_castps_si256(s);
        *inside = _mm256_add_epi32(*inside, _mm256_srli_epi32(bits, 31));
        least = _mm256_min_epu32(least, bits);
    }
    return least;
}

size_t obs_contact_kernel_avx2(const float *const x[3], const struct obs_contact_run *run, size_t runs, float inner2,
                               float outer2, struct obs_contact_near *near, size_t *found) {
    const __m256 inner = _mm256_set1_ps(inner2), width = _mm256_set1_ps(outer2 - inner2);
    const __m256i last = _mm256_castps_si256(width);
    __m256i inside = _mm256_setzero_si256();
    size_t n = 0;
    for (size_t r = 0; r < runs; r++) {
        // A copy on the stack, which instructions address directly: otherwise gcc keeps pointers to all components.
        const struct obs_contact_run copy = run[r], *one = &copy;
        for (uint32_t j = one->begin, end = one->end; j < end; j += LANES) {
            const uint32_t left = end - j;
            const bool triangle = one->triangle && j == one->begin;
            struct points p = {_mm256_loadu_ps(x[0] + j), _mm256_loadu_ps(x[1] + j), _mm256_loadu_ps(x[2] + j),
                               _mm256_loadu_ps(out + (left < LANES ? 2 * LANES - left : LANES))};
            if (!triangle) {
                __m256i least =
                    left < LANES ? compare(one, &p, inner, true, &inside) : compare(one, &p, inner, false, &inside);
                __m256i below = _mm256_cmpeq_epi32(_mm256_min_epu32(least, last), least);
                if (_mm256_testz_si256(below, below)) continue;
            }
            // Few registers have points between the limits, and their distances are computed again.
            for (uint32_t q = 0; q < OBS_CONTACT_ROWS; q++) {
                __m256 s = _mm256_add_ps(square(one, q, &p, inner), p.out);
                if (triangle) {
                    s = _mm256_add_ps(s, _mm256_loadu_ps(out + LANES - q));
                    inside = _mm256_add_epi32(inside, _mm256_srli_epi32(_mm256_castps_si256(s), 31));
                }
                __m256 between = _mm256_andnot_ps(s, _mm256_cmp_ps(s, width, _CMP_LE_OQ)); // in the sign bits
                for (unsigned bits = (unsigned)_mm256_movemask_ps(between); bits; bits &= bits - 1)
                    near[n++] = (struct obs_contact_near){(uint32_t)r, q, j + (uint32_t)__builtin_ctz(bits)};
            }
        }
    }
    uint32_t lane[LANES];
    size_t sum = 0;
    _mm256_storeu_si256((__m256i *)lane, inside);
    for (size_t i = 0; i < LANES; i++) sum += lane[i];
    *found = n;
    return sum;
}
#else
typedef int obs_no_avx2; // C has no empty files
#endif
