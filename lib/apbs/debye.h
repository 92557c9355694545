// SPDX-License-Identifier: MIT
// Ions of a solution, and the Debye-Hueckel screening that they cause.
#ifndef POT_DEBYE_H
#define POT_DEBYE_H

#include "error.h"

struct pot_ion {
    double charge;        // e
    double concentration; // mol/l
    double radius;        // Å, used by solvers alone
};

enum { POT_IONS_MAX = 10 }; // the limit of APBS

struct pot_ions {
    unsigned count;
    struct pot_ion ion[POT_IONS_MAX];
};

// Parses "CHARGE:CONCENTRATION:RADIUS,...", such as "1:0.15:2.0,-1:0.15:2.0". The radius may be omitted (2 Å). Fails
// with TRJ_USAGE, also as pot_ions_check.
int pot_ions_parse(struct pot_ions *ions, const char *text, struct trj_error *err);
// Fails with TRJ_BAD_DATA unless concentrations are from 0 to 100 mol/l, radii are 0 or larger, and the charges
// neutralise one another, to a thousandth of the largest contribution.
int pot_ions_check(const struct pot_ions *ions, struct trj_error *err);

// Returns the ionic strength in mol/l: half the sum of concentration * charge^2.
double pot_ionic_strength(const struct pot_ions *ions);

// Returns the inverse Debye length in 1/Å for an ionic strength in mol/l, a dielectric constant and a temperature in K:
// kappa^2 = 8 pi N_A e^2 I / (1000 eps k_B T) in Gaussian units; 0 without ions. The constants are those of APBS 3.4.1:
// N_A = 6.022045e23/mol, e = 4.803242384e-10 esu, k_B = 1.380662e-16 erg/K. The Debye length is 7.856597 Å at 0.15
// mol/l, 78.54 and 298.15 K, of which APBS prints 7.8566; with the constants of CODATA 2018 it is 7.856559 Å.
double pot_debye_kappa(double ionic_strength, double dielectric, double temperature);

// Returns the value of 1 e/Å in kT/e at a temperature in K with the constants of APBS 3.4.1: e = 1.6021773e-19 C, eps0
// = 8.8541878e-12 F/m, k_B = 1.3806581e-23 J/K. It is 5.8e-6 smaller than the unit kT/e of potential_units.h. With this
// factor, the sums of the method mdh are the boundary values of APBS (bcfl mdh): the faces of the maps that it writes
// agree to half a unit of the last of 7 digits.
double pot_apbs_kt_factor(double temperature);

#endif
