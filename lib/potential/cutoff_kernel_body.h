// SPDX-License-Identifier: MIT
// The kernels of cutoff_kernel.h, in terms of vectors. A file for an instruction set defines the following, some of
// which are those of lib/base, includes this file, and defines its struct pot_cutoff_kernel with add() and flush().
// (This is a header because each file compiles it for its instruction set.)
//     LANES                 numbers in a vector, 8 or 16: one row of a block, or two. Lane l is point l / SPAN of row
//                           l % SPAN of them, where SPAN is LANES / 8
//     ONE_COPY              1: all lattices and rows share the code of the loop over rows. Without SIMD instructions
//                           the loop is so long that its four copies would take a tenth of the build. Default: 0
//     reals, flags          vectors of float, of conditions
//     v_all(x)              all numbers equal x
//     v_load(p)             LANES numbers
//     v_points(p)           p[0] to p[7]: each number in the lanes of that point
//     v_rows(p)             p[0] (to p[1]): each number in the lanes of that row
//     v_repeat(p)           p[0] to p[7], twice if LANES is 16, in the order of memory
//     v_planes(p)           p[0] 8 times, then p[1] 8 times if LANES is 16
//     v_store(p, v)
//     v_mul, v_add, v_sub, v_fma(a, b, c) = a * b + c, v_nfma(a, b, c) = c - a * b, rounded once
//     v_max, v_min, v_abs
//     v_less(a, b), v_not_above(a, b), v_bits(f)      conditions; one bit for each lane
//     v_keep(f, v)          v, or 0 where f is false
//     v_select(f, v, w)     v, or w where f is false
//     v_half_from(bits, x)  float of bits - (bits(x) >> 1)
//     v_scale(s, n)         float of bits(s) + (bits(n) << 23)
//     v_gather(p, n, c)     sets c[k] to p[i][k], where i is bits(n) - bits(1.5 * 2^23), for const float (*p)[4]
//     v_accumulate(p, t, m) p[i] += bits(t) - bits(m) for uint32_t *p
#if !defined POT_CUTOFF_KERNEL_BODY_H && defined LANES
#define POT_CUTOFF_KERNEL_BODY_H

#include <math.h>
#include <stdalign.h>
#include <string.h>

#include "cutoff_kernel.h"
#include "inverse_root.h"

#ifndef ONE_COPY
#define ONE_COPY 0
#endif

#define INLINE static inline __attribute__((always_inline))
enum { SPAN = LANES / POT_BLOCK, ROW_VECTORS = POT_BLOCK_ROWS / LANES };

// ---- functions of vectors

// y w = 1/sqrt(x) and t w = sqrt(x), as inverse_root.h states.
struct root {
    reals y, w, t;
};

INLINE struct root root_of(reals x) {
    struct root r;
    r.y = v_half_from(POT_ROOT_MAGIC, x);
    r.t = v_mul(x, r.y);
    reals d = v_nfma(r.t, r.y, v_all(1)), w = v_fma(v_all(POT_ROOT_4), d, v_all(POT_ROOT_3));
    w = v_fma(w, d, v_all(POT_ROOT_2));
    w = v_fma(w, d, v_all(POT_ROOT_1));
    r.w = v_fma(w, d, v_all(1));
    return r;
}

// Returns 2^x for x <= 0, as lib/density does; at least 2^-90.
INLINE reals exp2_of(reals x) {
    const reals magic = v_all(12582912.0f);
    x = v_max(x, v_all(-90));
    reals n = v_add(x, magic), r = v_sub(x, v_sub(n, magic)), s = v_all(0x1.44f196p-13f);
    s = v_fma(s, r, v_all(0x1.5f3660p-10f));
    s = v_fma(s, r, v_all(0x1.3b295cp-7f));
    s = v_fma(s, r, v_all(0x1.c6aefcp-5f));
    s = v_fma(s, r, v_all(0x1.ebfbe0p-3f));
    s = v_fma(s, r, v_all(0x1.62e430p-1f));
    s = v_fma(s, r, v_all(1));
    return v_scale(s, n);
}

