// SPDX-License-Identifier: MIT
// The groups that -g defines, in their order, each with its selection:
//   NAME=SELECTION       what the selection gives; it may refer to groups before it by their names
//   @FILE                all groups of an index file, under their own names
//   @FILE:GROUP          one of them
//   NAME=@FILE:GROUP     one of them, under another name
// NAME has letters, digits and _ . + -, at most 64; groups of an index file with other names have to be taken under another one. The last
// ':' is the one that separates: where a path has one, `@FILE:` takes all groups.
#ifndef TRJ_GROUP_LIST_H
#define TRJ_GROUP_LIST_H

#include <stddef.h>

#include "error.h"
#include "select.h"
#include "topology.h"

struct trj_group_list {
    struct trj_named_selection *groups; // [count]
    size_t count, room;
};

// Into a zeroed list. TRJ_USAGE for texts that are none of the above and for names given twice; errors of selections and index files name
// the group or the file. `top` may be NULL; it must outlive the list. On failure the list holds what was made so far.
int trj_group_list_make(struct trj_group_list *list, const char *const *texts, size_t count,
                        const struct trj_topology *top, size_t atoms, struct trj_error *err);
void trj_group_list_free(struct trj_group_list *list);

#endif
