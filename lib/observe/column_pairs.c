// SPDX-License-Identifier: MIT
// Pairs columns of observables by their residues, because functions of residues leave different ones out.
#include "column_pairs.h"

#include "division.h"
#include "memory.h"

static uint32_t residue_of(const struct obs_observable *o, size_t column) {
    return o->division->number[column];
}

static int pair_residues(struct obs_column_pair *pairs, size_t *count, const struct obs_observable *a,
                         const struct obs_observable *b, struct trj_error *err) {
    size_t next = 0; // both are nearly always in the same order
    for (size_t i = 0; i < a->columns; i++) {
        for (size_t tried = 0; tried < b->columns; tried++, next++) {
            if (next == b->columns) next = 0;
            if (residue_of(a, i) != residue_of(b, next)) continue;
            pairs[(*count)++] = (struct obs_column_pair){i, next};
            break;
        }
    }
    if (*count) return 0;
    return trj_fail(err, TRJ_USAGE, "no residue has both %s and %s; give functions of the same residues", a->text,
                    b->text);
}

int obs_columns_pair(struct obs_column_pair **pairs, size_t *count, const struct obs_observable *a,
                     const struct obs_observable *b, struct trj_error *err) {
    *count = 0;
    if (!(*pairs = trj_alloc(a->columns, sizeof **pairs, "columns", err))) return -1;
    const bool single = obs_residue_count(a) == a->columns && obs_residue_count(b) == b->columns;
    if (a->division && b->division && single) return pair_residues(*pairs, count, a, b, err);
    if (a->columns != b->columns)
        return trj_fail(err, TRJ_USAGE,
                        "%s has %zu column%s, and %s has %zu; name one of the columns, such as dipole.total(P)",
                        a->text, a->columns, a->columns == 1 ? "" : "s", b->text, b->columns);
    for (; *count < a->columns; ++*count) (*pairs)[*count] = (struct obs_column_pair){*count, *count};
    return 0;
}
