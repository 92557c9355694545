// SPDX-License-Identifier: MIT
// The lines of Amber's formatted coordinate files, for trajectories and restarts: numbers in columns of one width, with nothing between
// them, and so many in a line.  (https://ambermd.org/FileFormats.php)
#ifndef TRJ_AMBER_RECORDS_H
#define TRJ_AMBER_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reader.h"
#include "text.h"

enum { TRJ_AMBER_PER_LINE = 10, TRJ_AMBER_WIDTH = 12 }; // at most

struct trj_amber_layout {
    size_t width, point, per_line; // columns of a number, the column of its point in these, numbers in a line
};

// Reads the current line: n numbers and nothing else. A line that was cut has fewer columns. 0, TRJ_BAD_DATA.
int trj_amber_line(const struct trj_amber_layout *at, const struct trj_lines *l, size_t n, float v[TRJ_AMBER_PER_LINE],
                   struct trj_error *err);
// The k-th number of a line that trj_amber_line has read, as float64.
double trj_amber_number(const struct trj_amber_layout *at, const struct trj_lines *l, size_t k);
// The length of the current line without blanks at its end.
size_t trj_amber_length(const struct trj_lines *l);
// Lines of coordinates of so many atoms.
uint64_t trj_amber_lines(const struct trj_amber_layout *at, uint64_t atoms);
// Decodes the lines of p, which are coordinates of p->rows atoms; fewer lines are part of a frame. For struct trj_format.
int trj_amber_decode(const struct trj_amber_layout *at, const struct trj_reader *r, struct trj_piece *p,
                     struct trj_error *err);
// Reads a cell from the first 3 or 6 of n numbers of the current line: lengths in Å and angles in degrees. Without angles these are 90.
// Three zeros are no cell.
int trj_amber_cell(const struct trj_amber_layout *at, const struct trj_lines *l, size_t n, struct trj_cell *cell,
                   struct trj_error *err);
// How many numbers, up to `most`, the line begins with that ends at `end` or before; 0 if anything else is in it.
size_t trj_amber_count(const struct trj_amber_layout *at, const unsigned char *line, const unsigned char *end,
                       size_t most);

#endif
