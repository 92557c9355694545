// SPDX-License-Identifier: MIT
// Finds the rule of normalisation of a file. Rules of one family differ by factors of functions, so that all are tested
// with the same overlaps of functions.
#include "orbital_rule.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "function_norm.h"
#include "memory.h"
#include "orbital_overlap.h"

enum {
    SAMPLE = 64,          // orbitals that are tested first,
    SAMPLED_ABOVE = 1000, // in wave functions with more functions than this
    RULE_NAME_CAPACITY = 16,
};
#define ROUNDING 1e-12 // deviations below this are equally good
#define AS_GOOD  2     // as are those that are at most this many times the smallest one
#define SAME     1e-5  // functions whose factors differ by less than this fraction are the same
// Larger overlaps are no rounding errors of a file: the orbitals have different spins.
#define OVERLAP_MIN (10 * ORB_DEVIATION_MAX)

static const char rule_names[ORB_RULES][RULE_NAME_CAPACITY] = {[ORB_STANDARD] = "standard",
                                                               [ORB_UNIT] = "unit",
                                                               [ORB_RAW] = "raw",
                                                               [ORB_ORCA] = "orca",
                                                               [ORB_PSI4_CART] = "psi4cart",
                                                               [ORB_CFOUR] = "cfour",
                                                               [ORB_TURBOMOLE] = "turbomole",
                                                               [ORB_PRIMITIVES] = "primitives"};

// Programs whose files follow a rule that is not the first of those that can fit equally well.
static const struct {
    const char *program;
    enum orb_rule rule;
} program_rules[] = {{"orca", ORB_ORCA}, {"cfour", ORB_CFOUR}, {"turbomole", ORB_TURBOMOLE}, {"tblite", ORB_RAW}};

const char *orb_rule_name(enum orb_rule rule) {
    return rule_names[rule];
}

// ------------------------------------------------------------------------------------------------------------- factors

// The rules that are possible for a wave function, and the factors by which they multiply its functions.
struct candidates {
    const struct orb_wave_function *w;
    struct orb_function_sets sets;
    size_t count;
    enum orb_rule rule[ORB_RULES];
    struct orb_scaling scaling[ORB_RULES]; // of rule[k]
    bool *used;                            // [functions, in the order of the sets] some orbital contains the function
    bool *agree;                           // the same; the two families agree
    double excess[ORB_RULES];              // trace(P S) minus the sum of the occupations, of rule[k]
};

static void close_candidates(struct candidates *c) {
    for (size_t k = 0; k < c->count; k++) free(c->scaling[k].factor);
    free(c->used);
    free(c->agree);
    orb_function_sets_free(&c->sets);
}

static int add_rule(struct candidates *c, enum orb_rule rule, struct trj_error *err) {
    const struct orb_wave_function *w = c->w;
    double *factor = trj_alloc(w->functions, sizeof *factor, "factors of basis functions", err);
    if (!factor) return -1;
    c->rule[c->count] = rule;
    c->scaling[c->count++] = (struct orb_scaling){orb_rule_family(rule), factor};
    for (size_t f = 0; f < w->bare_functions; f++) factor[f] = 1;
    for (size_t shell = 0; shell < w->shells; shell++) {
        const struct orb_shell *s = &w->shell[shell];
        long double norm = rule == ORB_STANDARD ? orb_shell_norm(w, s, ORB_OF_NORMALISED) : 1;
        for (size_t k = 0; k < orb_shell_functions(s->l, s->pure); k++)
            *factor++ = (double)orb_rule_factor(rule, s, k, norm);
    }
    return 0;
}

