// SPDX-License-Identifier: MIT
// Solid harmonics, overlaps of functions, and the rule of normalisation that makes orbitals orthonormal.
#include "gaussian_overlap.h"
#include "hand_made_wave.h"
#include "orbital_rule.h"
#include "solid_harmonics.h"
#include "tap.h"

enum { SIDE = ORB_L_MAX + 1 };
typedef long double polynomial[SIDE][SIDE][SIDE]; // coefficients of x^i y^j z^k

static void set_polynomial(polynomial p, uint32_t l, size_t index) {
    long double c[ORB_CARTESIANS_MAX];
    uint8_t power[ORB_CARTESIANS_MAX][3];
    size_t n = orb_cartesian_powers(l, power);
    memset(p, 0, sizeof(polynomial));
    orb_angular(l, true, index, c);
    for (size_t k = 0; k < n; k++) p[power[k][0]][power[k][1]][power[k][2]] = c[k];
}

#define EACH_POWER(i, j, k)                                                                                            \
    for (int i = 0; i < SIDE; i++)                                                                                     \
        for (int j = 0; j < SIDE; j++)                                                                                 \
            for (int k = 0; k < SIDE; k++)

// Returns the largest coefficient of the Laplacian.
static long double laplacian(polynomial p) {
    polynomial q = {{{0}}};
    long double worst = 0;
    EACH_POWER(i, j, k) {
        if (i > 1) q[i - 2][j][k] += i * (i - 1) * p[i][j][k];
        if (j > 1) q[i][j - 2][k] += j * (j - 1) * p[i][j][k];
        if (k > 1) q[i][j][k - 2] += k * (k - 1) * p[i][j][k];
    }
    EACH_POWER(i, j, k) worst = fmaxl(worst, fabsl(q[i][j][k]));
    return worst;
}

// Sets `to` to x dp/dy - y dp/dx, the derivative by the azimuth.
static void rotate(polynomial p, polynomial to) {
    memset(to, 0, sizeof(polynomial));
    EACH_POWER(i, j, k) {
        if (j && i + 1 < SIDE) to[i + 1][j - 1][k] += j * p[i][j][k];
        if (i && j + 1 < SIDE) to[i - 1][j + 1][k] -= i * p[i][j][k];
    }
}

static void test_harmonics(void) {
    polynomial p, first, second;
    static const int wanted_m[] = {0, 1, -1, 2, -2, 3, -3, 4, -4, 5, -5};
    for (uint32_t l = 0; l <= ORB_L_MAX; l++) {
        long double worst = 0;
        bool order = true, sign = true;
        for (size_t f = 0; f < orb_shell_functions(l, true); f++) {
            int m = orb_pure_m(l, f), size = abs(m);
            if (l != 1) order = order && m == wanted_m[f];
            set_polynomial(p, l, f);
            rotate(p, first);
            rotate(first, second);
            worst = fmaxl(worst, laplacian(p));
            EACH_POWER(i, j, k) worst = fmaxl(worst, fabsl(second[i][j][k] + m * m * p[i][j][k]));
            // Even in y for m >= 0, else odd; the leading term is positive.
            EACH_POWER(i, j, k) if (p[i][j][k] != 0) sign = sign && (j % 2 == (m < 0));
            sign = sign && p[size - (m < 0)][m < 0][(int)l - size] > 0;
        }
        ok(worst < 1e-17, "l = %u: harmonic, and eigenfunctions of the rotation about z: %Lg", (unsigned)l, worst);
        ok(order && sign, "l = %u: the order of m, and the phase", (unsigned)l);
    }
    long double c[ORB_CARTESIANS_MAX];
    orb_angular(2, true, 0, c);
    ok(fabsl(c[5] - 1 / sqrtl(3)) < 1e-18 && fabsl(c[0] + 0.5L / sqrtl(3)) < 1e-18 && c[1] == 0,
       "d0 is (2 zz - xx - yy) / (2 sqrt 3)");
    orb_angular(2, false, 1, c);
    ok(c[1] == 1 && c[0] == 0, "the norm of xy is 1");
    orb_angular(2, false, 0, c);
    ok(fabsl(c[0] - 1 / sqrtl(3)) < 1e-18, "the norm of xx is 1 / sqrt 3");
}

