// SPDX-License-Identifier: MIT
// What every frame of a text says of who its atoms are: names, types, residues. Those who use that (topology.h) know what the first frame
// says, and want to hear of a frame that says something else.
//
// A label is of parts, as text: words of a line, or columns of it. What only one of two frames tells is no difference.
#ifndef TRJ_LABELS_H
#define TRJ_LABELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"

enum { TRJ_LABEL_PARTS = 8, TRJ_LABEL_WIDTH = 24, TRJ_LABEL_MESSAGE = 160 };

// What the labels of a format are made of.
struct trj_label_form {
    size_t parts;
    struct {
        const char *what;   // "residue name"
        size_t from, width; // among the columns; 0 of words
        bool letters;       // something else there is no part of the label
    } part[TRJ_LABEL_PARTS];
    struct {
        size_t from, width;
    } columns[2]; // of the line, one behind the other
    size_t width; // of them all, at most TRJ_LABEL_WIDTH
};

struct trj_label_part {
    const char *text;
    size_t length; // 0: it is not told
};

// A zeroed one is empty.
struct trj_labels {
    bool charges; // are wanted, too: programs write those of each frame
    bool known;   // all atoms of the first frame are in: from here on threads look at it, and nothing changes
    char *text;   // columns, or parts that each end in a newline
    size_t size, room;
    size_t *begin; // [atoms] where the words of an atom are
    size_t atoms, begin_room;
};

// Takes the label of the next atom of the first frame, or compares that of any atom of a further one: the first difference of a frame is
// told in `other` ("atom 0: the name is H, and O in the first frame"), empty before. 0; -1: no memory.
int trj_labels_words(struct trj_labels *l, const struct trj_label_form *form, size_t atom,
                     const struct trj_label_part *part, char other[TRJ_LABEL_MESSAGE], struct trj_error *err);
int trj_labels_columns(struct trj_labels *l, const struct trj_label_form *form, size_t atom, const char *columns,
                       char other[TRJ_LABEL_MESSAGE], struct trj_error *err);

// Of words: atom i of the first frame, as they came, is atom place[i] from here on.
int trj_labels_order(struct trj_labels *l, const uint32_t *place, struct trj_error *err);
void trj_labels_free(struct trj_labels *l); // and l itself; NULL is allowed

#endif
