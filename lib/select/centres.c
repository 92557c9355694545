// SPDX-License-Identifier: MIT
// Orders the atoms of each set so that bonds lead from one to the next, because molecules may be broken across borders.
#include "centres.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bonds.h"
#include "largest_gap.h"
#include "memory.h"
#include "nearest_image.h"

static const char *const set_names[] = {[TRJ_CENTRE_RESIDUE] = "residue",
                                        [TRJ_CENTRE_MOLECULE] = "molecule",
                                        [TRJ_CENTRE_SEGMENT] = "segment",
                                        [TRJ_CENTRE_CHAIN] = "chain",
                                        [TRJ_CENTRE_GROUP] = "group"};

void trj_centres_free(struct trj_centres *c) {
    free(c->first);
    free(c->begin);
    free(c->atom);
    free(c->reference);
    free(c->weight);
    free(c->outside);
    free(c->starts);
    *c = (struct trj_centres){0};
}

// ---- sets

// State of each atom while sets are made.
struct walk {
    struct trj_bonds bonds; // begin NULL: the topology has no bonds
    uint32_t *set;          // [atoms] number of the set + 1; 0: in no set
    uint32_t *mark;         // [atoms] number + 1 of the set that has reached it last
    uint32_t *place;        // [atoms] index in the queue, of atoms that were reached
    uint32_t *queue;        // [atoms] in the order in which they were reached
    uint32_t *from;         // [atoms] index of the atom from which it was reached
    bool *needed;           // [atoms] by index in the queue
    uint32_t *member;       // [atoms of all sets] in order of sets
    size_t *begin;          // [sets + 1] of member
};

static int open_walk(struct walk *w, size_t atoms, size_t members, size_t sets, const struct trj_topology *top,
                     struct trj_error *err) {
    uint32_t **const columns[] = {&w->set, &w->mark, &w->place, &w->queue, &w->from};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        if (!(*columns[i] = trj_alloc(atoms, sizeof **columns[i], "centres", err))) return -1;
    w->needed = trj_alloc(atoms, sizeof *w->needed, "centres", err);
    w->member = trj_alloc(members, sizeof *w->member, "centres", err);
    w->begin = trj_alloc(sets + 2, sizeof *w->begin, "centres", err);
    if (!w->needed || !w->member || !w->begin) return -1;
    return top && top->bonds ? trj_bonds_list(&w->bonds, top->bond, top->bonds, top->atoms, err) : 0;
}

static void close_walk(struct walk *w) {
    free(w->set);
    free(w->mark);
    free(w->place);
    free(w->queue);
    free(w->from);
    free(w->needed);
    free(w->member);
    free(w->begin);
    trj_bonds_free(&w->bonds);
}

// Enlarges one of several arrays of one size; the caller changes the size when all have grown.
static int grow(void *array, size_t capacity, size_t want, size_t size, struct trj_error *err) {
    return trj_grow(array, &capacity, want, size, "centres", err);
}

static int add_place(struct trj_centres *c, uint32_t atom, uint32_t reference, double weight, bool outside, bool starts,
                     struct trj_error *err) {
    size_t place = c->begin[c->count + 1]++, old = c->atoms_capacity, capacity = old ? 2 * old : 64;
    if (place == old) {
        if (grow(&c->atom, old, capacity, sizeof *c->atom, err)) return -1;
        if (grow(&c->reference, old, capacity, sizeof *c->reference, err)) return -1;
        if (grow(&c->weight, old, capacity, sizeof *c->weight, err)) return -1;
        if (grow(&c->outside, old, capacity, sizeof *c->outside, err)) return -1;
        if (grow(&c->starts, old, capacity, sizeof *c->starts, err)) return -1;
        c->atoms_capacity = capacity;
    }
    c->atom[place] = atom;
    c->reference[place] = reference;
    c->weight[place] = weight;
    c->outside[place] = outside;
    c->starts[place] = starts;
    return 0;
}

