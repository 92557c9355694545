// SPDX-License-Identifier: MIT
// Reads the topology of mmCIF: the atoms of the first model, with all alternate locations (mmcif_records.h).
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "element.h"
#include "memory.h"
#include "mmcif_records.h"
#include "number.h"
#include "topology_parts.h"

enum { TEXT = 64 };

struct mmcif {
    unsigned char *z; // of each atom; TRJ_TO_GUESS
    size_t capacity, occupancy_capacity, bfactor_capacity;
    bool guesses;
    size_t uncounted, alternate;                       // atoms without a residue number; with an alternate location
    int64_t resid;                                     // of the previous atom
    bool counted;                                      // it has no number, and got this one
    char first_name[TEXT], resname[TEXT], chain[TEXT]; // of the first atom of its residue
};

static void copy(const struct trj_mmcif_row *row, enum trj_mmcif_role role, char to[TEXT]) {
    size_t n = row->value[role].length < TEXT ? row->value[role].length : TEXT - 1;
    if (n) memcpy(to, row->value[role].text, n);
    to[n] = 0;
}

// Copies a name of the author, or else that of the PDB.
static void copy_name(const struct trj_mmcif_row *row, enum trj_mmcif_role role, char to[TEXT]) {
    copy(row, trj_mmcif_source(row, role), to);
}

// Returns a number for an atom without one, as water has in label_seq_id: a residue begins where its name or the chain
// changes, or the name of its first atom is repeated.
static int64_t count_on(struct mmcif *s, const struct trj_topology_atom *atom) {
    bool same = s->counted && strcmp(atom->name, s->first_name) != 0 && !strcmp(atom->resname, s->resname) &&
                !strcmp(atom->chain, s->chain);
    s->uncounted++;
    return same ? s->resid : s->resid + 1;
}

// Parses a residue number, after which some programs write the insertion code.
static int read_resid(struct mmcif *s, const struct trj_mmcif *m, const struct trj_mmcif_row *row,
                      struct trj_topology_atom *atom, struct trj_error *err) {
    char text[TEXT];
    copy_name(row, TRJ_MMCIF_RESID, text);
    bool counts = !*text;
    if (counts) {
        atom->resid = count_on(s, atom);
    } else {
        const char *end = trj_scan_i64(text, &atom->resid);
        if (end && isalpha((unsigned char)*end)) atom->insertion = *end++;
        if (!end || *end) return trj_cif_fail(&m->cif, err, "'%s' is not a residue number", text);
    }
    if (row->value[TRJ_MMCIF_INSERTION].length) atom->insertion = *row->value[TRJ_MMCIF_INSERTION].text;
    bool starts = counts != s->counted || atom->resid != s->resid;
    if (starts) {
        memcpy(s->first_name, atom->name, strlen(atom->name) + 1);
        memcpy(s->resname, atom->resname, strlen(atom->resname) + 1);
        memcpy(s->chain, atom->chain, strlen(atom->chain) + 1);
    }
    s->counted = counts;
    s->resid = atom->resid;
    return 0;
}

static double read_value(const struct trj_mmcif_row *row, enum trj_mmcif_role role) {
    double value;
    return trj_cif_number(row->value[role].text, row->value[role].length, &value) ? value : NAN;
}

static int read_values(struct trj_topology *top, struct mmcif *s, const struct trj_mmcif_columns *c,
                       const struct trj_mmcif_row *row, struct trj_error *err) {
    size_t i = top->atoms;
    if (c->has[TRJ_MMCIF_OCCUPANCY]) {
        if (trj_grow(&top->occupancy, &s->occupancy_capacity, i + 1, sizeof(double), "atoms", err)) return -1;
        top->occupancy[i] = read_value(row, TRJ_MMCIF_OCCUPANCY);
    }
    if (c->has[TRJ_MMCIF_BFACTOR]) {
        if (trj_grow(&top->bfactor, &s->bfactor_capacity, i + 1, sizeof(double), "atoms", err)) return -1;
        top->bfactor[i] = read_value(row, TRJ_MMCIF_BFACTOR);
    }
    return 0;
}

