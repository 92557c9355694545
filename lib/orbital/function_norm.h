// SPDX-License-Identifier: MIT
// Applies rules of normalisation to the functions of a shell. Each rule begins with functions of one of two families,
// which are scaled to norm 1, and then multiplies each function by a factor.
#ifndef ORB_FUNCTION_NORM_H
#define ORB_FUNCTION_NORM_H

#include <stddef.h>

#include "orbital_rule.h"
#include "wave_function.h"

// The contraction coefficients multiply primitives of norm 1, or bare ones.
enum orb_family { ORB_OF_NORMALISED, ORB_OF_BARE, ORB_FAMILIES };

enum orb_family orb_rule_family(enum orb_rule rule);

// Returns the coefficient of exp(-a r^2) of a primitive of the shell, before the scaling. Multiplied by the polynomials
// of orb_angular, it is a coefficient of bare primitives; for ORB_OF_BARE, apart from a factor that is the same for all
// primitives, which the scaling removes.
long double orb_radial_coefficient(const struct orb_wave_function *w, const struct orb_shell *s, size_t primitive,
                                   enum orb_family family);

// Returns the norm of the functions of a shell before the scaling; it is the same for all of them.
long double orb_shell_norm(const struct orb_wave_function *w, const struct orb_shell *s, enum orb_family family);

// Returns whether the functions of both families, scaled to norm 1, differ by less than about 1e-6.
bool orb_families_agree(const struct orb_wave_function *w, const struct orb_shell *s);

// Returns the factor of function `index` of a shell after the scaling. `norm` is that of orb_shell_norm for
// ORB_OF_NORMALISED.
long double orb_rule_factor(enum orb_rule rule, const struct orb_shell *s, size_t index, long double norm);

#endif
