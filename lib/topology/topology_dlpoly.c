// SPDX-License-Identifier: MIT
// Reads the topology of a HISTORY or CONFIG of DL_POLY (dlpoly_records.h): the names of the first frame, and masses and
// charges of a HISTORY. Atoms are sorted by index, as in dlpoly.c.
#include <stdlib.h>
#include <string.h>

#include "dlpoly_records.h"
#include "memory.h"
#include "number.h"
#include "topology_parts.h"

struct row {
    uint32_t name; // number of its text
    double mass, charge;
};

struct rows {
    struct row *row; // [count]
    struct trj_id *id;
    size_t count, row_capacity, id_capacity;
    bool has_index;
    struct trj_texts names;
    struct trj_text_index index;
};

static int add_row(struct trj_topology_builder *b, struct rows *s, const struct trj_lines *l,
                   const struct trj_dlpoly_header *h, struct trj_error *err) {
    struct trj_dlpoly_atom a;
    size_t i = s->count;
    char *mass, *charge;
    if (trj_dlpoly_atom(l, h, i, &a, err)) return -1;
    trj_dlpoly_properties(&a, &mass, &charge);
    if (trj_grow(&s->row, &s->row_capacity, i + 1, sizeof *s->row, "atoms", err) ||
        trj_grow(&s->id, &s->id_capacity, i + 1, sizeof *s->id, "atoms", err))
        return -1;
    if (!i) {
        s->has_index = a.index;
        b->has_mass = h->history && mass;
        b->has_charge = h->history && charge;
    }
    struct row *r = &s->row[i];
    *r = (struct row){0};
    s->id[i] = (struct trj_id){.id = (int64_t)i, .atom = (uint32_t)i};
    if (s->has_index && trj_dlpoly_index(l, &a, i, &s->id[i].id, err)) return -1;
    if (b->has_mass && (!mass || !trj_parse_real(mass, &r->mass) || r->mass < 0))
        return trj_lines_fail(l, err, "atom %zu: '%.40s' is not a mass", i, mass ? mass : "");
    if (b->has_charge && (!charge || !trj_parse_real(charge, &r->charge)))
        return trj_lines_fail(l, err, "atom %zu: '%.40s' is not a charge", i, charge ? charge : "");
    s->count++;
    return trj_text_index_add(&s->index, a.name, &r->name, err);
}

// Reads the lines of an atom. Returns 1, 0 at the end of a CONFIG, -1.
static int read_atom(struct trj_topology_builder *b, struct rows *s, struct trj_lines *l,
                     const struct trj_dlpoly_header *h, struct trj_error *err) {
    int got = trj_lines_next(l, err);
    if (got < 0) return -1;
    if (!got || (!h->history && !l->text[strspn(l->text, " \t")])) return 0;
    if (add_row(b, s, l, h, err)) return -1;
    for (int k = 0; k <= h->level; k++)
        if (trj_topology_next_line(l, "the numbers of the atom", err)) return -1;
    return 1;
}

static int read_rows(struct trj_topology_builder *b, struct rows *s, struct trj_lines *l, struct trj_error *err) {
    struct trj_dlpoly_header h;
    struct trj_frame f;
    struct trj_cell cell;
    uint64_t count = UINT32_MAX;
    char *word;
    bool rows;
    int imcon, got = 1;
    if (trj_dlpoly_header(l, &h, err)) return -1;
    imcon = h.imcon;
    if (h.history) {
        if (trj_topology_next_line(l, "timestep", err) || trj_dlpoly_timestep(l, &f, &word, &imcon, err)) return -1;
        if (!trj_parse_u64(word, &count) || !count || count > UINT32_MAX)
            return trj_lines_fail(l, err, "'%.40s' is not a number of atoms from 1 to %u", word, UINT32_MAX);
    }
    if (trj_dlpoly_cell(l, imcon, &cell, &rows, err) < 0) return -1; // an invalid cell has no effect here
    while (s->count < count && (got = read_atom(b, s, l, &h, err)) > 0) continue;
    if (got < 0) return -1;
    if (!s->count) return trj_lines_fail(l, err, "no atoms");
    if (h.history && s->count < count)
        return trj_lines_fail(l, err, "the file ends after %zu of %llu atoms", s->count, (unsigned long long)count);
    return 0;
}

static int make_topology(struct trj_topology_builder *b, struct rows *s, struct trj_error *err) {
    size_t equal = 1; // as in some files of DL_POLY Classic, whose atoms are in the order of the lines
    while (equal < s->count && s->id[equal].id == s->id[0].id) equal++;
    const bool sorts = equal < s->count;
    if (sorts) trj_atom_ids_sort(s->id, s->count);
    const struct trj_id *twice = sorts ? trj_atom_ids_duplicate(s->id, s->count) : NULL;
    if (twice) return trj_fail(err, TRJ_BAD_DATA, "two atoms have the index %lld", (long long)twice->id);
    b->has_resid = false;
    for (size_t i = 0; i < s->count; i++) {
        const struct row *r = &s->row[s->id[i].atom];
        const char *name = s->names.text[r->name];
        const struct trj_topology_atom atom = {.name = name, .type = name, .mass = r->mass, .charge = r->charge};
        if (trj_topology_add(b, &atom, err)) return -1;
    }
    return trj_topology_guess_elements(b->top, NULL, b->has_mass, err);
}

int trj_dlpoly_read(struct trj_topology_builder *b, struct trj_lines *l, struct trj_error *err) {
    struct rows s = {.count = 0};
    s.index.texts = &s.names;
    int rc = read_rows(b, &s, l, err) || make_topology(b, &s, err) ? -1 : 0;
    trj_text_index_free(&s.index);
    trj_texts_clear(&s.names);
    free(s.row);
    free(s.id);
    return rc;
}
