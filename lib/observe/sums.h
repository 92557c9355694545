// SPDX-License-Identifier: MIT
// Exact sums over frames in the tables of --sums, from which --merge computes the table of all segments.
//
// Sums are integers, so that they depend neither on the order of the frames nor on how these are divided into segments.
// All other columns of a row follow from its sums and from the number of frames.
#ifndef OBS_SUMS_H
#define OBS_SUMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "table_writer.h"
#include "wide.h"

// Begins the comment that defines the sums; the kind of the table follows.
#define OBS_SUMS "sums of "
// The comment after the last row, which verifies that the table is complete.
#define OBS_ROWS "rows: "

enum { OBS_SUMS_MAX = 4, OBS_SUM_VALUES_MAX = 2, OBS_SUM_DIGITS = 9 };

// Tables of which a row, for an atom, a residue or a pair of them, has columns that identify it, sums, and values,
// which are last, where figures expect them.
struct obs_sum_kind {
    const char *name;       // "rmsf"
    const char *definition; // of the sums, with their unit
    size_t values, sums;    // numbers of columns
    struct trj_table_column column[OBS_SUMS_MAX];
    // The tables of all segments have the same rows. Otherwise, rows are found by the numbers of their pair, which
    // ascend, and those of which all sums are 0 are left out.
    bool same_rows;
    // Computes the values from the sums over at least one frame.
    void (*evaluate)(double *value, const trj_wide *sum, uint64_t frames);
    // Returns whether such sums over `frames` frames can exist.
    bool (*is_valid)(const trj_wide *sum, uint64_t frames);
    // Adds sums over other frames. Returns false if the result is too large.
    bool (*add)(trj_wide *to, uint64_t to_frames, const trj_wide *sum, uint64_t frames);
};

// In position_sums.c, contact_map.c and distance_map.c
extern const struct obs_sum_kind obs_fluctuation_sums, obs_contact_sums, obs_distance_sums;

void obs_sums_comment(const struct obs_sum_kind *kind, struct trj_table *t);
// Adds the columns of the sums to the first n columns of a table, which identify rows. Returns their number.
size_t obs_sums_columns(const struct obs_sum_kind *kind, struct trj_table_column *column, size_t n);
// Writes the sums and the values of a row, and ends it.
int obs_sums_end_row(const struct obs_sum_kind *kind, const trj_wide *sum, uint64_t frames, struct trj_table *t);
int obs_sums_end(uint64_t rows, struct trj_table *t); // writes the comment after the last row

// Adds each sum by itself: obs_sum_kind.add.
bool obs_sums_add_one(trj_wide *to, uint64_t to_frames, const trj_wide *sum, uint64_t frames);

#endif
