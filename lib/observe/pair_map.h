// SPDX-License-Identifier: MIT
// Maps of pairs of atoms or residues of two selections, with a number for each pair: what contact maps and distance
// maps have in common.
#ifndef OBS_PAIR_MAP_H
#define OBS_PAIR_MAP_H

#include <stdbool.h>
#include <stddef.h>

#include "ensemble.h"
#include "parts.h"
#include "sums.h"

struct obs_pair_map {
    size_t selection[2];
    struct obs_parts parts[2];
    bool same; // both selections contain the same atoms, so that the map is symmetric
};

// Divides the first two arguments of e->expression, as --per says. Fails as obs_parts_make, and for --cluster.
// obs_pair_map_free frees, also after a failure.
int obs_pair_map_open(struct obs_pair_map *m, struct obs_ensemble *e, struct trj_error *err);
void obs_pair_map_free(struct obs_pair_map *m); // not m itself

// Returns the number of a pair of parts in an array of parts[0].count * parts[1].count elements; pairs of a symmetric
// map are above the diagonal.
static inline size_t obs_pair_number(const struct obs_pair_map *m, size_t a, size_t b) {
    return m->same && a > b ? b * m->parts[1].count + a : a * m->parts[1].count + b;
}

// The values of a map, and the sums from which they follow.
struct obs_pair_values {
    double (*value)(const void *own, size_t pair); // NaN: the pair is left out of the table, and 0 in a file of NumPy
    trj_wide (*sum)(const void *own, size_t pair); // for --sums
    const void *own;
    const struct obs_sum_kind *kind; // with one sum
    struct trj_table_column column;  // of the value
};
// Writes the map as e->form says. The comment that describes a table must be written before.
int obs_pair_map_write(const struct obs_pair_map *m, const struct obs_ensemble *e, const struct obs_pair_values *values,
                       struct trj_table *t, struct trj_error *err);

#endif
