// SPDX-License-Identifier: MIT
// Computes overlap integrals of sets of functions. Both families of contracted functions are computed from the same
// integrals of primitives, which take most of the time.
#include "gaussian_overlap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "elementary.h"
#include "memory.h"
#include "solid_harmonics.h"

// exp(-NEGLIGIBLE) is 1e-19, a thousandth of the rounding error of a norm.
#define NEGLIGIBLE 43.7

enum { POWERS = ORB_L_MAX + 1, ANGULAR_SIZE = ORB_CARTESIANS_MAX * ORB_CARTESIANS_MAX };

// ---------------------------------------------------------------------------------------------------------------- sets

static int by_centre_and_exponent(const void *x, const void *y) {
    const struct orb_bare_function *const *a = x, *const *b = y;
    if ((*a)->atom != (*b)->atom) return (*a)->atom < (*b)->atom ? -1 : 1;
    if ((*a)->exponent != (*b)->exponent) return (*a)->exponent > (*b)->exponent ? -1 : 1;
    return *a < *b ? -1 : 1;
}

static int make_bare_sets(struct orb_function_sets *s, const struct orb_wave_function *w, struct trj_error *err) {
    const size_t n = w->functions;
    const struct orb_bare_function **sorted = trj_alloc(n, sizeof *sorted, "basis functions", err);
    s->power = trj_alloc(n, sizeof *s->power, "basis functions", err);
    s->weight[0] = trj_alloc(1, sizeof **s->weight, "basis functions", err);
    s->set = trj_alloc(n, sizeof *s->set, "basis functions", err);
    if (!sorted || !s->power || !s->weight[0] || !s->set) {
        free(sorted);
        return -1;
    }
    for (size_t f = 0; f < n; f++) sorted[f] = &w->bare_function[f];
    qsort(sorted, n, sizeof *sorted, by_centre_and_exponent);
    s->weight[0][0] = 1;
    struct orb_function_set *set = NULL;
    for (size_t f = 0; f < n; f++) {
        const struct orb_bare_function *function = sorted[f];
        if (!set || sorted[f - 1]->atom != function->atom || sorted[f - 1]->exponent != function->exponent ||
            set->functions == ORB_SET_MAX) {
            set = &s->set[s->count++];
            *set = (struct orb_function_set){.primitives = 1,
                                             .exponent = &function->exponent,
                                             .weight = {s->weight[0]},
                                             .power = (const uint8_t(*)[3])s->power + f};
            memcpy(set->centre, w->atom[function->atom].position, sizeof set->centre);
        }
        uint32_t l = (uint32_t)function->power[0] + function->power[1] + function->power[2];
        memcpy(s->power[f], function->power, sizeof s->power[f]);
        s->order[f] = (size_t)(function - w->bare_function);
        set->l = l > set->l ? l : set->l;
        set->components = ++set->functions;
    }
    free(sorted);
    return 0;
}

// Sets the tables of polynomials, up to the largest l: [l][pure][function][component].
static int make_tables(struct orb_function_sets *s, const struct orb_wave_function *w, struct trj_error *err) {
    long double coefficient[ORB_CARTESIANS_MAX];
    uint32_t largest = 0;
    for (size_t k = 0; k < w->shells; k++) largest = w->shell[k].l > largest ? w->shell[k].l : largest;
    s->angular = trj_alloc((size_t)POWERS * 2 * ANGULAR_SIZE, sizeof *s->angular, "basis functions", err);
    s->shell_power = trj_alloc(POWERS, sizeof *s->shell_power, "basis functions", err);
    if (!s->angular || !s->shell_power) return -1;
    for (uint32_t l = 0; l <= largest; l++) {
        size_t components = orb_cartesian_powers(l, s->shell_power[l]);
        for (int pure = 0; pure < 2; pure++)
            for (size_t f = 0; f < orb_shell_functions(l, pure); f++) {
                orb_angular(l, pure, f, coefficient);
                for (size_t c = 0; c < components; c++)
                    s->angular[(2 * l + (unsigned)pure) * ANGULAR_SIZE + f * components + c] = (double)coefficient[c];
            }
    }
    return 0;
}

