// SPDX-License-Identifier: MIT
// Readers of wave functions: each dialect and trap of the formats in small files made here, hostile files, and the real
// files of the shared folder.
#include <float.h>
#include <math.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zstd.h>

#include "tap.h"
#include "wave_function.h"

static struct trj_error err;
static struct orb_wave_function w;
static char folder[] = "/tmp/test_wave_function.XXXXXX";

static int read_path(const char *path) {
    orb_wave_function_free(&w);
    err = (struct trj_error){0};
    return orb_wave_function_read(&w, path, &err);
}

static const char *save(const char *name, const char *content) {
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(content, 1, strlen(content), f) != strlen(content) || fclose(f)) abort();
    return path;
}

static int read_text(const char *content) {
    return read_path(save("file", content));
}

// Returns a text in which the first `old` is replaced.
static const char *replaced(const char *text, const char *old, const char *new) {
    static char result[1 << 15];
    const char *found = strstr(text, old);
    if (!found) abort();
    snprintf(result, sizeof result, "%.*s%s%s", (int)(found - text), text, new, found + strlen(old));
    return result;
}

static bool is_noted(const char *part) {
    for (size_t i = 0; i < w.notes; i++)
        if (strstr(w.note[i], part)) return true;
    return false;
}

static bool near(double a, double b) {
    return fabs(a - b) <= 1e-12 * (1 + fabs(b));
}

// Fails unless the text is rejected with an error that contains `part` and a remedy.
static void rejected(const char *content, const char *part, const char *what) {
    bool bad = read_text(content) && err.status == TRJ_BAD_DATA;
    ok(bad && strstr(err.text, part) && strstr(err.text, "; ") && strstr(err.text, folder), "%s: rejected: %s", what,
       bad ? err.text : "no error");
}

// ---- the hydrogen molecule in STO-3G in each format

#define PRIMITIVES "3.42525091 0.15432897\n0.62391373 0.53532814\n0.16885540 0.44463454\n"

static const char h2_molden[] = "[Molden Format]\n"
                                "[Title]\n Molden file created by orca_2mkl for BaseName=h2\n"
                                "[Atoms] AU\n"
                                "H 1 1 0.0 0.0 0.0\nH 2 1 0.0 0.0 1.4\n"
                                "[GTO]\n  1 0\ns 3 1.00\n" PRIMITIVES "\n  2 0\ns 3 1.00\n" PRIMITIVES "\n"
                                "[MO]\n"
                                " Sym= 1a\n Ene= -0.578\n Spin= Alpha\n Occup= 2.0\n 1 0.5489341\n 2 0.5489341\n"
                                " Sym= 2a\n Ene= 0.670\n Spin= Alpha\n Occup= 0.0\n 1 1.2114572\n 2 -1.2114572\n";

static bool is_h2(void) {
    bool good = w.atoms == 2 && w.functions == 2 && w.orbitals >= 1 && w.atom[1].number == 1 && w.primitives == 6 &&
                near(w.atom[1].position[2], 1.4) && near(w.exponent[4], 0.62391373) &&
                near(w.contraction[5], 0.44463454) && near(w.coefficient[1], 0.5489341) && w.orbital[0].occupation == 2;
    return good && (w.orbitals == 1 || near(w.coefficient[3], -1.2114572));
}

