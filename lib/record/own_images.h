// SPDX-License-Identifier: MIT
// Counts the pairs of atoms with their own periodic images, which engines leave out (count/job.h). In a small cell,
// such as the unit cell of a crystal, these are needed for the g(r) of the infinite system: the counts of a unit cell,
// times the number of cells, then equal those of a supercell.
#ifndef RDF_OWN_IMAGES_H
#define RDF_OWN_IMAGES_H

#include <stdint.h>

#include "error.h"
#include "frame.h"
#include "hist_setup.h"
#include "job.h"

// Adds the pairs (i, i) with all lattice images n != 0 of a frame to counts[pair_count][bins]: for a group with itself
// one of n and -n for each atom, for two groups all n for each atom in both. d = n H in the rule of job.h. The metric
// must be that of distances, and no group dynamic.
int rdf_own_images_add(const struct rdf_setup *s, const struct rdf_job *job, const struct trj_frame *f,
                       uint64_t *counts, struct trj_error *err);

#endif
