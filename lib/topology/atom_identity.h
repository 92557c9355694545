// SPDX-License-Identifier: MIT
// Atom identity: the names, types and residues that a text format repeats in each frame. The first frame's are stored,
// since topologies are read from it (topology.h), and later frames are compared with them.
//
// The identity of an atom has several parts, each a text: a word of a line, or some columns of it. A part that only one
// of two frames contains is not a difference. Two frames without any part in common do differ.
#ifndef TRJ_ATOM_IDENTITY_H
#define TRJ_ATOM_IDENTITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "error.h"
#include "lines.h"
#include "topology.h"

enum { TRJ_IDENTITY_FIELDS = 8, TRJ_IDENTITY_WIDTH = 32, TRJ_IDENTITY_MESSAGE = 160 };

// The parts of the atom identity in a format.
struct trj_identity_layout {
    size_t parts;
    struct {
        const char *what;   // "residue name"
        size_t from, width; // position in the stored columns; 0 for formats of words
        bool letters;       // ignored if it contains anything but letters
    } part[TRJ_IDENTITY_FIELDS];
    struct {
        size_t from, width;
    } columns[2]; // two ranges of columns in a line, in ascending order, which are stored side by side
    size_t width; // their total width, at most TRJ_IDENTITY_WIDTH
};

struct trj_identity_field {
    const char *text;
    size_t length; // 0: missing
};

struct trj_text_index;

// The atom identity of the first frame. A zeroed struct is empty.
struct trj_atom_identity {
    bool charges; // also compares charges, which some programs write for each frame
    bool known;   // the first frame is complete; from then on the struct is constant, and threads may share it
    size_t atoms;
    char *text; // [atoms][width] columns; for formats of words, a buffer for the parts of one atom
    size_t capacity;
    struct trj_texts words; // the parts of each atom, each followed by a newline
    size_t id_capacity;
    struct trj_text_index *index; // of words; NULL before the first atom and once the first frame is complete
};

// Stores the identity of the next atom of the first frame, or compares that of any atom of a later frame. Only the
// first difference in a frame is written to `difference`, which must be "" before: "atom 0: the name is H, and O in the
// first frame". Of `parts` words, those after the last one given are missing. Returns 0, or -1 if there is no memory.
static inline int trj_atom_identity_words(struct trj_atom_identity *a, const struct trj_identity_layout *layout,
                                          size_t atom, const struct trj_identity_field *part, size_t parts,
                                          char difference[TRJ_IDENTITY_MESSAGE], struct trj_error *err);
static inline int trj_atom_identity_columns(struct trj_atom_identity *a, const struct trj_identity_layout *layout,
                                            size_t atom, const struct trj_lines *line,
                                            char difference[TRJ_IDENTITY_MESSAGE], struct trj_error *err);

// For words: atom i of the first frame, in the order of its lines, becomes atom position[i]. Returns 0 or -1.
int trj_atom_identity_reorder(struct trj_atom_identity *a, const uint32_t *position, struct trj_error *err);
void trj_atom_identity_finish(struct trj_atom_identity *a); // call it at the end of the first frame
void trj_atom_identity_free(struct trj_atom_identity *a);   // frees the struct, too; NULL is allowed

// ---- Inline functions handle equal identities, by far the most common case; these handle all others.

int trj_atom_identity_differ_words(struct trj_atom_identity *a, const struct trj_identity_layout *layout, size_t atom,
                                   const struct trj_identity_field *part, size_t parts,
                                   char difference[TRJ_IDENTITY_MESSAGE], struct trj_error *err);
int trj_atom_identity_differ_columns(struct trj_atom_identity *a, const struct trj_identity_layout *layout, size_t atom,
                                     const struct trj_lines *line, char difference[TRJ_IDENTITY_MESSAGE],
                                     struct trj_error *err);

static inline int trj_atom_identity_words(struct trj_atom_identity *a, const struct trj_identity_layout *layout,
                                          size_t atom, const struct trj_identity_field *part, size_t parts,
                                          char difference[TRJ_IDENTITY_MESSAGE], struct trj_error *err) {
    const char *first = a->known ? a->words.text[a->words.id[atom]] : NULL;
    bool same = first;
    for (size_t k = 0; k < parts && same; k++, first++) {
        size_t n = 0;
        for (; n < part[k].length && part[k].text[n] == *first; n++) first++;
        same = n == part[k].length && *first == '\n';
    }
    return same ? 0 : trj_atom_identity_differ_words(a, layout, atom, part, parts, difference, err);
}

static inline int trj_atom_identity_columns(struct trj_atom_identity *a, const struct trj_identity_layout *layout,
                                            size_t atom, const struct trj_lines *line,
                                            char difference[TRJ_IDENTITY_MESSAGE], struct trj_error *err) {
    const size_t from = layout->columns[0].from, width = layout->columns[0].width, from2 = layout->columns[1].from,
                 width2 = layout->columns[1].width;
    const char *first = a->known ? a->text + atom * layout->width : NULL;
    bool same = first && line->length >= (width2 ? from2 + width2 : from + width) &&
                !memcmp(line->text + from, first, width) &&
                (!width2 || !memcmp(line->text + from2, first + width, width2));
    return same ? 0 : trj_atom_identity_differ_columns(a, layout, atom, line, difference, err);
}

#endif
