// SPDX-License-Identifier: MIT
// Finds the words of a line for tables whose lines have many words, of which few are read.
#ifndef TRJ_WORD_EDGES_H
#define TRJ_WORD_EDGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "instruction_set.h"

enum { TRJ_WORD_EDGES_MORE = 7 }; // elements that trj_word_edges may write after those of the result

// Finds the words in `length` bytes of text, at most UINT32_MAX, which are separated by spaces. Returns whether there
// are `words`, and no byte but spaces up to '\'', which are quotes, '#', some others and all control characters, with
// tabs; any other text is left to the caller. If it returns true, word k of the words [first, end), of which there are
// at least one, consists of the bytes [edge[2 * (k - first)], edge[2 * (k - first) + 1]). `edge` has
// 2 * (end - first) + TRJ_WORD_EDGES_MORE elements, whose contents are undefined otherwise. No byte after the text is
// read. The result is the same for each instruction set.
bool trj_word_edges(const char *text, size_t length, size_t words, size_t first, size_t end, uint32_t *edge,
                    enum trj_isa isa);

#endif
