// SPDX-License-Identifier: MIT
// Observables with columns for each residue instead of one value of a whole group.
#ifndef OBS_DIVISION_H
#define OBS_DIVISION_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "observable.h"
#include "parts.h"
#include "system.h"

struct obs_division {
    size_t count;              // residues that have columns
    char **label;              // [count] unique names, such as "A:LYS12"; ends with NULL
    uint32_t *number;          // [count] in the topology: labels of other selections can be those of other residues
    struct obs_column *column; // [count * columns of the function]
    // Of obs_divide; otherwise empty. Atoms of the selection have the numbers of its list.
    struct obs_parts parts;
    uint32_t *begin, *member; // the atoms of residue i are member[begin[i]] to member[begin[i + 1] - 1], ascending
};

// Divides a selection by residues, in the order of their first atoms: sets o->division. Fails with TRJ_USAGE if it is
// dynamic, and with TRJ_BAD_DATA if the stream does not number residues. obs_division_free frees, also after a failure.
int obs_divide(struct obs_observable *o, const struct obs_system *s, size_t selection, struct trj_error *err);
// Sets o->division to residues that a function has selected itself, each given by one of its stream atoms.
int obs_divide_into(struct obs_observable *o, const struct obs_system *s, const uint32_t *atom, size_t count,
                    struct trj_error *err);
// Sets o->division to the residues of another one, and repeats o->column for each of them.
int obs_divide_as(struct obs_observable *o, const struct obs_division *other, struct trj_error *err);
// Repeats o->column for each residue, and sets o->columns to their number.
int obs_division_repeat_columns(struct obs_observable *o, struct trj_error *err);
void obs_division_free(struct obs_division *d); // NULL is allowed

// Computes the values of all residues of o->division by the function, which sees in place of the selection the atoms of
// one residue alone and, if `paired` is not SIZE_MAX, in place of that selection the atoms with the same numbers. The
// text of an error begins with the name of the residue.
int obs_division_compute(const struct obs_observable *o, struct obs_view *v, size_t selection, size_t paired,
                         double *value, struct trj_error *err);

#endif