static void test_molden(void) {
    ok(!read_text(h2_molden) && is_h2() && !w.has_beta && !w.notes && isnan(w.atom[0].charge) && isnan(w.electrons),
       "Molden: %s", err.text);
    ok(!strcmp(w.format, "molden") && !strcmp(w.program, "orca_2mkl") && strstr(w.title, "BaseName=h2") &&
           !strcmp(w.orbital[1].label, "2a") && near(w.orbital[0].energy, -0.578),
       "Molden: title, program, symmetry and energy");
    ok(!read_text(replaced(h2_molden, "[Atoms] AU", "[ATOMS] (au)   ")) && is_h2(), "Molden: the unit is (au)");
    double bohr = 0.529177210903;
    char angstrom[64];
    snprintf(angstrom, sizeof angstrom, "0.0 0.0 %.15f\n", 1.4 * bohr);
    char changed[4096];
    snprintf(changed, sizeof changed, "%s", replaced(h2_molden, "0.0 0.0 1.4\n", angstrom));
    ok(!read_text(replaced(changed, "[Atoms] AU", "[Atoms] Angs")) && is_h2() && !w.notes, "Molden: Angstrom");
    ok(!read_text(replaced(changed, "[Atoms] AU", "[Atoms]")) && is_h2() && is_noted("taken as Angstrom"),
       "Molden: no unit: Angstrom, with a note");
    ok(!read_text(replaced(h2_molden, "s 3 1.00", " S   3")) && is_h2(), "Molden: a shell without a third number");
    ok(!read_text(replaced(h2_molden, "s 3 1.00", "s 3 0")) && is_h2(), "Molden: zero is not a scale factor");
    ok(!read_text(replaced(h2_molden, "3.42525091 0.15432897", "0.342525091D+01   0.15432897D+00")) && is_h2(),
       "Molden: exponents with D");
    ok(!read_text(replaced(h2_molden, "[MO]",
                           "[Molden Format]   \n[SCFCONV]\n 1 THROUGH 2\n[N_Atoms]\n 2\n"
                           "[Charge] (Mulliken)\n 0.0\n [MO]  ")) &&
           is_h2(),
       "Molden: [Molden Format] twice, sections without meaning here, and blanks after them");
    ok(!read_text(replaced(h2_molden, " 2 -1.2114572", "\t2\t-1.2114572")) && is_h2(), "Molden: tabs");
    ok(!read_text(replaced(h2_molden, " Ene= -0.578", " Ene=******")) && is_h2() && isnan(w.orbital[0].energy),
       "Molden: an energy that did not fit into its columns is unknown");
    ok(!read_text(replaced(h2_molden, " Ene= -0.578\n", "")) && isnan(w.orbital[0].energy) && w.orbitals == 2,
       "Molden: no energy");

    // [GTO] before [Atoms], and the number of the atom in the third column of [Core].
    const char *dalton = "[Molden Format]\n[GTO]\n 1 0\ns 3 1.00\n" PRIMITIVES "\n 2 0\ns 3 1.00\n" PRIMITIVES
                         "[Core]\n 2 : 2\n[Atoms] AU\nH 1 1 0.0 0.0 0.0\nLi 2 3 0.0 0.0 1.4\n"
                         "[MO]\nSym= 1a\nEne= -0.578\nSpin= Alpha\nOccup= 2.0\n 1 0.5\n 2 0.5\n"
                         "[End of Molden output from Dalton]\n";
    ok(!read_text(dalton) && w.shell[1].atom == 1 && near(w.coefficient[1], 0.5) && !strcmp(w.program, "Dalton") &&
           w.atom[1].charge == 1 && isnan(w.atom[0].charge),
       "Molden: [GTO] before [Atoms]; [Core]: %s", err.text);
    ok(!read_text(replaced(dalton, "[Core]\n 2 : 2\n", "[Pseudo]\nLi 2 1\n")) && w.atom[1].charge == 1,
       "Molden: [Pseudo]");
    ok(!read_text(replaced(dalton, "Li 2 3", "C_1 2 4")) && w.atom[1].number == 6 && w.atom[1].charge == 4 &&
           is_noted("names of the atoms"),
       "Molden: charges in place of atomic numbers");

    // Orbitals: sparse, alpha and beta in turn, occupied only.
    const char *sparse = "[Molden Format]\nmade by pyscf v[2.0]\n[Atoms] AU\nH 1 1 0 0 0\n"
                         "[GTO]\n1 0\ns 1 1.0\n1.0 1.0\np 1 1.0\n1.0 1.0\n\n[MO]\n"
                         "Sym= 1 A1\nEne= -1.0\nSpin= Alpha\nOccup= 1.0\n1 1.0\n"
                         "Sym= B\nEne= -0.5\nSpin= Beta\nOccup= 0.0\n2 0.5\n4 0.25\n";
    ok(!read_text(sparse) && w.orbitals == 2 && w.functions == 4 && w.coefficient[0] == 1 && w.coefficient[3] == 0 &&
           w.coefficient[5] == 0.5 && w.coefficient[7] == 0.25 && w.has_beta && w.orbital[1].spin == ORB_BETA &&
           !strcmp(w.orbital[0].label, "1A1") && !strcmp(w.program, "pyscf"),
       "Molden: sparse orbitals, beta, labels without blanks: %s", err.text);

    const char *sp = "[Molden Format]\n[Atoms] AU\nLi 1 3 0 0 0\n[GTO]\n1 0\nsp 2 1.0\n2.0 0.5 0.25\n1.0 0.75 0.125\n"
                     "[MO]\nEne= -1.0\nSpin= Alpha\nOccup= 1.0\n1 1.0\n2 2.0\n3 3.0\n4 4.0\n";
    ok(!read_text(sp) && w.shells == 2 && w.shell[1].l == 1 && w.shell[1].primitive == 2 && w.exponent[2] == 2 &&
           w.contraction[3] == 0.125 && w.contraction[1] == 0.75 && w.functions == 4,
       "Molden: sp shells: %s", err.text);
    ok(!read_text(replaced(sparse, "Occup= 1.0", "Occup= 1.98")) && !w.natural, "Molden: energies of orbitals");
    char natural[4096];
    snprintf(natural, sizeof natural, "%s", replaced(sparse, "Occup= 1.0", "Occup= 1.98"));
    snprintf(changed, sizeof changed, "%s", replaced(natural, "Ene= -1.0", "Ene= 0.99"));
    ok(!read_text(replaced(changed, "Ene= -0.5", "Ene= 0.0")) && w.natural,
       "Molden: energies that are half of the occupations: natural orbitals");
}

// ---- orders of components

// Makes a file with one shell of each l in `letters`, in which each orbital has the coefficients 1, 2, 3, ...
static const char *molden_shells(const char *letters, const char *keywords, size_t functions, size_t orbitals) {
    static char text[1 << 15];
    size_t n = (size_t)snprintf(text, sizeof text, "[Molden Format]\n[Atoms] AU\nH 1 1 0 0 0\n[GTO]\n1 0\n");
    for (const char *l = letters; *l; l++) n += (size_t)snprintf(text + n, sizeof text - n, "%c 1 1.0\n1.0 1.0\n", *l);
    n += (size_t)snprintf(text + n, sizeof text - n, "\n[MO]\n");
    for (size_t k = 0; k < orbitals; k++) {
        n += (size_t)snprintf(text + n, sizeof text - n, "Sym= A\nEne= 0.0\nSpin= Alpha\nOccup= 0.0\n");
        for (size_t i = 1; i <= functions; i++) n += (size_t)snprintf(text + n, sizeof text - n, "%zu %zu.0\n", i, i);
    }
    snprintf(text + n, sizeof text - n, "%s", keywords);
    return text;
}

