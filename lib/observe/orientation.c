// SPDX-License-Identifier: MIT
// Orientation against an axis or a director: tilt of a group, and order parameters of vectors and of C-H bonds.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "functions.h"
#include "memory.h"
#include "nearest_image.h"
#include "superpose.h"
#include "system.h"
#include "vector_products.h"
#include "vectors.h"

enum { DIRECTOR = 3 }; // after the axes x, y and z
#define AXES "x y z"

// Returns (3 cos^2 - 1)/2 of the angle between a vector and axis k. NaN for a vector without length.
static double order(const double d[3], unsigned k) {
    return (3 * d[k] * d[k] / trj_dot(d, d) - 1) / 2;
}

// Sets v to the unit eigenvector of the largest eigenvalue of a symmetric matrix, xx, yy, zz, xy, xz, yz, with its
// largest component positive. Sets l to the eigenvalues, descending.
static void largest_eigenvector(const double t[6], double v[3], double l[3]) {
    double rotation[4][4], a[4][4] = {{t[0], t[3], t[4], 0}, {t[3], t[1], t[5], 0}, {t[4], t[5], t[2], 0}};
    int first = 0, sign = 0;
    trj_diagonalise(a, rotation);
    for (int k = 1; k < 3; k++)
        if (a[k][k] > a[first][first]) first = k;
    l[0] = a[first][first];
    l[1] = fmax(a[(first + 1) % 3][(first + 1) % 3], a[(first + 2) % 3][(first + 2) % 3]);
    l[2] = fmin(a[(first + 1) % 3][(first + 1) % 3], a[(first + 2) % 3][(first + 2) % 3]);
    for (int k = 1; k < 3; k++)
        if (fabs(rotation[k][first]) > fabs(rotation[sign][first])) sign = k;
    for (int k = 0; k < 3; k++) v[k] = rotation[sign][first] < 0 ? -rotation[k][first] : rotation[k][first];
}

static void add_square(double t[6], const double d[3], double weight) {
    for (int k = 0; k < 3; k++) t[k] += weight * d[k] * d[k];
    t[3] += weight * d[0] * d[1];
    t[4] += weight * d[0] * d[2];
    t[5] += weight * d[1] * d[2];
}

// ---------------------------------------------------------------------------------------------------------------- tilt

enum { GROUP, TILT_AXIS };

static int open_tilt(struct obs_observable *o, struct obs_system *s, struct trj_error *err) {
    return obs_system_need_whole(s, o->argument[GROUP].selection, err);
}

static int compute_tilt(const struct obs_observable *o, struct obs_view *v, double *value, struct trj_error *err) {
    const unsigned k = o->argument[TILT_AXIS].choice;
    const struct obs_positions *p;
    double c[3], t[6] = {0}, axis[3], l[3];
    if (obs_view_whole(v, o->argument[GROUP].selection, false, &p, err)) return -1;
    obs_centre(p, NULL, c);
    for (size_t i = 0; i < p->count; i++) {
        const double d[3] = {p->x[i][0] - c[0], p->x[i][1] - c[1], p->x[i][2] - c[2]};
        add_square(t, d, 1);
    }
    largest_eigenvector(t, axis, l);
    // An isotropic group has no long axis.
    *value = l[0] - l[1] > 1e-9 * l[0] ? atan2(hypot(axis[(k + 1) % 3], axis[(k + 2) % 3]), fabs(axis[k])) : NAN;
    *value *= 180 / 3.14159265358979323846;
    return 0;
}

// ------------------------------------------------------------------------------------------------------------------ p2

enum { FROM, TO, AXIS };

static const struct obs_column number[] = {{"", ""}}, degrees[] = {{"", "degrees"}},
                               directed[] = {{"S", ""}, {"x", ""}, {"y", ""}, {"z", ""}};

