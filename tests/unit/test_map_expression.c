// SPDX-License-Identifier: MIT
// Expressions and units of maps: values, order of operations, unknown values, and errors with their position.
#include "map_expression.h"

#include "tap.h"
#include "units.h"

static struct trj_error err;
static const char *const names[] = {"a", "b", "water_1", "psi"};
enum { COUNT = 4, MANY = 1000 };

// Evaluates an expression at one point with a = 3, b = -2 and water_1 = 0.5.
static double value(const char *text) {
    static const double a = 3, b = -2, c = 0.5;
    const double *const values[] = {&a, &b, &c, &c};
    struct trj_map_expression *e;
    double result;
    if (trj_map_expression_parse(&e, text, names, COUNT, &err)) {
        printf("# %s\n", err.text);
        return -12345;
    }
    trj_map_expression_evaluate(e, values, 1, &result);
    trj_map_expression_free(e);
    return result;
}

static void test_values(void) {
    static const struct {
        const char *text;
        double value;
    } list[] = {
        {"a", 3},
        {"a + b * 2", -1},
        {"(a+b)*2", 2},
        {"a - b - 1", 4},
        {"12 / a / 2", 2},
        {"-a^2", -9},
        {"(-a)^2", 9},
        {"a^-1", 1.0 / 3},
        {"2^10", 1024},
        {"a**2", 9},
        {"2*-a", -6},
        {"--a", 3},
        {"+a", 3},
        {"1e-2 * a", 0.03},
        {".5*a", 1.5},
        {"water_1 * 4", 2},
        {"min(a, b, water_1)", -2},
        {"max(a, b, water_1)", 3},
        {"abs(b) + sqrt(4)", 4},
        {"log(1) + exp(0)", 1},
        {"a > b", 1},
        {"a < b", 0},
        {"a <= 3 and a >= 3", 1},
        {"a == 3 or nan > 1", NAN},
        {"a != 3", 0},
        {"not a > b", 0},
        {"not 0 and 1", 1},
        {"1 or 0 and 0", 1},
        {"1 + 1 > 1 * 1", 1},
        {"if(a > 0, a, nan)", 3},
        {"if(a < 0, nan, b)", -2},
        {"if(nan, 1, 2)", NAN},
        {"a + nan", NAN},
        {"min(nan, a)", NAN},
        {"max(a, nan)", NAN},
        {"nan == nan", NAN},
        {"inf - inf", NAN},
        {"-log(0)", INFINITY},
        {"0 / 0", NAN},
        {"number(a)", 3},
        {"\ta\t+ b ", 1},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        double v = value(list[i].text);
        ok(isnan(list[i].value) ? isnan(v) && !signbit(v) : v == list[i].value, "%s: %g", list[i].text, v);
    }
}

static void test_many(void) {
    static double a[MANY], b[MANY], c[MANY];
    const double *const values[] = {a, b, c, c};
    struct trj_map_expression *e;
    bool good = true;
    for (int i = 0; i < MANY; i++) {
        a[i] = i;
        b[i] = 2 * i - 500;
    }
    if (trj_map_expression_parse(&e, "if(b > 0, a * b, -a)", names, COUNT, &err)) abort();
    ok(trj_map_expression_uses(e, 0) && trj_map_expression_uses(e, 1) && !trj_map_expression_uses(e, 2), "variables");
    trj_map_expression_evaluate(e, values, MANY, a); // the result replaces a variable
    for (int i = 0; i < MANY; i++) good = good && a[i] == (b[i] > 0 ? i * b[i] : -i);
    ok(good, "many points");
    trj_map_expression_free(e);
}

static void rejects(const char *text, const char *what) {
    struct trj_map_expression *e;
    bool failed = trj_map_expression_parse(&e, text, names, COUNT, &err);
    ok(failed && err.status == TRJ_USAGE && has_text(err.text, what), "'%.40s' rejected: %s", text,
       failed ? err.text : "no");
    if (!failed) trj_map_expression_free(e);
}

