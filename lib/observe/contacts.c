// SPDX-License-Identifier: MIT
// Contacts of two groups: the number of close pairs of atoms, and the nearest pair.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "contact_search.h"
#include "division.h"
#include "functions.h"
#include "memory.h"
#include "parts.h"
#include "system.h"

enum { A, B, RADIUS, KIND };

// The steepness of soft contacts, 1/Å, is that of Best, Hummer, Eaton, Proc. Natl. Acad. Sci. 110, 17874 (2013). A pair
// that is SOFT_RANGE beyond the radius contributes 4e-18.
#define SOFT_BETA  5.0
#define SOFT_RANGE 8.0 // Å

static int open_contacts(struct obs_observable *o, struct obs_system *s, struct trj_error *err) {
    (void)s;
    if (o->argument[RADIUS].number > 0) return 0;
    return trj_fail(err, TRJ_USAGE, "the radius must be positive");
}

// What is counted in a frame.
struct counted {
    const struct obs_division *division; // of the first list; NULL: not divided
    bool one_list;                       // both groups are one list, in which each pair is found from one end alone
    bool soft;
    double radius, *value;
};

// If both groups are one list, a pair of atoms of two residues is a contact of both.
static int add(void *arg, const struct obs_contact *c, struct trj_error *err) {
    const struct counted *to = arg;
    const uint32_t *part = to->division ? to->division->parts.part : NULL;
    double amount = to->soft ? 1 / (1 + exp(SOFT_BETA * (sqrt(c->r2) - to->radius))) : 1;
    (void)err;
    to->value[part ? part[c->i] : 0] += amount;
    if (part && to->one_list && part[c->i] != part[c->j]) to->value[part[c->j]] += amount;
    return 0;
}

static int compute_contacts(const struct obs_observable *o, struct obs_view *v, double *value, struct trj_error *err) {
    const double radius = o->argument[RADIUS].number;
    const struct obs_positions *p[2];
    const struct trj_frame *f = obs_view_frame(v);
    struct obs_contact_search *s = obs_contact_search_of(v, o, err);
    struct counted counted = {
        .division = o->division, .soft = o->argument[KIND].choice, .radius = radius, .value = value};
    uint64_t count;
    for (size_t i = 0; i < o->columns; i++) value[i] = 0;
    if (!s || obs_contact_groups(v, o->argument[A].selection, o->argument[B].selection, p, err)) return -1;
    counted.one_list = p[0] == p[1];
    if (counted.soft || counted.division)
        return obs_contacts_visit(s, f, p[0], p[1], counted.soft ? radius + SOFT_RANGE : radius, add, &counted, err);
    if (obs_contacts_count(s, f, p[0], p[1], radius, &count, err)) return -1;
    *value = (double)count;
    return 0;
}

// ------------------------------------------------------------------------------------------------------------- nearest

static void set_nearest(const struct obs_positions *const p[2], const struct trj_stream_header *h,
                        const struct obs_contact *c, double value[3]) {
    bool found = isfinite(c->r2);
    value[0] = found ? sqrt(c->r2) : NAN;
    value[1] = found ? obs_atom_number(h, p[0]->atoms[c->i]) : NAN;
    value[2] = found ? obs_atom_number(h, p[1]->atoms[c->j]) : NAN;
}

#define FIRST_RADIUS 4.0 // Å

// The nearest pairs of all residues, which are found in common searches. Memory of a thread.
struct nearest {
    const struct obs_division *division;
    bool one_list;
    struct obs_contact *best; // [residues] its i and j are numbers in the groups
    // Atoms of residues without a pair yet, with their numbers in the first group:
    uint32_t *atoms, *index;
    double (*x)[3];
    const uint32_t *numbers; // `index`, or NULL for the whole group
};

static void free_nearest(void *memory) {
    struct nearest *n = memory;
    free(n->best);
    free(n->atoms);
    free(n->index);
    free(n->x);
}

static struct nearest *get_nearest(const struct obs_observable *o, struct obs_view *v, size_t atoms,
                                   struct trj_error *err) {
    struct nearest *n = obs_view_scratch(v, o->argument, sizeof *n, free_nearest, err);
    if (!n || n->division) return n;
    if (!(n->best = trj_alloc(o->division->count, sizeof *n->best, "residues", err)) ||
        !(n->atoms = trj_alloc(atoms, sizeof *n->atoms, "residues", err)) ||
        !(n->index = trj_alloc(atoms, sizeof *n->index, "residues", err)) ||
        !(n->x = trj_alloc(atoms, sizeof *n->x, "residues", err)))
        return NULL;
    n->division = o->division;
    return n;
}

// Of pairs with one distance, the atom of the first group with the smallest number decides, then that of the second.
static void keep_nearer(struct nearest *n, size_t i, size_t j, double r2) {
    struct obs_contact *best = &n->best[n->division->parts.part[i]];
    if (r2 > best->r2 || (r2 == best->r2 && (i > best->i || (i == best->i && j >= best->j)))) return;
    *best = (struct obs_contact){.i = i, .j = j, .r2 = r2};
}

