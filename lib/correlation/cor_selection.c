// SPDX-License-Identifier: MIT
// Divides atoms into selections in one pass and one sort, because a structure can have thousands of residues.
#include "cor_selection.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "property.h"
#include "text_index.h"

const struct trj_choice cor_parts[] = {
    {"residue", "residues"},
    {"segid", "segments, which trjcat --carry segid provides"},
    {"molecule", "bonded molecules"},
    {"group", "the other groups of the stream"},
    {NULL, NULL},
};

void cor_selections_free(struct cor_selections *s) {
    trj_text_array_free(s->name);
    free(s->atoms);
    free(s->list);
    free(s->weight);
    free(s->kind);
    *s = (struct cor_selections){0};
}

// Places of atoms in the list of the model, with the number of a selection each.
struct members {
    uint32_t *selection, *place;
    size_t count, capacity;
};

static int add_member(struct members *m, size_t selection, size_t place, struct trj_error *err) {
    size_t capacity = m->capacity;
    if (trj_grow(&m->selection, &capacity, m->count + 1, sizeof *m->selection, "selections", err) ||
        trj_grow(&m->place, &m->capacity, m->count + 1, sizeof *m->place, "selections", err))
        return -1;
    m->selection[m->count] = (uint32_t)selection;
    m->place[m->count++] = (uint32_t)place;
    return 0;
}

static int add_name(struct cor_selections *s, size_t *capacity, const char *name, struct trj_error *err) {
    if (trj_grow(&s->name, capacity, s->count + 2, sizeof *s->name, "selections", err)) return -1;
    s->name[s->count] = s->name[s->count + 1] = NULL;
    if (!(s->name[s->count] = trj_copy_text(name, err))) return -1;
    s->count++;
    return 0;
}

static int divide_by_number(struct cor_selections *s, struct members *members, const struct trj_stream_header *h,
                            const struct cor_model *m, bool residues, struct trj_error *err) {
    const uint32_t *number = residues ? h->residue : h->molecule;
    if (!number)
        return trj_fail(err, TRJ_BAD_DATA,
                        "--per %s: the stream has no %s; give trjcat a topology that contains them "
                        "(-t)",
                        residues ? "residue" : "molecule",
                        residues ? "residues" : "molecules, which follow from bonds");
    uint32_t max = 0;
    for (size_t i = 0; i < m->group->count; i++)
        if (number[m->group->atoms[i]] > max) max = number[m->group->atoms[i]];
    uint32_t *found = trj_alloc((size_t)max + 1, sizeof *found, "selections", err); // number of the selection, plus 1
    size_t capacity = 0;
    int rc = found ? 0 : -1;
    for (size_t i = 0; !rc && i < m->group->count; i++) {
        uint32_t atom = m->group->atoms[i], id = number[atom];
        char name[TRJ_RESIDUE_NAME];
        if (residues) {
            trj_residue_name(name, h, atom);
        } else {
            snprintf(name, sizeof name, "molecule%lld", (long long)id + 1);
        }
        if (!found[id] && !(rc = add_name(s, &capacity, name, err))) found[id] = (uint32_t)s->count;
        if (!rc) rc = add_member(members, found[id] - 1, i, err);
    }
    free(found);
    return rc;
}

static int divide_by_segment(struct cor_selections *s, struct members *members, const struct trj_stream_header *h,
                             const struct cor_model *m, struct trj_error *err) {
    const struct trj_property *p = trj_property_find(h, "segid");
    if (!p || p->kind != TRJ_PROPERTY_TEXT)
        return trj_fail(err, TRJ_BAD_DATA, "--per segid: the stream carries no segid; add --carry segid to trjcat");
    uint32_t *found = trj_alloc(p->text.count + 1, sizeof *found, "selections", err);
    size_t capacity = 0;
    int rc = found ? 0 : -1;
    for (size_t i = 0; !rc && i < m->group->count; i++) {
        uint32_t id = p->text.id[m->group->atoms[i]];
        const char *name = *p->text.text[id] ? p->text.text[id] : "none";
        if (!found[id] && !(rc = add_name(s, &capacity, name, err))) found[id] = (uint32_t)s->count;
        if (!rc) rc = add_member(members, found[id] - 1, i, err);
    }
    free(found);
    return rc;
}

