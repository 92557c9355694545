// SPDX-License-Identifier: MIT
// Text files, line by line, for topologies and trajectories: lines that know their number, and the fields and words in them.
#ifndef TRJ_LINES_H
#define TRJ_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "input.h"

// How numbers of a file are written, as far as they were seen; starts as zeros.
struct trj_number_style {
    size_t seen;
    bool mixed; // they have not all as many decimals, and as long exponents
    size_t decimals, exponent;
    bool settled; // enough was seen
};
void trj_number_style_add(struct trj_number_style *style, const char *number);

struct trj_lines {
    struct trj_input *in; // NULL: the lines are in memory
    char *next, *end;     // there: what is left of them
    const char *zero;     // the first zero byte in it; NULL: none
    bool newline;         // was behind the line in `text`
    uint64_t number;      // of the line in `text`, from 1
    char *text;           // without its end; may be changed, valid until the next line
    size_t length;
    bool again;                     // see trj_lines_repeat
    struct trj_number_style *style; // see trj_lines_check_last_number; NULL: nothing is known
    bool *doubt;                    // the same; NULL: nobody asks
};

// Lines in memory, which they may change, with one byte behind them; the first is that behind line `number`.
struct trj_lines trj_lines_in_memory(void *text, size_t size, uint64_t number);

// 1 a line, 0 end of the file, -1. Errors name the line, not the file: the caller does.
int trj_lines_next(struct trj_lines *l, struct trj_error *err);

// Whether the line had its newline. The last one of a file that was cut has none.
bool trj_lines_has_newline(const struct trj_lines *l);

// The next line will be this one once more.
void trj_lines_repeat(struct trj_lines *l);

// TRJ_BAD_DATA "line N: ...". Returns -1.
int trj_lines_fail(const struct trj_lines *l, struct trj_error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// The part [from, from + width) of a text without blanks around it, NUL-terminated in `field` (at least width + 1 bytes); shorter or
// empty where the text ends before. Returns its length.
size_t trj_field(const char *text, size_t length, size_t from, size_t width, char *field);
size_t trj_lines_field(const struct trj_lines *l, size_t from, size_t width, char *field); // of the line

// Whether something without a blank inside stands there.
bool trj_lines_has_word(const struct trj_lines *l, size_t from, size_t width);

// The next word at *rest, NUL-terminated in place; *rest moves behind it. NULL: none left.
char *trj_next_word(char **rest);

// A last line without newline may have lost digits. If the current line is one, the last of its n numbers, which begin at `number`, is
// compared with the others and with those that l->style has seen. TRJ_BAD_DATA where all have fixed decimals but this one; where they have
// not, it cannot be told whether a short one is whole: *l->doubt is set.
int trj_lines_check_last_number(const struct trj_lines *l, const char *const number[], size_t n, struct trj_error *err);

static inline bool trj_is_blank(char c) {
    return c == ' ' || c == '\t';
}

#endif
