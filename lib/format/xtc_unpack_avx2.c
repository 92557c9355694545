// SPDX-License-Identifier: MIT
// Unpacks XTC coordinates with AVX2. The places of atoms in the bits are found one after the other, but their digits
// are computed for four atoms at once. xtc_unpack.c describes the format.
#ifdef __AVX2__
#include <immintrin.h>

#include "xtc_unpack_parts.h"

enum {
    FIRST = TRJ_XTC_SMALL_FIRST,
    LAST = TRJ_XTC_SMALL_LAST,
    BATCH = TRJ_XTC_GATHERED / 2, // atoms that are unpacked together: their integers fit into the L1 cache
    CAPACITY = BATCH + TRJ_XTC_MAX_RUN + 1 + 16, // vectors and runs may extend beyond the last atom
    // float64 divides a number of up to 50 bits exactly: (n + 1/2) / size differs from each integer by at least
    // 1/2 / size, but from its value by at most 2^-52 of it. A load returns 57 bits: these, and the code that follows.
    MAX_BITS = 50,
};

// The atoms of a batch. Integers of an atom are x, y, z, 0.
struct batch {
    uint64_t whole[CAPACITY], small[CAPACITY]; // bits from the first bit of an atom on
    int32_t whole_digits[CAPACITY][4], small_digits[CAPACITY][4], atom[CAPACITY][4];
    unsigned char run[CAPACITY]; // small atoms after each whole one
};

// Divides n atoms into digits, and adds `offset` to them.
static inline void divide(const struct trj_xtc_digits *d, const uint64_t *bits, size_t n, const int32_t offset[3],
                          int32_t digits[][4]) {
    const __m256i reverse = _mm256_setr_epi8(7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1,
                                             0, 15, 14, 13, 12, 11, 10, 9, 8);
    const __m256i low = _mm256_set1_epi64x((long long)d->low), rest = _mm256_set1_epi64x((long long)d->rest);
    const __m128i left = _mm_cvtsi32_si128((int)d->left), whole = _mm_cvtsi32_si128((int)d->whole);
    const __m256i exponent = _mm256_set1_epi64x(0x4330000000000000); // of 2^52: its last bits are an integer
    const __m256d integer = _mm256_set1_pd(0x1p52 - 0.5), half = _mm256_set1_pd(0.5);
    const __m256d size1 = _mm256_set1_pd(d->size[1]), size2 = _mm256_set1_pd(d->size[2]);
    const __m256d inverse1 = _mm256_set1_pd(d->reciprocal[1]), inverse2 = _mm256_set1_pd(d->reciprocal[2]);
    const __m128i x0 = _mm_set1_epi32(offset[0]), y0 = _mm_set1_epi32(offset[1]), z0 = _mm_set1_epi32(offset[2]);
    for (size_t i = 0; i < n; i += 4) {
        __m256i next = _mm256_loadu_si256((const __m256i *)(bits + i));
        __m256i bytes = _mm256_and_si256(_mm256_shuffle_epi8(next, reverse), low);
        __m256i last = _mm256_sll_epi64(_mm256_and_si256(_mm256_srl_epi64(next, left), rest), whole);
        __m256i number = _mm256_or_si256(_mm256_or_si256(bytes, last), exponent);
        __m256d v = _mm256_sub_pd(_mm256_castsi256_pd(number), integer); // the number and 1/2
        __m256d upper = _mm256_floor_pd(_mm256_mul_pd(v, inverse2));
        __m256d upper_half = _mm256_add_pd(upper, half);
        __m256d top = _mm256_floor_pd(_mm256_mul_pd(upper_half, inverse1));
        __m128i x = _mm_add_epi32(_mm256_cvttpd_epi32(top), x0);
        __m128i y = _mm_add_epi32(_mm256_cvttpd_epi32(_mm256_fnmadd_pd(top, size1, upper_half)), y0);
        __m128i z = _mm_add_epi32(_mm256_cvttpd_epi32(_mm256_fnmadd_pd(upper, size2, v)), z0);
        __m128i xy = _mm_unpacklo_epi32(x, y), zz = _mm_unpacklo_epi32(z, z);
        _mm_store_si128((__m128i *)digits[i], _mm_unpacklo_epi64(xy, zz));
        _mm_store_si128((__m128i *)digits[i + 1], _mm_unpackhi_epi64(xy, zz));
        xy = _mm_unpackhi_epi32(x, y);
        zz = _mm_unpackhi_epi32(z, z);
        _mm_store_si128((__m128i *)digits[i + 2], _mm_unpacklo_epi64(xy, zz));
        _mm_store_si128((__m128i *)digits[i + 3], _mm_unpackhi_epi64(xy, zz));
    }
}