static void test_rejected(void) {
    rejects("", "character 1: the expression ends too early");
    rejects("a +", "character 4: the expression ends too early");
    rejects("a b", "character 3: expected an operator");
    rejects("2a", "character 2: expected an operator, such as '*'");
    rejects("(a", "character 3: expected ')'");
    rejects("a)", "character 2: expected an operator or the end");
    rejects("a.dx", "character 2");
    rejects("c - a", "character 1: unknown name; give the map as NAME=FILE");
    rejects("log a", "character 5: expected '('");
    rejects("log(a, b)", "too many arguments");
    rejects("min(a)", "requires another argument");
    rejects("if(a, b)", "if requires three arguments");
    rejects("a ^ 0.5", "integer power");
    rejects("a ^ b", "integer power");
    rejects("a ^ 65", "at most 64");
    rejects("a^2^3", "character 5: a second exponent; use brackets");
    rejects("a < b < 3", "a second comparison");
    rejects("a ++ * b", "expected a number, a name or '('");
    rejects("a & b", "character 3");
    rejects("and", "unknown name");
    char deep[500], wide[30000] = "a";
    memset(deep, '(', sizeof deep);
    deep[sizeof deep - 1] = '\0';
    rejects(deep, "too many nested levels");
    memset(deep, '-', sizeof deep - 1);
    rejects(deep, "too many nested levels");
    for (size_t i = 1; i + 2 < sizeof wide; i += 2) memcpy(wide + i, "+a", 3);
    rejects(wide, "too many operations");
    ok(trj_map_expression_is_name("a1_", 3) && !trj_map_expression_is_name("1a", 2) &&
           !trj_map_expression_is_name("log", 3) && !trj_map_expression_is_name("nan", 3) &&
           !trj_map_expression_is_name("a.dx", 4) && !trj_map_expression_is_name("", 0),
       "names of variables");
}

// Returns the unit of an expression with a in A^-3, b in kJ/mol, water_1 without a unit, and psi in
// bohr^-3/2; NULL after an error.
static const char *unit_of(const char *text) {
    static struct trj_map_unit unit;
    struct trj_map_unit units[] = {trj_map_unit_parse("A^-3"), trj_map_unit_parse("kJ/mol"), trj_map_unit_parse(""),
                                   trj_map_unit_parse("bohr^-3/2")};
    struct trj_map_expression *e;
    if (trj_map_expression_parse(&e, text, names, COUNT, &err)) abort();
    int rc = trj_map_expression_unit(&unit, e, units, &err);
    trj_map_expression_free(e);
    return rc ? NULL : unit.text;
}

