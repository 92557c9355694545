// SPDX-License-Identifier: MIT
// Secondary structure of proteins by hydrogen bonds of the backbone: W. Kabsch, C. Sander, Biopolymers 22, 2577 (1983).
#ifndef OBS_SECONDARY_STRUCTURE_H
#define OBS_SECONDARY_STRUCTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"

enum { OBS_BACKBONE_BONDS = 2 };

// A residue. Its bonds are those of its N-H, to the two C=O for which the energy is lowest.
struct obs_backbone {
    double ca[3];      // Å, as a continuous chain
    double n[3], c[3]; // Å, relative to CA
    double o[3], h[3]; // Å, relative to CA; only if the residue has them
    bool has_o, has_h; // an N without H gives no bond
    bool joined;       // it has a peptide bond to the residue before
    uint32_t chain;    // equal for residues that peptide bonds connect
    uint32_t bonds;    // with an energy below -0.5 kcal/mol
    uint32_t acceptor[OBS_BACKBONE_BONDS];
    double energy[OBS_BACKBONE_BONDS]; // kcal/mol, ascending
};

// Memory that is used again. A zeroed struct is empty; obs_structure_free frees.
struct obs_structure {
    char *letter; // [residues] H, G, I, E, B, T, S, or - for none
    struct obs_ladder *ladder;
    uint32_t (*candidate)[2];
    size_t letter_capacity, ladder_capacity, candidate_capacity;
};

// Sets a residue's `chain`, and the hydrogen of its N at 1 Å, opposite to the C=O of the residue before. Residues are
// given in their order; `before` is NULL for the first one. `imino`: the N has no H, as in proline.
void obs_backbone_join(struct obs_backbone *r, const struct obs_backbone *before, bool imino);
// Adds the bond from the N-H of residue `donor` to the C=O of residue `acceptor`, if its energy is low enough. d is the
// vector between their CA, Å.
void obs_backbone_bond(struct obs_backbone *r, uint32_t donor, uint32_t acceptor, const double d[3]);
// Sets the letters of residues with all their bonds.
int obs_structure_assign(struct obs_structure *s, const struct obs_backbone *r, size_t residues, struct trj_error *err);
void obs_structure_free(struct obs_structure *s);

#endif
