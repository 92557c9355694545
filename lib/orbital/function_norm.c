// SPDX-License-Identifier: MIT
// States the rules of normalisation in one place, for the search of the rule and for the coefficients of the basis.
#include "function_norm.h"

#include <math.h>

#include "solid_harmonics.h"

enum orb_family orb_rule_family(enum orb_rule rule) {
    return rule == ORB_RAW || rule == ORB_ORCA ? ORB_OF_BARE : ORB_OF_NORMALISED;
}

long double orb_radial_coefficient(const struct orb_wave_function *w, const struct orb_shell *s, size_t primitive,
                                   enum orb_family family) {
    long double c = w->contraction[s->primitive + primitive];
    return family == ORB_OF_BARE ? c : c * orb_radial_norm(s->l, w->exponent[s->primitive + primitive]);
}

// Returns the overlap of the functions of two families.
static long double overlap(const struct orb_wave_function *w, const struct orb_shell *s, enum orb_family first,
                           enum orb_family second) {
    long double sum = 0;
    for (size_t q = 0; q < s->primitives; q++) {
        const long double c = orb_radial_coefficient(w, s, q, second);
        for (size_t p = 0; p < s->primitives; p++) {
            long double a = w->exponent[s->primitive + p], b = w->exponent[s->primitive + q];
            // The integral of exp(-(a + b) r^2) and a squared polynomial whose function has norm 1 for N_l = 1.
            long double radial = 1 / orb_radial_norm(s->l, (a + b) / 2);
            sum += orb_radial_coefficient(w, s, p, first) * c * radial * radial;
        }
    }
    return sum;
}

long double orb_shell_norm(const struct orb_wave_function *w, const struct orb_shell *s, enum orb_family family) {
    return sqrtl(overlap(w, s, family, family));
}

bool orb_families_agree(const struct orb_wave_function *w, const struct orb_shell *s) {
    if (s->primitives == 1) return true;
    long double cosine = overlap(w, s, ORB_OF_NORMALISED, ORB_OF_BARE) /
                         (orb_shell_norm(w, s, ORB_OF_NORMALISED) * orb_shell_norm(w, s, ORB_OF_BARE));
    return cosine > 1 - 1e-12L;
}

long double orb_rule_factor(enum orb_rule rule, const struct orb_shell *s, size_t index, long double norm) {
    const int l = (int)s->l, m = s->pure ? orb_pure_m(s->l, index) : 0, size = m < 0 ? -m : m;
    uint8_t power[ORB_CARTESIANS_MAX][3];
    long double of_shell = orb_odd_factorial(2 * l - 1), of_component = 1;
    if (!s->pure) {
        orb_cartesian_powers(s->l, power);
        for (int k = 0; k < 3; k++) of_component *= orb_odd_factorial(2 * power[index][k] - 1);
    }
    switch (rule) {
    case ORB_STANDARD:
        return norm;
    case ORB_ORCA:
        return l >= 3 && (size == 3 || size == 4) ? -1 : 1;
    case ORB_PSI4_CART:
        return s->pure ? 1 : sqrtl(of_component / of_shell);
    case ORB_CFOUR:
        return s->pure ? 1 : sqrtl(of_component);
    case ORB_TURBOMOLE:
        return sqrtl(of_shell);
    case ORB_UNIT:
    case ORB_RAW:
    case ORB_PRIMITIVES:
    case ORB_RULES:
        break;
    }
    return 1;
}
