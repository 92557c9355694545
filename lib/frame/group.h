// SPDX-License-Identifier: MIT
// Named groups of the atoms that travel in a frame stream. A group that changes lists all atoms that can ever be in it; each frame
// tells by a set of bits which of them are (trj_frame.members).
#ifndef TRJ_GROUP_H
#define TRJ_GROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "frame.h"

struct trj_group {
    char *name;
    size_t count;
    uint32_t *atoms; // [count] places among the travelling atoms, ascending
    bool dynamic;    // from frame to frame
    size_t word; // where its bits begin in trj_frame.members: bit i % 32 of word[i / 32] is set if atoms[i] is in it
};

static inline size_t trj_group_words(const struct trj_group *g) {
    return g->dynamic ? (g->count + 31) / 32 : 0;
}

// Lays out the bits of all groups, sets `word`; how many words a frame has.
size_t trj_groups_lay_out(struct trj_group *groups, size_t count);

// Whether atoms[i] is in the group in a frame.
static inline bool trj_group_has(const struct trj_group *g, const struct trj_frame *f, size_t i) {
    return !g->dynamic || (f->members[g->word + i / 32] >> i % 32 & 1);
}

size_t trj_group_size(const struct trj_group *g, const struct trj_frame *f); // atoms in the frame
// Those atoms, ascending, into to[count]; how many.
size_t trj_group_list(const struct trj_group *g, const struct trj_frame *f, uint32_t *to);
// Atoms that both have in the frame; `f` may be NULL: that both can have.
size_t trj_group_overlap(const struct trj_group *a, const struct trj_group *b, const struct trj_frame *f);

#endif
