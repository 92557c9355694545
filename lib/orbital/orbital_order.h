// SPDX-License-Identifier: MIT
// The order of the orbitals of one spin, in which HOMO and LUMO are neighbours: all occupied orbitals, then all others,
// each by energy. Files have other orders, such as that of symmetries.
#ifndef ORB_ORDER_H
#define ORB_ORDER_H

#include <stdbool.h>
#include <stddef.h>

#include "error.h"
#include "wave_function.h"

// Larger differences from a whole number are fractional occupations: files have few digits.
#define ORB_WHOLE 1e-3

struct orb_order {
    size_t count;
    size_t *orbital; // [count] numbers from 0 in the file
    size_t occupied; // the HOMO is orbital[occupied - 1], the LUMO orbital[occupied]
    // Natural orbitals and those with fractional occupations are in the order of descending occupations, and of
    // energies only where these are equal. Without energies, orbitals are in the order of the file.
    bool by_occupation;
};

// An orbital is occupied if its occupation is at least half of the full one, which is 1 if the file lists beta orbitals
// or has no occupation above 1, else 2. Of orbitals with equal energies, the one with the higher number follows. The
// caller frees the order with orb_order_free, also after a failure.
int orb_order_make(struct orb_order *o, const struct orb_wave_function *w, enum orb_spin spin, struct trj_error *err);
void orb_order_free(struct orb_order *o); // frees the members, not the struct

// Returns whether the energies of the orbitals are known: those of natural orbitals, and zeros, do not count.
bool orb_has_energies(const struct orb_wave_function *w);

double orb_full_occupation(const struct orb_wave_function *w); // 1 or 2

#endif
