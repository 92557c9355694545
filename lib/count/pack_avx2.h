// SPDX-License-Identifier: MIT
// For kernels in AVX2, which has no instruction that packs lanes. Include it where AVX2 and BMI2 are enabled.
#ifndef RDF_PACK_AVX2_H
#define RDF_PACK_AVX2_H

#ifdef __AVX2__
#include <immintrin.h>
#include <stdint.h>

// Returns the lanes of the mask, in order, from lane 0 on; the others are undefined.
static inline __m256i rdf_packed(__m256i x, unsigned mask) {
    uint64_t bytes = _pdep_u64(mask, 0x0101010101010101u) * 0xff;
    uint64_t lanes = _pext_u64(0x0706050403020100u, bytes);
    return _mm256_permutevar8x32_epi32(x, _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((int64_t)lanes)));
}
#endif

#endif
