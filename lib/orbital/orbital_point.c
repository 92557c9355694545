// SPDX-License-Identifier: MIT
// Evaluates functions term by term, so that the code shows the definitions.
#include "orbital_point.h"

#include <math.h>
#include <string.h>

// The indices of the elements of a Hessian.
static const int hessian_axes[6][2] = {{0, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 2}, {2, 2}};

// Sets x^n exp(-a x^2) and its first two derivatives.
static void set_axis(long double d[3], long double x, int n, long double a) {
    long double power[5] = {0}, e = expl(-a * x * x); // x^(n-2) to x^(n+2)
    for (int k = 0; k < 5; k++) power[k] = n + k - 2 < 0 ? 0 : powl(x, (long double)(n + k - 2));
    d[0] = power[2] * e;
    d[1] = (n * power[1] - 2 * a * power[3]) * e;
    d[2] = (n * (n - 1) * power[0] - 2 * a * (2 * n + 1) * power[2] + 4 * a * a * power[4]) * e;
}

static void add_primitive(struct orb_jet *jet, const struct orb_basis *b, const struct orb_term *term,
                          const double point[3]) {
    const struct orb_primitive *p = &b->primitive[term->primitive];
    long double d[3][3];
    for (int k = 0; k < 3; k++)
        set_axis(d[k], (long double)point[k] - b->centre[p->centre][k], p->power[k], p->exponent);
    jet->value += term->coefficient * d[0][0] * d[1][0] * d[2][0];
    for (int k = 0; k < 3; k++) jet->gradient[k] += term->coefficient * d[k][1] * d[(k + 1) % 3][0] * d[(k + 2) % 3][0];
    for (int h = 0; h < 6; h++) {
        long double product = term->coefficient;
        for (int k = 0; k < 3; k++) product *= d[k][(hessian_axes[h][0] == k) + (hessian_axes[h][1] == k)];
        jet->hessian[h] += product;
    }
}

void orb_point_functions(const struct orb_basis *b, const double point[3], struct orb_jet *jet) {
    for (size_t f = 0; f < b->functions; f++) {
        jet[f] = (struct orb_jet){0};
        for (size_t t = b->first_term[f]; t < b->first_term[f + 1]; t++) add_primitive(&jet[f], b, &b->term[t], point);
    }
}

static void add_scaled(struct orb_jet *sum, const struct orb_jet *from, long double factor) {
    sum->value += factor * from->value;
    for (int k = 0; k < 3; k++) sum->gradient[k] += factor * from->gradient[k];
    for (int k = 0; k < 6; k++) sum->hessian[k] += factor * from->hessian[k];
}

struct orb_jet orb_point_orbital(const struct orb_basis *b, const struct orb_jet *function, const double *coefficient) {
    struct orb_jet sum = {0};
    for (size_t f = 0; f < b->functions; f++) add_scaled(&sum, &function[f], coefficient[f]);
    return sum;
}

struct orb_jet orb_point_density(size_t orbitals, const struct orb_jet *orbital, const double *weight) {
    struct orb_jet sum = {0};
    for (size_t o = 0; o < orbitals; o++) {
        const struct orb_jet *psi = &orbital[o];
        struct orb_jet square = {.value = psi->value * psi->value};
        for (int k = 0; k < 3; k++) square.gradient[k] = 2 * psi->value * psi->gradient[k];
        for (int h = 0; h < 6; h++)
            square.hessian[h] = 2 * (psi->gradient[hessian_axes[h][0]] * psi->gradient[hessian_axes[h][1]] +
                                     psi->value * psi->hessian[h]);
        add_scaled(&sum, &square, weight[o]);
    }
    return sum;
}

static long double squared_gradient(const struct orb_jet *jet) {
    long double sum = 0;
    for (int k = 0; k < 3; k++) sum += jet->gradient[k] * jet->gradient[k];
    return sum;
}

static long double cube_root_of_3_pi_squared(void) {
    const long double pi = 3.14159265358979323846264338327950288L;
    return cbrtl(3 * pi * pi);
}

