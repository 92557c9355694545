// SPDX-License-Identifier: MIT
// Totals of partial curves: amplitudes, weights and printed forms. scattering.h gives the formulas.
#include "scattering.h"

#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "electron_factors.h"
#include "memory.h"
#include "number.h"

#define PI 3.14159265358979323846

double rdf_form_factor_at(const struct rdf_form_factor *f, double q) {
    double s = q / (4 * PI), sum = f->c;
    for (int i = 0; i < 5; i++) sum += f->a[i] * exp(-f->b[i] * s * s);
    return sum;
}

// ---- totals that a user requests

static const struct {
    const char *name, *amplitude, *unit; // of an atom
    const char *missing;
} probes[] = {
    [RDF_NUMBER] = {"number", "", "", ""},
    [RDF_NEUTRON] = {"neutron", "b", "fm", "no scattering length is tabulated for it"},
    [RDF_XRAY] = {"xray", "f", "electrons", "no form factor is tabulated for it"},
    [RDF_ELECTRON] = {"electron", "f", "Angstrom",
                      "no electron scattering factor of a neutral atom is tabulated for it"},
};

double rdf_probe_max_q(enum rdf_probe probe) {
    if (probe == RDF_ELECTRON) return RDF_MAX_ELECTRON_Q;
    return probe == RDF_XRAY ? RDF_MAX_Q : INFINITY;
}

int rdf_total_parse(struct rdf_total *t, const char *text, bool with_q, struct trj_error *err) {
    *t = (struct rdf_total){.name = text, .q = with_q ? 0 : NAN};
    for (size_t i = 0; i < sizeof probes / sizeof *probes; i++) {
        size_t n = strlen(probes[i].name);
        if (strncmp(text, probes[i].name, n) != 0) continue;
        t->probe = (enum rdf_probe)i;
        if (!text[n]) return 0;
        double max = rdf_probe_max_q(t->probe);
        if (!with_q || isinf(max) || text[n] != '@' || !trj_parse_real(text + n + 1, &t->q)) continue;
        if (t->q >= 0 && t->q <= max) return 0;
        return trj_fail(err, TRJ_USAGE,
                        "total '%s': form factors are tabulated for q from 0 to %g; give q in this range", text, max);
    }
    return trj_fail(err, TRJ_USAGE, "total '%s': unknown; give number, neutron, xray or electron%s", text,
                    with_q ? ", xray@Q or electron@Q" : "");
}

int rdf_totals_parse(struct rdf_total **totals, const struct trj_text_list *texts, bool with_q, struct trj_error *err) {
    if (!(*totals = trj_alloc(texts->count, sizeof **totals, "totals", err))) return -1;
    for (size_t i = 0; i < texts->count; i++) {
        if (rdf_total_parse(&(*totals)[i], texts->texts[i], with_q, err)) return -1;
        for (size_t k = 0; k < i; k++)
            if (!strcmp((*totals)[k].name, texts->texts[i]))
                return trj_fail(err, TRJ_USAGE, "total '%s': given twice; remove one", texts->texts[i]);
    }
    return 0;
}

// ---- scattering of groups

static const struct rdf_form_factor *find_factor(const char *symbol) {
    const struct rdf_form_factor *f = rdf_form_factors;
    while (f->number && strcmp(f->symbol, symbol) != 0) f++;
    return f->number ? f : NULL;
}

static double length_of(unsigned element) {
    return rdf_neutron_lengths[element] != 0 ? rdf_neutron_lengths[element] : NAN;
}

// Sets the scatterer of a group.
static int give(struct rdf_scatterer *scatterer, const char *text, const char *what, struct trj_error *err) {
    scatterer->given = text;
    scatterer->factor = NULL;
    scatterer->atom = 0;
    scatterer->length = NAN;
    if (trj_parse_real(what, &scatterer->length)) return 0;
    bool deuterium = !strcmp(what, "D");
    scatterer->factor = find_factor(deuterium ? "H" : what);
    unsigned number = scatterer->factor ? scatterer->factor->number : trj_element_find_exact(what, strlen(what));
    if (!number)
        return trj_fail(err, TRJ_USAGE, "scatterer '%s': expected an element, an ion (Cl1-), D, or a length in fm",
                        text);
    scatterer->atom = deuterium || trj_element_find_exact(what, strlen(what)) ? number : 0; // not an ion
    scatterer->length = deuterium ? RDF_DEUTERIUM : length_of(number);
    return 0;
}

