// SPDX-License-Identifier: MIT
// Computes coefficients of splines as integers, which are exact, so that all engines spread the same numbers.
#include "mesh_spline.h"

#include <math.h>
#include <stdbool.h>

#include "charge_mesh.h"

enum { UNITS_BITS = 40 };

// Sets coefficient[p][i] to that of w^p in (n-1)! M_n(w + n - 1 - i), for 0 <= w < 1. With j = n - 1 - i,
//   (n-1)! M_n(w + j) = sum over l from 0 to j of (-1)^l binomial(n, l) (w + j - l)^(n-1)
// All numbers are integers below 2^53.
static void set_coefficients(unsigned n, double coefficient[POT_ORDER_MAX][POT_ORDER_MAX]) {
    double binomial[2][POT_ORDER_MAX + 1] = {{1}, {1}}; // of n - 1 and of n
    for (unsigned row = 0; row < 2; row++)
        for (unsigned l = 1; l <= n - 1 + row; l++) binomial[row][l] = binomial[row][l - 1] * (n + row - l) / l;
    for (unsigned i = 0; i < n; i++)
        for (unsigned l = 0; l <= n - 1 - i; l++) {
            double term = l % 2 ? -binomial[1][l] : binomial[1][l]; // times (j - l)^(n - 1 - p)
            for (unsigned p = n; p-- > 0;) {
                coefficient[p][i] += binomial[0][p] * term;
                term *= n - 1 - i - l;
            }
        }
}

double pot_spline(unsigned n, double x) {
    if (n == 2) return x > 0 && x < 2 ? 1 - fabs(x - 1) : 0;
    return (x * pot_spline(n - 1, x) + (n - x) * pot_spline(n - 1, x - 1)) / (n - 1);
}

double pot_mesh_quantum(double max_charge) {
    int e = 0;
    if (max_charge > 0 && frexp(max_charge, &e) == 0.5) e--;
    return ldexp(1, e - UNITS_BITS);
}

int pot_mesh_spline_set(struct pot_mesh_spline *s, const uint64_t n[3], unsigned order, double max_charge,
                        double quantum, struct trj_error *err) {
    bool small = false;
    double factorial = 1;
    if (order != 4 && order != 6 && order != 8)
        return trj_fail(err, TRJ_USAGE, "invalid order %u of the splines; use 4, 6 or 8", order);
    if (!(max_charge == 0 || (max_charge >= 0x1p-60 && max_charge <= 0x1p60)))
        return trj_fail(err, TRJ_BAD_DATA, "the largest charge is %g e, expected 2^-60 to 2^60", max_charge);
    double units = pot_mesh_quantum(max_charge) / quantum; // powers of two
    if (!(units >= 1 && units <= 1 / POT_MESH_FINE))
        return trj_fail(err, TRJ_BAD_DATA, "the quantum of charges up to %g e is %g e, expected %g to %g e", max_charge,
                        quantum, pot_mesh_quantum(max_charge) * POT_MESH_FINE, pot_mesh_quantum(max_charge));
    for (int k = 0; k < 3; k++) {
        if (!n[k] || n[k] > INT32_MAX)
            return trj_fail(err, TRJ_BAD_DATA, "the mesh has %llu points along axis %d, expected 1 to 2^31 - 1",
                            (unsigned long long)n[k], k);
        small = small || n[k] < order;
    }
    *s = (struct pot_mesh_spline){.order = order};
    set_coefficients(order, s->coefficient);
    for (unsigned i = 2; i < order; i++) factorial *= i;
    double middle = s->coefficient[0][order / 2 - 1] / factorial;
    s->scale = 1 / (quantum * (factorial * factorial * factorial));
    s->largest = (small ? 1 : middle * middle * middle) * (0x1p40 * units * (1 + 0x1p-40)) + 1;
    return 0;
}