int obs_vectors_check(const struct obs_system *s, size_t a, size_t b, struct trj_error *err) {
    const struct obs_selection *from = &s->selection[a], *to = &s->selection[b];
    const uint32_t *molecule = s->header->molecule;
    if (from->dynamic || to->dynamic)
        return trj_fail(err, TRJ_USAGE, "the atoms of '%s' depend on the frame, so that they form no pairs",
                        from->dynamic ? from->text : to->text);
    if (from->count != to->count)
        return trj_fail(err, TRJ_USAGE, "'%s' selects %zu atoms, and '%s' %zu; vectors require equal numbers",
                        from->text, from->count, to->text, to->count);
    for (size_t i = 0; i < from->count; i++) {
        uint32_t one = from->atoms[i], other = to->atoms[i];
        if (one == other || (molecule && molecule[one] != molecule[other]))
            return trj_fail(err, TRJ_USAGE, "vector %zu is from atom %lu to atom %lu, which %s", i, (unsigned long)one,
                            (unsigned long)other, one == other ? "is the same" : "are in different molecules");
    }
    return 0;
}

static void choose_p2_columns(struct obs_observable *o) {
    if (o->argument[AXIS].choice < DIRECTOR) return;
    o->column = directed;
    o->columns = sizeof directed / sizeof *directed;
}

static int open_p2(struct obs_observable *o, struct obs_system *s, struct trj_error *err) {
    return obs_vectors_check(s, o->argument[FROM].selection, o->argument[TO].selection, err);
}

static int compute_p2(const struct obs_observable *o, struct obs_view *v, double *value, struct trj_error *err) {
    const struct obs_argument *a = o->argument;
    const struct obs_positions *from, *to;
    const struct trj_lattice *lattice;
    double sum = 0, t[6] = {0}, l[3];
    if (obs_view_lattice(v, &lattice, err) || obs_view_positions(v, a[FROM].selection, &from, err) ||
        obs_view_positions(v, a[TO].selection, &to, err))
        return -1;
    for (size_t i = 0; i < from->count; i++) {
        double d[3];
        for (int k = 0; k < 3; k++) d[k] = to->x[i][k] - from->x[i][k];
        trj_nearest_image(lattice, d);
        if (a[AXIS].choice < DIRECTOR)
            sum += order(d, a[AXIS].choice);
        else
            add_square(t, d, 1 / trj_dot(d, d));
    }
    value[0] = sum / (double)from->count;
    if (a[AXIS].choice < DIRECTOR) return 0;
    for (int k = 0; k < 6; k++) t[k] = (3 * t[k] / (double)from->count - (k < 3)) / 2;
    bool defined = true;
    for (int k = 0; k < 6; k++) defined = defined && isfinite(t[k]);
    largest_eigenvector(t, value + 1, l);
    value[0] = l[0];
    for (int k = 0; !defined && k < 4; k++) value[k] = NAN;
    return 0;
}

// ----------------------------------------------------------------------------------------------------------- C-H bonds

enum { SCD_AXIS = 1, HYDROGEN = 1, CARBON = 6 };

struct bonds {
    uint32_t (*bond)[2]; // [count] carbon and hydrogen, ascending
    size_t count;
};

static void close_scd(struct obs_observable *o) {
    struct bonds *b = o->own;
    if (!b) return;
    free(b->bond);
    free(b);
}

static int compare_bonds(const void *a, const void *b) {
    const uint32_t *x = a, *y = b;
    if (x[0] != y[0]) return x[0] < y[0] ? -1 : 1;
    return (x[1] > y[1]) - (x[1] < y[1]);
}

static int open_scd(struct obs_observable *o, struct obs_system *s, struct trj_error *err) {
    const struct trj_stream_header *h = s->header;
    const struct obs_selection *one = &s->selection[o->argument[GROUP].selection];
    struct bonds *b = o->own = trj_alloc(1, sizeof *b, "bonds", err);
    if (!b) return -1;
    if (!h->bond || !h->element)
        return trj_fail(err, TRJ_BAD_DATA,
                        "the stream has no %s, by which C-H bonds are found; give a topology that has them, such as a "
                        "TPR, PSF or prmtop file: trjcat -t FILE",
                        h->bond ? "elements" : "bonds");
    bool *member = trj_alloc(h->atoms, sizeof *member, "atoms", err);
    b->bond = trj_alloc(h->bond_count, sizeof *b->bond, "bonds", err);
    for (size_t i = 0; member && b->bond && i < one->count; i++) member[one->atoms[i]] = true;
    for (size_t i = 0; member && b->bond && i < 2 * h->bond_count; i++) {
        uint32_t carbon = h->bond[i / 2][i % 2], hydrogen = h->bond[i / 2][1 - i % 2];
        if (carbon >= h->atoms || hydrogen >= h->atoms || !member[carbon]) continue;
        if (h->element[carbon] != CARBON || h->element[hydrogen] != HYDROGEN) continue;
        b->bond[b->count][0] = carbon;
        b->bond[b->count++][1] = hydrogen;
    }
    bool done = member && b->bond;
    free(member);
    if (!done) return -1;
    if (!b->count)
        return trj_fail(err, TRJ_BAD_DATA,
                        "no carbon of '%s' has a bond to a hydrogen of the stream; the stream must contain the "
                        "hydrogens, too: trjcat -g; united atoms have none",
                        one->text);
    qsort(b->bond, b->count, sizeof *b->bond, compare_bonds);
    return 0;
}

