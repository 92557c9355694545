// SPDX-License-Identifier: MIT
// The kernels of gauss_kernel.h, in terms of the vectors of vector_plain.h, or of those of an instruction set. Its file
// includes them, defines v_lanes(), a vector of the float numbers 0, 1, 2, ..., includes this file, and defines its
// struct den_gauss_kernel with add() and flush(). (This is a header because each file compiles it for its instruction
// set.)
#if !defined DEN_GAUSS_KERNEL_BODY_H && defined LANES
#define DEN_GAUSS_KERNEL_BODY_H

#include <math.h>
#include <stdalign.h>
#include <string.h>

#include "gauss_kernel.h"

enum { MAX_VECTORS = (DEN_GAUSS_BLOCK + LANES - 1) / LANES, CAPACITY = DEN_GAUSS_BLOCK + LANES };

static inline reals exp2_of(reals x) {
    const reals magic = v_all(12582912.0f);
    x = v_min(v_max(x, v_all(-90)), v_all(90));
    reals n = v_add(x, magic), r = v_sub(x, v_sub(n, magic)), s = v_all(DEN_EXP2_6);
    s = v_fma(s, r, v_all(DEN_EXP2_5));
    s = v_fma(s, r, v_all(DEN_EXP2_4));
    s = v_fma(s, r, v_all(DEN_EXP2_3));
    s = v_fma(s, r, v_all(DEN_EXP2_2));
    s = v_fma(s, r, v_all(DEN_EXP2_1));
    s = v_fma(s, r, v_all(1));
    return v_scale(s, n);
}

// The points of a box within the support of a record: first[k] and count[k], relative to the record.
struct part {
    int32_t first[3];
    unsigned count[3];
    uint32_t *sum; // of the first point
};

// Returns false if there are none.
static inline int find_part(struct part *part, const struct den_gauss_box *b, const struct tile_lattice_record *r,
                            const struct den_gauss_kind *kind) {
    int32_t from[3];
    for (int k = 0; k < 3; k++) {
        int32_t low = b->low[k] - r->point[k], high = b->high[k] - r->point[k], far = kind->far[k];
        if (high < -far || low > far) return 0;
        from[k] = low;
        if (low < -far) low = -far;
        if (high > far) high = far;
        // At each end, at most one point is within `far`, but not within reach.
        low += fabsf((float)low - r->offset[k]) > kind->reach[k];
        high -= fabsf((float)high - r->offset[k]) > kind->reach[k];
        if (high < low) return 0;
        part->first[k] = low;
        part->count[k] = (unsigned)(high - low) + 1;
    }
    part->sum = b->sum + (size_t)(part->first[2] - from[2]) * DEN_GAUSS_PLANE +
                (size_t)(part->first[1] - from[1]) * DEN_GAUSS_ROW + (size_t)(part->first[0] - from[0]);
    return 1;
}

// Returns d of vector i of the points along an axis.
static inline reals distances(const struct part *part, const struct tile_lattice_record *r, int axis, unsigned i) {
    reals index = v_add(v_lanes(), v_all((float)(part->first[axis] + (int32_t)(i * LANES))));
    return v_sub(index, v_all(r->offset[axis]));
}

static inline unsigned vectors(unsigned count) {
    return (count + LANES - 1) / LANES;
}

// Adds the planes of one row of the support: t = fma(xy, z, M).
static inline void add_rows(uint32_t *sum, const reals *xy, unsigned n, const float *z, unsigned planes, reals magic) {
#pragma GCC unroll 4
    for (unsigned p = 0; p < planes; p++, sum += DEN_GAUSS_PLANE) {
        reals by = v_all(z[p]);
        for (unsigned i = 0; i < n; i++) v_accumulate(sum + i * LANES, v_fma(xy[i], by, magic), magic);
    }
}

static inline void add_separable(const struct den_gauss_box *b, const struct tile_lattice_record *r,
                                 const struct den_gauss_kind *kind, const struct part *part) {
    reals x[MAX_VECTORS], xy[MAX_VECTORS];
    alignas(64) float y[CAPACITY], z[CAPACITY];
    unsigned n = vectors(part->count[0]);
    for (unsigned i = 0; i < n; i++) {
        reals d = distances(part, r, 0, i);
        x[i] = v_keep(v_not_above(v_abs(d), v_all(kind->reach[0])), exp2_of(v_mul(v_mul(d, d), v_all(kind->c[0]))));
    }
    for (unsigned i = 0; i < vectors(part->count[1]); i++) {
        reals d = distances(part, r, 1, i);
        v_store(y + i * LANES, exp2_of(v_mul(v_mul(d, d), v_all(kind->c[1]))));
    }
    reals amplitude = v_all(r->value), magic = v_all(b->lattice->magic);
    for (unsigned i = 0; i < vectors(part->count[2]); i++) {
        reals d = distances(part, r, 2, i);
        v_store(z + i * LANES, v_mul(amplitude, exp2_of(v_mul(v_mul(d, d), v_all(kind->c[2])))));
    }
    for (unsigned j = 0; j < part->count[1]; j++) {
        uint32_t *sum = part->sum + j * DEN_GAUSS_ROW;
        for (unsigned i = 0; i < n; i++) xy[i] = v_mul(x[i], v_all(y[j]));
        // With a constant number of vectors, the compiler keeps them in registers.
        if (n == 1)
            add_rows(sum, xy, 1, z, part->count[2], magic);
        else if (n == 2)
            add_rows(sum, xy, 2, z, part->count[2], magic);
        else
            add_rows(sum, xy, n, z, part->count[2], magic);
    }
}

