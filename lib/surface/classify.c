// SPDX-License-Identifier: MIT
// Compares 64 values at a time with the level, because later steps work on bits.
#include "classify.h"

#include <math.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

struct surf_threshold surf_threshold_of(const struct trj_map *m, double level) {
    struct surf_threshold t = {.kind = m->kind};
    double whole = floor(m->kind == TRJ_MAP_QUANTA ? level / m->quantum : level);
    switch (m->kind) {
    case TRJ_MAP_FLOAT32:
        t.min.f32 = (float)level;
        if (!((double)t.min.f32 > level)) t.min.f32 = nextafterf(t.min.f32, INFINITY);
        break;
    case TRJ_MAP_QUANTA:
        t.none = whole >= 0x1p63;
        t.min.quanta = t.none ? INT64_MAX : whole < -0x1p63 ? INT64_MIN : (int64_t)whole + 1;
        break;
    case TRJ_MAP_COUNTS:
        t.none = whole >= 0x1p64;
        t.min.counts = t.none ? UINT64_MAX : whole < 0 ? 0 : (uint64_t)whole + 1;
        break;
    default:
        t.min.f64 = nextafter(level, INFINITY);
    }
    return t;
}

// Classifies up to 64 values.
static uint64_t word_f32(const float *v, size_t n, float min, bool *nan) {
    uint64_t word = 0;
#ifdef __SSE2__
    const __m128 bound = _mm_set1_ps(min);
    if (n == 64) {
        __m128 unordered = _mm_setzero_ps();
        for (unsigned i = 0; i < 64; i += 16) {
            __m128 a = _mm_loadu_ps(v + i), b = _mm_loadu_ps(v + i + 4);
            __m128 c = _mm_loadu_ps(v + i + 8), d = _mm_loadu_ps(v + i + 12);
            unordered = _mm_or_ps(unordered, _mm_or_ps(_mm_cmpunord_ps(a, b), _mm_cmpunord_ps(c, d)));
            __m128i low =
                _mm_packs_epi32(_mm_castps_si128(_mm_cmpge_ps(a, bound)), _mm_castps_si128(_mm_cmpge_ps(b, bound)));
            __m128i high =
                _mm_packs_epi32(_mm_castps_si128(_mm_cmpge_ps(c, bound)), _mm_castps_si128(_mm_cmpge_ps(d, bound)));
            word |= (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_packs_epi16(low, high)) << i;
        }
        if (_mm_movemask_ps(unordered)) *nan = true;
        return word;
    }
#endif
    for (size_t i = 0; i < n; i++) {
        word |= (uint64_t)(v[i] >= min) << i;
        if (isnan(v[i])) *nan = true;
    }
    return word;
}

#ifdef __SSE2__
// Returns 32 bits for each of four masks of 64 bits.
static __m128i pack(__m128d a, __m128d b) {
    return _mm_castps_si128(_mm_shuffle_ps(_mm_castpd_ps(a), _mm_castpd_ps(b), _MM_SHUFFLE(2, 0, 2, 0)));
}
#endif

static uint64_t word_f64(const double *v, size_t n, double min, bool *nan) {
    uint64_t word = 0;
    size_t i = 0;
#ifdef __SSE2__
    const __m128d bound = _mm_set1_pd(min);
    __m128d unordered = _mm_setzero_pd();
    for (; i + 8 <= n; i += 8) {
        __m128d a = _mm_loadu_pd(v + i), b = _mm_loadu_pd(v + i + 2);
        __m128d c = _mm_loadu_pd(v + i + 4), d = _mm_loadu_pd(v + i + 6);
        unordered = _mm_or_pd(unordered, _mm_or_pd(_mm_cmpunord_pd(a, b), _mm_cmpunord_pd(c, d)));
        __m128i low = pack(_mm_cmpge_pd(a, bound), _mm_cmpge_pd(b, bound)),
                high = pack(_mm_cmpge_pd(c, bound), _mm_cmpge_pd(d, bound)), both = _mm_packs_epi32(low, high);
        word |= (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_packs_epi16(both, _mm_setzero_si128())) << i;
    }
    if (_mm_movemask_pd(unordered)) *nan = true;
#endif
    for (; i < n; i++) {
        word |= (uint64_t)(v[i] >= min) << i;
        if (isnan(v[i])) *nan = true;
    }
    return word;
}

static uint64_t word_quanta(const int64_t *v, size_t n, int64_t min) {
    uint64_t word = 0;
    for (size_t i = 0; i < n; i++) word |= (uint64_t)(v[i] >= min) << i;
    return word;
}

static uint64_t word_counts(const uint64_t *v, size_t n, uint64_t min) {
    uint64_t word = 0;
    for (size_t i = 0; i < n; i++) word |= (uint64_t)(v[i] >= min) << i;
    return word;
}

bool surf_classify(const struct surf_threshold *t, const void *values, size_t n, uint64_t *words) {
    bool nan = false;
    for (size_t i = 0; i < n; i += 64) {
        size_t some = n - i < 64 ? n - i : 64;
        uint64_t *word = words + i / 64;
        switch (t->kind) {
        case TRJ_MAP_FLOAT32:
            *word = word_f32((const float *)values + i, some, t->min.f32, &nan);
            break;
        case TRJ_MAP_QUANTA:
            *word = t->none ? 0 : word_quanta((const int64_t *)values + i, some, t->min.quanta);
            break;
        case TRJ_MAP_COUNTS:
            *word = t->none ? 0 : word_counts((const uint64_t *)values + i, some, t->min.counts);
            break;
        default:
            *word = word_f64((const double *)values + i, some, t->min.f64, &nan);
        }
    }
    return nan;
}
