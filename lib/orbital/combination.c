// SPDX-License-Identifier: MIT
// Sorts the primitives of orbitals and basis functions into columns.
#include "combination.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

static const char WHAT[] = "orbitals";

// A primitive with its coefficient in one combination.
struct part {
    uint32_t group;
    const struct orb_primitive *primitive;
    double coefficient;
};

static bool same_group(const struct orb_primitive *a, const struct orb_primitive *b) {
    return a->centre == b->centre && a->exponent == b->exponent;
}

static int make_groups(struct orb_combinations *c, const struct orb_basis *b, uint32_t *group_of,
                       struct trj_error *err) {
    c->group = trj_alloc(b->primitives + 1, sizeof *c->group, WHAT, err);
    if (!c->group) return -1;
    for (size_t p = 0; p < b->primitives; p++) {
        const struct orb_primitive *primitive = &b->primitive[p];
        if (!p || !same_group(primitive, primitive - 1))
            c->group[c->groups++] = (struct orb_group){.centre = primitive->centre, .exponent = primitive->exponent};
        struct orb_group *g = &c->group[c->groups - 1];
        for (int k = 0; k < 3; k++)
            if (g->powers[k] <= primitive->power[k]) g->powers[k] = (uint32_t)primitive->power[k] + 1;
        group_of[p] = (uint32_t)(c->groups - 1);
    }
    return 0;
}

static int compare(const void *first, const void *second) {
    const struct part *a = first, *b = second;
    if (a->group != b->group) return a->group < b->group ? -1 : 1;
    for (int k = 0; k < 3; k++)
        if (a->primitive->power[k] != b->primitive->power[k])
            return a->primitive->power[k] < b->primitive->power[k] ? -1 : 1;
    return 0;
}

// Adds a combination of n parts.
static void add(struct orb_combinations *c, struct part *part, size_t n) {
    size_t sorted = 1; // most parts are in order, because those of a basis are sorted
    while (sorted < n && compare(&part[sorted - 1], &part[sorted]) <= 0) sorted++;
    if (sorted < n) qsort(part, n, sizeof *part, compare);
    for (size_t i = 0; i < n; i++) {
        const struct orb_primitive *p = part[i].primitive;
        if (part[i].coefficient == 0) continue;
        const struct orb_column *last = c->columns > c->first_column[c->count] ? &c->column[c->columns - 1] : NULL;
        if (!last || last->group != part[i].group || last->power != p->power[0])
            c->column[c->columns++] = (struct orb_column){part[i].group, p->power[0], c->terms};
        c->term[c->terms++] = (struct orb_column_term){{p->power[1], p->power[2]}, part[i].coefficient};
    }
    c->first_column[++c->count] = c->columns;
    c->column[c->columns].first_term = c->terms;
}

// Memory to make combinations.
struct maker {
    uint32_t *group_of; // [primitives]
    struct part *part;  // [parts]
    double *of_primitive;
};

// Each combination has at most `parts` parts, and all combinations together have `all`.
static int open_maker(struct maker *m, struct orb_combinations *c, const struct orb_basis *b, size_t count,
                      size_t parts, size_t all, struct trj_error *err) {
    *c = (struct orb_combinations){.groups = 0};
    *m = (struct maker){.part = NULL};
    m->group_of = trj_alloc(b->primitives, sizeof *m->group_of, WHAT, err);
    if (!m->group_of || make_groups(c, b, m->group_of, err)) return -1;
    m->part = trj_alloc(parts, sizeof *m->part, WHAT, err);
    m->of_primitive = trj_alloc(b->primitives, sizeof *m->of_primitive, WHAT, err);
    c->first_column = trj_alloc(count + 1, sizeof *c->first_column, WHAT, err);
    c->column = trj_alloc(all + 1, sizeof *c->column, WHAT, err);
    c->term = trj_alloc(all, sizeof *c->term, WHAT, err);
    return m->part && m->of_primitive && c->first_column && c->column && c->term ? 0 : -1;
}

static void close_maker(struct maker *m) {
    free(m->group_of);
    free(m->part);
    free(m->of_primitive);
}

int orb_combinations_of_functions(struct orb_combinations *c, const struct orb_basis *b, struct trj_error *err) {
    struct maker m;
    size_t most = 0;
    for (size_t f = 0; f < b->functions; f++)
        if (b->first_term[f + 1] - b->first_term[f] > most) most = b->first_term[f + 1] - b->first_term[f];
    int rc = open_maker(&m, c, b, b->functions, most, b->first_term[b->functions], err);
    for (size_t f = 0; !rc && f < b->functions; f++) {
        size_t n = 0;
        for (size_t t = b->first_term[f]; t < b->first_term[f + 1]; t++) {
            uint32_t p = b->term[t].primitive;
            m.part[n++] = (struct part){m.group_of[p], &b->primitive[p], b->term[t].coefficient};
        }
        add(c, m.part, n);
    }
    close_maker(&m);
    return rc;
}

int orb_combinations_of_orbitals(struct orb_combinations *c, const struct orb_basis *b, size_t count,
                                 const double *coefficient, struct trj_error *err) {
    struct maker m;
    int rc = open_maker(&m, c, b, count, b->primitives, count * b->primitives, err);
    for (size_t o = 0; !rc && o < count; o++) {
        orb_basis_expand(b, 1, coefficient + o * b->functions, m.of_primitive);
        for (size_t p = 0; p < b->primitives; p++)
            m.part[p] = (struct part){m.group_of[p], &b->primitive[p], m.of_primitive[p]};
        add(c, m.part, b->primitives);
    }
    close_maker(&m);
    return rc;
}

void orb_combinations_free(struct orb_combinations *c) {
    free(c->group);
    free(c->first_column);
    free(c->column);
    free(c->term);
    *c = (struct orb_combinations){.groups = 0};
}
