// SPDX-License-Identifier: MIT
// Compresses XTC coordinates. The format does not define how many small atoms follow a whole one, nor when their size
// changes. The rules here are those of other writers, so that files become as small as theirs. An atom follows as a
// small one if its distance from the previous atom fits, up to MAX_RUN in a row. Sizes shrink if all small atoms of a
// run would fit the next smaller size, and grow if even the whole atom is near the previous atom.
#include "xtc_pack.h"

#include <stdbool.h>
#include <string.h>

enum {
    FIRST = TRJ_XTC_SMALL_FIRST,
    LAST = TRJ_XTC_SMALL_LAST,
    MAX_RUN = 8,    // small atoms in a row: the five bits allow ten, but no program writes more than eight
    SIZES = 8,      // sizes that a frame may use, besides the smallest
    MAX_PUT = 56,   // bits that one call can write
    MAX_DIGIT = 24, // bits of a size above which digits are written one by one
};

// Writes bits, highest first. Less than eight of them are pending in the low bits of `held`; its other bits are
// undefined.
struct bits {
    unsigned char *to;
    uint64_t held;
    unsigned waiting;
};

static inline void put(struct bits *b, uint64_t v, unsigned n) {
    b->held = b->held << n | v;
    b->waiting += n;
    uint64_t out = b->held << (64 - b->waiting);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    out = __builtin_bswap64(out);
#endif
    memcpy(b->to, &out, sizeof out);
    b->to += b->waiting >> 3;
    b->waiting &= 7;
}

// How three digits are stored as one number: its bytes, lowest first, then the remaining bits.
struct digits {
    uint64_t size[3];
    unsigned bits;
    bool one_by_one, quick;
};

static inline void put_number(struct bits *b, uint64_t n, unsigned bits) {
    unsigned whole = bits & ~7u;
    put(b, (__builtin_bswap64(n) >> (64 - whole)) << (bits - whole) | n >> whole, bits);
}

__attribute__((noinline)) static void put_slowly(struct bits *b, const struct digits *d, const uint32_t v[3]) {
    if (d->one_by_one) {
        for (int k = 0; k < 3; k++) put(b, v[k], 64 - (unsigned)__builtin_clzll(d->size[k]));
        return;
    }
    unsigned __int128 n = ((unsigned __int128)v[0] * d->size[1] + v[1]) * d->size[2] + v[2];
    unsigned left = d->bits;
    for (; left >= 8; left -= 8, n >>= 8) put(b, (uint64_t)n & 0xff, 8);
    if (left) put(b, (uint64_t)n, left);
}

static inline void put_digits(struct bits *b, const struct digits *d, const uint32_t v[3]) {
    if (__builtin_expect(d->quick, 1))
        put_number(b, (v[0] * d->size[1] + v[1]) * d->size[2] + v[2], d->bits);
    else
        put_slowly(b, d, v);
}

static struct digits whole_digits(const struct trj_packed *b) {
    struct digits d = {.one_by_one = false};
    unsigned __int128 product = 1;
    for (int k = 0; k < 3; k++) {
        d.size[k] = (uint64_t)((int64_t)b->high[k] - b->low[k]) + 1;
        d.one_by_one = d.one_by_one || d.size[k] >> MAX_DIGIT;
        product *= d.size[k];
    }
    for (; product && !d.one_by_one; product >>= 1) d.bits++;
    d.quick = d.bits >= 8 && d.bits <= MAX_PUT;
    return d;
}

// Returns the least |dx| + |dy| + |dz| of consecutive atoms, which determines the first size.
static int64_t min_neighbour_distance(const int32_t *const x[3], size_t atoms) {
    uint32_t min = UINT32_MAX;
    for (size_t i = 1; i < atoms; i++) {
        uint32_t sum = 0;
        for (int k = 0; k < 3; k++) {
            int32_t d = x[k][i] - x[k][i - 1];
            uint32_t size = (uint32_t)(d < 0 ? -d : d);
            sum = sum + size < sum ? UINT32_MAX : sum + size;
        }
        min = sum < min ? sum : min;
    }
    return min;
}

