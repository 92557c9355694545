// SPDX-License-Identifier: MIT
// Provides what formats that are written share. For files of this folder.
#ifndef TRJ_WRITER_PARTS_H
#define TRJ_WRITER_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cell.h"
#include "decimal.h"
#include "error.h"
#include "frame.h"
#include "writer.h"

// For formats whose cells are periodic in all directions, with a along x and b in the xy plane. Returns 1 if the frame
// has such a cell, 0 if it has none, and -1 with TRJ_BAD_DATA for any other cell: rotating it would require rotating
// the coordinates, too.
int trj_writer_cell(const struct trj_writer *w, const struct trj_frame *f, struct trj_error *err);

// Converts n numbers to another unit: to[i] = from[i] * factor / divisor in float64, rounded once to float32.
void trj_writer_convert(float *to, const float *from, size_t n, double factor, double divisor);

// Sets w->note, which is reported to the user after the last frame, unless it is set.
void trj_writer_note(struct trj_writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Returns the insertion code of the residue of a row of the topology for a format in which a digit would belong to the
// number of the residue: 0 if there is none, or if it is not a letter, which a note reports.
char trj_writer_insertion(struct trj_writer *w, size_t row);

// Fails with TRJ_BAD_DATA for an atom whose coordinates are too large for the format, with a remedy. Returns -1.
int trj_writer_no_room(const struct trj_writer *w, const struct trj_frame *f, size_t atom, struct trj_error *err);

// Prints the end of a title as GROMACS writes it, ", t= 1.5 step= 750", as far as time and step are known;
// NUL-terminated.
enum { TRJ_WRITER_TITLE = 80 };
void trj_writer_title(char title[TRJ_WRITER_TITLE], const struct trj_frame *f);

// Returns the number of an atom in the topology.
static inline size_t trj_writer_row(const struct trj_writer *w, size_t atom) {
    return w->setup.row ? w->setup.row[atom] : atom;
}

// Return the name of an atom and its element, "" if it is unknown; "X" for a centre.
const char *trj_writer_name(const struct trj_writer *w, size_t atom);
const char *trj_writer_element(const struct trj_writer *w, size_t atom);

// Prints a number in `width` columns, right-aligned; larger numbers are taken modulo 10^width. Adds no NUL.
void trj_writer_wrapped(char *to, size_t width, int64_t number);

// Copies a text to `width` columns, left- or right-aligned. Longer texts are shortened, with a note. Adds no NUL.
void trj_writer_text(struct trj_writer *w, char *to, size_t width, bool right, const char *text);

// Fails with TRJ_USAGE if frames have velocities in an unknown unit, for formats whose unit is defined.
int trj_writer_check_velocities(const struct trj_writer *w, struct trj_error *err);

#endif
