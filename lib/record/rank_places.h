// SPDX-License-Identifier: MIT
// Orders the ranks of MPI along a chain of slabs, so that neighbouring slabs are on neighbouring hosts. The hosts come
// from a map of trjmap, which takes the network into account: a table of N x 1 x 1 domains for N ranks.
#ifndef RDF_RANK_PLACES_H
#define RDF_RANK_PLACES_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"

enum { RDF_HOST_NAME = 256 }; // bytes

// Sets rank[i], for i < ranks, to the rank that gets slab i: that is on the host of domain i in the table `path`. Ranks
// of one host get its slabs in their order. `host` contains the name of the host of each rank; names are equal, too, if
// one of them lacks the domain after the first point. Fails with TRJ_BAD_DATA for a table that is no such map, or that
// has other hosts, and as trj_input_open.
int rdf_rank_places(uint32_t *rank, const char *path, const char (*host)[RDF_HOST_NAME], size_t ranks,
                    struct trj_error *err);

// Does the same for the ranks of this program, and sets *rank to an array that the caller frees. All ranks call it;
// rank 0 reads the table. A rank of Slurm has the name of its node; others have that of gethostname.
int rdf_rank_places_of_job(uint32_t **rank, const char *path, struct trj_error *err);

#endif
