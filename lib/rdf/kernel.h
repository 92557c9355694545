// SPDX-License-Identifier: MIT
// The inner loops of the CPU engine: all pairs of two tiles into a histogram. One variant a file, each for another instruction set,
// built with flags of its own; what they compute is the same, so that one bound on what float32 loses holds for all.
//
// Positions are in units of a bin's width dr. For a row's atom i and a column's atom j, u_i and u_j relative to the centres of their
// tiles, v = u_i + shift, with the shift from the column's centre (through the image) to the row's:
//     d = u_j - v,   r = sqrt(|d|^2),   s = r - start,   start = rmin/dr + 1/2,   m = s + 3 * 2^22,   h = s - (m - 3 * 2^22).
// m, rounded to nearest, has the bin in its low bits, as s + 1/2 = t is the distance in bins from rmin, and bins are fewer than 2^22; h is
// exact, and t is near an edge where |h| is near 1/2.
//
// How near is too near: let e = 2^-24, R the radii of the tiles. u_i, u_j, v (added in float64) and d are rounded once each: by
// component |error of d| <= e (|u_i| + |u_j| + |v| + |d|), and |v| <= |u_j| + |d|, so that as vectors
//     |error of d| <= e (R_i + 2 R_j + 2 r).
// In the sum of squares no term is rounded more than three times, with FMA or without: 3 e of r^2, 1.5 e of r. The root costs e where it
// is rounded rightly; from an estimate wrong by 2^-14 followed by one step of Newton's (1.5 * 2^-28 is left) and rounded, 1.1 e. So
//     |error of r| <= e (R_i + 2 R_j + 4.6 r).
// The difference s is exact for rmin = 0 from half a bin on, and wrong by 2^-26 at most below that; else start and s cost e (start + |s|).
// What float64 loses, in positions and shift, is in rdf_job_rounding. Underflow of squares matters to r < 2^-60 only: near the edge 0,
// or far below rmin; overflow makes r infinite: out of range; a NaN, 0/0 of a root's estimate, counts as near an edge.
//
// Rows that lie too far from the box of a patch of columns are left out, without any margin: as computed, the distance by component of v to
// the box is at most that to any u_j in it, for rounding is monotone; and so on to the sum of the squares, made in the same order.
#ifndef RDF_KERNEL_H
#define RDF_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "job.h"
#include "tiles.h"

enum { RDF_KERNEL_COPIES = 4 };

// Rows x columns; the pointers are to TILE_WIDTH slots each.
struct rdf_block {
    const float *row[3], *column[3]; // u, in bins
    const struct tile_patch *patch;  // [TILE_PATCHES] the columns'
    double shift[3];                 // in bins
    unsigned rows, columns;          // atoms there are
    bool triangle;                   // only pairs of slots i < j
    bool inside; // the tiles are full and all pairs of them in range: neither rows, columns nor range are looked at
    float start;
    float first, last; // only s between them can be in range
    float far2;        // |d|^2 above it is out of range for certain
    float threshold;   // |h| above it is too near an edge
    uint32_t nowhere;  // a bin that counts for nothing
    uint32_t *counts
        [RDF_KERNEL_COPIES]; // histograms that are summed in the end: equal bins in a row must not wait for each other
};

// Pairs of a block that were not counted but must be looked at in float64: bit j of columns[i] is the pair (i, j). Only those columns[i] are
// set for which bit i of rows is.
struct rdf_near {
    uint64_t rows, columns[TILE_WIDTH];
};

// Counts the pairs in range but for those near an edge. Returns how many distances were computed, at least as many as were counted.
typedef size_t rdf_kernel_function(const struct rdf_block *b, struct rdf_near *near);

enum { RDF_QUEUE = 1024 };

// Pairs that wait to be resolved.
struct rdf_queue {
    unsigned count;
    uint32_t i[RDF_QUEUE], j[RDF_QUEUE]; // slots of the rows' set, of the columns'
    int32_t image[3][RDF_QUEUE];         // through which they meet
};

// What the rule (job.h) needs to know of them.
struct rdf_rule {
    const struct rdf_bins *bins;
    const double *squares;
    const struct trj_frame *frame;
    const struct tile_set *rows, *columns;
};

// Counts them by the rule; counts[bins] takes those that are in no bin. Empties the queue.
void rdf_resolve(struct rdf_queue *q, const struct rdf_rule *rule, uint64_t *counts);

rdf_kernel_function rdf_kernel_avx512, rdf_kernel_avx2, rdf_kernel_plain;

struct rdf_kernel {
    const char *name;
    rdf_kernel_function *count;
};

// The fastest the CPU can run, or the one TRJPIPE_ISA names; TRJ_NO_ENGINE where it cannot.
int rdf_kernel_find(const struct rdf_kernel **kernel, struct trj_error *err);
const char *rdf_kernel_names(void); // "avx512,avx2,plain": those of this build

// Fills what depends on the bins and on where the tiles lie: start, first, last, far2, threshold, inside (as far as distances decide it).
// between: distance of the centres, radius of the row's and of the column's tile, slack: rdf_job_rounding; all in Å.
void rdf_block_range(struct rdf_block *b, const struct rdf_bins *bins, double between, const double radius[2],
                     double slack);

#endif
