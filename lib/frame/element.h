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

// [Z], Z = 1 .. 118; [0] is the unknown element: "", 0.
// Masses: conventional and abridged standard atomic weights, IUPAC CIAAW 2021 (Pure Appl. Chem. 2022, 94, 573); for elements without
// one, the mass number of a long-lived isotope.
extern const struct trj_element trj_elements[TRJ_ELEMENTS + 1];

// Z of a symbol in any case ("CL", "Cl"), 0 if there is none.
unsigned trj_element_find(const char *symbol, size_t length);

// The same for a symbol as chemists write it: "Cl", not "CL".
unsigned trj_element_find_exact(const char *symbol, size_t length);

#endif
