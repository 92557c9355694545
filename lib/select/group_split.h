// SPDX-License-Identifier: MIT
// Splits groups by element, atom type or residue name.
#ifndef TRJ_GROUP_SPLIT_H
#define TRJ_GROUP_SPLIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "frame_stream.h"
#include "tool.h"
#include "topology.h"

enum { TRJ_MAX_PARTS = 256 }; // of one group: the number of pairs of groups grows with the square

// The properties to split by; ends with a NULL name.
extern const struct trj_choice trj_group_splits[];

// The property of each atom. A zeroed struct is ready for trj_group_split_open.
struct trj_group_split {
    const char *by;        // a name in trj_group_splits; NULL: groups are not split
    struct trj_texts what; // its column is never NULL
    bool own;              // `what` is not a column of the topology
    bool elements;
    const struct trj_topology *top;       // shows which atoms are massless sites; NULL: `from` does
    const struct trj_stream_header *from; // NULL: unknown
};

// Takes the property from the topology; elements, if there is no topology, from `from`, the header of the stream that
// is read. Both may be NULL. `atoms` is their number in the trajectory. Fails with TRJ_USAGE if the property is in
// neither. The topology and the header must outlive the split.
int trj_group_split_open(struct trj_group_split *s, const char *by, const struct trj_topology *top,
                         const struct trj_stream_header *from, size_t atoms, struct trj_error *err);
void trj_group_split_close(struct trj_group_split *s); // does not free s itself

struct trj_part {
    char *name;      // "VALUE", or "PREFIX.VALUE"; characters that group names cannot have become _
    uint32_t *atoms; // [count] ascending
    size_t count;
};

// Splits atoms, in ascending order, into one part per value, in the order in which values first occur. Massless sites
// are no element, and are left out if atoms are split by element. Fails with
// TRJ_USAGE if the value of an atom is unknown, if two parts would have the same name, or if there are more than
// TRJ_MAX_PARTS parts. trj_parts_free frees.
int trj_group_split_atoms(struct trj_part **parts, size_t *count, const struct trj_group_split *s, const char *prefix,
                          const uint32_t *atoms, size_t n, struct trj_error *err);
void trj_parts_free(struct trj_part *parts, size_t count); // NULL is allowed

#endif