static void evaluate(const struct orb_function_set *set, const double r[3], double *value) {
    double monomial[ORB_SET_MAX], d[3], squares = 0, radial = 0;
    for (int k = 0; k < 3; k++) squares += pow(d[k] = r[k] - set->centre[k], 2);
    for (size_t p = 0; p < set->primitives; p++)
        radial += set->weight[ORB_OF_NORMALISED][p] * exp(-set->exponent[p] * squares);
    for (size_t c = 0; c < set->components; c++)
        monomial[c] = radial * pow(d[0], set->power[c][0]) * pow(d[1], set->power[c][1]) * pow(d[2], set->power[c][2]);
    for (size_t f = 0; f < set->functions; f++) {
        value[f] = set->angular ? 0 : monomial[f];
        for (size_t c = 0; set->angular && c < set->components; c++)
            value[f] += set->angular[f * set->components + c] * monomial[c];
    }
}

// The sum over a lattice of spacing h has a relative error of about exp(-pi^2 / (h^2 p)), with the sum p of the
// exponents: below 1e-17 here.
static void test_integration(void) {
    static double block[ORB_FAMILIES][ORB_SET_MAX * ORB_SET_MAX], sum[ORB_SET_MAX * ORB_SET_MAX];
    struct orb_wave_function w;
    struct orb_function_sets s;
    struct trj_error err;
    wave_begin(&w, "molden");
    wave_add_atom(&w, 0.1, -0.2, 0.3);
    for (uint32_t l = 0; l <= ORB_L_MAX; l++) wave_add_shell(&w, l, l % 2, 0.7, 2);
    wave_add_atom(&w, -0.4, 0.7, 1.1);
    for (uint32_t l = 0; l <= ORB_L_MAX; l++) wave_add_shell(&w, l, l % 2 == 0, 0.8, 2);
    ok(!orb_function_sets_make(&s, &w, &err) && s.count == 12, "sets of functions, with l up to 5");
    for (size_t l = 0; l <= ORB_L_MAX; l++) {
        const struct orb_function_set *a = &s.set[l], *b = &s.set[ORB_L_MAX + 1 + (l + 1) % (ORB_L_MAX + 1)];
        double worst = 0;
        memset(sum, 0, sizeof sum);
        for (int i = -32; i <= 32; i++)
            for (int j = -32; j <= 32; j++)
                for (int k = -32; k <= 32; k++) {
                    double r[3] = {i * 0.35, j * 0.35, k * 0.35}, f[ORB_SET_MAX], g[ORB_SET_MAX];
                    evaluate(a, r, f);
                    evaluate(b, r, g);
                    for (size_t m = 0; m < a->functions; m++)
                        for (size_t n = 0; n < b->functions; n++)
                            sum[m * b->functions + n] += f[m] * g[n] * 0.35 * 0.35 * 0.35;
                }
        ok(orb_set_overlap(&s, a, b, block), "l = %zu: overlaps with l = %u", l, (unsigned)b->l);
        for (size_t k = 0; k < a->functions * b->functions; k++)
            worst = fmax(worst, fabs(sum[k] - block[ORB_OF_NORMALISED][k]));
        ok(worst < 1e-13, "l = %zu: they are the integrals: %g", l, worst);
    }
    for (size_t l = 0; l < s.count; l++) {
        double worst = 0;
        orb_set_overlap(&s, &s.set[l], &s.set[l], block);
        for (size_t family = 0; family < ORB_FAMILIES; family++)
            for (size_t f = 0; f < s.set[l].functions; f++)
                worst = fmax(worst, fabs(block[family][f * s.set[l].functions + f] - 1));
        ok(worst < 1e-14, "shell %zu: both families have norm 1: %g", l, worst);
    }
    orb_function_sets_free(&s);
    wave_end(&w);
}

// Rotates by 90 degrees about (1, 1, 1), and by 0.7 about z.
static void turn(double r[3]) {
    double a[3] = {r[2], r[0], r[1]};
    r[0] = cos(0.7) * a[0] - sin(0.7) * a[1];
    r[1] = sin(0.7) * a[0] + cos(0.7) * a[1];
    r[2] = a[2];
}