static int make_shell_set(struct orb_function_sets *s, const struct orb_wave_function *w, size_t shell,
                          struct trj_error *err) {
    const struct orb_shell *from = &w->shell[shell];
    struct orb_function_set *set = &s->set[s->count++];
    size_t components = orb_shell_functions(from->l, false);
    *set = (struct orb_function_set){.primitives = from->primitives,
                                     .exponent = w->exponent + from->primitive,
                                     .l = from->l,
                                     .components = components,
                                     .power = (const uint8_t(*)[3])s->shell_power[from->l],
                                     .functions = orb_shell_functions(from->l, from->pure)};
    memcpy(set->centre, w->atom[from->atom].position, sizeof set->centre);
    if (from->l > 1) set->angular = s->angular + (2 * from->l + from->pure) * ANGULAR_SIZE;
    for (enum orb_family family = 0; family < ORB_FAMILIES; family++) {
        long double norm = orb_shell_norm(w, from, family);
        if (!isfinite(norm) || norm <= 0)
            return trj_fail(err, TRJ_BAD_DATA,
                            "atom %lu, shell %zu: its exponents and coefficients give the norm %Lg; the basis set of "
                            "the file is damaged",
                            (unsigned long)from->atom, shell, norm);
        for (size_t p = 0; p < set->primitives; p++)
            s->weight[family][from->primitive + p] = (double)(orb_radial_coefficient(w, from, p, family) / norm);
        set->weight[family] = s->weight[family] + from->primitive;
    }
    return 0;
}

int orb_function_sets_make(struct orb_function_sets *s, const struct orb_wave_function *w, struct trj_error *err) {
    *s = (struct orb_function_sets){.families = w->bare_functions ? 1 : ORB_FAMILIES};
    s->order = trj_alloc(w->functions, sizeof *s->order, "basis functions", err);
    if (!s->order) return -1;
    if (w->bare_functions) return make_bare_sets(s, w, err);
    for (enum orb_family family = 0; family < ORB_FAMILIES; family++) {
        s->weight[family] = trj_alloc(w->primitives, sizeof(double), "basis functions", err);
        if (!s->weight[family]) return -1;
    }
    s->set = trj_alloc(w->shells, sizeof *s->set, "basis functions", err);
    if (!s->set || make_tables(s, w, err)) return -1;
    for (size_t shell = 0, f = 0; shell < w->shells; shell++) {
        if (make_shell_set(s, w, shell, err)) return -1;
        for (size_t k = 0; k < s->set[shell].functions; k++) s->order[f++] = w->shell[shell].function + k;
    }
    return 0;
}

void orb_function_sets_free(struct orb_function_sets *s) {
    for (int family = 0; family < ORB_FAMILIES; family++) free(s->weight[family]);
    free(s->set);
    free(s->order);
    free(s->power);
    free(s->shell_power);
    free(s->angular);
    *s = (struct orb_function_sets){0};
}

// ----------------------------------------------------------------------------------------------------------- integrals

// Sets s[i][j] of one dimension for i up to l_a and j up to l_b.
static void fill_table(double s[POWERS][POWERS], uint32_t l_a, uint32_t l_b, double to_a, double to_b, double half,
                       double first) {
    s[0][0] = first;
    for (uint32_t j = 0; j < l_b; j++) s[0][j + 1] = to_b * s[0][j] + (j ? half * j * s[0][j - 1] : 0);
    for (uint32_t i = 0; i < l_a; i++)
        for (uint32_t j = 0; j <= l_b; j++)
            s[i + 1][j] =
                to_a * s[i][j] + half * ((i ? (double)i * s[i - 1][j] : 0) + (j ? (double)j * s[i][j - 1] : 0));
}

