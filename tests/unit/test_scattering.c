// SPDX-License-Identifier: MIT
// Scattering lengths, form factors and weights of totals are compared with values of other tables and formulas.
#include <math.h>
#include <stdlib.h>

#include "norm_curve.h"
#include "scattering.h"
#include "tap.h"

#define PI 3.14159265358979323846

static struct trj_error err;

static bool near(double a, double b, double off) {
    return fabs(a - b) <= off;
}

static const struct rdf_form_factor *factor(const char *symbol) {
    const struct rdf_form_factor *f = rdf_form_factors;
    while (f->number && strcmp(f->symbol, symbol) != 0) f++;
    return f;
}

static void check_tables(void) {
    // V. F. Sears, Neutron News 3(3), 26 (1992), as quoted by the National Institute of Standards and Technology, fm.
    static const struct {
        int z;
        double b;
    } lengths[] = {{1, -3.7390}, {3, -1.90},   {6, 6.6460},   {7, 9.36},   {8, 5.803}, {11, 3.63}, {14, 4.1491},
                   {17, 9.5770}, {22, -3.438}, {23, -0.3824}, {25, -3.73}, {28, 10.3}, {40, 7.16}, {55, 5.42},
                   {74, 4.86},   {79, 7.63},   {82, 9.405},   {92, 8.417}, {95, 8.3},  {84, 0},    {118, 0}};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        ok(near(rdf_neutron_lengths[lengths[i].z], lengths[i].b, 0), "b of %s", trj_elements[lengths[i].z].symbol);

    // At q = 0 the form factor is the number of electrons (the fit of Waasmaier and Kirfel is accurate to 0.04), and it
    // decreases with q; elements are in order.
    int atoms = 0, last = 0;
    for (const struct rdf_form_factor *f = rdf_form_factors; f->number; f++) {
        size_t n = strlen(f->symbol);
        char sign = f->symbol[n - 1];
        int charge = sign == '+' || sign == '-' ? (f->symbol[n - 2] - '0') * (sign == '+' ? 1 : -1) : 0;
        bool atom = !charge, down = true;
        double electrons = f->number - charge, before = rdf_form_factor_at(f, 0);
        if (atom) atoms++;
        bool ordered = f->number == last + atom &&
                       !strncmp(f->symbol, trj_elements[f->number].symbol, strlen(trj_elements[f->number].symbol));
        last = f->number;
        if (!near(before, electrons, 0.04) || !ordered)
            ok(false, "%s: %g of %g electrons", f->symbol, before, electrons);
        for (double q = 0.1; q < 40; q += 0.1) {
            double x = rdf_form_factor_at(f, q);
            down = down && x < before + 1e-3 && x > -1e-3;
            before = x;
        }
        if (!down) ok(false, "%s: the form factor rises, or is negative", f->symbol);
    }
    ok(atoms == 98 && last == 98, "form factors exist for all elements up to Cf");

    // The ground state of hydrogen, exactly: (1 + (2 pi a_0 s)^2)^-2.
    bool good = true;
    for (double s = 0; s <= 1.5; s += 0.05)
        good =
            good && near(rdf_form_factor_at(factor("H"), 4 * PI * s), pow(1 + pow(2 * PI * 0.529177 * s, 2), -2), 2e-3);
    ok(good, "f of hydrogen: agrees with the exact form");
    // s = 0.25, 0.5, 1 1/Å by the parameters of Table 6.1.1.4 of the International Tables for Crystallography C (other
    // fits, of four Gaussians).
    static const struct {
        const char *symbol;
        double f[3];
    } others[] = {{"C", {2.9498, 1.6858, 1.1152}},    {"O", {4.8078, 2.3372, 1.3769}},
                  {"Na1+", {7.6460, 4.2906, 1.7848}}, {"Cl1-", {10.5851, 7.3107, 4.0266}},
                  {"Si", {8.8610, 6.2401, 2.6991}},   {"Fe", {18.3626, 11.5057, 6.5489}},
                  {"U", {72.7419, 55.4177, 35.4566}}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        good = true;
        for (int k = 0; k < 3; k++)
            good = good && near(rdf_form_factor_at(factor(others[i].symbol), PI * (1 << k)), others[i].f[k], 0.05);
        ok(good, "f of %s", others[i].symbol);
    }
}

