// SPDX-License-Identifier: MIT
// Finds the molecules of a group once and their axes in each frame, because angles and maps refer to the same axes.
#include "bodies.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "nearest_image.h"
#include "property.h"
#include "superpose.h"

// ---- the description

enum { MAX_FIELDS = 4 };

struct description {
    enum trj_body_kind kind;
    size_t groups;
    char name[3][TRJ_GROUP_NAME_MAX + 1];
};

static int describe(struct description *d, const char *text, struct trj_error *err) {
    const char *field[MAX_FIELDS + 1] = {text};
    size_t n = 1, length[MAX_FIELDS] = {0};
    for (const char *c = text; *c && n <= MAX_FIELDS; c++)
        if (*c == ':') field[n++] = c + 1;
    bool valid = n <= MAX_FIELDS, principal, bisector;
    for (size_t i = 0; valid && i < n; i++)
        length[i] = i + 1 < n ? (size_t)(field[i + 1] - field[i] - 1) : strlen(field[i]);
    principal = valid && n == 2 && !strncmp(text, "principal:", strlen("principal:"));
    bisector = valid && n == 4 && !strncmp(text, "bisector:", strlen("bisector:"));
    valid = principal || bisector || (valid && n == 3);
    size_t first = principal || bisector ? 1 : 0;
    d->kind = principal ? TRJ_BODY_PRINCIPAL : bisector ? TRJ_BODY_BISECTOR : TRJ_BODY_POINTS;
    d->groups = valid ? n - first : 0;
    for (size_t i = 0; i < d->groups; i++) {
        size_t bytes = length[first + i];
        if (!bytes || bytes > TRJ_GROUP_NAME_MAX) {
            valid = false;
            break;
        }
        memcpy(d->name[i], field[first + i], bytes);
        d->name[i][bytes] = 0;
    }
    if (valid) return 0;
    return trj_fail(err, TRJ_USAGE,
                    "--body: invalid value '%s': expected the groups of three atoms of a molecule, as O:H:H or "
                    "bisector:O:H:H, or principal: and a group",
                    text);
}

int trj_bodies_check(const char *text, struct trj_error *err) {
    struct description d;
    return describe(&d, text, err);
}

static int find_group(uint32_t *group, const char *name, const struct trj_stream_header *h, struct trj_error *err) {
    for (size_t g = 0; g < h->group_count; g++) {
        if (strcmp(h->groups[g].name, name) != 0) continue;
        *group = (uint32_t)g;
        if (!h->groups[g].dynamic) return 0;
        return trj_fail(err, TRJ_USAGE,
                        "--body: the members of group %s change, so that the axes of a molecule would follow from "
                        "different atoms in each frame; give a group of the same atoms in all frames",
                        name);
    }
    return trj_fail(err, TRJ_USAGE, "--body: the stream has no group %s; add it with trjcat -g '%s=...'", name, name);
}

// ---- molecules

uint32_t trj_bodies_number(const struct trj_bodies *b, uint32_t atom) {
    const struct trj_stream_header *h = b->header;
    return h->number && atom < h->atoms - h->centres ? h->number[atom] : atom;
}

static int by_value(const void *x, const void *y) {
    const uint64_t *a = x, *b = y;
    return *a < *b ? -1 : *a > *b;
}

// Lists the atoms of a group as molecule << 32 | atom, ascending.
static uint64_t *list_atoms(const struct trj_group *g, const uint32_t *molecule, struct trj_error *err) {
    uint64_t *keys = trj_alloc(g->count, sizeof *keys, "molecules", err);
    for (size_t i = 0; keys && i < g->count; i++) keys[i] = (uint64_t)molecule[g->atoms[i]] << 32 | g->atoms[i];
    if (keys) qsort(keys, g->count, sizeof *keys, by_value);
    return keys;
}

static int fail_atoms(const struct trj_bodies *b, uint32_t group, size_t found, size_t expected, uint32_t atom,
                      struct trj_error *err) {
    return trj_fail(
        err, TRJ_BAD_DATA,
        "--body: group %s has %zu atom%s of the molecule of atom %lu, expected %zu; select the same atoms of "
        "each molecule",
        b->header->groups[group].name, found, found == 1 ? "" : "s", (unsigned long)trj_bodies_number(b, atom),
        expected);
}

