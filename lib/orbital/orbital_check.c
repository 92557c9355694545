// SPDX-License-Identifier: MIT
// Describes a wave function with the same keys for all formats. Energies are in hartree.
#include "orbital_check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "memory.h"
#include "orbital_basis.h"
#include "orbital_order.h"
#include "wave_function_parts.h"

static double count_electrons(const struct orb_wave_function *w) {
    double sum = 0;
    for (size_t k = 0; k < w->orbitals; k++) sum += w->orbital[k].occupation;
    return sum;
}

// Some programs write an occupation of 1 for the orbitals of closed shells, so that the file has half of the electrons.
// Then twice the electrons are nearer to the charge of the nuclei.
static void note_occupations(struct orb_wave_function *w) {
    double electrons = count_electrons(w), charge = 0;
    for (size_t k = 0; k < w->atoms; k++)
        charge += isnan(w->atom[k].charge) ? (double)w->atom[k].number : w->atom[k].charge;
    if (orb_full_occupation(w) == 1 && !w->has_beta && fabs(2 * electrons - charge) < fabs(electrons - charge))
        orb_note(w,
                 "the occupations add up to %.6g, for nuclei with the charge %.6g: if each occupied orbital has two "
                 "electrons, densities are half of the true ones",
                 electrons, charge);
    if (!isnan(w->electrons) && fabs(w->electrons - electrons) > ORB_DEVIATION_MAX)
        orb_note(w, "the occupations add up to %.6g, but the file states %.6g electrons", electrons, w->electrons);
}

// Occupations of correlated natural orbitals can be outside of the range by a few thousandths.
static void note_range(struct orb_wave_function *w) {
    const double most = w->has_beta ? 1 : 2;
    size_t outside = 0, first = 0;
    for (size_t k = 0; k < w->orbitals; k++)
        if (w->orbital[k].occupation < -0.01 || w->orbital[k].occupation > most + 0.01) {
            if (!outside) first = k;
            outside++;
        }
    if (outside)
        orb_note(w,
                 "%zu occupations are outside of 0 to %g, the first one %.6g of orbital %zu: densities contain them as "
                 "the file gives them",
                 outside, most, w->orbital[first].occupation, first + 1);
}

int orb_check(struct orb_wave_function *w, struct orb_rule_choice *choice, struct trj_error *err) {
    *choice = (struct orb_rule_choice){.rule = ORB_RULES};
    if (orb_rule_find_spins(w, err) || orb_rule_find(choice, w, err)) return -1;
    if (choice->ambiguous) orb_note(w, "%s", choice->note);
    note_occupations(w);
    note_range(w);
    return 0;
}

// Returns v with two digits: more of them differ between instruction sets.
static double rounded(double v) {
    char text[32];
    snprintf(text, sizeof text, "%.1e", v);
    return strtod(text, NULL);
}

// Reports the number of Cartesian primitives that engines evaluate.
static int put_primitives(struct trj_report *f, const struct orb_wave_function *w, enum orb_rule rule,
                          struct trj_error *err) {
    struct orb_basis b;
    int rc = orb_basis_make(&b, w, rule, err);
    if (!rc) trj_report_count(f, "primitives", b.primitives);
    orb_basis_free(&b);
    return rc;
}

static int put_functions(struct trj_report *f, const struct orb_wave_function *w, enum orb_rule rule,
                         struct trj_error *err) {
    bool found[ORB_L_MAX + 1][2] = {{false}};
    char text[8 * (2 * ORB_L_MAX + 2)] = "";
    size_t n = 0;
    for (size_t k = 0; k < w->shells; k++) found[w->shell[k].l][w->shell[k].l > 1 && w->shell[k].pure] = true;
    for (size_t k = 0; k < w->bare_functions; k++) {
        const uint8_t *power = w->bare_function[k].power;
        found[power[0] + power[1] + power[2]][0] = true;
    }
    for (size_t l = 0; l <= ORB_L_MAX; l++)
        for (int pure = 0; pure < 2; pure++)
            if (found[l][pure])
                n += (size_t)snprintf(text + n, sizeof text - n, "%s%c%s", n ? " " : "", "spdfgh"[l],
                                      l < 2  ? ""
                                      : pure ? " (pure)"
                                             : " (xyz)");
    trj_report_count(f, "functions", w->functions);
    trj_report_text(f, "shells", text);
    if (rule < ORB_RULES) return put_primitives(f, w, rule, err);
    trj_report_unknown(f, "primitives");
    return 0;
}

