// SPDX-License-Identifier: MIT
// Divides the points of a job into blocks, which depend on the lattice (or list) alone, so that what is computed for a
// block does not depend on threads or on atoms.
//
// A block is a box of about 8 x 8 x 8 points of the lattice. Along an axis with at least 4 points, blocks have 8 points
// (16 if another axis has fewer than 4, 64 if both have); a last block takes the rest, and a rest of less than half a
// block is added to the block before it. The six faces are six regions, which share no point. A block of a list is 64
// consecutive points.
#ifndef POT_PAIR_BLOCKS_H
#define POT_PAIR_BLOCKS_H

#include "potential_job.h"

enum {
    POT_BLOCK_ROOM = 1600, // points of a block, at most 23 x 23 x 3; a multiple of POT_BLOCK_LANES
    POT_BLOCK_LANES = 16,  // arrays are filled to a multiple of this number with copies of the last point
    POT_BLOCK_OF_LIST = 64,
    POT_BLOCK_THIN = 4, // an axis with fewer points is thin: blocks are larger along the other axes
    POT_REGIONS = 6,
};

// Charges nearer to a block than this, or than half of its half diagonal R, are near.
#define POT_NEAR_MIN 2.0 // Å

struct pot_region {
    uint64_t low[3], n[3]; // points low <= i < low + n
    uint64_t size[3];      // points of a block that is not the last one
    uint64_t blocks[3];
    size_t first; // number of the first block
};

struct pot_blocks {
    struct trj_map_lattice lattice; // unused with a list
    const double (*point)[3];       // [points]; NULL: a lattice
    size_t points;
    double scale; // of positions in float32; pot_blocks_set sets 1
    int regions;
    struct pot_region region[POT_REGIONS];
    size_t count; // of blocks
};

struct pot_block {
    size_t count;                       // of points
    size_t filled;                      // a multiple of POT_BLOCK_LANES
    uint64_t number[POT_BLOCK_ROOM];    // of points in the job
    double position[3][POT_BLOCK_ROOM]; // Å
    float local[3][POT_BLOCK_ROOM];     // (float)((at - centre) scale)
    double low[3], high[3], centre[3];
    double half_diagonal; // R, Å
    double near;          // Å: max(R/2, POT_NEAR_MIN)
};

// Sets the blocks of a job for a lattice, which is ignored for lists. job->point must outlive them.
void pot_blocks_set(struct pot_blocks *b, const struct pot_job *job, const struct trj_map_lattice *lattice);
void pot_blocks_get(const struct pot_blocks *b, size_t number, struct pot_block *block);

// Returns the number of points at which the job computes the potential: job->values, or fewer with job->faces.
uint64_t pot_point_count(const struct pot_job *job);
// Computes the position of point `number`, in Å.
void pot_point_position(const struct pot_job *job, const struct trj_map_lattice *l, uint64_t number,
                        double position[3]);
// Writes the indices of a point of a lattice, or its number in a list, into text[size], for messages: "point 1 2 3".
void pot_point_text(const struct pot_job *job, const struct trj_map_lattice *l, uint64_t number, char *text,
                    size_t size);

#endif