static int open_candidates(struct candidates *c, const struct orb_wave_function *w, struct trj_error *err) {
    *c = (struct candidates){.w = w};
    if (orb_function_sets_make(&c->sets, w, err)) return -1;
    c->used = trj_alloc(w->functions, sizeof *c->used, "basis functions", err);
    c->agree = trj_alloc(w->functions, sizeof *c->agree, "basis functions", err);
    if (!c->used || !c->agree) return -1;
    for (size_t o = 0; o < w->orbitals; o++)
        for (size_t f = 0; f < w->functions; f++)
            if (w->coefficient[o * w->functions + c->sets.order[f]] != 0) c->used[f] = true;
    for (size_t shell = 0, f = 0; shell < w->shells; shell++) {
        const struct orb_shell *s = &w->shell[shell];
        bool agree = orb_families_agree(w, s);
        for (size_t k = 0; k < orb_shell_functions(s->l, s->pure); k++) c->agree[f++] = agree;
    }
    if (w->bare_functions) return add_rule(c, ORB_PRIMITIVES, err);
    for (enum orb_rule rule = 0; rule < ORB_PRIMITIVES; rule++) {
        bool possible = rule == ORB_STANDARD || rule == ORB_UNIT || strcmp(w->format, "fchk");
        if (possible && add_rule(c, rule, err)) return -1;
    }
    return 0;
}

// Returns whether two rules give the same functions, apart from those that no orbital contains. A fraction of 0
// requires equal factors.
static bool is_same(const struct candidates *c, size_t a, size_t b, double fraction) {
    const struct orb_scaling *x = &c->scaling[a], *y = &c->scaling[b];
    for (size_t f = 0; f < c->w->functions; f++) {
        if (!c->used[f]) continue;
        if (x->family != y->family && !c->agree[f]) return false;
        if (fabs(x->factor[f] - y->factor[f]) > fraction * fabs(x->factor[f])) return false;
    }
    return true;
}

// ---------------------------------------------------------------------------------------------------------- deviations

struct measurement {
    const struct orb_wave_function *w;
    struct orb_deviation deviation[ORB_RULES]; // [scaling]
    double electrons[ORB_RULES];               // difference from the sum of the occupations
};

static double larger(double a, double b) {
    return a > b || isnan(a) ? a : b; // NaN remains
}

static void take_overlap(void *arg, size_t scaling, size_t i, size_t j, double overlap) {
    struct measurement *m = arg;
    struct orb_deviation *d = &m->deviation[scaling];
    double deviation = fabs(overlap - (i == j));
    if (m->w->orbital[i].spin != m->w->orbital[j].spin) return;
    d->orthonormality = larger(d->orthonormality, deviation);
    if (i != j) return;
    d->norms = larger(d->norms, deviation);
    m->electrons[scaling] += m->w->orbital[i].occupation * (overlap - 1);
}

static double largest(const struct orb_deviation *d) {
    double both = larger(d->electrons, d->orthonormality);
    return isnan(both) ? INFINITY : both;
}

// Measures the candidates of a list with some orbitals.
static int measure(struct candidates *c, size_t count, const size_t *candidate, size_t orbitals, const size_t *orbital,
                   struct orb_rule_choice *choice, struct trj_error *err) {
    struct orb_scaling scaling[ORB_RULES];
    struct measurement m = {.w = c->w};
    for (size_t k = 0; k < count; k++) scaling[k] = c->scaling[candidate[k]];
    struct orb_overlap_task task = {.w = c->w,
                                    .sets = &c->sets,
                                    .orbitals = orbitals,
                                    .orbital = orbital,
                                    .of_one_spin = true,
                                    .scalings = count,
                                    .scaling = scaling,
                                    .take = take_overlap,
                                    .arg = &m};
    if (orb_overlaps(&task, err)) return -1;
    for (size_t k = 0; k < count; k++) {
        m.deviation[k].electrons = fabs(m.electrons[k]);
        m.deviation[k].possible = true;
        choice->deviation[c->rule[candidate[k]]] = m.deviation[k];
        c->excess[candidate[k]] = m.electrons[k];
    }
    return 0;
}

// Lists the candidates whose functions differ, because the others have the same deviations.
static size_t list_different(const struct candidates *c, size_t *candidate, size_t *same_as) {
    size_t count = 0;
    for (size_t k = 0; k < c->count; k++) {
        same_as[k] = k;
        for (size_t j = 0; j < k && same_as[k] == k; j++)
            if (c->scaling[j].family == c->scaling[k].family && is_same(c, j, k, 0)) same_as[k] = j;
        if (same_as[k] == k) candidate[count++] = k;
    }
    return count;
}