// The sum of squares of the overlaps of two pure shells does not depend on the axes.
static void test_rotation(void) {
    static double block[ORB_FAMILIES][ORB_SET_MAX * ORB_SET_MAX];
    struct orb_wave_function w;
    struct orb_function_sets s;
    struct trj_error err;
    double squares[2][16], worst = 0;
    wave_begin(&w, "molden");
    wave_add_atom(&w, 0.1, -0.2, 0.3);
    for (uint32_t l = 2; l <= ORB_L_MAX; l++) wave_add_shell(&w, l, true, 0.9, 2);
    wave_add_atom(&w, -0.4, 0.7, 1.1);
    for (uint32_t l = 2; l <= ORB_L_MAX; l++) wave_add_shell(&w, l, true, 1.1, 3);
    for (int turned = 0; turned < 2; turned++) {
        if (orb_function_sets_make(&s, &w, &err)) abort();
        for (size_t k = 0; k < 16; k++) {
            const struct orb_function_set *a = &s.set[k / 4], *b = &s.set[4 + k % 4];
            squares[turned][k] = 0;
            orb_set_overlap(&s, a, b, block);
            for (size_t i = 0; i < a->functions * b->functions; i++) squares[turned][k] += pow(block[0][i], 2);
        }
        orb_function_sets_free(&s);
        for (size_t k = 0; k < w.atoms; k++) turn(w.atom[k].position);
    }
    for (size_t k = 0; k < 16; k++) worst = fmax(worst, fabs(squares[1][k] / squares[0][k] - 1));
    ok(worst < 1e-13, "rotated atoms: equal sums of squared overlaps: %g", worst);
    wave_end(&w);
}

// Three atoms. Cartesian files have d shells, pure ones also f and g shells.
static void begin_molecule(struct orb_wave_function *w, const char *format, bool pure) {
    wave_begin(w, format);
    wave_add_atom(w, 0.1, -0.2, 0.3);
    wave_add_shell(w, 0, true, 5, 3);
    wave_add_shell(w, 1, true, 2, 2);
    wave_add_shell(w, 2, pure, 0.9, 1);
    if (pure) wave_add_shell(w, 3, true, 0.8, 2);
    wave_add_atom(w, -1.4, 0.7, 1.1);
    wave_add_shell(w, 0, true, 3, 2);
    wave_add_shell(w, 2, pure, 0.7, 2);
    if (pure) wave_add_shell(w, 4, true, 0.8, 2);
    wave_add_atom(w, 0.9, 1.3, -0.6);
    wave_add_shell(w, 1, true, 0.8, 1);
}

static void test_rules(void) {
    struct trj_error err;
    struct orb_rule_choice choice;
    for (enum orb_rule rule = ORB_STANDARD; rule < ORB_PRIMITIVES; rule++) {
        struct orb_wave_function w;
        bool pure = rule != ORB_PSI4_CART && rule != ORB_CFOUR;
        begin_molecule(&w, "molden", pure);
        wave_add_orbitals(&w, w.functions - 2, rule, ORB_ALPHA);
        ok(!orb_rule_find(&choice, &w, &err) && choice.rule == rule && !choice.ambiguous && !*choice.note,
           "orbitals of the rule %s: it is found", orb_rule_name(rule));
        const struct orb_deviation *d = &choice.deviation[rule];
        ok(d->possible && d->electrons < 1e-12 && d->orthonormality < 1e-12 && d->norms <= d->orthonormality,
           "%s: deviations %g, %g", orb_rule_name(rule), d->electrons, d->orthonormality);
        ok(fabs(choice.electrons - (double)((w.functions - 2) / 2)) < 1e-12, "%s: electrons", orb_rule_name(rule));
        bool others = true;
        for (enum orb_rule other = 0; other < ORB_PRIMITIVES; other++)
            if (other != rule && choice.deviation[other].orthonormality < 1e-3)
                others =
                    pure && (other == ORB_UNIT || other == ORB_PSI4_CART || other == ORB_CFOUR) && (rule == ORB_UNIT);
        ok(others, "%s: the other rules do not fit, unless they have the same functions", orb_rule_name(rule));
        wave_end(&w);
    }
}