// Numbers of a lattice and an entry. The loop over rows would otherwise load them again after each store.
struct numbers {
    reals a, minus_b, magic, inner, outer, near, c[3], map[2], last, series[POT_ERFC_DEGREE + 1];
    const float (*cubic)[4];
};

INLINE struct numbers numbers_of(enum pot_kernel_kind kernel, const struct pot_cutoff_block *b,
                                 const struct pot_cutoff_entry *e) {
    const struct pot_cutoff_lattice *l = b->lattice;
    struct numbers n = {.a = v_all(e->a),
                        .minus_b = v_all(-e->b),
                        .magic = v_all(b->magic),
                        .inner = v_all(l->inner),
                        .outer = v_all(l->outer),
                        .near = v_all(e->near),
                        .last = v_all(l->last),
                        .cubic = l->cubic};
    for (int i = 0; i < 3; i++) n.c[i] = v_all(l->c[i]);
    for (int i = 0; i < 2; i++) n.map[i] = v_all(l->map[i]);
    for (int i = 0; kernel == POT_KERNEL_ERFC && i <= POT_ERFC_DEGREE; i++) n.series[i] = v_all(l->series[i]);
    return n;
}

INLINE reals series_of(const struct numbers *n, reals r) {
    reals t = v_min(v_fma(r, n->map[0], n->map[1]), v_all(1)), s = n->series[POT_ERFC_DEGREE];
#pragma GCC unroll 16
    for (int i = POT_ERFC_DEGREE; i-- > 0;) s = v_fma(s, t, n->series[i]);
    return s;
}

// Returns the value of a table at r.
INLINE reals cubic_at(const struct numbers *n, reals r) {
    const reals magic = v_all(12582912.0f);
    reals x = v_min(v_max(v_fma(r, n->map[0], n->map[1]), v_all(0)), n->last),
          whole = v_add(v_sub(x, v_all(0.5f)), magic), t = v_sub(x, v_sub(whole, magic)), c[4];
    v_gather(n->cubic, whole, c);
    return v_fma(v_fma(v_fma(c[3], t, c[2]), t, c[1]), t, c[0]);
}

// Returns M plus the contribution, rounded to a multiple of the quantum of M. Kernels that do not vanish at the cutoff
// are computed beyond it, too.
INLINE reals term(enum pot_kernel_kind kernel, const struct numbers *n, reals square) {
    const reals one = v_all(1);
    if (kernel == POT_KERNEL_COUNT) return v_add(n->magic, one);
    struct root root = root_of(square);
    if (kernel == POT_KERNEL_TABLE) return v_fma(n->a, cubic_at(n, v_mul(root.t, root.w)), n->magic);
    reals inverse = v_mul(v_mul(n->a, root.y), root.w), u, v; // a / r
    switch (kernel) {
    case POT_KERNEL_RODRIGUES:
        u = v_max(v_sub(one, square), v_all(0));
        return v_fma(inverse, v_mul(u, u), n->magic);
    case POT_KERNEL_SHIFT:
        u = v_max(v_nfma(root.t, root.w, one), v_all(0));
        return v_fma(inverse, v_mul(u, u), n->magic);
    case POT_KERNEL_REACTION:
        u = v_fma(v_fma(square, n->c[0], n->c[1]), n->a, inverse);
        return v_add(v_keep(v_less(square, one), u), n->magic);
    case POT_KERNEL_ERFC:
        u = exp2_of(v_mul(square, n->c[0]));
        v = series_of(n, v_mul(root.t, root.w));
        return v_fma(inverse, v_mul(u, v), n->magic);
    case POT_KERNEL_YUKAWA:
        u = exp2_of(v_mul(v_mul(root.t, root.w), n->c[0]));
        return v_fma(inverse, u, n->magic);
    case POT_KERNEL_LJ:
        u = v_mul(root.y, root.w);
        u = v_mul(u, u);
        u = v_mul(v_mul(u, u), u);
        return v_fma(u, v_fma(n->a, u, n->minus_b), n->magic);
    default:
        u = v_mul(root.y, root.w);
        u = v_mul(u, u);
        u = v_mul(v_mul(u, u), u);
        v = exp2_of(v_mul(v_mul(root.t, root.w), n->c[0]));
        return v_add(v_fma(v, n->c[1], v_mul(u, n->c[2])), n->magic);
    }
}

