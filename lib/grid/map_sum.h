// SPDX-License-Identifier: MIT
// Adds records of a grid stream, and computes the mean over their frames and its standard error.
//
// Values are integers: their sums are exact, and depend neither on the order of the records nor on how frames are
// divided into records. The moments from which standard errors are computed are exact, too, so that the results are
// equal in every order. A sum that exceeds its type is an error, which is raised before the addition.
//
// Standard errors are those that rdfnorm calls `records`. Each of M blocks is a group of successive records, with the
// sum S_i and the weight W_i; S and W are the totals of these, g_i = S_i / W_i, g = S / W and w_i = W_i / W:
//
//   se^2 = sum of w_i^2 (g_i - g)^2 / (1 - sum of w_i^2) = sum of (W S_i - W_i S)^2 / (W^2 (W^2 - sum of W_i^2))
//
// Without a given number of records in a block, up to TRJ_MAP_PARTS parts of successive records are kept, which are
// joined two by two when there are more. After the last record, parts are joined into blocks by the rule `auto` of
// curve_mean.h, with the mean over the points of the map that vary.
//
// For blocks of equal weight this is the standard error of the mean of M numbers, s / sqrt(M). Otherwise it is unbiased
// if blocks are independent and have variances inversely proportional to their weights (W. G. Cochran, Sampling
// Techniques, 3rd ed., Wiley 1977, ch. 5). For this formula alone, weights are rounded to multiples of 2^-32.
#ifndef TRJ_MAP_SUM_H
#define TRJ_MAP_SUM_H

#include <stdbool.h>
#include <stdint.h>

#include "error.h"
#include "grid_stream.h"
#include "map.h"

struct trj_map_sum;

enum { TRJ_MAP_PARTS = 32 }; // even

struct trj_map_sum_setup {
    bool errors;     // standard errors will be requested
    uint64_t block;  // records in a block; the last block may have fewer. 0: as many as their correlation requires
    uint64_t memory; // bytes above which the sums are in temporary files (map_store.h). 0: TRJ_MAP_STORE_MEMORY
    // Only these planes are added, and planes are numbered from the first of them. The blocks that are chosen without a
    // given number of records would differ from those of the whole map.
    struct trj_map_slab slab;
};

// Allocates the sums: at most 8 bytes for each value; 56 with errors and blocks of one record, and 64 with those of
// several; 8 more for each part, with errors and blocks that are chosen. The caller keeps the map.
int trj_map_sum_open(struct trj_map_sum **s, const struct trj_map *map, const struct trj_map_sum_setup *setup,
                     struct trj_error *err);
// Begins the next record, whose planes must then be added. Fails with TRJ_BAD_DATA if there are several records and
// their values are not sums over frames, or not integers.
int trj_map_sum_begin(struct trj_map_sum *s, const struct trj_grid_record *r, struct trj_error *err);
// Adds the next planes of the record. Fails with TRJ_BAD_DATA, and the number of the point, if a sum exceeds its type.
int trj_map_sum_add(struct trj_map_sum *s, const void *values, uint64_t planes, struct trj_error *err);

// Returns the number of frames that a record should have, so that records are not shorter than the parts that are kept;
// 1 at first. It is doubled each time that parts are joined.
uint64_t trj_map_sum_frames_of_part(const struct trj_map_sum *s);

// The functions below return results after the last record; only they may then be called.

// Returns the frames of all records, together with their weight.
const struct trj_grid_record *trj_map_sum_record(const struct trj_map_sum *s);
// Fails with TRJ_BAD_DATA if a frame was added twice. Readers of grid streams check this themselves. The sources of the
// records are those of `origin`, in which a file may be listed twice.
int trj_map_sum_check_frames(struct trj_map_sum *s, const struct trj_stream_header *origin, struct trj_error *err);
// Returns the sums of a plane, in the kind of the map.
const void *trj_map_sum_plane(struct trj_map_sum *s, uint64_t plane);
// Computes the means of a plane: the sums divided by the weight.
void trj_map_sum_means(struct trj_map_sum *s, uint64_t plane, double *to);
// The blocks from which standard errors follow.
struct trj_map_blocks {
    uint64_t count;
    double number; // 1 / sum of w_i^2: that of independent blocks, unless there are too few
    // If their length was not given; else 0 and false.
    uint64_t frames;  // in the longest of them
    bool independent; // they are as long as required
    bool too_few;     // there are too few records for that, or to detect correlation
};
// Writes the number of the blocks, their largest number of frames, and whether they are too few, for a note.
enum { TRJ_MAP_BLOCKS_TEXT = 240 };
void trj_map_blocks_text(char text[TRJ_MAP_BLOCKS_TEXT], const struct trj_map_blocks *b);
// Ends the last block, or chooses the blocks. Must be called before trj_map_sum_errors. Fails with TRJ_BAD_DATA if
// there is only one.
int trj_map_sum_finish_errors(struct trj_map_sum *s, struct trj_map_blocks *blocks, struct trj_error *err);
// Computes the standard errors of the means of a plane.
void trj_map_sum_errors(struct trj_map_sum *s, uint64_t plane, double *to);

void trj_map_sum_close(struct trj_map_sum *s); // NULL is allowed

#endif