static int measure_all(struct candidates *c, struct orb_rule_choice *choice, struct trj_error *err) {
    const struct orb_wave_function *w = c->w;
    size_t candidate[ORB_RULES], same_as[ORB_RULES] = {0}, count = list_different(c, candidate, same_as), kept = 0;
    size_t *orbital = trj_alloc(w->orbitals, sizeof *orbital, "numbers of orbitals", err);
    int rc = orbital ? 0 : -1;
    if (!rc && w->functions > SAMPLED_ABOVE && w->orbitals > SAMPLE) {
        for (size_t k = 0; k < SAMPLE; k++) orbital[k] = k * w->orbitals / SAMPLE;
        rc = measure(c, count, candidate, SAMPLE, orbital, choice, err);
        for (size_t k = 0; k < count; k++)
            if (largest(&choice->deviation[c->rule[candidate[k]]]) < ORB_DEVIATION_MAX)
                candidate[kept++] = candidate[k];
        count = kept;
    }
    for (size_t k = 0; orbital && k < w->orbitals; k++) orbital[k] = k;
    if (!rc && count) rc = measure(c, count, candidate, w->orbitals, orbital, choice, err);
    for (size_t k = 0; k < c->count; k++) {
        choice->deviation[c->rule[k]] = choice->deviation[c->rule[same_as[k]]];
        c->excess[k] = c->excess[same_as[k]];
    }
    free(orbital);
    return rc;
}

// ------------------------------------------------------------------------------------------------------------ decision

static bool has_word(const char *text, const char *word) {
    size_t n = strlen(word);
    for (; text && *text; text++) {
        size_t k = 0;
        while (k < n && (text[k] | 0x20) == word[k]) k++; // words are in lower case
        if (k == n) return true;
    }
    return false;
}

static const char *find_program(const struct orb_wave_function *w, enum orb_rule *rule) {
    const char *const texts[] = {w->program, w->title};
    for (size_t t = 0; t < 2; t++)
        for (size_t k = 0; k < sizeof program_rules / sizeof *program_rules; k++)
            if (has_word(texts[t], program_rules[k].program)) {
                *rule = program_rules[k].rule;
                return program_rules[k].program;
            }
    return NULL;
}

static int fail_without_rule(const struct candidates *c, const struct orb_rule_choice *choice, struct trj_error *err) {
    trj_error_set(err, TRJ_BAD_DATA,
                  "no rule of normalisation makes the orbitals orthonormal: expected deviations "
                  "below %g, found",
                  ORB_DEVIATION_MAX);
    for (size_t k = 0; k < c->count; k++)
        trj_error_append(err, "%s %.2g (%s)", k ? "," : "", largest(&choice->deviation[c->rule[k]]),
                         orb_rule_name(c->rule[k]));
    trj_error_append(err, "; write the file again, with pure functions, with more digits, or as fchk");
    return -1;
}

// Takes the rule of the program, if the file names one, among rules that fit equally well but differ.
static void resolve(const struct candidates *c, struct orb_rule_choice *choice, size_t taken, const bool *fits) {
    enum orb_rule of_program = ORB_RULES;
    const char *program = find_program(c->w, &of_program);
    size_t other = taken, n = 0;
    for (size_t k = 0; k < c->count; k++)
        if (fits[k] && !is_same(c, taken, k, SAME)) {
            if (other == taken || c->rule[k] == of_program) other = k;
            choice->ambiguous = true;
        }
    if (!choice->ambiguous) return;
    bool is_program = c->rule[other] == of_program || c->rule[taken] == of_program;
    if (c->rule[other] == of_program) {
        size_t swap = taken;
        taken = other;
        other = swap;
    }
    choice->rule = c->rule[taken];
    n = (size_t)snprintf(choice->note, sizeof choice->note, "the rules of normalisation %s and %s fit equally well; ",
                         orb_rule_name(c->rule[taken]), orb_rule_name(c->rule[other]));
    if (is_program)
        snprintf(choice->note + n, sizeof choice->note - n, "%s is taken, because the file names %s",
                 orb_rule_name(choice->rule), program);
    else
        snprintf(choice->note + n, sizeof choice->note - n, "%s is taken, because the file names no program of %s",
                 orb_rule_name(choice->rule), orb_rule_name(c->rule[other]));
}

