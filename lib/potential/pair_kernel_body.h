// SPDX-License-Identifier: MIT
// The kernels of pair_kernel.h, in terms of the vectors of vector_plain.h, or of those of an instruction set. Its file
// includes them, defines the following, includes this file, and defines its struct pot_pair_kernel with far(),
// distant() and near(). (This is a header because each file compiles it for its instruction set.)
//     vector_u32, vector_u64               vectors of uint32_t, uint64_t
//     w_zero(), w_add(s, x)       0, s + bits(x)
//     w_store(p, s)               unaligned
//     d_add, d_sub, d_div, d_sqrt, d_max(a, b) = a > b ? a : b
//     d_scale(g, n)               double of bits(g) + (bits(n) << 52)
//     d_clear_large(x, any)       x, or 0 where |x| <= POT_NEAR_LARGE is false, which sets *any
//     l_zero(), l_add(s, x)       0, s + bits(x)
//     l_store(p, s)               unaligned
#if !defined POT_PAIR_KERNEL_BODY_H && defined LANES
#define POT_PAIR_KERNEL_BODY_H

#include <string.h>

#include "pair_kernel.h"

// Vectors of points that are processed together share the loads of a charge.
enum { FAR_TOGETHER = 4, NEAR_TOGETHER = 2 };
// Number of charges for which distant_centre runs before distant_term. Both are long chains of dependent operations; in
// one loop, a CPU cannot overlap the chains of several charges.
enum { DISTANT_TOGETHER = 16 };

// Functions whose arguments `kind`, `together` and `aligned` must be constants.
#define SPECIALISED static inline __attribute__((always_inline))

#include "pair_far_term.h"

// ---- far

SPECIALISED void far_tile(enum pot_pair_kind kind, int together, const struct pot_pair *p,
                          const struct pot_block *block, size_t first, const pot_float32_charge *charge, size_t n,
                          float magic, uint32_t *partial) {
    reals point[3][FAR_TOGETHER];
    vector_u32 sum[FAR_TOGETHER];
    for (int i = 0; i < together; i++) {
        for (int k = 0; k < 3; k++) point[k][i] = v_load(block->local[k] + first + (size_t)i * LANES);
        sum[i] = w_zero();
    }
    reals square = v_all(p->far_square), m = v_all(magic);
    for (size_t j = 0; j < n; j++) {
        reals x = v_all(charge[j][0]), y = v_all(charge[j][1]), z = v_all(charge[j][2]), q = v_all(charge[j][3]);
        for (int i = 0; i < together; i++) {
            reals dx = v_sub(point[0][i], x), dy = v_sub(point[1][i], y), dz = v_sub(point[2][i], z);
            reals r2 = v_fma(dx, dx, v_fma(dy, dy, v_fma(dz, dz, square)));
            sum[i] = w_add(sum[i], far_term(kind, r2, q, m));
        }
    }
    for (int i = 0; i < together; i++) w_store(partial + i * LANES, sum[i]);
}

// The sums of bits(z) - bits(M), modulo 2^32, are in the range of int32.
static inline void add_partial(const uint32_t *partial, size_t points, uint32_t bits, unsigned k, int64_t *sum) {
    for (size_t i = 0; i < points; i++) sum[i] += (int64_t)(int32_t)(partial[i] - bits) * ((int64_t)1 << k);
}

// Returns M of pair_term.h for class k.
static inline float magic_of(const struct pot_pair *p, unsigned k) {
    return (float)(0x1.8p23 * p->quantum * (double)((uint64_t)1 << k));
}

SPECIALISED void far_kind(enum pot_pair_kind kind, const struct pot_pair *p, const struct pot_block *block,
                          const pot_float32_charge *charge, size_t n, unsigned k, int64_t *sum) {
    float magic = magic_of(p, k);
    uint32_t partial[FAR_TOGETHER * LANES], bits;
    memcpy(&bits, &magic, sizeof bits);
    bits *= (uint32_t)n;
    size_t i = 0;
    for (; i + FAR_TOGETHER * LANES <= block->filled; i += FAR_TOGETHER * LANES) {
        far_tile(kind, FAR_TOGETHER, p, block, i, charge, n, magic, partial);
        add_partial(partial, FAR_TOGETHER * LANES, bits, k, sum + i);
    }
    for (; i < block->filled; i += LANES) {
        far_tile(kind, 1, p, block, i, charge, n, magic, partial);
        add_partial(partial, LANES, bits, k, sum + i);
    }
}

