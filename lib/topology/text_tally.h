// SPDX-License-Identifier: MIT
// Counts how often each text of a column of a topology occurs.
#ifndef TRJ_TEXT_TALLY_H
#define TRJ_TEXT_TALLY_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "topology.h"

struct trj_text_tally {
    const char *text; // owned by the column
    uint64_t atoms;
    uint64_t residues; // residues whose first atom has the text; 0 if there are no residues
};

// Counts the atoms and residues of each text: the most frequent first, equal frequencies in alphabetical order. Texts
// without atoms are omitted. `residue` [atoms] gives residue numbers; NULL: none. The caller frees *tally with free().
int trj_text_tally_count(struct trj_text_tally **tally, size_t *count, const struct trj_texts *texts, size_t atoms,
                         const uint32_t *residue, struct trj_error *err);

#endif
