// SPDX-License-Identifier: MIT
// Assigns the secondary structure of Kabsch and Sander: turns and helices, bridges and ladders, bends.
//
// Where their article leaves a choice, this follows mkdssp since version 2.1, as mdtraj does: a pi helix replaces an
// alpha helix, and ladders are joined across a bulge of at most one more residue on one strand and four on the other.
#include "secondary_structure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "vector_products.h"

#define COULOMB      27.888              // kcal/mol Å: 0.42 * 0.20 * 332, the charges of C=O and N-H
#define ENERGY_MAX   (-0.5)              // kcal/mol
#define ENERGY_MIN   (-9.9)              // kcal/mol, of atoms closer than the next
#define DISTANCE_MIN 0.5                 // Å
#define COS_BEND     0.34202014332566873 // of 70 degrees

enum bridge { NO_BRIDGE, PARALLEL, ANTIPARALLEL };

// Consecutive bridges between the residues i and j, where j descends if the strands are antiparallel.
struct obs_ladder {
    enum bridge kind;
    uint32_t i[2], j[2]; // the lowest and the highest residue
    size_t bridges;      // 0: it became part of another one
};

// ------------------------------------------------------------------------------------------------------ hydrogen bonds

void obs_backbone_join(struct obs_backbone *r, const struct obs_backbone *before, bool imino) {
    r->bonds = 0;
    r->has_h = false;
    r->chain = before ? before->chain + !r->joined : 0;
    if (!before || !r->joined || imino || !before->has_o) return;
    double d[3], length = 0;
    for (int k = 0; k < 3; k++) {
        d[k] = before->c[k] - before->o[k];
        length += d[k] * d[k];
    }
    for (int k = 0; k < 3; k++) r->h[k] = r->n[k] + d[k] / sqrt(length);
    r->has_h = length > 0;
}

static double distance(const double a[3], const double b[3], const double d[3]) {
    double x[3];
    for (int k = 0; k < 3; k++) x[k] = (b[k] - a[k]) + d[k];
    return sqrt(trj_dot(x, x));
}

void obs_backbone_bond(struct obs_backbone *residues, uint32_t donor, uint32_t acceptor, const double d[3]) {
    struct obs_backbone *from = &residues[donor];
    const struct obs_backbone *to = &residues[acceptor];
    if (!from->has_h || !to->has_o || (donor == acceptor + 1 && from->joined)) return;
    double on = distance(from->n, to->o, d), ch = distance(from->h, to->c, d), oh = distance(from->h, to->o, d),
           cn = distance(from->n, to->c, d);
    double energy =
        fmin(fmin(on, ch), fmin(oh, cn)) < DISTANCE_MIN ? ENERGY_MIN : COULOMB * (1 / on + 1 / ch - 1 / oh - 1 / cn);
    if (!(energy < ENERGY_MAX)) return;
    uint32_t at = from->bonds;
    while (at &&
           (energy < from->energy[at - 1] || (!(energy > from->energy[at - 1]) && acceptor < from->acceptor[at - 1])))
        at--;
    if (at == OBS_BACKBONE_BONDS) return;
    if (from->bonds < OBS_BACKBONE_BONDS) from->bonds++;
    for (uint32_t i = from->bonds - 1; i > at; i--) {
        from->acceptor[i] = from->acceptor[i - 1];
        from->energy[i] = from->energy[i - 1];
    }
    from->acceptor[at] = acceptor;
    from->energy[at] = energy;
}

// Returns whether the N-H of `donor` has a bond to the C=O of `acceptor`.
static bool bonded(const struct obs_backbone *r, uint32_t donor, uint32_t acceptor) {
    for (uint32_t k = 0; k < r[donor].bonds; k++)
        if (r[donor].acceptor[k] == acceptor) return true;
    return false;
}

// ------------------------------------------------------------------------------------------------------------- ladders