// Sets z of an atom by the column of elements. "X" and other texts that are no symbols are unknown elements.
static int read_element(struct mmcif *s, const struct trj_mmcif_row *row, size_t atom, struct trj_error *err) {
    char symbol[TEXT];
    copy(row, TRJ_MMCIF_ELEMENT, symbol);
    if (trj_grow(&s->z, &s->capacity, atom + 1, 1, "elements", err)) return -1;
    s->z[atom] = !strcmp(symbol, "D") ? 1 : (unsigned char)trj_element_find(symbol, strlen(symbol));
    if (*symbol) return 0;
    s->z[atom] = TRJ_TO_GUESS;
    s->guesses = true;
    return 0;
}

static int read_atom(struct trj_topology_builder *b, struct mmcif *s, const struct trj_mmcif *m,
                     struct trj_error *err) {
    struct trj_mmcif_row row = {.value = {{NULL, 0}}};
    char name[TEXT], resname[TEXT], chain[TEXT];
    size_t n = trj_mmcif_scan(&m->columns, TRJ_MMCIF_ROLES, m->text, m->length, &row);
    if (n != m->columns.count)
        return trj_cif_fail(&m->cif, err, "atom %zu: %zu values, expected %zu", b->top->atoms, n, m->columns.count);
    copy_name(&row, TRJ_MMCIF_NAME, name);
    copy_name(&row, TRJ_MMCIF_RESNAME, resname);
    copy_name(&row, TRJ_MMCIF_CHAIN, chain);
    struct trj_topology_atom atom = {.name = name, .resname = resname, .chain = chain};
    if (read_resid(s, m, &row, &atom, err)) return -1;
    s->alternate += row.value[TRJ_MMCIF_ALTLOC].length > 0;
    if (read_element(s, &row, b->top->atoms, err)) return -1;
    if (b->properties && read_values(b->top, s, &m->columns, &row, err)) return -1;
    return trj_topology_add(b, &atom, err);
}

static void drop_blank(struct trj_texts *texts) {
    if (texts->count != 1 || *texts->text[0]) return;
    free(texts->id);
    texts->id = NULL;
}

static void set_note(struct trj_topology *top, const struct mmcif *s) {
    if (s->alternate) top->note = "all alternate locations of atoms are read, as if each were an atom of its own";
    if (!s->uncounted) return;
    top->note = "some atoms have no residue number: residues are counted";
    if (s->uncounted < top->atoms || top->resname.id || top->chain.id) return;
    top->note = NULL; // there are no residues at all
    free(top->resid);
    top->resid = NULL;
}

static int read_model(struct trj_topology_builder *b, struct mmcif *s, struct trj_mmcif *m, struct trj_error *err) {
    char model[TRJ_MMCIF_MODEL_NAME], first[TRJ_MMCIF_MODEL_NAME] = "";
    int got = trj_mmcif_find(m, err);
    if (got <= 0) return got ? -1 : trj_mmcif_fail_empty(m, err);
    while ((got = trj_mmcif_next_row(m, err)) > 0) {
        trj_mmcif_model(&m->columns, m->text, m->length, model);
        if (!b->top->atoms) memcpy(first, model, sizeof first);
        if (strcmp(first, model) != 0) break;
        if (read_atom(b, s, m, err)) return -1;
    }
    if (got < 0 || (!got && trj_mmcif_finish(m, err))) return -1;
    drop_blank(&b->top->resname);
    drop_blank(&b->top->chain);
    set_note(b->top, s);
    return s->guesses ? trj_topology_guess_elements(b->top, s->z, false, err)
                      : trj_topology_set_elements(b->top, s->z, err);
}

int trj_mmcif_read(struct trj_topology_builder *b, struct trj_lines *l, struct trj_error *err) {
    struct mmcif s = {.resid = 0};
    struct trj_mmcif m = {.tables = 0};
    trj_mmcif_start(&m, l);
    int rc = read_model(b, &s, &m, err);
    trj_mmcif_free(&m);
    free(s.z);
    return rc;
}
