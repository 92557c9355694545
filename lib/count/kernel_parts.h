// SPDX-License-Identifier: MIT
// Functions shared by the kernels. They are static, so that each kernel compiles them for its instruction set.
#ifndef RDF_KERNEL_PARTS_H
#define RDF_KERNEL_PARTS_H

#include "kernel.h"

#define RDF_MAGIC      12582912.0f // 3 * 2^22
#define RDF_MAGIC_BITS 0x4B400000  // bits of RDF_MAGIC; bits of RDF_MAGIC + n, for an integer n < 2^22, are these + n

// Computes v of kernel.h.
static inline void rdf_block_rows(const struct rdf_block *b, float v[3][TILE_WIDTH]) {
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < TILE_WIDTH; i++) v[k][i] = (float)((double)b->row[k][i] + b->shift[k]);
}

// Returns the mask of the rows.
static inline uint64_t rdf_block_row_mask(const struct rdf_block *b) {
    return b->rows < 64 ? ((uint64_t)1 << b->rows) - 1 : ~(uint64_t)0;
}

// Returns the mask of the columns that are paired with row i.
static inline uint64_t rdf_block_columns(const struct rdf_block *b, unsigned i) {
    uint64_t there = b->columns < 64 ? ((uint64_t)1 << b->columns) - 1 : ~(uint64_t)0;
    return b->triangle ? there & ~(uint64_t)1 << i : there;
}

// Counts n bins, a multiple of RDF_KERNEL_COPIES.
static inline void rdf_block_count(const struct rdf_block *b, const uint32_t *bin, size_t n) {
    uint32_t *c0 = b->counts[0], *c1 = b->counts[1], *c2 = b->counts[2], *c3 = b->counts[3];
    for (size_t i = 0; i < n; i += RDF_KERNEL_COPIES) {
        c0[bin[i]]++;
        c1[bin[i + 1]]++;
        c2[bin[i + 2]]++;
        c3[bin[i + 3]]++;
    }
}

// Pads a list of n bins to a length that rdf_block_count accepts, and returns it; the array needs a capacity for
// RDF_KERNEL_COPIES - 1 more bins.
static inline size_t rdf_block_pad(const struct rdf_block *b, uint32_t *bin, size_t n) {
    while (n % RDF_KERNEL_COPIES) bin[n++] = b->nowhere;
    return n;
}

static inline void rdf_near_add(struct rdf_near *near, unsigned i, uint64_t columns) {
    if (!columns) return;
    near->columns[i] = (near->rows >> i & 1 ? near->columns[i] : 0) | columns;
    near->rows |= (uint64_t)1 << i;
}

#endif
