// SPDX-License-Identifier: MIT
// Sums of products of the numbers of two frames at each lag, for start frames in each of several chunks (correlator.h),
// by Fourier transforms of chunks.
//
// Chunks are computed in groups, because each chunk is multiplied with all earlier ones in a window: the transforms of
// the earlier ones are read once for a group. Blocks of series are the outer loop, and products are summed in
// registers. Threads compute different blocks; the sums of sections are added in a fixed order, so that any number of
// threads gives the same bytes.
#ifndef TCF_CHUNK_PRODUCTS_H
#define TCF_CHUNK_PRODUCTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "series_kernel.h"

enum {
    TCF_BLOCK = 2 * TCF_LANES, // numbers whose series are transformed together
    TCF_GROUP = TCF_LANES,     // chunks of a group
};

// The numbers of a frame, padded with zeros, so that each part consists of whole blocks.
struct tcf_layout {
    size_t parts;
    size_t *first; // [parts + 1] the first block of each part, and the number of all blocks
    size_t width;  // numbers of a padded frame
};

// count[parts]: numbers of each part. tcf_layout_free frees, also after a failure.
int tcf_layout_open(struct tcf_layout *l, size_t parts, const size_t *count, struct trj_error *err);
void tcf_layout_free(struct tcf_layout *l);

struct tcf_products_setup {
    const struct tcf_layout *layout;
    uint64_t max_lag;
    size_t chunk;  // frames of a chunk, a power of two
    size_t window; // a frame at the largest lag is at most this number of chunks later
    bool whole;    // each run is one group
    bool spans;    // frames are taken relative to those of two spans (struct tcf_group)
    unsigned threads;
};

// Chunks of a run that follow those of the group before.
struct tcf_group {
    const double *frame; // [frames][width]
    size_t frames;       // the last chunk can be shorter
    uint64_t number;     // of the first chunk in its run: a multiple of TCF_GROUP
    uint64_t end;        // start frames are in chunks before this one
    // Subtracted from each frame, [width]: `origin` if the start frame is in chunk `span` or in a later one, `before`
    // if it is in an earlier one. NULL for `before`: there are no earlier chunks.
    const double *origin, *before;
    uint64_t span;
};

struct tcf_products;

// *setup is copied; the layout must outlive the products. Fails if memory is missing.
int tcf_products_open(struct tcf_products **p, const struct tcf_products_setup *setup, struct trj_error *err);
void tcf_products_close(struct tcf_products *p); // NULL is allowed
// Returns the number of chunks of start frames that have sums; chunk i has number i modulo this number.
size_t tcf_products_slots(const struct tcf_products *p);
// Adds the products of frames of a group with those of the group and earlier ones to sum[slots][parts][max_lag + 1].
void tcf_products_add(struct tcf_products *p, const struct tcf_group *g, double *sum);

#endif
