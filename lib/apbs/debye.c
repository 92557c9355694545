// SPDX-License-Identifier: MIT
// Parses the ions of a solution and computes their ionic strength and screening, so that APBS and potmap screen alike.
#include "debye.h"

#include <math.h>
#include <string.h>

#include "number.h"

static const double PI = 0x1.921fb54442d18p+1;
static const double DEFAULT_RADIUS = 2;      // Å
static const double CONCENTRATION_MAX = 100; // mol/l; a larger number is probably in mmol/l

static int parse_ion(struct pot_ion *ion, const char *text, size_t length, struct trj_error *err) {
    char copy[96];
    double value[3] = {0, 0, DEFAULT_RADIUS};
    unsigned n = 0;
    bool valid = length < sizeof copy;
    if (valid) {
        memcpy(copy, text, length);
        copy[length] = 0;
    }
    for (char *part = copy; valid && part; n++) {
        char *colon = strchr(part, ':');
        if (colon) *colon++ = 0;
        valid = n < 3 && trj_parse_real(part, &value[n]);
        part = colon;
    }
    if (!valid || n < 2)
        return trj_fail(err, TRJ_USAGE,
                        "invalid ion '%.*s': expected CHARGE:CONCENTRATION:RADIUS, in e, mol/l and Angstrom",
                        (int)(length < sizeof copy ? length : sizeof copy), text);
    *ion = (struct pot_ion){value[0], value[1], value[2]};
    return 0;
}

int pot_ions_parse(struct pot_ions *ions, const char *text, struct trj_error *err) {
    *ions = (struct pot_ions){.count = 0};
    for (const char *item = text; item;) {
        size_t length = strcspn(item, ",");
        if (ions->count == POT_IONS_MAX)
            return trj_fail(err, TRJ_USAGE, "more than %d kinds of ions; combine those of the same charge",
                            POT_IONS_MAX);
        if (parse_ion(&ions->ion[ions->count++], item, length, err)) return -1;
        item = item[length] ? item + length + 1 : NULL;
    }
    if (!pot_ions_check(ions, err)) return 0;
    err->status = TRJ_USAGE;
    return -1;
}

int pot_ions_check(const struct pot_ions *ions, struct trj_error *err) {
    double charge = 0, largest = 0;
    for (unsigned i = 0; i < ions->count; i++) {
        const struct pot_ion *ion = &ions->ion[i];
        if (!(ion->concentration >= 0 && ion->concentration <= CONCENTRATION_MAX && ion->radius >= 0))
            return trj_fail(err, TRJ_BAD_DATA,
                            "ion of charge %g: concentration %g mol/l and radius %g Å, expected 0 to %g mol/l, and a "
                            "radius of at least 0",
                            ion->charge, ion->concentration, ion->radius, CONCENTRATION_MAX);
        charge += ion->charge * ion->concentration;
        largest = fmax(largest, fabs(ion->charge * ion->concentration));
    }
    if (fabs(charge) <= 1e-3 * largest) return 0;
    return trj_fail(err, TRJ_BAD_DATA,
                    "the ions have a charge of %g e mol/l in all, expected 0; add ions of the opposite charge", charge);
}

double pot_ionic_strength(const struct pot_ions *ions) {
    double strength = 0;
    for (unsigned i = 0; i < ions->count; i++)
        strength += 0.5 * ions->ion[i].concentration * ions->ion[i].charge * ions->ion[i].charge;
    return strength;
}

double pot_debye_kappa(double ionic_strength, double dielectric, double temperature) {
    const double avogadro = 6.022045e23, charge = 4.803242384e-10, boltzmann = 1.380662e-16;
    // The square is in 1/cm^2, of which 1e-16 make 1/Å^2. The sum of the moles is that of 1000 cm^3.
    return sqrt(ionic_strength * 1e-16 *
                (8 * PI * avogadro * charge * charge / (1000 * dielectric * boltzmann * temperature)));
}

double pot_apbs_kt_factor(double temperature) {
    const double charge = 1.6021773e-19, permittivity = 8.8541878e-12, boltzmann = 1.3806581e-23, angstrom = 1e-10;
    return charge * charge / (4 * PI * permittivity * boltzmann * temperature * angstrom);
}
