// SPDX-License-Identifier: MIT
// The inner loops of the CPU engine: they bin the distances of all pairs of two tiles. Each variant is in its own file,
// compiled for another instruction set. All variants perform the same operations, so that one bound on the float32
// error holds for all.
//
// Positions are in units of the bin width dr. Atom i is in the row tile and atom j in the column tile; u_i and u_j are
// relative to the centres of their tiles. With v = u_i + shift, where the shift is the vector from the centre of the
// column tile (of its image) to that of the row tile:
//     d = u_j - v,  r = sqrt(|d|^2),  start = rmin/dr + 1/2,  s = r - start,
//     m = s + 3 * 2^22,  h = s - (m - 3 * 2^22).
// t = s + 1/2 is the distance from rmin in bins, and there are fewer than 2^22 bins. m is rounded to nearest, so its
// low bits contain the bin. h is exact, and t is near an edge if |h| is near 1/2.
//
// The threshold: let e = 2^-24 and R the radii of the tiles. u_i, u_j, v (added in float64) and d are rounded once
// each: by component |error of d| <= e (|u_i| + |u_j| + |v| + |d|), and |v| <= |u_j| + |d|, so that as vectors
//     |error of d| <= e (R_i + 2 R_j + 2 r).
// In the sum of squares, no term is rounded more than three times, with or without FMA: the relative error is 3 e for
// r^2 and 1.5 e for r. The square root adds e if it is correctly rounded, and 1.1 e if it is an estimate with a
// relative error of 2^-14, improved by one Newton step (which leaves 1.5 * 2^-28) and rounded. Therefore
//     |error of r| <= e (R_i + 2 R_j + 4.6 r).
// For rmin = 0, the difference s is exact from half a bin on, and its error is at most 2^-26 below that. Otherwise
// start and s add e (start + |s|). Errors of positions and shift in float64 are in rdf_job_rounding. Underflow of
// squares matters only for r < 2^-60, which is near the edge 0 or far below rmin. Overflow gives an infinite r, which
// is out of range. A NaN (0/0 in the estimate of the root) counts as near an edge.
//
// Rows too far from the box of a patch of columns are skipped. This needs no margin: rounding is monotone, so the
// computed distance by component from v to the box is at most that to any u_j in the box; the same holds for the sum of
// the squares, which is computed in the same order.
#ifndef RDF_KERNEL_H
#define RDF_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "job.h"
#include "tiles.h"

enum { RDF_KERNEL_COPIES = 4 };

// The second coordinate of a metric, for the kernels of two coordinates. Its bins are found as those of the distance: t
// = p - 1/2 with p = |d_w| scale for a plane, and p = (d_w / r + 1) scale for an angle, m is t rounded to nearest, and
// the pair is near an edge if |t - m| exceeds threshold - shrink / r. 1/r is computed once. The bound on the error of d
// is that of the distance, E = e (R_i + 2 R_j + 2 |d|) with |d| <= far.
//     plane:  |error of p| <= E scale + 2 e p
//     angle:  if d is moved by E, its direction moves by at most 2 E / |d| / (1 - E/|d|). `shrink` is 4 times
//             2 E scale, so that pairs with E > |d|/8 are near an edge, and this bound holds for all others.
//             Rounding of r (2.5 e), 1/r, its product with d_w, the sum and the product adds 9 e scale.
//     body:   as the angle, where d_w is d . u with the axis u of the row atom, |u| <= 1 + 2 e. The three products and
//             their sum are rounded to within 3 e |d| |u|, which adds less than 8 e scale.
struct rdf_second {
    enum rdf_metric_kind kind;
    unsigned axis;
    uint32_t bins, of_first; // of the second and the first coordinate
    float scale, threshold, shrink;
    float window; // plane: in bins of the distance, with a margin: pairs with greater |d_w| are out of range
};

// Two tiles, the atoms of which are rows and columns; each coordinate array has TILE_WIDTH entries.
struct rdf_block {
    const float *row[3], *column[3]; // u, in bins
    const float *axis[3];            // of bodies, of the row atoms
    const struct tile_patch *patch;  // [TILE_PATCHES] of the columns
    double shift[3];                 // in bins
    unsigned rows, columns;          // number of atoms
    bool triangle;                   // only pairs i < j are counted
    bool inside; // the tiles are full and all their pairs are in range: rows, columns and range are not tested
    float start;
    float first, last;        // s outside of them is out of range
    float far2;               // |d|^2 above it is out of range
    float threshold;          // |h| above it is too near an edge
    uint32_t nowhere;         // the bin for distances in no bin
    struct rdf_second second; // for kernels of metrics with a second coordinate
    uint32_t *counts
        [RDF_KERNEL_COPIES]; // histograms to be summed: consecutive increments of one bin would wait for each other
};

// Pairs of a block that were not counted and must be resolved in float64: bit j of columns[i] is the pair (i, j).
// columns[i] is set only if bit i of `rows` is set.
struct rdf_near {
    uint64_t rows, columns[TILE_WIDTH];
};

// Counts the pairs in range, except those near an edge, which it returns in *near. Returns the number of computed
// distances, which is at least the number of counts.
typedef size_t rdf_kernel_function(const struct rdf_block *b, struct rdf_near *near);

enum { RDF_QUEUE = 1024 };

// Pairs to be resolved.
struct rdf_queue {
    unsigned count;
    uint32_t i[RDF_QUEUE], j[RDF_QUEUE]; // indices in the tile sets of rows and columns
    int32_t image[3][RDF_QUEUE];         // of the column, relative to wrapped positions
};

// The data that the rule (job.h) requires.
struct rdf_rule {
    const struct rdf_bins *bins;
    const double *squares;
    const struct trj_frame *frame;
    const struct tile_set *rows, *columns;
    bool mirrored; // each pair is counted in both orders (rdf_job_is_mirrored)
};

// Counts the pairs of the queue by the rule, and empties it; the count after the last cell is of pairs in no cell.
void rdf_resolve(struct rdf_queue *q, const struct rdf_rule *rule, uint64_t *counts);

rdf_kernel_function rdf_kernel_avx512, rdf_kernel_avx2, rdf_kernel_plain;
// The same functions for metrics with a second coordinate; `inside` is not used.
rdf_kernel_function rdf_second_coordinate_kernel_avx512, rdf_second_coordinate_kernel_avx2,
    rdf_second_coordinate_kernel_plain;

struct rdf_kernel {
    const char *name;
    rdf_kernel_function *count, *count_second;
};

// Finds the kernel for the instruction set that trj_isa_find gives. Fails as trj_isa_find.
int rdf_kernel_find(const struct rdf_kernel **kernel, struct trj_error *err);

// Sets the members that depend on the bins and the positions of the tiles: start, first, last, far2, threshold, and
// inside, for which the caller also checks that the tiles are full. `between` is the distance of the centres, `radius`
// contains the radii of the row tile and the column tile, `slack` is from rdf_job_rounding; all in Å.
void rdf_block_range(struct rdf_block *b, const struct rdf_bins *bins, double between, const double radius[2],
                     double slack);
// Sets b->second, after rdf_block_range with the same arguments.
void rdf_block_second(struct rdf_block *b, const struct rdf_bins *bins, double between, const double radius[2],
                      double slack);

#endif
