// SPDX-License-Identifier: MIT
// Numbers of residues in each class of secondary structure (secondary_structure.h).
#include <stdlib.h>
#include <string.h>

#include "contact_search.h"
#include "division.h"
#include "functions.h"
#include "memory.h"
#include "nearest_image.h"
#include "residue_names.h"
#include "secondary_structure.h"
#include "system.h"
#include "vector_products.h"

enum { N, CA, C, O, ATOMS };
#define CA_MAX      9.0 // Å, of residues between which a bond is tested
#define PEPTIDE_MAX 2.5 // Å, of the peptide bond

// `classes` is in the order of the columns; the index in `codes` is the number of a class.
static const char classes[] = "HGIEBTS-", codes[] = "-HGIEBTS";

struct residue {
    size_t index[ATOMS]; // of the atoms in the selection; SIZE_MAX: absent
    bool imino;
};

struct dssp {
    struct residue *residue; // [count]
    size_t count, capacity;
    uint32_t *ca; // [count] stream atoms
};

static void close_dssp(struct obs_observable *o) {
    struct dssp *d = o->own;
    if (!d) return;
    free(d->residue);
    free(d->ca);
    free(d);
}

static const char *text_of(const struct trj_texts *t, uint32_t atom) {
    return t->id ? t->text[t->id[atom]] : "";
}

// Returns which atom of the backbone has a name, or ATOMS. Of the two oxygens at the end of a chain, this is the first.
static int find_atom(const char *name) {
    static const struct {
        const char *name;
        int atom;
    } known[] = {{"N", N}, {"CA", CA}, {"C", C}, {"O", O}, {"OT1", O}, {"OC1", O}, {"O1", O}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(known[i].name, name)) return known[i].atom;
    return ATOMS;
}

// Lists the residues of the selection that have N, CA and C. Others, such as water, are left out.
static int list_residues(struct dssp *d, const struct obs_system *s, const struct obs_selection *one,
                         struct trj_error *err) {
    const uint32_t *residue = s->header->residue;
    for (size_t i = 0, end; i < one->count; i = end) {
        struct residue r = {{SIZE_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX}, false};
        for (end = i; end < one->count && residue[one->atoms[end]] == residue[one->atoms[i]]; end++) {
            int atom = find_atom(text_of(&s->scope.names.name, one->atoms[end]));
            if (atom < ATOMS && r.index[atom] == SIZE_MAX) r.index[atom] = end;
        }
        if (r.index[N] == SIZE_MAX || r.index[CA] == SIZE_MAX || r.index[C] == SIZE_MAX) continue;
        const char *name = text_of(&s->scope.names.resname, one->atoms[i]);
        r.imino = trj_residue_has_topology_of(name, "PRO") || trj_residue_has_topology_of(name, "HYP");
        if (trj_grow(&d->residue, &d->capacity, d->count + 1, sizeof *d->residue, "residues", err)) return -1;
        d->residue[d->count++] = r;
    }
    return 0;
}

static const struct obs_column code[] = {{"", OBS_CLASS}};

static void choose_dssp_columns(struct obs_observable *o) {
    if (!o->by_residue) return;
    o->column = code;
    o->columns = 1;
    o->formula = "class of secondary structure: 0 none, 1 alpha helix (H), 2 3-10 helix (G), 3 pi helix (I), 4 ladder "
                 "(E), 5 bridge (B), 6 turn (T), 7 bend (S) (Kabsch, Sander 1983; pi before alpha helices); residues "
                 "without N, CA or C have no column";
}

static int open_dssp(struct obs_observable *o, struct obs_system *s, struct trj_error *err) {
    const struct obs_selection *one = &s->selection[o->argument->selection];
    struct dssp *d = o->own = trj_alloc(1, sizeof *d, "residues", err);
    if (!d) return -1;
    if (one->dynamic)
        return trj_fail(err, TRJ_USAGE, "the atoms of '%s' depend on the frame; give a selection that does not",
                        one->text);
    if (!s->header->residue || !s->scope.names.name.id || !s->scope.names.resname.id)
        return trj_fail(err, TRJ_BAD_DATA,
                        "the stream has no %s; give a topology that has them, and write them: trjcat -t FILE --carry "
                        "name,resname",
                        s->header->residue ? "names of atoms and residues" : "residues");
    if (list_residues(d, s, one, err)) return -1;
    if (!d->count)
        return trj_fail(err, TRJ_BAD_DATA, "no residue of '%s' has the atoms N, CA and C; select whole residues",
                        one->text);
    if (!(d->ca = trj_alloc(d->count, sizeof *d->ca, "residues", err))) return -1;
    for (size_t i = 0; i < d->count; i++) d->ca[i] = one->atoms[d->residue[i].index[CA]];
    return o->by_residue ? obs_divide_into(o, s, d->ca, d->count, err) : 0;
}

