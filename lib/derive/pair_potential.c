// SPDX-License-Identifier: MIT
// Fits a natural spline and switches it off smoothly, because simulations need a continuous force up to the cutoff.
#include "pair_potential.h"

#include <math.h>
#include <stdlib.h>

#include "memory.h"

enum { POWER = 12 };

void rdf_pair_potential_free(struct rdf_pair_potential *p) {
    free(p->w);
    free(p->bend);
    p->w = p->bend = NULL;
}

static double place(const struct rdf_potential_nodes *n, size_t i) {
    return n->min + n->width * (double)i;
}

static int reject_node(const struct rdf_potential_nodes *n, size_t i, struct trj_error *err) {
    static const char remedy[] = "count more frames, or smooth with --smooth, or give another --cutoff";
    if (isinf(n->error[i]))
        return trj_fail(err, TRJ_BAD_DATA, "g(r) is 0 at %.10g Å, so that the potential is infinite there; %s",
                        place(n, i), remedy);
    return trj_fail(err, TRJ_BAD_DATA,
                    "g(r) is too noisy at %.10g Å: the potential has an error of %.3g kT, expected at most %g; %s",
                    place(n, i), n->error[i], RDF_MAX_POTENTIAL_ERROR, remedy);
}

// Finds the first and the last node. In the core, g(r) increases from 0. If a node before the first one has a larger g,
// it belongs to another maximum, and the nodes between them to a gap, across which the potential is unknown.
static int find_nodes(size_t *first, size_t *last, const struct rdf_pair_potential *p,
                      const struct rdf_potential_nodes *n, struct trj_error *err) {
    *last = 0;
    while (*last + 1 < n->count && place(n, *last) < p->cutoff) ++*last;
    *first = *last + 1;
    while (*first > 0 && n->error[*first - 1] <= RDF_MAX_POTENTIAL_ERROR) --*first;
    if (*first > *last) return reject_node(n, *last, err);
    for (size_t i = 0; i < *first; i++)
        if (n->error[i] <= RDF_MAX_POTENTIAL_ERROR && n->w[i] < n->w[*first]) return reject_node(n, *first - 1, err);
    if (*last > *first && place(n, *first + 1) < p->switching) return 0;
    return trj_fail(
        err, TRJ_BAD_DATA,
        "g(r) is known well enough only from %.10g Å on, where the potential is already switched off; count "
        "more frames, or smooth with --smooth, or give another --switch",
        place(n, *first));
}

// Solves the equations of the natural spline, bend_{i-1} + 4 bend_i + bend_{i+1} = 6 (w_{i-1} - 2 w_i + w_{i+1}) / h^2.
static int make_spline(struct rdf_pair_potential *p, struct trj_error *err) {
    double *pivot = trj_alloc(p->count, sizeof *pivot, "a spline", err);
    if (!pivot) return -1;
    for (size_t i = 1; i + 1 < p->count; i++) {
        double right = 6 * (p->w[i - 1] - 2 * p->w[i] + p->w[i + 1]) / (p->width * p->width);
        pivot[i] = 1 / (4 - pivot[i - 1]);
        p->bend[i] = (right - p->bend[i - 1]) * pivot[i];
    }
    for (size_t i = p->count - 1; i-- > 1;) p->bend[i] -= pivot[i] * p->bend[i + 1];
    free(pivot);
    return 0;
}

// Computes the spline and its derivative.
static void spline_at(double *w, double *slope, const struct rdf_pair_potential *p, double r) {
    double u = (r - p->core) / p->width, h = p->width;
    size_t i = (size_t)fmin(fmax(u, 0), (double)(p->count - 2));
    double t = fmin(u - (double)i, 1), s = 1 - t, rest = fmax(u - (double)(p->count - 1), 0) * h;
    double left = p->w[i], right = p->w[i + 1], bend = p->bend[i], next = p->bend[i + 1];
    *slope = (right - left) / h + h / 6 * ((3 * t * t - 1) * next - (3 * s * s - 1) * bend);
    *w = s * left + t * right + h * h / 6 * ((s * s * s - s) * bend + (t * t * t - t) * next) + rest * *slope;
}

int rdf_pair_potential_make(struct rdf_pair_potential *p, const struct rdf_potential_nodes *nodes,
                            struct trj_error *err) {
    size_t first, last;
    double slope;
    p->w = p->bend = NULL;
    if (find_nodes(&first, &last, p, nodes, err)) return -1;
    p->count = last - first + 1;
    p->width = nodes->width;
    p->core = place(nodes, first);
    p->w = trj_alloc(p->count, sizeof *p->w, "a potential", err);
    p->bend = p->w ? trj_alloc(p->count, sizeof *p->bend, "a potential", err) : NULL;
    if (!p->bend) goto fail;
    for (size_t i = 0; i < p->count; i++) p->w[i] = nodes->w[first + i];
    if (make_spline(p, err)) goto fail;
    spline_at(&p->core_energy, &slope, p, p->core);
    p->core_force = -slope;
    if (p->core_force > 0) return 0;
    trj_fail(err, TRJ_BAD_DATA,
             "the force at %.10g Å, from which on g(r) is known well enough, is not repulsive, so that the potential "
             "cannot be extrapolated to smaller distances; count more frames, or smooth with --smooth",
             p->core);
fail:
    rdf_pair_potential_free(p);
    return -1;
}

static void core_at(double *energy, double *force, const struct rdf_pair_potential *p, double r) {
    double tangent = p->power ? p->core / 2 : p->core; // which begins there
    double end = fmax(r, tangent), ratio = p->core / end, power = pow(ratio, POWER);
    *force = p->core_force * power * ratio;
    *energy = p->core_energy + p->core_force * p->core / POWER * (power - 1) + *force * (end - r);
}

void rdf_pair_potential_at(double *energy, double *force, const struct rdf_pair_potential *p, double r) {
    double w, slope, range = p->cutoff - p->switching, x = (r - p->switching) / range;
    *energy = *force = 0;
    if (r >= p->cutoff) return;
    if (r < p->core) {
        core_at(energy, force, p, r);
        return;
    }
    spline_at(&w, &slope, p, r);
    *energy = w;
    *force = -slope;
    if (x <= 0) return;
    double s = 1 + x * x * x * (-10 + x * (15 - 6 * x)), of_s = -30 * x * x * (1 - x) * (1 - x) / range;
    *energy = s * w;
    *force = -(s * slope + of_s * w);
}
