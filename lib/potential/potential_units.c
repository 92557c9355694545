// SPDX-License-Identifier: MIT
// Converts e/Å to other units with constants of CODATA 2018, in one table.
#include "potential_units.h"

#include <string.h>

#include "map_unit.h"
#include "units.h"

const struct trj_choice pot_unit_choices[] = {
    {"kT/e", "k_B times the temperature, divided by the elementary charge"},
    {"V", "volt"},
    {"kcal/mol/e", "kilocalorie (4.184 kJ) per mole and elementary charge"},
    {"kJ/mol/e", "kilojoule per mole and elementary charge"},
    {"e/A", "elementary charge per Angstrom (Gaussian units)"},
    {NULL, NULL},
};

enum pot_unit pot_unit_find(const char *text) {
    // trj_map_unit_parse reads no parentheses.
    static const char *const other[POT_UNITS] = {"k_BT/e", "volt", "kcal/(mol e)", "kJ/(mol e)", "e/Angstrom"};
    static const char *const same[POT_UNITS] = {"kBT/e", "Volt", "kcal/(mol*e)", "kJ/(mol*e)", "e/Å"};
    const struct trj_map_unit given = trj_map_unit_parse(text);
    for (int i = 0; text && *text && i < POT_UNITS; i++) {
        const struct trj_map_unit unit = trj_map_unit_parse(pot_unit_choices[i].name);
        if (!strcmp(text, other[i]) || !strcmp(text, same[i]) || (given.count && trj_map_unit_same(&given, &unit)))
            return (enum pot_unit)i;
    }
    return POT_UNITS;
}

// CODATA 2018 (E. Tiesinga et al., Rev. Mod. Phys. 93, 025010 (2021)): e / (4 pi epsilon_0) in V Å; the other factors
// are exact in the SI of 2019.
static const double codata_volt = 14.399645478425668;
static const double kj_per_ev = 96.48533212331; // e N_A, kJ/(mol V)
static const double kj_per_kcal = 4.184;

const struct trj_choice pot_coulomb_choices[] = {
    {"codata", "332.06371 kcal Angstrom / (mol e^2), from the constants of CODATA 2018"},
    {"amber", "332.0522173 (18.2223 squared)"},
    {"charmm", "332.0716"},
    {"namd", "332.0636"},
    {"gromacs", "332.0637141 (138.935458 kJ nm / (mol e^2))"},
    {NULL, NULL},
};

double pot_coulomb(const char *name) {
    const double kcal[] = {codata_volt * kj_per_ev / kj_per_kcal, 18.2223 * 18.2223, 332.0716, 332.0636,
                           1389.35458 / kj_per_kcal};
    if (!name) return kcal[0];
    for (int i = 0; pot_coulomb_choices[i].name; i++)
        if (!strcmp(name, pot_coulomb_choices[i].name)) return kcal[i];
    return 0;
}

double pot_unit_of_charge(enum pot_unit unit, double coulomb, double temperature) {
    switch (unit) {
    case POT_UNIT_KT:
        return coulomb * kj_per_kcal / (TRJ_GAS_CONSTANT * temperature);
    case POT_UNIT_V:
        return coulomb * kj_per_kcal / kj_per_ev;
    case POT_UNIT_KCAL:
        return coulomb;
    case POT_UNIT_KJ:
        return coulomb * kj_per_kcal;
    default:
        return 1;
    }
}