static void divide_small(struct batch *t, int32_t small, size_t from, size_t to) {
    if (from == to) return;
    const struct trj_xtc_digits *d = &trj_xtc_smalls[small - FIRST];
    int32_t half = -(int32_t)(d->size[0] / 2);
    divide(d, t->small + from, to - from, (int32_t[]){half, half, half}, t->small_digits + from);
}

// Finds the bits of at least `atoms` of `left` atoms, and no group more. Returns their number, or 0 as
// trj_xtc_gather_avx2.
static size_t find(struct trj_xtc_unpacker *u, struct batch *t, size_t atoms, size_t left, size_t *groups) {
    const unsigned char *data = u->b->data;
    uint64_t bit = u->bit, end = 8 * (uint64_t)u->b->bytes;
    size_t n = 0, smalls = 0, divided = 0, g = 0;
    int32_t small = u->small;
    unsigned run = u->run, bits = u->whole.bits;
    for (; n < atoms; g++) {
        if (bit >= end) return 0;
        uint64_t next = trj_xtc_look(data, bit);
        t->whole[g] = next;
        next <<= bits;
        bit += bits + 1;
        int change = 0;
        if (next >> 63) {
            unsigned code = next >> 58 & 31;
            run = code / 3;
            change = (int)(code % 3) - 1;
            bit += 5;
        }
        if (run >= left - n || (run && small > MAX_BITS)) return 0;
        t->run[g] = (unsigned char)run;
        n += run + 1;
        // Most molecules have runs of up to two small atoms, or up to four: no branch depends on the exact number.
        uint64_t *to = t->small + smalls;
        uint64_t position = bit, step = (uint64_t)small;
        to[0] = trj_xtc_look(data, position);
        to[1] = trj_xtc_look(data, position += step);
        if (run > 2) {
            to[2] = trj_xtc_look(data, position += step);
            to[3] = trj_xtc_look(data, position += step);
            for (unsigned j = 4; j < run; j++) to[j] = trj_xtc_look(data, position += step);
        }
        smalls += run;
        bit += run * step;
        if (!change) continue;
        divide_small(t, small, divided, smalls);
        divided = smalls;
        small += change;
        if (small < FIRST || small > LAST + 1) return 0;
    }
    if (bit > end) return 0;
    divide_small(t, small, divided, smalls);
    u->bit = bit;
    u->run = run;
    u->small = small;
    *groups = g;
    return n;
}

// Adds the differences of small atoms, and puts the first one of each group before the whole atom.
static void add_up(struct batch *t, size_t groups) {
    __m128i *to = (__m128i *)t->atom;
    const __m128i *d = (const __m128i *)t->small_digits;
    for (size_t g = 0; g < groups; g++) {
        unsigned run = t->run[g];
        __m128i p = _mm_load_si128((const __m128i *)t->whole_digits[g]), q = _mm_add_epi32(p, d[0]);
        to[0] = q;
        to[run > 0] = p;
        to[2] = q = _mm_add_epi32(q, d[1]);
        if (run > 2) {
            to[3] = q = _mm_add_epi32(q, d[2]);
            to[4] = q = _mm_add_epi32(q, d[3]);
            for (unsigned j = 4; j < run; j++) to[j + 1] = q = _mm_add_epi32(q, d[j]);
        }
        d += run;
        to += run + 1;
    }
}

