// SPDX-License-Identifier: MIT
// Computes tables along an axis for the groups of primitives that reach the lattice.
#include "axis_table.h"

#include <math.h>
#include <stdlib.h>

#include "memory.h"
#include "orbital_derivative.h"

void orb_axis_largest(const struct orb_axis *a, double centre, double exponent, uint32_t powers,
                      const struct orb_kernel *kernel, double *largest) {
    // On each side of the centre, the function has one peak. The largest value is at one of the points beside it.
    enum { EACH = 4 };
    double x[EACH * (ORB_L_MAX + 1)] = {0}, none[EACH * (ORB_L_MAX + 1)] = {0}, e[EACH * (ORB_L_MAX + 1)];
    for (uint32_t power = 0; power < powers; power++)
        for (int k = 0; k < EACH; k++) {
            double peak = (k < 2 ? -1 : 1) * sqrt(power / (2 * exponent));
            double index = a->step == 0 ? 0 : floor((centre + peak - a->origin) / a->step);
            double i = fmin(fmax(index + k % 2, 0), (double)(a->n - 1));
            x[EACH * power + (uint32_t)k] = a->origin + i * a->step - centre;
        }
    kernel->exponentials((size_t)EACH * powers, exponent, x, none, none, e);
    for (uint32_t power = 0; power < powers; power++) {
        largest[power] = 0;
        for (int k = 0; k < EACH; k++) {
            double value = e[EACH * power + (uint32_t)k];
            for (uint32_t p = 0; p < power; p++) value *= fabs(x[EACH * power + (uint32_t)k]);
            largest[power] = value > largest[power] ? value : largest[power];
        }
    }
}

double orb_axis_peak(double exponent, uint32_t power) {
    double square = power / (2 * exponent * M_E), peak = power % 2 ? sqrt(square) : 1;
    for (uint32_t i = 0; i < power / 2; i++) peak *= square;
    return peak;
}

static double largest_bound(double a, uint32_t powers, uint32_t orders, const double *of) {
    double bound = 0;
    for (uint32_t order = 0; order < orders; order++)
        for (uint32_t p = 0; p < powers; p++) bound = fmax(bound, orb_derivative_bound(a, p, order, of));
    return bound;
}

double orb_axis_bound(double exponent, uint32_t powers, uint32_t orders) {
    double of[ORB_POWERS] = {0, 0, 1}; // the largest x^i exp(-a x^2)
    for (uint32_t p = 1; p < powers + orders - 1; p++) of[p + 2] = orb_axis_peak(exponent, p);
    return largest_bound(exponent, powers, orders, of);
}

// The bound is P(r) exp(-a r^2), where P grows with r. Beyond the peak of x^7 exp(-a x^2), all terms of the bound
// decrease. If a distance r is large enough, so is sqrt(log(P(r) / need) / a), which is smaller.
double orb_axis_reach(double a, uint32_t powers, uint32_t orders, double need) {
    if (!(need < (double)INFINITY)) return -1;
    double least = 1.9 / sqrt(a), r = sqrt(701 / a); // trj_exp_of_negative is 0 there
    for (int i = 0; i < 3 && r > least; i++) {
        double of[ORB_POWERS] = {0, 0, 1};
        for (uint32_t p = 1; p < powers + orders - 1; p++) of[p + 2] = of[p + 1] * r;
        double square = log(largest_bound(a, powers, orders, of) / need) * (1 + 1e-9) / a;
        if (!(square < r * r)) break;
        r = square > least * least ? sqrt(square) : least;
    }
    return r;
}

// Sets the blocks that a group reaches, with a point more on both sides because of rounding.
static void set_blocks(const struct orb_axis *a, struct orb_axis_group *g, double centre, double far) {
    const double ends[2] = {(centre - far - a->origin) / a->step, (centre + far - a->origin) / a->step};
    const double low = ends[0] < ends[1] ? ends[0] : ends[1], high = ends[0] < ends[1] ? ends[1] : ends[0];
    const double last = (double)(a->n - 1);
    if (a->step == 0) { // one point
        g->end = 1;
        return;
    }
    if (high <= -2 || low >= last + 2) return;
    // Casts instead of floor() and ceil(), which are function calls without SSE4.1.
    g->first = low < 1 ? 0 : (uint32_t)((uint64_t)low - 1) / a->width;
    g->end = (high < 0 ? 0 : high + 2 >= last ? (uint32_t)last : (uint32_t)high + 2) / a->width + 1;
}

struct orb_axis_block orb_axis_block(const struct orb_axis *a, double centre, double exponent, uint32_t powers) {
    struct orb_axis_block b = {
        .step = a->step, .exponent = exponent, .end = a->n, .width = a->width, .powers = powers, .orders = a->orders};
    orb_axis_start(a, centre, &b.high, &b.low);
    return b;
}

static int fill(struct orb_axis *a, const struct orb_combinations *c, const struct orb_basis *b, int axis,
                const struct orb_kernel *kernel, struct trj_error *err) {
    a->value = trj_alloc(a->values, sizeof *a->value, "tables of orbitals", err);
    a->maximum = trj_alloc(a->maxima, sizeof *a->maximum, "tables of orbitals", err);
    if (!a->value || !a->maximum) return -1;
    for (size_t i = 0; i < c->groups; i++) {
        const struct orb_axis_group *g = &a->group[i];
        struct orb_axis_block block =
            orb_axis_block(a, b->centre[c->group[i].centre][axis], c->group[i].exponent, g->powers);
        double *all = a->maximum + g->maximum, *maximum = all;
        for (uint32_t k = g->first; k < g->end; k++) {
            maximum += g->powers;
            block.first = (uint64_t)k * a->width;
            kernel->axis(&block, a->value + g->value + (size_t)(k - g->first) * g->powers * a->orders * a->width,
                         maximum);
            for (uint32_t power = 0; power < g->powers; power++) all[power] = fmax(all[power], maximum[power]);
        }
    }
    return 0;
}

int orb_axis_make(struct orb_axis *a, const struct orb_combinations *c, const struct orb_basis *b, int axis,
                  const double *far, const struct orb_kernel *kernel, struct trj_error *err) {
    size_t values = 0, maxima = 0;
    if (a->n > ORB_AXIS_VALUES) return 1;
    a->blocks = (uint32_t)((a->n + a->width - 1) / a->width);
    a->group = trj_alloc(c->groups, sizeof *a->group, "tables of orbitals", err);
    if (!a->group) return -1;
    for (size_t i = 0; i < c->groups; i++) {
        const struct orb_group *from = &c->group[i];
        struct orb_axis_group *g = &a->group[i];
        *g = (struct orb_axis_group){.powers = from->powers[axis], .value = values, .maximum = maxima};
        if (far[i] >= 0) set_blocks(a, g, b->centre[from->centre][axis], far[i]);
        maxima += (size_t)(1 + g->end - g->first) * g->powers;
        values += (size_t)(g->end - g->first) * g->powers * a->orders * a->width;
        if (values > ORB_AXIS_VALUES) return 1;
    }
    a->values = values;
    a->maxima = maxima;
    return kernel ? fill(a, c, b, axis, kernel, err) : 0;
}

void orb_axis_free(struct orb_axis *a) {
    free(a->group);
    free(a->value);
    free(a->maximum);
    a->group = NULL;
    a->value = a->maximum = NULL;
    a->values = a->maxima = 0;
}
