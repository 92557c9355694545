// SPDX-License-Identifier: MIT
// Hydrogen bonds by the geometric criteria of common programs. These give numbers that differ by a factor of four for
// one frame, so that a user must name the criterion.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bonded_pairs.h"
#include "contact_search.h"
#include "division.h"
#include "functions.h"
#include "memory.h"
#include "number.h"
#include "system.h"

enum { A, B, CRITERION };
enum { NITROGEN = 7, OXYGEN = 8 };

// A bond D-H...A. The programs use their limits in different ways.
struct criterion {
    const char *name;
    bool of_hydrogen;     // the distance is r(HA), not r(DA)
    double distance;      // Å
    bool distance_may_be; // the limit itself is allowed
    bool at_donor;        // the angle is H-D-A, which has a largest value, not D-H-A, which has a smallest one
    double angle;         // degrees
    bool angle_may_be;
    double bend; // Å per square degree of H-D-A by which the largest distance is shorter; the angle has no limit then
};

// Sources: gmx hbond (GROMACS manual); HydrogenBondAnalysis (MDAnalysis); baker_hubbard and wernet_nilsson (mdtraj;
// Baker, Hubbard 1984; Wernet et al. 2004); hbond (Amber manual); measure hbonds (VMD User's Guide).
static const struct criterion criteria[] = {
    {.name = "gmx", .distance = 3.5, .distance_may_be = true, .at_donor = true, .angle = 30, .angle_may_be = true},
    {.name = "mda", .distance = 3.0, .angle = 150},
    {.name = "baker-hubbard", .of_hydrogen = true, .distance = 2.5, .angle = 120},
    {.name = "wernet", .distance = 3.3, .at_donor = true, .bend = 0.00044},
    {.name = "cpptraj", .distance = 3.0, .distance_may_be = true, .angle = 135, .angle_may_be = true},
    {.name = "vmd", .distance = 3.0, .distance_may_be = true, .angle = 160},
};
enum { CRITERIA = sizeof criteria / sizeof *criteria };

struct hbonds {
    struct criterion criterion;
    char formula[500];
    unsigned char *role;        // [atoms] bits
    uint32_t *part;             // [atoms] residues of the first group, if it is divided; NO_PART: not in the group
    uint32_t *first, *hydrogen; // the hydrogens of atom i are hydrogen[first[i]] to hydrogen[first[i + 1] - 1]
};
enum { DONOR = 1, ACCEPTOR = 2 };
#define NO_PART UINT32_MAX

// ------------------------------------------------------------------------------------------------------------ criteria

static int parse_criterion(struct criterion *c, const char *text, struct trj_error *err) {
    char distance[32];
    size_t n = strcspn(text, ":");
    for (int i = 0; i < CRITERIA; i++)
        if (!strcmp(criteria[i].name, text)) {
            *c = criteria[i];
            return 0;
        }
    *c = (struct criterion){.distance_may_be = true, .angle_may_be = true};
    if (n < sizeof distance && text[n]) {
        memcpy(distance, text, n);
        distance[n] = 0;
        bool numbers = trj_parse_real(distance, &c->distance) && trj_parse_real(text + n + 1, &c->angle);
        c->at_donor = c->angle < 90;
        if (numbers && c->distance > 0 && c->angle >= 0 && c->angle <= 180) return 0;
    }
    return trj_fail(
        err, TRJ_USAGE,
        "'%s' is no criterion of hydrogen bonds; use gmx, mda, baker-hubbard, wernet, cpptraj, vmd, or "
        "R:ANGLE, the largest distance of donor and acceptor in Angstrom with the largest angle H-D-A (below "
        "90 degrees) or the smallest angle D-H-A",
        text);
}

static int check_criterion(const char *text, struct trj_error *err) {
    struct criterion c;
    return parse_criterion(&c, text, err);
}