static size_t find_group(const struct rdf_setup *setup, const char *name, size_t length) {
    size_t g = 0;
    while (g < setup->group_count &&
           (strlen(setup->groups[g].name) != length || memcmp(setup->groups[g].name, name, length) != 0))
        g++;
    return g;
}

// Returns whether a group consists of the element whose symbol begins a text of this length.
static bool is_of_element(const struct rdf_hist_group *g, const char *symbol, size_t length) {
    unsigned number = trj_element_find_exact(symbol, length);
    return number && g->element_count == 1 && g->elements[0].number == number;
}

// Takes GROUP=WHAT; or ELEMENT=WHAT, which applies to all groups of this element that are not given by name, if no
// group has this name.
static int take_given(struct rdf_scattering *s, const struct trj_text_list *texts, size_t i, struct trj_error *err) {
    const struct rdf_setup *setup = s->setup;
    const char *text = texts->texts[i], *equals = strchr(text, '='), *what = equals ? equals + 1 : "";
    size_t n = equals ? (size_t)(equals - text) : 0, g = find_group(setup, text, n);
    bool any = false;
    if (!equals) return trj_fail(err, TRJ_USAGE, "scatterer '%s': expected GROUP=WHAT", text);
    for (size_t k = 0; k < i; k++)
        if (strlen(texts->texts[k]) > n && !memcmp(texts->texts[k], text, n + 1))
            return trj_fail(err, TRJ_USAGE, "scatterer '%s': the group is given twice; remove one", text);
    if (g < setup->group_count) return give(&s->scatterer[g], text, what, err);
    for (g = 0; g < setup->group_count; g++) {
        bool by_name = false;
        if (!is_of_element(&setup->groups[g], text, n)) continue;
        any = true;
        for (size_t k = 0; k < texts->count; k++) {
            const char *end = strchr(texts->texts[k], '=');
            by_name = by_name || (end && find_group(setup, texts->texts[k], (size_t)(end - texts->texts[k])) == g);
        }
        if (!by_name && give(&s->scatterer[g], text, what, err)) return -1;
    }
    return any ? 0
               : trj_fail(err, TRJ_USAGE,
                          "scatterer '%s': unknown group, and no group of this element; trjinfo lists the groups of a "
                          "histogram stream",
                          text);
}

// Returns the entry of a pair of groups in the tables of pairs.
static size_t entry_of(const struct rdf_scattering *s, uint32_t a, uint32_t b) {
    size_t i = s->scatterer[a].place, j = s->scatterer[b].place;
    return i < j ? i * s->used + j : j * s->used + i;
}

static uint32_t *pair_of(const struct rdf_scattering *s, uint32_t a, uint32_t b) {
    return &s->pair[entry_of(s, a, b)];
}

size_t rdf_scattering_part(const struct rdf_scattering *s, uint32_t a, uint32_t b) {
    return s->part ? s->part[entry_of(s, a, b)] : 0;
}

static int list_pairs(struct rdf_scattering *s, struct trj_error *err) {
    const struct rdf_setup *setup = s->setup;
    for (size_t p = 0; p < setup->pair_count; p++)
        s->scatterer[setup->pairs[p].a].used = s->scatterer[setup->pairs[p].b].used = true;
    for (size_t g = 0; g < setup->group_count; g++)
        if (s->scatterer[g].used) s->scatterer[g].place = (uint32_t)s->used++;
    if (s->used > RDF_MAX_SCATTERERS)
        return trj_fail(err, TRJ_BAD_DATA, "total: %zu groups, at most %d can be summed; count fewer groups", s->used,
                        RDF_MAX_SCATTERERS);
    s->pair = trj_alloc(s->used * s->used, sizeof *s->pair, "pairs", err);
    for (size_t p = setup->pair_count; s->pair && p-- > 0;) // backwards, so that the first pair of two groups remains
        *pair_of(s, setup->pairs[p].a, setup->pairs[p].b) = (uint32_t)p + 1;
    return s->pair ? 0 : -1;
}

