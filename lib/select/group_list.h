// SPDX-License-Identifier: MIT
// The groups that -g defines, in their order, each with its selection:
//   NAME=SELECTION       the selected atoms; the selection may refer to earlier groups by their names
//   NAME=com(SELECTION)  centres of mass of the selected atoms, one per residue; cog(...) for centres of geometry;
//                        optionally followed by `per residue`, `per molecule` or `per fragment`, `per segment`,
//                        `per chain`, or `per group` for a single centre
//   @FILE                all groups of an index file, under their own names; empty groups, and those with other
//                        characters in their names, are omitted with a note
//   @FILE:GROUP          one of them
//   NAME=@FILE:GROUP     one of them, under another name
// NAME consists of at most 64 letters, digits and _ . + -. Groups of an index file with other names must be renamed.
// The last ':' separates file and group; if a path contains one, `@FILE:` selects all groups.
#ifndef TRJ_GROUP_LIST_H
#define TRJ_GROUP_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "centres.h"
#include "error.h"
#include "select.h"
#include "text_index.h"
#include "topology.h"

// Centres of the atoms of a selection, which is not dynamic.
struct trj_centre_group {
    struct trj_selection *selection; // NULL: the group consists of atoms
    bool of_mass;
    enum trj_centre_sets sets;
};

struct trj_group_list {
    struct trj_named_selection *groups; // [count]
    struct trj_centre_group *centres;   // [count]
    size_t count, capacity;
    struct trj_texts names;      // of the groups
    struct trj_text_index index; // of the names
    size_t unmatched;            // number of groups whose selection contains names that match nothing
    char *note; // for users: reports ignored groups and names that match nothing; NULL: nothing to report
    // Set by the caller for lists that are only checked, without atoms: selections are parsed as with
    // trj_selection_scope.syntax_only, and index files are not read.
    bool syntax_only;
    bool incomplete; // of such a list: an index file that is not read gives further groups
};

// Adds groups to a list, which is zeroed at first. Fails with TRJ_USAGE for texts of another form and duplicate names;
// errors of selections and index files name the group or the file. `top` may be NULL; it must outlive the list. After a
// failure, the list must be freed, too.
int trj_group_list_make(struct trj_group_list *list, const char *const *texts, size_t count,
                        const struct trj_topology *top, size_t atoms, struct trj_error *err);
void trj_group_list_free(struct trj_group_list *list);

#endif
