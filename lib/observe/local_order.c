// SPDX-License-Identifier: MIT
// Order of the neighbours around each atom: tetrahedral order, bond-orientational order, and the atoms in a shell.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "contact_search.h"
#include "division.h"
#include "functions.h"
#include "memory.h"
#include "system.h"

enum { GROUP, SECOND, RADIUS }; // of shell; the radius of steinhardt is the second
enum { NEAREST = 4 };

// An atom near a residue.
struct shell_atom {
    uint32_t residue, atom;
};

struct neighbour {
    uint32_t atom; // index in the group
    double d[3];   // Å
    double r2;
};

// Memory of a thread.
struct work {
    struct neighbour (*nearest)[NEAREST]; // [atoms of the group] by distance
    unsigned char *found;                 // [atoms of the group] numbers of these
    size_t nearest_capacity, found_capacity;
    const uint32_t *member; // of the list that is searched: index in the group of each atom
    bool one_list;          // pairs are found from one end alone
    // Atoms that have fewer neighbours than required:
    uint32_t *atoms, *index;
    double (*x)[3];
    size_t atoms_capacity, index_capacity, x_capacity;
    // All neighbours:
    struct neighbour *all, *sorted; // `atom` of `all` is the one that has the neighbour
    size_t count, capacity, sorted_capacity, *first, first_capacity;
    unsigned char *near; // [atoms of a group]
    size_t near_capacity;
    struct shell_atom *shell; // [count] of residues
    size_t shell_capacity;
    const uint32_t *part; // the residue of each atom of a group
};

static void free_work(void *memory) {
    struct work *w = memory;
    free(w->nearest);
    free(w->found);
    free(w->atoms);
    free(w->index);
    free(w->x);
    free(w->all);
    free(w->sorted);
    free(w->first);
    free(w->near);
    free(w->shell);
}

// Gets the search and the memory of an observable in this thread.
static int get_work(const struct obs_observable *o, struct obs_view *v, struct obs_contact_search **s, struct work **w,
                    struct trj_error *err) {
    if (!(*s = obs_contact_search_of(v, o, err))) return -1;
    return (*w = obs_view_scratch(v, o->argument, sizeof **w, free_work, err)) ? 0 : -1;
}

// -------------------------------------------------------------------------------------------------- tetrahedral order

static bool is_nearer(const struct neighbour *a, const struct neighbour *b) {
    return a->r2 < b->r2 || (a->r2 == b->r2 && a->atom < b->atom);
}

static void keep_nearest(struct work *w, uint32_t atom, const struct neighbour *n) {
    struct neighbour *nearest = w->nearest[atom];
    unsigned place = w->found[atom];
    if (place == NEAREST) {
        if (!is_nearer(n, &nearest[NEAREST - 1])) return;
        place--;
    } else {
        w->found[atom]++;
    }
    for (; place && is_nearer(n, &nearest[place - 1]); place--) nearest[place] = nearest[place - 1];
    nearest[place] = *n;
}

static int visit_nearest(void *arg, const struct obs_contact *c, struct trj_error *err) {
    struct work *w = arg;
    (void)err;
    uint32_t i = w->one_list ? (uint32_t)c->i : w->member[c->i], j = (uint32_t)c->j;
    keep_nearest(w, i, &(struct neighbour){j, {c->d[0], c->d[1], c->d[2]}, c->r2});
    if (w->one_list) keep_nearest(w, j, &(struct neighbour){i, {-c->d[0], -c->d[1], -c->d[2]}, c->r2});
    return 0;
}

// Lists the atoms of a group that have fewer neighbours than required, and discards their neighbours. Returns the
// number of these atoms.
static size_t list_incomplete(struct work *w, const struct obs_positions *p) {
    size_t n = 0;
    for (size_t i = 0; i < p->count; i++) {
        if (w->found[i] == NEAREST) continue;
        w->found[i] = 0;
        w->index[n] = (uint32_t)i;
        w->atoms[n] = p->atoms[i];
        memcpy(w->x[n++], p->x[i], sizeof *w->x);
    }
    return n;
}

// Returns a radius within which about ten atoms are expected if they fill the cell; 4 Å without one.
static double first_radius(const struct trj_frame *f, size_t atoms) {
    double volume = f->cell.periodic == TRJ_PERIODIC_ALL ? trj_cell_volume(&f->cell) : 0;
    return volume > 0 ? cbrt(10 * 3 * volume / (4 * 3.14159265358979323846 * (double)atoms)) : 4;
}