static inline __m256i load_two(const int32_t a[4], const int32_t b[4]) {
    return _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_load_si128((const __m128i *)a)),
                                   _mm_load_si128((const __m128i *)b), 1);
}

static inline int32_t largest_of(__m256i v) {
    int32_t lane[8], max;
    _mm256_storeu_si256((__m256i *)lane, v);
    max = lane[0];
    for (int i = 1; i < 8; i++) max = lane[i] > max ? lane[i] : max;
    return max;
}

// Converts n atoms to floats. Returns false if an integer is out of bounds.
static bool convert(struct trj_xtc_unpacker *u, struct batch *t, float *const x[3], size_t n) {
    const __m256 unit = _mm256_set1_ps(u->unit);
    __m256i high[3], low[3]; // largest and smallest integers; the latter as -1 - i, which has no overflow
    for (size_t i = n; i % TRJ_XTC_VECTOR; i++) memcpy(t->atom[i], t->atom[n - 1], sizeof t->atom[i]);
    for (int k = 0; k < 3; k++) high[k] = low[k] = _mm256_set1_epi32(INT32_MIN);
    for (size_t i = 0; i < n; i += TRJ_XTC_VECTOR) {
        const int32_t(*a)[4] = (const int32_t(*)[4])t->atom + i;
        __m256i a0 = load_two(a[0], a[4]), a1 = load_two(a[1], a[5]), a2 = load_two(a[2], a[6]),
                a3 = load_two(a[3], a[7]);
        __m256i xy0 = _mm256_unpacklo_epi32(a0, a1), xy2 = _mm256_unpacklo_epi32(a2, a3);
        __m256i axis[3] = {_mm256_unpacklo_epi64(xy0, xy2), _mm256_unpackhi_epi64(xy0, xy2),
                           _mm256_unpacklo_epi64(_mm256_unpackhi_epi32(a0, a1), _mm256_unpackhi_epi32(a2, a3))};
        for (int k = 0; k < 3; k++) {
            high[k] = _mm256_max_epi32(high[k], axis[k]);
            low[k] = _mm256_max_epi32(low[k], _mm256_xor_si256(axis[k], _mm256_set1_epi32(-1)));
            __m256 v = _mm256_mul_ps(_mm256_cvtepi32_ps(axis[k]), unit);
            if (i + TRJ_XTC_VECTOR <= n) {
                _mm256_storeu_ps(x[k] + i, v);
            } else {
                float some[TRJ_XTC_VECTOR];
                _mm256_storeu_ps(some, v);
                memcpy(x[k] + i, some, (n - i) * sizeof *some);
            }
        }
    }
    for (int k = 0; k < 3; k++) {
        int32_t max = largest_of(high[k]), min = ~largest_of(low[k]);
        if (max > u->b->high[k] || min < u->b->low[k]) return false;
        // Rounding keeps the order of numbers.
        float far = __builtin_fmaxf((float)max * u->unit, -((float)min * u->unit));
        if (far > u->farthest) u->farthest = far;
    }
    return true;
}

size_t trj_xtc_gather_avx2(struct trj_xtc_unpacker *u, float *const x[3], size_t left) {
    _Alignas(64) struct batch t;
    const struct trj_xtc_unpacker before = *u;
    size_t want = left < TRJ_XTC_GATHERED ? left : TRJ_XTC_GATHERED, groups, n = 0;
    if (u->whole.kind != QUICK || u->whole.bits > MAX_BITS) return 0;
    while (n < want) {
        float *const to[3] = {x[0] + n, x[1] + n, x[2] + n};
        size_t some = find(u, &t, want - n < BATCH ? want - n : BATCH, left - n, &groups);
        if (some) {
            divide(&u->whole, t.whole, groups, u->b->low, t.whole_digits);
            add_up(&t, groups);
        }
        if (!some || !convert(u, &t, to, some)) {
            *u = before;
            return 0;
        }
        n += some;
    }
    return n;
}
#endif
