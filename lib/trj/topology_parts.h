// SPDX-License-Identifier: MIT
// What the topology formats share: columns of texts, and a topology that grows atom by atom.
#ifndef TRJ_TOPOLOGY_PARTS_H
#define TRJ_TOPOLOGY_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "lines.h"
#include "topology.h"

// Adds texts to a column, each different one once.
struct trj_text_index {
    struct trj_texts *texts;
    uint32_t *slot; // [slots] hash table of text numbers + 1; 0: free
    size_t slots, room;
    uint32_t last; // the text added last: atoms of a residue follow each other
};

int trj_text_index_add(struct trj_text_index *x, const char *text, uint32_t *id, struct trj_error *err);
void trj_text_index_free(struct trj_text_index *x); // the texts stay

// What a format knows of an atom. NULL texts: no such column (the same for all atoms of a file).
struct trj_topology_atom {
    const char *name, *type, *resname, *segid;
    int64_t resid;
    char insertion; // insertion code: 52 and 52A are different residues; 0 none
    double mass, charge;
};

struct trj_topology_builder {
    struct trj_topology *top; // its arrays have `room` elements
    size_t room;
    bool has_mass, has_charge; // set before the first atom
    char *insertion;           // [room]
    struct trj_text_index name, type, resname, segid;
};

int trj_topology_add(struct trj_topology_builder *b, const struct trj_topology_atom *atom, struct trj_error *err);

// Makes the element column; z[atoms] are atomic numbers, 0 unknown.
int trj_topology_set_elements(struct trj_topology *top, const unsigned char *z, struct trj_error *err);

// The text of an atom in a column, "" where there is no column.
const char *trj_topology_text(const struct trj_texts *texts, size_t atom);

// Each format: whether the head of a file looks like it (GRO and PDB: gro_records.h, pdb_records.h); reading it into an empty builder,
// elements too.
// The line reader stands before the first line. Residues and molecules are made by the caller.
bool trj_psf_is(const char *head, size_t n);
int trj_psf_read(struct trj_topology_builder *b, struct trj_lines *l, struct trj_error *err);
int trj_pdb_read(struct trj_topology_builder *b, struct trj_lines *l, struct trj_error *err);
int trj_gro_read(struct trj_topology_builder *b, struct trj_lines *l, struct trj_error *err);

#endif
