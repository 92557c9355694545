// SPDX-License-Identifier: MIT
// The description of wave functions, and notes about their occupations.
#include "hand_made_wave.h"
#include "orbital_check.h"
#include "tap.h"

static char *describe(struct orb_wave_function *w, bool *fits) {
    static char text[8192];
    struct trj_report f = {.json = false};
    struct orb_rule_choice choice;
    struct trj_error damage = {0}, err;
    trj_report_begin_file(&f);
    *fits = !orb_check(w, &choice, &damage);
    if (orb_check_report(&f, w, &choice, *fits ? NULL : &damage, &err)) return NULL;
    trj_report_end_file(&f);
    snprintf(text, sizeof text, "%.*s", (int)f.text.size, (const char *)f.text.data);
    trj_bytes_free(&f.text);
    return text;
}

static void begin_molecule(struct orb_wave_function *w, const char *format) {
    wave_begin(w, format);
    wave_add_atom(w, 0.1, -0.2, 0.3);
    wave_add_shell(w, 0, true, 5, 3);
    wave_add_shell(w, 2, true, 0.9, 1);
    wave_add_atom(w, -1.4, 0.7, 1.1);
    wave_add_shell(w, 0, true, 3, 2);
    wave_add_shell(w, 1, true, 2, 2);
}

static void test_description(void) {
    struct orb_wave_function w;
    bool fits;
    begin_molecule(&w, "molden");
    wave_add_orbitals(&w, 6, ORB_RAW, ORB_ALPHA);
    for (size_t k = 0; k < 3; k++) w.orbital[k].occupation = 2;
    strcpy(w.orbital[3].label, "4a'");
    w.atom[0].charge = 6;
    w.electrons = 6;
    const char *text = describe(&w, &fits);
    ok(fits && has_text(text, "check\tok"), "a wave function of the rule raw");
    ok(has_text(text, "functions\t10\n") && has_text(text, "shells\ts p d (pure)\n"), "functions");
    ok(has_text(text, "orbitals\t6\n") && has_text(text, "electrons\t6\n") && has_text(text, "electrons_overlap\t6\n"),
       "orbitals and electrons");
    ok(has_text(text, "rule\traw\n") && has_text(text, "deviations\tstandard, electrons "), "rule and deviations");
    ok(has_text(text, "homo\torbital 3, occupation 2, energy -4\n"), "HOMO");
    ok(has_text(text, "lumo\torbital 4, label 4a', occupation 0, energy -3\n") && has_text(text, "gap\t1\n"),
       "LUMO and gap");
    ok(!has_text(text, "notes") && !has_text(text, "beta"), "no notes");
    w.electrons = 7;
    ok(has_text(describe(&w, &fits), "the file states 7 electrons"), "electrons that differ from the occupations");
    w.notes = 0;
    w.electrons = NAN;
    for (size_t k = 0; k < 6; k++) w.orbital[k].energy = 0;
    text = describe(&w, &fits);
    ok(fits && has_text(text, "homo\torbital 3, occupation 2\n") && !has_text(text, "gap"), "energies of 0 are none");
    w.coefficient[0] += 1;
    text = describe(&w, &fits);
    ok(!fits && has_text(text, "check\tfailed") && has_text(text, "error\tno rule of normalisation") &&
           has_text(text, "deviations\tturbomole") && !has_text(text, "primitives") && !has_text(text, "\nrule\t"),
       "no rule fits: the deviations are reported");
    wave_end(&w);
}

static void test_occupations(void) {
    struct orb_wave_function w;
    bool fits;
    begin_molecule(&w, "molden");
    wave_add_orbitals(&w, 6, ORB_UNIT, ORB_ALPHA);
    w.atom[0].charge = 5;
    ok(has_text(describe(&w, &fits), "the occupations add up to 3, for nuclei with the charge 6"),
       "closed shells with occupations of 1: a note");
    w.notes = 0;
    w.atom[0].charge = NAN;
    w.atom[0].number = 2;
    ok(!has_text(describe(&w, &fits), "notes"), "the right number of electrons: none");
    w.orbital[1].occupation = 3;
    w.orbital[2].occupation = -2.03;
    w.orbital[3].occupation = -0.001;
    ok(has_text(describe(&w, &fits), "2 occupations are outside of 0 to 2, the first one 3 of orbital 2"),
       "occupations of 3 and below 0: a note");
    w.notes = 0;
    w.orbital[1].occupation = w.orbital[2].occupation = 1;
    w.orbital[3].occupation = 0;
    w.has_beta = true;
    w.orbital[5].spin = ORB_BETA;
    const char *text = describe(&w, &fits);
    ok(has_text(text, "orbitals_beta\t1\n") && has_text(text, "lumo_beta\torbital 6") && !has_text(text, "homo_beta"),
       "beta orbitals");
    wave_end(&w);
}

static void test_densities(void) {
    struct orb_wave_function w;
    bool fits;
    static char name[] = "Total SCF Density";
    begin_molecule(&w, "fchk");
    wave_add_orbitals(&w, 8, ORB_STANDARD, ORB_ALPHA);
    const size_t n = w.functions;
    w.densities = 1;
    w.density = calloc(1, sizeof *w.density);
    w.density->name = name;
    w.density->matrix = calloc(n * n, sizeof(double));
    for (size_t o = 0; o < 4; o++)
        for (size_t k = 0; k < n * n; k++)
            w.density->matrix[k] += 2 * w.coefficient[o * n + k / n] * w.coefficient[o * n + k % n];
    ok(has_text(describe(&w, &fits), "densities\tTotal SCF Density, electrons 8\n") && fits,
       "trace of a density matrix");
    wave_end(&w);
}

int main(void) {
    test_description();
    test_occupations();
    test_densities();
    return done();
}
