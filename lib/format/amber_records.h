// SPDX-License-Identifier: MIT
// Reads the lines of Amber's formatted coordinate files, for trajectories and restarts: a fixed number of values per
// line, in columns of one width, without separators. (https://ambermd.org/FileFormats.php)
#ifndef TRJ_AMBER_RECORDS_H
#define TRJ_AMBER_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reader_parts.h"
#include "text_format.h"

enum { TRJ_AMBER_PER_LINE = 10, TRJ_AMBER_WIDTH = 12 }; // largest values of per_line and width

struct trj_amber_layout {
    size_t width, point, per_line; // width of a number, the column of its decimal point, numbers in a line
};

// Reads the current line, which must have exactly n numbers. A truncated line has fewer columns. Returns 0, or -1 with
// TRJ_BAD_DATA.
int trj_amber_line(const struct trj_amber_layout *layout, const struct trj_lines *l, size_t n,
                   float v[TRJ_AMBER_PER_LINE], struct trj_error *err);
// Returns the k-th number of a line that trj_amber_line has read, as float64.
double trj_amber_number(const struct trj_amber_layout *layout, const struct trj_lines *l, size_t k);
// Returns the length of the current line without blanks at its end.
size_t trj_amber_length(const struct trj_lines *l);
// Returns the number of coordinate lines for this number of atoms.
uint64_t trj_amber_lines(const struct trj_amber_layout *layout, uint64_t atoms);
// Decodes the lines of p, which are coordinates of p->rows atoms. Fewer lines are an incomplete frame. For struct
// trj_format.
int trj_amber_decode(const struct trj_amber_layout *layout, const struct trj_reader *r, struct trj_raw_frame *p,
                     struct trj_error *err);
// Reads a cell from the first 3 or 6 of n numbers of the current line: lengths in Å, then angles in degrees, which are
// 90 if they are absent. Three zeros mean that there is no cell.
int trj_amber_cell(const struct trj_amber_layout *layout, const struct trj_lines *l, size_t n, struct trj_cell *cell,
                   struct trj_error *err);
// Returns how many numbers the line that ends at `end` or before contains, at most `max`; 0 if it contains anything
// else.
size_t trj_amber_count(const struct trj_amber_layout *layout, const unsigned char *line, const unsigned char *end,
                       size_t max_count);

#endif