static void check_parse(void) {
    struct rdf_total t;
    ok(!rdf_total_parse(&t, "number", true, &err) && t.probe == RDF_NUMBER, "number");
    ok(!rdf_total_parse(&t, "neutron", false, &err) && t.probe == RDF_NEUTRON, "neutron");
    ok(!rdf_total_parse(&t, "xray", true, &err) && t.probe == RDF_XRAY && t.q == 0, "xray");
    ok(!rdf_total_parse(&t, "xray", false, &err) && isnan(t.q), "xray of each q");
    ok(!rdf_total_parse(&t, "xray@2.5", true, &err) && t.probe == RDF_XRAY && t.q == 2.5, "xray at a q");
    ok(!rdf_total_parse(&t, "electron@25", true, &err) && t.probe == RDF_ELECTRON && t.q == 25, "electron at a q");
    static const char *const bad[] = {"electron@26", "",        "numbers",  "xray@",     "xray@x",
                                      "xray@-1",     "xray@76", "xray@nan", "neutron@2", "x"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ok(rdf_total_parse(&t, bad[i], true, &err) == -1 && err.status == TRJ_USAGE, "%s", err.text);
    ok(rdf_total_parse(&t, "xray@2", false, &err) == -1, "%s", err.text);
    struct rdf_total *list = NULL;
    ok(rdf_totals_parse(&list, &(struct trj_text_list){(const char *[]){"xray", "xray"}, 2}, true, &err) == -1, "%s",
       err.text);
    free(list);
}

static struct rdf_element_count oxygen = {8, 10}, hydrogen = {1, 20}, both[] = {{1, 3}, {8, 2}}, unknown = {0, 5},
                                polonium = {84, 5};
static struct rdf_hist_group groups[] = {
    {.name = (char[]){"O"}, .atoms = 10, .element_count = 1, .elements = &oxygen},
    {.name = (char[]){"H"}, .atoms = 20, .element_count = 1, .elements = &hydrogen},
    {.name = (char[]){"X"}, .atoms = 5}};
static struct rdf_pair pairs[] = {{0, 0, 45}, {1, 0, 200}, {0, 1, 200}, {1, 1, 190},
                                  {0, 2, 50}, {1, 2, 100}, {2, 2, 10}};
static struct rdf_setup setup = {.group_count = 3, .groups = groups, .pair_count = 4, .pairs = pairs};

// Opens the scattering of the pairs; returns -1, or the amplitudes.
static int try(double *amplitude, const char **given, size_t count, enum rdf_probe probe, double q) {
    struct rdf_scattering s = {.setup = NULL};
    struct trj_text_list list = {given, count};
    err = (struct trj_error){0};
    int rc = rdf_scattering_open(&s, &setup, RDF_PART_ALL, &list, &err);
    if (!rc) rc = rdf_scattering_amplitudes(amplitude, &s, probe, q, &err);
    rdf_scattering_close(&s);
    return rc;
}

#define REJECTED(word, ...)                                                                                            \
    do {                                                                                                               \
        double unused[3];                                                                                              \
        int rc = try(unused, __VA_ARGS__);                                                                             \
        ok(rc == -1 && has_text(err.text, word), "%s", err.text);                                                      \
    } while (0)

static void check_groups(void) {
    double a[3], w[7], rest;
    ok(!try(a, NULL, 0, RDF_NEUTRON, 0) && a[0] == 5.803 && a[1] == -3.7390 && a[2] == 0, "b of groups");
    ok(!try(a, NULL, 0, RDF_NUMBER, 0) && a[0] == 1 && a[1] == 1 && a[2] == 0, "numbers: 1 for each group in a pair");
    static const char *heavy[] = {"H=D", "O=-1.5e0"};
    ok(!try(a, heavy, 2, RDF_NEUTRON, 0) && a[0] == -1.5 && a[1] == 6.671, "given scatterers: their values");
    ok(!try(a, heavy, 1, RDF_XRAY, 3) && near(a[1], rdf_form_factor_at(factor("H"), 3), 0), "f of deuterium");
    ok(!try(a, (const char *[]){"H=Cl1-"}, 1, RDF_XRAY, 0) && near(a[1], 18, 0.04), "f of an ion");
    ok(!try(a, (const char *[]){"H=Cl1-"}, 1, RDF_NEUTRON, 0) && a[1] == 9.5770, "b of an ion");
    REJECTED("--scatterer O=-1.5e0: no form factor is tabulated for it; give an element, or 0 for massless sites",
             heavy, 2, RDF_XRAY, 0);
    ok(!try(a, (const char *[]){"O=0"}, 1, RDF_XRAY, 0) && a[0] == 0 && near(a[1], 1, 0.01),
       "f of massless sites is 0");
    ok(!try(a, (const char *[]){"O=0"}, 1, RDF_ELECTRON, 0) && a[0] == 0 && a[1] > 0,
       "electron scattering of massless sites is 0");
    REJECTED("unknown group, and no group of this element; trjinfo lists", (const char *[]){"Q=D"}, 1, RDF_NEUTRON, 0);
    REJECTED("GROUP=WHAT", (const char *[]){"H"}, 1, RDF_NEUTRON, 0);
    REJECTED("given twice", (const char *[]){"H=D", "H=H"}, 2, RDF_NEUTRON, 0);
    REJECTED("expected an element", (const char *[]){"H=Cl9-"}, 1, RDF_NEUTRON, 0);
    REJECTED("expected an element", (const char *[]){"H="}, 1, RDF_NEUTRON, 0);

    struct rdf_scattering s = {.setup = NULL};
    ok(!rdf_scattering_open(&s, &setup, RDF_PART_ALL, &(struct trj_text_list){NULL, 0}, &err) && s.atoms == 30 &&
           !rdf_scattering_amplitudes(a, &s, RDF_NEUTRON, 0, &err),
       "groups in pairs: 30 atoms");
    // Faber and Ziman: c_i c_j b_i b_j in both orders, and the fractions of pairs, 10 * 9, 2 * 10 * 20 and 20 * 19 of
    // 30 * 29.
    const double atoms[] = {10, 20, 0}, number[] = {45, 200, 200, 190};
    double mean = rdf_scattering_weights(w, &rest, &s, RDF_NEUTRON, a, atoms, number);
    ok(near(mean, pow((5.803 - 2 * 3.7390) / 3, 2), 1e-12) && near(w[0], pow(5.803 / 3, 2), 1e-12) &&
           near(w[1], -2 * 2 * 5.803 * 3.7390 / 9, 1e-12) && near(w[3], pow(2 * 3.7390 / 3, 2), 1e-12) && w[2] == 0 &&
           rest == 0,
       "weights: each pair counts once");
    mean = rdf_scattering_weights(w, &rest, &s, RDF_NUMBER, a, atoms, number);
    ok(mean == 1 && near(w[0], 90. / 870, 1e-15) && near(w[1], 400. / 870, 1e-15) && near(w[3], 380. / 870, 1e-15) &&
           w[2] == 0 && rest == 0,
       "numbers: weights are fractions of pairs");
    rdf_scattering_close(&s);

    setup.pair_count = 7;
    REJECTED("the elements of group X are unknown; give trjcat a topology (-t), or use --scatterer X=WHAT", NULL, 0,
             RDF_NEUTRON, 0);
    ok(!try(a, NULL, 0, RDF_NUMBER, 0) && a[2] == 1, "numbers need no elements");
    ok(!try(a, (const char *[]){"X=Po"}, 1, RDF_XRAY, 0) && near(a[2], 84, 0.04),
       "group of unknown elements: the given scatterer is used");
    REJECTED("--scatterer X=Po: no scattering length is tabulated for it", (const char *[]){"X=Po"}, 1, RDF_NEUTRON, 0);
    groups[2].elements = both;
    groups[2].element_count = 2;
    REJECTED("group X contains 2 elements; split it with trjcat --by element", NULL, 0, RDF_XRAY, 0);
    groups[2].elements = &unknown;
    groups[2].element_count = 1;
    REJECTED("the element of group X is unknown; give --scatterer X=0 for massless sites, or --scatterer X=WHAT", NULL,
             0, RDF_XRAY, 0);
    groups[2].elements = &polonium;
    REJECTED("no table entry for element Po; give another one", NULL, 0, RDF_NEUTRON, 0);
    setup.pair_count = 6;
    REJECTED("the pair X:X was not counted", NULL, 0, RDF_NUMBER, 0);
    groups[2].atoms = 1; // forms no pair with itself
    pairs[4].pairs = 10;
    pairs[5].pairs = 20;
    ok(!try(a, NULL, 0, RDF_NUMBER, 0), "group of a single atom: needs no pair with itself");
    pairs[5].pairs = 19;
    REJECTED("groups H and X have common atoms", NULL, 0, RDF_NUMBER, 0);
    setup.pair_count = 4;
    pairs[3].a = 0;
    REJECTED("the pair H:H was not counted", NULL, 0, RDF_NUMBER, 0);
    pairs[3].a = 1;
    // Excluded pairs that were subtracted are not an overlap; if they were not subtracted, there would be more than all
    // pairs.
    uint64_t excluded[] = {5, 7, 7, 3};
    setup.excluded = excluded;
    for (int p = 0; p < 4; p++) pairs[p].pairs -= excluded[p];
    ok(!rdf_scattering_open(&s, &setup, RDF_PART_REST, &(struct trj_text_list){NULL, 0}, &err),
       "excluded pairs were subtracted: no overlap");
    rdf_scattering_close(&s);
    REJECTED("have common atoms", NULL, 0, RDF_NUMBER, 0);
}

// D. A. Keen, J. Appl. Cryst. 34, 172 (2001), eqs. 10 to 45, for g = 1.25, <b>^2 = 40 fm^2 = 0.4 barn, rho = 0.1, r =
// 2.
static void check_forms(void) {
    const struct {
        const char *form;
        double want;
    } forms[] = {{"g", 1.25},
                 {"fz", 0.1},
                 {"d", 4 * PI * 0.2 * 0.1},
                 {"t", 4 * PI * 0.2 * 0.5},
                 {"pdf", 4 * PI * 0.2 * 0.25},
                 {"rdf", 4 * PI * 0.4 * 1.25}};
    double scale[2];
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        rdf_form_scale(scale, forms[i].form, RDF_NEUTRON, 40, 40, 0.1, 2);
        ok(near(scale[0] * 50 + scale[1], forms[i].want, 1e-12), "form %s", forms[i].form);
        ok(!strcmp(rdf_forms[i].name, forms[i].form) && rdf_form_takes_density(forms[i].form) == (i >= 2),
           "form %s: its name, and whether it uses the density", forms[i].form);
    }
    rdf_form_scale(scale, "fz", RDF_XRAY, 40, 40, 0.1, 2);
    ok(near(scale[0] * 50 + scale[1], 10, 1e-12), "electrons^2");
}

