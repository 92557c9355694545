// SPDX-License-Identifier: MIT
// What the formats that are written share.
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

// Whether the frame has a cell, for formats that know either none or three periods, with a along x and b in the xy plane: 1, 0. Any
// other cell is TRJ_BAD_DATA: turning it would turn the coordinates, too.
int trj_writer_cell(const struct trj_writer *w, const struct trj_frame *f, struct trj_error *err);

// Numbers in another unit: to[i] = from[i] * factor / divisor in float64, rounded once.
void trj_writer_convert(float *to, const float *from, size_t n, double factor, double divisor);

// For the user, after the last frame: the first thing that was lost is told.
void trj_writer_note(struct trj_writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));

// TRJ_BAD_DATA for a coordinate that has no room, with what could help.
int trj_writer_no_room(const struct trj_writer *w, const struct trj_frame *f, size_t atom, struct trj_error *err);

// ", t= 1.5 step= 750", the end of titles as GROMACS has it, of what is known; NUL-terminated.
enum { TRJ_WRITER_TITLE = 80 };
void trj_writer_title(char title[TRJ_WRITER_TITLE], const struct trj_frame *f);

// The row of the topology that an atom has.
static inline size_t trj_writer_row(const struct trj_writer *w, size_t atom) {
    return w->is.row ? w->is.row[atom] : atom;
}

// The name of an atom, and its element, "" where that is not known; "X" for both if it is no atom but a centre.
const char *trj_writer_name(const struct trj_writer *w, size_t atom);
const char *trj_writer_element(const struct trj_writer *w, size_t atom);

// A number in so many columns, on the right, as %*lld; what has no room begins again at 0.
void trj_writer_wrapped(char *to, size_t width, int64_t number);

// A text in so many columns, from the left, or to the right end; longer ones are cut, with a note.
void trj_writer_text(struct trj_writer *w, char *to, size_t width, bool right, const char *text);

#endif