static void test_units(void) {
    static const char *const list[][2] = {
        {"a", "A^-3"},
        {"a + 1", "A^-3"},
        {"2 * a - a", "A^-3"},
        {"a + water_1", "A^-3"},
        {"a / a", ""},
        {"a * a", "A^-6"},
        {"a * b", "kJ A^-3 mol^-1"},
        {"b / 4.184", "kJ/mol"},
        {"1 / b", "mol kJ^-1"},
        {"a > 0.1", ""},
        {"log(a)", ""},
        {"sqrt(a * a)", "A^-3"},
        {"sqrt(a)", "A^-3/2"},
        {"sqrt(sqrt(a))", ""},
        {"psi * psi", "bohr^-3"},
        {"psi^3", "bohr^-9/2"},
        {"psi / psi", ""},
        {"2 * psi", "bohr^-3/2"},
        {"1 / psi", "bohr^3/2"},
        {"a * psi", "A^-3 bohr^-3/2"},
        {"sqrt(psi * psi)", "bohr^-3/2"},
        {"abs(-b)", "kJ/mol"},
        {"max(a, 0)", "A^-3"},
        {"a^2", "A^-6"},
        {"if(a > 1, b, 0)", "kJ/mol"},
        {"number(a) + b", "kJ/mol"},
        {"number(a)", ""},
        {"a^0", ""},
        {"a > 1 and b > 1", ""},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        const char *u = unit_of(list[i][0]);
        ok(u && !strcmp(u, list[i][1]), "unit of %s: '%s'", list[i][0], u ? u : err.text);
    }
    static const char *const bad[] = {"a + b", "a > b", "min(a, 1, b)", "if(1, a, b)", "a - a * a"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ok(!unit_of(bad[i]) && err.status == TRJ_BAD_DATA && has_text(err.text, "cannot be added or compared"),
           "%s: %s", bad[i], err.text);
    static const char *const same[][2] = {{"A^-3", "1/A^3"},
                                          {"kJ/mol", "mol^-1 kJ"},
                                          {"A-3", "A^-3"},
                                          {"e A^-3", "e/A^3"},
                                          {"kJ mol-1", "kJ/mol"},
                                          {"bohr^-3/2", "1/bohr^3/2"},
                                          {"e bohr-3/2/mol", "mol^-1 bohr^-3/2 e"}};
    static const char *const orbitals[] = {"bohr^-3/2", "A^-3/2", "1/nm^3/2"}, *const others[] = {"bohr^-3", "e^-3/2",
                                                                                                  ""};
    for (size_t i = 0; i < 3; i++) {
        struct trj_map_unit a = trj_map_unit_parse(orbitals[i]), b = trj_map_unit_parse(others[i]);
        ok(trj_map_unit_is_of_orbital(&a) && !trj_map_unit_is_of_orbital(&b),
           "%s is the unit of an orbital, '%s' is not", orbitals[i], others[i]);
    }
    const char *length;
    ok(trj_map_unit_length("hartree bohr^-3", &length) == TRJ_BOHR && !strcmp(length, "bohr") &&
           trj_map_unit_length("A^-3", &length) == 1 && !strcmp(length, "A") && trj_map_unit_length(NULL, &length) == 1,
       "lengths of integrals");
    static const char *const other[][2] = {
        {"A^-3", "A^3"},    {"kJ/mol", "kcal/mol"}, {"nm^-3", "A^-3"}, {"(e)/A", "e/A"}, {"A^-3/2", "A^-3"},
        {"A^-4/2", "A^-2"}, {"A^-3/22", "A^-3/2"},  {"A^", "A"},       {"A//e", "A/e"}};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        struct trj_map_unit a = trj_map_unit_parse(same[i][0]), b = trj_map_unit_parse(same[i][1]);
        ok(a.count && trj_map_unit_same(&a, &b), "%s is %s", same[i][0], same[i][1]);
    }
    for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
        struct trj_map_unit a = trj_map_unit_parse(other[i][0]), b = trj_map_unit_parse(other[i][1]);
        ok(a.count && b.count && !trj_map_unit_same(&a, &b), "%s is not %s", other[i][0], other[i][1]);
    }
}

static bool keeps(const char *text) {
    struct trj_map_expression *e;
    if (trj_map_expression_parse(&e, text, names, COUNT, &err)) abort();
    bool result = trj_map_expression_keeps_quantity(e);
    trj_map_expression_free(e);
    return result;
}

static void test_quantities(void) {
    static const char *const same[] = {"a",         "-a + 2 * b", "a / (1 + 2^2)", "abs(a)",
                                       "min(a, 1)", "number(a)",  "1 + 1",         "if(a > b * b, a, exp(0))",
                                       "a * log(2)"},
                             *const other[] = {"a * b",  "a / b",     "1 / a",   "a^2",
                                               "log(a)", "sqrt(a)",   "a > b",   "if(a > 0, 1, 0)",
                                               "not a",  "a + b * a", "-exp(b)", "2 * (a and b)"};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) ok(keeps(same[i]), "'%s' has the quantity of a", same[i]);
    for (size_t i = 0; i < sizeof other / sizeof *other; i++) ok(!keeps(other[i]), "'%s' has another one", other[i]);
}

int main(void) {
    test_values();
    test_many();
    test_rejected();
    test_units();
    test_quantities();
    return done();
}
