// SPDX-License-Identifier: MIT
// Definitions shared by the files of the map formats.
#ifndef TRJ_MAP_FORMAT_PARTS_H
#define TRJ_MAP_FORMAT_PARTS_H

#include "decimal.h"
#include "lines.h"
#include "map_format.h"

extern const struct trj_map_format trj_map_trjg; // map_trjg.c
extern const struct trj_map_format trj_map_dx;   // map_dx.c
extern const struct trj_map_format trj_map_mrc;  // map_mrc.c, map_mrc_write.c
extern const struct trj_map_format trj_map_cube; // map_cube.c
extern const struct trj_map_format trj_map_npy;  // map_npy.c

// Adds a note, unless it has been added before, or the list is full.
void trj_map_note(struct trj_map_notes *notes, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Returns "samples at the points" or the corresponding text for comments in files.
const char *trj_map_meaning_text(enum trj_map_meaning meaning);

enum { TRJ_MAP_TITLE = 2 * TRJ_MAP_TEXT_MAX + 3 };
// Writes quantity and unit of a map for comments in files: "number density, A^-3". Returns the text.
const char *trj_map_title(char text[TRJ_MAP_TITLE], const struct trj_map *m);

enum { TRJ_MAP_BOUND_TEXT = 64 };
// Writes "; error bound before rounding 1.01e-09" for comments in files whose values have fewer digits, or nothing if
// the bound is unknown. Returns the text.
const char *trj_map_bound_text(char text[TRJ_MAP_BOUND_TEXT], const struct trj_map *m);

// Writes v as printf does with "%.*e" in the C locale: with `digits` significant digits, at most
// TRJ_GENERAL_DIGITS_MAX, then `letter`, and an exponent of at least two digits. Returns the number of characters. v
// must be finite.
size_t trj_print_scientific(char to[TRJ_DECIMAL_CAPACITY], unsigned digits, char letter, double v);

// Sets quantity and unit of a map that is read, if the unit is that of an orbital (map_unit.h), on which the fraction
// of the integral that a level encloses depends. Other units are not set: formats without a field for them have none.
int trj_map_set_orbital(struct trj_map *m, const char *unit, struct trj_error *err);

// Fails with TRJ_BAD_DATA: the format cannot store the value v, such as NaN in a text format.
int trj_map_fail_value(const char *format, double v, struct trj_error *err);

// Returns the value of an IEEE 754 binary16.
float trj_map_half(uint16_t v);

// Fails with TRJ_BAD_DATA if data follow the values of a binary file, which detects a wrong number of points and a
// wrong size of the header.
int trj_map_check_end(struct trj_map_reader *r, struct trj_error *err);

// Checks, before memory is allocated, that a file is long enough for n numbers, each followed by a blank or line end.
int trj_map_numbers_check(struct trj_input *in, uint64_t n, struct trj_error *err);

// Reads numbers that are separated by blanks and line ends.
struct trj_map_numbers {
    struct trj_lines *lines;
    char *rest;       // of the current line
    const char *last; // start of the last number in it; NULL: none
    bool blank;       // follows the last number, so that it is complete
};
// Reads the next number. Fails with TRJ_BAD_DATA if the file ends before it; the message gives the number of values
// read so far, `done`, and that of all values, `all`.
int trj_map_numbers_next(struct trj_map_numbers *t, double *value, uint64_t done, uint64_t all, struct trj_error *err);
// After the last number: fails if more numbers follow on its line, or if the file can have ended within it. psi4 writes
// a blank, and not always a line end, after the last number.
int trj_map_numbers_end(struct trj_map_numbers *t, struct trj_error *err);

#endif
