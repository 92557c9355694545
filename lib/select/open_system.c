// SPDX-License-Identifier: MIT
// Evaluates groups in each frame and assigns their atoms to places, because the number of atoms changes.
#include "open_system.h"

#include <stdlib.h>
#include <string.h>

#include "file_argument.h"
#include "grouping.h"
#include "memory.h"

enum { MAX_GROUPS = 1000 };

struct trj_open_system {
    const struct trj_stream_header *header;
    const char *const *groups; // [group_count] as given; of a frame stream, and for `all`: group_count 0
    size_t group_count;
    bool names;
    bool *used; // [header->group_count] the group had a member in some frame
    size_t present;
    struct trj_topology *top; // of the last frame
    struct trj_frame grouped; // its atoms that can be in groups
    uint32_t *members;        // [header->atoms] of one group
    uint32_t *place;          // [header->atoms] place of each atom of `grouped`, plus 1; 0: it is in no group
    uint32_t *rows;           // [header->atoms] of the places
};

static int add_group(struct trj_stream_header *h, const char *name, size_t length, struct trj_error *err) {
    struct trj_group *g = &h->groups[h->group_count];
    if (!trj_group_name_fits(name, length))
        return trj_fail(err, TRJ_USAGE, "group '%.*s': expected NAME=SELECTION, as -g 'O=name OW'", (int)length, name);
    for (size_t i = 0; i < h->group_count; i++)
        if (strlen(h->groups[i].name) == length && !memcmp(h->groups[i].name, name, length))
            return trj_fail(err, TRJ_USAGE, "group '%.*s': given twice; rename one", (int)length, name);
    if (!(g->name = trj_alloc(length + 1, 1, "a name", err))) return -1;
    memcpy(g->name, name, length);
    h->group_count++;
    g->dynamic = true;
    g->count = h->atoms;
    if (!(g->atoms = trj_alloc(g->count, sizeof *g->atoms, "groups", err))) return -1;
    for (size_t i = 0; i < g->count; i++) g->atoms[i] = (uint32_t)i;
    return 0;
}

static int add_text(struct trj_stream_header *h, const char *text, struct trj_error *err) {
    struct trj_file_argument file;
    const char *equals = strchr(text, '=');
    if (trj_file_argument_parse(&file, text))
        return trj_fail(err, TRJ_USAGE,
                        "group '%s': an index file contains numbers of atoms, which belong to different atoms in each "
                        "frame; give a selection, as -g 'O=name OW'",
                        text);
    return add_group(h, text, equals ? (size_t)(equals - text) : 0, err);
}

static int make_header(struct trj_stream_header *h, const char *const *groups, size_t count, size_t places,
                       const struct trj_stream_header *from, struct trj_error *err) {
    size_t n = count ? count : from ? from->group_count : 1;
    // Each group lists all places, and a block GRPS has at most 4096 bytes for each of them.
    if (n > MAX_GROUPS)
        return trj_fail(err, TRJ_USAGE, "%zu groups, but at most %d are possible if the number of atoms changes", n,
                        MAX_GROUPS);
    h->atoms = h->source_atoms = places;
    h->open_system = true;
    if (!(h->groups = trj_alloc(n, sizeof *h->groups, "groups", err))) return -1;
    for (size_t i = 0; i < n; i++) {
        const char *name = from ? from->groups[i].name : "all";
        if (count ? add_text(h, groups[i], err) : add_group(h, name, strlen(name), err)) return -1;
    }
    h->member_words = trj_groups_lay_out(h->groups, h->group_count);
    return 0;
}

int trj_open_system_open(struct trj_open_system **result, struct trj_stream_header *h, const char *const *groups,
                         size_t count, size_t places, const struct trj_stream_header *from, bool names,
                         struct trj_error *err) {
    if (make_header(h, groups, count, places, from, err)) return -1;
    struct trj_open_system *s = trj_alloc(1, sizeof *s, "groups", err);
    if (!s) return -1;
    s->header = h;
    s->groups = groups;
    s->group_count = count;
    s->names = names;
    if (!(s->used = trj_alloc(h->group_count, sizeof *s->used, "groups", err)) ||
        !(s->members = trj_alloc(places, sizeof *s->members, "groups", err)) ||
        !(s->place = trj_alloc(places, sizeof *s->place, "groups", err)) ||
        !(s->rows = trj_alloc(places, sizeof *s->rows, "groups", err))) {
        trj_open_system_close(s);
        return -1;
    }
    *result = s;
    return 0;
}

void trj_open_system_close(struct trj_open_system *s) {
    if (!s) return;
    trj_topology_close(s->top);
    trj_frame_free(&s->grouped);
    free(s->used);
    free(s->members);
    free(s->place);
    free(s->rows);
    free(s);
}

int trj_open_system_compare(const struct trj_open_system *s, const struct trj_stream_header *from,
                            struct trj_error *err) {
    const struct trj_stream_header *h = s->header;
    if (from->atoms > h->atoms)
        return trj_fail(err, TRJ_BAD_DATA, "%zu atoms, but at most %zu are expected; give a larger number with --open",
                        from->atoms, h->atoms);
    bool same = from->group_count == h->group_count;
    for (size_t i = 0; i < h->group_count && same; i++) same = !strcmp(from->groups[i].name, h->groups[i].name);
    return same ? 0
                : trj_fail(err, TRJ_BAD_DATA,
                           "its groups have other names than those of the first input, or another "
                           "order; give inputs with the same groups");
}