// Counts of 4 records in 3 bins, for two groups of 3 and 5 atoms, or for one group of 8 with the same pairs of atoms.
enum { BINS = 3, RECORDS = 4 };

static struct rdf_hist_group two[] = {{.name = (char[]){"A"}, .atoms = 3}, {.name = (char[]){"B"}, .atoms = 5}};
static struct rdf_hist_group one[] = {{.name = (char[]){"all"}, .atoms = 8}};
static struct rdf_pair of_two[] = {{0, 0, 3}, {0, 1, 15}, {1, 1, 10}}, of_one[] = {{0, 0, 28}};
static const struct rdf_setup
    split = {.bins = {1, 4, BINS}, .group_count = 2, .groups = two, .pair_count = 3, .pairs = of_two},
    whole = {.bins = {1, 4, BINS}, .group_count = 1, .groups = one, .pair_count = 1, .pairs = of_one};

static void add_up(struct rdf_hist *h, struct rdf_sums *sums, struct rdf_record *records, bool separate) {
    *h = (struct rdf_hist){.setup = separate ? split : whole, .records = records, .record_count = RECORDS};
    for (uint64_t i = 0; i < RECORDS; i++) {
        uint64_t counts[3 * BINS] = {0};
        records[i] = (struct rdf_record){
            .frames = i + 1, .volume_frames = i + 1, .periodic_all = 7, .periodic_any = 7, .counts = counts};
        for (uint64_t f = 0; f <= i; f++) {
            trj_exact_add(&records[i].volume, 100 + 7 * (double)i);
            trj_exact_add(&records[i].inverse_volume, 1 / (100 + 7 * (double)i));
        }
        records[i].volume_min = records[i].volume_max = 100 + 7 * (double)i;
        for (uint64_t p = 0; p < 3; p++)
            for (uint64_t k = 0; k < BINS; k++)
                counts[(separate ? p * BINS : 0) + k] += 1 + (i * 31 + p * 17 + k * 7) % 11;
        if (rdf_sums_take(sums, &h->setup, &records[i], &err)) abort();
        records[i].counts = NULL;
    }
}

