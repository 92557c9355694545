// SPDX-License-Identifier: MIT
// The units of maps of the electrostatic potential, and their ratio to e/Å.
#ifndef POT_POTENTIAL_UNITS_H
#define POT_POTENTIAL_UNITS_H

#include <stdbool.h>

#include "tool.h"

enum pot_unit { POT_UNIT_KT, POT_UNIT_V, POT_UNIT_KCAL, POT_UNIT_KJ, POT_UNIT_E_PER_A, POT_UNITS };

extern const struct trj_choice pot_unit_choices[]; // [POT_UNITS] in the order of enum pot_unit; ends with a NULL name

// Returns the unit of a map (trj_map.unit) or of an option, in any spelling that trj_map_unit_parse reads: "kT/e",
// "kcal mol^-1 e^-1", "kcal/(mol e)". Returns POT_UNITS for another text, and for NULL and "".
enum pot_unit pot_unit_find(const char *text);

// The Coulomb constants of simulation programs, which differ in the fifth digit; ends with a NULL name. The first is
// the default.
extern const struct trj_choice pot_coulomb_choices[];
// Returns the Coulomb constant of a name of the list in kcal Å / (mol e^2); NULL: that of CODATA 2018. Returns 0 for
// another name.
double pot_coulomb(const char *name);

// Returns the potential of a charge of 1 e at a distance of 1 Å in vacuum, in this unit, with a Coulomb constant in
// kcal Å / (mol e^2). The temperature in K is used for kT/e only.
double pot_unit_of_charge(enum pot_unit unit, double coulomb, double temperature);

#endif
