// SPDX-License-Identifier: MIT
// Reads the topology of a Tinker file (tinker_records.h): names, types and bonds of its first frame.
#include <stdlib.h>
#include <string.h>

#include "number.h"
#include "tinker_records.h"
#include "topology_parts.h"

// Adds the bonds to atoms of larger numbers: each is in the lines of both of its atoms.
static int add_bonds(struct trj_topology_builder *b, const struct trj_lines *l, size_t i, char *rest, uint64_t count,
                     struct trj_error *err) {
    uint64_t other;
    for (char *word; (word = trj_next_word(&rest));) {
        if (!trj_parse_u64(word, &other) || !other || other > count || other == i + 1)
            return trj_lines_fail(l, err, "atom %zu: '%.40s' is not the number of another atom", i, word);
        if (other > i + 1 && trj_topology_add_bond(b, (uint32_t)i, (uint32_t)(other - 1), err)) return -1;
    }
    return 0;
}

static int read_atom(struct trj_topology_builder *b, const struct trj_lines *l, uint64_t count, struct trj_error *err) {
    enum { NUMBER, NAME, X, Y, Z, TYPE, WORDS };
    char *word[WORDS], *rest = l->text;
    size_t i = b->top->atoms;
    uint64_t number;
    for (int k = 0; k < WORDS; k++)
        if (!(word[k] = trj_next_word(&rest)))
            return trj_lines_fail(l, err, "atom %zu: %d columns, expected %d or more", i, k, WORDS);
    if (!trj_parse_u64(word[NUMBER], &number) || number != i + 1)
        return trj_lines_fail(l, err, "atom %zu: '%.40s' found, expected its number %zu", i, word[NUMBER], i + 1);
    const struct trj_topology_atom atom = {.name = word[NAME], .type = word[TYPE]};
    return trj_topology_add(b, &atom, err) || add_bonds(b, l, i, rest, count, err) ? -1 : 0;
}

int trj_tinker_read(struct trj_topology_builder *b, struct trj_lines *l, struct trj_error *err) {
    uint64_t count;
    double v[6];
    char *rest, *word = NULL;
    while (!word) {
        if (trj_topology_next_line(l, "the number of atoms", err)) return -1;
        rest = l->text;
        word = trj_next_word(&rest);
    }
    if (!trj_parse_u64(word, &count) || !count || count > UINT32_MAX)
        return trj_lines_fail(l, err, "'%.40s' is not a number of atoms from 1 to %u", word, UINT32_MAX);
    b->has_resid = false;
    if (trj_topology_next_line(l, "the first atom", err)) return -1;
    for (bool first = !trj_tinker_cell(l->text, v); b->top->atoms < count; first = false) {
        int got = first ? 1 : trj_lines_next(l, err);
        if (got < 0) return -1;
        if (!got)
            return trj_lines_fail(l, err, "the file ends after %zu of %llu atoms", b->top->atoms,
                                  (unsigned long long)count);
        if (read_atom(b, l, count, err)) return -1;
    }
    if (trj_topology_check_last_word(b->top, l, NULL, err)) return -1;
    return trj_topology_guess_elements(b->top, NULL, false, err);
}