static enum bridge bridge_between(const struct obs_backbone *r, size_t n, uint32_t i, uint32_t j) {
    if (!i || j < i + 3 || j + 1 >= n) return NO_BRIDGE;
    if (r[i - 1].chain != r[i + 1].chain || r[j - 1].chain != r[j + 1].chain) return NO_BRIDGE;
    if ((bonded(r, j, i - 1) && bonded(r, i + 1, j)) || (bonded(r, i, j - 1) && bonded(r, j + 1, i))) return PARALLEL;
    if ((bonded(r, j, i) && bonded(r, i, j)) || (bonded(r, j + 1, i - 1) && bonded(r, i + 1, j - 1)))
        return ANTIPARALLEL;
    return NO_BRIDGE;
}

static int compare_candidates(const void *a, const void *b) {
    const uint32_t *x = a, *y = b;
    if (x[0] != y[0]) return x[0] < y[0] ? -1 : 1;
    return (x[1] > y[1]) - (x[1] < y[1]);
}

// Lists the pairs of residues that can be a bridge, in their order: each bond occurs in the patterns of four.
static int list_candidates(struct obs_structure *s, const struct obs_backbone *r, size_t n, size_t *count,
                           struct trj_error *err) {
    *count = 0;
    for (size_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < r[i].bonds; k++)
            for (uint32_t pattern = 0; pattern < 4; pattern++) {
                if (pattern / 2 && !i) continue;
                uint32_t a = (uint32_t)i - pattern / 2, b = r[i].acceptor[k] + pattern % 2;
                if (trj_grow(&s->candidate, &s->candidate_capacity, *count + 1, sizeof *s->candidate, "bridges", err))
                    return -1;
                s->candidate[*count][0] = a < b ? a : b;
                s->candidate[(*count)++][1] = a < b ? b : a;
            }
    if (*count) qsort(s->candidate, *count, sizeof *s->candidate, compare_candidates);
    return 0;
}

// Adds a bridge to the ladder that it continues. Returns false if there is none.
static bool extend(struct obs_ladder *ladder, size_t ladders, enum bridge kind, uint32_t i, uint32_t j) {
    for (struct obs_ladder *l = ladder; l < ladder + ladders; l++) {
        if (l->kind != kind || i != l->i[1] + 1 || (kind == PARALLEL ? j != l->j[1] + 1 : j + 1 != l->j[0])) continue;
        l->i[1] = i;
        l->j[kind == PARALLEL] = j;
        l->bridges++;
        return true;
    }
    return false;
}

