// SPDX-License-Identifier: MIT
// The basis functions of a wave function as sums of Cartesian primitives x^i y^j z^k exp(-a r^2), which engines
// evaluate. The rule of normalisation is part of the coefficients.
#ifndef ORB_BASIS_H
#define ORB_BASIS_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "orbital_rule.h"
#include "wave_function.h"

// r is the distance from the centre in bohr.
struct orb_primitive {
    uint32_t centre;
    uint8_t power[3]; // i, j, k
    double exponent;  // a, bohr^-2
};

struct orb_term {
    uint32_t primitive;
    double coefficient;
};

struct orb_basis {
    size_t centres;
    double (*centre)[3]; // [centres], bohr; only atoms that have functions
    // Sorted by centre, then by descending exponent, then by powers. Each occurs once.
    size_t primitives;
    struct orb_primitive *primitive;
    // A function is the sum of coefficient times primitive over its terms, which are those from first_term[f] on,
    // before first_term[f + 1].
    size_t functions;
    size_t *first_term; // [functions + 1]
    struct orb_term *term;
};

// The caller frees the basis with orb_basis_free, also after a failure.
int orb_basis_make(struct orb_basis *b, const struct orb_wave_function *w, enum orb_rule rule, struct trj_error *err);
void orb_basis_free(struct orb_basis *b); // frees the members, not the struct

// Computes the coefficients of orbitals in the primitives: `of_primitive` [orbitals][primitives] from `coefficient`
// [orbitals][functions].
void orb_basis_expand(const struct orb_basis *b, size_t orbitals, const double *coefficient, double *of_primitive);

#endif
