// SPDX-License-Identifier: MIT
// The groups that -g defines, in their order, each with its selection:
//   NAME=SELECTION       what the selection gives; it may refer to groups before it by their names
//   NAME=com(SELECTION)  centres of mass of what it gives, one a residue; or cog(...), of geometry; or followed by
//                        `per residue`, `per molecule` or `per fragment`, `per segment`, `per chain`, or `per group`: one in all
//   @FILE                all groups of an index file, under their own names; left out, with a note, are empty ones and those whose names
//                        do not fit
//   @FILE:GROUP          one of them
//   NAME=@FILE:GROUP     one of them, under another name
// NAME has letters, digits and _ . + -, at most 64; groups of an index file with other names have to be taken under another one. The last
// ':' is the one that separates: where a path has one, `@FILE:` takes all groups.
#ifndef TRJ_GROUP_LIST_H
#define TRJ_GROUP_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "centres.h"
#include "error.h"
#include "select.h"
#include "text_index.h"
#include "topology.h"

// Centres of what a selection, which does not move, gives.
struct trj_centre_group {
    struct trj_selection *of; // NULL: a group of atoms
    bool of_mass;
    enum trj_centre_sets sets;
};

struct trj_group_list {
    struct trj_named_selection *groups; // [count]
    struct trj_centre_group *centres;   // [count]
    size_t count, room;
    struct trj_texts names;      // of the groups
    struct trj_text_index index; // of the names
    size_t unmatched;            // number of groups whose selection contains names that match nothing
    char *note; // for users: reports ignored groups and names that match nothing; NULL: nothing to report
};

// Into a zeroed list. TRJ_USAGE for texts that are none of the above and for names given twice; errors of selections and index files name
// the group or the file. `top` may be NULL; it must outlive the list. On failure the list holds what was made so far.
int trj_group_list_make(struct trj_group_list *list, const char *const *texts, size_t count,
                        const struct trj_topology *top, size_t atoms, struct trj_error *err);
void trj_group_list_free(struct trj_group_list *list);

// Whether a name is one that groups may have.
bool trj_group_name_fits(const char *name, size_t n);

#endif