// The atoms of the groups a, b, c by molecule, and how many of them each molecule must have.
struct lists {
    uint64_t *keys[3];
    size_t next[3], count[3], expected[3];
};

// Takes the atoms of the next molecule that is in all lists. Returns the number of atoms, or 0 at the end.
static int take_molecule(struct trj_bodies *b, struct lists *l, uint32_t *molecule, bool *more, struct trj_error *err) {
    uint64_t min = UINT64_MAX;
    for (int p = 0; p < 3; p++)
        if (l->next[p] < l->count[p] && l->keys[p][l->next[p]] < min) min = l->keys[p][l->next[p]];
    *more = min != UINT64_MAX;
    if (!*more) return 0;
    *molecule = (uint32_t)(min >> 32);
    for (int p = 0; p < 3; p++) {
        const uint64_t *keys = l->keys[p] + l->next[p];
        size_t found = 0, before = 0;
        while (l->next[p] + found < l->count[p] && keys[found] >> 32 == *molecule) found++;
        if (found != l->expected[p]) return fail_atoms(b, b->group[p], found, l->expected[p], (uint32_t)min, err);
        for (int earlier = 0; earlier < p; earlier++) before += b->group[earlier] == b->group[p];
        b->atom[3 * b->count + (size_t)p] = (uint32_t)keys[before];
        l->next[p] += found;
    }
    b->count++;
    b->begin[b->count] = 3 * b->count;
    return 0;
}

static int find_points(struct trj_bodies *b, const uint32_t *molecule, uint32_t **number, struct trj_error *err) {
    struct lists l = {.next = {0}};
    const struct trj_group *groups = b->header->groups;
    size_t max = 0;
    bool more = true;
    int rc = 0;
    for (int p = 0; p < 3 && !rc; p++) {
        const struct trj_group *g = &groups[b->group[p]];
        for (int q = 0; q < 3; q++) l.expected[p] += b->group[q] == b->group[p];
        l.count[p] = g->count;
        if (g->count > max) max = g->count;
        rc = (l.keys[p] = list_atoms(g, molecule, err)) ? 0 : -1;
    }
    if (!rc) {
        b->atom = trj_alloc(3 * max + 3, sizeof *b->atom, "molecules", err);
        b->begin = b->atom ? trj_alloc(max + 2, sizeof *b->begin, "molecules", err) : NULL;
        *number = b->begin ? trj_alloc(max + 1, sizeof **number, "molecules", err) : NULL;
        rc = *number ? 0 : -1;
    }
    while (!rc && more) rc = take_molecule(b, &l, &(*number)[b->count], &more, err);
    for (int p = 0; p < 3; p++) free(l.keys[p]);
    return rc;
}

static int find_members(struct trj_bodies *b, const uint32_t *molecule, uint32_t **number, struct trj_error *err) {
    const struct trj_group *g = &b->header->groups[b->group[0]];
    uint64_t *keys = list_atoms(g, molecule, err);
    b->atom = keys ? trj_alloc(g->count, sizeof *b->atom, "molecules", err) : NULL;
    b->begin = b->atom ? trj_alloc(g->count + 1, sizeof *b->begin, "molecules", err) : NULL;
    *number = b->begin ? trj_alloc(g->count, sizeof **number, "molecules", err) : NULL;
    for (size_t i = 0; *number && i < g->count; i++) {
        b->atom[i] = (uint32_t)keys[i];
        if (!i || keys[i] >> 32 != keys[i - 1] >> 32) (*number)[b->count++] = (uint32_t)(keys[i] >> 32);
        b->begin[b->count] = i + 1;
    }
    free(keys);
    return *number ? 0 : -1;
}

// Sets the body of each atom; number[count] ascends.
static int assign(struct trj_bodies *b, const uint32_t *molecule, const uint32_t *number, struct trj_error *err) {
    b->body_of_atom = trj_alloc(b->header->atoms, sizeof *b->body_of_atom, "molecules", err);
    for (size_t i = 0; b->body_of_atom && i < b->header->atoms; i++) {
        size_t low = 0, high = b->count;
        while (high > low + 1) {
            size_t middle = low + (high - low) / 2;
            if (number[middle] <= molecule[i])
                low = middle;
            else
                high = middle;
        }
        b->body_of_atom[i] = high && number[low] == molecule[i] ? (uint32_t)low : TRJ_NO_BODY;
    }
    return b->body_of_atom ? 0 : -1;
}

