// SPDX-License-Identifier: MIT
// Numbers the residues of a selection, and prints what identifies them.
#include "parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decimal.h"
#include "memory.h"

struct entry {
    uint32_t residue, place; // place: of an atom in the selection
};

static int compare(const void *a, const void *b) {
    const struct entry *x = a, *y = b;
    if (x->residue != y->residue) return x->residue < y->residue ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

// Finds the first atom of the residue of each atom, and then numbers these in order. The atoms of a residue need not be
// adjacent.
static int number_residues(struct obs_parts *p, const struct obs_selection *one, const uint32_t *residue,
                           struct trj_error *err) {
    struct entry *entry = trj_alloc(one->count, sizeof *entry, "residues", err);
    if (!entry) return -1;
    for (size_t i = 0; i < one->count; i++) entry[i] = (struct entry){residue[one->atoms[i]], (uint32_t)i};
    qsort(entry, one->count, sizeof *entry, compare);
    for (size_t i = 0, first = 0; i < one->count; i++) {
        if (entry[i].residue != entry[first].residue) first = i;
        p->part[entry[i].place] = entry[first].place;
    }
    free(entry);
    for (size_t i = 0; i < one->count; i++) {
        if (p->part[i] < i) {
            p->part[i] = p->part[p->part[i]];
        } else {
            p->first[p->count] = one->atoms[i];
            p->part[i] = (uint32_t)p->count++;
        }
    }
    return 0;
}

static int make_parts(struct obs_parts *p, const struct obs_system *s, size_t selection, const uint32_t *number,
                      struct trj_error *err) {
    const struct obs_selection *one = &s->selection[selection];
    *p = (struct obs_parts){.system = s, .residues = number};
    if (!(p->part = trj_alloc(one->count, sizeof *p->part, "parts", err)) ||
        !(p->first = trj_alloc(one->count, sizeof *p->first, "parts", err)))
        return -1;
    if (number) return number_residues(p, one, number, err);
    for (size_t i = 0; i < one->count; i++) p->part[i] = (uint32_t)i;
    memcpy(p->first, one->atoms, one->count * sizeof *p->first);
    p->count = one->count;
    return 0;
}

static int check_fixed(const struct obs_selection *one, struct trj_error *err) {
    if (!one->dynamic) return 0;
    return trj_fail(err, TRJ_USAGE, "the atoms of '%s' change from frame to frame; select fixed ones", one->text);
}

int obs_parts_make(struct obs_parts *p, const struct obs_system *s, size_t selection, bool residues,
                   struct trj_error *err) {
    *p = (struct obs_parts){.system = s};
    if (check_fixed(&s->selection[selection], err)) return -1;
    if (residues && !s->header->residue)
        return trj_fail(
            err, TRJ_BAD_DATA,
            "--per residue: the stream does not number residues; give trjcat a topology that has them (-t)");
    return make_parts(p, s, selection, residues ? s->header->residue : NULL, err);
}

int obs_parts_make_molecules(struct obs_parts *p, const struct obs_system *s, size_t selection, struct trj_error *err) {
    *p = (struct obs_parts){.system = s};
    if (check_fixed(&s->selection[selection], err)) return -1;
    if (!s->header->molecule)
        return trj_fail(err, TRJ_BAD_DATA,
                        "the stream does not number molecules; give trjcat a topology that has bonds (-t)");
    return make_parts(p, s, selection, s->header->molecule, err);
}

void obs_parts_free(struct obs_parts *p) {
    free(p->part);
    free(p->first);
}

double obs_atom_number(const struct trj_stream_header *h, uint32_t atom) {
    if (atom >= h->atoms - h->centres) return NAN;
    return h->number ? h->number[atom] : atom;
}

size_t obs_parts_columns(const struct obs_parts *p, const char *suffix,
                         struct trj_table_column column[OBS_PART_COLUMNS]) {
    static const char *const names[3][OBS_PART_COLUMNS] = {{"atom", "name", "resname", "resid", "segid"},
                                                           {"atom_a", "name_a", "resname_a", "resid_a", "segid_a"},
                                                           {"atom_b", "name_b", "resname_b", "resid_b", "segid_b"}};
    static const char *const numbers[3] = {"residue", "residue_a", "residue_b"};
    const struct trj_topology *top = &p->system->scope.names;
    unsigned set = *suffix ? suffix[1] == 'a' ? 1 : 2 : 0;
    size_t n = 0;
    if (p->residues)
        column[n++] = (struct trj_table_column){numbers[set], "number of the residue in the topology, from 0", NULL};
    else
        column[n++] = (struct trj_table_column){names[set][0], "number of the atom in the trajectory, from 0", NULL};
    if (!p->residues && top->name.id) column[n++] = (struct trj_table_column){names[set][1], "its name", NULL};
    if (top->resname.id) column[n++] = (struct trj_table_column){names[set][2], "name of the residue", NULL};
    if (top->resid) column[n++] = (struct trj_table_column){names[set][3], "number of the residue in its file", NULL};
    if (top->segid.id) column[n++] = (struct trj_table_column){names[set][4], "segment", NULL};
    return n;
}

static double number_of(const struct obs_parts *p, size_t part) {
    const struct trj_stream_header *h = p->system->header;
    return p->residues ? h->residue[p->first[part]] : obs_atom_number(h, p->first[part]);
}

bool obs_parts_ascend(const struct obs_parts *p) {
    for (size_t i = 0; i < p->count; i++)
        if (!(number_of(p, i) > (i ? number_of(p, i - 1) : -1))) return false;
    return true;
}

static void print_text(struct trj_table *t, const struct trj_texts *texts, uint32_t atom) {
    if (texts->id) trj_table_text(t, "%s", texts->text[texts->id[atom]]);
}

void obs_parts_print(const struct obs_parts *p, size_t part, struct trj_table *t) {
    const struct trj_topology *top = &p->system->scope.names;
    uint32_t atom = p->first[part];
    if (p->residues) {
        trj_table_count(t, p->system->header->residue[atom]);
    } else {
        trj_table_real(t, TRJ_GENERAL_DIGITS_MAX, obs_atom_number(p->system->header, atom));
        print_text(t, &top->name, atom);
    }
    print_text(t, &top->resname, atom);
    if (top->resid) trj_table_text(t, "%lld", (long long)top->resid[atom]);
    print_text(t, &top->segid, atom);
}