// Returns whether all three are greater than -half and less than half.
static inline bool is_near(const int32_t d[3], uint32_t half) {
    uint32_t shift = half - 1, count = 2 * half - 1;
    return ((uint32_t)d[0] + shift < count) & ((uint32_t)d[1] + shift < count) & ((uint32_t)d[2] + shift < count);
}

static inline void subtract(int32_t d[3], const int32_t from[3], const int32_t to[3]) {
    for (int k = 0; k < 3; k++) d[k] = to[k] - from[k];
}

static inline void load_atom(int32_t p[3], const int32_t *const x[3], size_t i) {
    for (int k = 0; k < 3; k++) p[k] = x[k][i];
}

static inline int64_t square(const int32_t d[3]) {
    return (int64_t)d[0] * d[0] + (int64_t)d[1] * d[1] + (int64_t)d[2] * d[2];
}

void trj_xtc_pack(struct trj_packed *b, const int32_t *const x[3], size_t atoms, unsigned char *to) {
    struct digits whole = whole_digits(b), small[LAST + 1] = {{.bits = 0}};
    struct bits bits = {.waiting = 0};
    int64_t min = min_neighbour_distance(x, atoms);
    bits.to = to;
    for (unsigned n = FIRST; n <= LAST; n++) {
        uint64_t size = trj_xtc_small_size(n);
        small[n] = (struct digits){.size = {size, size, size}, .bits = n, .quick = n <= MAX_PUT};
    }
    int current = FIRST;
    while (current < LAST && (int64_t)small[current].size[0] < min) current++;
    const int largest = current + SIZES < LAST ? current + SIZES : LAST, smallest = largest - SIZES;
    const uint32_t largest_half = (uint32_t)small[largest].size[0] / 2;
    b->small = current;
    uint32_t half = (uint32_t)small[current].size[0] / 2;
    int64_t smaller_half = (int64_t)small[current > FIRST ? current - 1 : FIRST].size[0] / 2;
    int32_t previous[3] = {0}, d[3];
    size_t run = 0; // small atoms after the previous whole atom
    for (size_t i = 0; i < atoms;) {
        uint32_t v[3], follow[MAX_RUN][3];
        int32_t p[3], next[3];
        size_t count = 0;
        load_atom(p, x, i);
        subtract(d, previous, p);
        int change = current < largest && i && is_near(d, largest_half) ? 1 : current > smallest ? -1 : 0;
        bool pair = false;
        if (++i < atoms) {
            load_atom(next, x, i);
            subtract(d, p, next);
            pair = is_near(d, half);
        }
        // The order of the whole atom and the first small one is exchanged.
        const int32_t *first = pair ? next : p;
        for (int k = 0; k < 3; k++) v[k] = (uint32_t)first[k] - (uint32_t)b->low[k];
        put_digits(&bits, &whole, v);
        memcpy(previous, first, sizeof previous);
        if (pair) {
            memcpy(next, p, sizeof next);
            subtract(d, previous, next);
            do {
                if (change < 0 && square(d) >= smaller_half * smaller_half) change = 0;
                for (int k = 0; k < 3; k++) follow[count][k] = (uint32_t)d[k] + half;
                count++;
                memcpy(previous, next, sizeof previous);
                if (++i >= atoms || count == MAX_RUN) break;
                load_atom(next, x, i);
                subtract(d, previous, next);
            } while (is_near(d, half));
        } else if (change < 0) {
            change = 0;
        }
        if (count != run || change) {
            put(&bits, 32 | (3 * count + (size_t)(change + 1)), 6);
            run = count;
        } else {
            put(&bits, 0, 1);
        }
        for (size_t j = 0; j < count; j++) put_digits(&bits, &small[current], follow[j]);
        current += change;
        if (change < 0) {
            half = (uint32_t)smaller_half;
            smaller_half = current > FIRST ? (int64_t)small[current - 1].size[0] / 2 : 0;
        } else if (change) {
            smaller_half = half;
            half = (uint32_t)small[current].size[0] / 2;
        }
    }
    b->data = to;
    b->bytes = (size_t)(bits.to - to) + (bits.waiting > 0);
}
