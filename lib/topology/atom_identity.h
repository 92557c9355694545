// SPDX-License-Identifier: MIT
// What every frame of a text says of who its atoms are: names, types, residues. Those who use that (topology.h) know what the first frame
// says, and want to hear of a frame that says something else.
//
// A label is of parts, as text: words of a line, or columns of it. What only one of two frames tells is no difference,
// but that they tell nothing in common is one.
#ifndef TRJ_ATOM_IDENTITY_H
#define TRJ_ATOM_IDENTITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "error.h"
#include "lines.h"
#include "topology.h"

enum { TRJ_IDENTITY_FIELDS = 8, TRJ_IDENTITY_WIDTH = 24, TRJ_IDENTITY_MESSAGE = 160 };

// What the labels of a format are made of.
struct trj_identity_layout {
    size_t parts;
    struct {
        const char *what;   // "residue name"
        size_t from, width; // among the columns; 0 of words
        bool letters;       // something else there is no part of the label
    } part[TRJ_IDENTITY_FIELDS];
    struct {
        size_t from, width;
    } columns[2]; // of the line, one behind the other
    size_t width; // of them all, at most TRJ_IDENTITY_WIDTH
};

struct trj_identity_field {
    const char *text;
    size_t length; // 0: it is not told
};

struct trj_text_index;

// Those of the first frame. A zeroed one is empty.
struct trj_atom_identity {
    bool charges; // are wanted, too: programs write those of each frame
    bool known;   // all atoms are in: from here on threads look at it, and nothing changes
    size_t atoms;
    char *text; // [atoms][width] columns; or a label that is being put together
    size_t room;
    struct trj_texts words; // each part ends in a newline
    size_t id_room;
    struct trj_text_index *index; // of words, as long as they are taken
};

// Takes the label of the next atom of the first frame, or compares that of any atom of a further one: the first difference of a frame is
// told in `other` ("atom 0: the name is H, and O in the first frame"), empty before. 0; -1: no memory.
static inline int trj_atom_identity_words(struct trj_atom_identity *l, const struct trj_identity_layout *form,
                                          size_t atom, const struct trj_identity_field *part, size_t parts,
                                          char other[TRJ_IDENTITY_MESSAGE], struct trj_error *err);
static inline int trj_atom_identity_columns(struct trj_atom_identity *l, const struct trj_identity_layout *form,
                                            size_t atom, const struct trj_lines *line, char other[TRJ_IDENTITY_MESSAGE],
                                            struct trj_error *err);

// Of words: atom i of the first frame, as they came, is atom place[i] from here on.
int trj_atom_identity_reorder(struct trj_atom_identity *l, const uint32_t *place, struct trj_error *err);
void trj_atom_identity_finish(struct trj_atom_identity *l); // the first frame is in
void trj_atom_identity_free(struct trj_atom_identity *l);   // and l itself; NULL is allowed

// ---- A label hardly ever changes: that it does not is seen at once.

int trj_atom_identity_differ_words(struct trj_atom_identity *l, const struct trj_identity_layout *form, size_t atom,
                                   const struct trj_identity_field *part, size_t parts,
                                   char other[TRJ_IDENTITY_MESSAGE], struct trj_error *err);
int trj_atom_identity_differ_columns(struct trj_atom_identity *l, const struct trj_identity_layout *form, size_t atom,
                                     const struct trj_lines *line, char other[TRJ_IDENTITY_MESSAGE],
                                     struct trj_error *err);

// Of `parts` parts, those behind them are not told.
static inline int trj_atom_identity_words(struct trj_atom_identity *l, const struct trj_identity_layout *form,
                                          size_t atom, const struct trj_identity_field *part, size_t parts,
                                          char other[TRJ_IDENTITY_MESSAGE], struct trj_error *err) {
    const char *first = l->known ? l->words.text[l->words.id[atom]] : NULL;
    bool same = first;
    for (size_t k = 0; k < parts && same; k++, first++) {
        size_t n = 0;
        for (; n < part[k].length && part[k].text[n] == *first; n++) first++;
        same = n == part[k].length && *first == '\n';
    }
    return same ? 0 : trj_atom_identity_differ_words(l, form, atom, part, parts, other, err);
}

static inline int trj_atom_identity_columns(struct trj_atom_identity *l, const struct trj_identity_layout *form,
                                            size_t atom, const struct trj_lines *line, char other[TRJ_IDENTITY_MESSAGE],
                                            struct trj_error *err) {
    const size_t from = form->columns[0].from, width = form->columns[0].width, behind = form->columns[1].from,
                 more = form->columns[1].width;
    const char *first = l->known ? l->text + atom * form->width : NULL;
    bool same = first && line->length >= (more ? behind + more : from + width) &&
                !memcmp(line->text + from, first, width) &&
                (!more || !memcmp(line->text + behind, first + width, more));
    return same ? 0 : trj_atom_identity_differ_columns(l, form, atom, line, other, err);
}

#endif