// ---- rows

struct rows {
    alignas(64) float x[POT_BLOCK];
    alignas(64) float square[POT_BLOCK_ROWS]; // y^2 + z^2
    uint64_t reached, near;                   // bits of rows: within the cutoff; may contain points that are near
};

INLINE void find_rows(struct rows *rows, const struct pot_cutoff_block *b, const struct pot_cutoff_entry *e) {
    const struct pot_cutoff_lattice *l = b->lattice;
    alignas(64) float y[POT_BLOCK], z[POT_BLOCK];
    for (int i = 0; i < POT_BLOCK; i++) rows->x[i] = (float)(l->position[0][i] - e->r[0]);
    for (int i = 0; i < POT_BLOCK; i++) y[i] = (float)(l->position[1][i] - e->r[1]);
    for (int i = 0; i < POT_BLOCK; i++) z[i] = (float)(l->position[2][i] - e->r[2]);
    for (int i = 0; i < POT_BLOCK; i++) z[i] *= z[i];
    reals all_y = v_repeat(y), centre = v_all((float)e->r[0]), half = v_all(l->half), limit = v_all(l->row_limit),
          near = v_all(e->near + 1e-5f);
    uint64_t reached = 0, maybe = 0;
    for (int i = 0; i < ROW_VECTORS; i++) {
        reals at_y = v_add(all_y, v_load(l->shift_y + i * LANES)), square = v_fma(at_y, at_y, v_planes(z + i * SPAN));
        v_store(rows->square + i * LANES, square);
        reals gap = v_max(v_sub(v_abs(v_sub(v_load(l->shift_x + i * LANES), centre)), half), v_all(0));
        square = v_fma(gap, gap, square);
        reached |= (uint64_t)v_bits(v_less(square, limit)) << (i * LANES);
        maybe |= (uint64_t)v_bits(v_less(square, near)) << (i * LANES);
    }
    rows->reached = reached & b->rows;
    rows->near = e->near > 0 ? maybe & rows->reached : 0;
}

// Appends the pairs of the lanes in `bits`.
static void append_pairs(struct pot_cutoff_block *b, const struct pot_cutoff_entry *e, unsigned vector, unsigned bits) {
    for (; bits; bits &= bits - 1) {
        unsigned lane = (unsigned)__builtin_ctz(bits), row = vector * SPAN + lane % SPAN, column = lane / SPAN;
        if (column < b->columns && b->rows >> row & 1)
            b->pair[b->pairs++] = (struct pot_cutoff_pair){e->record, column + POT_BLOCK * row};
    }
}

INLINE void add_rows(enum pot_kernel_kind kernel, int near, int skew, struct pot_cutoff_block *b,
                     const struct pot_cutoff_entry *e, const struct rows *rows, uint64_t mask) {
    const struct numbers n = numbers_of(kernel, b, e);
    const int jumps = kernel != POT_KERNEL_RODRIGUES && kernel != POT_KERNEL_SHIFT && kernel != POT_KERNEL_REACTION;
    const float *shift_x = b->lattice->shift_x, *square_yz = rows->square;
    const reals x = v_points(rows->x);
    uint32_t *sum = b->sum;
    if (SPAN == 2) mask = (mask | mask >> 1) & 0x5555555555555555;
    for (; mask; mask &= mask - 1) {
        unsigned row = (unsigned)__builtin_ctzll(mask), unsure = 0;
        reals at_x = skew ? v_add(x, v_rows(shift_x + row)) : x, square = v_fma(at_x, at_x, v_rows(square_yz + row)),
              t = term(kernel, &n, square);
        if (jumps) {
            flags inside = v_less(square, n.inner);
            unsure = v_bits(v_not_above(square, n.outer)) & ~v_bits(inside);
            t = v_select(inside, t, n.magic);
        }
        if (near) {
            flags is_near = v_less(square, n.near);
            unsure |= v_bits(is_near) & v_bits(v_not_above(square, n.outer));
            t = v_select(is_near, n.magic, t);
        }
        if (near || jumps)
            if (__builtin_expect(unsure, 0)) append_pairs(b, e, row / SPAN, unsure);
        v_accumulate(sum + row * POT_BLOCK, t, n.magic);
    }
}

