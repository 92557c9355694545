// SPDX-License-Identifier: MIT
// The basis of a wave function, and values at points: functions that are known in closed form, derivatives, quantities.
#include "hand_made_wave.h"
#include "orbital_basis.h"
#include "orbital_point.h"
#include "tap.h"

static const double pi = 3.14159265358979323846;

static void test_sorted(void) {
    struct orb_wave_function w;
    struct orb_basis b;
    struct trj_error err;
    wave_begin(&w, "molden");
    wave_add_atom(&w, 9, 9, 9); // has no functions
    wave_add_atom(&w, 1, 2, 3);
    wave_add_shell(&w, 0, true, 2, 2);
    wave_add_shell(&w, 1, true, 4, 3);
    wave_add_shell(&w, 0, true, 1, 1);
    wave_add_shell(&w, 2, true, 2, 1);
    ok(!orb_basis_make(&b, &w, ORB_STANDARD, &err) && b.centres == 1 && b.centre[0][2] == 3,
       "only atoms with functions are centres");
    ok(b.primitives == 2 + 9 + 6 && b.functions == 1 + 3 + 1 + 5, "functions of one exponent share primitives");
    bool sorted = true;
    for (size_t k = 1; k < b.primitives; k++) {
        const struct orb_primitive *p = &b.primitive[k - 1], *q = &b.primitive[k];
        sorted = sorted && (p->exponent > q->exponent ||
                            (p->exponent == q->exponent && memcmp(p->power, q->power, sizeof p->power) < 0));
    }
    ok(sorted, "primitives are sorted, and each occurs once");
    ok(b.first_term[1] == 2 && b.first_term[2] - b.first_term[1] == 3 &&
           b.first_term[b.functions - 5 + 1] - b.first_term[b.functions - 5] == 3,
       "terms: one for each primitive with a coefficient");
    double coefficient[2 * 10] = {0}, of_primitive[2 * 17];
    coefficient[0] = coefficient[10 + 4] = 1;
    orb_basis_expand(&b, 2, coefficient, of_primitive);
    ok(of_primitive[b.term[0].primitive] == b.term[0].coefficient &&
           of_primitive[17 + b.term[b.first_term[4]].primitive] == b.term[b.first_term[4]].coefficient,
       "orbitals as sums of primitives");
    orb_basis_free(&b);
    wave_end(&w);
}

// A shell with one primitive, under each rule.
static double value_of(uint32_t l, bool pure, size_t index, enum orb_rule rule, double a, const double r[3]) {
    struct orb_wave_function w;
    struct orb_basis b;
    struct orb_jet jet[ORB_CARTESIANS_MAX];
    struct trj_error err;
    wave_begin(&w, "molden");
    wave_add_atom(&w, 0, 0, 0);
    wave_add_shell(&w, l, pure, a, 1);
    w.contraction[0] = 1;
    if (orb_basis_make(&b, &w, rule, &err)) return NAN;
    orb_point_functions(&b, r, jet);
    orb_basis_free(&b);
    wave_end(&w);
    return (double)jet[index].value;
}

static bool near(double a, double b) {
    return fabs(a - b) <= 1e-15 * fabs(b);
}

