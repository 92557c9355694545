// SPDX-License-Identifier: MIT
// Counts the pairs of one frame on all ranks of MPI (mpi/mpi_run.h), for frames that are too large for one process.
//
// The atoms are divided into slabs along one axis of the cell, with equal numbers of atoms. Each rank keeps its slabs
// alone, and counts each of them with itself, and with the atoms of later slabs that are within rmax, which their rank
// sends. The rule of count/job.h depends only on the positions of two atoms and on the cell, so that the sum of the
// counts is that of one process.
#ifndef RDF_ENGINE_RANKS_H
#define RDF_ENGINE_RANKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine.h"
#include "mpi_run.h"

// Its job has static groups, at most RDF_RANKS_GROUPS, and counts distances alone. Of each frame, only the coordinates
// of the atoms of rdf_ranks_share must be set, and trj_frame.farthest, which must be that of all atoms; `add` frees the
// coordinates. Every rank calls its functions in the same order; the counts are those of all ranks.
enum { RDF_RANKS_GROUPS = 32 };
extern const struct rdf_engine rdf_engine_ranks;

struct rdf_ranks_options {
    struct trj_mpi_options mpi;
    const char *divide; // "frames" or "pairs"; NULL: by the number of atoms
    const char *hosts;  // map of the hosts, if pairs are divided (rank_places.h); NULL: slabs in the order of the ranks
};
extern const struct trj_option rdf_ranks_option_table[];

// As trj_mpi_start, but the ranks divide no GPUs if --divide pairs is given.
int rdf_ranks_start(const struct rdf_ranks_options *o, const char *path, const struct trj_engine_options *engine,
                    const char *alone, struct trj_error *err);

// Sets *engine, with which the frames of a stream are to be counted, to this engine if --divide requests it, or for
// more than RDF_RANKS_ATOMS atoms. keep is then the range of atoms whose coordinates this rank reads, otherwise 0, 0.
// `automatic`: *engine is not the choice of the user, so that --divide pairs may replace it. `plain`: nothing but
// distances of pairs of atoms is counted. Fails with TRJ_USAGE if --divide requests what is not possible, or --hosts is
// given without --mpi or if frames are divided.
enum { RDF_RANKS_ATOMS = 4000000 };
int rdf_ranks_choose(const struct rdf_engine **engine, bool automatic, const struct rdf_ranks_options *o,
                     const struct trj_stream_header *h, bool plain, size_t keep[2], struct trj_error *err);

// The atoms [*from, *to) of `atoms` whose coordinates a rank reads.
void rdf_ranks_share(size_t atoms, unsigned rank, unsigned size, size_t *from, size_t *to);

// The slabs of an axis, in bins of equal width of the fractional coordinate.
enum { RDF_RANKS_BINS = 4096 };
struct rdf_slabs {
    size_t count;    // even
    uint32_t *first; // [count + 1] first bin
};
// Divides bins with these numbers of atoms into slabs with about equal numbers. A slab can be empty.
void rdf_slabs_cut(struct rdf_slabs *s, const uint64_t atoms[RDF_RANKS_BINS]);
// Returns whether slab a counts its pairs with slab b: of two different slabs, one does, and each does so with about as
// many others.
bool rdf_slabs_count(const struct rdf_slabs *s, size_t a, size_t b);
// Returns whether a point with the fractional coordinate s, in [0, 1], can be within `reach` (in the same unit) of a
// slab. `periodic`: the axis is.
bool rdf_slabs_near(const struct rdf_slabs *slabs, size_t slab, double s, double reach, bool periodic);

#endif