// Memory of a thread.
struct work {
    struct obs_backbone *backbone; // [count]
    double (*ca)[3];               // [count] Å
    struct obs_structure structure;
};

static void free_work(void *memory) {
    struct work *w = memory;
    free(w->backbone);
    free(w->ca);
    obs_structure_free(&w->structure);
}

static struct work *get_work(const struct obs_observable *o, struct obs_view *v, struct trj_error *err) {
    const struct dssp *d = o->own;
    struct work *w = obs_view_scratch(v, o->argument, sizeof *w, free_work, err);
    if (!w || w->ca) return w;
    w->backbone = trj_alloc(d->count, sizeof *w->backbone, "residues", err);
    w->ca = trj_alloc(d->count, sizeof *w->ca, "residues", err);
    return w->backbone && w->ca ? w : NULL;
}

// Sets d to the shortest vector between two points.
static void vector(const struct trj_lattice *l, const double from[3], const double to[3], double d[3]) {
    for (int k = 0; k < 3; k++) d[k] = to[k] - from[k];
    trj_nearest_image(l, d);
}

// Places residue i after the one before it, so that a chain continues across boundaries.
static void place(struct work *w, const struct dssp *all, size_t i, const struct obs_positions *p,
                  const struct trj_lattice *l) {
    const struct residue *r = &all->residue[i];
    struct obs_backbone *b = &w->backbone[i], *before = i ? b - 1 : NULL;
    const double *ca = p->x[r->index[CA]];
    double d[3] = {0, 0, 0};
    memcpy(w->ca[i], ca, sizeof *w->ca);
    b->has_o = r->index[O] != SIZE_MAX;
    vector(l, ca, p->x[r->index[N]], b->n);
    vector(l, ca, p->x[r->index[C]], b->c);
    if (b->has_o) vector(l, ca, p->x[r->index[O]], b->o);
    b->joined = false;
    if (before) {
        vector(l, p->x[r[-1].index[C]], p->x[r->index[N]], d);
        b->joined = trj_dot(d, d) <= PEPTIDE_MAX * PEPTIDE_MAX;
    }
    // From the CA before to its C, to the N, to the CA
    for (int k = 0; k < 3; k++) b->ca[k] = b->joined ? before->ca[k] + before->c[k] + d[k] - b->n[k] : ca[k];
    obs_backbone_join(b, before, r->imino);
}

static int test_bonds(void *arg, const struct obs_contact *c, struct trj_error *err) {
    struct work *w = arg;
    const double back[3] = {-c->d[0], -c->d[1], -c->d[2]};
    (void)err;
    obs_backbone_bond(w->backbone, (uint32_t)c->i, (uint32_t)c->j, c->d);
    obs_backbone_bond(w->backbone, (uint32_t)c->j, (uint32_t)c->i, back);
    return 0;
}

static int compute_dssp(const struct obs_observable *o, struct obs_view *v, double *value, struct trj_error *err) {
    const struct dssp *d = o->own;
    const struct obs_positions *p;
    const struct trj_lattice *l;
    struct obs_contact_search *search = obs_contact_search_of(v, o, err);
    struct work *w = get_work(o, v, err);
    if (!search || !w || obs_view_lattice(v, &l, err) || obs_view_positions(v, o->argument->selection, &p, err))
        return -1;
    for (size_t i = 0; i < d->count; i++) place(w, d, i, p, l);
    const struct obs_positions ca = {d->ca, d->count, w->ca};
    if (obs_contacts_visit(search, obs_view_frame(v), &ca, &ca, CA_MAX, test_bonds, w, err) ||
        obs_structure_assign(&w->structure, w->backbone, d->count, err))
        return -1;
    for (size_t i = 0; i < o->columns; i++) value[i] = 0;
    for (size_t i = 0; i < d->count; i++) {
        char letter = w->structure.letter[i];
        if (o->division)
            value[i] = (double)(strchr(codes, letter) - codes);
        else
            value[strchr(classes, letter) - classes]++;
    }
    return 0;
}

static const struct obs_column columns[] = {{"H", ""}, {"G", ""}, {"I", ""}, {"E", ""},
                                            {"B", ""}, {"T", ""}, {"S", ""}, {"none", ""}};

const struct obs_function obs_dssp = {
    .name = "dssp",
    .parameter = {{.name = "group", .kind = OBS_ATOMS}},
    .column = columns,
    .columns = sizeof columns / sizeof *columns,
    .formula = "numbers of residues in alpha helices (H), 3-10 helices (G), pi helices (I), ladders (E), bridges (B), "
               "turns (T), bends (S), and none of these (Kabsch, Sander 1983; pi before alpha helices)",
    .residues = OBS_RESIDUES_LISTED,
    .carry = "name,resname",
    .choose_columns = choose_dssp_columns,
    .open = open_dssp,
    .compute = compute_dssp,
    .close = close_dssp,
};