// ---- frames

// Puts the members of the groups of a frame into the first places of *to, in their order. rows[i] (NULL: i) is the
// number in the topology of atom i of the frame.
static void take_members(struct trj_open_system *s, const struct trj_stream_header *header, const struct trj_frame *f,
                         const uint32_t *rows, struct trj_frame *to) {
    const struct trj_stream_header *h = s->header;
    uint32_t n = 0;
    memset(s->place, 0, h->atoms * sizeof *s->place);
    for (size_t k = 0; k < h->group_count; k++) {
        size_t members = trj_group_list(&header->groups[k], f, s->members);
        for (size_t i = 0; i < members; i++) s->place[s->members[i]] = 1;
    }
    for (size_t i = 0; i < f->atoms; i++) {
        if (!s->place[i]) continue;
        for (int k = 0; k < 3; k++) to->x[k][n] = f->x[k][i];
        s->rows[n] = rows ? rows[i] : (uint32_t)i;
        s->place[i] = ++n;
    }
    for (size_t k = 0; k < h->group_count; k++) {
        uint32_t *words = to->members + h->groups[k].word;
        size_t members = trj_group_list(&header->groups[k], f, s->members);
        for (size_t i = 0; i < members; i++) {
            uint32_t place = s->place[s->members[i]] - 1;
            words[place / 32] |= (uint32_t)1 << place % 32;
        }
        s->used[k] = s->used[k] || members;
    }
    s->present = n;
}

// Makes a topology in which each atom has the name of the first group that contains it.
static int name_by_groups(struct trj_open_system *s, const struct trj_stream_header *header, const struct trj_frame *f,
                          struct trj_error *err) {
    size_t n = header->group_count;
    const char **name = trj_alloc(n, sizeof *name, "names", err);
    uint32_t *type = trj_alloc(f->atoms, sizeof *type, "names", err);
    int rc = -1;
    for (size_t k = n; name && type && k-- > 0;) {
        size_t members = trj_group_list(&header->groups[k], f, s->members);
        name[k] = header->groups[k].name;
        for (size_t i = 0; i < members; i++) type[s->members[i]] = (uint32_t)k;
    }
    if (name && type) rc = trj_topology_of_types(&s->top, "frame stream", name, type, f->atoms, err);
    free(name);
    free(type);
    return rc;
}

// Evaluates the groups in a frame that names its atoms.
static int evaluate(struct trj_open_system *s, struct trj_reader *r, const struct trj_frame *whole,
                    struct trj_frame *to, struct trj_error *err) {
    const struct trj_grouping_options options = {.groups = s->groups, .count = s->group_count, .may_be_empty = true};
    struct trj_stream_header header = {.atoms = 0};
    struct trj_grouping *grouping = NULL;
    int rc = trj_reader_frame_topology(r, &s->top, err);
    if (!rc && s->top->atoms != whole->atoms)
        rc = trj_fail(err, TRJ_BAD_DATA, "names of %zu atoms, but coordinates of %zu", s->top->atoms, whole->atoms);
    if (!rc) rc = trj_grouping_make(&grouping, &header, whole->atoms, &options, s->top, NULL, err);
    if (!rc && header.centres)
        rc = trj_fail(err, TRJ_USAGE,
                      "com(...) and cog(...) define centres, whose number is not known in advance if "
                      "the number of atoms changes; give groups of atoms");
    if (!rc) rc = trj_grouping_apply(grouping, whole, &s->grouped, err);
    if (!rc) take_members(s, &header, &s->grouped, trj_grouping_rows(grouping), to);
    trj_grouping_free(grouping);
    trj_stream_header_free(&header);
    return rc;
}

int trj_open_system_apply(struct trj_open_system *s, struct trj_reader *r, const struct trj_frame *whole,
                          struct trj_frame *to, struct trj_error *err) {
    const struct trj_stream_header *h = s->header;
    if (trj_frame_resize(to, h->atoms, err) || trj_frame_resize_members(to, h->member_words, err)) return -1;
    trj_frame_copy_head(to, whole);
    memset(to->members, 0, h->member_words * sizeof *to->members);
    for (int k = 0; k < 3; k++) memset(to->x[k], 0, h->atoms * sizeof(float));
    s->present = 0;
    trj_topology_close(s->top);
    s->top = NULL;
    if (!r->header) return whole->atoms ? evaluate(s, r, whole, to, err) : 0;
    if (s->names && name_by_groups(s, r->header, whole, err)) return -1;
    take_members(s, r->header, whole, NULL, to);
    return 0;
}

size_t trj_open_system_present(const struct trj_open_system *s) {
    return s->present;
}

const struct trj_topology *trj_open_system_topology(const struct trj_open_system *s) {
    return s->top;
}

const uint32_t *trj_open_system_rows(const struct trj_open_system *s) {
    return s->rows;
}

const char *trj_open_system_empty_group(const struct trj_open_system *s) {
    size_t k = 0;
    while (k < s->header->group_count && s->used[k]) k++;
    return k < s->header->group_count ? s->header->groups[k].name : NULL;
}
