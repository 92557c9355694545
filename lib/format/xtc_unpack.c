// SPDX-License-Identifier: MIT
// Decompresses XTC coordinates. In the format, these are integers in units of 1/precision nm. An atom is stored whole,
// as three digits counted from the lower bounds. One bit follows; if it is set, five bits give the number of small
// atoms that follow each whole atom from now on, and whether their size changes. A small atom is also three digits, the
// difference to the previous atom. The order of a whole atom and the first small one after it is exchanged, so that in
// a water molecule both hydrogens can be stored as differences to the oxygen.
//
// Three digits of the sizes s0, s1, s2 are one number (d0 s1 + d1) s2 + d2 with as many bits as s0 s1 s2. Its bytes are
// stored lowest first; its last bits, fewer than eight, are its highest ones. Within each, the highest bit comes first.
// If one of the sizes has more than 24 bits, the digits are stored one by one, highest bit first.
//
// Speed: a number of up to 57 bits is extracted from one load of 8 bytes at any bit, and divided by multiplication.
// Integers are collected, and then converted to floats and compared with the bounds in loops that compilers vectorise.
// xtc_unpack_avx2.c unpacks nearly all data on CPUs with AVX2.
#include "xtc_unpack.h"

#include <math.h>

#include "largest_magnitude.h"
#include "xtc_unpack_parts.h"

typedef unsigned __int128 wide;

enum {
    FIRST = TRJ_XTC_SMALL_FIRST, // smallest and largest number of bits of a small atom
    LAST = TRJ_XTC_SMALL_LAST,
    MAX_DIGIT = 24, // bits of a size above which digits are stored one by one
    MAX_RUN = TRJ_XTC_MAX_RUN,
    GATHERED = TRJ_XTC_GATHERED,
    MAX_RUN_BITS = 822 // bits of a whole atom and its small ones
};
_Static_assert(MAX_RUN_BITS / 8 + 16 < TRJ_XTC_SLACK,
               "a bit reader that looks once an atom whether the data have ended");

static unsigned bits_of(wide v) {
    unsigned n = 0;
    for (; v; v >>= 1) n++;
    return n;
}

static void set_digits(struct trj_xtc_digits *d, const uint32_t size[3]) {
    unsigned max = 0;
    memcpy(d->size, size, sizeof d->size);
    for (int k = 0; k < 3; k++) {
        d->each[k] = bits_of(size[k]);
        max = d->each[k] > max ? d->each[k] : max;
    }
    d->bits = max > MAX_DIGIT ? d->each[0] + d->each[1] + d->each[2] : bits_of((wide)size[0] * size[1] * size[2]);
    d->kind = max > MAX_DIGIT ? ONE_BY_ONE : d->bits <= TRJ_XTC_MAX_LOAD && size[1] > 1 && size[2] > 1 ? QUICK : WIDE;
    if (d->kind != QUICK) return;
    d->whole = TRJ_XTC_BYTES(d->bits);
    d->left = 64 - d->bits;
    d->low = TRJ_XTC_MASK(d->whole);
    d->rest = TRJ_XTC_MASK(d->bits & 7);
    for (int k = 1; k < 3; k++) {
        d->inverse[k] = TRJ_XTC_INVERSE(size[k]);
        d->shift[k] = TRJ_XTC_SHIFT(size[k]);
        d->reciprocal[k] = 1.0 / size[k];
    }
}

static inline uint64_t divide(const struct trj_xtc_digits *d, int k, uint64_t v) {
    return (uint64_t)((wide)v * d->inverse[k] >> 64) >> d->shift[k];
}

static inline void quick(const struct trj_xtc_digits *d, uint64_t next, uint32_t v[3]) {
    uint64_t n = (__builtin_bswap64(next) & d->low) | (next >> d->left & d->rest) << d->whole;
    uint64_t upper = divide(d, 2, n), top = divide(d, 1, upper);
    v[0] = (uint32_t)top; // if it is too large, the check of the bounds fails
    v[1] = (uint32_t)(upper - top * d->size[1]);
    v[2] = (uint32_t)(n - upper * d->size[2]);
}

