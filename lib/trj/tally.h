// SPDX-License-Identifier: MIT
// Counts how often each text of a column of a topology occurs.
#ifndef TRJ_TALLY_H
#define TRJ_TALLY_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "topology.h"

struct trj_tally {
    const char *text; // the column's
    uint64_t atoms;
    uint64_t residues; // in which its first atom has the text, 0 without residues
};

// Counts the atoms and residues of each text, the most frequent first, those of one frequency in alphabetical order. Texts that no atom
// has are left out. `residue` [atoms] are numbers of residues, NULL: none. The caller frees *tally.
int trj_tally_texts(struct trj_tally **tally, size_t *count, const struct trj_texts *texts, size_t atoms,
                    const uint32_t *residue, struct trj_error *err);

#endif
