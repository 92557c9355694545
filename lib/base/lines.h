// SPDX-License-Identifier: MIT
// Reads text files line by line, and finds the fields and words in a line. Errors give the number of the line.
#ifndef TRJ_LINES_H
#define TRJ_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "input.h"

// The format of the numbers of a file that were read so far. Starts zeroed.
struct trj_number_style {
    size_t seen;               // how many numbers
    bool mixed;                // they differ in `decimals` or `exponent`
    size_t decimals, exponent; // digits after the point; characters of the exponent, with the letter
    bool complete;             // no more numbers need to be added
};
// Adds the number at the start of a text.
void trj_number_style_add(struct trj_number_style *style, const char *number);

struct trj_lines {
    struct trj_input *in; // NULL: the lines are in memory
    char *next, *end;     // lines in memory: the part that was not read
    const char *zero;     // lines in memory: the first zero byte; NULL: none
    bool newline;         // lines in memory: the current line has a newline
    uint64_t number;      // of the current line, from 1
    char *text;           // the current line without its line end; may be changed; valid until the next line is read
    size_t length;
    bool again;                     // see trj_lines_repeat
    struct trj_number_style *style; // see trj_lines_check_last_number; NULL: no numbers were read
    bool *doubt;                    // the same; may be NULL
    struct trj_input_bytes *copy;   // lines of `in` are also appended here, unchanged; NULL: they are not
};

// Returns a reader of the lines in `size` bytes of memory, followed by one more byte that may be overwritten. Reading
// changes the text. `number` is the number of the line before the first one.
struct trj_lines trj_lines_in_memory(void *text, size_t size, uint64_t number);

// Reads the next line. Returns 1, 0 at the end of the file, or -1. A zero byte and a line over 1 MiB are TRJ_BAD_DATA.
// Errors give the line; the caller adds the name of the file.
int trj_lines_next(struct trj_lines *l, struct trj_error *err);

// Returns whether the current line has a newline. The last line of a truncated file has none.
bool trj_lines_has_newline(const struct trj_lines *l);

// Makes the next call of trj_lines_next return the current line again.
void trj_lines_repeat(struct trj_lines *l);

// Sets the error TRJ_BAD_DATA "line N: ...". Returns -1.
int trj_lines_fail(const struct trj_lines *l, struct trj_error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Copies the columns [from, from + width) of a text, without leading and trailing blanks, to `field`, which has at
// least width + 1 bytes. The result is NUL-terminated, and shorter if the text ends before. Returns its length.
size_t trj_field(const char *text, size_t length, size_t from, size_t width, char *field);
size_t trj_lines_field(const struct trj_lines *l, size_t from, size_t width, char *field); // of the current line

// Returns whether the columns [from, from + width) contain exactly one word.
bool trj_lines_has_word(const struct trj_lines *l, size_t from, size_t width);

// Returns the next word at *rest, terminated by a NUL in place, and moves *rest after it; NULL if there is none.
char *trj_next_word(char **rest);

// Checks whether the last number of the current line may be truncated, if the line has no newline. `number` contains
// the starts of the n numbers of the line. The last one is compared with the others and with l->style. If all others
// have the same number of decimals and the last one has another number, this is TRJ_BAD_DATA. If they differ, and the
// last one is shorter than the others, it may be truncated: *l->doubt is set.
int trj_lines_check_last_number(const struct trj_lines *l, const char *const number[], size_t n, struct trj_error *err);

static inline bool trj_is_blank(char c) {
    return c == ' ' || c == '\t';
}

#endif