int trj_bodies_open(struct trj_bodies *b, const char *text, const struct trj_stream_header *h, struct trj_error *err) {
    struct description d;
    uint32_t *number = NULL;
    *b = (struct trj_bodies){.header = h};
    if (describe(&d, text, err)) return -1;
    b->kind = d.kind;
    for (size_t i = 0; i < d.groups; i++)
        if (find_group(&b->group[i], d.name[i], h, err)) return -1;
    const uint32_t *molecule = h->molecule ? h->molecule : h->residue;
    if (h->open_system || !molecule)
        return trj_fail(err, TRJ_BAD_DATA,
                        "--body: %s, so that molecules are unknown; give trjcat a topology with bonds or residues (-t)",
                        h->open_system ? "the number of atoms changes" : "the stream has neither bonds nor residues");
    bool principal = d.kind == TRJ_BODY_PRINCIPAL;
    if (principal && trj_property_require(h, "mass", &h->groups[b->group[0]], &b->mass, err))
        return trj_fail_at(err, "--body");
    int rc = (principal ? find_members : find_points)(b, molecule, &number, err) || assign(b, molecule, number, err);
    free(number);
    if (rc) return -1;
    b->axis = trj_alloc(b->count, sizeof *b->axis, "molecules", err);
    b->origin = b->axis ? trj_alloc(b->count, sizeof *b->origin, "molecules", err) : NULL;
    return b->origin ? 0 : -1;
}

void trj_bodies_free(struct trj_bodies *b) {
    free(b->body_of_atom);
    free(b->begin);
    free(b->atom);
    free(b->axis);
    free(b->origin);
    *b = (struct trj_bodies){.header = NULL};
}

// ---- axes

static void normalise(double v[3]) {
    double length = trj_norm(v);
    for (int k = 0; k < 3; k++) v[k] /= length;
}

// Sets d to the shortest image of the vector between two atoms.
static void between(double d[3], const struct trj_frame *f, const struct trj_lattice *l, uint32_t from, uint32_t to) {
    for (int k = 0; k < 3; k++) d[k] = (double)f->x[k][to] * f->unit - (double)f->x[k][from] * f->unit;
    trj_nearest_image(l, d);
}

static int fail_axes(const struct trj_bodies *b, size_t body, const char *why, struct trj_error *err) {
    return trj_fail(err, TRJ_BAD_DATA, "--body: the molecule of atom %lu has no axes: %s",
                    (unsigned long)trj_bodies_number(b, b->atom[b->begin[body]]), why);
}

static int place_points(struct trj_bodies *b, size_t body, const struct trj_frame *f, const struct trj_lattice *l,
                        struct trj_error *err) {
    const uint32_t *atom = b->atom + b->begin[body];
    double(*axis)[3] = b->axis[body], arm[2][3];
    for (int k = 0; k < 2; k++) {
        between(arm[k], f, l, atom[0], atom[k + 1]);
        if (!(trj_dot(arm[k], arm[k]) > 0))
            return fail_axes(b, body, "two of its three atoms are at the same position; give other atoms", err);
        normalise(arm[k]);
    }
    trj_cross(arm[0], arm[1], axis[2]);
    if (!(trj_dot(axis[2], axis[2]) >= TRJ_BODY_MIN * TRJ_BODY_MIN))
        return fail_axes(b, body, "its three atoms lie on a line; give other atoms", err);
    normalise(axis[2]);
    for (int k = 0; k < 3; k++) axis[0][k] = arm[0][k] + (b->kind == TRJ_BODY_BISECTOR ? arm[1][k] : 0);
    normalise(axis[0]);
    trj_cross(axis[2], axis[0], axis[1]);
    normalise(axis[1]);
    for (int k = 0; k < 3; k++) b->origin[body][k] = (double)f->x[k][atom[0]] * f->unit;
    return 0;
}

