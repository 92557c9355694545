// SPDX-License-Identifier: MIT
// The atoms and groups of a frame stream as a scope for selections: programs that read the stream can select by the
// groups, names, numbers, elements, masses and charges that it contains (trjcat --carry).
#ifndef TRJ_STREAM_SCOPE_H
#define TRJ_STREAM_SCOPE_H

#include <stddef.h>

#include "error.h"
#include "frame_stream.h"
#include "select.h"
#include "text_index.h"
#include "topology.h"

// A zeroed struct is empty.
struct trj_stream_scope {
    struct trj_topology names;          // of the stream atoms; its arrays belong to the header, except for `element`
    uint32_t *numbers;                  // [atoms] in the trajectory; those of centres follow; NULL: the positions
    struct trj_named_selection *groups; // [count] that are not dynamic; their names belong to `texts`
    size_t count;
    struct trj_texts texts;
    struct trj_text_index index;
};

// Fills a zeroed struct from a header, which must outlive it. Returns 0 or -1; trj_stream_scope_free frees, also after
// a failure.
int trj_stream_scope_make(struct trj_stream_scope *s, const struct trj_stream_header *h, struct trj_error *err);
void trj_stream_scope_free(struct trj_stream_scope *s);

// Returns the scope of selections that may use the groups, or also the names and other properties. *s must outlive it.
struct trj_selection_scope trj_stream_scope_groups(const struct trj_stream_scope *s);
struct trj_selection_scope trj_stream_scope_all(const struct trj_stream_scope *s);

#endif
