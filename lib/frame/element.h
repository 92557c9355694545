// SPDX-License-Identifier: MIT
// Provides symbols and standard masses of the chemical elements.
#ifndef TRJ_ELEMENT_H
#define TRJ_ELEMENT_H

#include <stddef.h>

struct trj_element {
    char symbol[3];
    double mass; // u
};

enum { TRJ_ELEMENTS = 118 };

// [Z], Z = 1 .. 118; [0] is the unknown element: "", 0. element.c cites the source of the masses.
extern const struct trj_element trj_elements[TRJ_ELEMENTS + 1];

// Returns Z of a symbol in any case ("CL", "Cl"), 0 if there is none.
unsigned trj_element_find(const char *symbol, size_t length);

// Does the same for a symbol in its correct spelling: "Cl", not "CL".
unsigned trj_element_find_exact(const char *symbol, size_t length);

// Returns the van der Waals radius of an element in Å; NaN if Z is 0 or the table has none. element.c cites the source.
double trj_bondi_radius(unsigned z);

#endif