static int refuse_overlap(const struct rdf_setup *s, size_t pair, struct trj_error *err) {
    return trj_fail(
        err, TRJ_BAD_DATA,
        "total: groups %s and %s have common atoms, which would count twice; select groups without common atoms",
        s->groups[s->pairs[pair].a].name, s->groups[s->pairs[pair].b].name);
}

static int check_pair(const struct rdf_scattering *scattering, enum rdf_part part, uint32_t a, uint32_t b,
                      struct trj_error *err) {
    const struct rdf_setup *s = scattering->setup;
    const struct rdf_hist_group *of_a = &s->groups[a], *of_b = &s->groups[b];
    uint32_t number = *pair_of(scattering, a, b);
    // A single atom has no pair with itself, but its amplitude has a square.
    if (!number && a == b && of_a->atoms == 1 && !s->waves.shells.count) return 0;
    if (!number)
        return trj_fail(err, TRJ_BAD_DATA, "total: the pair %s:%s was not counted; count all pairs with %s -p '*:*'",
                        of_a->name, of_b->name, rdf_setup_tool(s));
    size_t p = number - 1;
    uint64_t pairs = s->pairs[p].pairs + (rdf_part_subtracts_excluded(part) && s->excluded ? s->excluded[p] : 0), all;
    if (a == b || of_a->dynamic || of_b->dynamic) return 0; // rdf_scattering_check compares dynamic groups
    return __builtin_mul_overflow(of_a->atoms, of_b->atoms, &all) || pairs != all ? refuse_overlap(s, p, err) : 0;
}

int rdf_scattering_open(struct rdf_scattering *s, const struct rdf_setup *setup, enum rdf_part part,
                        const struct trj_text_list *given, struct trj_error *err) {
    if (setup->lag.frames)
        return trj_fail(err, TRJ_BAD_DATA,
                        "total: counts of atoms at two times have no total; count without rdfhist --lag");
    s->setup = setup;
    s->share = part == RDF_PART_EXCLUDED;
    s->parts = 1;
    s->scatterer = trj_alloc(setup->group_count, sizeof *s->scatterer, "groups", err);
    if (!s->scatterer || list_pairs(s, err)) return -1;
    for (uint32_t a = 0; a < setup->group_count; a++) {
        const struct rdf_hist_group *g = &setup->groups[a];
        s->scatterer[a].length = NAN;
        if (!s->scatterer[a].used) continue;
        if (g->element_count == 1 && g->elements[0].number) {
            s->scatterer[a].length = length_of(g->elements[0].number);
            s->scatterer[a].atom = g->elements[0].number;
            s->scatterer[a].factor = find_factor(trj_elements[g->elements[0].number].symbol);
        }
        for (uint32_t b = a; b < setup->group_count; b++)
            if (s->scatterer[b].used && check_pair(s, part, a, b, err)) return -1;
        s->atoms += (double)g->atoms;
    }
    for (size_t i = 0; i < given->count; i++)
        if (take_given(s, given, i, err)) return -1;
    return 0;
}

void rdf_scattering_close(struct rdf_scattering *s) {
    free(s->scatterer);
    free(s->pair);
    free(s->part);
    *s = (struct rdf_scattering){.setup = NULL};
}

// Returns whether the names of two groups match A:B in this order. `a_length` is the length of A; A:B has no other
// colon.
static bool matches(const char *text, size_t a_length, const char *a, const char *b) {
    char of_a[256];
    snprintf(of_a, sizeof of_a, "%.*s", (int)a_length, text);
    return !fnmatch(of_a, a, 0) && !fnmatch(text + a_length + 1, b, 0);
}

// Puts the pairs of groups that match a text into a contribution.
static int take_part(struct rdf_scattering *s, const struct trj_text_list *texts, size_t number,
                     struct trj_error *err) {
    const struct rdf_hist_group *groups = s->setup->groups;
    const char *text = texts->texts[number], *colon = strchr(text, ':');
    bool any = false;
    if (!colon || colon - text > 255 || strchr(colon + 1, ':'))
        return trj_fail(err, TRJ_USAGE, "--pair: invalid value '%s': expected A:B", text);
    size_t length = (size_t)(colon - text);
    for (uint32_t a = 0; a < s->setup->group_count; a++) {
        for (uint32_t b = a; s->scatterer[a].used && b < s->setup->group_count; b++) {
            const char *of_a = groups[a].name, *of_b = groups[b].name;
            if (!s->scatterer[b].used || (!matches(text, length, of_a, of_b) && !matches(text, length, of_b, of_a)))
                continue;
            uint32_t *part = &s->part[entry_of(s, a, b)];
            if (*part < number)
                return trj_fail(err, TRJ_USAGE,
                                "--pair: %s:%s belongs to both '%s' and '%s', so that contributions would not add up; "
                                "give patterns without common pairs",
                                of_a, of_b, texts->texts[*part], text);
            *part = (uint32_t)number;
            any = true;
        }
    }
    return any ? 0
               : trj_fail(err, TRJ_USAGE,
                          "--pair: no pair of groups matches '%s'; trjinfo lists the groups of a histogram stream",
                          text);
}

