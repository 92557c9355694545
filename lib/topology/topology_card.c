// SPDX-License-Identifier: MIT
// Reads the topology of a CHARMM CARD file: names, residues and segments of its first frame.
#include "card_records.h"
#include "number.h"
#include "topology_parts.h"

int trj_card_read(struct trj_topology_builder *b, struct trj_lines *l, struct trj_error *err) {
    const char *text;
    uint64_t count;
    int got;
    do got = trj_lines_next(l, err);
    while (got > 0 && *l->text == '*');
    if (got < 0) return -1;
    if (!got) return trj_lines_fail(l, err, "the file ends before the number of atoms");
    const struct trj_card_columns *columns = trj_card_layout(l, &text);
    if (!trj_parse_u64(text, &count)) return trj_lines_fail(l, err, "'%.40s' is not a number of atoms", text);
    if (!count) return trj_lines_fail(l, err, "no atoms");
    if (count > UINT32_MAX) return trj_lines_fail(l, err, "%.40s atoms: at most %u can be read", text, UINT32_MAX);
    for (uint64_t i = 0; i < count; i++) {
        struct trj_card_atom a;
        if ((got = trj_lines_next(l, err)) < 0) return -1;
        if (!got)
            return trj_lines_fail(l, err, "the file ends after %zu of %llu atoms", b->top->atoms,
                                  (unsigned long long)count);
        if (trj_card_atom(l, columns, b->top->atoms + 1, &a, err)) return -1;
        if (trj_topology_add(
                b,
                &(struct trj_topology_atom){
                    .name = a.name, .resname = a.resname, .segid = a.segid, .resid = a.resid, .insertion = a.insertion},
                err))
            return -1;
    }
    return trj_topology_guess_elements(b->top, NULL, false, err);
}
