// SPDX-License-Identifier: MIT
// The loop of overlap_tile.h for vectors of LANES numbers. Sums of ROWS rows and VECTORS vectors stay in registers. The
// file of an instruction set defines the three before it includes this one.
#if !defined ORB_OVERLAP_TILE_BODY_H && defined LANES
#define ORB_OVERLAP_TILE_BODY_H

#include <string.h>

#include "overlap_tile.h"

typedef double reals __attribute__((vector_size(8 * LANES)));

// Vectors are copied one by one, because compilers keep arrays in memory that are copied as a whole.
static void add_part(double *to, const double *a, size_t a_step, const double *b, const size_t *row, size_t depth) {
    reals sum[ROWS][VECTORS], v[VECTORS];
    for (size_t i = 0; i < ROWS; i++)
        for (size_t j = 0; j < VECTORS; j++) memcpy(&sum[i][j], to + i * ORB_TILE_COLUMNS + j * LANES, sizeof(reals));
    for (size_t k = 0; k < depth; k++, a += a_step) {
        const double *from = b + row[k] * ORB_TILE_COLUMNS;
        for (size_t j = 0; j < VECTORS; j++) memcpy(&v[j], from + j * LANES, sizeof(reals));
        for (size_t i = 0; i < ROWS; i++)
            for (size_t j = 0; j < VECTORS; j++) sum[i][j] += a[i] * v[j];
    }
    for (size_t i = 0; i < ROWS; i++)
        for (size_t j = 0; j < VECTORS; j++) memcpy(to + i * ORB_TILE_COLUMNS + j * LANES, &sum[i][j], sizeof(reals));
}

static void add(double *sum, const double *a, size_t a_step, const double *b, const size_t *row, size_t depth) {
    for (size_t i = 0; i < ORB_TILE_ROWS; i += ROWS)
        for (size_t j = 0; j < ORB_TILE_COLUMNS; j += (size_t)VECTORS * LANES)
            add_part(sum + i * ORB_TILE_COLUMNS + j, a + i, a_step, b + j, row, depth);
}

#endif
