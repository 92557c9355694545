// SPDX-License-Identifier: MIT
// Lists the groups and properties of a frame stream as a scope for selections.
#include "stream_scope.h"

#include <stdlib.h>

#include "element.h"
#include "memory.h"
#include "property.h"

static int list_groups(struct trj_stream_scope *s, const struct trj_stream_header *h, struct trj_error *err) {
    s->index.texts = &s->texts;
    if (!(s->groups = trj_alloc(h->group_count, sizeof *s->groups, "groups", err))) return -1;
    for (size_t i = 0; i < h->group_count; i++) {
        const struct trj_group *from = &h->groups[i];
        uint32_t number;
        if (from->dynamic) continue;
        if (trj_text_index_add(&s->index, from->name, &number, err) ||
            trj_selection_of_atoms(&s->groups[number].selection, from->name, from->atoms, from->count, h->atoms, err))
            return -1;
        s->groups[s->count++].name = s->texts.text[number];
    }
    return 0;
}

// The texts of all elements are listed, so that the number of a text is the atomic number.
static int list_elements(struct trj_texts *to, const struct trj_stream_header *h, struct trj_error *err) {
    struct trj_text_index index = {.texts = to};
    uint32_t number;
    int rc = 0;
    if (!h->element) return 0;
    for (size_t z = 0; !rc && z <= TRJ_ELEMENTS; z++)
        rc = trj_text_index_add(&index, trj_elements[z].symbol, &number, err);
    trj_text_index_free(&index);
    if (rc || !(to->id = trj_alloc(h->atoms, sizeof *to->id, "elements", err))) return -1;
    for (size_t i = 0; i < h->atoms; i++) to->id[i] = h->element[i];
    return 0;
}

static int list_numbers(struct trj_stream_scope *s, const struct trj_stream_header *h, struct trj_error *err) {
    size_t atoms = h->atoms - h->centres;
    if (!h->number && !h->centres) return 0;
    if (!(s->numbers = trj_alloc(h->atoms, sizeof *s->numbers, "numbers", err))) return -1;
    for (size_t i = 0; i < h->atoms; i++)
        s->numbers[i] = (uint32_t)(i >= atoms ? h->source_atoms + i - atoms : h->number ? h->number[i] : i);
    return 0;
}

static double *reals(const struct trj_stream_header *h, const char *name) {
    const struct trj_property *p = trj_property_find(h, name);
    return p ? p->real : NULL;
}

static struct trj_texts texts(const struct trj_stream_header *h, const char *name) {
    const struct trj_property *p = trj_property_find(h, name);
    return p ? p->text : (struct trj_texts){0};
}

int trj_stream_scope_make(struct trj_stream_scope *s, const struct trj_stream_header *h, struct trj_error *err) {
    const struct trj_property *resid = trj_property_find(h, "resid");
    s->names = (struct trj_topology){.atoms = h->atoms,
                                     .name = texts(h, "name"),
                                     .resname = texts(h, "resname"),
                                     .segid = texts(h, "segid"),
                                     .resid = resid ? resid->integer : NULL,
                                     .mass = reals(h, "mass"),
                                     .charge = reals(h, "charge"),
                                     .bfactor = reals(h, "bfactor"),
                                     .occupancy = reals(h, "occupancy"),
                                     .residue = h->residue,
                                     .molecule = h->molecule,
                                     .format = "frame stream"};
    if (h->bond && !h->between) {
        s->names.bond = h->bond;
        s->names.bonds = h->bond_count;
        s->names.no_bonds = !h->bond_count;
    }
    if (list_elements(&s->names.element, h, err) || list_numbers(s, h, err)) return -1;
    return list_groups(s, h, err);
}

void trj_stream_scope_free(struct trj_stream_scope *s) {
    for (size_t i = 0; i < s->count; i++) trj_selection_free(s->groups[i].selection);
    trj_text_index_free(&s->index);
    trj_texts_clear(&s->texts);
    trj_texts_clear(&s->names.element);
    free(s->groups);
    free(s->numbers);
}

struct trj_selection_scope trj_stream_scope_groups(const struct trj_stream_scope *s) {
    return (struct trj_selection_scope){
        .atoms = s->names.atoms, .earlier = s->groups, .earlier_count = s->count, .names = &s->index};
}

struct trj_selection_scope trj_stream_scope_all(const struct trj_stream_scope *s) {
    struct trj_selection_scope scope = trj_stream_scope_groups(s);
    scope.top = &s->names;
    scope.numbers = s->numbers;
    scope.carry = true;
    return scope;
}
