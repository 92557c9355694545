// SPDX-License-Identifier: MIT
// Reads the topology of a GROMOS coordinate file: names and residues in the block POSITION of its first frame.
#include <stdio.h>

#include "g96_records.h"
#include "topology_parts.h"

static int skip_block(struct trj_lines *l, struct trj_error *err) {
    char name[24];
    int got;
    snprintf(name, sizeof name, "%.20s", l->text);
    do got = trj_g96_next_line(l, name, err);
    while (got > 0);
    return got;
}

int trj_g96_read(struct trj_topology_builder *b, struct trj_lines *l, struct trj_error *err) {
    enum trj_g96_block block;
    int got;
    while ((got = trj_g96_next_block(l, &block, err)) > 0 && block != TRJ_G96_POSITION) {
        if (block == TRJ_G96_POSITIONRED)
            return trj_fail(err, TRJ_USAGE,
                            "contains no topology, only positions without names (POSITIONRED); give one with -t");
        if (skip_block(l, err)) return -1;
    }
    if (got < 0) return -1;
    if (!got) return trj_lines_fail(l, err, "the file ends without a block POSITION");
    while ((got = trj_g96_next_line(l, "POSITION", err)) > 0) {
        struct trj_g96_atom a;
        if (b->top->atoms == UINT32_MAX) return trj_lines_fail(l, err, "more than %u atoms", UINT32_MAX);
        if (trj_g96_atom(l, b->top->atoms, &a, err) ||
            trj_topology_add(b, &(struct trj_topology_atom){.name = a.name, .resname = a.resname, .resid = a.resid},
                             err))
            return -1;
    }
    if (got < 0) return -1;
    if (!b->top->atoms) return trj_lines_fail(l, err, "no atoms in the block POSITION");
    return trj_topology_guess_elements(b->top, NULL, false, err);
}
