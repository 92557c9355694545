// SPDX-License-Identifier: MIT
// Wave functions that tests make themselves: shells on atoms, and orbitals that are orthonormal under a given rule of
// normalisation. Overlaps are computed with the closed formula, not with the recursion of the library.
#ifndef HAND_MADE_WAVE_H
#define HAND_MADE_WAVE_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "orbital_basis.h"
#include "orbital_rule.h"
#include "wave_function.h"

// Returns a number between -1 and 1.
static inline double wave_random(void) {
    static uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) / 4503599627370496.0 - 1;
}

// The integral of (x-A)^i (x-B)^j exp(-a (x-A)^2 - b (x-B)^2): both powers are expanded about P = (a A + b B) / (a +
// b), and the integral of x^(2n) exp(-p x^2) is (2n-1)!! / (2p)^n sqrt(pi / p).
static inline long double wave_overlap_1d(int i, int j, long double a, long double b, long double A, long double B) {
    const long double pi = acosl(-1), p = a + b, P = (a * A + b * B) / p;
    long double sum = 0, left = 1;
    for (int m = 0; m <= i; left *= (long double)(i - m) / (m + 1), m++) {
        long double right = 1;
        for (int n = 0; n <= j; right *= (long double)(j - n) / (n + 1), n++) {
            if ((m + n) % 2) continue;
            long double moment = sqrtl(pi / p);
            for (int k = 1; k < m + n; k += 2) moment *= k / (2 * p);
            sum += left * right * powl(P - A, i - m) * powl(P - B, j - n) * moment;
        }
    }
    return sum * expl(-a * b / p * (A - B) * (A - B));
}

static inline long double wave_overlap_of_primitives(const struct orb_basis *b, const struct orb_primitive *p,
                                                     const struct orb_primitive *q) {
    long double product = 1;
    for (int k = 0; k < 3; k++)
        product *= wave_overlap_1d(p->power[k], q->power[k], p->exponent, q->exponent, b->centre[p->centre][k],
                                   b->centre[q->centre][k]);
    return product;
}

// Returns the overlap of two functions of a basis.
static inline double wave_overlap(const struct orb_basis *b, size_t f, size_t g) {
    long double sum = 0;
    for (size_t s = b->first_term[f]; s < b->first_term[f + 1]; s++)
        for (size_t t = b->first_term[g]; t < b->first_term[g + 1]; t++)
            sum +=
                (long double)b->term[s].coefficient * b->term[t].coefficient *
                wave_overlap_of_primitives(b, &b->primitive[b->term[s].primitive], &b->primitive[b->term[t].primitive]);
    return (double)sum;
}

enum { WAVE_ATOMS = 8, WAVE_SHELLS = 64, WAVE_PRIMITIVES = 256 };

static inline void wave_begin(struct orb_wave_function *w, const char *format) {
    *w = (struct orb_wave_function){.format = format, .electrons = NAN};
    w->title = calloc(1, 64);
    w->program = calloc(1, 64);
    w->atom = calloc(WAVE_ATOMS, sizeof *w->atom);
    w->shell = calloc(WAVE_SHELLS, sizeof *w->shell);
    w->exponent = calloc(WAVE_PRIMITIVES, sizeof *w->exponent);
    w->contraction = calloc(WAVE_PRIMITIVES, sizeof *w->contraction);
    if (!w->title || !w->program || !w->atom || !w->shell || !w->exponent || !w->contraction) abort();
}

static inline void wave_add_atom(struct orb_wave_function *w, double x, double y, double z) {
    w->atom[w->atoms++] = (struct orb_atom){.position = {x, y, z}, .number = 1, .charge = 1};
}

// Adds a shell of `primitives` exponents from `exponent` on, each half of the one before, to the last atom.
static inline void wave_add_shell(struct orb_wave_function *w, uint32_t l, bool pure, double exponent,
                                  size_t primitives) {
    w->shell[w->shells++] = (struct orb_shell){.atom = (uint32_t)w->atoms - 1,
                                               .l = l,
                                               .pure = pure,
                                               .primitive = w->primitives,
                                               .primitives = primitives,
                                               .function = w->functions};
    for (size_t p = 0; p < primitives; p++, exponent /= 2) {
        w->exponent[w->primitives] = exponent;
        w->contraction[w->primitives++] = 0.3 + 0.2 * (double)p;
    }
    w->functions += orb_shell_functions(l, pure);
}

// Adds n random orbitals of one spin that are orthonormal under the rule, with the energies -n, -n + 1, ..., and the
// occupation 1 of the lower half.
static inline void wave_add_orbitals(struct orb_wave_function *w, size_t n, enum orb_rule rule, enum orb_spin spin) {
    struct orb_basis b;
    struct trj_error err;
    const size_t functions = w->functions;
    double *s = calloc(functions * functions, sizeof *s);
    if (orb_basis_make(&b, w, rule, &err) || !s) abort();
    for (size_t f = 0; f < functions; f++)
        for (size_t g = 0; g < functions; g++) s[f * functions + g] = wave_overlap(&b, f, g);
    w->orbital = realloc(w->orbital, (w->orbitals + n) * sizeof *w->orbital);
    w->coefficient = realloc(w->coefficient, (w->orbitals + n) * functions * sizeof *w->coefficient);
    if (!w->orbital || !w->coefficient) abort();
    double *first = w->coefficient + w->orbitals * functions;
    for (size_t o = 0; o < n; o++) {
        double *c = first + o * functions;
        for (size_t f = 0; f < functions; f++) c[f] = wave_random();
        // Twice, because rounding errors of the first orthogonalisation are large.
        for (size_t k = 0; k < 2 * (o + 1); k++) {
            const double *other = first + (k % (o + 1)) * functions;
            double product = 0;
            for (size_t f = 0; f < functions; f++)
                for (size_t g = 0; g < functions; g++) product += c[f] * s[f * functions + g] * other[g];
            for (size_t f = 0; f < functions; f++) c[f] = other == c ? c[f] / sqrt(product) : c[f] - product * other[f];
        }
        w->orbital[w->orbitals + o] =
            (struct orb_orbital){.energy = (double)o - (double)n, .occupation = o < n / 2 ? 1 : 0, .spin = spin};
    }
    w->orbitals += n;
    orb_basis_free(&b);
    free(s);
}

static inline void wave_end(struct orb_wave_function *w) {
    void *const memory[] = {w->title,       w->program,       w->atom,    w->shell,       w->exponent,
                            w->contraction, w->bare_function, w->orbital, w->coefficient, w->density};
    for (size_t k = 0; k < w->densities; k++) free(w->density[k].matrix);
    for (size_t k = 0; k < sizeof memory / sizeof *memory; k++) free(memory[k]);
}

#endif