// Returns the number of the first bond of this carbon or of a later one.
static size_t first_bond(const struct bonds *b, uint32_t carbon) {
    size_t low = 0, high = b->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (b->bond[middle][0] < carbon)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int compute_scd(const struct obs_observable *o, struct obs_view *v, double *value, struct trj_error *err) {
    const struct bonds *b = o->own;
    const struct trj_frame *f = obs_view_frame(v);
    const struct obs_positions *p;
    const struct trj_lattice *lattice;
    double sum = 0;
    size_t count = 0;
    if (obs_view_lattice(v, &lattice, err) || obs_view_positions(v, o->argument[GROUP].selection, &p, err)) return -1;
    size_t next = p->count ? first_bond(b, p->atoms[0]) : 0;
    for (size_t i = 0; i < p->count; i++) {
        while (next < b->count && b->bond[next][0] < p->atoms[i]) next++;
        for (; next < b->count && b->bond[next][0] == p->atoms[i]; next++, count++) {
            double d[3];
            for (int k = 0; k < 3; k++) d[k] = (double)f->x[k][b->bond[next][1]] * f->unit - p->x[i][k];
            trj_nearest_image(lattice, d);
            sum += order(d, o->argument[SCD_AXIS].choice);
        }
    }
    *value = sum / (double)count;
    return 0;
}

const struct obs_function obs_tilt = {
    .name = "tilt",
    .parameter = {{.name = "group", .kind = OBS_ATOMS},
                  {.name = "axis", .kind = OBS_CHOICE, .standard = "z", .choices = AXES}},
    .column = degrees,
    .columns = 1,
    .formula =
        "angle, 0 to 90 degrees, between the axis and the long axis of the group, the eigenvector of the largest "
        "eigenvalue of its gyration tensor without masses",
    .residues = OBS_RESIDUES_SINGLE,
    .open = open_tilt,
    .compute = compute_tilt,
};
const struct obs_function obs_p2 = {
    .name = "p2",
    .parameter = {{.name = "from", .kind = OBS_ATOMS},
                  {.name = "to", .kind = OBS_ATOMS},
                  {.name = "axis", .kind = OBS_CHOICE, .standard = "z", .choices = AXES " director"}},
    .column = number,
    .columns = 1,
    .formula = "mean of (3 cos^2 - 1)/2 of the angles between the axis and the vectors from each atom of the first "
               "group to that of the second one; director: largest eigenvalue S of the mean of (3 u u^T - 1)/2 of the "
               "unit vectors u, and its eigenvector",
    .residues = OBS_RESIDUES_PAIRED,
    .choose_columns = choose_p2_columns,
    .open = open_p2,
    .compute = compute_p2,
};
const struct obs_function obs_scd = {
    .name = "scd",
    .parameter = {{.name = "group", .kind = OBS_ATOMS},
                  {.name = "axis", .kind = OBS_CHOICE, .standard = "z", .choices = AXES}},
    .column = number,
    .columns = 1,
    .formula = "mean of (3 cos^2 - 1)/2 of the angles between the axis and all C-H bonds of carbons of the group",
    .residues = OBS_RESIDUES_SINGLE,
    .carry = "element",
    .open = open_scd,
    .compute = compute_scd,
    .close = close_scd,
};
