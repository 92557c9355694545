// SPDX-License-Identifier: MIT
// Functions shared by quantity.c and quantity_waves.c. A set is all blocks, or all but one (quantity.h).
#ifndef RDF_QUANTITY_PARTS_H
#define RDF_QUANTITY_PARTS_H

#include <stdbool.h>
#include <stddef.h>

#include "error.h"
#include "quantity.h"

// Returns the values of a set and pair, [columns][rows].
static inline double *rdf_set_values(const struct rdf_derivation *d, size_t set, size_t pair) {
    return d->values + (set * d->pairs + pair) * d->columns * d->rows;
}

// Returns the mean number of atoms of a group in a frame.
static inline double rdf_set_atoms(const struct rdf_derivation *d, size_t set, uint32_t group) {
    return d->atoms[set * d->hist.setup.group_count + group];
}

// Returns the number of ordered pairs of different atoms in a frame, without excluded pairs if these are left out.
static inline double rdf_ordered_pairs(const struct rdf_derivation *d, size_t pair) {
    return rdf_setup_neighbours(&d->hist.setup, pair) * (double)d->hist.setup.pairs[pair].pairs;
}

// Returns q of a row in Å^-1, for quantities over q.
static inline double rdf_row_wave(const struct rdf_derivation *d, size_t row) {
    return d->options.qmin + d->options.dq * (double)row;
}

// ---- quantity_pdf.c: G(r) as measured

// Chooses transform or sum, the values of q, and r; fails with TRJ_BAD_DATA if a form is undefined for the frames.
int rdf_pdf_prepare(struct rdf_derivation *d, struct trj_error *err);
// Fills d->pdf from the totals.
int rdf_pdf_fill(struct rdf_derivation *d, struct trj_error *err);

// ---- quantity_waves.c: structure factors

// Returns whether g(r) of the sets is required.
bool rdf_waves_transform(const struct rdf_derivation *d);
// Fails with TRJ_BAD_DATA if Debye's sum over a molecule would contain images.
int rdf_waves_check(const struct rdf_derivation *d, struct trj_error *err);
// Fills values and totals.
int rdf_waves_fill(const struct rdf_derivation *d, struct trj_error *err);

#endif
