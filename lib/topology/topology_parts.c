// SPDX-License-Identifier: MIT
// Contains what the readers of all formats use to fill a topology.
#include "topology_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "element.h"
#include "element_guess.h"
#include "memory.h"
#include "pdb_records.h"

// For arrays that grow together: their common `capacity` changes only once all of them have grown.
static int grow(void *array, size_t capacity, size_t elements, size_t size, struct trj_error *err) {
    return trj_grow(array, &capacity, elements, size, "atoms", err);
}

static int enlarge_atoms(struct trj_topology_builder *b, const struct trj_topology_atom *atom, struct trj_error *err) {
    struct trj_topology *top = b->top;
    size_t old = b->capacity, capacity = old ? 2 * old : 1024;
    if (top->atoms >= UINT32_MAX) return trj_fail(err, TRJ_BAD_DATA, "more than %u atoms", UINT32_MAX);
    if (atom->name && grow(&top->name.id, old, capacity, sizeof(uint32_t), err)) return -1;
    if (atom->type && grow(&top->type.id, old, capacity, sizeof(uint32_t), err)) return -1;
    if (atom->resname && grow(&top->resname.id, old, capacity, sizeof(uint32_t), err)) return -1;
    if (atom->segid && grow(&top->segid.id, old, capacity, sizeof(uint32_t), err)) return -1;
    if (atom->chain && grow(&top->chain.id, old, capacity, sizeof(uint32_t), err)) return -1;
    if (b->has_mass && grow(&top->mass, old, capacity, sizeof *top->mass, err)) return -1;
    if (b->has_charge && grow(&top->charge, old, capacity, sizeof *top->charge, err)) return -1;
    if (b->has_resid && grow(&top->resid, old, capacity, sizeof *top->resid, err)) return -1;
    if (b->has_resid && grow(&b->insertion, old, capacity, 1, err)) return -1;
    b->capacity = capacity;
    return 0;
}

int trj_topology_add(struct trj_topology_builder *b, const struct trj_topology_atom *atom, struct trj_error *err) {
    struct trj_topology *top = b->top;
    size_t i = top->atoms;
    if (i == b->capacity && enlarge_atoms(b, atom, err)) return -1;
    if (atom->name && trj_text_index_add(&b->name, atom->name, &top->name.id[i], err)) return -1;
    if (atom->type && trj_text_index_add(&b->type, atom->type, &top->type.id[i], err)) return -1;
    if (atom->resname && trj_text_index_add(&b->resname, atom->resname, &top->resname.id[i], err)) return -1;
    if (atom->segid && trj_text_index_add(&b->segid, atom->segid, &top->segid.id[i], err)) return -1;
    if (atom->chain && trj_text_index_add(&b->chain, atom->chain, &top->chain.id[i], err)) return -1;
    if (b->has_mass) top->mass[i] = atom->mass;
    if (b->has_charge) top->charge[i] = atom->charge;
    if (b->has_resid) top->resid[i] = atom->resid;
    if (b->has_resid) b->insertion[i] = atom->insertion;
    top->atoms++;
    return 0;
}

const char *trj_topology_text(const struct trj_texts *texts, size_t atom) {
    return texts->id ? texts->text[texts->id[atom]] : "";
}

int trj_topology_set_elements(struct trj_topology *top, const unsigned char *z, struct trj_error *err) {
    struct trj_text_index index = {.texts = &top->element};
    top->element.id = trj_alloc(top->atoms, sizeof *top->element.id, "elements", err);
    int rc = top->element.id ? 0 : -1;
    for (size_t i = 0; i < top->atoms && !rc; i++)
        rc = trj_text_index_add(&index, trj_elements[z[i]].symbol, &top->element.id[i], err);
    trj_text_index_free(&index);
    return rc;
}

enum { MAX_LISTED = 4, MAX_AMBIGUOUS = 80 }; // names in a note; bytes of one of them

int trj_ambiguous_names_add(struct trj_ambiguous_names *d, const char *name, const char *resname, unsigned z,
                            struct trj_error *err) {
    unsigned alternative = trj_element_alternative(name, resname);
    char text[MAX_AMBIGUOUS];
    uint32_t number;
    if (!alternative || !z) return 0;
    d->index.texts = &d->texts;
    snprintf(text, sizeof text, "%.16s%s%.16s (taken as %s, not %s)", name, *resname ? " of " : "", resname,
             trj_elements[z].symbol, trj_elements[alternative].symbol);
    return trj_text_index_add(&d->index, text, &number, err);
}

int trj_ambiguous_names_finish(struct trj_ambiguous_names *d, struct trj_topology *top, struct trj_error *err) {
    enum { CAPACITY = (MAX_LISTED + 1) * MAX_AMBIGUOUS };
    size_t used = 0, n = d->texts.count;
    int rc = 0;
    if (n && !(top->ambiguous = trj_alloc(CAPACITY, 1, "a note", err))) rc = -1;
    for (size_t i = 0; top->ambiguous && i < n && i < MAX_LISTED; i++)
        used += (size_t)snprintf(top->ambiguous + used, CAPACITY - used, "%s%s",
                                 i ? ", " : "name; ambiguous: ", d->texts.text[i]);
    if (top->ambiguous && n > MAX_LISTED)
        snprintf(top->ambiguous + used, CAPACITY - used, ", and %zu more", n - MAX_LISTED);
    if (top->ambiguous) top->element_from = top->ambiguous;
    trj_text_index_free(&d->index);
    trj_texts_clear(&d->texts);
    return rc;
}

// Cached guesses: most systems have few combinations of name, type, residue name and mass.
struct guess {
    uint32_t name, type, resname; // numbers of texts
    bool known;
    unsigned char z;
    double mass;
};

