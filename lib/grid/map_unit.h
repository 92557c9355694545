// SPDX-License-Identifier: MIT
// Computes the units of results: products of powers of symbols, such as "A^-3", "kJ/mol" or "e A^-3". Symbols are not
// converted into one another: kJ and kcal are different.
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
        int power;                  // not 0
    } factor[TRJ_MAP_UNIT_FACTORS]; // each symbol once
    char text[TRJ_MAP_TEXT_MAX + 1];
};

// Reads symbols with optional powers, as "A^-3" or "nm2", separated by blanks or '*'; '/' inverts the next one. A text
// of another form is one symbol, or unknown if it is too long for that. NULL is "".
struct trj_map_unit trj_map_unit_parse(const char *text);
// Returns whether both have the same symbols with the same powers, in any order.
bool trj_map_unit_same(const struct trj_map_unit *a, const struct trj_map_unit *b);
// Returns a^n b^m, or an unknown unit if the result has too many symbols or too large powers. The text is that of `a`
// or `b` if the result is the same unit.
struct trj_map_unit trj_map_unit_product(const struct trj_map_unit *a, int n, const struct trj_map_unit *b, int m);
// Returns the square root, or an unknown unit if a power is odd.
struct trj_map_unit trj_map_unit_root(const struct trj_map_unit *a);

#endif
