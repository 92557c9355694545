// SPDX-License-Identifier: MIT
// Finds texts in a list of different texts with a hash table: names of atoms, residues and groups.
#ifndef TRJ_TEXT_INDEX_H
#define TRJ_TEXT_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"

// A column of texts, such as the names of atoms. Equal texts are stored once.
struct trj_texts {
    uint32_t *id; // [atoms] index into text; NULL: there is no such column
    char **text;  // [count], each different
    size_t count;
};

// Ready for use if zeroed except for `texts`, whose members text and count are used.
struct trj_text_index {
    struct trj_texts *texts;
    uint64_t *entry; // [entries] number of the text + 1 in the low 32 bits, bits of its hash above; 0: free
    size_t entries, capacity;
    uint32_t last; // number of the text added last, which is compared first: atoms of a residue are adjacent
};

// Adds a copy of a text unless the list contains it, and sets *id to its number in the list. A new text has the number
// that texts->count had before. Returns 0 or -1.
int trj_text_index_add(struct trj_text_index *x, const char *text, uint32_t *id, struct trj_error *err);

// Returns whether the list contains the text of `length` characters, which need not be NUL-terminated, and sets *id to
// its number.
bool trj_text_index_find(const struct trj_text_index *x, const char *text, size_t length, uint32_t *id);

void trj_text_index_free(struct trj_text_index *x); // does not free the texts
void trj_texts_clear(struct trj_texts *texts);      // frees the texts, not the struct

#endif