static void describe_criterion(char *text, size_t size, const struct criterion *c) {
    char angle[60];
    if (c->bend > 0)
        snprintf(angle, sizeof angle, " - %g (angle H-D-A in degrees)^2", c->bend);
    else
        snprintf(angle, sizeof angle, ", angle %s %s%s %g degrees", c->at_donor ? "H-D-A" : "D-H-A",
                 c->at_donor ? "<" : ">", c->angle_may_be ? "=" : "", c->angle);
    snprintf(text, size,
             "number of hydrogen bonds D-H...A between a and b, in both directions, of all periodic images: %s %s%s %g "
             "Angstrom%s; D: N or O with a bond to H; A: N or O",
             c->of_hydrogen ? "r(HA)" : "r(DA)", "<", c->distance_may_be ? "=" : "", c->distance, angle);
}

// Returns the angle between two vectors in degrees.
static double angle_of(const double a[3], const double b[3]) {
    double c[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
    return atan2(sqrt(trj_dot(c, c)), trj_dot(a, b)) * (180 / 3.14159265358979323846);
}

// `dh` and `da` are the vectors from the donor to the hydrogen and to the acceptor; r2 is the square of the distance
// that has a limit.
static bool is_bond(const struct criterion *c, const double dh[3], const double da[3], double r2) {
    double limit = c->distance;
    if (c->bend > 0) {
        double angle = angle_of(dh, da);
        limit -= c->bend * angle * angle;
        return limit > 0 && r2 < limit * limit;
    }
    if (r2 > limit * limit || (r2 == limit * limit && !c->distance_may_be)) return false;
    const double hd[3] = {-dh[0], -dh[1], -dh[2]}, ha[3] = {da[0] - dh[0], da[1] - dh[1], da[2] - dh[2]};
    double angle = c->at_donor ? angle_of(dh, da) : angle_of(hd, ha);
    if (angle == c->angle) return c->angle_may_be;
    return c->at_donor ? angle < c->angle : angle > c->angle;
}

// ---------------------------------------------------------------------------------------------------------------- open

static void close_hbonds(struct obs_observable *o) {
    struct hbonds *b = o->own;
    if (!b) return;
    free(b->role);
    free(b->part);
    free(b->first);
    free(b->hydrogen);
    free(b);
}

static bool is_polar(const struct trj_stream_header *h, uint32_t atom) {
    return h->element[atom] == NITROGEN || h->element[atom] == OXYGEN;
}

// Lists the hydrogens of each donor, in the order of the bonds.
static int list_hydrogens(struct hbonds *b, const struct trj_stream_header *h, struct trj_error *err) {
    if (!(b->role = trj_alloc(h->atoms, sizeof *b->role, "hydrogen bonds", err)) ||
        !(b->first = trj_alloc(h->atoms + 2, sizeof *b->first, "hydrogen bonds", err)) ||
        !(b->hydrogen = trj_alloc(h->bond_count, sizeof *b->hydrogen, "hydrogen bonds", err)))
        return -1;
    for (size_t i = 0; i < h->atoms; i++)
        if (is_polar(h, (uint32_t)i)) b->role[i] = ACCEPTOR;
    // The numbers are counted two places further, so that filling moves the starts to their places.
    for (int fill = 0; fill < 2; fill++) {
        for (size_t i = 0; i < h->bond_count; i++)
            for (int end = 0; end < 2; end++) {
                uint32_t donor = h->bond[i][end], other = h->bond[i][1 - end];
                if (donor >= h->atoms || other >= h->atoms || h->element[other] != 1 || !is_polar(h, donor)) continue;
                b->role[donor] |= DONOR;
                if (fill)
                    b->hydrogen[b->first[donor + 1]++] = other;
                else
                    b->first[donor + 2]++;
            }
        for (size_t i = 2; !fill && i < h->atoms + 2; i++) b->first[i] += b->first[i - 1];
    }
    return 0;
}

static int check_group(const struct hbonds *b, const struct trj_stream_header *h, const struct obs_selection *one,
                       bool *donors, struct trj_error *err) {
    for (size_t i = 0; i < one->count; i++) {
        uint32_t atom = one->atoms[i];
        *donors |= b->role[atom] & DONOR;
        if (h->element[atom] || atom >= h->atoms - h->centres || trj_stream_is_site(h, atom)) continue;
        return trj_fail(err, TRJ_BAD_DATA,
                        "the element of atom %lu of the stream is unknown; give a topology with elements: trjcat -t "
                        "FILE",
                        (unsigned long)atom);
    }
    return 0;
}

static int list_parts(struct hbonds *b, const struct obs_division *d, const struct trj_stream_header *h,
                      const struct obs_selection *one, struct trj_error *err) {
    if (!(b->part = trj_alloc(h->atoms, sizeof *b->part, "hydrogen bonds", err))) return -1;
    for (size_t i = 0; i < h->atoms; i++) b->part[i] = NO_PART;
    for (size_t i = 0; i < one->count; i++) b->part[one->atoms[i]] = d->parts.part[i];
    return 0;
}

// Adds the numbers of donors, hydrogens and acceptors of both groups to the formula, by which hydrogens that the stream
// lacks are noticed.
static int describe_atoms(struct hbonds *b, const struct obs_observable *o, const struct obs_system *s,
                          struct trj_error *err) {
    const struct trj_stream_header *h = s->header;
    size_t donors = 0, hydrogens = 0, acceptors = 0, n = strlen(b->formula);
    bool *member = trj_alloc(h->atoms, sizeof *member, "atoms", err);
    if (!member) return -1;
    for (int i = 0; i < 2; i++) {
        const struct obs_selection *one = &s->selection[o->argument[A + i].selection];
        for (size_t k = 0; k < one->count; k++) member[one->atoms[k]] = true;
    }
    for (size_t i = 0; i < h->atoms; i++) {
        if (!member[i]) continue;
        donors += b->role[i] & DONOR ? 1 : 0;
        acceptors += b->role[i] & ACCEPTOR ? 1 : 0;
        hydrogens += b->first[i + 1] - b->first[i];
    }
    free(member);
    snprintf(b->formula + n, sizeof b->formula - n, "; %zu donors with %zu hydrogens in the stream, %zu acceptors",
             donors, hydrogens, acceptors);
    return 0;
}

static int open_hbonds(struct obs_observable *o, struct obs_system *s, struct trj_error *err) {
    const struct trj_stream_header *h = s->header;
    bool donors = false;
    struct hbonds *b = o->own = trj_alloc(1, sizeof *b, "hydrogen bonds", err);
    if (!b || parse_criterion(&b->criterion, o->argument[CRITERION].text, err)) return -1;
    describe_criterion(b->formula, sizeof b->formula, &b->criterion);
    o->formula = b->formula;
    if (!h->bond || !h->element)
        return trj_fail(
            err, TRJ_BAD_DATA,
            "the stream has no %s, by which donors are found; give a topology that has them, such as a TPR, "
            "PSF or prmtop file: trjcat -t FILE",
            h->bond ? "elements" : "bonds");
    if (list_hydrogens(b, h, err) ||
        (o->division && list_parts(b, o->division, h, &s->selection[o->argument[A].selection], err)))
        return -1;
    for (int i = 0; i < 2; i++)
        if (check_group(b, h, &s->selection[o->argument[A + i].selection], &donors, err)) return -1;
    if (donors) return describe_atoms(b, o, s, err);
    return trj_fail(err, TRJ_BAD_DATA,
                    "no N or O of '%s' and '%s' has a bond to a hydrogen of the stream; the stream must contain the "
                    "hydrogens, too: trjcat -g",
                    o->argument[A].text, o->argument[B].text);
}

// ------------------------------------------------------------------------------------------------------------- compute

struct list {
    uint32_t *atoms, *donor; // [count] the atoms, and the donors to which they belong
    double (*x)[3];          // Å
    size_t count, capacity, donor_capacity, x_capacity;
};

// Memory of a thread.
struct work {
    const struct hbonds *bonds;
    const struct trj_frame *f;
    const struct trj_lattice *lattice;
    unsigned char *member; // [atoms] bits: in a, in b
    struct list from, acceptors;
    bool again;    // bonds from donors of a to acceptors of b were counted before
    bool one_list; // a and b are the same
    uint64_t count;
    double *value;          // of residues, if a is divided
    obs_hbond_visit *visit; // NULL: bonds are only counted
    void *arg;
};
enum { IN_A = 1, IN_B = 2 };

static void free_list(struct list *l) {
    free(l->atoms);
    free(l->donor);
    free(l->x);
}

static void free_work(void *memory) {
    struct work *w = memory;
    free(w->member);
    free_list(&w->from);
    free_list(&w->acceptors);
}

static void position(const struct trj_frame *f, uint32_t atom, double x[3]) {
    for (int k = 0; k < 3; k++) x[k] = (double)f->x[k][atom] * f->unit;
}

static int append(struct list *l, const struct trj_frame *f, uint32_t atom, uint32_t donor, struct trj_error *err) {
    size_t n = l->count + 1;
    if (trj_grow(&l->atoms, &l->capacity, n, sizeof *l->atoms, "hydrogen bonds", err) ||
        trj_grow(&l->donor, &l->donor_capacity, n, sizeof *l->donor, "hydrogen bonds", err) ||
        trj_grow(&l->x, &l->x_capacity, n, sizeof *l->x, "hydrogen bonds", err))
        return -1;
    l->atoms[l->count] = atom;
    l->donor[l->count] = donor;
    position(f, atom, l->x[l->count++]);
    return 0;
}

// Lists the atoms of a group from which the distance is measured: donors, or their hydrogens.
static int list_donors(struct work *w, const struct obs_positions *p, struct trj_error *err) {
    const struct hbonds *b = w->bonds;
    w->from.count = 0;
    for (size_t i = 0; i < p->count; i++) {
        uint32_t donor = p->atoms[i];
        if (!(b->role[donor] & DONOR)) continue;
        if (!b->criterion.of_hydrogen && append(&w->from, w->f, donor, donor, err)) return -1;
        for (uint32_t k = b->first[donor]; b->criterion.of_hydrogen && k < b->first[donor + 1]; k++)
            if (append(&w->from, w->f, b->hydrogen[k], donor, err)) return -1;
    }
    return 0;
}

static int list_acceptors(struct work *w, const struct obs_positions *p, struct trj_error *err) {
    w->acceptors.count = 0;
    for (size_t i = 0; i < p->count; i++)
        if (w->bonds->role[p->atoms[i]] & ACCEPTOR && append(&w->acceptors, w->f, p->atoms[i], p->atoms[i], err))
            return -1;
    return 0;
}

static void donor_to_hydrogen(const struct work *w, uint32_t donor, uint32_t hydrogen, double d[3]) {
    double from[3], to[3];
    position(w->f, donor, from);
    position(w->f, hydrogen, to);
    for (int k = 0; k < 3; k++) d[k] = to[k] - from[k];
    trj_nearest_image(w->lattice, d);
}

// Counts bonds of a donor and an acceptor. A bond belongs to the residue of its atom in a, and to both residues if both
// atoms are in a and in b.
static int add_bonds(struct work *w, uint32_t donor, uint32_t acceptor, unsigned bonds, struct trj_error *err) {
    const uint32_t *part = w->bonds->part;
    w->count += bonds;
    if (bonds && w->visit && w->visit(w->arg, donor, acceptor, err)) return -1;
    if (!part) return 0;
    bool forth = part[donor] != NO_PART && (w->one_list || w->member[acceptor] & IN_B),
         back = part[acceptor] != NO_PART && (w->one_list || w->member[donor] & IN_B);
    if (forth) w->value[part[donor]] += bonds;
    if (back && !(forth && part[donor] == part[acceptor])) w->value[part[acceptor]] += bonds;
    return 0;
}

static int count_bonds(void *arg, const struct obs_contact *c, struct trj_error *err) {
    struct work *w = arg;
    const struct hbonds *b = w->bonds;
    uint32_t donor = w->from.donor[c->i], acceptor = w->acceptors.atoms[c->j];
    double dh[3], da[3];
    if (donor == acceptor || (w->again && w->member[donor] & IN_A && w->member[acceptor] & IN_B)) return 0;
    if (b->criterion.of_hydrogen) {
        donor_to_hydrogen(w, donor, w->from.atoms[c->i], dh);
        for (int k = 0; k < 3; k++) da[k] = dh[k] + c->d[k];
        return add_bonds(w, donor, acceptor, is_bond(&b->criterion, dh, da, c->r2), err);
    }
    for (uint32_t k = b->first[donor]; k < b->first[donor + 1]; k++) {
        donor_to_hydrogen(w, donor, b->hydrogen[k], dh);
        if (add_bonds(w, donor, acceptor, is_bond(&b->criterion, dh, c->d, c->r2), err)) return -1;
    }
    return 0;
}

// Counts the bonds from donors of one group to acceptors of another.
static int count_direction(struct work *w, struct obs_contact_search *s, const struct obs_positions *from,
                           const struct obs_positions *to, struct trj_error *err) {
    // The search excludes the limit itself.
    double radius = w->bonds->criterion.distance * (1 + 1e-9);
    if (list_donors(w, from, err) || list_acceptors(w, to, err)) return -1;
    const struct obs_positions donors = {w->from.atoms, w->from.count, w->from.x},
                               acceptors = {w->acceptors.atoms, w->acceptors.count, w->acceptors.x};
    return obs_contacts_visit(s, w->f, &donors, &acceptors, radius, count_bonds, w, err);
}

static void mark(struct work *w, const struct obs_positions *p, unsigned char bit, bool set) {
    for (size_t i = 0; i < p->count; i++) w->member[p->atoms[i]] = set ? w->member[p->atoms[i]] | bit : 0;
}

static int search(const struct obs_observable *o, struct obs_view *v, double *value, obs_hbond_visit *visit, void *arg,
                  struct trj_error *err) {
    const struct obs_positions *a, *b;
    struct obs_contact_search *s = obs_contact_search_of(v, o, err);
    struct work *w = obs_view_scratch(v, o->own, sizeof *w, free_work, err);
    if (!s || !w || obs_view_lattice(v, &w->lattice, err) || obs_view_positions(v, o->argument[A].selection, &a, err) ||
        obs_view_positions(v, o->argument[B].selection, &b, err))
        return -1;
    if (!w->member &&
        !(w->member = trj_alloc(obs_view_system(v)->header->atoms, sizeof *w->member, "hydrogen bonds", err)))
        return -1;
    w->bonds = o->own;
    w->f = obs_view_frame(v);
    w->count = 0;
    w->again = false;
    w->one_list = a == b;
    w->value = value;
    w->visit = visit;
    w->arg = arg;
    for (size_t i = 0; i < o->columns; i++) value[i] = 0;
    if (a != b) {
        mark(w, a, IN_A, true);
        mark(w, b, IN_B, true);
    }
    int rc = count_direction(w, s, a, b, err);
    if (a != b) {
        w->again = true;
        if (!rc) rc = count_direction(w, s, b, a, err);
        mark(w, a, 0, false);
        mark(w, b, 0, false);
    }
    if (!o->division) *value = (double)w->count;
    return rc;
}

static int compute_hbonds(const struct obs_observable *o, struct obs_view *v, double *value, struct trj_error *err) {
    return search(o, v, value, NULL, NULL, err);
}

int obs_hbonds_visit(const struct obs_observable *o, struct obs_view *v, obs_hbond_visit *visit, void *arg,
                     struct trj_error *err) {
    double count;
    return search(o, v, &count, visit, arg, err);
}

static const struct obs_column number[] = {{"", ""}};

const struct obs_function obs_hbonds = {
    .name = "hbonds",
    .parameter = {{.name = "a", .kind = OBS_ATOMS},
                  {.name = "b", .kind = OBS_ATOMS},
                  {.name = "criterion",
                   .kind = OBS_WORD,
                   .choices = "gmx mda baker-hubbard wernet cpptraj vmd R:ANGLE",
                   .check = check_criterion}},
    .column = number,
    .columns = 1,
    .formula =
        "number of hydrogen bonds D-H...A between a and b, in both directions, of all periodic images, by the "
        "criterion gmx, mda, baker-hubbard, wernet, cpptraj, vmd or R:ANGLE; D: N or O with a bond to H; A: N or O",
    .residues = OBS_RESIDUES_JOINT,
    .carry = "element",
    .open = open_hbonds,
    .compute = compute_hbonds,
    .close = close_hbonds,
};
