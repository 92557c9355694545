// SPDX-License-Identifier: MIT
// Provides what text formats of trajectories share. Opening a file reads frame 0, because only a complete frame proves
// that the file has the format, and that it contains the number of atoms that it gives.
//
// The state of a format begins with a struct trj_text. Its function of the type trj_text_read_function parses the lines
// around the atoms, and appends the lines of atoms unchanged to the raw frame (trj_text_take_...), all of them in
// order. Its decode parses those lines, which trj_text_lines returns.
#ifndef TRJ_TEXT_FORMAT_H
#define TRJ_TEXT_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "atom_identity.h"
#include "lines.h"
#include "reader_parts.h"

struct trj_text {
    struct trj_lines lines;
    struct trj_number_style style; // of the first coordinates
    struct trj_raw_frame first;    // frame 0
    bool first_pending;            // frame 0 was read by trj_text_open, and not returned since
    struct trj_input_bytes copy;   // of an open system: all lines of the frame read last
    uint64_t copied_from;          // number of the line before them
};

// Marks an error as that of a truncated file if the input is at its end: it is in the last line or after it.
void trj_text_set_truncated(const struct trj_reader *r, struct trj_error *err);

// Reads a raw frame. Returns 1, 0 at the end, -1.
typedef int trj_text_read_function(struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err);

// Open, read_raw and close of struct trj_format_ops. `state`: bytes of the state, which trj_text_open allocates, and
// trj_text_close frees. The first call of trj_text_read_raw returns frame 0.
int trj_text_open(struct trj_reader *r, size_t state, trj_text_read_function *read_raw_frame, struct trj_error *err);
int trj_text_read_raw(struct trj_reader *r, struct trj_raw_frame *p, trj_text_read_function *read_raw_frame,
                      struct trj_error *err);
void trj_text_close(struct trj_reader *r);
int trj_text_frame_topology(struct trj_reader *r, struct trj_topology **top, struct trj_error *err);

// Reads a required line. Returns 0 or -1; at the end of the file, the error is "the file ends after this line, before
// WHAT".
int trj_text_line(struct trj_text *t, const char *what, struct trj_error *err);

// Parses a number of atoms, a word of the current line. Fails with TRJ_BAD_DATA if it is invalid, if earlier frames
// have another number and the system is not open, or if the rest of the file cannot contain as many lines. Returns 0
// or -1.
int trj_text_count(struct trj_reader *r, const char *word, uint64_t *count, struct trj_error *err);

// Append lines to p->bytes. All return 0 or -1.
// trj_text_take_lines: `lines` lines. *got is less only at the end of the file.
// trj_text_take_atoms: the lines of `count` atoms, one each. Fewer lines are an error. Sets p->rows.
// trj_text_take_line: the current line.
int trj_text_take_lines(struct trj_reader *r, struct trj_raw_frame *p, uint64_t lines, uint64_t *got,
                        struct trj_error *err);
int trj_text_take_atoms(struct trj_reader *r, struct trj_raw_frame *p, uint64_t count, struct trj_error *err);
int trj_text_take_line(struct trj_text *t, struct trj_raw_frame *p, struct trj_error *err);
// Sets the error that the file ends after `atoms` of `count` atoms. Returns -1.
int trj_text_fail_short(const struct trj_text *t, uint64_t atoms, uint64_t count, struct trj_error *err);

// Returns a reader of the lines in p->bytes. They stay in p->bytes, and reading changes them.
struct trj_lines trj_text_lines(const struct trj_reader *r, struct trj_raw_frame *p);

// Returns the index among the picked atoms of atom `i` of the file, or TRJ_NOT_PICKED.
static inline uint32_t trj_text_picked_index(const struct trj_reader *r, size_t i) {
    return r->internals->picked_index ? r->internals->picked_index[i] : (uint32_t)i;
}

// Returns whether the coordinates of a line need not be parsed: its atom is not picked, and the line is complete.
static inline bool trj_text_can_skip(const struct trj_lines *l, uint32_t picked) {
    return picked == TRJ_NOT_PICKED && trj_lines_has_newline(l);
}

static inline void trj_text_put(struct trj_frame *f, uint32_t picked, const float x[3]) {
    if (picked == TRJ_NOT_PICKED) return;
    for (int k = 0; k < 3; k++) f->x[k][picked] = x[k];
}

// Reads time (ps) and step from a title as GROMACS writes it: "... t= 1.500 step= 750". Sets NaN and TRJ_NO_STEP if the
// title contains none.
void trj_text_title(const char *title, struct trj_frame *f);

// ---- lines of words separated by blanks: LAMMPS dumps and XYZ

enum { TRJ_COLUMNS = 1024 }; // maximum in a line

enum trj_column { // content of a column
    TRJ_COLUMN_OTHER,
    TRJ_COLUMN_X,
    TRJ_COLUMN_Y,
    TRJ_COLUMN_Z,
    TRJ_COLUMN_ID,
    TRJ_COLUMN_REAL, // this and the next two: not stored, and only their first character is checked
    TRJ_COLUMN_INTEGER,
    TRJ_COLUMN_LOGICAL,
    TRJ_COLUMN_IDENTITY, // field 0 of the atom identity (atom_identity.h); its further fields follow
    TRJ_COLUMN_MOTION = TRJ_COLUMN_IDENTITY + TRJ_IDENTITY_FIELDS, // vx; vy, vz, ix, iy and iz follow
};

struct trj_columns {
    size_t count;
    bool more;                     // lines may have further words
    bool precise;                  // coordinates are parsed as float64, to trj_row.precise
    size_t identity;               // columns up to the last one that is a field of the identity
    size_t identity_fields;        // number of the last field that has a column, plus 1
    unsigned char is[TRJ_COLUMNS]; // enum trj_column, plus the number of the field for an identity
};

struct trj_row {
    float x[3];
    double precise[3];
    int64_t id;
    float velocity[3];
    int32_t image[3];
    struct trj_identity_field identity[TRJ_IDENTITY_FIELDS]; // zeroed before the first line; set if they have columns
};

// Parses the current line, of atom number `atom`. Returns 0, or -1 with TRJ_BAD_DATA.
int trj_text_row(const struct trj_lines *l, const struct trj_columns *c, size_t atom, struct trj_row *row,
                 struct trj_error *err);

// Makes a column a field of the identity.
void trj_columns_add_identity(struct trj_columns *c, size_t column, size_t part);

// Parses only the identity. A line that ends before has empty fields.
void trj_text_row_identity(const struct trj_lines *l, const struct trj_columns *c, struct trj_row *row);

// Parses only the id; the columns must have one. Returns 0, or -1 with TRJ_BAD_DATA.
int trj_text_row_id(const struct trj_lines *l, const struct trj_columns *c, size_t atom, int64_t *id,
                    struct trj_error *err);

#endif
