// SPDX-License-Identifier: MIT
// Assigns each dynamic group its words in the array of bits that a frame carries, and counts and lists members from
// them.
#include "group.h"

#include <string.h>

bool trj_group_name_fits(const char *name, size_t n) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.+-";
    return n > 0 && n <= TRJ_GROUP_NAME_MAX && strspn(name, letters) >= n;
}

size_t trj_groups_lay_out(struct trj_group *groups, size_t count) {
    size_t words = 0;
    for (size_t i = 0; i < count; i++) {
        groups[i].word = words;
        words += trj_group_words(&groups[i]);
    }
    return words;
}

size_t trj_group_size(const struct trj_group *g, const struct trj_frame *f) {
    size_t n = 0;
    if (!g->dynamic) return g->count;
    for (size_t w = 0; w < trj_group_words(g); w++) n += (size_t)__builtin_popcount(f->members[g->word + w]);
    return n;
}

size_t trj_group_list(const struct trj_group *g, const struct trj_frame *f, uint32_t *to) {
    size_t n = 0;
    for (size_t i = 0; i < g->count; i++)
        if (trj_group_has(g, f, i)) to[n++] = g->atoms[i];
    return n;
}

size_t trj_group_overlap(const struct trj_group *a, const struct trj_group *b, const struct trj_frame *f) {
    size_t both = 0;
    for (size_t i = 0, j = 0; i < a->count && j < b->count;) {
        bool step_a = a->atoms[i] <= b->atoms[j], step_b = b->atoms[j] <= a->atoms[i];
        both += step_a && step_b && (!f || (trj_group_has(a, f, i) && trj_group_has(b, f, j)));
        i += step_a;
        j += step_b;
    }
    return both;
}
