// SPDX-License-Identifier: MIT
// Overlap integrals of Cartesian Gaussian primitives x^i y^j z^k exp(-a r^2), which are products of integrals in one
// dimension, and sets of functions that share them.
//
// One dimension: with p = a + b and P = (a A + b B) / p, the integral s_ij of (x-A)^i (x-B)^j exp(-a (x-A)^2) exp(-b
// (x-B)^2) is given by s_00 = sqrt(pi / p) exp(-a b (A-B)^2 / p) and the recursion of Obara and Saika,
// s_i+1,j = (P-A) s_ij + (i s_i-1,j + j s_i,j-1) / (2 p), and the same for j with P-B (T. Helgaker, P. Jorgensen, J.
// Olsen, Molecular Electronic-Structure Theory, equations 9.3.8 and 9.3.9).
#ifndef ORB_GAUSSIAN_OVERLAP_H
#define ORB_GAUSSIAN_OVERLAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "function_norm.h"
#include "wave_function.h"

enum { ORB_SET_MAX = 56 }; // functions of a set: all bare functions of one exponent up to l = 5

// Functions with one centre that share their exponents: those of a shell, or bare functions with equal exponents. Those
// of a shell are scaled to norm 1; bare functions are not.
struct orb_function_set {
    double centre[3];
    size_t primitives;
    const double *exponent;             // [primitives]
    const double *weight[ORB_FAMILIES]; // [primitives] each
    uint32_t l;                         // largest i + j + k
    size_t components;
    const uint8_t (*power)[3]; // [components]
    size_t functions;
    const double *angular; // [functions][components]; NULL: function f is component f
};

struct orb_function_sets {
    size_t families; // 2 for shells, 1 for bare functions
    size_t count;
    struct orb_function_set *set;
    size_t *order; // [functions of the wave function] numbers of the functions of set 0, then of set 1, ...
    // Memory of the sets.
    double *weight[ORB_FAMILIES];
    uint8_t (*power)[3], (*shell_power)[ORB_CARTESIANS_MAX][3];
    double *angular;
};

// Fails with TRJ_BAD_DATA if the norm of a shell is not finite, or 0. The wave function must outlive the sets. The
// caller frees them with orb_function_sets_free, also after a failure.
int orb_function_sets_make(struct orb_function_sets *s, const struct orb_wave_function *w, struct trj_error *err);
void orb_function_sets_free(struct orb_function_sets *s); // frees the members, not the struct

// Computes the overlaps of the functions of two sets, block[f][g] for each family, with g below b->functions. Returns
// false if all are 0: products of primitives that are below 1e-19 of their value at one centre are left out.
bool orb_set_overlap(const struct orb_function_sets *s, const struct orb_function_set *a,
                     const struct orb_function_set *b, double block[ORB_FAMILIES][ORB_SET_MAX * ORB_SET_MAX]);

#endif