int rdf_scattering_split(struct rdf_scattering *s, const struct trj_text_list *texts, struct trj_error *err) {
    if (!texts->count) return 0;
    if (!(s->part = trj_alloc(s->used * s->used, sizeof *s->part, "pairs", err))) return -1;
    for (size_t i = 0; i < s->used * s->used; i++) s->part[i] = (uint32_t)texts->count;
    for (size_t i = 0; i < texts->count; i++)
        if (take_part(s, texts, i, err)) return -1;
    s->parts = texts->count;
    for (size_t i = 0; i < s->used; i++)
        for (size_t j = i; j < s->used; j++)
            if (s->part[i * s->used + j] == texts->count) s->parts = texts->count + 1;
    return 0;
}

size_t rdf_scattering_contributions(const struct rdf_scattering *s, bool split) {
    return s->part || split ? s->parts * (split ? 2 : 1) : 0;
}

void rdf_scattering_contribution_name(char name[RDF_PIECE_NAME], const struct rdf_total *t,
                                      const struct trj_text_list *texts, bool split, size_t contribution) {
    size_t part = contribution ? (contribution - 1) / (split ? 2 : 1) : 0;
    const char *text = contribution && texts->count ? part < texts->count ? texts->texts[part] : "rest" : "",
               *which = !contribution || !split ? ""
                        : contribution % 2      ? ",others"
                                                : ",excluded";
    snprintf(name, RDF_PIECE_NAME, "%.60s%s%.300s%s", t->name, *text ? "," : "", text, which);
}

bool rdf_scattering_given(const struct rdf_scattering *s, const struct trj_text_list *texts, size_t pair) {
    const struct rdf_pair *p = &s->setup->pairs[pair];
    return !texts->count || rdf_scattering_part(s, p->a, p->b) < texts->count;
}

int rdf_scattering_check(const struct rdf_scattering *s, enum rdf_part part, const struct rdf_record *r,
                         struct trj_error *err) {
    for (size_t p = 0; r->pair_sums && p < s->setup->pair_count; p++) {
        struct trj_exact_sum pairs = r->pair_sums[p].pairs;
        if (s->setup->pairs[p].a == s->setup->pairs[p].b) continue;
        if (rdf_part_subtracts_excluded(part)) trj_exact_merge(&pairs, &r->pair_sums[p].excluded);
        if (memcmp(&pairs, &r->pair_sums[p].product, sizeof pairs) != 0) return refuse_overlap(s->setup, p, err);
    }
    return 0;
}

// Reports why a group without a given scatterer has no amplitude.
static int refuse_group(const struct rdf_hist_group *g, const char *probe, struct trj_error *err) {
    if (!g->element_count)
        return trj_fail(
            err, TRJ_BAD_DATA,
            "total %s: the elements of group %s are unknown; give trjcat a topology (-t), or use --scatterer %s=WHAT",
            probe, g->name, g->name);
    if (g->element_count > 1)
        return trj_fail(err, TRJ_BAD_DATA,
                        "total %s: group %s contains %zu elements; split it with trjcat --by element", probe, g->name,
                        g->element_count);
    if (!g->elements[0].number)
        return trj_fail(err, TRJ_BAD_DATA,
                        "total %s: the element of group %s is unknown; give --scatterer %s=0 for massless sites, or "
                        "--scatterer %s=WHAT",
                        probe, g->name, g->name, g->name);
    return trj_fail(err, TRJ_BAD_DATA,
                    "total %s: group %s: no table entry for element %s; give another one with --scatterer", probe,
                    g->name, trj_elements[g->elements[0].number].symbol);
}

