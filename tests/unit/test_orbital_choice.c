// SPDX-License-Identifier: MIT
// HOMO and LUMO, and orbitals that users choose by words.
#include "orbital_choice.h"
#include "orbital_order.h"
#include "tap.h"

enum { MAX = 16 };
static struct orb_orbital orbitals[MAX];

static struct orb_wave_function make(size_t n, const double *energy, const double *occupation) {
    struct orb_wave_function w = {.format = "molden", .orbitals = n, .orbital = orbitals};
    for (size_t k = 0; k < n; k++)
        orbitals[k] = (struct orb_orbital){.energy = energy[k], .occupation = occupation[k], .spin = ORB_ALPHA};
    return w;
}

// Compares HOMO and LUMO, as numbers from 1; 0: none.
static bool has_frontier(const struct orb_wave_function *w, enum orb_spin spin, size_t homo, size_t lumo) {
    struct orb_order o;
    struct trj_error err;
    if (orb_order_make(&o, w, spin, &err)) return false;
    size_t found_homo = o.occupied ? o.orbital[o.occupied - 1] + 1 : 0;
    size_t found_lumo = o.occupied < o.count ? o.orbital[o.occupied] + 1 : 0;
    orb_order_free(&o);
    if (found_homo != homo || found_lumo != lumo) printf("# HOMO %zu, LUMO %zu\n", found_homo, found_lumo);
    return found_homo == homo && found_lumo == lumo;
}

static void test_order(void) {
    struct orb_wave_function w;
    w = make(5, (double[]){-1, 0.3, -0.5, -0.7, 0.1}, (double[]){2, 0, 2, 2, 0});
    ok(has_frontier(&w, ORB_ALPHA, 3, 5), "sorted by symmetry: HOMO and LUMO by energy");
    w = make(4, (double[]){-1, -0.5, -0.5, 0.2}, (double[]){1, 1, 1, 0});
    ok(has_frontier(&w, ORB_ALPHA, 3, 4), "degenerate, and occupations of 1: the higher number is the HOMO");
    w = make(4, (double[]){-1, -0.5, -0.4, -0.6}, (double[]){2, 1, 0, 0});
    ok(has_frontier(&w, ORB_ALPHA, 2, 4), "open shell, and an empty orbital below the HOMO");
    w = make(4, (double[]){-1, -0.5, 0.1, 0.2}, (double[]){2, 2, -2.03, 0});
    ok(has_frontier(&w, ORB_ALPHA, 2, 3), "an occupation below 0: by energy");
    w = make(4, (double[]){0.03, 1.9, 1.2, 0.8}, (double[]){0.03, 1.9, 1.2, 0.8});
    w.natural = true;
    ok(has_frontier(&w, ORB_ALPHA, 3, 4), "natural orbitals: by occupation");
    w = make(4, (double[]){-1, -0.5, -0.4, -0.1}, (double[]){2, 1.9, 0.9, 0.02});
    ok(has_frontier(&w, ORB_ALPHA, 2, 3), "fractional occupations");
    w = make(3, (double[]){NAN, NAN, NAN}, (double[]){2, 2, 0});
    ok(has_frontier(&w, ORB_ALPHA, 2, 3), "no energies: the order of the file");
    w = make(3, (double[]){-3, -2, -1}, (double[]){2, 2, 2});
    ok(has_frontier(&w, ORB_ALPHA, 3, 0), "occupied orbitals only: no LUMO");
    w = make(2, (double[]){-3, -2}, (double[]){0, 0});
    ok(has_frontier(&w, ORB_ALPHA, 0, 1) && has_frontier(&w, ORB_BETA, 0, 0), "no electrons: no HOMO");
    w = make(6, (double[]){-3, -2.9, -2, -1.9, -0.3, 0.2}, (double[]){1, 1, 1, 0, 0, 0});
    for (size_t k = 1; k < 6; k += 2) orbitals[k].spin = ORB_BETA;
    w.has_beta = true;
    ok(has_frontier(&w, ORB_ALPHA, 3, 5) && has_frontier(&w, ORB_BETA, 2, 4), "alpha and beta in turn");
}

// Returns the numbers and names as text, or the message.
static const char *chosen(const struct orb_wave_function *w, const char *words, enum trj_status *status) {
    static char text[2048];
    struct orb_choice c;
    struct trj_error err;
    size_t n = 0;
    *text = '\0';
    *status = TRJ_OK;
    if (orb_choice_make(&c, w, words, &err)) {
        snprintf(text, sizeof text, "%s", err.text);
        *status = err.status;
    }
    for (size_t k = 0; !*status && k < c.count; k++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%zu=%s", k ? " " : "", c.chosen[k].orbital + 1,
                              c.chosen[k].name);
    orb_choice_free(&c);
    return text;
}

static void expect(const struct orb_wave_function *w, const char *words, const char *wanted) {
    enum trj_status status;
    const char *text = chosen(w, words, &status);
    ok(status == TRJ_OK && !strcmp(text, wanted), "%s: %s", words, text);
}

static void expect_error(const struct orb_wave_function *w, const char *words, enum trj_status wanted,
                         const char *part) {
    enum trj_status status;
    const char *text = chosen(w, words, &status);
    ok(status == wanted && has_text(text, part), "%s: %s", words, text);
}

