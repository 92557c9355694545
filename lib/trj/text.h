// SPDX-License-Identifier: MIT
// What the trajectory formats that are text share. Opening one reads frame 0: only a whole frame shows that the atoms exist which a
// number in the file promises, and that the file is what it looks like. Atoms are kept as they come, in memory that grows with them.
//
// A format has a state that begins with a struct trj_text and a function that reads one frame:
//   lines, trj_text_count, then trj_text_add for each atom, trj_text_finish;
// its open, read and skip hand that function on.
#ifndef TRJ_TEXT_H
#define TRJ_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lines.h"
#include "reader.h"

struct trj_text {
    struct trj_lines lines;
    struct trj_style style; // of the first coordinates
    size_t atoms, room;     // of the frame that is being read
    float (*x)[3];          // [room]
    struct trj_frame first;
    bool waiting; // `first` was read and nobody has taken it yet
};

typedef int trj_text_frame(struct trj_reader *r, struct trj_frame *f, struct trj_error *err); // 1, 0, -1
typedef int trj_text_pass(struct trj_reader *r, struct trj_error *err);                       // 1, 0, -1

int trj_text_open(struct trj_reader *r, size_t state, trj_text_frame *read, struct trj_error *err);
int trj_text_read(struct trj_reader *r, struct trj_frame *f, trj_text_frame *read, struct trj_error *err);
int trj_text_skip(struct trj_reader *r, trj_text_pass *pass, struct trj_error *err);
void trj_text_close(struct trj_reader *r); // frees the state too

// A line that has to be there: "ends before WHAT". 0, -1.
int trj_text_line(struct trj_text *t, const char *what, struct trj_error *err);
int trj_text_atom_line(struct trj_text *t, uint64_t atom, uint64_t count, struct trj_error *err); // that of an atom

// The number of atoms in a word of the current line: that of the frames before, and no more than the rest of the file can hold.
int trj_text_count(struct trj_reader *r, const char *word, uint64_t *count, struct trj_error *err);

int trj_text_add(struct trj_text *t, const float x[3], struct trj_error *err);

// Gives f the atoms that were added, and its index. Atom i goes to place[i]; NULL: to i. 1, -1.
int trj_text_finish(struct trj_reader *r, struct trj_frame *f, const uint32_t *place, struct trj_error *err);

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
};

struct trj_columns {
    size_t count;
    bool more;    // further words may follow
    bool precise; // x is wanted as float64
    unsigned char is[TRJ_COLUMNS];
};

struct trj_row {
    float x[3];
    double precise[3];
    int64_t id;
};

int trj_text_row(struct trj_text *t, const struct trj_columns *c, struct trj_row *row, struct trj_error *err);

// Passes over the lines of `count` atoms. Nothing in them is looked at but a last line of the file that has no newline, if columns are
// given: it may have been cut.
int trj_text_pass_atoms(struct trj_text *t, const struct trj_columns *c, uint64_t count, struct trj_error *err);

#endif