// Adds the vectors between successive atoms up to atom `to` of the list.
static void step(double x[3], const struct trj_frame *f, const struct trj_lattice *l, const uint32_t *atom, size_t to) {
    double d[3];
    if (!to) return;
    between(d, f, l, atom[to - 1], atom[to]);
    for (int k = 0; k < 3; k++) x[k] += d[k];
}

// Reverses an axis if the atom that determines its sign (bodies.h) has a negative coordinate along it.
static void set_sign(double axis[3], const struct trj_bodies *b, size_t body, const struct trj_frame *f,
                     const struct trj_lattice *l) {
    const uint32_t *atom = b->atom + b->begin[body];
    double farthest = 0;
    for (int pass = 0; pass < 2; pass++) {
        double x[3] = {0};
        for (int k = 0; k < 3; k++) x[k] = (double)f->x[k][atom[0]] * f->unit - b->origin[body][k];
        for (size_t i = 0; i < b->begin[body + 1] - b->begin[body]; i++) {
            step(x, f, l, atom, i);
            double along = trj_dot(x, axis);
            if (!pass && fabs(along) > farthest) farthest = fabs(along);
            if (!pass || fabs(along) < farthest / 4) continue;
            for (int k = 0; k < 3 && along < 0; k++) axis[k] = -axis[k];
            return;
        }
    }
}

static int place_principal(struct trj_bodies *b, size_t body, const struct trj_frame *f, const struct trj_lattice *l,
                           struct trj_error *err) {
    const uint32_t *atom = b->atom + b->begin[body];
    size_t n = b->begin[body + 1] - b->begin[body];
    double x[3] = {0}, centre[3] = {0}, mass = 0, moment[4][4] = {{0}}, v[4][4];
    for (size_t i = 0; i < n; i++) {
        step(x, f, l, atom, i);
        for (int k = 0; k < 3; k++) centre[k] += b->mass[atom[i]] * x[k];
        mass += b->mass[atom[i]];
    }
    if (!(mass > 0)) return fail_axes(b, body, "its atoms have no mass; give trjcat masses (-t, --carry mass)", err);
    for (int k = 0; k < 3; k++) {
        centre[k] /= mass;
        x[k] = -centre[k];
        b->origin[body][k] = (double)f->x[k][atom[0]] * f->unit + centre[k];
    }
    for (size_t i = 0; i < n; i++) {
        step(x, f, l, atom, i);
        for (int k = 0; k < 9; k++) moment[k / 3][k % 3] += b->mass[atom[i]] * (x[k / 3] * x[k % 3]);
    }
    trj_diagonalise(moment, v);
    // The moment of inertia about an axis is the sum of the second moments along the two others.
    int order[3] = {0, 1, 2};
    for (int pass = 0; pass < 3; pass++) {
        int k = pass % 2;
        if (moment[order[k]][order[k]] >= moment[order[k + 1]][order[k + 1]]) continue;
        int first = order[k];
        order[k] = order[k + 1];
        order[k + 1] = first;
    }
    double s[3];
    for (int k = 0; k < 3; k++) s[k] = moment[order[k]][order[k]];
    double min = TRJ_BODY_MIN * (s[0] + s[1]);
    if (!(s[0] - s[1] > min && s[1] - s[2] > min))
        return fail_axes(b, body,
                         "two principal moments of inertia are equal, as in a symmetric or linear molecule; give three "
                         "atoms instead",
                         err);
    for (int a = 0; a < 2; a++) {
        double *axis = b->axis[body][a];
        for (int k = 0; k < 3; k++) axis[k] = v[k][order[a]];
        normalise(axis);
        set_sign(axis, b, body, f, l);
    }
    trj_cross(b->axis[body][0], b->axis[body][1], b->axis[body][2]);
    normalise(b->axis[body][2]);
    return 0;
}

int trj_bodies_place(struct trj_bodies *b, const struct trj_frame *f, struct trj_error *err) {
    struct trj_lattice l;
    if (trj_lattice_make(&l, &f->cell, err)) return -1;
    for (size_t i = 0; i < b->count; i++)
        if ((b->kind == TRJ_BODY_PRINCIPAL ? place_principal : place_points)(b, i, f, &l, err)) return -1;
    return 0;
}
