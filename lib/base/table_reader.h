// SPDX-License-Identifier: MIT
// Reads the lines of tables: those that table_writer.h writes, parts of them, and columns of numbers of other programs.
#ifndef TRJ_TABLE_READER_H
#define TRJ_TABLE_READER_H

#include "lines.h"

// As trj_lines_next, for lines of an input. A line that records the failure of the program that wrote the table fails
// as trj_failure_read_line.
int trj_table_next_line(struct trj_lines *l, struct trj_error *err);

// Returns what follows `start` in a line that begins with it, such as TRJ_PROVENANCE_MARK; otherwise NULL.
const char *trj_table_after(const char *line, const char *start);

// Splits a line at tabs, in place. Sets *fields to an array of *count pointers into it, which the caller frees.
int trj_table_split(char *line, char ***fields, size_t *count, struct trj_error *err);

#endif
