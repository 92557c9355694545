// SPDX-License-Identifier: MIT
// Writes tables as tab-separated text: comments that begin with '#', names of columns, and rows of fields. Every tool
// that prints a table uses it, so that all tables have the same provenance, numbers and NaN.
//
//     struct trj_table t = {.out = out, .err = err};
//     trj_table_provenance(&t, trj_tool_provenance(err), SIZE_MAX);
//     const struct trj_table_column columns[] = {{"frame", "number of the frame", NULL}, {"mean", "mean", "Angstrom"}};
//     if (trj_table_columns(&t, columns, 2)) return -1;
//     trj_table_count(&t, frame);
//     trj_table_real(&t, 10, mean);
//     if (trj_table_end_row(&t)) return -1;
//
// After a failure, which sets *err, the functions do nothing; trj_table_end_row and trj_table_status return it.
#ifndef TRJ_TABLE_WRITER_H
#define TRJ_TABLE_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "output.h"

// Begins a comment line with a line of the provenance.
#define TRJ_PROVENANCE_MARK "# provenance: "

struct trj_table {
    struct trj_output *out;
    struct trj_error *err;
    bool failed;
    size_t fields; // in the current row
};

// Comments. They must not be written inside of a row.
void trj_table_comment(struct trj_table *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
// Writes `count` lines of provenance, or all up to NULL if count is SIZE_MAX.
void trj_table_provenance(struct trj_table *t, char *const *lines, size_t count);

// Writes the name of a column as a field of the row of names, which is a comment.
void trj_table_name(struct trj_table *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

struct trj_table_column {
    const char *name;    // "time"
    const char *meaning; // "time of the frame"; NULL: that of the column before it includes it
    const char *unit;    // "ps"; NULL: none
};
// Writes the comment "columns: number of the frame; time in ps", and the row of names.
int trj_table_columns(struct trj_table *t, const struct trj_table_column *columns, size_t count);

// Writes several names; the last one is followed by NULL.
void trj_table_names(struct trj_table *t, const char *const *names);

// Write a field.
void trj_table_text(struct trj_table *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void trj_table_count(struct trj_table *t, uint64_t v);
// `digits`: significant digits, up to TRJ_GENERAL_DIGITS_MAX (decimal.h). NaN is "nan".
void trj_table_real(struct trj_table *t, unsigned digits, double v);

// Ends the row. Returns 0, or -1 if anything has failed.
int trj_table_end_row(struct trj_table *t);
int trj_table_status(const struct trj_table *t); // 0, or -1 if anything has failed

#endif