// Finds the nearest neighbours of all atoms: within a radius and, for those with too few, within larger ones. The
// images of an atom itself are no neighbours.
static int find_nearest(struct work *w, struct obs_contact_search *s, const struct trj_frame *f,
                        const struct obs_positions *p, struct trj_error *err) {
    size_t n = p->count;
    double radius = first_radius(f, n);
    if (trj_grow(&w->nearest, &w->nearest_capacity, n, sizeof *w->nearest, "neighbours", err) ||
        trj_grow(&w->found, &w->found_capacity, n, sizeof *w->found, "neighbours", err) ||
        trj_grow(&w->atoms, &w->atoms_capacity, n, sizeof *w->atoms, "neighbours", err) ||
        trj_grow(&w->index, &w->index_capacity, n, sizeof *w->index, "neighbours", err) ||
        trj_grow(&w->x, &w->x_capacity, n, sizeof *w->x, "neighbours", err))
        return -1;
    memset(w->found, 0, n);
    w->one_list = true;
    w->member = w->index;
    if (obs_contacts_visit(s, f, p, p, radius, visit_nearest, w, err)) return -1;
    w->one_list = false;
    for (size_t left; (left = list_incomplete(w, p));) {
        const struct obs_positions incomplete = {w->atoms, left, w->x};
        radius *= 2;
        if (obs_contacts_visit(s, f, &incomplete, p, radius, visit_nearest, w, err)) return -1;
    }
    return 0;
}

// Returns q of Errington, Debenedetti, Nature 409, 318 (2001).
static double tetrahedrality(const struct neighbour nearest[NEAREST]) {
    double sum = 0;
    for (int i = 0; i < NEAREST; i++)
        for (int j = i + 1; j < NEAREST; j++) {
            double off = trj_dot(nearest[i].d, nearest[j].d) / sqrt(nearest[i].r2 * nearest[j].r2) + 1.0 / 3;
            sum += off * off;
        }
    return 1 - 3.0 / 8 * sum;
}

// The atoms of a residue, or of the whole group.
struct members {
    const uint32_t *member; // [count] NULL: 0 to count - 1
    size_t count;
};

static struct members members_of(const struct obs_observable *o, size_t residue, const struct obs_positions *p) {
    const struct obs_division *d = o->division;
    if (!d) return (struct members){NULL, p->count};
    return (struct members){d->member + d->begin[residue], d->begin[residue + 1] - d->begin[residue]};
}

static void summarise_tetrahedrality(const struct work *w, struct members m, double value[3]) {
    double mean = 0, squares = 0, least = INFINITY;
    for (size_t i = 0; i < m.count; i++) {
        double q = tetrahedrality(w->nearest[m.member ? m.member[i] : i]), off = q - mean;
        mean += off / (double)(i + 1); // B. P. Welford, Technometrics 4, 419 (1962)
        squares += off * (q - mean);
        least = fmin(least, q);
    }
    value[0] = mean;
    value[1] = sqrt(squares / (double)m.count);
    value[2] = least;
}

static int compute_tetrahedrality(const struct obs_observable *o, struct obs_view *v, double *value,
                                  struct trj_error *err) {
    const struct trj_frame *f = obs_view_frame(v);
    const struct obs_positions *p;
    struct obs_contact_search *s;
    struct work *w;
    if (get_work(o, v, &s, &w, err) || obs_view_positions(v, o->argument[GROUP].selection, &p, err)) return -1;
    for (size_t k = 0; k < o->columns; k++) value[k] = NAN;
    if (p->count <= (f->cell.periodic ? 1 : NEAREST)) return 0;
    if (find_nearest(w, s, f, p, err)) return -1;
    for (size_t r = 0; r < obs_residue_count(o); r++) summarise_tetrahedrality(w, members_of(o, r, p), value + 3 * r);
    return 0;
}

// --------------------------------------------------------------------------------------- bond-orientational order

static int open_steinhardt(struct obs_observable *o, struct obs_system *s, struct trj_error *err) {
    (void)s;
    if (o->argument[SECOND].number > 0) return 0;
    return trj_fail(err, TRJ_USAGE, "the radius must be positive");
}