static void test_words(void) {
    static const char *const labels[] = {"1a1", "2a1", "1b2", "3a1", "1b1", "4A1", "B2", "b2", "E\"", "B2"};
    struct orb_wave_function w = make(10, (double[]){-20, -1.3, -0.7, -0.6, -0.5, 0.1, 0.2, 0.3, 0.4, 0.5},
                                      (double[]){2, 2, 2, 2, 2, 0, 0, 0, 0, 0});
    for (size_t k = 0; k < 10; k++) strcpy(orbitals[k].label, labels[k]);
    expect(&w, "homo,lumo+1,5:7,homo-1", "5=homo 7=lumo+1 5=mo5 6=mo6 7=mo7 4=homo-1");
    expect(&w, "HOMO,homo+1,lumo-1:a", "5=homo 6=homo+1 5=lumo-1");
    expect(&w, "3a1", "4=3a1");
    expect(&w, "4a1,1B1", "6=4a1 5=1B1");
    expect(&w, "B2", "7=mo7 10=mo10");
    expect(&w, "b2", "8=b2");
    expect(&w, "2b2", "8=2b2");
    expect(&w, "E\"", "9=mo9");
    expect(&w, "10:10", "10=mo10");
    expect_error(&w, "homo,", TRJ_USAGE, "missing word at character 6");
    expect_error(&w, "", TRJ_USAGE, "missing word at character 1");
    expect_error(&w, "homo,11", TRJ_BAD_DATA, "'11' at character 6: the file has the orbitals 1 to 10");
    expect_error(&w, "0", TRJ_USAGE, "counted from 1");
    expect_error(&w, "7:5", TRJ_USAGE, "'7:5' at character 1: invalid range");
    expect_error(&w, "7:x", TRJ_USAGE, "expected numbers");
    expect_error(&w, "homo-5", TRJ_BAD_DATA, "the file has 5 occupied orbitals: homo to homo-4");
    expect_error(&w, "lumo+5", TRJ_BAD_DATA, "the file has 5 unoccupied orbitals: lumo to lumo+4");
    expect_error(&w, "homo:b", TRJ_BAD_DATA, "no beta orbitals; give 'homo'");
    expect_error(&w, "hmo", TRJ_BAD_DATA, "did you mean homo?");
    expect_error(&w, "7a2", TRJ_BAD_DATA, "no such symmetry label; those of its orbitals are 1a1, 2a1");
    expect_error(&w, "9b2", TRJ_BAD_DATA, "the file has 3 orbitals with the label b2");
    expect_error(&w, "5,4:6", TRJ_USAGE, "'4:6' at character 3: orbital 5 is already chosen");
    expect_error(&w, "homo,homo", TRJ_USAGE, "already chosen");
    expect_error(&w, "homo--1", TRJ_BAD_DATA, "no such symmetry label");
    expect_error(&w, "99999999999999999999", TRJ_BAD_DATA, "no such symmetry label");
    expect_error(&w, "1:99999999999999999", TRJ_BAD_DATA, "orbitals 1 to 10");
    expect_error(&w, "homo+999999999999", TRJ_BAD_DATA, "no such symmetry label");
    expect_error(&w, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", TRJ_USAGE, "longer than");
    expect_error(&w, "somo", TRJ_BAD_DATA, "no orbital with one electron beside orbitals with two");
    orbitals[4].occupation = 1;
    expect(&w, "Somo,homo", "5=somo 5=homo");
    orbitals[5].occupation = 1;
    expect(&w, "somo", "5=mo5 6=mo6");
    orbitals[4].occupation = 2, orbitals[5].occupation = 0;
    struct orb_choice c;
    struct trj_error err;
    bool good = !orb_choice_make(&c, &w, "homo-1", &err);
    ok(good && !strcmp(c.chosen->title, "homo-1: orbital 4, occupation 2, energy -0.6 hartree, label 3a1"), "title: %s",
       good ? c.chosen->title : err.text);
    orb_choice_free(&c);
}

static void test_spins(void) {
    struct orb_wave_function w = make(6, (double[]){-3, -2.9, -2, -1.9, -0.3, 0.2}, (double[]){1, 1, 1, 0, 0, 0});
    for (size_t k = 0; k < 6; k++) {
        orbitals[k].spin = k % 2 ? ORB_BETA : ORB_ALPHA;
        strcpy(orbitals[k].label, k < 2 ? "1a" : k < 4 ? "2a" : "3a");
    }
    w.has_beta = true;
    expect_error(&w, "homo,homo:a", TRJ_USAGE, "'homo:a' at character 6: orbital 3 is already chosen");
    expect(&w, "homo,homo:b,lumo:b", "3=homo 2=homob 4=lumob");
    expect(&w, "2:b,2:3:a,2", "4=mo4 3=mo3 5=mo5 2=mo2");
    expect(&w, "2a,2a:B", "3=2a 4=2ab");
    expect_error(&w, "4:b", TRJ_BAD_DATA, "the file has the beta orbitals 1 to 3");
    expect_error(&w, "homo-1:b", TRJ_BAD_DATA, "the file has 1 occupied beta orbitals: homo");
    expect_error(&w, "somo", TRJ_BAD_DATA, "each for one electron; the highest occupied ones are homo:a and homo:b");
    struct orb_choice c;
    struct trj_error err;
    bool good = !orb_choice_make(&c, &w, "lumo:b", &err);
    ok(good && !strcmp(c.chosen->title, "lumob: orbital 4, beta, occupation 0, energy -1.9 hartree, label 2a"),
       "title: %s", good ? c.chosen->title : err.text);
    orb_choice_free(&c);
}

int main(void) {
    test_order();
    test_words();
    test_spins();
    return done();
}