// The sign of the second eigenvalue of the Hessian. With mean m of the diagonal, and B = H - m, the eigenvalues are m +
// 2 p cos(phi + 2 pi k / 3), where p^2 is the sum of the squares of the elements of B over 6, and cos(3 phi) = det(B) /
// (2 p^3) (O. K. Smith, Commun. ACM 4, 168 (1961)).
static int sign_of_second_eigenvalue(const long double h[6]) {
    const long double pi = 3.14159265358979323846264338327950288L, mean = (h[0] + h[3] + h[5]) / 3;
    const long double x = h[0] - mean, y = h[3] - mean, z = h[5] - mean;
    long double p = sqrtl((x * x + y * y + z * z + 2 * (h[1] * h[1] + h[2] * h[2] + h[4] * h[4])) / 6);
    long double det = x * (y * z - h[4] * h[4]) - h[1] * (h[1] * z - h[4] * h[2]) + h[2] * (h[1] * h[4] - y * h[2]);
    long double cosine = p > 0 ? fmaxl(-1, fminl(1, det / (2 * p * p * p))) : 1;
    long double second = mean + 2 * p * cosl(acosl(cosine) / 3 - 2 * pi / 3);
    return (second > 0) - (second < 0);
}

static void set_reduced_gradient(const struct orb_jet *rho, long double *value) {
    value[0] = rho->value < ORB_DENSITY_MIN
                   ? ORB_REDUCED_GRADIENT_MAX
                   : sqrtl(squared_gradient(rho)) / (2 * cube_root_of_3_pi_squared() * powl(rho->value, 4 / 3.0L));
    value[1] = sign_of_second_eigenvalue(rho->hessian) * rho->value;
}

static long double kinetic_energy(size_t orbitals, const struct orb_jet *orbital, const double *weight) {
    long double sum = 0;
    for (size_t o = 0; o < orbitals; o++) sum += weight[o] * squared_gradient(&orbital[o]) / 2;
    return sum;
}

// Returns ELF or LOL.
static long double localization(enum orb_quantity quantity, const struct orb_jet *rho, long double tau) {
    if (rho->value < ORB_DENSITY_MIN) return 0;
    long double root = cube_root_of_3_pi_squared(), homogeneous = 0.3L * root * root * powl(rho->value, 5 / 3.0L);
    if (quantity == ORB_LOL) return 1 / (1 + tau / homogeneous);
    long double ratio = (tau - squared_gradient(rho) / (8 * rho->value)) / homogeneous;
    return 1 / (1 + ratio * ratio);
}

void orb_point_values(const struct orb_job *job, const struct orb_jet *function, struct orb_jet *orbital,
                      long double *value) {
    struct orb_jet rho = {0};
    for (size_t o = 0; o < job->orbitals; o++)
        orbital[o] = orb_point_orbital(job->basis, function, job->coefficient + o * job->basis->functions);
    if (job->quantity != ORB_ORBITALS && job->quantity != ORB_PRODUCT)
        rho = orb_point_density(job->orbitals, orbital, job->weight);
    switch (job->quantity) {
    case ORB_ORBITALS:
        for (size_t o = 0; o < job->orbitals; o++) value[o] = orbital[o].value;
        break;
    case ORB_PRODUCT:
        value[0] = orbital[0].value * orbital[1].value;
        break;
    case ORB_DENSITY:
        value[0] = rho.value;
        break;
    case ORB_GRADIENT:
        value[0] = sqrtl(squared_gradient(&rho));
        break;
    case ORB_LAPLACIAN:
        value[0] = rho.hessian[0] + rho.hessian[3] + rho.hessian[5];
        break;
    case ORB_KINETIC:
        value[0] = kinetic_energy(job->orbitals, orbital, job->weight);
        break;
    case ORB_REDUCED_GRADIENT:
        set_reduced_gradient(&rho, value);
        break;
    case ORB_ELF:
    case ORB_LOL:
        value[0] = localization(job->quantity, &rho, kinetic_energy(job->orbitals, orbital, job->weight));
        break;
    case ORB_QUANTITIES:
        break;
    }
}
