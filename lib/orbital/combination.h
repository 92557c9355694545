// SPDX-License-Identifier: MIT
// Linear combinations of primitives, which are orbitals or basis functions, in the form in which a box of a lattice is
// computed: psi(x, y, z) is the sum over columns of X(x) W(y, z), where X = x^i exp(-a x^2) is common to the primitives
// of one centre and exponent with the same power of x, and W is the sum of their c y^j z^k exp(-a (y^2 + z^2)). Merging
// by the power of x leaves 1020 columns of the 1680 primitives of C60 with 6-31G(d).
#ifndef ORB_COMBINATION_H
#define ORB_COMBINATION_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "orbital_basis.h"

// Primitives with one centre and exponent.
struct orb_group {
    uint32_t centre;
    uint32_t powers[3]; // largest power of each coordinate, plus 1
    double exponent;
};

struct orb_column_term {
    uint32_t power[2]; // of y and z
    double coefficient;
};

struct orb_column {
    uint32_t group, power; // of x
    size_t first_term;     // its terms end where those of the next column begin
};

struct orb_combinations {
    size_t groups;
    struct orb_group *group;
    size_t count; // of combinations
    size_t *first_column;
    size_t columns;
    struct orb_column *column; // [columns + 1], sorted by combination, group and power
    size_t terms;
    struct orb_column_term *term;
};

// Sets the combinations to the functions of a basis, or to orbitals: coefficient[count][functions]. Terms whose
// coefficient is 0 are left out. The caller frees them with orb_combinations_free, also after a failure, which is
// TRJ_FAILED for lack of memory.
int orb_combinations_of_functions(struct orb_combinations *c, const struct orb_basis *b, struct trj_error *err);
int orb_combinations_of_orbitals(struct orb_combinations *c, const struct orb_basis *b, size_t count,
                                 const double *coefficient, struct trj_error *err);
void orb_combinations_free(struct orb_combinations *c);

#endif
