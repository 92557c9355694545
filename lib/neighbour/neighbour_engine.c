// SPDX-License-Identifier: MIT
// Derives the searches of an engine from the set-up, so that all engines search the same ranges.
#include "neighbour_engine.h"

#include <math.h>
#include <stdlib.h>

#include "memory.h"
#include "triplet.h"

void rdf_stars_free(struct rdf_stars *s) {
    for (size_t t = 0; s->squares && t < s->triplets; t++) free(s->squares[t]);
    free(s->squares);
    free(s->q);
    free(s->star);
}

int rdf_stars_open(struct rdf_stars *s, const struct rdf_job *job, const struct rdf_neighbour_setup *neighbours,
                   const struct rdf_triplet_setup *t, struct trj_error *err) {
    *s = (struct rdf_stars){.pairs = rdf_neighbour_row(neighbours) ? job->pair_count : 0, .triplets = t->count};
    s->star = trj_alloc(s->pairs + s->triplets, sizeof *s->star, "pairs", err);
    s->squares = s->star ? trj_alloc(s->triplets, sizeof *s->squares, "triplets", err) : NULL;
    if (!s->squares) return -1;
    for (size_t p = 0; p < s->pairs; p++)
        s->star[p] =
            (struct rdf_star){.centre = job->pairs[p].a, .arms = 1, .arm = {{job->pairs[p].b, 0, neighbours->radius}}};
    for (size_t i = 0; i < s->triplets; i++) {
        const struct rdf_bins bins = rdf_triplet_bins(t, i);
        s->star[s->pairs + i] = rdf_triplet_star(&t->triplet[i]);
        if (!(s->squares[i] = rdf_bins_squares(&bins, err))) return -1;
    }
    for (size_t i = 0; i < s->pairs + s->triplets; i++)
        for (size_t k = 0; k < s->star[i].arms; k++) s->reach = fmax(s->reach, s->star[i].arm[k].high);
    return s->triplets && !(s->q = rdf_triplet_edges(t->angles, err)) ? -1 : 0;
}
