// SPDX-License-Identifier: MIT
// The fraction of native contacts: which contacts of a reference structure exist in a frame.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "contact_search.h"
#include "division.h"
#include "functions.h"
#include "memory.h"
#include "reference.h"
#include "system.h"

enum { GROUP, REFERENCE, KIND, RADIUS };

// The constants of Best, Hummer, Eaton, Proc. Natl. Acad. Sci. 110, 17874 (2013), for models of all atoms.
#define BETA   5.0 // 1/Å
#define LAMBDA 1.8
enum { APART = 3 }; // residues of a contact within one molecule are farther apart than this in its sequence

struct native {
    uint32_t i, j; // indices in the positions of the group
    double r0;     // Å
};

struct natives {
    const struct trj_stream_header *header;
    uint32_t *heavy, *member; // [heavies] atoms of the group that are not hydrogen; and their indices in the group
    double (*x)[3];           // [heavies] in the reference
    double (*from_file)[3];   // of all atoms of the group; NULL: the reference is the first frame
    struct trj_cell file_cell;
    size_t heavies;
    double *total;         // [residues] native contacts of each, if the group is divided
    struct native *native; // [count]
    size_t count, capacity;
};

static void close_native(struct obs_observable *o) {
    struct natives *n = o->own;
    if (!n) return;
    free(n->heavy);
    free(n->member);
    free(n->x);
    free(n->from_file);
    free(n->native);
    free(n->total);
    free(n);
}

static int open_native(struct obs_observable *o, struct obs_system *s, struct trj_error *err) {
    const struct obs_selection *one = &s->selection[o->argument[GROUP].selection];
    const struct trj_stream_header *h = s->header;
    const char *path = o->argument[REFERENCE].text;
    if (!(o->argument[RADIUS].number > 0)) return trj_fail(err, TRJ_USAGE, "the radius must be positive");
    if (one->dynamic) return trj_fail(err, TRJ_USAGE, "the atoms of '%s' depend on the frame", one->text);
    if (!h->element || !h->residue)
        return trj_fail(err, TRJ_BAD_DATA, "the stream has no %s; give a topology that has them: trjcat -t FILE",
                        h->element ? "residues" : "elements");
    struct natives *n = o->own = trj_alloc(1, sizeof *n, "native contacts", err);
    if (!n || !(n->heavy = trj_alloc(one->count, sizeof *n->heavy, "native contacts", err)) ||
        !(n->member = trj_alloc(one->count, sizeof *n->member, "native contacts", err)) ||
        !(n->x = trj_alloc(one->count, sizeof *n->x, "native contacts", err)))
        return -1;
    n->header = h;
    if (!(n->total = trj_alloc(obs_residue_count(o), sizeof *n->total, "native contacts", err))) return -1;
    if (strcmp(path, "first") &&
        obs_reference_read(&n->from_file, &n->file_cell, s, o->argument[GROUP].selection, path, 0, err))
        return -1;
    one = &s->selection[o->argument[GROUP].selection];
    for (size_t i = 0; i < one->count; i++) {
        uint32_t atom = one->atoms[i];
        if (!h->element[atom] && !trj_stream_is_site(h, atom))
            return trj_fail(err, TRJ_BAD_DATA,
                            "the element of atom %lu of the stream is unknown; give a topology with elements: trjcat "
                            "-t FILE",
                            (unsigned long)atom);
        if (h->element[atom] < 2) continue;
        n->member[n->heavies] = (uint32_t)i;
        n->heavy[n->heavies++] = atom;
    }
    return 0;
}

// Returns whether a pair of atoms can be a native contact. If molecules are unknown, all atoms are taken for one.
static bool is_apart(const struct trj_stream_header *h, uint32_t a, uint32_t b) {
    if (h->molecule && h->molecule[a] != h->molecule[b]) return true;
    uint32_t i = h->residue[a], j = h->residue[b];
    return (i > j ? i - j : j - i) > APART;
}

static int add_native(void *arg, const struct obs_contact *c, struct trj_error *err) {
    struct natives *n = arg;
    if (!is_apart(n->header, n->heavy[c->i], n->heavy[c->j])) return 0;
    if (trj_grow(&n->native, &n->capacity, n->count + 1, sizeof *n->native, "native contacts", err)) return -1;
    uint32_t i = n->member[c->i], j = n->member[c->j];
    n->native[n->count++] = (struct native){i < j ? i : j, i < j ? j : i, sqrt(c->r2)};
    return 0;
}

static int by_atoms(const void *a, const void *b) {
    const struct native *x = a, *y = b;
    if (x->i != y->i) return x->i < y->i ? -1 : 1;
    if (x->j != y->j) return x->j < y->j ? -1 : 1;
    return (x->r0 > y->r0) - (x->r0 < y->r0);
}

