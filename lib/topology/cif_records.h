// SPDX-License-Identifier: MIT
// Reads the words of CIF 1.1 (https://www.iucr.org/resources/cif/spec/version1.1/cifsyntax), of which mmCIF and
// small-molecule CIF consist: blocks "data_NAME", pairs "_tag value", and tables "loop_ _tag ... value ...". A value
// can be in quotes, or, between two lines that begin with ';', have several lines. More is accepted than the standard
// allows, because programs write it: text before the first data_, a tag without a value, and words after the value of
// a tag.
#ifndef TRJ_CIF_RECORDS_H
#define TRJ_CIF_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cell.h"
#include "error.h"
#include "lines.h"

enum trj_cif_kind {
    TRJ_CIF_END,   // of the file
    TRJ_CIF_DATA,  // the name of a block; "" if there is none
    TRJ_CIF_LOOP,  // loop_
    TRJ_CIF_OTHER, // save_, global_ or stop_
    TRJ_CIF_TAG,   // with its '_'
    TRJ_CIF_VALUE, // without its quotes
};

// The file and its current word. Zeroed but for `lines`, it is ready for use.
struct trj_cif {
    struct trj_lines *lines;
    const char *next; // rest of the current line; NULL: none was read, or it is over
    enum trj_cif_kind kind;
    const char *text; // [length], without NUL; valid until the next word is read
    size_t length;
    bool quoted;   // in quotes, or of several lines: '?' and '.' then are texts
    uint64_t line; // in which the word starts
    bool again;    // see trj_cif_repeat
    char *buffer;  // of values of several lines
    size_t capacity;
};

// Reads the next word. Returns 0 or -1. Errors give the line.
int trj_cif_next(struct trj_cif *c, struct trj_error *err);
void trj_cif_repeat(struct trj_cif *c); // the next call of trj_cif_next returns the current word again
void trj_cif_free(struct trj_cif *c);   // frees its memory
int trj_cif_fail(const struct trj_cif *c, struct trj_error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Returns whether the tag is `name`, in any case and with '.' or '_' after the category: "_cell.length_a".
bool trj_cif_is_tag(const struct trj_cif *c, const char *name);
// Returns whether the current value is missing: '?' or '.'.
bool trj_cif_is_missing(const struct trj_cif *c);
// Returns whether the current word, which is not in quotes, ends the file, without a newline: it may be incomplete.
bool trj_cif_ends_file(const struct trj_cif *c);
// Copies the current word to `to`, shortened if necessary; "" for a missing value.
void trj_cif_copy(const struct trj_cif *c, char *to, size_t capacity);

// Parses a number, with an optional uncertainty in brackets: 0.123(4). Returns whether it is one.
bool trj_cif_number(const char *text, size_t length, double *value);

// Scans the value of a row at p, which is not blank, and all of whose words are in its line. Sets *text and *length.
// Returns the text after it; NULL: a quote is not closed.
const char *trj_cif_scan(const char *p, const char **text, size_t *length);
// Returns whether a line may be a row: it is neither blank nor a comment, and begins with no tag and no reserved word.
enum trj_cif_line { TRJ_CIF_IGNORED, TRJ_CIF_ROW, TRJ_CIF_NO_ROW } trj_cif_line(const char *line);

// Lengths and angles of the cell of a block.
struct trj_cif_cell {
    double length[3], angle[3]; // Å and degrees; NaN: missing
};
void trj_cif_cell_clear(struct trj_cif_cell *cell);
// Reads the value of a tag of the cell, which is the current word. Returns 1, 0 if it is another tag, or -1.
int trj_cif_read_cell(struct trj_cif *c, struct trj_cif_cell *cell, struct trj_error *err);
// Returns the index, 0 to 5, of the value of the cell that the current tag names; -1: it is another tag.
int trj_cif_cell_tag(const struct trj_cif *c);
// Stores the current word as value k of the cell; '?' and '.' leave the value as it is. Another value than one that was
// stored before is TRJ_BAD_DATA: a block contains each tag once. Returns 0 or -1.
int trj_cif_put_cell(const struct trj_cif *c, struct trj_cif_cell *cell, int k, struct trj_error *err);
// Returns the first value that is missing, such as "angle_alpha"; NULL: none is.
const char *trj_cif_cell_missing(const struct trj_cif_cell *cell);
// Sets *to: no cell if values are missing, or if the lengths are 1, as in mmCIF without a crystal. Returns 0 or -1.
int trj_cif_set_cell(const struct trj_cif_cell *cell, struct trj_cell *to, struct trj_error *err);

// Return whether the n first bytes of a file look like mmCIF, with Cartesian coordinates, or small-molecule CIF, with
// fractional ones. If they contain no coordinates, it is mmCIF if its first tag has a point.
bool trj_mmcif_is(const char *head, size_t n);
bool trj_small_cif_is(const char *head, size_t n);

#endif
