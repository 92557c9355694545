// SPDX-License-Identifier: MIT
// Rules of normalisation: what the contraction and orbital coefficients of a file multiply. Programs differ, and few
// files state it. The overlap matrix S of the basis decides: under the right rule, orbitals are orthonormal, and the
// trace of P S, with the density matrix P of the occupied orbitals, is the number of electrons.
#ifndef ORB_RULE_H
#define ORB_RULE_H

#include <stdbool.h>

#include "error.h"
#include "wave_function.h"

enum orb_rule {
    ORB_STANDARD,   // contraction coefficients multiply normalised primitives
    ORB_UNIT,       // as ORB_STANDARD; then each function is scaled to norm 1
    ORB_RAW,        // they multiply x^i y^j z^k exp(-a r^2) without a norm; then each function is scaled to norm 1
    ORB_ORCA,       // as ORB_RAW; the signs of f(+-3), g(+-3), g(+-4), h(+-3) and h(+-4) are reversed
    ORB_PSI4_CART,  // all Cartesian components have the norm of the primitive x^l; then x^l is scaled to norm 1
    ORB_CFOUR,      // as ORB_UNIT, times sqrt((2i-1)!! (2j-1)!! (2k-1)!!)
    ORB_TURBOMOLE,  // as ORB_UNIT, times sqrt((2l-1)!!)
    ORB_PRIMITIVES, // bare functions without a norm
    ORB_RULES,
};

// Largest deviations from an orthonormal set of orbitals. A right rule gives at most 1.1e-4, because files have few
// digits, a wrong one at least 9.6e-3.
struct orb_deviation {
    double electrons;      // |trace(P S) - sum of the occupations|
    double orthonormality; // largest |C S C^T - 1| over all pairs of orbitals of one spin
    double norms;          // the same over the diagonal
    bool possible;         // false: the rule does not apply to the functions of this file
};
#define ORB_DEVIATION_MAX 1e-3

struct orb_rule_choice {
    enum orb_rule rule;
    struct orb_deviation deviation[ORB_RULES];
    double electrons; // trace(P S) under the rule
    bool ambiguous;   // other rules fit as well: the note states which one was taken, and why
    char note[256];   // "": none
};

const char *orb_rule_name(enum orb_rule rule); // "standard", "unit", "raw", "orca", "psi4cart", ...

// Finds the rule of a wave function: the one with the smallest deviations. Of rules whose deviations are at most twice
// the smallest ones, the first of the enumeration is taken, or, if their functions differ, the one of the program that
// the file names. fchk files follow ORB_STANDARD or ORB_UNIT, bare functions ORB_PRIMITIVES. Fails with TRJ_BAD_DATA,
// with the deviations of each rule, if none is below ORB_DEVIATION_MAX.
//
// In wave functions of more than 1,000 functions, rules that a sample of 64 orbitals excludes have the deviations of
// the sample.
int orb_rule_find(struct orb_rule_choice *choice, const struct orb_wave_function *w, struct trj_error *err);

// Finds beta orbitals if w->spin_unknown is set: they begin with the first orbital that is not orthogonal to an earlier
// one. Sets the spins of the orbitals and has_beta, and clears spin_unknown; no effect if it is not set.
int orb_rule_find_spins(struct orb_wave_function *w, struct trj_error *err);

// Computes trace(P S) of each density matrix of the file, trace[w->densities]: the number of electrons, or the
// difference of the numbers of alpha and beta electrons.
int orb_rule_density_traces(const struct orb_wave_function *w, enum orb_rule rule, double *trace,
                            struct trj_error *err);

#endif