// Follows bonds from the last atom of the queue, until all atoms of the set are reached. Returns the number of atoms
// reached.
static size_t follow_bonds(struct walk *w, uint32_t set, size_t met, size_t *left) {
    for (size_t step = met - 1; *left && step < met; step++) {
        uint32_t atom = w->queue[step];
        for (size_t k = w->bonds.begin[atom]; k < w->bonds.begin[atom + 1]; k++) {
            uint32_t next = w->bonds.to[k];
            if (w->mark[next] == set) continue;
            w->mark[next] = set;
            w->place[next] = (uint32_t)met;
            w->from[met] = (uint32_t)step;
            w->queue[met++] = next;
            *left -= w->set[next] == set;
        }
    }
    return met;
}

// Adds the atoms of a set, each after its reference, with the atoms on the paths between them.
static int add_bonded(struct trj_centres *c, struct walk *w, uint32_t set, const double *mass, struct trj_error *err) {
    const uint32_t *member = w->member + w->begin[set];
    size_t n = w->begin[set + 1] - w->begin[set], left = n, met = 0;
    for (size_t i = 0; i < n; i++) {
        if (w->mark[member[i]] == set + 1) continue;
        w->mark[member[i]] = set + 1;
        w->place[member[i]] = (uint32_t)met;
        w->from[met] = (uint32_t)met; // the start of a unit
        w->queue[met++] = member[i];
        left--;
        met = follow_bonds(w, set + 1, met, &left);
    }
    memset(w->needed, 0, met * sizeof *w->needed);
    for (size_t i = 0; i < n; i++)
        for (uint32_t step = w->place[member[i]]; !w->needed[step]; step = w->from[step]) w->needed[step] = true;
    // Only required atoms are kept; `place` becomes their index among these.
    uint32_t places = 0;
    for (size_t step = 0; step < met; step++) {
        uint32_t atom = w->queue[step];
        if (!w->needed[step]) continue;
        bool own = w->set[atom] == set + 1;
        w->place[atom] = places++;
        bool starts = w->from[step] == step;
        uint32_t reference = starts ? 0 : w->place[w->queue[w->from[step]]];
        if (add_place(c, atom, reference, own ? mass ? mass[atom] : 1 : 0, !own, starts, err)) return -1;
    }
    return 0;
}

static int add_in_order(struct trj_centres *c, const struct walk *w, uint32_t set, const double *mass,
                        struct trj_error *err) {
    for (size_t i = w->begin[set]; i < w->begin[set + 1]; i++) {
        size_t before = i - w->begin[set];
        if (add_place(c, w->member[i], (uint32_t)(before ? before - 1 : 0), mass ? mass[w->member[i]] : 1, false, true,
                      err))
            return -1;
    }
    return 0;
}

static int add_set(struct trj_centres *c, struct walk *w, uint32_t set, const double *mass, struct trj_error *err) {
    size_t old = c->sets_capacity, capacity = old ? 2 * old : 64;
    if (c->count == old) {
        if (grow(&c->first, old, capacity, sizeof *c->first, err) ||
            grow(&c->begin, old ? old + 1 : 0, capacity + 1, sizeof *c->begin, err))
            return -1;
        if (!old) c->begin[0] = 0;
        c->sets_capacity = capacity;
    }
    size_t begin = c->begin[c->count], *end = &c->begin[c->count + 1];
    double weight = 0;
    *end = begin;
    c->first[c->count] = w->member[w->begin[set]];
    if (w->bonds.begin ? add_bonded(c, w, set, mass, err) : add_in_order(c, w, set, mass, err)) return -1;
    for (size_t i = begin; i < *end; i++) weight += c->weight[i];
    if (!(weight > 0))
        return trj_fail(err, TRJ_BAD_DATA, "the set of atom %u (counted from 0) has %s", c->first[c->count],
                        isnan(weight) ? "atoms of unknown mass; leave them out by the selection"
                                      : "no mass; leave these atoms out by the selection");
    if (*end - begin > c->longest) c->longest = *end - begin;
    c->count++;
    return 0;
}

// Returns the number of the set of each atom in the topology; NULL: all atoms are in one set.
static const uint32_t *sets_of(const struct trj_topology *top, enum trj_centre_sets sets) {
    const uint32_t *const known[] = {[TRJ_CENTRE_RESIDUE] = top->residue,
                                     [TRJ_CENTRE_MOLECULE] = top->molecule,
                                     [TRJ_CENTRE_SEGMENT] = trj_topology_segments(top)->id,
                                     [TRJ_CENTRE_CHAIN] = trj_topology_chains(top)->id,
                                     [TRJ_CENTRE_GROUP] = NULL};
    return known[sets];
}