enum { GUESSES = 1024 };

static uint32_t text_number(const struct trj_texts *texts, size_t i) {
    return texts->id ? texts->id[i] : 0;
}

static int guess_element(const struct trj_topology *top, size_t i, bool by_mass, struct guess *known,
                         struct trj_ambiguous_names *ambiguous, unsigned char *z, struct trj_error *err) {
    struct guess g = {.name = text_number(&top->name, i),
                      .type = text_number(&top->type, i),
                      .resname = text_number(&top->resname, i),
                      .known = true,
                      .mass = by_mass ? top->mass[i] : 0};
    struct guess *k = &known[(g.name * 31 + g.type * 7 + g.resname * 101) % GUESSES];
    if (k->known && k->name == g.name && k->type == g.type && k->resname == g.resname && k->mass == g.mass) {
        *z = k->z;
        return 0;
    }
    const char *name = trj_topology_text(&top->name, i), *resname = trj_topology_text(&top->resname, i);
    g.z = (unsigned char)(by_mass ? trj_element_by_mass(g.mass, name, trj_topology_text(&top->type, i), resname)
                                  : trj_element_by_name(name, resname, TRJ_ELEMENT_NO_COLUMN));
    *k = g;
    *z = g.z;
    return by_mass ? 0 : trj_ambiguous_names_add(ambiguous, name, resname, g.z, err);
}

int trj_topology_guess_elements(struct trj_topology *top, unsigned char *z, bool by_mass, struct trj_error *err) {
    unsigned char *all = NULL;
    int rc = -1;
    struct trj_ambiguous_names ambiguous = {.texts = {.count = 0}};
    struct guess *known = trj_alloc(GUESSES, sizeof *known, "elements", err);
    if (!z && (all = z = trj_alloc(top->atoms, 1, "elements", err))) memset(z, TRJ_TO_GUESS, top->atoms);
    if (!known || !z) goto out;
    for (size_t i = 0; i < top->atoms; i++) {
        if (z[i] != TRJ_TO_GUESS) continue;
        if (guess_element(top, i, by_mass, known, &ambiguous, &z[i], err)) goto out;
        top->element_from = by_mass ? "mass" : "name";
    }
    rc = trj_topology_set_elements(top, z, err);
out:
    if (trj_ambiguous_names_finish(&ambiguous, top, err)) rc = -1;
    free(known);
    free(all);
    return rc;
}

int trj_topology_add_bond(struct trj_topology_builder *b, uint32_t i, uint32_t j, struct trj_error *err) {
    struct trj_topology *top = b->top;
    if (top->bonds == b->bond_capacity &&
        trj_grow(&top->bond, &b->bond_capacity, top->bonds + 1, sizeof *top->bond, "bonds", err))
        return -1;
    top->bond[top->bonds][0] = i;
    top->bond[top->bonds++][1] = j;
    return 0;
}

int trj_topology_renumber(uint32_t **running, const int64_t *number, size_t n, bool alone, struct trj_error *err) {
    int rc = -1;
    struct trj_id *ids = trj_alloc(n, sizeof *ids, "numbers", err);
    uint32_t *first = trj_alloc(n, sizeof *first, "numbers", err); // atom that has the number
    if (!ids || !first) goto out;
    for (size_t i = 0; i < n; i++) ids[i] = (struct trj_id){number[i], (uint32_t)i};
    trj_atom_ids_sort(ids, n);
    for (size_t i = 0; i < n; i++) {
        bool same = i && ids[i].id == ids[i - 1].id && (ids[i].id || !alone);
        first[ids[i].atom] = same ? first[ids[i - 1].atom] : ids[i].atom;
    }
    // Numbers replace first atoms, which come before all other atoms of their molecule or residue.
    uint32_t count = 0;
    for (size_t i = 0; i < n; i++) first[i] = first[i] == i ? count++ : first[first[i]];
    *running = first;
    first = NULL;
    rc = 0;
out:
    free(ids);
    free(first);
    return rc;
}

int trj_topology_next_line(struct trj_lines *l, const char *what, struct trj_error *err) {
    int got = trj_lines_next(l, err);
    if (got < 0) return -1;
    return got ? 0 : trj_lines_fail(l, err, "the file ends after this line, before %s", what);
}

int trj_topology_check_newline(const struct trj_lines *l, struct trj_error *err) {
    if (trj_lines_has_newline(l)) return 0;
    return trj_lines_fail(l, err, "the file ends here, without a newline: it may be truncated");
}

int trj_topology_check_last_word(struct trj_topology *top, const struct trj_lines *l, const char *number,
                                 struct trj_error *err) {
    const struct trj_number_style *style = number ? l->style : NULL;
    if (trj_lines_has_newline(l)) return 0;
    if (number && trj_lines_check_last_number(l, &number, 1, err)) return -1;
    if (style && style->seen && !style->mixed && style->decimals) return 0;
    top->note = "ends without a newline: it may be truncated, and its last word incomplete";
    return 0;
}

int trj_topology_check_record(struct trj_topology *top, const struct trj_lines *l, bool began, struct trj_error *err) {
    enum trj_pdb_other other = trj_pdb_other(l);
    if (other == TRJ_PDB_REJECT) return trj_pdb_fail_other(l, began, top->format, err);
    if (other == TRJ_PDB_IGNORE || top->note) return 0;
    if (!(top->own_note = trj_alloc(TRJ_PDB_OTHER_NOTE, 1, "a note", err))) return -1;
    trj_pdb_note_other(l, top->own_note);
    top->note = top->own_note;
    return 0;
}
