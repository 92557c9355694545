// SPDX-License-Identifier: MIT
// Reads the topology of a GRO file: names and residues of its first frame.
#include "gro_records.h"
#include "number.h"
#include "topology_parts.h"

// Coordinates have no effect here, so NaN is accepted.
static int add_atom(struct trj_topology_builder *b, const struct trj_lines *l, const struct trj_gro_shape *shape,
                    struct trj_error *err) {
    struct trj_gro_atom a;
    if (trj_gro_atom(l, shape, b->top->atoms + 1, &a, err)) return -1;
    return trj_topology_add(b, &(struct trj_topology_atom){.name = a.name, .resname = a.resname, .resid = a.resid},
                            err);
}

int trj_gro_read(struct trj_topology_builder *b, struct trj_lines *l, struct trj_error *err) {
    int got = trj_lines_next(l, err); // the title
    if (got == 1) got = trj_lines_next(l, err);
    if (got < 0) return -1;
    if (!got) return trj_lines_fail(l, err, "the file ends before the number of atoms");
    uint64_t count;
    char word[32];
    const char *text = trj_gro_count(l, word);
    if (!trj_parse_u64(text, &count)) return trj_lines_fail(l, err, "'%.40s' is not a number of atoms", l->text);
    if (!count) return trj_lines_fail(l, err, "no atoms");
    if (count > UINT32_MAX) return trj_lines_fail(l, err, "%s atoms: at most %u can be read", text, UINT32_MAX);
    struct trj_gro_shape shape = {0};
    for (uint64_t i = 0; i < count; i++) {
        if ((got = trj_lines_next(l, err)) < 0) return -1;
        if (!got) return trj_lines_fail(l, err, "the file ends after %zu of %s atoms", b->top->atoms, text);
        if (!i) shape = trj_gro_shape_of(l);
        if (add_atom(b, l, &shape, err)) return -1;
    }
    if ((got = trj_lines_next(l, err)) < 0) return -1;
    if (!got) return trj_lines_fail(l, err, "the file ends before the box");
    if (trj_gro_check_box(l, err)) return -1;
    return trj_topology_guess_elements(b->top, NULL, false, err);
}
