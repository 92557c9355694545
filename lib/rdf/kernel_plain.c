// SPDX-License-Identifier: MIT
// For any CPU: plain C, whose first loop compilers turn into what SIMD the architecture always has.
#include <math.h>

#include "kernel_parts.h"

void rdf_kernel_plain(const struct rdf_block *b, uint64_t near[TILE_WIDTH]) {
    float v[3][TILE_WIDTH];
    int32_t place[TILE_WIDTH], is_near[TILE_WIDTH], counts[TILE_WIDTH];
    uint32_t bin[TILE_WIDTH + RDF_KERNEL_COPIES];
    rdf_block_rows(b, v);
    const float *x = b->column[0], *y = b->column[1], *z = b->column[2];
    const float start = b->start, first = b->first, last = b->last, threshold = b->threshold;
    for (unsigned i = 0; i < b->rows; i++) {
        const float vx = v[0][i], vy = v[1][i], vz = v[2][i];
        int32_t any = 0;
        for (int j = 0; j < TILE_WIDTH; j++) {
            float dx = x[j] - vx, dy = y[j] - vy, dz = z[j] - vz;
            float s = sqrtf((dx * dx + dy * dy) + dz * dz) - start;
            int32_t in = (s > first) & (s < last);
            s = s < last ? s : last; // within what converts to an int
            s = s > first ? s : first;
            float f = (s + RDF_MAGIC) - RDF_MAGIC;
            place[j] = (int32_t)f;
            is_near[j] = in & (fabsf(s - f) > threshold);
            counts[j] = in & (fabsf(s - f) <= threshold);
            any |= is_near[j];
        }
        uint64_t there = rdf_block_columns(b, i), set = 0;
        size_t n = 0;
        for (int j = 0; j < TILE_WIDTH; j++) {
            bin[n] = (uint32_t)place[j];
            n += (size_t)counts[j] & (there >> j & 1);
        }
        for (int j = 0; any && j < TILE_WIDTH; j++) set |= (uint64_t)is_near[j] << j;
        near[i] = set & there;
        rdf_block_count(b, bin, rdf_block_pad(b, bin, n));
    }
}