static int visit_all(void *arg, const struct obs_contact *c, struct trj_error *err) {
    struct work *w = arg;
    if (trj_grow(&w->all, &w->capacity, w->count + 2, sizeof *w->all, "neighbours", err)) return -1;
    w->all[w->count++] = (struct neighbour){(uint32_t)c->i, {c->d[0], c->d[1], c->d[2]}, c->r2};
    w->all[w->count++] = (struct neighbour){(uint32_t)c->j, {-c->d[0], -c->d[1], -c->d[2]}, c->r2};
    return 0;
}

// Sorts the neighbours by the atoms that have them: those of atom i begin at sorted[first[i]].
static int sort_neighbours(struct work *w, size_t atoms, struct trj_error *err) {
    if (trj_grow(&w->first, &w->first_capacity, atoms + 1, sizeof *w->first, "neighbours", err) ||
        trj_grow(&w->sorted, &w->sorted_capacity, w->count, sizeof *w->sorted, "neighbours", err))
        return -1;
    memset(w->first, 0, (atoms + 1) * sizeof *w->first);
    for (size_t i = 0; i < w->count; i++) w->first[w->all[i].atom]++;
    for (size_t i = 1; i <= atoms; i++) w->first[i] += w->first[i - 1];
    for (size_t i = w->count; i-- > 0;) w->sorted[--w->first[w->all[i].atom]] = w->all[i];
    return 0;
}

// Sets q_4 and q_6 of Steinhardt, Nelson, Ronchetti, Phys. Rev. B 28, 784 (1983), of an atom with n > 0 neighbours: by
// the addition theorem, q_l^2 = sum_jk P_l(cos g_jk) / n^2 with the angles g between the directions of neighbours.
static void steinhardt(const struct neighbour *neighbours, size_t n, double q[2]) {
    double sum4 = (double)n, sum6 = (double)n;
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++) {
            const struct neighbour *a = &neighbours[i], *b = &neighbours[j];
            double c = trj_dot(a->d, b->d), c2 = c * c / (a->r2 * b->r2), c4 = c2 * c2;
            sum4 += 2 * (35 * c4 - 30 * c2 + 3) / 8;
            sum6 += 2 * (231 * c4 * c2 - 315 * c4 + 105 * c2 - 5) / 16;
        }
    // Rounding can make a sum that is 0 negative.
    q[0] = sqrt(fmax(sum4, 0)) / (double)n;
    q[1] = sqrt(fmax(sum6, 0)) / (double)n;
}

static void summarise_steinhardt(const struct work *w, struct members m, double value[4]) {
    double sum[2] = {0, 0};
    size_t atoms = 0, neighbours = 0;
    for (size_t k = 0; k < m.count; k++) {
        double q[2];
        size_t i = m.member ? m.member[k] : k, n = w->first[i + 1] - w->first[i];
        if (!n) continue;
        steinhardt(w->sorted + w->first[i], n, q);
        sum[0] += q[0];
        sum[1] += q[1];
        neighbours += n;
        atoms++;
    }
    value[0] = sum[0] / (double)atoms;
    value[1] = sum[1] / (double)atoms;
    value[2] = m.count ? (double)neighbours / (double)m.count : NAN;
    value[3] = (double)(m.count - atoms);
}

static int compute_steinhardt(const struct obs_observable *o, struct obs_view *v, double *value,
                              struct trj_error *err) {
    const struct obs_positions *p;
    struct obs_contact_search *s;
    struct work *w;
    if (get_work(o, v, &s, &w, err) || obs_view_positions(v, o->argument[GROUP].selection, &p, err)) return -1;
    w->count = 0;
    if (obs_contacts_visit(s, obs_view_frame(v), p, p, o->argument[SECOND].number, visit_all, w, err) ||
        sort_neighbours(w, p->count, err))
        return -1;
    for (size_t r = 0; r < obs_residue_count(o); r++) summarise_steinhardt(w, members_of(o, r, p), value + 4 * r);
    return 0;
}

// --------------------------------------------------------------------------------------------------------------- shell

static int open_shell(struct obs_observable *o, struct obs_system *s, struct trj_error *err) {
    (void)s;
    if (o->argument[RADIUS].number > 0) return 0;
    return trj_fail(err, TRJ_USAGE, "the radius must be positive");
}

static int mark_near(void *arg, const struct obs_contact *c, struct trj_error *err) {
    (void)err;
    ((struct work *)arg)->near[c->j] = 1;
    return 0;
}

