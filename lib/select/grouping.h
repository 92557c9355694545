// SPDX-License-Identifier: MIT
// From `-g NAME=SELECTION` to a frame stream: which atoms travel, each group's places among them, and what of it every frame has to be asked
// for: who is in groups that change, and where centres are.
#ifndef TRJ_GROUPING_H
#define TRJ_GROUPING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "frame_stream.h"
#include "topology.h"

struct trj_grouping;

// Which groups there shall be.
struct trj_grouping_options {
    const char *const *groups; // [count] as in group_list.h; none: one of all atoms, `all`
    size_t count;
    const char *by; // each is split (split.h) into NAME.VALUE, without groups VALUE; NULL: they stay as they are
    // There may be further inputs, each of which tells itself who its atoms are: of groups that change these may be of other elements, which
    // are not told then.
    bool each_tells;
};

// Fills atoms, centres, groups and, where known, residue, molecule, element, number and bonds of a zeroed header for a trajectory of `atoms` atoms.
// `top` may be NULL; it must outlive the grouping, as must the header. `from` is the header of the stream
// the trajectory was read from, which may know residues, molecules, elements and bonds; or NULL.
int trj_grouping_make(struct trj_grouping **grouping, struct trj_stream_header *h, size_t atoms,
                      const struct trj_grouping_options *wish, const struct trj_topology *top,
                      const struct trj_stream_header *from, struct trj_error *err);
void trj_grouping_free(struct trj_grouping *grouping); // NULL is allowed

// What users should know of the groups; NULL: nothing.
const char *trj_grouping_note(const struct trj_grouping *grouping);

// [header's atoms] Where in the trajectory the atoms stand that travel, ascending; of a centre its first atom. NULL: all atoms travel, and
// nothing else.
const uint32_t *trj_grouping_rows(const struct trj_grouping *grouping);
// Whether frames have to be looked at as a whole (trj_grouping_apply), because groups change or there are centres. Otherwise it is enough
// to take the rows, or, without rows, the frame as it is.
bool trj_grouping_needs_whole_frame(const struct trj_grouping *grouping);

// Whether the topology was asked for who the atoms of the groups are.
bool trj_grouping_uses_topology(const struct trj_grouping *grouping);

// Makes of a whole frame of the trajectory, with the cell as it shall be used, the one that travels. `to` is zeroed or used before.
int trj_grouping_apply(const struct trj_grouping *grouping, const struct trj_frame *whole, struct trj_frame *to,
                       struct trj_error *err);

// Copies atoms, groups, residues, molecules, elements and bonds of a header into a zeroed one.
int trj_grouping_copy(struct trj_stream_header *h, const struct trj_stream_header *from, struct trj_error *err);

// Whether frames of both can travel in one stream: the same groups of the same atoms of the trajectory, which the headers alone do not
// tell; groupings are NULL for frames that are passed on as they are. Of residues and molecules those that both know must be the same.
// TRJ_BAD_DATA tells the difference.
int trj_grouping_compare(const struct trj_stream_header *a, const struct trj_grouping *of_a,
                         const struct trj_stream_header *b, const struct trj_grouping *of_b, struct trj_error *err);
// And whether the elements that both headers tell are the same: TRJ_BAD_DATA. After trj_grouping_compare.
int trj_grouping_compare_elements(const struct trj_stream_header *a, const struct trj_stream_header *b,
                                  struct trj_error *err);

#endif
