// SPDX-License-Identifier: MIT
// Computes the units of results: products of powers of symbols, such as "A^-3", "kJ/mol" or "e A^-3". Symbols are not
// converted into one another: kJ and kcal are different. Powers may be halves, as in "bohr^-3/2", the unit of orbitals.
#ifndef TRJ_MAP_UNIT_H
#define TRJ_MAP_UNIT_H

#include <stdbool.h>

#include "error.h"
#include "map.h"

enum { TRJ_MAP_UNIT_FACTORS = 8, TRJ_MAP_UNIT_SYMBOL = 24, TRJ_MAP_UNIT_POWER_MAX = 99 };

// Without factors, the unit is that of a plain number, or unknown.
struct trj_map_unit {
    unsigned count;
    struct trj_map_unit_factor {
        char symbol[TRJ_MAP_UNIT_SYMBOL];
        int halves;                 // twice the power; not 0
    } factor[TRJ_MAP_UNIT_FACTORS]; // each symbol once
    char text[TRJ_MAP_TEXT_MAX + 1];
};

// Reads symbols with optional powers, as "A^-3", "nm2" or "bohr^-3/2", separated by blanks or '*'; '/' inverts the next
// one. A text of another form is one symbol, or unknown if it is too long for that. NULL is "".
struct trj_map_unit trj_map_unit_parse(const char *text);
// Returns whether both have the same symbols with the same powers, in any order.
bool trj_map_unit_same(const struct trj_map_unit *a, const struct trj_map_unit *b);
// Returns a^n b^m, or an unknown unit if the result has too many symbols or too large powers. The text is that of `a`
// or `b` if the result is the same unit.
struct trj_map_unit trj_map_unit_product(const struct trj_map_unit *a, int n, const struct trj_map_unit *b, int m);
// Returns the square root, or an unknown unit if a power is no multiple of 1/2.
struct trj_map_unit trj_map_unit_root(const struct trj_map_unit *a);
// Returns whether the unit is that of an orbital, the power -3/2 of one length, as "bohr^-3/2" or "A^-3/2".
bool trj_map_unit_is_of_orbital(const struct trj_map_unit *u);
// Sets *name to the length that integrals of a map multiply its unit by: "bohr" if the unit contains a power of it,
// otherwise "A". Returns this length in Å.
double trj_map_unit_length(const char *unit, const char **name);

#endif
