// SPDX-License-Identifier: MIT
// Tests units of potentials: factors are those of independent computations, and texts survive arithmetic with maps.
#include "map_expression.h"
#include "map_unit.h"
#include "number.h"
#include "potential_units.h"
#include "tap.h"

static struct trj_error err;

static bool near(double a, double b, double tolerance) {
    return fabs(a - b) <= tolerance * fabs(b);
}

// Expected values were computed with 40 decimal digits from e, N_A, k_B (SI of 2019) and eps0 of CODATA 2018.
static void test_factors(void) {
    static const struct {
        const char *unit;
        double value;
    } expected[POT_UNITS] = {{"kT/e", 560.45932214753453},
                             {"V", 14.399645478425671},
                             {"kcal/mol/e", 332.06371329919223},
                             {"kJ/mol/e", 1389.3545764438202},
                             {"e/A", 1}};
    for (int i = 0; i < POT_UNITS; i++) {
        double value = pot_unit_of_charge((enum pot_unit)i, pot_coulomb("codata"), 298.15);
        ok(!strcmp(pot_unit_choices[i].name, expected[i].unit) && near(value, expected[i].value, 1e-13),
           "1 e/A is %.15g %s", value, pot_unit_choices[i].name);
    }
    ok(near(pot_unit_of_charge(POT_UNIT_KT, pot_coulomb(NULL), 149.075), 2 * 560.45932214753453, 1e-13),
       "kT/e: half the temperature, twice the value");
}

static void test_constants(void) {
    static const struct {
        const char *name;
        double value;
    } expected[] = {{"codata", 332.06371329919223},
                    {"amber", 332.05221729},
                    {"charmm", 332.0716},
                    {"namd", 332.0636},
                    {"gromacs", 332.06371414913957}};
    size_t count = sizeof expected / sizeof *expected;
    for (size_t i = 0; i < count; i++)
        ok(!strcmp(pot_coulomb_choices[i].name, expected[i].name) &&
               near(pot_coulomb(expected[i].name), expected[i].value, 1e-14),
           "%s: %.12g", expected[i].name, pot_coulomb(expected[i].name));
    ok(!pot_coulomb_choices[count].name && pot_coulomb("Amber") == 0, "other names are unknown");
    for (size_t i = 0; i < count; i++) {
        double digits;
        ok(trj_scan_real(pot_coulomb_choices[i].help, &digits) && near(digits, expected[i].value, 3e-8),
           "help of %s gives its value", expected[i].name);
    }
}

static void test_spellings(void) {
    static const struct {
        const char *text;
        enum pot_unit unit;
    } known[] = {{"kT/e", POT_UNIT_KT},
                 {"kT e^-1", POT_UNIT_KT},
                 {"V", POT_UNIT_V},
                 {"kcal/mol/e", POT_UNIT_KCAL},
                 {"e^-1 kcal mol^-1", POT_UNIT_KCAL},
                 {"kcal/(mol e)", POT_UNIT_KCAL},
                 {"kJ mol^-1 e^-1", POT_UNIT_KJ},
                 {"A^-1 e", POT_UNIT_E_PER_A},
                 {"kT", POT_UNITS},
                 {"kcal/mol", POT_UNITS},
                 {"A^-3", POT_UNITS},
                 {"", POT_UNITS},
                 {NULL, POT_UNITS}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        ok(pot_unit_find(known[i].text) == known[i].unit, "unit of '%s'", known[i].text ? known[i].text : "NULL");
}

// Every unit is a product of powers of symbols, so that mapmath computes the units of its results.
static void test_map_units(void) {
    static const char *const times_charge[POT_UNITS] = {"kT", "V e", "kcal mol^-1", "kJ mol^-1", "e^2 A^-1"};
    struct trj_map_unit charge = trj_map_unit_parse("e");
    for (int i = 0; i < POT_UNITS; i++) {
        const char *name = pot_unit_choices[i].name;
        struct trj_map_unit unit = trj_map_unit_parse(name), expected = trj_map_unit_parse(times_charge[i]);
        struct trj_map_unit energy = trj_map_unit_product(&unit, 1, &charge, 1);
        ok(unit.count && !strcmp(unit.text, name) && trj_map_unit_same(&energy, &expected), "%s times e is %s", name,
           energy.text);
    }
}

static void test_expressions(void) {
    static const struct {
        const char *text, *unit;
    } valid[] = {{"a - 2 * b", "kT/e"}, {"log(a)", ""}, {"exp(-a)", ""}, {"a * c", "kT"}};
    static const char *const names[] = {"a", "b", "c", "d"};
    const struct trj_map_unit units[] = {trj_map_unit_parse("kT/e"), trj_map_unit_parse("kT/e"),
                                         trj_map_unit_parse("e"), trj_map_unit_parse("V")};
    struct trj_map_expression *e;
    struct trj_map_unit unit;
    for (size_t i = 0; i < sizeof valid / sizeof *valid; i++) {
        bool good = !trj_map_expression_parse(&e, valid[i].text, names, 4, &err) &&
                    !trj_map_expression_unit(&unit, e, units, &err);
        ok(good && !strcmp(unit.text, valid[i].unit), "unit of %s is '%s'", valid[i].text, unit.text);
        trj_map_expression_free(e);
    }
    ok(!trj_map_expression_parse(&e, "a - d", names, 4, &err) && trj_map_expression_unit(&unit, e, units, &err) &&
           has_text(err.text, "'kT/e'") && has_text(err.text, "'V'"),
       "kT/e - V: rejected with both units");
    trj_map_expression_free(e);
}

int main(void) {
    test_factors();
    test_constants();
    test_spellings();
    test_map_units();
    test_expressions();
    return done();
}