// Orbitals of few digits, and without a rule.
static void test_digits(void) {
    struct orb_wave_function w;
    struct trj_error err;
    struct orb_rule_choice choice;
    begin_molecule(&w, "molden", true);
    wave_add_orbitals(&w, 12, ORB_TURBOMOLE, ORB_ALPHA);
    for (size_t k = 0; k < 12 * w.functions; k++) w.coefficient[k] = round(w.coefficient[k] * 1e5) / 1e5;
    ok(!orb_rule_find(&choice, &w, &err) && choice.rule == ORB_TURBOMOLE &&
           choice.deviation[ORB_TURBOMOLE].orthonormality > 1e-7,
       "coefficients of five digits: the rule is found");
    for (size_t k = 0; k < w.functions; k++) w.coefficient[k] *= 1.001;
    ok(orb_rule_find(&choice, &w, &err) && err.status == TRJ_BAD_DATA && has_text(err.text, "(turbomole)") &&
           has_text(err.text, "(psi4cart)") && has_text(err.text, "; write the file again"),
       "an orbital that is too long by a thousandth: %s", err.text);
    w.coefficient[0] = NAN;
    ok(orb_rule_find(&choice, &w, &err) && err.status == TRJ_BAD_DATA, "a coefficient that is no number: rejected");
    w.contraction[0] = w.contraction[1] = w.contraction[2] = 0;
    ok(orb_rule_find(&choice, &w, &err) && has_text(err.text, "norm 0"), "a shell without a norm: %s", err.text);
    wave_end(&w);
}

static void test_formats(void) {
    struct orb_wave_function w;
    struct trj_error err;
    struct orb_rule_choice choice;
    begin_molecule(&w, "fchk", true);
    wave_add_orbitals(&w, 12, ORB_STANDARD, ORB_ALPHA);
    ok(!orb_rule_find(&choice, &w, &err) && choice.rule == ORB_STANDARD && !choice.deviation[ORB_RAW].possible &&
           choice.deviation[ORB_UNIT].possible,
       "fchk: only standard and unit are possible");
    wave_end(&w);
    begin_molecule(&w, "fchk", true);
    wave_add_orbitals(&w, 12, ORB_RAW, ORB_ALPHA);
    ok(orb_rule_find(&choice, &w, &err) && !has_text(err.text, "raw"), "fchk: other rules are not accepted");
    wave_end(&w);
}

// One atom shows no signs.
static void test_program(void) {
    struct orb_wave_function w;
    struct trj_error err;
    struct orb_rule_choice choice;
    wave_begin(&w, "molden");
    wave_add_atom(&w, 0, 0, 0);
    wave_add_shell(&w, 0, true, 1, 3);
    wave_add_shell(&w, 0, true, 2, 2);
    wave_add_shell(&w, 3, true, 0.8, 2);
    wave_add_orbitals(&w, 6, ORB_RAW, ORB_ALPHA);
    ok(!orb_rule_find(&choice, &w, &err) && choice.rule == ORB_RAW && choice.ambiguous &&
           has_text(choice.note, "raw and orca fit equally well; raw is taken"),
       "one atom with f functions: %s", choice.note);
    strcpy(w.title, "created by ORCA_2mkl");
    ok(!orb_rule_find(&choice, &w, &err) && choice.rule == ORB_ORCA && choice.ambiguous &&
           has_text(choice.note, "orca is taken, because the file names orca"),
       "the same by ORCA: %s", choice.note);
    wave_end(&w);
    wave_begin(&w, "molden");
    wave_add_atom(&w, 0, 0, 0);
    wave_add_shell(&w, 0, true, 1, 3);
    wave_add_shell(&w, 0, true, 2, 2);
    wave_add_orbitals(&w, 1, ORB_RAW, ORB_ALPHA);
    wave_add_shell(&w, 3, true, 0.8, 2);
    w.coefficient = realloc(w.coefficient, w.functions * sizeof(double));
    for (size_t f = 2; f < w.functions; f++) w.coefficient[f] = 0;
    ok(!orb_rule_find(&choice, &w, &err) && choice.rule == ORB_RAW && !choice.ambiguous,
       "no orbital contains an f function: no note, because both rules give the same orbitals");
    wave_end(&w);
}

