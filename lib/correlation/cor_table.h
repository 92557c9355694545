// SPDX-License-Identifier: MIT
// Tables of scores: comments with the provenance and the definitions, and a row for each frame; of two maps, a row for
// each score or shell.
#ifndef COR_TABLE_H
#define COR_TABLE_H

#include <stddef.h>

#include "cor_frames.h"
#include "cor_score.h"
#include "error.h"
#include "fourier_shell.h"
#include "output.h"

struct cor_table {
    struct trj_output *out;
    char *const *provenance; // ends with NULL: lines of this process
    const struct cor_map *map;
    const struct cor_mask *mask;
    const struct trj_text_list *masks; // as texts
};

// What the densities of frames are made of.
struct cor_table_model {
    const struct trj_stream_header *header;
    const struct cor_model *model;
    const struct cor_selections *selections;
    const char *sigma; // "1.485 Angstrom, 0.225 times the resolution of 6.6 Angstrom"
    const char *local; // "own" or "whole"; NULL: the group is not divided
    size_t score;
};

int cor_table_print_head(const struct cor_table *t, const struct cor_table_model *m, struct trj_error *err);
// Prints the scores of a frame from its sums [selections].
int cor_table_print_frame(const struct cor_table *t, const struct cor_table_model *m, uint64_t frame, double time,
                          const struct cor_sums *sums, const struct cor_scale *scale, struct trj_error *err);
// Prints all scores of two maps: `other` is x, and t->map is y.
int cor_table_print_maps(const struct cor_table *t, const struct cor_map *other, struct trj_error *err);
// Prints a Fourier shell correlation.
int cor_table_print_shells(const struct cor_table *t, const struct cor_map *other, const struct cor_shells *shells,
                           struct trj_error *err);

#endif