static void put_rules(struct trj_report *f, const struct orb_rule_choice *choice) {
    trj_report_text(f, "rule", choice->rule < ORB_RULES ? orb_rule_name(choice->rule) : NULL);
    trj_report_begin_list(f, "deviations");
    for (enum orb_rule rule = 0; rule < ORB_RULES; rule++) {
        const struct orb_deviation *d = &choice->deviation[rule];
        if (!d->possible) continue;
        trj_report_begin_object(f, NULL);
        trj_report_text(f, "rule", orb_rule_name(rule));
        trj_report_real(f, "electrons", rounded(d->electrons));
        trj_report_real(f, "norms", rounded(d->norms));
        trj_report_real(f, "orthonormality", rounded(d->orthonormality));
        trj_report_end(f);
    }
    trj_report_end(f);
}

// Reports an orbital under a key; SIZE_MAX: none.
static void put_orbital(struct trj_report *f, const char *key, const struct orb_wave_function *w, size_t orbital) {
    if (orbital == SIZE_MAX) {
        trj_report_unknown(f, key);
        return;
    }
    const struct orb_orbital *o = &w->orbital[orbital];
    trj_report_begin_object(f, key);
    trj_report_count(f, "orbital", orbital + 1);
    trj_report_text(f, "label", *o->label ? o->label : NULL);
    trj_report_real(f, "occupation", o->occupation);
    trj_report_real(f, "energy", orb_has_energies(w) ? o->energy : NAN);
    trj_report_end(f);
}

static int put_frontier(struct trj_report *f, const struct orb_wave_function *w, enum orb_spin spin,
                        const char *const keys[3], struct trj_error *err) {
    struct orb_order o;
    double gap = NAN;
    if (orb_order_make(&o, w, spin, err)) {
        orb_order_free(&o);
        return -1;
    }
    size_t homo = o.occupied ? o.orbital[o.occupied - 1] : SIZE_MAX;
    size_t lumo = o.occupied < o.count ? o.orbital[o.occupied] : SIZE_MAX;
    if (homo != SIZE_MAX && lumo != SIZE_MAX && orb_has_energies(w))
        gap = w->orbital[lumo].energy - w->orbital[homo].energy;
    put_orbital(f, keys[0], w, homo);
    put_orbital(f, keys[1], w, lumo);
    trj_report_real(f, keys[2], gap);
    orb_order_free(&o);
    return 0;
}

static int put_densities(struct trj_report *f, const struct orb_wave_function *w, enum orb_rule rule,
                         struct trj_error *err) {
    double *trace = trj_alloc(w->densities, sizeof *trace, "density matrices", err);
    if (!trace || (rule < ORB_RULES && orb_rule_density_traces(w, rule, trace, err))) {
        free(trace);
        return -1;
    }
    trj_report_begin_list(f, "densities");
    for (size_t k = 0; k < w->densities; k++) {
        trj_report_begin_object(f, NULL);
        trj_report_text(f, "density", w->density[k].name);
        trj_report_real(f, "electrons", rule < ORB_RULES ? round(trace[k] * 1e9) / 1e9 + 0 : NAN);
        trj_report_end(f);
    }
    trj_report_end(f);
    free(trace);
    return 0;
}

int orb_check_report(struct trj_report *f, const struct orb_wave_function *w, const struct orb_rule_choice *choice,
                     const struct trj_error *damage, struct trj_error *err) {
    static const char *const alpha_keys[] = {"homo", "lumo", "gap"};
    static const char *const beta_keys[] = {"homo_beta", "lumo_beta", "gap_beta"};
    size_t beta = 0;
    for (size_t k = 0; k < w->orbitals; k++) beta += w->orbital[k].spin == ORB_BETA;
    trj_report_text(f, "format", w->format);
    trj_report_text(f, "program", w->program && *w->program ? w->program : NULL);
    trj_report_text(f, "title", w->title && *w->title ? w->title : NULL);
    trj_report_check(f, true, damage);
    trj_report_count(f, "atoms", w->atoms);
    if (put_functions(f, w, choice->rule, err)) return -1;
    trj_report_count(f, "orbitals", w->orbitals);
    trj_report_count_if(f, "orbitals_beta", w->has_beta, beta);
    trj_report_real(f, "electrons", round(count_electrons(w) * 1e9) / 1e9 + 0);
    // Files have at most ten digits.
    trj_report_real(f, "electrons_overlap", choice->rule < ORB_RULES ? round(choice->electrons * 1e9) / 1e9 + 0 : NAN);
    put_rules(f, choice);
    if (put_frontier(f, w, ORB_ALPHA, alpha_keys, err)) return -1;
    if (w->has_beta && put_frontier(f, w, ORB_BETA, beta_keys, err)) return -1;
    if (put_densities(f, w, choice->rule, err)) return -1;
    trj_report_begin_list(f, "notes");
    for (size_t k = 0; k < w->notes; k++) trj_report_text(f, NULL, w->note[k]);
    trj_report_end(f);
    return 0;
}