__attribute__((noinline)) static void slow(const struct trj_xtc_digits *d, const unsigned char *data, uint64_t bit,
                                           uint32_t v[3]) {
    if (d->kind == ONE_BY_ONE) {
        for (int k = 0; k < 3; bit += d->each[k++]) v[k] = (uint32_t)(trj_xtc_look(data, bit) >> (64 - d->each[k]));
        return;
    }
    wide n = 0;
    for (unsigned got = 0, some; got < d->bits; got += some) {
        some = d->bits - got < 8 ? d->bits - got : 8;
        n |= (wide)(trj_xtc_look(data, bit + got) >> (64 - some)) << got;
    }
    wide upper = n / d->size[2];
    v[0] = (uint32_t)(upper / d->size[1]);
    v[1] = (uint32_t)(upper % d->size[1]);
    v[2] = (uint32_t)(n % d->size[2]);
}

static inline void get(const struct trj_xtc_digits *d, const unsigned char *data, uint64_t bit, uint32_t v[3]) {
    if (__builtin_expect(d->kind == QUICK, 1))
        quick(d, trj_xtc_look(data, bit), v);
    else
        slow(d, data, bit, v);
}

// The integers of the atoms that were collected, in two's complement.
struct integers {
    uint32_t x[3][GATHERED + MAX_RUN + 1];
};

static unsigned long long byte_at(const struct trj_xtc_unpacker *u) {
    return u->b->offset + u->bit / 8;
}

static int start(struct trj_xtc_unpacker *u, const struct trj_packed *b, struct trj_error *err) {
    uint32_t size[3];
    u->b = b;
    u->small = b->small;
    u->run = 0;
    u->bit = 0;
    u->unit = (float)(1.0 / (double)b->precision);
    u->farthest = 0;
    for (int k = 0; k < 3; k++) {
        int64_t sizes = (int64_t)b->high[k] - b->low[k] + 1;
        if (sizes < 1 || sizes > UINT32_MAX)
            return trj_fail(err, TRJ_BAD_DATA, "%c has the bounds %d and %d", 'x' + k, b->low[k], b->high[k]);
        size[k] = (uint32_t)sizes;
    }
    if (b->small < FIRST || b->small > LAST + 1)
        return trj_fail(err, TRJ_BAD_DATA, "small atoms have %d bits", b->small);
    if (!(b->precision > 0) || !isfinite(b->precision) || !isfinite(u->unit))
        return trj_fail(err, TRJ_BAD_DATA, "the precision is %g", (double)b->precision);
    set_digits(&u->whole, size);
    return 0;
}

// Reads the small atoms that follow the whole atom `p`, which is number `n` of those collected. Returns the bit after
// them.
static inline uint64_t get_small(const struct trj_xtc_unpacker *u, struct integers *to, const uint32_t p[3], size_t n,
                                 uint64_t bit) {
    const struct trj_xtc_digits *d = &trj_xtc_smalls[u->small - FIRST];
    uint32_t v[3], q[3], half = d->size[0] / 2;
    for (int k = 0; k < 3; k++) q[k] = p[k];
    for (size_t j = 0; j < u->run; j++, bit += d->bits) {
        get(d, u->b->data, bit, v);
        for (int k = 0; k < 3; k++) to->x[k][n + j + (j > 0)] = q[k] += v[k] - half;
    }
    for (int k = 0; k < 3; k++) to->x[k][n + 1] = p[k];
    return bit;
}

// Collects at least GATHERED atoms, or all that are left. Returns their number; 0 on failure.
static size_t gather(struct trj_xtc_unpacker *u, struct integers *to, size_t atom, size_t atoms,
                     struct trj_error *err) {
    const unsigned char *data = u->b->data;
    uint64_t bit = u->bit, end = 8 * (uint64_t)u->b->bytes;
    size_t n = 0, left = atoms - atom;
    const char *reason = NULL;
    while (n < GATHERED && n < left && bit < end) {
        uint32_t p[3];
        get(&u->whole, data, bit, p);
        for (int k = 0; k < 3; k++) p[k] += (uint32_t)u->b->low[k];
        bit += u->whole.bits;
        uint64_t next = trj_xtc_look(data, bit);
        unsigned code = 1; // the size does not change
        bit++;
        if (next >> 63) {
            code = next >> 58 & 31;
            u->run = code / 3;
            bit += 5;
        }
        if (u->run >= left - n) {
            reason = "more small atoms than atoms left";
        } else if (u->run && u->small > LAST) {
            reason = "small atoms of an invalid size";
        } else if (u->run) {
            bit = get_small(u, to, p, n, bit);
        } else {
            for (int k = 0; k < 3; k++) to->x[k][n] = p[k];
        }
        if (reason) break;
        n += u->run + 1;
        u->small += (int32_t)(code % 3) - 1;
        if (u->small < FIRST || u->small > LAST + 1) {
            reason = "small atoms of an invalid size";
            break;
        }
    }
    u->bit = bit;
    if (!reason && (bit > end || (n < GATHERED && n < left))) reason = "the compressed data end too early";
    if (!reason) return n;
    trj_fail(err, TRJ_BAD_DATA, "atom %zu of %zu, byte %llu: %s", atom + n, atoms, byte_at(u), reason);
    return 0;
}