static uint32_t least(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

static uint32_t most(uint32_t a, uint32_t b) {
    return a < b ? b : a;
}

// Returns whether ladder b continues ladder a after a bulge.
static bool is_bulge(const struct obs_backbone *r, const struct obs_ladder *a, const struct obs_ladder *b) {
    if (a->kind != b->kind || b->i[0] <= a->i[1]) return false;
    if (r[a->i[0]].chain != r[b->i[1]].chain || r[least(a->j[0], b->j[0])].chain != r[most(a->j[1], b->j[1])].chain)
        return false;
    uint32_t from = a->kind == PARALLEL ? a->j[1] : b->j[1], to = a->kind == PARALLEL ? b->j[0] : a->j[0];
    if (to < from) return false;
    uint32_t i = b->i[0] - a->i[1], j = to - from;
    return (i < 6 && j < 3) || (i < 3 && j < 6);
}

static int assign_ladders(struct obs_structure *s, const struct obs_backbone *r, size_t n, struct trj_error *err) {
    size_t candidates, ladders = 0;
    if (list_candidates(s, r, n, &candidates, err)) return -1;
    for (size_t c = 0; c < candidates; c++) {
        if (c && !compare_candidates(s->candidate[c], s->candidate[c - 1])) continue;
        uint32_t i = s->candidate[c][0], j = s->candidate[c][1];
        enum bridge kind = bridge_between(r, n, i, j);
        if (kind == NO_BRIDGE || extend(s->ladder, ladders, kind, i, j)) continue;
        if (trj_grow(&s->ladder, &s->ladder_capacity, ladders + 1, sizeof *s->ladder, "bridges", err)) return -1;
        s->ladder[ladders++] = (struct obs_ladder){kind, {i, i}, {j, j}, 1};
    }
    for (size_t a = 0; a < ladders; a++)
        for (size_t b = a + 1; b < ladders; b++) {
            struct obs_ladder *to = &s->ladder[a], *from = &s->ladder[b];
            if (!to->bridges || !from->bridges || !is_bulge(r, to, from)) continue;
            to->i[1] = from->i[1];
            to->j[0] = least(to->j[0], from->j[0]);
            to->j[1] = most(to->j[1], from->j[1]);
            to->bridges += from->bridges;
            from->bridges = 0;
        }
    for (size_t a = 0; a < ladders; a++) {
        const struct obs_ladder *l = &s->ladder[a];
        for (int strand = 0; l->bridges && strand < 2; strand++) {
            const uint32_t *range = strand ? l->j : l->i;
            for (uint32_t i = range[0]; i <= range[1]; i++)
                if (s->letter[i] != 'E') s->letter[i] = l->bridges > 1 ? 'E' : 'B';
        }
    }
    return 0;
}

// --------------------------------------------------------------------------------------------------- helices and turns

// Returns whether a turn of `size` residues begins at residue i.
static bool is_turn(const struct obs_backbone *r, size_t n, size_t i, size_t size) {
    return i + size < n && r[i].chain == r[i + size].chain && bonded(r, (uint32_t)(i + size), (uint32_t)i);
}

// Two consecutive turns begin a helix. It replaces the structures of `replaced` alone; NULL: all.
static void assign_helices(char *letter, const struct obs_backbone *r, size_t n, size_t size, char name,
                           const char *replaced) {
    for (size_t i = 1; i + size < n; i++) {
        if (!is_turn(r, n, i - 1, size) || !is_turn(r, n, i, size)) continue;
        if (replaced && strspn(letter + i, replaced) < size) continue;
        memset(letter + i, name, size);
    }
}

static bool is_bend(const struct obs_backbone *r, size_t n, size_t i) {
    double a[3], b[3];
    if (i < 2 || i + 2 >= n || r[i - 2].chain != r[i + 2].chain) return false;
    for (int k = 0; k < 3; k++) {
        a[k] = r[i].ca[k] - r[i - 2].ca[k];
        b[k] = r[i + 2].ca[k] - r[i].ca[k];
    }
    return trj_dot(a, b) < COS_BEND * sqrt(trj_dot(a, a) * trj_dot(b, b));
}

static bool is_in_turn(const struct obs_backbone *r, size_t n, size_t i) {
    for (size_t size = 3; size <= 5; size++)
        for (size_t k = 1; k < size && k <= i; k++)
            if (is_turn(r, n, i - k, size)) return true;
    return false;
}

int obs_structure_assign(struct obs_structure *s, const struct obs_backbone *r, size_t n, struct trj_error *err) {
    if (trj_grow(&s->letter, &s->letter_capacity, n + 1, 1, "residues", err)) return -1;
    memset(s->letter, '-', n);
    s->letter[n] = 0;
    if (assign_ladders(s, r, n, err)) return -1;
    assign_helices(s->letter, r, n, 4, 'H', NULL);
    assign_helices(s->letter, r, n, 3, 'G', "-G");
    assign_helices(s->letter, r, n, 5, 'I', "-IH");
    for (size_t i = 0; i < n; i++)
        if (s->letter[i] == '-') s->letter[i] = is_in_turn(r, n, i) ? 'T' : is_bend(r, n, i) ? 'S' : '-';
    return 0;
}

void obs_structure_free(struct obs_structure *s) {
    free(s->letter);
    free(s->ladder);
    free(s->candidate);
}
