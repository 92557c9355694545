// SPDX-License-Identifier: MIT
// Selections of a frame stream, each of which gets a score of its own: residues, segments, molecules, or groups.
#ifndef COR_SELECTION_H
#define COR_SELECTION_H

#include <stddef.h>

#include "cor_model.h"
#include "error.h"
#include "frame_stream.h"
#include "gauss.h"
#include "tool.h"

extern const struct trj_choice cor_parts[]; // ways to divide a group; ends with a NULL name

// Selections of atoms of a model, in the order in which they first occur in the stream. An atom may be part of several.
struct cor_selections {
    size_t count;
    char **name;                   // [count + 1] ends with NULL
    struct den_gauss_atoms *atoms; // [count] parts of the arrays below
    uint32_t *list;
    float *weight;
    uint16_t *kind;
};

// Fills a zeroed struct. `by` is one of cor_parts, or NULL: one selection, the whole group. With "group", the
// selections are the other groups of the stream, each without its atoms that are not part of the model. Fails with
// TRJ_BAD_DATA and a remedy if the stream lacks what divides the group, or if a selection has no atoms of the model.
// The caller frees *s by cor_selections_free, also after a failure. The model must stay valid.
int cor_selections_open(struct cor_selections *s, const struct trj_stream_header *h, const struct cor_model *m,
                        const char *by, struct trj_error *err);
void cor_selections_free(struct cor_selections *s);

#endif
