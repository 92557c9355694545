// SPDX-License-Identifier: MIT
// Finds texts in a list of different texts by a hash table: names of atoms, residues and groups.
#ifndef TRJ_TEXT_INDEX_H
#define TRJ_TEXT_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "topology.h"

// Zeroed, but for `texts`, it is ready. Only the text and count of `texts` are used.
struct trj_text_index {
    struct trj_texts *texts;
    uint64_t *slot; // [slots] hash table: number of the text + 1, and its hash above 32 bits; 0: free
    size_t slots, room;
    uint32_t last; // the text added last: atoms of a residue follow each other
};

// Adds a copy of a text unless the list has it. *id: its number in the list; a new text has the number texts->count had before. 0, -1.
int trj_text_index_add(struct trj_text_index *x, const char *text, uint32_t *id, struct trj_error *err);

// Returns whether the list has the text of `length` characters, which need not end with 0, and its number in *id.
bool trj_text_index_find(const struct trj_text_index *x, const char *text, size_t length, uint32_t *id);

void trj_text_index_free(struct trj_text_index *x); // the texts stay
void trj_texts_drop(struct trj_texts *texts);       // frees what is in it

#endif