// The total by numbers is the curve of all atoms as one group.
static void check_norm(void) {
    static struct rdf_total asked = {.name = "number"};
    for (const struct trj_choice *norm = rdf_norms; norm->name; norm++) {
        struct rdf_hist separate, together;
        struct rdf_record records[2][RECORDS];
        struct rdf_sums total = {.norm = norm->name, .total_count = 1, .totals = &asked};
        struct rdf_sums all = {.norm = norm->name};
        struct rdf_total_curve t;
        struct rdf_curve c;
        if (rdf_sums_check(&total, &err) || !strcmp(norm->name, "plane")) continue;
        add_up(&separate, &total, records[0], true);
        add_up(&together, &all, records[1], false);
        if (rdf_norm_total(&t, &separate, &total, 0, &err) || rdf_norm_curve(&c, &together, &all, 0, &err)) abort();
        bool good = near(t.mean, 1, 1e-15);
        for (int k = 0; k < BINS; k++)
            good = good && near(t.curve.g[k], c.g[k], 1e-13 * c.g[k]) && c.error.error[k] > 0 &&
                   near(t.curve.error.error[k], c.error.error[k], 1e-9 * c.error.error[k]);
        ok(good, "%s: the total equals the curve of all atoms", norm->name);
        rdf_total_curve_free(&t);
        rdf_curve_free(&c);
        rdf_sums_free(&total);
        rdf_sums_free(&all);
    }
}

int main(void) {
    check_norm();
    check_tables();
    check_parse();
    check_groups();
    check_forms();
    return done();
}