// Returns F_kl of gauss.h, where `k` is a vector and `l` is one number.
static inline reals exponents(reals k, float l, float a_k, float a_l, float b_kl) {
    return v_fma(k, v_fma(v_all(a_k), k, v_all(b_kl * l)), v_all((a_l * l) * l));
}

static inline void add_skew(const struct den_gauss_box *b, const struct tile_lattice_record *r,
                            const struct den_gauss_kind *kind, const struct part *part) {
    const float *a = kind->a;
    alignas(64) float q[CAPACITY], table[DEN_GAUSS_BLOCK][CAPACITY]; // Q of one row; R
    reals magic = v_all(b->lattice->magic), amplitude = v_all(r->value);
    unsigned n = vectors(part->count[0]);
    for (unsigned p = 0; p < part->count[2]; p++) {
        float l = (float)(part->first[2] + (int32_t)p) - r->offset[2];
        for (unsigned i = 0; i < n; i++)
            v_store(table[p] + i * LANES, exp2_of(exponents(distances(part, r, 0, i), l, a[0], a[2], kind->b[2])));
    }
    for (unsigned j = 0; j < part->count[1]; j++) {
        float l = (float)(part->first[1] + (int32_t)j) - r->offset[1];
        reals row[MAX_VECTORS];
        for (unsigned i = 0; i < n; i++) {
            reals d = distances(part, r, 0, i);
            row[i] =
                v_keep(v_not_above(v_abs(d), v_all(kind->reach[0])), exp2_of(exponents(d, l, a[0], a[1], kind->b[0])));
        }
        for (unsigned i = 0; i < vectors(part->count[2]); i++) {
            // F_12 with d_2 as the vector: fma(d_1, fma(a_1, d_1, b_12 d_2), (a_2 d_2) d_2)
            reals d = distances(part, r, 2, i),
                  f = v_fma(v_all(l), v_fma(v_all(a[1]), v_all(l), v_mul(v_all(kind->b[1]), d)),
                            v_mul(v_mul(v_all(a[2]), d), d));
            v_store(q + i * LANES, v_mul(amplitude, exp2_of(f)));
        }
        uint32_t *sum = part->sum + j * DEN_GAUSS_ROW;
        for (unsigned p = 0; p < part->count[2]; p++, sum += DEN_GAUSS_PLANE)
            for (unsigned i = 0; i < n; i++)
                v_accumulate(sum + i * LANES, v_fma(v_mul(row[i], v_all(q[p])), v_load(table[p] + i * LANES), magic),
                             magic);
    }
}

static inline void add_oblique(const struct den_gauss_box *b, const struct tile_lattice_record *r,
                               const struct den_gauss_kind *kind, const struct part *part) {
    reals d[MAX_VECTORS], magic = v_all(b->lattice->magic), amplitude = v_all(r->value);
    unsigned n = vectors(part->count[0]);
    for (unsigned i = 0; i < n; i++) d[i] = distances(part, r, 0, i);
    for (unsigned p = 0; p < part->count[2]; p++) {
        float z = (float)(part->first[2] + (int32_t)p) - r->offset[2];
        for (unsigned j = 0; j < part->count[1]; j++) {
            float y = (float)(part->first[1] + (int32_t)j) - r->offset[1], y1 = fmaf(kind->l[1], z, y),
                  h = fmaf(kind->e[1] * y1, y1, (kind->e[2] * z) * z);
            reals shift = v_all(fmaf(kind->l[0], y, kind->l[2] * z));
            uint32_t *sum = part->sum + p * DEN_GAUSS_PLANE + j * DEN_GAUSS_ROW;
            for (unsigned i = 0; i < n; i++) {
                reals y0 = v_add(d[i], shift), x = v_fma(v_mul(v_all(kind->e[0]), y0), y0, v_all(h)),
                      e = v_keep(v_not_above(v_abs(d[i]), v_all(kind->reach[0])), exp2_of(x));
                v_accumulate(sum + i * LANES, v_fma(e, amplitude, magic), magic);
            }
        }
    }
}

static size_t add(const struct den_gauss_box *b, const struct tile_lattice_record *r, size_t n, unsigned *capacity) {
    size_t i;
    for (i = 0; i < n && *capacity; i++) {
        const struct den_gauss_kind *kind = &b->kind[r[i].kind];
        struct part part;
        if (!find_part(&part, b, &r[i], kind)) continue;
        if (b->lattice->oblique)
            add_oblique(b, &r[i], kind, &part);
        else if (b->lattice->skew)
            add_skew(b, &r[i], kind, &part);
        else
            add_separable(b, &r[i], kind, &part);
        --*capacity;
    }
    return i;
}

static void flush(const struct den_gauss_box *b, int64_t *value, int set) {
    size_t n[3];
    for (int k = 0; k < 3; k++) n[k] = (size_t)(b->high[k] - b->low[k]) + 1;
    for (size_t z = 0; z < n[2]; z++)
        for (size_t y = 0; y < n[1]; y++, value += n[0]) {
            uint32_t *sum = b->sum + z * DEN_GAUSS_PLANE + y * DEN_GAUSS_ROW;
            if (set)
                for (size_t i = 0; i < n[0]; i++) value[i] = (int32_t)sum[i];
            else
                for (size_t i = 0; i < n[0]; i++) value[i] += (int32_t)sum[i];
            // Vectors may have written after the last point.
            memset(sum, 0, (n[0] + LANES - 1) * sizeof *sum);
        }
}

#endif