static void far(const struct pot_pair *p, const struct pot_block *block, const pot_float32_charge *charge, size_t n,
                unsigned k, int64_t *sum) {
    switch (p->kind) {
    case POT_PAIR_PLAIN:
        far_kind(POT_PAIR_PLAIN, p, block, charge, n, k, sum);
        break;
    case POT_PAIR_DIELECTRIC:
        far_kind(POT_PAIR_DIELECTRIC, p, block, charge, n, k, sum);
        break;
    case POT_PAIR_SCREENED:
        far_kind(POT_PAIR_SCREENED, p, block, charge, n, k, sum);
        break;
    }
}

// ---- distant

SPECIALISED void distant_centres(enum pot_pair_kind kind, bool aligned, const struct pot_pair *p,
                                 const struct pot_block_groups *g, size_t first, const pot_float32_charge *charge,
                                 size_t n, struct distant_shared *centre) {
    reals point[3], d[3], soft = v_all(p->far_square);
    for (int k = 0; k < 3; k++) point[k] = v_load(g->local[k] + first);
    for (size_t j = 0; j < n; j++) {
        for (int k = 0; k < 3; k++) d[k] = v_sub(point[k], v_all(charge[j][k]));
        distant_centre(kind, aligned, g->shape, d, soft, v_all(charge[j][3]), &centre[j]);
    }
}

// Sets partial[POT_GROUP][LANES] to the sums of a vector of groups.
SPECIALISED void distant_tile(enum pot_pair_kind kind, bool aligned, const struct pot_pair *p,
                              const struct pot_block_groups *g, size_t first, const pot_float32_charge *charge,
                              size_t n, float magic, uint32_t *partial) {
    struct distant_shared centre[DISTANT_TOGETHER];
    const reals m = v_all(magic);
    vector_u32 sum[POT_GROUP];
    for (int i = 0; i < POT_GROUP; i++) sum[i] = w_zero();
    for (size_t begin = 0; begin < n; begin += DISTANT_TOGETHER) {
        const size_t count = n - begin < DISTANT_TOGETHER ? n - begin : DISTANT_TOGETHER;
        distant_centres(kind, aligned, p, g, first, charge + begin, count, centre);
        for (size_t j = 0; j < count; j++)
            for (int i = 0; i < POT_GROUP; i++)
                sum[i] = w_add(sum[i], distant_term(kind, aligned, g->shape, &centre[j], i, m));
    }
    for (int i = 0; i < POT_GROUP; i++) w_store(partial + i * LANES, sum[i]);
}

SPECIALISED void distant_kind(enum pot_pair_kind kind, bool aligned, const struct pot_pair *p,
                              const struct pot_block_groups *g, const pot_float32_charge *charge, size_t n, unsigned k,
                              int64_t *sum) {
    float magic = magic_of(p, k);
    uint32_t partial[POT_GROUP * LANES], bits;
    memcpy(&bits, &magic, sizeof bits);
    bits *= (uint32_t)n;
    for (size_t i = 0; i < g->count; i += LANES) {
        distant_tile(kind, aligned, p, g, i, charge, n, magic, partial);
        for (size_t lane = 0; lane < LANES && i + lane < g->count; lane++)
            for (size_t member = 0; member < POT_GROUP; member++) {
                uint16_t point = g->point[i + lane][member];
                if (point != POT_NO_POINT)
                    sum[point] += (int64_t)(int32_t)(partial[member * LANES + lane] - bits) * ((int64_t)1 << k);
            }
    }
}

SPECIALISED void distant_any(enum pot_pair_kind kind, const struct pot_pair *p, const struct pot_block_groups *g,
                             const pot_float32_charge *charge, size_t n, unsigned k, int64_t *sum) {
    if (g->shape->aligned)
        distant_kind(kind, true, p, g, charge, n, k, sum);
    else
        distant_kind(kind, false, p, g, charge, n, k, sum);
}

static void distant(const struct pot_pair *p, const struct pot_block_groups *g, const pot_float32_charge *charge,
                    size_t n, unsigned k, int64_t *sum) {
    switch (p->kind) {
    case POT_PAIR_PLAIN:
        distant_any(POT_PAIR_PLAIN, p, g, charge, n, k, sum);
        break;
    case POT_PAIR_DIELECTRIC:
        distant_any(POT_PAIR_DIELECTRIC, p, g, charge, n, k, sum);
        break;
    case POT_PAIR_SCREENED:
        distant_any(POT_PAIR_SCREENED, p, g, charge, n, k, sum);
        break;
    }
}