static int decide(const struct candidates *c, struct orb_rule_choice *choice, struct trj_error *err) {
    double best = INFINITY;
    bool fits[ORB_RULES] = {false};
    size_t taken = c->count;
    for (size_t k = 0; k < c->count; k++) best = fmin(best, largest(&choice->deviation[c->rule[k]]));
    if (!(best < ORB_DEVIATION_MAX)) return fail_without_rule(c, choice, err);
    for (size_t k = 0; k < c->count; k++) {
        double deviation = largest(&choice->deviation[c->rule[k]]);
        fits[k] = deviation < ORB_DEVIATION_MAX && deviation <= AS_GOOD * best + ROUNDING;
        if (fits[k] && taken == c->count) taken = k;
    }
    choice->rule = c->rule[taken];
    resolve(c, choice, taken, fits);
    return 0;
}

int orb_rule_find(struct orb_rule_choice *choice, const struct orb_wave_function *w, struct trj_error *err) {
    struct candidates c;
    *choice = (struct orb_rule_choice){.rule = ORB_RULES};
    int rc = open_candidates(&c, w, err);
    if (!rc) rc = measure_all(&c, choice, err);
    if (!rc) rc = decide(&c, choice, err);
    for (size_t k = 0; !rc && k < c.count; k++)
        if (c.rule[k] == choice->rule) choice->electrons = c.excess[k];
    for (size_t k = 0; !rc && k < w->orbitals; k++) choice->electrons += w->orbital[k].occupation;
    close_candidates(&c);
    return rc;
}

// --------------------------------------------------------------------------------------------- spins, density matrices

static void take_first_beta(void *arg, size_t scaling, size_t i, size_t j, double overlap) {
    size_t *first = arg;
    (void)scaling;
    if (j < i && i < *first && fabs(overlap) > OVERLAP_MIN) *first = i;
}

int orb_rule_find_spins(struct orb_wave_function *w, struct trj_error *err) {
    struct candidates c = {0};
    size_t first_beta = w->orbitals, *orbital = NULL;
    int rc = 0;
    if (!w->spin_unknown) return 0;
    if (open_candidates(&c, w, err) || !(orbital = trj_alloc(w->orbitals, sizeof *orbital, "numbers of orbitals", err)))
        rc = -1;
    for (size_t k = 0; !rc && k < w->orbitals; k++) orbital[k] = k;
    struct orb_overlap_task task = {.w = w,
                                    .sets = &c.sets,
                                    .orbitals = w->orbitals,
                                    .orbital = orbital,
                                    .scalings = 1,
                                    .scaling = c.scaling,
                                    .take = take_first_beta,
                                    .arg = &first_beta};
    if (!rc) rc = orb_overlaps(&task, err);
    for (size_t k = 0; !rc && k < w->orbitals; k++) w->orbital[k].spin = k < first_beta ? ORB_ALPHA : ORB_BETA;
    if (!rc) {
        w->has_beta = first_beta < w->orbitals;
        w->spin_unknown = false;
    }
    free(orbital);
    close_candidates(&c);
    return rc;
}

int orb_rule_density_traces(const struct orb_wave_function *w, enum orb_rule rule, double *trace,
                            struct trj_error *err) {
    struct candidates c;
    int rc = open_candidates(&c, w, err);
    for (size_t k = 0; !rc && k < c.count; k++)
        for (size_t d = 0; !rc && c.rule[k] == rule && d < w->densities; d++)
            rc = orb_overlap_trace(&c.sets, &c.scaling[k], w->density[d].matrix, &trace[d], err);
    close_candidates(&c);
    return rc;
}