static void test_functions(void) {
    const double r[3] = {0.3, -0.8, 0.5}, a = 0.7, x = r[0], y = r[1], z = r[2];
    const double e = exp(-a * (x * x + y * y + z * z)), s = pow(2 * a / pi, 0.75), p = 2 * sqrt(a) * s, d = 4 * a * s;
    ok(near(value_of(0, true, 0, ORB_STANDARD, a, r), s * e), "s: (2 a / pi)^(3/4) exp(-a r^2)");
    ok(near(value_of(1, true, 1, ORB_STANDARD, a, r), p * y * e), "p y: 2 sqrt(a) y s");
    ok(near(value_of(2, false, 1, ORB_STANDARD, a, r), d * x * y * e), "d xy: 4 a x y s");
    ok(near(value_of(2, false, 0, ORB_STANDARD, a, r), d * x * x * e / sqrt(3)), "d xx: 4 a x x s / sqrt 3");
    ok(near(value_of(2, false, 1, ORB_PSI4_CART, a, r), d * x * y * e / sqrt(3)), "psi4cart: xy has the norm of xx");
    ok(near(value_of(2, false, 0, ORB_PSI4_CART, a, r), d * x * x * e / sqrt(3)), "psi4cart: xx has norm 1");
    ok(near(value_of(2, false, 0, ORB_CFOUR, a, r), d * x * x * e), "cfour: xx times sqrt 3");
    ok(near(value_of(2, false, 1, ORB_CFOUR, a, r), d * x * y * e), "cfour: xy");
    ok(near(value_of(2, false, 1, ORB_TURBOMOLE, a, r), sqrt(3) * d * x * y * e), "turbomole: xy times sqrt 3");
    ok(near(value_of(2, true, 4, ORB_UNIT, a, r), d * x * y * e), "pure d-2: 4 a x y s");
    ok(near(value_of(2, true, 3, ORB_RAW, a, r), d * (x * x - y * y) / 2 * e), "pure d+2: 2 a (x x - y y) s");
    double f3 = pow(4 * a, 1.5) * s * (x * x * x - 3 * x * y * y) / sqrt(24) * e;
    ok(near(value_of(3, true, 5, ORB_RAW, a, r), f3), "f+3: (4 a)^(3/2) x (x x - 3 y y) s / sqrt 24");
    ok(near(value_of(3, true, 5, ORB_ORCA, a, r), -f3), "orca: f+3 with the opposite sign");
    ok(near(value_of(3, true, 3, ORB_ORCA, a, r), value_of(3, true, 3, ORB_RAW, a, r)), "orca: f+2 as it is");
    bool signs = true;
    static const int reversed[] = {0, 0, 0, 0, 0, 1, 1, 1, 1, 0, 0};
    for (size_t k = 0; k < 11; k++)
        signs = signs && near(value_of(5, true, k, ORB_ORCA, a, r),
                              (reversed[k] ? -1 : 1) * value_of(5, true, k, ORB_RAW, a, r));
    ok(signs, "orca: h+-3 and h+-4 have the opposite sign, h+-5 has not");
}

// The 1s orbital of hydrogen in STO-3G: W. J. Hehre, R. F. Stewart, J. A. Pople, J. Chem. Phys. 51, 2657 (1969).
static void test_hydrogen(void) {
    struct orb_wave_function w;
    struct orb_basis b;
    struct orb_jet jet;
    struct trj_error err;
    wave_begin(&w, "molden");
    wave_add_atom(&w, 0, 0, 0);
    wave_add_shell(&w, 0, true, 1, 3);
    const double exponent[] = {3.42525091, 0.62391373, 0.16885540}, c[] = {0.15432897, 0.53532814, 0.44463454};
    memcpy(w.exponent, exponent, sizeof exponent);
    memcpy(w.contraction, c, sizeof c);
    if (!ok(!orb_basis_make(&b, &w, ORB_STANDARD, &err), "hydrogen")) return;
    const double origin[3] = {0, 0, 0}, away[3] = {0, 1.5, 0};
    double at_origin = 0;
    for (int k = 0; k < 3; k++) at_origin += c[k] * pow(2 * exponent[k] / pi, 0.75);
    orb_point_functions(&b, origin, &jet);
    ok(near((double)jet.value, at_origin) && jet.gradient[1] == 0, "1s at the nucleus: %.12g", (double)jet.value);
    // The Slater function that it approximates has the exponent 1.24.
    orb_point_functions(&b, away, &jet);
    double slater = sqrt(1.24 * 1.24 * 1.24 / pi) * exp(-1.24 * 1.5);
    ok(fabs((double)jet.value - slater) < 0.005, "1s at 1.5 bohr: %.6g, of the Slater function: %.6g",
       (double)jet.value, slater);
    orb_basis_free(&b);
    wave_end(&w);
}

static void begin_molecule(struct orb_wave_function *w, bool pure) {
    wave_begin(w, "molden");
    wave_add_atom(w, 0.1, -0.2, 0.3);
    for (uint32_t l = 0; l <= ORB_L_MAX; l++) wave_add_shell(w, l, pure, 0.9, 2);
    wave_add_atom(w, -0.4, 0.7, 1.1);
    for (uint32_t l = 0; l <= 2; l++) wave_add_shell(w, l, !pure, 1.1, 2);
}