static double electron_factor_at(unsigned atom, double q) {
    double s = q / (4 * PI), sum = 0;
    for (int i = 0; i < TRJ_ELECTRON_TERMS; i++)
        sum += trj_electron_factors[atom][0][i] * exp(-trj_electron_factors[atom][1][i] * s * s);
    return sum;
}

int rdf_scattering_amplitudes(double *amplitude, const struct rdf_scattering *s, enum rdf_probe probe, double q,
                              struct trj_error *err) {
    if (q > rdf_probe_max_q(probe) * (1 + 1e-9))
        return trj_fail(err, TRJ_BAD_DATA,
                        "total %s: q = %g: form factors are tabulated up to q = %g; give a smaller --qmax",
                        probes[probe].name, q, rdf_probe_max_q(probe));
    for (size_t g = 0; g < s->setup->group_count; g++) {
        const struct rdf_scatterer *scatterer = &s->scatterer[g];
        amplitude[g] = 0;
        if (!scatterer->used) continue;
        if (probe == RDF_NUMBER)
            amplitude[g] = 1;
        else if (probe == RDF_NEUTRON && !isnan(scatterer->length))
            amplitude[g] = scatterer->length;
        else if (probe == RDF_XRAY && scatterer->factor)
            amplitude[g] = rdf_form_factor_at(scatterer->factor, q);
        else if (probe == RDF_ELECTRON && scatterer->atom && scatterer->atom < TRJ_ELECTRON_ELEMENTS)
            amplitude[g] = electron_factor_at(scatterer->atom, q);
        else if (scatterer->given && !scatterer->factor && !scatterer->atom && scatterer->length == 0)
            continue; // massless sites, which scatter nothing
        else if (scatterer->given)
            return trj_fail(err, TRJ_BAD_DATA, "total %s: --scatterer %s: %s; give an element, or 0 for massless sites",
                            probes[probe].name, scatterer->given, probes[probe].missing);
        else
            return refuse_group(&s->setup->groups[g], probes[probe].name, err);
    }
    return 0;
}

bool rdf_scattering_first(const struct rdf_scattering *s, size_t pair) {
    return *pair_of(s, s->setup->pairs[pair].a, s->setup->pairs[pair].b) == pair + 1;
}

static double square(double x) {
    return x * x;
}

double rdf_scattering_weights(double *w, double *rest, const struct rdf_scattering *s, enum rdf_probe probe,
                              const double *amplitude, const double *atoms, const double *pairs) {
    const struct rdf_setup *setup = s->setup;
    double all_atoms = 0, all_pairs = 0, mean = 0;
    for (size_t g = 0; g < setup->group_count; g++) all_atoms += s->scatterer[g].used ? atoms[g] : 0;
    for (size_t p = 0; p < setup->pair_count; p++) all_pairs += rdf_scattering_first(s, p) ? pairs[p] : 0;
    for (size_t i = 0; i < s->parts; i++) rest[i] = 0;
    for (size_t p = 0; p < setup->pair_count; p++) {
        uint32_t a = setup->pairs[p].a, b = setup->pairs[p].b;
        w[p] = 0;
        if (!rdf_scattering_first(s, p)) continue;
        if (probe == RDF_NUMBER)
            w[p] = all_pairs > 0 ? pairs[p] / all_pairs : 0;
        else if (all_atoms > 0)
            w[p] = (a == b ? 1 : 2) * amplitude[a] * amplitude[b] * (atoms[a] / all_atoms) * (atoms[b] / all_atoms);
        if (pairs[p] > 0) continue;
        rest[rdf_scattering_part(s, a, b)] += w[p];
        w[p] = 0;
    }
    for (uint32_t g = 0; g < setup->group_count && all_atoms > 0; g++) {
        if (!s->scatterer[g].used) continue;
        mean += amplitude[g] * (atoms[g] / all_atoms);
        if (probe != RDF_NUMBER && !*pair_of(s, g, g))
            rest[rdf_scattering_part(s, g, g)] += square(amplitude[g] * (atoms[g] / all_atoms));
    }
    for (size_t i = 0; s->share && i < s->parts; i++) rest[i] = 0;
    return probe == RDF_NUMBER ? 1 : mean * mean;
}

double rdf_scattering_unit(enum rdf_probe probe) {
    return probe == RDF_NEUTRON ? 0.01 : 1;
}

