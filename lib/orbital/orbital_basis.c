// SPDX-License-Identifier: MIT
// Makes the basis that engines evaluate: entries, one for each product of a function and a primitive, are sorted twice,
// by primitive and by function.
#include "orbital_basis.h"

#include <stdlib.h>
#include <string.h>

#include "function_norm.h"
#include "memory.h"
#include "solid_harmonics.h"

// Coefficients are rounded to float64 only after those of equal primitives were added.
struct entry {
    struct orb_primitive primitive;
    size_t number; // of the primitive
    size_t function;
    long double coefficient;
};

struct entries {
    size_t count, capacity;
    struct entry *entry;
};

static int compare_primitives(const struct orb_primitive *a, const struct orb_primitive *b) {
    if (a->centre != b->centre) return a->centre < b->centre ? -1 : 1;
    if (a->exponent != b->exponent) return a->exponent > b->exponent ? -1 : 1;
    return memcmp(a->power, b->power, sizeof a->power);
}

static int by_primitive(const void *x, const void *y) {
    const struct entry *a = x, *b = y;
    int order = compare_primitives(&a->primitive, &b->primitive);
    return order ? order : a->function < b->function ? -1 : a->function > b->function;
}

static int by_function(const void *x, const void *y) {
    const struct entry *a = x, *b = y;
    if (a->function != b->function) return a->function < b->function ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

static int add_entry(struct entries *e, size_t function, uint32_t centre, double exponent, const uint8_t power[3],
                     long double coefficient, struct trj_error *err) {
    if (coefficient == 0) return 0;
    if (trj_grow(&e->entry, &e->capacity, e->count + 1, sizeof *e->entry, "basis functions", err)) return -1;
    struct entry *entry = &e->entry[e->count++];
    *entry = (struct entry){
        .primitive = {.centre = centre, .exponent = exponent}, .function = function, .coefficient = coefficient};
    memcpy(entry->primitive.power, power, sizeof entry->primitive.power);
    return 0;
}

static int add_shell(struct entries *e, const struct orb_wave_function *w, const struct orb_shell *s, uint32_t centre,
                     enum orb_rule rule, struct trj_error *err) {
    const enum orb_family family = orb_rule_family(rule);
    long double angular[ORB_CARTESIANS_MAX], norm = orb_shell_norm(w, s, family);
    uint8_t power[ORB_CARTESIANS_MAX][3];
    const size_t components = orb_cartesian_powers(s->l, power);
    for (size_t k = 0; k < orb_shell_functions(s->l, s->pure); k++) {
        // The norm that the standard rule keeps is not divided out and multiplied again.
        long double factor = rule == ORB_STANDARD ? 1 : orb_rule_factor(rule, s, k, norm) / norm;
        orb_angular(s->l, s->pure, k, angular);
        for (size_t p = 0; p < s->primitives; p++) {
            long double radial = factor * orb_radial_coefficient(w, s, p, family);
            double exponent = w->exponent[s->primitive + p];
            for (size_t c = 0; c < components; c++)
                if (add_entry(e, s->function + k, centre, exponent, power[c], radial * angular[c], err)) return -1;
        }
    }
    return 0;
}

// Lists the atoms that have functions. centre_of_atom[w->atoms] gets their numbers in this list.
static int make_centres(struct orb_basis *b, const struct orb_wave_function *w, uint32_t *centre_of_atom,
                        struct trj_error *err) {
    for (size_t k = 0; k < w->shells; k++) centre_of_atom[w->shell[k].atom] = 1;
    for (size_t k = 0; k < w->bare_functions; k++) centre_of_atom[w->bare_function[k].atom] = 1;
    b->centre = trj_alloc(w->atoms, sizeof *b->centre, "atoms", err);
    if (!b->centre) return -1;
    for (size_t k = 0; k < w->atoms; k++) {
        if (!centre_of_atom[k]) continue;
        memcpy(b->centre[b->centres], w->atom[k].position, sizeof *b->centre);
        centre_of_atom[k] = (uint32_t)b->centres++;
    }
    return 0;
}

static int make_primitives(struct orb_basis *b, struct entries *e, struct trj_error *err) {
    b->primitive = trj_alloc(e->count, sizeof *b->primitive, "primitives", err);
    if (!b->primitive) return -1;
    if (e->count) qsort(e->entry, e->count, sizeof *e->entry, by_primitive);
    for (size_t k = 0; k < e->count; k++) {
        if (!k || compare_primitives(&e->entry[k - 1].primitive, &e->entry[k].primitive))
            b->primitive[b->primitives++] = e->entry[k].primitive;
        e->entry[k].number = b->primitives - 1;
    }
    return 0;
}

static int make_terms(struct orb_basis *b, struct entries *e, struct trj_error *err) {
    size_t terms = 0, k = 0;
    b->term = trj_alloc(e->count, sizeof *b->term, "basis functions", err);
    b->first_term = trj_alloc(b->functions + 1, sizeof *b->first_term, "basis functions", err);
    if (!b->term || !b->first_term) return -1;
    if (e->count) qsort(e->entry, e->count, sizeof *e->entry, by_function);
    for (size_t f = 0; f < b->functions; f++) {
        b->first_term[f] = terms;
        while (k < e->count && e->entry[k].function == f) {
            const struct entry *first = &e->entry[k];
            long double sum = 0;
            for (; k < e->count && !by_function(first, &e->entry[k]); k++) sum += e->entry[k].coefficient;
            b->term[terms++] = (struct orb_term){(uint32_t)first->number, (double)sum};
        }
    }
    b->first_term[b->functions] = terms;
    return 0;
}

int orb_basis_make(struct orb_basis *b, const struct orb_wave_function *w, enum orb_rule rule, struct trj_error *err) {
    struct entries e = {0};
    *b = (struct orb_basis){.functions = w->functions};
    uint32_t *centre_of_atom = trj_alloc(w->atoms, sizeof *centre_of_atom, "atoms", err);
    int rc = centre_of_atom ? make_centres(b, w, centre_of_atom, err) : -1;
    for (size_t k = 0; !rc && k < w->shells; k++)
        rc = add_shell(&e, w, &w->shell[k], centre_of_atom[w->shell[k].atom], rule, err);
    for (size_t k = 0; !rc && k < w->bare_functions; k++) {
        const struct orb_bare_function *f = &w->bare_function[k];
        rc = add_entry(&e, k, centre_of_atom[f->atom], f->exponent, f->power, 1, err);
    }
    if (!rc) rc = make_primitives(b, &e, err);
    if (!rc) rc = make_terms(b, &e, err);
    free(centre_of_atom);
    free(e.entry);
    return rc;
}

void orb_basis_free(struct orb_basis *b) {
    free(b->centre);
    free(b->primitive);
    free(b->first_term);
    free(b->term);
    *b = (struct orb_basis){0};
}

void orb_basis_expand(const struct orb_basis *b, size_t orbitals, const double *coefficient, double *of_primitive) {
    memset(of_primitive, 0, orbitals * b->primitives * sizeof *of_primitive);
    for (size_t o = 0; o < orbitals; o++, coefficient += b->functions, of_primitive += b->primitives)
        for (size_t f = 0; f < b->functions; f++)
            for (size_t t = b->first_term[f]; t < b->first_term[f + 1]; t++)
                of_primitive[b->term[t].primitive] += coefficient[f] * b->term[t].coefficient;
}
