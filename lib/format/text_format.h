// SPDX-License-Identifier: MIT
// What the trajectory formats that are text share. Opening one reads frame 0: only a whole frame shows that the atoms
// exist which a number in the file promises, and that the file is what it looks like.
//
// A format has a state that begins with a struct trj_text. Its cut_frame reads the lines around the atoms, and takes
// theirs as they are with trj_text_take_..., all of them in order; its decode walks over trj_text_lines.
#ifndef TRJ_TEXT_H
#define TRJ_TEXT_H

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
    bool waiting;                  // which was read and nobody has taken yet
};

typedef int trj_text_cut(struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err); // 1, 0, -1

int trj_text_open(struct trj_reader *r, size_t state, trj_text_cut *cut_frame, struct trj_error *err);
int trj_text_cut_next(struct trj_reader *r, struct trj_raw_frame *p, trj_text_cut *cut_frame, struct trj_error *err);
void trj_text_close(struct trj_reader *r); // frees the state too

// A line that has to be there: "ends before WHAT". 0, -1.
int trj_text_line(struct trj_text *t, const char *what, struct trj_error *err);

// The number of atoms in a word of the current line: that of the frames before, and no more than the rest of the file
// can hold.
int trj_text_count(struct trj_reader *r, const char *word, uint64_t *count, struct trj_error *err);

// Taking lines: so many, *got are fewer only at the end of the file; an atom each, which have to be there; the current
// line.
int trj_text_take_lines(struct trj_reader *r, struct trj_raw_frame *p, uint64_t lines, uint64_t *got,
                        struct trj_error *err);
int trj_text_take_atoms(struct trj_reader *r, struct trj_raw_frame *p, uint64_t count, struct trj_error *err);
int trj_text_take_line(struct trj_text *t, struct trj_raw_frame *p, struct trj_error *err);
int trj_text_short(const struct trj_text *t, uint64_t atoms, uint64_t count,
                   struct trj_error *err); // the file ends too early

// The lines that were taken.
struct trj_lines trj_text_lines(const struct trj_reader *r, struct trj_raw_frame *p);

// Which of the atoms that are wanted is atom `i` of the file; TRJ_NOT_PICKED.
static inline uint32_t trj_text_picked_index(const struct trj_reader *r, size_t i) {
    return r->internals->picked_index ? r->internals->picked_index[i] : (uint32_t)i;
}

// Whether a line may be passed over that is of an atom which is not wanted: not if it may be truncated.
static inline bool trj_text_passes(const struct trj_lines *l, uint32_t slot) {
    return slot == TRJ_NOT_PICKED && trj_lines_has_newline(l);
}

static inline void trj_text_put(struct trj_frame *f, uint32_t slot, const float x[3]) {
    if (slot == TRJ_NOT_PICKED) return;
    for (int k = 0; k < 3; k++) f->x[k][slot] = x[k];
}

// Time in ps and step in a title as GROMACS writes it: "... t= 1.500 step= 750".
void trj_text_title(const char *title, struct trj_frame *f);

// ---- lines of words

enum { TRJ_COLUMNS = 1024 };

enum trj_column { // what is in a column
    TRJ_COLUMN_OTHER,
    TRJ_COLUMN_X,
    TRJ_COLUMN_Y,
    TRJ_COLUMN_Z,
    TRJ_COLUMN_ID,
    TRJ_COLUMN_REAL, // these are not kept; they must look like what they are
    TRJ_COLUMN_INTEGER,
    TRJ_COLUMN_LOGICAL,
    TRJ_COLUMN_IDENTITY, // part 0 of the label (labels.h), then its further ones
};

struct trj_columns {
    size_t count;
    bool more;           // further words may follow
    bool precise;        // x is wanted as float64
    size_t label, parts; // columns up to the last one of the label; its parts up to the last one that is there
    unsigned char is[TRJ_COLUMNS];
};

struct trj_row {
    float x[3];
    double precise[3];
    int64_t id;
    struct trj_identity_field label[TRJ_IDENTITY_FIELDS]; // those that have columns; zeros at first
};

int trj_text_row(const struct trj_lines *l, const struct trj_columns *c, size_t atom, struct trj_row *row,
                 struct trj_error *err);

// From here on a column is part of the label.
void trj_columns_add_identity(struct trj_columns *c, size_t column, size_t part);

// The label alone; of a line that ends before, what it has.
void trj_text_row_identity(const struct trj_lines *l, const struct trj_columns *c, struct trj_row *row);

// The id alone, of a line that has one.
int trj_text_row_id(const struct trj_lines *l, const struct trj_columns *c, size_t atom, int64_t *id,
                    struct trj_error *err);

#endif
