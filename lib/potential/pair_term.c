// SPDX-License-Identifier: MIT
// Defines the terms of direct and mdh in float64; the kernels in float32 are compared with them.
#include "pair_term.h"

#include "elementary.h"
#include "pair_near_term.h"

const double pot_exponential_term[POT_EXPONENTIAL_TERMS] = {POT_EXPONENTIAL_SERIES};

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
    const double root = POT_FAR_ROOT_FACTOR;
    p->far_scale = p->kind == POT_PAIR_SCREENED ? p->kappa * POT_LOG2_E * POT_FAR_STEP / root : 1;
    p->far_charge = p->far_scale / root;
    if (p->kind == POT_PAIR_DIELECTRIC) p->far_charge /= root;
    if (p->kind == POT_PAIR_SCREENED) p->far_charge /= POT_FAR_EXP2_FACTOR;
    p->distant_charge = p->kind == POT_PAIR_PLAIN        ? p->far_charge / root
                        : p->kind == POT_PAIR_DIELECTRIC ? p->far_charge / (root * root)
                                                         : p->far_charge;
    p->far_square = (float)(p->square * p->far_scale * p->far_scale);
}

double pot_pair_charge(const struct pot_pair *p, double charge, double radius) {
    if (p->kind == POT_PAIR_DIELECTRIC) return charge / 4;
    if (p->kind == POT_PAIR_SCREENED) return charge * trj_exp(p->kappa * radius) / (1 + p->kappa * radius);
    return charge;
}

double pot_pair_exponential(double x) {
    return pot_pair_exponential_inline(x);
}

double pot_pair_near(const struct pot_pair *p, double charge, const double d[3]) {
    double square = (d[0] * d[0] + d[1] * d[1]) + d[2] * d[2];
    return pot_pair_near_inline(p, charge / p->quantum, square, p->gauss > 0);
}
