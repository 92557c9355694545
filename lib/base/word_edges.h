// SPDX-License-Identifier: MIT
// Finds the words of a line for tables whose lines have many words, of which few are read.
#ifndef TRJ_WORD_EDGES_H
#define TRJ_WORD_EDGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TRJ_WORD_EDGES_MORE = 7 }; // elements that trj_word_edges may write after those of the result

// Finds the words in `length` bytes of text, at most UINT32_MAX, which are separated by spaces. Returns whether there
// are `words`, and no byte but spaces up to '\'', which are quotes, '#', some others and all control characters, with
// tabs; any other text is left to the caller. If it returns true, word k of the first `needed` ones, at most `words`,
// consists of the bytes [edge[2 * k], edge[2 * k + 1]). `edge` has 2 * `needed` + TRJ_WORD_EDGES_MORE elements, whose
// contents are undefined otherwise. No byte after the text is read.
bool trj_word_edges(const char *text, size_t length, size_t words, size_t needed, uint32_t *edge);

#endif
