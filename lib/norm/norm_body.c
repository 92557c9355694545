// SPDX-License-Identifier: MIT
// Proves from the counts that atoms are outside the body that --droplet or --box gives. The largest distance in a body
// is D, its diameter or diagonal:
//   1. no pair is farther apart than D;
//   2. all pairs are counted if rmin is 0, rmax is at least D and there are no images;
//   3. for the N atoms x_i of a group with mean x, the sum over pairs of r^2 = N sum of |x_i - x|^2 <= N^2 (D/2)^2,
//   because the sum about the mean is not larger than the sum about the centre of the body.
#include <math.h>
#include <stdio.h>

#include "norm_parts.h"

bool rdf_sums_have_body(const struct rdf_sums *s) {
    return s->droplet > 0 || s->box.side[0] > 0;
}

static double body_volume(const struct rdf_sums *s) {
    return s->droplet > 0 ? rdf_shell_full(0, s->droplet) : s->box.side[0] * s->box.side[1] * s->box.side[2];
}

double rdf_sums_body_farthest(const struct rdf_sums *s) {
    return s->droplet > 0 ? 2 * s->droplet : rdf_shell_box_farthest(&s->box);
}

double rdf_sums_given_volume(const struct rdf_sums *s) {
    return rdf_sums_have_body(s) ? body_volume(s) : s->volume;
}

// Returns the distance (Å) below which no pair contains an image, if all atoms are in the body.
static double first_image(const struct rdf_sums *s, const struct rdf_record *r) {
    double first = INFINITY;
    for (unsigned k = 0; k < 3; k++)
        if (r->periodic_any & 1u << k) first = fmin(first, r->spacing_min[k] - rdf_sums_body_farthest(s));
    return first;
}

static int reject(const struct rdf_sums *s, const struct rdf_setup *setup, size_t pair, const char *why,
                  struct trj_error *err) {
    const struct rdf_pair *p = &setup->pairs[pair];
    return trj_fail(err, TRJ_BAD_DATA, "%s: atoms of %s:%s are outside: %s, but its %s is %.10g Å; give a larger one",
                    s->droplet > 0 ? "droplet" : "box", setup->groups[p->a].name, setup->groups[p->b].name, why,
                    s->droplet > 0 ? "diameter" : "diagonal", rdf_sums_body_farthest(s));
}

static int check_pair(const struct rdf_sums *s, const struct rdf_setup *setup, const struct rdf_record *r, size_t pair,
                      struct trj_error *err) {
    const struct rdf_bins *b = &setup->bins;
    const uint64_t *counts = r->counts + pair * b->count;
    double farthest = rdf_sums_body_farthest(s) * (1 + 1e-9), images = first_image(s, r), counted = 0, squares = 0;
    double frames = (double)r->frames;
    char why[160];
    for (uint64_t k = 0; k < b->count; k++) {
        double low = rdf_bins_edge(b, k);
        counted += (double)counts[k];
        squares += (double)counts[k] * low * low;
        if (counts[k] && low > farthest && rdf_bins_edge(b, k + 1) <= images) {
            snprintf(why, sizeof why, "%llu pairs are %.10g Å apart or more", (unsigned long long)counts[k], low);
            return reject(s, setup, pair, why, err);
        }
    }
    if (r->periodic_any || (s->part == RDF_PART_EXCLUDED && setup->exclusion)) return 0;
    double pairs =
               r->pair_sums ? trj_exact_value(&r->pair_sums[pair].pairs) : frames * (double)setup->pairs[pair].pairs,
           beyond = b->rmin > 0 ? 0 : fmax(pairs - counted, 0);
    if (b->rmax > farthest && beyond >= 1 && beyond > 1e-12 * pairs) {
        snprintf(why, sizeof why, "%.10g of %.10g pairs are beyond rmax, %.10g Å", beyond, pairs, b->rmax);
        return reject(s, setup, pair, why, err);
    }
    if (!rdf_setup_unordered(setup, pair)) return 0;
    double atoms = (double)setup->groups[setup->pairs[pair].a].atoms,
           max = (r->pair_sums ? 2 * trj_exact_value(&r->pair_sums[pair].product) : frames * atoms * atoms) / 4;
    squares += beyond * b->rmax * b->rmax;
    if (squares <= max * farthest * farthest) return 0;
    snprintf(why, sizeof why, "the mean square of their distances requires a diameter of at least %.10g Å",
             sqrt(squares / max));
    return reject(s, setup, pair, why, err);
}

int rdf_sums_check_body(const struct rdf_sums *s, const struct rdf_setup *setup, const struct rdf_record *r,
                        struct trj_error *err) {
    for (size_t p = 0; rdf_sums_have_body(s) && p < setup->pair_count; p++)
        if (check_pair(s, setup, r, p, err)) return -1;
    return 0;
}