static int add_near(void *arg, const struct obs_contact *c, struct trj_error *err) {
    struct work *w = arg;
    if (trj_grow(&w->shell, &w->shell_capacity, w->count + 1, sizeof *w->shell, "neighbours", err)) return -1;
    w->shell[w->count++] = (struct shell_atom){w->part[c->i], (uint32_t)c->j};
    return 0;
}

static int compare_shell_atoms(const void *a, const void *b) {
    const struct shell_atom *x = a, *y = b;
    if (x->residue != y->residue) return x->residue < y->residue ? -1 : 1;
    return (x->atom > y->atom) - (x->atom < y->atom);
}

// Counts each atom once for each residue that is near it.
static void count_shells(const struct obs_observable *o, struct work *w, double *value) {
    if (w->count) qsort(w->shell, w->count, sizeof *w->shell, compare_shell_atoms);
    for (size_t i = 0; i < o->columns; i++) value[i] = 0;
    for (size_t i = 0; i < w->count; i++)
        if (!i || compare_shell_atoms(&w->shell[i], &w->shell[i - 1])) value[w->shell[i].residue]++;
}

static int compute_shell(const struct obs_observable *o, struct obs_view *v, double *value, struct trj_error *err) {
    const struct obs_argument *a = o->argument;
    const struct obs_division *d = o->division;
    const struct obs_positions *from, *to;
    struct obs_contact_search *s;
    struct work *w;
    size_t count = 0;
    if (get_work(o, v, &s, &w, err) || obs_view_positions(v, a[GROUP].selection, &from, err) ||
        obs_view_positions(v, a[SECOND].selection, &to, err) ||
        trj_grow(&w->near, &w->near_capacity, to->count, sizeof *w->near, "neighbours", err))
        return -1;
    memset(w->near, 0, to->count);
    w->count = 0;
    w->part = d ? d->parts.part : NULL;
    // A copy, because a list with itself gives each pair from one end alone
    const struct obs_positions other = *to;
    if (obs_contacts_visit(s, obs_view_frame(v), from, &other, a[RADIUS].number, d ? add_near : mark_near, w, err))
        return -1;
    if (d) {
        count_shells(o, w, value);
        return 0;
    }
    for (size_t i = 0; i < to->count; i++) count += w->near[i];
    *value = (double)count;
    return 0;
}

static const struct obs_column order[] = {{"mean", ""}, {"sd", ""}, {"min", ""}},
                               bonds[] = {{"q4", ""}, {"q6", ""}, {"neighbours", ""}, {"without", ""}},
                               number[] = {{"", ""}};

const struct obs_function obs_tetrahedrality = {
    .name = "tetrahedrality",
    .parameter = {{.name = "group", .kind = OBS_ATOMS}},
    .column = order,
    .columns = 3,
    .formula = "mean, standard deviation and minimum over the atoms of 1 - 3/8 sum (cos + 1/3)^2 over the six angles "
               "between the directions of the four nearest other atoms of the group (Errington, Debenedetti 2001)",
    .residues = OBS_RESIDUES_JOINT,
    .compute = compute_tetrahedrality,
};
const struct obs_function obs_steinhardt = {
    .name = "steinhardt",
    .parameter = {{.name = "group", .kind = OBS_ATOMS}, {.name = "radius", .kind = OBS_NUMBER}},
    .column = bonds,
    .columns = 4,
    .formula =
        "means over the atoms of q4 and q6 (Steinhardt, Nelson, Ronchetti 1983) of the other atoms of the group at r "
        "< radius (Angstrom), of all periodic images; mean number of these; number of atoms without any, which the "
        "means of q4 and q6 leave out",
    .residues = OBS_RESIDUES_JOINT,
    .open = open_steinhardt,
    .compute = compute_steinhardt,
};
const struct obs_function obs_shell = {
    .name = "shell",
    .parameter = {{.name = "a", .kind = OBS_ATOMS},
                  {.name = "b", .kind = OBS_ATOMS},
                  {.name = "radius", .kind = OBS_NUMBER}},
    .column = number,
    .columns = 1,
    .formula = "number of atoms of b with another atom of a, or an image of it, at r < radius (Angstrom)",
    .residues = OBS_RESIDUES_JOINT,
    .open = open_shell,
    .compute = compute_shell,
};
