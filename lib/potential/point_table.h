// SPDX-License-Identifier: MIT
// Tables of the potential at a list of points: the mean over all frames with its standard error, or the values of each
// frame.
#ifndef POT_POINT_TABLE_H
#define POT_POINT_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "error.h"
#include "frame.h"
#include "frame_stream.h"
#include "map.h"
#include "map_sum.h"
#include "output.h"
#include "point_list.h"

struct pot_point_table {
    // Set by the caller before pot_point_table_start:
    const char *path; // of the output; NULL: standard output
    bool each;        // a row for each frame and point
    bool errors;      // the table of means has a column of standard errors
    const struct pot_point_list *points;
    // Set by the functions:
    const struct trj_stream_header *header;
    struct trj_output *out;
    struct trj_map map; // the points as a row of a lattice, for map_sum.h
    struct trj_map_sum *sum;
    struct trj_grid_record record; // of the frames since the last one ended
    struct trj_frame last;         // number and time of the last frame; it has no coordinates
    double factor;
    double *value;
};

// Opens the output.
int pot_point_table_open(struct pot_point_table *t, struct trj_error *err);
// Writes the head. The header must outlive the table. The values of `sums` are quanta [points->count]; `factor`
// converts them to `unit`.
int pot_point_table_start(struct pot_point_table *t, const struct trj_stream_header *header, const struct trj_map *sums,
                          double factor, const char *unit, char *const *provenance, struct trj_error *err);
// Adds a frame to the current record.
int pot_point_table_add(struct pot_point_table *t, const struct trj_frame *frame, struct trj_error *err);
// Ends a record with the sums of its frames. With `each`, a record has one frame, whose rows are written.
int pot_point_table_end_record(struct pot_point_table *t, const int64_t *values, struct trj_error *err);
// Writes the means, and completes the file. Call it after the last record has ended. Fails with TRJ_BAD_DATA if
// a frame was added twice to the means.
int pot_point_table_commit(struct pot_point_table *t, struct trj_error *err);
void pot_point_table_close(struct pot_point_table *t); // an unopened one is allowed

#endif