// Converts to floats. Returns whether all integers are within the bounds.
static bool convert(const struct trj_xtc_unpacker *u, const struct integers *from, int axis, float *x, size_t n) {
    float unit = u->unit;
    uint32_t low = (uint32_t)u->b->low[axis], max = (uint32_t)u->b->high[axis] - low, beyond = 0;
    for (size_t i = 0; i < n; i++) {
        beyond |= from->x[axis][i] - low > max;
        x[i] = (float)(int32_t)from->x[axis][i] * unit;
    }
    return !beyond;
}

static int out_of_bounds(const struct trj_xtc_unpacker *u, const struct integers *from, int axis, size_t atom,
                         struct trj_error *err) {
    size_t i = 0;
    int32_t low = u->b->low[axis], high = u->b->high[axis];
    while ((int32_t)from->x[axis][i] >= low && (int32_t)from->x[axis][i] <= high) i++;
    return trj_fail(err, TRJ_BAD_DATA, "atom %zu, before byte %llu: %c is %d, outside of its bounds %d and %d",
                    atom + i, byte_at(u), 'x' + axis, (int32_t)from->x[axis][i], low, high);
}

// Unpacks and converts the next atoms. Returns their number; 0 on failure.
static size_t unpack_some(struct trj_xtc_unpacker *u, float *const x[3], size_t atom, size_t atoms, enum trj_isa isa,
                          struct trj_error *err) {
    struct integers integers;
#ifdef __x86_64__
    size_t got = isa == TRJ_ISA_PLAIN ? 0 : trj_xtc_gather_avx2(u, x, atoms - atom);
    if (got) return got;
#endif
    size_t n = gather(u, &integers, atom, atoms, err);
    for (int k = 0; n && k < 3; k++) {
        if (!convert(u, &integers, k, x[k], n)) {
            (void)out_of_bounds(u, &integers, k, atom, err);
            return 0;
        }
        u->farthest = fmaxf(u->farthest, trj_largest_magnitude(x[k], n, isa));
    }
    return n;
}

int trj_xtc_unpack_with(enum trj_isa isa, const struct trj_packed *block, float *const x[3], size_t atoms,
                        const uint32_t *pick, size_t picked, float *farthest, struct trj_error *err) {
    struct trj_xtc_unpacker u;
    float unpicked[3][GATHERED + MAX_RUN + 1];
    size_t taken = 0;
    if (start(&u, block, err)) return -1;
    if (pick) memset(unpicked, 0, sizeof unpicked); // static analysers do not see that it is filled
    *farthest = 0;
    for (size_t atom = 0, n; atom < atoms; atom += n) {
        float *to[3];
        for (int k = 0; k < 3; k++) to[k] = pick ? unpicked[k] : x[k] + atom;
        if (!(n = unpack_some(&u, to, atom, atoms, isa, err))) return -1;
        if (!pick) continue;
        for (; taken < picked && pick[taken] < atom + n; taken++)
            for (int k = 0; k < 3; k++) x[k][taken] = unpicked[k][pick[taken] - atom];
        if (taken == picked) return 0;
    }
    if (!pick) *farthest = u.farthest;
    if ((u.bit + 7) / 8 == block->bytes) return 0;
    return trj_fail(err, TRJ_BAD_DATA, "the coordinates end at byte %llu, their compressed data at byte %llu",
                    byte_at(&u), (unsigned long long)(block->offset + block->bytes));
}

int trj_xtc_unpack(const struct trj_packed *block, float *const x[3], size_t atoms, const uint32_t *pick, size_t picked,
                   float *farthest, struct trj_error *err) {
    return trj_xtc_unpack_with(trj_isa_of_process(), block, x, atoms, pick, picked, farthest, err);
}