// Adds the overlaps of the Cartesian components of two primitives, whose exponents have the sum p, to `sum`. `first` is
// the integral of their exponentials, and `distance` that of the centres.
static void add_primitives(const struct orb_function_set *f, const struct orb_function_set *g, double a, double b,
                           const double distance[3], double first, const double weight[ORB_FAMILIES], size_t families,
                           double sum[ORB_FAMILIES][ORB_SET_MAX * ORB_SET_MAX]) {
    const double p = a + b;
    double s[3][POWERS][POWERS], product[ORB_SET_MAX * ORB_SET_MAX];
    size_t n = 0;
    for (int k = 0; k < 3; k++)
        fill_table(s[k], f->l, g->l, b / p * distance[k], -a / p * distance[k], 0.5 / p, k ? 1 : first);
    for (size_t c = 0; c < f->components; c++)
        for (size_t d = 0; d < g->components; d++) {
            const uint8_t *i = f->power[c], *j = g->power[d];
            product[n++] = s[0][i[0]][j[0]] * s[1][i[1]][j[1]] * s[2][i[2]][j[2]];
        }
    for (size_t family = 0; family < families; family++)
        // cppcheck-suppress uninitvar ; n products are set
        for (size_t k = 0; k < n; k++) sum[family][k] += weight[family] * product[k];
}

// Computes the functions of both sets from their components.
static void combine(const struct orb_function_set *a, const struct orb_function_set *b, double *block) {
    double half[ORB_SET_MAX * ORB_SET_MAX];
    if (b->angular) {
        for (size_t c = 0; c < a->components; c++)
            for (size_t g = 0; g < b->functions; g++) {
                double sum = 0;
                for (size_t d = 0; d < b->components; d++)
                    sum += b->angular[g * b->components + d] * block[c * b->components + d];
                half[c * b->functions + g] = sum;
            }
    } else {
        memcpy(half, block, a->components * b->components * sizeof *half);
    }
    if (!a->angular) {
        memcpy(block, half, a->functions * b->functions * sizeof *half);
        return;
    }
    for (size_t f = 0; f < a->functions; f++)
        for (size_t g = 0; g < b->functions; g++) {
            double sum = 0;
            for (size_t c = 0; c < a->components; c++)
                sum += a->angular[f * a->components + c] * half[c * b->functions + g];
            block[f * b->functions + g] = sum;
        }
}

bool orb_set_overlap(const struct orb_function_sets *s, const struct orb_function_set *a,
                     const struct orb_function_set *b, double block[ORB_FAMILIES][ORB_SET_MAX * ORB_SET_MAX]) {
    bool found = false;
    double distance[3], squares = 0;
    for (int k = 0; k < 3; k++) {
        distance[k] = b->centre[k] - a->centre[k];
        squares += distance[k] * distance[k];
    }
    for (size_t family = 0; family < s->families; family++)
        memset(block[family], 0, a->components * b->components * sizeof *block[family]);
    const bool both_s = a->components == 1 && b->components == 1 && !a->l && !b->l; // most pairs of primitives
    for (size_t p = 0; p < a->primitives; p++)
        for (size_t q = 0; q < b->primitives; q++) {
            const double pi = 3.14159265358979323846, x = a->exponent[p], y = b->exponent[q], z = x + y;
            double weight[ORB_FAMILIES], power = x * y / z * squares;
            if (!(power < NEGLIGIBLE)) continue;
            double first = pi / z * sqrt(pi / z) * (power > 0 ? trj_exp(-power) : 1);
            for (size_t family = 0; family < s->families; family++)
                weight[family] = a->weight[family][p] * b->weight[family][q];
            found = true;
            if (both_s)
                for (size_t family = 0; family < s->families; family++) block[family][0] += weight[family] * first;
            else
                add_primitives(a, b, x, y, distance, first, weight, s->families, block);
        }
    for (size_t family = 0; found && family < s->families; family++) combine(a, b, block[family]);
    return found;
}