// ---- near

// pot_pair_exponential
static inline doubles exponential(doubles x) {
    const doubles magic = d_all(0x1.8p52);
    x = d_max(x, d_all(-700));
    doubles n = d_add(d_mul(x, d_all(POT_LOG2_E)), magic), k = d_sub(n, magic);
    doubles r = d_sub(d_sub(x, d_mul(k, d_all(POT_LN2_HIGH))), d_mul(k, d_all(POT_LN2_LOW)));
    doubles sum = d_all(pot_exponential_term[POT_EXPONENTIAL_TERMS - 1]);
#pragma GCC unroll 13
    for (int i = POT_EXPONENTIAL_TERMS - 1; i-- > 0;) sum = d_fma(sum, r, d_all(pot_exponential_term[i]));
    return d_scale(sum, n);
}

// pot_pair_near; the charge is divided by the quantum
SPECIALISED doubles near_term(enum pot_pair_kind kind, const struct pot_pair *p, doubles square, doubles charge) {
    doubles r = d_max(d_sqrt(d_add(square, d_all(p->square))), d_all(p->clip));
    if (kind == POT_PAIR_DIELECTRIC) return d_div(charge, d_mul(r, r));
    doubles x = d_div(charge, r);
    return kind == POT_PAIR_PLAIN ? x : d_mul(x, exponential(d_mul(d_all(-p->kappa), r)));
}

SPECIALISED void near_tile(enum pot_pair_kind kind, int together, const struct pot_pair *p,
                           const struct pot_block *block, size_t first, const pot_near_charge *charge, size_t n,
                           int64_t *to, unsigned char *large) {
    const double magic = 0x1.8p52;
    doubles point[3][NEAR_TOGETHER];
    vector_u64 sum[NEAR_TOGETHER];
    for (int i = 0; i < together; i++) {
        for (int k = 0; k < 3; k++) point[k][i] = d_load(block->position[k] + first + (size_t)i * DOUBLES);
        sum[i] = l_zero();
    }
    for (size_t j = 0; j < n; j++) {
        doubles x = d_all(charge[j][0]), y = d_all(charge[j][1]), z = d_all(charge[j][2]), q = d_all(charge[j][3]);
        int any = 0;
        for (int i = 0; i < together; i++) {
            doubles dx = d_sub(point[0][i], x), dy = d_sub(point[1][i], y), dz = d_sub(point[2][i], z);
            doubles r2 = d_add(d_add(d_mul(dx, dx), d_mul(dy, dy)), d_mul(dz, dz));
            doubles term = d_clear_large(near_term(kind, p, r2, q), &any);
            sum[i] = l_add(sum[i], d_add(term, d_all(magic)));
        }
        if (any) large[j] = 1;
    }
    uint64_t partial[NEAR_TOGETHER * DOUBLES], bits;
    memcpy(&bits, &magic, sizeof bits);
    for (int i = 0; i < together; i++) l_store(partial + i * DOUBLES, sum[i]);
    for (int i = 0; i < together * DOUBLES; i++) to[i] += (int64_t)(partial[i] - n * bits);
}

SPECIALISED void near_kind(enum pot_pair_kind kind, const struct pot_pair *p, const struct pot_block *block,
                           const pot_near_charge *charge, size_t n, int64_t *sum, unsigned char *large) {
    for (size_t i = 0; i < block->filled; i += NEAR_TOGETHER * DOUBLES)
        near_tile(kind, NEAR_TOGETHER, p, block, i, charge, n, sum + i, large);
}

static void near(const struct pot_pair *p, const struct pot_block *block, const pot_near_charge *charge, size_t n,
                 int64_t *sum, unsigned char *large) {
    switch (p->kind) {
    case POT_PAIR_PLAIN:
        near_kind(POT_PAIR_PLAIN, p, block, charge, n, sum, large);
        break;
    case POT_PAIR_DIELECTRIC:
        near_kind(POT_PAIR_DIELECTRIC, p, block, charge, n, sum, large);
        break;
    case POT_PAIR_SCREENED:
        near_kind(POT_PAIR_SCREENED, p, block, charge, n, sum, large);
        break;
    }
}

#endif
