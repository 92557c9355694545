// SPDX-License-Identifier: MIT
// Splits an input file of APBS into words. For apbs_input.c.
#ifndef POT_APBS_WORDS_H
#define POT_APBS_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"

// The characters that separate words (MCwhiteChars in src/generic/nosh.c of APBS), and those that begin a comment.
#define POT_APBS_BLANKS   " =,;\t\r\n"
#define POT_APBS_COMMENTS "#%"

struct pot_apbs_words {
    const char *text;     // ends with a NUL
    size_t offset;        // offset of the first byte that was not read
    size_t begin, length; // of the current word
};

// Reads the next word. Returns 1, 0 at the end of the text, or -1 with TRJ_BAD_DATA for a word in which a comment
// begins.
int pot_apbs_next(struct pot_apbs_words *w, struct trj_error *err);
// Does the same where the format requires another word: the end of the text is TRJ_BAD_DATA, with the words `what`.
int pot_apbs_require(struct pot_apbs_words *w, const char *what, struct trj_error *err);
// As pot_apbs_require, for a path: one that begins with a quotation mark ends with the next word that ends in one.
int pot_apbs_require_path(struct pot_apbs_words *w, const char *what, struct trj_error *err);

// Returns whether the current word is this keyword, in upper or lower case.
bool pot_apbs_is(const struct pot_apbs_words *w, const char *keyword);

// Reads the next word as a number. `keyword` is for messages. The value must be in [low, high].
int pot_apbs_real(struct pot_apbs_words *w, const char *keyword, double low, double high, double *value,
                  struct trj_error *err);
int pot_apbs_count(struct pot_apbs_words *w, const char *keyword, uint64_t low, uint64_t high, uint64_t *value,
                   struct trj_error *err);

// Puts "line N: " before the message of an error about the current word. Returns -1.
int pot_apbs_fail(const struct pot_apbs_words *w, struct trj_error *err);

#endif