// ---- forms

enum { G, FZ, D, T, PDF, RDF, FORMS };

const struct trj_choice rdf_forms[FORMS + 1] = {
    [G] = {"g", "G'(r), 1 at large r"},    [FZ] = {"fz", "G(r) of Faber and Ziman, 0 at large r"},
    [D] = {"d", "D(r) = 4 pi r rho G(r)"}, [T] = {"t", "T(r) = D(r) + 4 pi r rho <b>^2"},
    [PDF] = {"pdf", "D(r)/<b>^2"},         [RDF] = {"rdf", "RDF(r) = 4 pi r^2 rho G'(r)"},
};

static size_t form_of(const char *name) {
    size_t i = 0;
    while (strcmp(rdf_forms[i].name, name)) i++;
    return i;
}

const struct trj_choice *rdf_form_column(const char *form) {
    static const struct trj_choice columns[FORMS] = {
        [G] = {"g", "g(r)"}, [FZ] = {"G", "G(r)"},          [D] = {"D", "D(r)"},
        [T] = {"T", "T(r)"}, [PDF] = {"pdf", "D(r)/<b>^2"}, [RDF] = {"RDF", "RDF(r)"}};
    return &columns[form_of(form)];
}

bool rdf_form_takes_density(const char *form) {
    return form_of(form) >= D;
}

bool rdf_form_takes_mean(const char *form) {
    size_t i = form_of(form);
    return i == G || i == PDF || i == RDF;
}

void rdf_form_scale(double scale[2], const char *form, enum rdf_probe probe, double limit, double mean, double density,
                    double r) {
    size_t i = form_of(form);
    double around = i >= D ? 4 * PI * r * density * (i == RDF ? r : 1) : 1;
    scale[0] = around * (rdf_form_takes_mean(form) ? 1 / mean : rdf_scattering_unit(probe));
    scale[1] = i == G || i == T || i == RDF ? 0 : -scale[0] * limit;
}

static int print_group(struct trj_output *out, const struct rdf_scattering *s, size_t g, enum rdf_probe probe,
                       double amplitude, struct trj_error *err) {
    const char *given = s->scatterer[g].given, *what = given ? strchr(given, '=') + 1 : NULL;
    if (!what && s->setup->groups[g].element_count) what = trj_elements[s->setup->groups[g].elements[0].number].symbol;
    return trj_output_print(out, err, "# group %s scatters as %s: %s %.7g %s\n", s->setup->groups[g].name, what,
                            probes[probe].amplitude, amplitude, probes[probe].unit);
}

int rdf_scattering_print(struct trj_output *out, const struct rdf_scattering *s, const struct rdf_total *t,
                         struct trj_error *err) {
    const struct rdf_setup *setup = s->setup;
    double *amplitude = trj_alloc(setup->group_count, sizeof *amplitude, "groups", err);
    bool by_element = false;
    int rc = !amplitude || rdf_scattering_amplitudes(amplitude, s, t->probe, isnan(t->q) ? 0 : t->q, err) ? -1 : 0;
    if (!rc) rc = trj_output_print(out, err, "# total %s: of %.10g atoms in groups", t->name, s->atoms);
    if (!rc && s->system > 0) rc = trj_output_print(out, err, ", of %.10g in the trajectory", s->system);
    if (!rc && s->missing > 0)
        rc = trj_output_print(out, err, ", of which %.3g %% are in no group that is counted",
                              100 * s->missing / s->system);
    if (!rc && !isinf(rdf_probe_max_q(t->probe)))
        rc = isnan(t->q) ? trj_output_print(out, err, ", each q with its own f(q); f(0):")
                         : trj_output_print(out, err, ", f at q = %.10g 1/Angstrom", t->q);
    if (!rc) rc = trj_output_print(out, err, "\n");
    for (size_t g = 0; !rc && g < setup->group_count && t->probe != RDF_NUMBER; g++) {
        if (!s->scatterer[g].used) continue;
        by_element = by_element || !s->scatterer[g].given;
        rc = print_group(out, s, g, t->probe, amplitude[g], err);
    }
    if (!rc && by_element && setup->element_from)
        rc = trj_output_print(out, err, "# elements are guessed from %s\n", setup->element_from);
    free(amplitude);
    return rc;
}
