// SPDX-License-Identifier: MIT
// Groups split by what their atoms are: by element, type or name of the residue.
#ifndef TRJ_SPLIT_H
#define TRJ_SPLIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "tool.h"
#include "topology.h"

enum { TRJ_MAX_PARTS = 256 }; // of one group: pairs of groups grow with the square

// What can be split by; ends with a NULL name.
extern const struct trj_choice trj_group_splits[];

// What the atoms are. A zeroed one is ready for trj_group_split_open.
struct trj_group_split {
    const char *by;        // one of trj_group_splits; NULL: groups stay as they are
    struct trj_texts what; // never without a column
    bool own;              // it is not the topology's
};

// From the topology, or else, by element, from `element` [atoms], atomic numbers of which 0 is not known; both may be NULL. TRJ_USAGE where
// neither tells. The topology must outlive the split.
int trj_group_split_open(struct trj_group_split *s, const char *by, const struct trj_topology *top,
                         const uint32_t *element, size_t atoms, struct trj_error *err);
void trj_group_split_close(struct trj_group_split *s); // not s itself

struct trj_part {
    char *name;      // "VALUE", with a prefix "PREFIX.VALUE"; what names of groups do not have becomes _
    uint32_t *atoms; // [count] ascending
    size_t count;
};

// Parts of some atoms, which ascend, one for each different value, in the order in which these come first. TRJ_USAGE where an atom has none, two
// would have one name, or there are more than TRJ_MAX_PARTS. trj_parts_free frees.
int trj_group_split_atoms(struct trj_part **parts, size_t *count, const struct trj_group_split *s, const char *prefix,
                          const uint32_t *atoms, size_t n, struct trj_error *err);
void trj_parts_free(struct trj_part *parts, size_t count); // NULL is allowed

#endif