int trj_centres_check(bool of_mass, enum trj_centre_sets sets, const struct trj_topology *top, struct trj_error *err) {
    if (sets != TRJ_CENTRE_GROUP && !(top && sets_of(top, sets)))
        return top ? trj_fail(err, TRJ_USAGE,
                              "per %s: not available in the %s file; give a topology that contains it with -t",
                              set_names[sets], top->format)
                   : trj_fail(err, TRJ_USAGE, "per %s: requires a topology; give one with -t", set_names[sets]);
    if (of_mass && !(top && top->mass))
        return top ? trj_fail(err, TRJ_USAGE,
                              "com: the %s file has no masses; give a topology with masses with -t, or use cog",
                              top->format)
                   : trj_fail(err, TRJ_USAGE, "com: requires masses; give a topology with -t, or use cog");
    return 0;
}

int trj_centres_add(struct trj_centres *c, bool of_mass, enum trj_centre_sets sets, const uint32_t *atoms, size_t count,
                    const struct trj_topology *top, struct trj_error *err) {
    const uint32_t *set = top ? sets_of(top, sets) : NULL;
    const double *mass = of_mass && top ? top->mass : NULL;
    struct walk w = {.set = NULL};
    size_t all = top ? top->atoms : count ? (size_t)atoms[count - 1] + 1 : 0, known = 1;
    int rc = -1;
    if (trj_centres_check(of_mass, sets, top, err)) return -1;
    for (size_t i = 0; i < count && set; i++)
        if (set[atoms[i]] >= known) known = (size_t)set[atoms[i]] + 1;
    uint32_t *number = trj_alloc(known, sizeof *number, "centres", err); // number of a set + 1, in order of first atoms
    if (!number || open_walk(&w, all, count, count, top, err)) goto out;
    uint32_t n = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t *mine = &number[set ? set[atoms[i]] : 0];
        if (!*mine) *mine = ++n;
        w.set[atoms[i]] = *mine;
        w.begin[*mine + 1]++;
    }
    for (uint32_t s = 1; s <= n; s++) w.begin[s + 1] += w.begin[s];
    for (size_t i = 0; i < count; i++)
        w.member[w.begin[w.set[atoms[i]]]++] = atoms[i]; // begin[s + 1] becomes the end of set s
    for (uint32_t s = 0; s < n; s++)
        if (add_set(c, &w, s, mass, err)) goto out;
    rc = 0;
out:
    free(number);
    close_walk(&w);
    return rc;
}

// ---- centres

// Memory for the atoms and units of one set.
struct space {
    double (*whole)[3]; // [longest] positions
    double (*unit)[3];  // [longest] centres of units
    double *fraction, *sorted;
};

// Sets the geometric centres of the units. Returns their number.
static size_t find_units(const struct trj_centres *c, size_t begin, size_t n, const struct space *s) {
    size_t units = 0, atoms = 0;
    for (size_t i = 0; i < n; i++) {
        bool last = i + 1 == n || c->starts[begin + i + 1];
        double *position = s->unit[units];
        if (c->starts[begin + i]) position[0] = position[1] = position[2] = 0;
        for (int k = 0; k < 3 && !c->outside[begin + i]; k++) position[k] += s->whole[i][k];
        atoms += !c->outside[begin + i];
        if (!last) continue;
        for (int k = 0; k < 3; k++) position[k] /= (double)atoms;
        atoms = 0;
        units++;
    }
    return units;
}