static int take_groups(struct cor_selections *s, struct members *members, const struct trj_stream_header *h,
                       const struct cor_model *m, struct trj_error *err) {
    size_t capacity = 0;
    for (size_t k = 0; k < h->group_count; k++) {
        const struct trj_group *g = &h->groups[k];
        size_t before = members->count;
        if (g == m->group) continue;
        if (g->dynamic)
            return trj_fail(err, TRJ_BAD_DATA,
                            "--per group: the atoms of group %s differ between frames; select it without conditions on "
                            "coordinates, or leave it out",
                            g->name);
        if (add_name(s, &capacity, g->name, err)) return -1;
        for (size_t i = 0, place = 0; i < g->count; i++) { // both lists ascend
            while (place < m->group->count && m->group->atoms[place] < g->atoms[i]) place++;
            if (place < m->group->count && m->group->atoms[place] == g->atoms[i] &&
                add_member(members, s->count - 1, place, err))
                return -1;
        }
        if (members->count == before)
            return trj_fail(err, TRJ_BAD_DATA, "--per group: group %s has no atoms of group %s; leave it out", g->name,
                            m->group->name);
    }
    return s->count ? 0
                    : trj_fail(err, TRJ_BAD_DATA,
                               "--per group: the stream has no group but %s; add groups to trjcat (-g NAME=SELECTION)",
                               m->group->name);
}

static int take_all(struct cor_selections *s, struct members *members, const struct cor_model *m,
                    struct trj_error *err) {
    size_t capacity = 0;
    int rc = add_name(s, &capacity, m->group->name, err);
    for (size_t i = 0; !rc && i < m->group->count; i++) rc = add_member(members, 0, i, err);
    return rc;
}

// Sorts the members by selection, and copies their Gaussians.
static int sort_members(struct cor_selections *s, const struct members *members, const struct cor_model *m,
                        struct trj_error *err) {
    size_t n = members->count * m->terms;
    size_t *next = trj_alloc(s->count + 1, sizeof *next, "selections", err);
    s->atoms = trj_alloc(s->count, sizeof *s->atoms, "selections", err);
    s->list = trj_alloc(n, sizeof *s->list, "selections", err);
    s->weight = trj_alloc(n, sizeof *s->weight, "selections", err);
    if (m->kind) s->kind = trj_alloc(n, sizeof *s->kind, "selections", err);
    if (!next || !s->atoms || !s->list || !s->weight || (m->kind && !s->kind)) {
        free(next);
        return -1;
    }
    for (size_t i = 0; i < members->count; i++) next[members->selection[i] + 1] += m->terms;
    for (size_t k = 0; k < s->count; k++) {
        s->atoms[k] = (struct den_gauss_atoms){.list = s->list + next[k],
                                               .count = next[k + 1],
                                               .weight = s->weight + next[k],
                                               .kind = m->kind ? s->kind + next[k] : NULL};
        next[k + 1] += next[k];
    }
    for (size_t i = 0; i < members->count; i++)
        for (unsigned t = 0; t < m->terms; t++) {
            size_t to = next[members->selection[i]]++, from = (size_t)members->place[i] * m->terms + t;
            s->list[to] = m->group->atoms[members->place[i]];
            s->weight[to] = m->weight[from];
            if (m->kind) s->kind[to] = m->kind[from];
        }
    free(next);
    return 0;
}

int cor_selections_open(struct cor_selections *s, const struct trj_stream_header *h, const struct cor_model *m,
                        const char *by, struct trj_error *err) {
    struct members members = {.count = 0};
    int rc;
    if (!by) {
        rc = take_all(s, &members, m, err);
    } else if (!strcmp(by, "segid")) {
        rc = divide_by_segment(s, &members, h, m, err);
    } else if (!strcmp(by, "group")) {
        rc = take_groups(s, &members, h, m, err);
    } else {
        rc = divide_by_number(s, &members, h, m, !strcmp(by, "residue"), err);
    }
    if (!rc) rc = sort_members(s, &members, m, err);
    free(members.selection);
    free(members.place);
    return rc;
}
