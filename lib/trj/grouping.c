// SPDX-License-Identifier: MIT
#include "grouping.h"

#include <stdlib.h>
#include <string.h>

#include "group_list.h"
#include "memory.h"

// A group whose atoms are still places in the trajectory.
static int make_group(struct trj_stream_header *h, const struct trj_named_selection *named, struct trj_error *err) {
    struct trj_group *g = &h->groups[h->group_count];
    g->name = trj_copy_text(named->name, err);
    if (!g->name) return -1;
    h->group_count++; // from here on the header frees it
    if (trj_selection_atoms(named->selection, NULL, &g->atoms, &g->count, err))
        return trj_fail_at(err, "group %s", g->name);
    return 0;
}

static int gather(uint32_t **to, const uint32_t *from, const uint32_t *travel, size_t n, struct trj_error *err) {
    if (!from) return 0;
    *to = trj_alloc(n, sizeof **to, "residues", err);
    if (!*to) return -1;
    for (size_t i = 0; i < n; i++) (*to)[i] = from[travel[i]];
    return 0;
}

int trj_grouping_make(struct trj_stream_header *h, uint32_t **travel, size_t atoms, const char *const *groups,
                      size_t count, const struct trj_topology *top, const struct trj_stream_header *from,
                      struct trj_error *err) {
    static const char *const everything = "all=all";
    struct trj_group_list list = {0};
    uint32_t *place = NULL; // of an atom of the trajectory among those that travel
    *travel = NULL;
    if (!count) {
        groups = &everything;
        count = 1;
    }
    h->source_atoms = atoms;
    if (trj_group_list_make(&list, groups, count, top, atoms, err)) goto out;
    count = list.count;
    h->groups = trj_alloc(count, sizeof *h->groups, "groups", err);
    if (!h->groups) goto out;
    for (size_t i = 0; i < count; i++)
        if (make_group(h, &list.groups[i], err)) goto out;
    place = trj_alloc(atoms, sizeof *place, "atoms", err);
    if (!place) goto out;
    for (size_t g = 0; g < count; g++)
        for (size_t k = 0; k < h->groups[g].count; k++) place[h->groups[g].atoms[k]] = 1;
    for (size_t i = 0; i < atoms; i++) h->atoms += place[i];
    *travel = trj_alloc(h->atoms, sizeof **travel, "atoms", err);
    if (!*travel) goto out;
    for (uint32_t i = 0, n = 0; i < atoms; i++)
        if (place[i]) {
            (*travel)[n] = i;
            place[i] = n++;
        }
    for (size_t g = 0; g < count; g++)
        for (size_t k = 0; k < h->groups[g].count; k++) h->groups[g].atoms[k] = place[h->groups[g].atoms[k]];
    const uint32_t *residue = top ? top->residue : from ? from->residue : NULL;
    const uint32_t *molecule = top ? top->molecule : from ? from->molecule : NULL;
    if (gather(&h->residue, residue, *travel, h->atoms, err) || gather(&h->molecule, molecule, *travel, h->atoms, err))
        goto out;
    trj_group_list_free(&list);
    free(place);
    return 0;
out:
    trj_group_list_free(&list);
    free(place);
    free(*travel);
    *travel = NULL;
    return -1;
}

static int copy_ids(uint32_t **to, const uint32_t *from, size_t n, struct trj_error *err) {
    if (!from) return 0;
    *to = trj_alloc(n, sizeof **to, "residues", err);
    if (!*to) return -1;
    memcpy(*to, from, n * sizeof **to);
    return 0;
}

int trj_grouping_copy(struct trj_stream_header *h, const struct trj_stream_header *from, struct trj_error *err) {
    h->atoms = from->atoms;
    h->centres = from->centres;
    h->source_atoms = from->source_atoms;
    h->member_words = from->member_words;
    h->groups = trj_alloc(from->group_count, sizeof *h->groups, "groups", err);
    if (!h->groups) return -1;
    for (size_t i = 0; i < from->group_count; i++) {
        struct trj_group *g = &h->groups[h->group_count++];
        *g = from->groups[i];
        g->atoms = NULL;
        g->name = trj_copy_text(from->groups[i].name, err);
        if (!g->name || copy_ids(&g->atoms, from->groups[i].atoms, g->count, err)) return -1;
    }
    return copy_ids(&h->residue, from->residue, h->atoms, err) || copy_ids(&h->molecule, from->molecule, h->atoms, err)
               ? -1
               : 0;
}

int trj_grouping_compare(const struct trj_stream_header *a, const struct trj_stream_header *b, struct trj_error *err) {
    if (a->source_atoms != b->source_atoms || a->atoms != b->atoms || a->centres != b->centres)
        return trj_fail(err, TRJ_BAD_DATA, "%zu atoms of %zu where the input before had %zu of %zu", b->atoms,
                        b->source_atoms, a->atoms, a->source_atoms);
    if (a->group_count != b->group_count)
        return trj_fail(err, TRJ_BAD_DATA, "%zu groups where the input before had %zu", b->group_count, a->group_count);
    for (size_t i = 0; i < a->group_count; i++) {
        const struct trj_group *x = &a->groups[i], *y = &b->groups[i];
        if (strcmp(x->name, y->name) || x->count != y->count || x->changes != y->changes || memcmp(x->atoms, y->atoms, x->count * sizeof *x->atoms))
            return trj_fail(err, TRJ_BAD_DATA, "group %s is not the group %s of the input before", y->name, x->name);
    }
    return 0;
}
