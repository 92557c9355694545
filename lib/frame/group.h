// SPDX-License-Identifier: MIT
// Named groups of stream atoms. A dynamic group lists all atoms that can belong to it; in each frame, one bit per
// listed atom marks the members (trj_frame.members).
#ifndef TRJ_GROUP_H
#define TRJ_GROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "frame.h"

struct trj_group {
    char *name;
    size_t count;
    uint32_t *atoms; // [count] numbers of stream atoms, ascending
    bool dynamic;    // its members are determined in each frame
    size_t word; // start of its bits in trj_frame.members: bit i % 32 of word + i / 32 is set if atoms[i] is a member
};

static inline size_t trj_group_words(const struct trj_group *g) {
    return g->dynamic ? (g->count + 31) / 32 : 0;
}

enum { TRJ_GROUP_NAME_MAX = 64 }; // characters
// Returns whether a group may have the name of the first n bytes (schemas/frame_stream.md).
bool trj_group_name_fits(const char *name, size_t n);
// Sets `word` of all groups. Returns the number of words per frame.
size_t trj_groups_lay_out(struct trj_group *groups, size_t count);

// Returns whether atoms[i] is a member in a frame.
static inline bool trj_group_has(const struct trj_group *g, const struct trj_frame *f, size_t i) {
    return !g->dynamic || (f->members[g->word + i / 32] >> i % 32 & 1);
}

size_t trj_group_size(const struct trj_group *g, const struct trj_frame *f); // number of members in a frame
// Lists the members in a frame, ascending, in to[count]. Returns their number.
size_t trj_group_list(const struct trj_group *g, const struct trj_frame *f, uint32_t *to);
// Returns the number of atoms that both groups have in a frame; with `f` NULL, that both list.
size_t trj_group_overlap(const struct trj_group *a, const struct trj_group *b, const struct trj_frame *f);

#endif
