// SPDX-License-Identifier: MIT
#include "pair_term.h"

#include <math.h>
#include <string.h>

#include "elementary.h"
#include "error_function.h"

const double pot_exponential_term[POT_EXPONENTIAL_TERMS] = {
    1.0,        1.0,         1.0 / 2,      1.0 / 6,       1.0 / 24,       1.0 / 120,       1.0 / 720,
    1.0 / 5040, 1.0 / 40320, 1.0 / 362880, 1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800};

static const double ROOT_2 = 0x1.6a09e667f3bcdp+0, TWO_BY_ROOT_PI = 0x1.20dd750429b6dp+0;

void pot_pair_set(struct pot_pair *p, const struct pot_job *job) {
    double s = job->soften_length;
    *p = (struct pot_pair){.quantum = job->quantum};
    if (job->distance_dielectric) {
        p->kind = POT_PAIR_DIELECTRIC;
    } else if (job->method == POT_MDH && job->kappa > 0) {
        p->kind = POT_PAIR_SCREENED;
        p->kappa = job->kappa;
    }
    if (job->soften == POT_SOFTEN_PLUMMER) p->square = s * s;
    if (job->soften == POT_SOFTEN_CLIP) p->clip = p->softened_range = s;
    if (job->soften == POT_SOFTEN_GAUSS) {
        p->gauss = 1 / (ROOT_2 * s);
        p->gauss_at_0 = TWO_BY_ROOT_PI * p->gauss;
        p->gauss_range = 8.5 * s;  // pot_erf is 1 above 6 = 8.486 / sqrt(2)
        p->softened_range = 6 * s; // 1 - erf(6 / sqrt(2)) is 2e-9, less than 0.04 units in the last place of float32
    }
    p->square32 = (float)p->square;
    p->exponent32 = (float)(-p->kappa * POT_LOG2_E);
}

double pot_pair_charge(const struct pot_pair *p, double charge, double radius) {
    if (p->kind == POT_PAIR_DIELECTRIC) return charge / 4;
    if (p->kind == POT_PAIR_SCREENED) return charge * trj_exp(p->kappa * radius) / (1 + p->kappa * radius);
    return charge;
}

double pot_pair_exponential(double x) {
    const double magic = 0x1.8p52;
    x = x > -700 ? x : -700;
    double n = x * POT_LOG2_E + magic, k = n - magic, r = (x - k * POT_LN2_HIGH) - k * POT_LN2_LOW,
           sum = pot_exponential_term[POT_EXPONENTIAL_TERMS - 1];
    for (int i = POT_EXPONENTIAL_TERMS - 1; i-- > 0;) sum = fma(sum, r, pot_exponential_term[i]);
    uint64_t bits, exponent;
    memcpy(&bits, &sum, sizeof bits);
    memcpy(&exponent, &n, sizeof exponent);
    bits += exponent << 52;
    memcpy(&sum, &bits, sizeof sum);
    return sum;
}

double pot_pair_near(const struct pot_pair *p, double charge, const double d[3]) {
    double r = sqrt(((d[0] * d[0] + d[1] * d[1]) + d[2] * d[2]) + p->square), q = charge / p->quantum;
    r = r > p->clip ? r : p->clip;
    double x = p->kind == POT_PAIR_DIELECTRIC ? q / (r * r) : q / r;
    if (p->gauss > 0) {
        double factor = r > 0 ? pot_erf(r * p->gauss) / r : p->gauss_at_0;
        x = p->kind == POT_PAIR_DIELECTRIC ? q * factor * factor : q * factor;
    }
    return p->kind == POT_PAIR_SCREENED ? x * pot_pair_exponential(-p->kappa * r) : x;
}
