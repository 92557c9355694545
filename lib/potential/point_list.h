// SPDX-License-Identifier: MIT
// A list of positions at which a potential is computed, and the table of its values.
#ifndef POT_POINT_LIST_H
#define POT_POINT_LIST_H

#include <stddef.h>

#include "error.h"
#include "input.h"

struct pot_point_list {
    size_t count, capacity;
    double (*point)[3]; // [count] Å
};

// Reads positions in Å: lines of three numbers, where '#' begins a comment, or a file in the format XYZ, whose names
// are ignored. *l must be zeroed; the caller frees it with pot_point_list_free, also after a failure. Fails with
// TRJ_BAD_DATA, and the number of the line, for anything else and for a list without points.
int pot_point_list_read(struct pot_point_list *l, struct trj_input *in, struct trj_error *err);
void pot_point_list_free(struct pot_point_list *l);

#endif