static void test_spins(void) {
    struct orb_wave_function w;
    struct trj_error err;
    begin_molecule(&w, "molden", true);
    wave_add_orbitals(&w, 7, ORB_STANDARD, ORB_ALPHA);
    wave_add_orbitals(&w, 5, ORB_STANDARD, ORB_ALPHA);
    ok(!orb_rule_find_spins(&w, &err) && w.orbital[7].spin == ORB_ALPHA, "known spins stay");
    w.spin_unknown = true;
    ok(!orb_rule_find_spins(&w, &err) && w.has_beta && !w.spin_unknown && w.orbital[6].spin == ORB_ALPHA &&
           w.orbital[7].spin == ORB_BETA && w.orbital[11].spin == ORB_BETA,
       "unknown spins: beta begins where orbitals are not orthogonal");
    w.orbitals = 7;
    w.spin_unknown = true;
    ok(!orb_rule_find_spins(&w, &err) && !w.has_beta && !w.spin_unknown && w.orbital[6].spin == ORB_ALPHA,
       "orthogonal orbitals: all are alpha");
    wave_end(&w);
}

static void test_densities(void) {
    struct orb_wave_function w;
    struct trj_error err;
    double trace = NAN;
    begin_molecule(&w, "fchk", true);
    wave_add_orbitals(&w, 8, ORB_STANDARD, ORB_ALPHA);
    const size_t n = w.functions;
    w.densities = 1;
    w.density = calloc(1, sizeof *w.density);
    w.density->matrix = calloc(n * n, sizeof(double));
    for (size_t o = 0; o < 8; o++)
        for (size_t k = 0; k < n * n; k++)
            w.density->matrix[k] += 0.25 * w.coefficient[o * n + k / n] * w.coefficient[o * n + k % n];
    bool good = !orb_rule_density_traces(&w, ORB_STANDARD, &trace, &err) && fabs(trace - 2) < 1e-12;
    ok(good, "trace of a density matrix: %.15g", trace);
    wave_end(&w);
}

// Bare functions with one exponent share their integrals, in any order.
static void test_bare(void) {
    struct orb_wave_function w;
    struct trj_error err;
    struct orb_rule_choice choice;
    wave_begin(&w, "wfn");
    wave_add_atom(&w, 0, 0.3, 0);
    wave_add_atom(&w, 0.7, 0.2, -0.9);
    w.functions = w.bare_functions = 2 * 56 + 20;
    w.bare_function = calloc(w.functions, sizeof *w.bare_function);
    for (size_t f = 0, i = 0, j = 0, k = 0; f < w.functions; f++) {
        w.bare_function[f] = (struct orb_bare_function){.atom = f % 2, .exponent = f < 112 ? 0.7 : 1.5};
        w.bare_function[f].power[0] = (uint8_t)i;
        w.bare_function[f].power[1] = (uint8_t)j;
        w.bare_function[f].power[2] = (uint8_t)k;
        if (f % 2 == 0) continue;
        if (i + j + ++k > 5) {
            k = 0;
            if (i + ++j > 5) {
                j = 0;
                i = (i + 1) % 6;
            }
        }
    }
    wave_add_orbitals(&w, 20, ORB_PRIMITIVES, ORB_ALPHA);
    bool good = !orb_rule_find(&choice, &w, &err);
    const struct orb_deviation *d = &choice.deviation[ORB_PRIMITIVES];
    ok(good && choice.rule == ORB_PRIMITIVES && d->orthonormality < 1e-9 && !choice.deviation[ORB_STANDARD].possible,
       "bare functions: deviation %g", d->orthonormality);
    wave_end(&w);
}

int main(void) {
    test_harmonics();
    test_integration();
    test_rotation();
    test_rules();
    test_digits();
    test_formats();
    test_program();
    test_spins();
    test_densities();
    test_bare();
    return done();
}