INLINE void add_entry(enum pot_kernel_kind kernel, int skew, struct pot_cutoff_block *b,
                      const struct pot_cutoff_entry *e) {
    struct rows rows;
    find_rows(&rows, b, e);
    uint64_t near = rows.near;
    if (ONE_COPY) {
        add_rows(kernel, near != 0, skew, b, e, &rows, rows.reached);
        return;
    }
    if (SPAN == 2) { // rows are processed in pairs
        near = (near | near >> 1) & 0x5555555555555555;
        near |= near << 1;
    }
    if (near) add_rows(kernel, 1, skew, b, e, &rows, rows.reached & near);
    add_rows(kernel, 0, skew, b, e, &rows, rows.reached & ~near);
}

INLINE size_t add_entries(enum pot_kernel_kind kernel, int skew, struct pot_cutoff_block *b,
                          const struct pot_cutoff_entry *entry, const uint32_t *list, size_t n) {
    size_t i;
    for (i = 0; i < n && b->pairs + POT_BLOCK_POINTS <= POT_PAIRS; i++) add_entry(kernel, skew, b, &entry[list[i]]);
    return i;
}

#define FUNCTION_OF(kernel)                                                                                            \
    case kernel:                                                                                                       \
        return ONE_COPY ? add_entries(kernel, skew, b, entry, list, n)                                                 \
               : skew   ? add_entries(kernel, 1, b, entry, list, n)                                                    \
                        : add_entries(kernel, 0, b, entry, list, n)

static size_t add(struct pot_cutoff_block *b, const struct pot_cutoff_entry *entry, const uint32_t *list, size_t n) {
    const int skew = b->lattice->skew;
    switch (b->lattice->kernel) {
        FUNCTION_OF(POT_KERNEL_RODRIGUES);
        FUNCTION_OF(POT_KERNEL_SHIFT);
        FUNCTION_OF(POT_KERNEL_REACTION);
        FUNCTION_OF(POT_KERNEL_ERFC);
        FUNCTION_OF(POT_KERNEL_YUKAWA);
        FUNCTION_OF(POT_KERNEL_LJ);
        FUNCTION_OF(POT_KERNEL_BUCKINGHAM);
        FUNCTION_OF(POT_KERNEL_TABLE);
    default:
        FUNCTION_OF(POT_KERNEL_COUNT);
    }
}

static void flush(struct pot_cutoff_block *b, int64_t *value, unsigned shift) {
    for (unsigned i = 0; i < POT_BLOCK_POINTS; i++) {
        unsigned row = i / LANES * SPAN + i % SPAN, column = i % LANES / SPAN;
        value[column + POT_BLOCK * row] += (int64_t)((uint64_t)(int64_t)(int32_t)b->sum[i] << shift);
    }
    memset(b->sum, 0, POT_BLOCK_POINTS * sizeof *b->sum);
}

// Writes the numbers of the images whose squared distance from a box is below `limit`, and these distances.
static size_t find(const double (*r)[4], size_t n, const double centre[3], const double box[3], double limit,
                   uint32_t first, uint32_t *found, double *square) {
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        double s = 0;
        for (int k = 0; k < 3; k++) {
            double gap = fabs(r[i][k] - centre[k]) - box[k];
            gap = gap > 0 ? gap : 0;
            s += gap * gap;
        }
        found[count] = first + (uint32_t)i;
        square[count] = s;
        count += s < limit;
    }
    return count;
}

#endif
