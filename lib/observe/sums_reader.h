// SPDX-License-Identifier: MIT
// Reads the rows of a table with exact sums, which is merged with others.
#ifndef OBS_SUMS_READER_H
#define OBS_SUMS_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "table_merge.h"

struct obs_sums_reader {
    struct obs_merge_table table;
    uint64_t frames, rows; // of the table; read so far
    bool ended;
    char *text, **field; // [fields] the current row, in text
    size_t fields;
};

// Reads the number of frames from the comments of r->table, which is open, and adds it to *all. Fails with
// TRJ_BAD_DATA if it is missing or invalid. obs_sums_reader_free frees all but r->table.
int obs_sums_reader_begin(struct obs_sums_reader *r, uint64_t *all, struct trj_error *err);
// Reads the next row, or sets r->ended after the last one. Fails with TRJ_BAD_DATA if the row has not `fields` fields,
// or if the table is truncated or continues after its end.
int obs_sums_reader_next(struct obs_sums_reader *r, size_t fields, struct trj_error *err);
// Fails because the sums of a row are invalid, or not those of its values.
int obs_sums_reader_fail_row(const struct obs_sums_reader *r, struct trj_error *err);
// Adds the name of the file to an error.
int obs_sums_reader_fail_at(const struct obs_sums_reader *r, struct trj_error *err);
void obs_sums_reader_free(struct obs_sums_reader *r);

// Returns whether a field is what the table contains for a value.
bool obs_sums_is_value(const char *field, double value);

#endif