// Sets the positions of the heavy atoms in the reference.
static int read_reference(const struct obs_observable *o, struct obs_view *v, struct natives *n,
                          struct trj_error *err) {
    const struct obs_positions *p;
    if (obs_view_positions(v, o->argument[GROUP].selection, &p, err)) return -1;
    for (size_t i = 0; i < n->heavies; i++)
        memcpy(n->x[i], n->from_file ? n->from_file[n->member[i]] : p->x[n->member[i]], sizeof n->x[i]);
    return 0;
}

// Lists the residues to which a contact counts: both, or one that contains the whole group. Returns how many there are.
static size_t list_residues(const struct obs_observable *o, const struct native *c, size_t residue[2]) {
    const struct obs_division *d = o->division;
    residue[0] = d ? d->parts.part[c->i] : 0;
    residue[1] = d ? d->parts.part[c->j] : 0;
    return residue[0] == residue[1] ? 1 : 2;
}

static int begin_native(struct obs_observable *o, struct obs_view *v, struct trj_error *err) {
    struct natives *n = o->own;
    double radius = o->argument[RADIUS].number;
    struct obs_contact_search *s = obs_contact_search_of(v, o, err);
    if (!s || read_reference(o, v, n, err)) return -1;
    const struct obs_positions heavy = {n->heavy, n->heavies, n->x};
    const struct trj_frame file = {.unit = 1, .cell = n->file_cell};
    const struct trj_frame *f = n->from_file ? &file : obs_view_frame(v);
    if (obs_contacts_visit(s, f, &heavy, &heavy, radius, add_native, n, err)) return -1;
    if (!n->count)
        return trj_fail(err, TRJ_BAD_DATA, "the reference has no native contact within %g Å in '%s'", radius,
                        o->argument[GROUP].text);
    // Of several images of a pair, the nearest one is the contact.
    qsort(n->native, n->count, sizeof *n->native, by_atoms);
    size_t kept = 1;
    for (size_t i = 1; i < n->count; i++)
        if (n->native[i].i != n->native[kept - 1].i || n->native[i].j != n->native[kept - 1].j)
            n->native[kept++] = n->native[i];
    n->count = kept;
    for (size_t i = 0; i < n->count; i++) {
        size_t residue[2];
        for (size_t k = list_residues(o, &n->native[i], residue); k-- > 0;) n->total[residue[k]]++;
    }
    return 0;
}

static int compute_native(const struct obs_observable *o, struct obs_view *v, double *value, struct trj_error *err) {
    const struct natives *n = o->own;
    const struct trj_lattice *l;
    const struct obs_positions *p;
    bool hard = o->argument[KIND].choice;
    double radius = o->argument[RADIUS].number;
    for (size_t i = 0; i < o->columns; i++) value[i] = 0;
    if (obs_view_lattice(v, &l, err) || obs_view_positions(v, o->argument[GROUP].selection, &p, err)) return -1;
    for (size_t i = 0; i < n->count; i++) {
        const struct native *c = &n->native[i];
        double d[3];
        for (int k = 0; k < 3; k++) d[k] = p->x[c->j][k] - p->x[c->i][k];
        trj_nearest_image(l, d);
        double r = sqrt(trj_dot(d, d));
        size_t residue[2];
        for (size_t k = list_residues(o, c, residue); k-- > 0;)
            value[residue[k]] += hard ? r < radius : 1 / (1 + exp(BETA * (r - LAMBDA * c->r0)));
    }
    for (size_t i = 0; i < o->columns; i++) value[i] /= n->total[i];
    return 0;
}

static const struct obs_column fraction[] = {{"", ""}};

const struct obs_function obs_native = {
    .name = "native",
    .parameter = {{.name = "group", .kind = OBS_ATOMS},
                  {.name = "reference", .kind = OBS_FILE, .standard = "first"},
                  {.name = "kind", .kind = OBS_CHOICE, .standard = "soft", .choices = "soft hard"},
                  {.name = "radius", .kind = OBS_NUMBER, .standard = "4.5"}},
    .column = fraction,
    .columns = 1,
    .formula =
        "fraction of native contacts: pairs of heavy atoms at r0 < radius (Angstrom) in the reference, of different "
        "molecules or of residues more than 3 apart; soft: mean of 1 / (1 + exp(5 (r - 1.8 r0))) (Best, Hummer, "
        "Eaton 2013); hard: fraction with r < radius; r: nearest image",
    .residues = OBS_RESIDUES_JOINT,
    .carry = "element",
    .open = open_native,
    .begin = begin_native,
    .compute = compute_native,
    .close = close_native,
};