static int visit_nearest(void *arg, const struct obs_contact *c, struct trj_error *err) {
    struct nearest *n = arg;
    (void)err;
    keep_nearer(n, n->numbers ? n->numbers[c->i] : c->i, c->j, c->r2);
    if (!n->numbers && n->one_list) keep_nearer(n, c->j, c->i, c->r2);
    return 0;
}

// Returns whether a residue of the first group has a pair with another atom of the second group at any distance.
static bool has_pair(const struct obs_division *d, size_t residue, const struct obs_positions *const p[2]) {
    uint32_t begin = d->begin[residue], atoms = d->begin[residue + 1] - begin;
    return p[1]->count > 1 || (p[1]->count && (atoms > 1 || p[0]->atoms[d->member[begin]] != p[1]->atoms[0]));
}

// Lists the atoms of residues that have a pair which is farther away than was searched. Returns their number.
static size_t list_incomplete(struct nearest *n, const struct obs_positions *const p[2]) {
    const struct obs_division *d = n->division;
    size_t count = 0;
    for (size_t r = 0; r < d->count; r++) {
        if (isfinite(n->best[r].r2) || !has_pair(d, r, p)) continue;
        for (uint32_t k = d->begin[r]; k < d->begin[r + 1]; k++, count++) {
            n->index[count] = d->member[k];
            n->atoms[count] = p[0]->atoms[d->member[k]];
            memcpy(n->x[count], p[0]->x[d->member[k]], sizeof *n->x);
        }
    }
    return count;
}

static int compute_nearest_of_residues(const struct obs_observable *o, struct obs_view *v, struct obs_contact_search *s,
                                       const struct obs_positions *const p[2], double *value, struct trj_error *err) {
    const struct trj_frame *f = obs_view_frame(v);
    struct nearest *n = get_nearest(o, v, p[0]->count, err);
    double radius = FIRST_RADIUS;
    if (!n) return -1;
    n->one_list = p[0] == p[1];
    n->numbers = NULL;
    for (size_t r = 0; r < n->division->count; r++) n->best[r].r2 = INFINITY;
    if (obs_contacts_visit(s, f, p[0], p[1], radius, visit_nearest, n, err)) return -1;
    n->numbers = n->index;
    for (size_t count; (count = list_incomplete(n, p));) {
        const struct obs_positions incomplete = {n->atoms, count, n->x};
        radius *= 2;
        if (obs_contacts_visit(s, f, &incomplete, p[1], radius, visit_nearest, n, err)) return -1;
    }
    for (size_t r = 0; r < n->division->count; r++)
        set_nearest(p, obs_view_system(v)->header, &n->best[r], value + 3 * r);
    return 0;
}

static int compute_mindist(const struct obs_observable *o, struct obs_view *v, double *value, struct trj_error *err) {
    const struct obs_positions *p[2];
    struct obs_contact_search *s = obs_contact_search_of(v, o, err);
    struct obs_contact c;
    if (!s || obs_contact_groups(v, o->argument[A].selection, o->argument[B].selection, p, err)) return -1;
    if (o->division) return compute_nearest_of_residues(o, v, s, p, value, err);
    if (obs_contacts_nearest(s, obs_view_frame(v), p[0], p[1], &c, err)) return -1;
    set_nearest(p, obs_view_system(v)->header, &c, value);
    return 0;
}

static const struct obs_column number[] = {{"", ""}}, nearest[] = {{"distance", "Angstrom"}, {"a", ""}, {"b", ""}};

const struct obs_function obs_contacts = {
    .name = "contacts",
    .parameter = {{.name = "a", .kind = OBS_ATOMS},
                  {.name = "b", .kind = OBS_ATOMS},
                  {.name = "radius", .kind = OBS_NUMBER},
                  {.name = "kind", .kind = OBS_CHOICE, .standard = "hard", .choices = "hard soft"}},
    .column = number,
    .columns = 1,
    .formula = "number of pairs of an atom of a and another one of b with a distance r < radius (Angstrom), of all "
               "periodic images; pairs within one group count once; soft: sum of 1 / (1 + exp(5 (r - radius)))",
    .residues = OBS_RESIDUES_JOINT,
    .open = open_contacts,
    .compute = compute_contacts,
};
const struct obs_function obs_mindist = {
    .name = "mindist",
    .parameter = {{.name = "a", .kind = OBS_ATOMS}, {.name = "b", .kind = OBS_ATOMS}},
    .column = nearest,
    .columns = 3,
    .formula = "smallest distance between an atom of a and another one of b, over all periodic images, and the numbers "
               "of these "
               "atoms in the trajectory, from 0",
    .residues = OBS_RESIDUES_JOINT,
    .compute = compute_mindist,
};
