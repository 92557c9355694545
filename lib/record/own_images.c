// SPDX-License-Identifier: MIT
// Counts the images of one atom for all atoms, because the distances of an atom to its images depend only on the cell.
#include "own_images.h"

#include <stdlib.h>

#include "memory.h"

// Returns the number of atoms in both groups of a pair, which follows from the number of pairs, modulo 2^64.
static uint64_t atoms_in_both(const struct rdf_setup *s, const struct rdf_pair *p) {
    uint64_t a = s->groups[p->a].atoms, b = s->groups[p->b].atoms;
    return p->a == p->b ? a : a * b - p->pairs;
}

int rdf_own_images_add(const struct rdf_setup *s, const struct rdf_job *job, const struct trj_frame *f,
                       uint64_t *counts, struct trj_error *err) {
    const struct rdf_bins *bins = &s->bins;
    struct rdf_lattice lattice;
    double x[3], *squares = rdf_bins_squares(bins, err);
    uint64_t *images = squares ? trj_alloc(bins->count, sizeof *images, "counts", err) : NULL;
    if (images) {
        rdf_lattice_of(&lattice, job, f);
        rdf_position(f, 0, x);
        rdf_count_pair(bins, squares, f, &lattice, 0, x, 0, images);
        uint64_t same = rdf_bin_of(bins, squares, 0); // n = 0
        if (same < bins->count) images[same]--;
    }
    for (size_t p = 0; images && p < s->pair_count; p++) {
        const struct rdf_pair *pair = &s->pairs[p];
        uint64_t times = atoms_in_both(s, pair), share = pair->a == pair->b ? 2 : 1;
        for (size_t k = 0; k < bins->count; k++) counts[p * bins->count + k] += times * (images[k] / share);
    }
    int rc = images ? 0 : -1;
    free(squares);
    free(images);
    return rc;
}