// Moves the units of a set to images that are contiguous. Units that are within half a cell are so already. Returns -1
// if the set fills the cell.
static int gather(const struct trj_centres *c, size_t begin, size_t n, const struct trj_lattice *l,
                  const struct space *s) {
    size_t units = find_units(c, begin, n, s);
    for (int k = 0; k < 3 && units > 1; k++) {
        const double *g = l->g[k], *vector = l->cell.h[k], *first = s->unit[0];
        double low = 0, high = 0, middle;
        if (!(l->cell.periodic >> k & 1)) continue;
        for (size_t u = 0; u < units; u++) {
            const double *position = s->unit[u];
            double x =
                (g[0] * (position[0] - first[0]) + g[1] * (position[1] - first[1])) + g[2] * (position[2] - first[2]);
            s->fraction[u] = s->sorted[u] = x;
            low = fmin(low, x);
            high = fmax(high, x);
        }
        if (high - low <= 0.5) continue;
        if (!trj_largest_gap(s->sorted, units, 1 / sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]), &middle)) return -1;
        for (size_t i = 0, u = 0; i < n; i++) {
            u += i && c->starts[begin + i];
            double cells = floor(-middle) - floor(s->fraction[u] - middle);
            for (int j = 0; j < 3; j++) s->whole[i][j] += cells * vector[j];
        }
    }
    return 0;
}

static int place_set(const struct trj_centres *c, size_t set, const struct trj_frame *f, const struct trj_lattice *l,
                     const struct space *s, double centre[3]) {
    size_t begin = c->begin[set], n = c->begin[set + 1] - begin;
    double(*whole)[3] = s->whole, weight = 0, sum[3] = {0};
    for (size_t i = 0; i < n; i++) {
        uint32_t atom = c->atom[begin + i];
        double *position = whole[i], x[3], d[3];
        for (int k = 0; k < 3; k++) position[k] = x[k] = (double)f->x[k][atom] * f->unit;
        if (!i || !f->cell.periodic) continue;
        const double *reference = whole[c->reference[begin + i]];
        for (int k = 0; k < 3; k++) d[k] = x[k] - reference[k];
        trj_nearest_image(l, d);
        for (int k = 0; k < 3; k++) position[k] = reference[k] + d[k];
    }
    if (f->cell.periodic && gather(c, begin, n, l, s)) return -1;
    for (size_t i = 0; i < n; i++) {
        double w = c->weight[begin + i];
        weight += w;
        // Sums are relative to the first atom, because small terms have small rounding errors.
        for (int k = 0; k < 3; k++) sum[k] += w * (whole[i][k] - whole[0][k]);
    }
    for (int k = 0; k < 3; k++) centre[k] = whole[0][k] + sum[k] / weight;
    return 0;
}

int trj_centres_place(const struct trj_centres *c, const struct trj_frame *f, float *const x[3],
                      struct trj_error *err) {
    struct trj_lattice l;
    if (trj_lattice_make(&l, &f->cell, err)) return -1;
    for (size_t i = 0; i < c->begin[c->count]; i++)
        if (trj_frame_check_far(f, c->atom[i], err)) return -1;
    double *memory = trj_alloc(c->longest, 8 * sizeof *memory, "centres", err);
    if (!memory) return -1;
    const struct space s = {.whole = (double(*)[3])memory,
                            .unit = (double(*)[3])(memory + 3 * c->longest),
                            .fraction = memory + 6 * c->longest,
                            .sorted = memory + 7 * c->longest};
    int rc = 0;
    for (size_t i = 0; i < c->count && !rc; i++) {
        double centre[3];
        if (place_set(c, i, f, &l, &s, centre))
            rc =
                trj_fail(err, TRJ_BAD_DATA,
                         "com, cog: the set of atom %u (counted from 0) fills the cell, as a membrane does, and has no "
                         "centre in every direction; select a part of it, or if it is one molecule, give a topology "
                         "with bonds (-t), or -P none if its coordinates are not wrapped into the cell",
                         c->first[i]);
        for (int k = 0; k < 3 && !rc; k++) x[k][i] = (float)(centre[k] / f->unit);
    }
    free(memory);
    return rc;
}

void trj_centres_velocities(const struct trj_centres *c, const struct trj_motion *m, float *const v[3]) {
    for (size_t set = 0; set < c->count; set++)
        for (int k = 0; k < 3; k++) {
            double weight = 0, sum = 0;
            for (size_t i = c->begin[set]; i < c->begin[set + 1]; i++) {
                weight += c->weight[i];
                sum += c->weight[i] * (double)m->velocity[k][c->atom[i]];
            }
            v[k][set] = (float)(sum / weight);
        }
}