// Returns whether the functions of the first orbital are the numbers of `order`.
static bool in_order(const int *order, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (w.coefficient[i] != order[i]) return false;
    return w.functions == n;
}

static void test_molden_orders(void) {
    static const int d[] = {1, 4, 5, 2, 6, 3}, f[] = {1, 5, 6, 4, 10, 7, 2, 9, 8, 3},
                     g[] = {1, 4, 5, 10, 13, 11, 6, 14, 15, 8, 2, 7, 12, 9, 3},
                     pure[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    ok(!read_text(molden_shells("d", "", 6, 1)) && in_order(d, 6), "Molden: order of d: %s", err.text);
    ok(!read_text(molden_shells("f", "", 10, 1)) && in_order(f, 10), "Molden: order of f");
    ok(!read_text(molden_shells("g", "", 15, 1)) && in_order(g, 15), "Molden: order of g");
    ok(!read_text(molden_shells("p", "", 3, 1)) && in_order(pure, 3), "Molden: order of p");
    ok(!read_text(molden_shells("d", "[5D]\n", 5, 1)) && in_order(pure, 5), "Molden: pure d, [5D] after [MO]");
    ok(!read_text(molden_shells("h", "", 11, 1)) && in_order(pure, 11) && !w.notes, "Molden: h is pure without [11H]");
    static const struct {
        const char *letters, *keywords;
        size_t functions;
        bool noted;
    } kinds[] = {
        {"df", "[5D]\n", 12, false},        {"df", "[5D]\n[7F]\n", 12, false},   {"df", "[5D7F]\n", 12, false},
        {"df", "[5D10F]\n", 15, false},     {"df", "[7F]\n", 13, false},         {"df", "", 16, false},
        {"dfg", "[5d]\n[9g]\n", 21, false}, {"dfgh", "[5D]\n[9G]\n", 32, false}, {"gh", "[9G]\n[11H]\n", 20, false},
        {"dg", "[5D]\n", 14, true},         {"df", "[5D]\n", 15, true},          {"df", "[6D]\n[10F]\n", 16, false},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        ok(!read_text(molden_shells(kinds[i].letters, kinds[i].keywords, kinds[i].functions, 1)) &&
               w.functions == kinds[i].functions && is_noted("number of coefficients") == kinds[i].noted,
           "Molden: %s with %.4s...: %zu functions: %s", kinds[i].letters, kinds[i].keywords, kinds[i].functions,
           err.text);
    rejected(molden_shells("h", "", 21, 1), "Cartesian h", "Molden: Cartesian h");
    rejected(molden_shells("df", "[5D]\n", 17, 1), "17 functions", "Molden: more coefficients than functions");
}

// ---- fchk

static char text[1 << 16];
static size_t length;

__attribute__((format(printf, 1, 2))) static void put(const char *format, ...) {
    va_list args;
    va_start(args, format);
    length += (size_t)vsnprintf(text + length, sizeof text - length, format, args);
    va_end(args);
}

static void put_integer(const char *name, int value) {
    put("%-40s   I     %12d\n", name, value);
}

static void put_integers(const char *name, size_t n, const int *values) {
    put("%-40s   I   N=%12zu\n", name, n);
    for (size_t i = 0; i < n; i++) put("%12d%s", values[i], i % 6 == 5 || i + 1 == n ? "\n" : "");
}

static void put_reals(const char *name, size_t n, const double *values) {
    put("%-40s   R   N=%12zu\n", name, n);
    for (size_t i = 0; i < n; i++) put("%16.8E%s", values[i], i % 5 == 4 || i + 1 == n ? "\n" : "");
}

static void begin_fchk(int alpha, int beta, int functions, const int *z, const double *charges) {
    static const double positions[] = {0, 0, 0, 0, 0, 1.4};
    length = 0;
    put("Generated by Psi4\nSP        RHF       STO-3G\n");
    put_integer("Number of electrons", alpha + beta);
    put_integer("Number of alpha electrons", alpha);
    put_integer("Number of beta electrons", beta);
    put_integer("Number of basis functions", functions);
    put_integers("Atomic numbers", 2, z);
    put_reals("Nuclear charges", 2, charges);
    put_reals("Current cartesian coordinates", 6, positions);
}

static const char *h2_fchk(void) {
    static const int z[] = {1, 1}, types[] = {0, 0}, primitives[] = {3, 3}, atoms[] = {1, 2};
    static const double charges[] = {1, 1}, energies[] = {-0.578, 0.67},
                        orbitals[] = {0.5489341, 0.5489341, 1.2114572, -1.2114572}, density[] = {0.6, 0.7, 0.8},
                        exponents[] = {3.42525091, 0.62391373, 0.1688554, 3.42525091, 0.62391373, 0.1688554},
                        contraction[] = {0.15432897, 0.53532814, 0.44463454, 0.15432897, 0.53532814, 0.44463454};
    begin_fchk(1, 1, 2, z, charges);
    put("%-40s   C   N=%12d\n%-12s%-12s\n", "Gaussian Version", 2, "ES64L-G16Rev", "A.03");
    put("%-40s   L   N=%12d\nTF\n", "Switches", 2);
    put("%-40s   R     %22.15E\n", "SCF Energy", -1.1);
    put_integers("Shell types", 2, types);
    put_integers("Number of primitives per shell", 2, primitives);
    put_integers("Shell to atom map", 2, atoms);
    put_reals("Primitive exponents", 6, exponents);
    put_reals("Contraction coefficients", 6, contraction);
    put_reals("Alpha Orbital Energies", 2, energies);
    put_reals("Alpha MO coefficients", 4, orbitals);
    put_reals("Mulliken Charges", 2, charges);
    put_reals("Total MP2 Density", 3, density);
    return text;
}

// A file with shells of these types on the first atom, one primitive each, with the coefficients 1, 2, 3, ...
static const char *fchk_shells(size_t shells, const int *types, int functions) {
    static const int z[] = {14, 1};
    static const double charges[] = {4, 1};
    int ones[8];
    double values[32], one[8];
    for (size_t i = 0; i < shells; i++) {
        ones[i] = 1;
        one[i] = 1.0 + (double)i;
    }
    for (int i = 0; i < functions; i++) values[i] = i + 1;
    begin_fchk(1, 0, functions, z, charges);
    put_integers("Shell types", shells, types);
    put_integers("Number of primitives per shell", shells, ones);
    put_integers("Shell to atom map", shells, ones);
    put_reals("Primitive exponents", shells, one);
    put_reals("Contraction coefficients", shells, one);
    put_reals("P(S=P) Contraction coefficients", shells, one);
    put_reals("Alpha MO coefficients", (size_t)functions, values);
    put_reals("Beta MO coefficients", (size_t)functions, values);
    return text;
}

static void test_fchk(void) {
    ok(!read_text(h2_fchk()) && is_h2() && !w.has_beta && w.electrons == 2 && w.atom[0].charge == 1 && !w.notes,
       "fchk: %s", err.text);
    ok(!strcmp(w.format, "fchk") && strstr(w.program, "G16RevA.03") && !strcmp(w.title, "Generated by Psi4") &&
           near(w.orbital[0].energy, -0.578) && w.orbital[1].occupation == 0,
       "fchk: title, program, energy and occupation");
    ok(w.densities == 1 && !strcmp(w.density[0].name, "Total MP2 Density") && w.density[0].matrix[0] == 0.6 &&
           w.density[0].matrix[1] == 0.7 && w.density[0].matrix[2] == 0.7 && w.density[0].matrix[3] == 0.8,
       "fchk: density matrix");
    static const int sp[] = {-1, -1}, d[] = {2}, f[] = {3}, g[] = {4}, h[] = {5}, pure[] = {-2, -3};
    ok(!read_text(fchk_shells(2, sp, 8)) && w.shells == 4 && w.shell[3].l == 1 && w.shell[2].function == 4 &&
           w.exponent[3] == 2 && w.coefficient[7] == 8 && w.has_beta && w.orbital[1].spin == ORB_BETA &&
           w.orbital[1].occupation == 0 && w.orbital[0].occupation == 1 && w.atom[0].charge == 4 &&
           w.atom[0].number == 14 && isnan(w.orbital[0].energy),
       "fchk: SP shells, beta orbitals, charges of core potentials: %s", err.text);
    static const int d_order[] = {1, 4, 5, 2, 6, 3}, f_order[] = {1, 5, 6, 4, 10, 7, 2, 9, 8, 3};
    ok(!read_text(fchk_shells(1, d, 6)) && in_order(d_order, 6), "fchk: order of d");
    ok(!read_text(fchk_shells(1, f, 10)) && in_order(f_order, 10), "fchk: order of f");
    int reversed[21];
    for (int i = 0; i < 21; i++) reversed[i] = 21 - i;
    ok(!read_text(fchk_shells(1, h, 21)) && in_order(reversed, 21), "fchk: order of h");
    ok(!read_text(fchk_shells(1, g, 15)) && in_order(reversed + 6, 15), "fchk: order of g");
    ok(!read_text(fchk_shells(2, pure, 12)) && w.coefficient[11] == 12 && w.coefficient[3] == 4 && w.shell[1].pure,
       "fchk: pure functions");
    rejected(fchk_shells(1, d, 5), "the shells have 6", "fchk: wrong number of functions");
    static const int i[] = {6};
    rejected(fchk_shells(1, i, 28), "unsupported", "fchk: i functions");
    char copy[1 << 14];
    snprintf(copy, sizeof copy, "%s", h2_fchk());
    *strstr(copy, "Shell types") = 0;
    rejected(copy, "single point calculation", "fchk: no basis, as after an optimisation");
    rejected(replaced(h2_fchk(), "Alpha Orbital Energies ", "Shell types            "), "duplicate",
             "fchk: duplicate entry");
    rejected(replaced(h2_fchk(), "I   N=           2\n           3", "I   N=  1000000000\n           3"), "1000000000",
             "fchk: 1e9 shells");
    rejected(replaced(h2_fchk(), "I   N=           2\n           3", "I   N=99999999999999999999\n           3"),
             "a number of values", "fchk: a count that is too large");
    rejected(replaced(h2_fchk(), "R   N=           3\n", "R   N=           2\n"), "more than", "fchk: too many values");
    rejected(replaced(h2_fchk(), "  3.42525091E+00", "             NaN"), "NaN", "fchk: an exponent that is NaN");
    rejected(replaced(h2_fchk(), "  3.42525091E+00", "  0.00000000E+00"), "not positive", "fchk: exponent 0");
    rejected(replaced(h2_fchk(), "  5.48934100E-01", " 5.48934100E+999"), "too large", "fchk: infinite coefficient");
    rejected(replaced(h2_fchk(), "           1           2\n", "           1           3\n"), "no atom",
             "fchk: a shell on atom 3 of 2");
    rejected(replaced(h2_fchk(), "           3           3\n", "           3  2147483647\n"), "number of primitives",
             "fchk: more primitives than exponents");
}

// ---- wfn and wfx

static const char h2_wfn[] = " H2\n"
                             "GAUSSIAN              2 MOL ORBITALS      6 PRIMITIVES        2 NUCLEI\n"
                             "  H    1    (CENTRE  1)   0.00000000  0.00000000  0.00000000  CHARGE =  1.0\n"
                             "  H    2    (CENTRE  2)   0.00000000  0.00000000  1.40000000  CHARGE =  1.0\n"
                             "CENTRE ASSIGNMENTS    1  1  1  2  2\n"
                             "CENTRE ASSIGNMENTS    2\n"
                             "TYPE ASSIGNMENTS      1  1  1  1  1  1\n"
                             "EXPONENTS  0.3425251D+01 0.6239137D+00 0.1688554D+00 0.3425251D+01 0.6239137D+00\n"
                             "EXPONENTS  0.1688554D+00\n"
                             "MO    1     MO 0.0        OCC NO =    2.0000000  ORB. ENERGY =   -0.578000\n"
                             "  0.11000000D+00  0.12000000D+00 -0.13000000D+00  0.14000000D+00  0.15000000D+00\n"
                             "  0.16000000D+00\n"
                             "MO    2     MO 0.0        OCC NO =    0.0000000  ORB. ENERGY =-1000.670000\n"
                             "  0.21000000-101  0.22000000D+00-0.23000000E-100  0.24000000D+00  0.25000000D+00\n"
                             "  0.26000000D+00\n"
                             "END DATA\n"
                             " TOTAL ENERGY =      -1.100000000000 THE VIRIAL(-V/T)=   2.00000000\n";

static bool is_h2_primitives(void) {
    return w.atoms == 2 && w.functions == 6 && w.bare_functions == 6 && !w.shells && w.orbitals == 2 &&
           near(w.atom[1].position[2], 1.4) && w.atom[1].number == 1 && w.atom[1].charge == 1 &&
           w.bare_function[5].atom == 1 && near(w.bare_function[4].exponent, 0.6239137) &&
           w.bare_function[5].power[0] == 0 && near(w.coefficient[2], -0.13) && near(w.coefficient[11], 0.26) &&
           w.orbital[0].occupation == 2 && near(w.orbital[0].energy, -0.578);
}

static void test_wfn(void) {
    ok(!read_text(h2_wfn) && is_h2_primitives() && w.spin_unknown && !w.has_beta && !strcmp(w.format, "wfn") &&
           near(w.orbital[1].energy, -1000.67),
       "wfn: %s", err.text);
    ok(w.coefficient[6] == 0.21e-101 && w.coefficient[7] == 0.22 && w.coefficient[8] == -0.23e-100,
       "wfn: exponents without a letter, and numbers without blanks");
    ok(!read_text(replaced(h2_wfn, "  0.00000000  0.00000000  1.40000000", "  0.00000000-94.48630664103.93493731")) &&
           near(w.atom[1].position[1], -94.48630664) && near(w.atom[1].position[2], 103.93493731),
       "wfn: coordinates of 12 columns without blanks");
    ok(!read_text(replaced(h2_wfn, "  0.00000000  0.00000000  1.40000000", " 0.0 -1.5 1.4")) &&
           near(w.atom[1].position[1], -1.5),
       "wfn: coordinates in other columns");
    static const char *const powers[] = {
        "",      "x",     "y",     "z",     "xx",    "yy",    "zz",    "xy",    "xz",    "yz",    "xxx",   "yyy",
        "zzz",   "xxy",   "xxz",   "yyz",   "xyy",   "xzz",   "yzz",   "xyz",   "xxxx",  "yyyy",  "zzzz",  "xxxy",
        "xxxz",  "xyyy",  "yyyz",  "xzzz",  "yzzz",  "xxyy",  "xxzz",  "yyzz",  "xxyz",  "xyyz",  "xyzz",  "zzzzz",
        "yzzzz", "yyzzz", "yyyzz", "yyyyz", "yyyyy", "xzzzz", "xyzzz", "xyyzz", "xyyyz", "xyyyy", "xxzzz", "xxyzz",
        "xxyyz", "xxyyy", "xxxzz", "xxxyz", "xxxyy", "xxxxz", "xxxxy", "xxxxx"};
    // 56 primitives of all types on 110 nuclei.
    length = 0;
    put("\nGAUSSIAN              1 MOL ORBITALS     56 PRIMITIVES      110 NUCLEI\n");
    for (int i = 0; i < 110; i++)
        put("  C  %3d    (CENTRE%3d)   0.00000000  0.00000000  0.00000000  CHARGE =  6.0\n", i + 1, i + 1);
    for (int i = 0; i < 56; i++)
        put("%s%3d%s", i % 20 ? "" : "CENTRE ASSIGNMENTS  ", 110 - i, i % 20 == 19 ? "\n" : "");
    for (int i = 0; i < 56; i++) put("%s%3d%s", i % 20 ? "" : "\nTYPE ASSIGNMENTS    ", i + 1, "");
    for (int i = 0; i < 56; i++) put("%s%14.7E", i % 5 ? "" : "\nEXPONENTS ", 1.0 + i);
    put("\nMO    1     MO 0.0        OCC NO =    2.0000000  ORB. ENERGY =   -0.578000");
    for (int i = 0; i < 56; i++) put("%s%16.8E", i % 5 ? "" : "\n", 1.0);
    put("\nEND DATA\n");
    bool good = !read_text(text) && w.functions == 56;
    for (int i = 0; good && i < 56; i++) {
        uint8_t power[3] = {0};
        for (const char *p = powers[i]; *p; p++) power[*p - 'x']++;
        good = !memcmp(power, w.bare_function[i].power, 3) && w.bare_function[i].atom == (uint32_t)(109 - i);
    }
    ok(good, "wfn: types 1 to 56, and numbers of nuclei of three digits without blanks: %s", err.text);
    rejected(replaced(h2_wfn, "  1  1  1  1  1  1\n", "  1  1  1  1  1 57\n"), "expected 1 to 56", "wfn: type 57");
    rejected(replaced(h2_wfn, "  1  1  1  2  2\n", "  1  1  1  3  2\n"), "expected 1 to 2", "wfn: nucleus 3 of 2");
    rejected(replaced(h2_wfn, "      6 PRIM", "1000000000 PRIM"), "number of primitives", "wfn: 1e9 primitives");
    rejected(replaced(h2_wfn, "      6 PRIM", "  65536 PRIM"), "CENTRE ASSIGNMENTS", "wfn: too few primitives");
    rejected(replaced(h2_wfn, "        2 NUCLEI", " 1000000000 NUCLEI"), "nucleus 3", "wfn: 1e9 nuclei");
    rejected(replaced(h2_wfn, "              2 MOL", "     1000000000 MOL"), "orbital 3 of", "wfn: 1e9 orbitals");
    rejected(replaced(h2_wfn, "        2 NUCLEI", "        0 NUCLEI"), "number of nuclei", "wfn: no nuclei");
    rejected(replaced(h2_wfn, "0.6239137D+00", "0.0000000D+00"), "positive", "wfn: exponent 0");
    rejected(replaced(h2_wfn, "0.6239137D+00", "-.6239137D+00"), "positive", "wfn: negative exponent");
    rejected(replaced(h2_wfn, "0.12000000D+00", "0.12000000+999"), "too large", "wfn: infinite coefficient");
    rejected(replaced(h2_wfn, "0.12000000D+00", "           NaN"), "a coefficient", "wfn: NaN");
    rejected(replaced(h2_wfn, "GAUSSIAN", "SLATER  "), "Slater", "wfn: Slater functions");
    length = 0;
    put("----- TOP OF INPUT FILE FOR BADER'S AIMPAC PROGRAM -----\n%s", h2_wfn);
    rejected(text, "punch file of GAMESS", "wfn: a punch file of GAMESS with the wfn file in it");
    rejected(" $DATA\nH2\nC1\n $END\n $VEC\n 1  1 0.5 0.5\n $END\n", "AIMPAC=.TRUE.", "wfn: a punch file of GAMESS");
}

static const char h2_wfx[] =
    "<Title>\n H2, natural orbitals\n</Title>\n<Keywords>\n GTO\n</Keywords>\n"
    "<Number of Nuclei>\n 2\n</Number of Nuclei>\n"
    "<Number of Occupied Molecular Orbitals>\n 2\n</Number of Occupied Molecular Orbitals>\n"
    "<Number of Electrons>\n 2\n</Number of Electrons>\n"
    "<Nuclear Names>\nH1\nH2\n</Nuclear Names>\n<Atomic Numbers>\n 1\n 1\n</Atomic Numbers>\n"
    "<Nuclear Charges>\n 1.0E+000\n 1.0E+000\n</Nuclear Charges>\n"
    "<Nuclear Cartesian Coordinates>\n 0 0 0\n 0 0 1.4\n</Nuclear Cartesian Coordinates>\n"
    "<Number of Primitives>\n 6\n</Number of Primitives>\n"
    "<Primitive Centers>\n 1 1 1\n 2 2 2\n</Primitive Centers>\n<Primitive Types>\n 1 1 1 1 1 1\n</Primitive Types>\n"
    "<Primitive Exponents>\n 3.425251 0.6239137 0.1688554\n 3.425251 0.6239137 0.1688554\n</Primitive Exponents>\n"
    "<Additional Electron Density Function (EDF)>\n<EDF Primitive Exponents>\n 1.0\n</EDF Primitive Exponents>\n"
    "</Additional Electron Density Function (EDF)>\n"
    "# a comment\n"
    "<Molecular Orbital Occupation Numbers>\n 2.0\n 0.0\n</Molecular Orbital Occupation Numbers>\n"
    "<Molecular Orbital Energies>\n -0.578\n 0.67\n</Molecular Orbital Energies>\n"
    "<Molecular Orbital Spin Types>\n Alpha and Beta\n Beta\n</Molecular Orbital Spin Types>\n"
    "<Molecular Orbital Primitive Coefficients>\n<MO Number>\n 1\n</MO Number>\n 0.11 0.12 -0.13 0.14\n 0.15 0.16\n"
    "<MO Number>\n 2\n</MO Number>\n 0.21 0.22 0.23 0.24 0.25 0.26\n</Molecular Orbital Primitive Coefficients>\n"
    "<Energy = T + Vne + Vee + Vnn>\n -1.1\n</Energy  = T + Vne + Vee + Vnn>\n";

static void test_wfx(void) {
    ok(!read_text(h2_wfx) && is_h2_primitives() && !w.spin_unknown && w.has_beta && w.orbital[0].spin == ORB_ALPHA &&
           w.orbital[1].spin == ORB_BETA && w.electrons == 2 && !strcmp(w.format, "wfx") && w.natural,
       "wfx: %s", err.text);
    ok(is_noted("core density"), "wfx: the core density is left out, with a note");
    rejected(replaced(h2_wfx, "<Primitive Types>\n 1 1", "<Primitive Types>\n 1 57"), "types 1 to 56", "wfx: type 57");
    rejected(replaced(h2_wfx, "Centers>\n 1 1 1", "Centers>\n 1 3 1"), "no nucleus", "wfx: nucleus 3 of 2");
    rejected(replaced(h2_wfx, "Primitives>\n 6\n", "Primitives>\n 1000000000\n"), "expected", "wfx: 1e9 primitives");
    rejected(replaced(h2_wfx, "Nuclei>\n 2\n", "Nuclei>\n 0\n"), "expected 0", "wfx: no nuclei");
    rejected(replaced(h2_wfx, "Orbitals>\n 2\n", "Orbitals>\n 2147483647\n"), "expected", "wfx: 2^31 orbitals");
    rejected(replaced(h2_wfx, "<MO Number>\n 2", "<MO Number>\n 3"), "follows", "wfx: orbital 2 is missing");
    rejected(replaced(h2_wfx, " 0.11 0.12", " nan 0.12"), "nan", "wfx: NaN");
    rejected(replaced(h2_wfx, "3.425251", "0.000000"), "positive", "wfx: exponent 0");
    rejected(replaced(h2_wfx, "</Nuclear Charges>\n", ""), "expected </Nuclear Charges>",
             "wfx: a section without an end");
    rejected(replaced(h2_wfx, "# a comment\n", "<Title>\n</Title>\n"), "duplicate", "wfx: duplicate section");
    rejected(replaced(h2_wfx, " GTO", " STO"), "Slater", "wfx: Slater functions");
}

// ---- damaged and hostile files

static void test_molden_damage(void) {
    static const struct {
        const char *old, *new, *part;
    } table[] = {
        {"3.42525091", "0.0", "positive"},
        {"3.42525091", "-3.4", "positive"},
        {"3.42525091", "inf", "an exponent"},
        {"3.42525091", "1e999", "too large"},
        {" 2 0.5489341", " 2 nan", "a coefficient"},
        {" 2 0.5489341", " 2 0.5 0.5", "found also"},
        {" 2 0.5489341", " 3 0.5489341", "3 functions"},
        {" 2 0.5489341", " 1 0.5489341", "two coefficients"},
        {" 2 0.5489341", " 0 0.5489341", "number of a function"},
        {" 2 0.5489341", " 1000000000 0.5489341", "number of a function"},
        {"s 3 1.00", "s 1000000000 1.00", "expected"},
        {"s 3 1.00", "s 0 1.00", "number of primitives"},
        {"s 3 1.00", "s 4 1.00", "an exponent"},
        {"s 3 1.00", "i 3 1.00", "unsupported"},
        {"s 3 1.00", "s 3 1.24", "scale factor"},
        {"  2 0\n", "  3 0\n", "no atom"},
        {"H 2 1", "H 1 1", "larger"},
        {"H 2 1", "H 2 119", "atomic number"},
        {"H 2 1 0.0", "H 2 1 x", "coordinate"},
        {"Spin= Alpha", "Spin= up", "Alpha or Beta"},
        {" Occup= 2.0\n", "", "Occup="},
        {" Occup= 2.0\n", " Occup= two\n", "an occupation"},
        {"[MO]", "[GTO]", "duplicate"},
        {"[MO]", "[MO", "']'"},
        {"[MO]", "[STO]\n[MO]", "Slater"},
        {"[MO]", "[XX]", "no section [MO]"},
        {"[GTO]", "[XX]", "no section [GTO]"},
        {"[Atoms]", "[XX]", "no section [Atoms]"},
        {"H 1 1 0.0 0.0 0.0\nH 2 1 0.0 0.0 1.4\n", "", "no atom"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        rejected(replaced(h2_molden, table[i].old, table[i].new), table[i].part, table[i].new);
    ok(read_text("") && strstr(err.text, "empty"), "an empty file is rejected");
    ok(read_text("hello\nworld\n") && strstr(err.text, "give a Molden"), "another file is rejected");
    ok(read_path(save("x.gbw", "hello\n")) && strstr(err.text, "orca_2mkl"), "a file of ORCA: the remedy is orca_2mkl");
    unlink(save("x.gbw", ""));
}

// Cuts a file at each byte. From `whole` on, it may be accepted.
static void test_cuts(const char *content, const char *whole, const char *what) {
    static char part[1 << 14];
    const char *found = strstr(content, whole);
    if (!found) abort();
    size_t accepted = 0, without_remedy = 0, at = (size_t)(found - content) + strlen(whole), n = strlen(content),
           first = 0;
    snprintf(part, sizeof part, "%s", content);
    for (size_t k = n; k--;) {
        part[k] = 0;
        if (!read_text(part)) {
            accepted += k < at;
            if (k < at) first = k;
        } else {
            without_remedy += err.status != TRJ_BAD_DATA || !strstr(err.text, "; ");
        }
    }
    ok(!accepted && !without_remedy,
       "%s cut at each of %zu bytes: %zu cuts are accepted, one at %zu, %zu have no remedy", what, n, accepted, first,
       without_remedy);
}

// Makes a file with nearly the largest number of functions and as many orbitals of one coefficient as given.
static void save_sparse(size_t orbitals) {
    char path[256];
    snprintf(path, sizeof path, "%s/file", folder);
    FILE *f = fopen(path, "w");
    if (!f) abort();
    fprintf(f, "[Molden Format]\n[Atoms] AU\nH 1 1 0 0 0\n[GTO]\n1 0\n");
    for (int i = 0; i < 4000; i++) fprintf(f, "g 1\n1 1\n");
    fprintf(f, "[MO]\n");
    for (size_t i = 0; i < orbitals; i++) fprintf(f, "Occup=0\n60000 1\n");
    if (fclose(f)) abort();
}

static long peak_of_memory(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

// Reads a pipe into which another process writes. Returns the result.
static int read_pipe(const void *data, size_t size, size_t times) {
    int ends[2];
    char path[32];
    if (pipe(ends)) abort();
    pid_t child = fork();
    if (!child) {
        close(ends[0]);
        signal(SIGPIPE, SIG_DFL);
        while (times-- && write(ends[1], data, size) == (ssize_t)size) continue;
        _exit(0);
    }
    close(ends[1]);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    int rc = child < 0 ? -1 : read_path(path);
    close(ends[0]);
    waitpid(child, NULL, 0);
    return rc;
}

static void test_memory(void) {
    long before = peak_of_memory();
    save_sparse(30000);
    char path[256];
    snprintf(path, sizeof path, "%s/file", folder);
    ok(read_path(path) && strstr(err.text, "have only 30000 coefficients"),
       "30000 orbitals of 60000 functions with one coefficient each: rejected: %s", err.text);
    static const char start[] = "[Molden Format]\n[MO]\n";
    static char block[1 << 16];
    memset(block, 'x', sizeof block);
    memcpy(block, start, sizeof start - 1);
    ok(read_pipe(block, sizeof block, 600 << 4) && err.status == TRJ_BAD_DATA, "a line of 600 MB: rejected: %s",
       err.text);
    long peak = peak_of_memory() - before;
    ok(SANITIZED || peak < 64 << 10, "hostile files need less than 64 MiB, used %ld KiB", peak);
}

static void test_inputs(void) {
    static const char *const files[] = {h2_molden, h2_wfn, h2_wfx};
    unsigned char packed[8192];
    char path[256];
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        ok(!read_pipe(files[i], strlen(files[i]), 1) && w.orbitals == 2, "a pipe: %s: %s", w.format, err.text);
        size_t n = ZSTD_compress(packed, sizeof packed, files[i], strlen(files[i]), 3);
        snprintf(path, sizeof path, "%s/file", folder);
        FILE *f = fopen(path, "wb");
        if (!f || fwrite(packed, 1, n, f) != n || fclose(f)) abort();
        ok(!read_path(path) && w.orbitals == 2, "a compressed file: %s: %s", w.format, err.text);
    }
}

// ---- the shared folder

// Compares the numbers with those that an independent reader found.
static void test_shared(void) {
    const char *shared = shared_folder();
    char path[4096], line[4096];
    snprintf(path, sizeof path, "%s/reference-orbitals/summary.tsv", shared ? shared : "");
    FILE *f = shared ? fopen(path, "r") : NULL;
    if (!f) {
        skip("real files", "no shared folder with reference orbitals");
        return;
    }
    if (!fgets(line, sizeof line, f)) abort();
    while (fgets(line, sizeof line, f)) {
        char *field[32], *rest = NULL;
        size_t n = 0;
        while (n < 32 && (field[n] = strtok_r(n ? NULL : line, "\t\n", &rest))) n++;
        if (n < 11) abort();
        snprintf(path, sizeof path, "%s/data-wave/%s", shared, field[0]);
        if (access(path, R_OK)) snprintf(path, sizeof path, "%s/data-maps/wave/%s", shared, field[0]);
        if (access(path, R_OK)) continue;
        int rc = read_path(path);
        double sum = 0;
        size_t beta = 0;
        for (size_t i = 0; i < w.orbitals; i++) {
            sum += w.orbital[i].occupation;
            beta += w.orbital[i].spin == ORB_BETA;
        }
        ok(!rc && !strcmp(w.format, field[1]) && w.atoms == strtoul(field[2], NULL, 10) &&
               w.functions == strtoul(field[4], NULL, 10) && w.orbitals == strtoul(field[7], NULL, 10) &&
               (w.spin_unknown || beta == strtoul(field[8], NULL, 10)) && fabs(sum - strtod(field[10], NULL)) <= 1e-9,
           "%s: %zu atoms, %zu functions, %zu orbitals, %zu beta, %.10f electrons, %s: %s", field[0], w.atoms,
           w.functions, w.orbitals, beta, sum, w.natural ? "natural" : "", err.text);
    }
    fclose(f);
}

int main(void) {
    if (!mkdtemp(folder)) return 1;
    test_molden();
    test_molden_orders();
    test_fchk();
    test_wfn();
    test_wfx();
    test_molden_damage();
    // A cut between two orbitals, or within the only one, leaves a file that may be complete.
    test_cuts(strstr(h2_molden, "[Molden"), " 1 0.5489341", "Molden");
    test_cuts(h2_fchk(), "-1.21145720E+00\n", "fchk");
    test_cuts(h2_wfn, "  0.26000000D+00\n", "wfn");
    test_cuts(h2_wfx, "</Molecular Orbital Primitive Coefficients>", "wfx");
    test_inputs();
    test_memory();
    test_shared();
    orb_wave_function_free(&w);
    unlink(save("file", ""));
    rmdir(folder);
    return done();
}
