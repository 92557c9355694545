// SPDX-License-Identifier: MIT
// Turns the groups of -g into the header of a frame stream: the stream atoms, and the groups as lists of them; and
// evaluates in each frame the members of dynamic groups and the positions of centres.
#ifndef TRJ_GROUPING_H
#define TRJ_GROUPING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "centres.h"
#include "error.h"
#include "frame_stream.h"
#include "select.h"
#include "topology.h"

struct trj_grouping;

// The requested groups.
struct trj_grouping_options {
    const char *const *groups; // [count] as in group_list.h; with count 0, one group of all atoms, `all`
    size_t count;
    const char *by; // each group is split (group_split.h) into NAME.VALUE, or VALUE without groups; NULL: not split
    // Further inputs may have topologies of their own. A dynamic group can then contain atoms of other elements, so
    // that its elements are omitted.
    bool own_topologies;
    bool may_be_empty; // a selection may select no atom in an open system (open_system.h)
};

// Fills atoms, centres, groups and, if known, residue, molecule, element, number and bonds of a zeroed header, for a
// trajectory of `atoms` atoms. `top` may be NULL; it and the header must outlive the grouping. `from` is the header of
// the stream from which the trajectory is read, with residues, molecules, elements and bonds if it has them; or NULL.
int trj_grouping_make(struct trj_grouping **grouping, struct trj_stream_header *h, size_t atoms,
                      const struct trj_grouping_options *options, const struct trj_topology *top,
                      const struct trj_stream_header *from, struct trj_error *err);
void trj_grouping_free(struct trj_grouping *grouping); // NULL is allowed

// Returns a note on the groups for the user; NULL: none.
const char *trj_grouping_note(const struct trj_grouping *grouping);

// Returns the numbers in the trajectory of the stream atoms [header->atoms], ascending; for a centre, the number of its
// first atom. NULL: all atoms are stream atoms, and there are no centres.
const uint32_t *trj_grouping_rows(const struct trj_grouping *grouping);
// Returns the centres, of which there may be none; they belong to the grouping.
const struct trj_centres *trj_grouping_centres(const struct trj_grouping *grouping);
// Returns whether trj_grouping_apply must process whole frames, because there are dynamic groups or centres. Otherwise
// the rows, or without rows the frame itself, are the stream atoms.
bool trj_grouping_needs_whole_frame(const struct trj_grouping *grouping);

// Returns whether the selections use the topology.
bool trj_grouping_uses_topology(const struct trj_grouping *grouping);

// Returns the scope for further selections, in which they may refer to the groups by name. `top` is the topology, or
// NULL.
struct trj_selection_scope trj_grouping_scope(const struct trj_grouping *grouping, const struct trj_topology *top);

// Makes the frame of the stream from a frame with all atoms of the trajectory and the cell to use. `to` is zeroed or
// was used before.
int trj_grouping_apply(const struct trj_grouping *grouping, const struct trj_frame *whole, struct trj_frame *to,
                       struct trj_error *err);

// Copies atoms, groups, residues, molecules, elements and bonds of a header, but not its properties, to a zeroed one.
int trj_grouping_copy(struct trj_stream_header *h, const struct trj_stream_header *from, struct trj_error *err);

// Fails with TRJ_BAD_DATA and the difference unless frames of both can be in one stream, which requires the same groups
// of the same atoms of the trajectory. A grouping is NULL if frames are passed on as they are. Residues and molecules
// must be equal if both have them.
int trj_grouping_compare(const struct trj_stream_header *a, const struct trj_grouping *of_a,
                         const struct trj_stream_header *b, const struct trj_grouping *of_b, struct trj_error *err);
// Fails with TRJ_BAD_DATA if both headers have elements and these differ, or have bonds and these differ. Call it after
// trj_grouping_compare.
int trj_grouping_compare_atoms(const struct trj_stream_header *a, const struct trj_stream_header *b,
                               struct trj_error *err);

#endif