// Gradients and Hessians against central differences of values and gradients. Step h: the error is about h^2.
static void test_derivatives(void) {
    static struct orb_jet jet[128], plus[128], minus[128];
    static const int element[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    const double point[3] = {0.7, 0.2, -0.3}, h = 1e-4;
    for (int pure = 0; pure < 2; pure++) {
        struct orb_wave_function w;
        struct orb_basis b;
        struct trj_error err;
        long double worst[2] = {0};
        begin_molecule(&w, pure);
        if (!ok(!orb_basis_make(&b, &w, ORB_STANDARD, &err), "functions up to l = 5")) return;
        orb_point_functions(&b, point, jet);
        for (int k = 0; k < 3; k++) {
            double next[3] = {point[0], point[1], point[2]}, last[3] = {point[0], point[1], point[2]};
            next[k] += h;
            last[k] -= h;
            orb_point_functions(&b, next, plus);
            orb_point_functions(&b, last, minus);
            for (size_t f = 0; f < b.functions; f++) {
                long double step = (long double)next[k] - last[k];
                worst[0] = fmaxl(worst[0], fabsl((plus[f].value - minus[f].value) / step - jet[f].gradient[k]));
                for (int i = 0; i < 3; i++)
                    worst[1] = fmaxl(worst[1], fabsl((plus[f].gradient[i] - minus[f].gradient[i]) / step -
                                                     jet[f].hessian[element[k][i]]));
            }
        }
        ok(worst[0] < 1e-6 && worst[1] < 1e-6, "%s: gradient %.2Lg, Hessian %.2Lg from differences",
           pure ? "pure" : "Cartesian", worst[0], worst[1]);
        orb_basis_free(&b);
        wave_end(&w);
    }
}

// Two orbitals: s functions of two centres, of which all quantities are simple expressions.
static void test_quantities(void) {
    struct orb_wave_function w;
    struct orb_basis b;
    struct trj_error err;
    struct orb_jet function[2], orbital[2];
    long double value[2];
    wave_begin(&w, "molden");
    wave_add_atom(&w, 0, 0, -1);
    wave_add_shell(&w, 0, true, 0.8, 1);
    wave_add_atom(&w, 0, 0, 1);
    wave_add_shell(&w, 0, true, 0.5, 1);
    w.contraction[0] = w.contraction[1] = 1;
    if (!ok(!orb_basis_make(&b, &w, ORB_STANDARD, &err), "two s functions")) return;
    const double point[3] = {0.3, 0.4, 0}, coefficient[4] = {1, 0, 0, 1}, weight[2] = {2, 1}, far[3] = {0, 0, 80};
    double f = pow(1.6 / pi, 0.75) * exp(-0.8 * 1.25), g = pow(1 / pi, 0.75) * exp(-0.5 * 1.25);
    double df[3] = {-1.6 * 0.3 * f, -1.6 * 0.4 * f, -1.6 * f}, dg[3] = {-0.3 * g, -0.4 * g, g}, gradient = 0, tau = 0;
    double rho = 2 * f * f + g * g, laplacian = 0;
    for (int k = 0; k < 3; k++) {
        gradient += pow(4 * f * df[k] + 2 * g * dg[k], 2);
        tau += df[k] * df[k] + dg[k] * dg[k] / 2;
    }
    // The Laplacian of exp(-2 a r^2) is (16 a^2 r^2 - 12 a) exp(-2 a r^2).
    laplacian = 2 * f * f * (16 * 0.64 * 1.25 - 12 * 0.8) + g * g * (16 * 0.25 * 1.25 - 12 * 0.5);
    double homogeneous = 0.3 * pow(3 * pi * pi, 2 / 3.0) * pow(rho, 5 / 3.0);
    double ratio = (tau - gradient / (8 * rho)) / homogeneous;
    const double wanted[ORB_QUANTITIES] = {[ORB_ORBITALS] = f,
                                           [ORB_PRODUCT] = f * g,
                                           [ORB_DENSITY] = rho,
                                           [ORB_GRADIENT] = sqrt(gradient),
                                           [ORB_LAPLACIAN] = laplacian,
                                           [ORB_KINETIC] = tau,
                                           [ORB_REDUCED_GRADIENT] =
                                               sqrt(gradient) / (2 * cbrt(3 * pi * pi) * pow(rho, 4 / 3.0)),
                                           [ORB_ELF] = 1 / (1 + ratio * ratio),
                                           [ORB_LOL] = 1 / (1 + tau / homogeneous)};
    for (enum orb_quantity q = 0; q < ORB_QUANTITIES; q++) {
        struct orb_job job = {.basis = &b, .quantity = q, .orbitals = 2, .coefficient = coefficient, .weight = weight};
        orb_point_functions(&b, point, function);
        orb_point_values(&job, function, orbital, value);
        ok(fabs((double)value[0] - wanted[q]) < 1e-14 * fabs(wanted[q]), "quantity %d: %.15Lg, expected %.15g", (int)q,
           value[0], wanted[q]);
        if (q == ORB_ORBITALS) ok(near((double)value[1], g), "the second orbital");
        // Between the nuclei, the density decreases in two directions.
        if (q == ORB_REDUCED_GRADIENT) ok(near((double)value[1], -rho), "sign(lambda2) rho: %.15Lg", value[1]);
        if (q < ORB_REDUCED_GRADIENT) continue;
        orb_point_functions(&b, far, function);
        orb_point_values(&job, function, orbital, value);
        ok(value[0] == (q == ORB_REDUCED_GRADIENT ? ORB_REDUCED_GRADIENT_MAX : 0), "quantity %d, far away: %Lg", (int)q,
           value[0]);
    }
    orb_basis_free(&b);
    wave_end(&w);
}

// The sign of the second eigenvalue, for densities whose Hessian is known: exp(-a x^2 - b y^2 - c z^2) at the origin,
// in rotated axes.
static void test_eigenvalue(void) {
    static const double diagonal[][3] = {{-1, -2, -3}, {3, -1, -2},  {1, 2, -3},
                                         {1, 2, 3},    {-1, -1, -1}, {2, 0.5, -0.1}};
    static const int sign[] = {-1, -1, 1, 1, -1, 1};
    bool good = true;
    for (size_t k = 0; k < sizeof sign / sizeof *sign; k++) {
        struct orb_jet function = {.value = 1}, orbital;
        struct orb_basis b = {.functions = 1};
        const double one = 1, weight = 1, c = cos(0.6), s = sin(0.6), *d = diagonal[k];
        long double value[2];
        // rho = psi^2 with psi = 1 and no gradient has twice the Hessian of psi.
        const long double hessian[6] = {
            c * c * d[0] + s * s * d[1], c * s * (d[0] - d[1]), 0, s * s * d[0] + c * c * d[1], 0, d[2]};
        memcpy(function.hessian, hessian, sizeof hessian);
        struct orb_job job = {
            .basis = &b, .quantity = ORB_REDUCED_GRADIENT, .orbitals = 1, .coefficient = &one, .weight = &weight};
        orb_point_values(&job, &function, &orbital, value);
        good = good && value[1] == sign[k];
    }
    ok(good, "the sign of the second eigenvalue of a Hessian");
}

// Rotation about z, under which pure functions of one |m| are combined with each other only.
static void test_rotation(void) {
    struct orb_wave_function w;
    struct orb_basis b, turned;
    struct trj_error err;
    static struct orb_jet f[64], g[64];
    wave_begin(&w, "molden");
    wave_add_atom(&w, 0.1, -0.2, 0.3);
    wave_add_shell(&w, 2, true, 0.9, 2);
    wave_add_shell(&w, 4, true, 0.7, 2);
    wave_add_atom(&w, -0.4, 0.7, 1.1);
    wave_add_shell(&w, 5, true, 1.1, 2);
    bool good = !orb_basis_make(&b, &w, ORB_STANDARD, &err);
    const double angle = 0.7, c = cos(angle), s = sin(angle), point[3] = {0.7, 0.2, -0.3};
    const double moved[3] = {c * point[0] - s * point[1], s * point[0] + c * point[1], point[2]};
    for (size_t k = 0; k < w.atoms; k++) {
        double *r = w.atom[k].position, x = r[0];
        r[0] = c * x - s * r[1];
        r[1] = s * x + c * r[1];
    }
    good = good && !orb_basis_make(&turned, &w, ORB_STANDARD, &err);
    if (!ok(good, "a molecule, and the same rotated about z")) return;
    orb_point_functions(&b, point, f);
    orb_point_functions(&turned, moved, g);
    // The functions +m and -m are cos(m phi) and sin(m phi): those of the rotated molecule are combinations of them.
    long double worst = 0;
    for (size_t shell = 0; shell < w.shells; shell++)
        for (int m = 0; m <= (int)w.shell[shell].l; m++) {
            size_t plus = w.shell[shell].function + (m ? 2 * (size_t)m - 1 : 0), minus = plus + (m > 0);
            long double cosine = cosl(m * angle), sine = sinl(m * angle);
            worst = fmaxl(worst,
                          fabsl(g[plus].value - (m ? cosine * f[plus].value - sine * f[minus].value : f[plus].value)));
            if (m) worst = fmaxl(worst, fabsl(g[minus].value - sine * f[plus].value - cosine * f[minus].value));
        }
    ok(worst < 1e-15, "functions of the rotated molecule at the rotated point: %.2Lg", worst);
    orb_basis_free(&b);
    orb_basis_free(&turned);
    wave_end(&w);
}

int main(void) {
    test_sorted();
    test_functions();
    test_hydrogen();
    test_derivatives();
    test_quantities();
    test_eigenvalue();
    test_rotation();
    return done();
}
