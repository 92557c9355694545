// SPDX-License-Identifier: MIT
// Engines find the neighbours of the atoms of each frame, and count them: numbers of neighbours, their exchange, and
// triplets, by the rules in neighbour_search.h, neighbour_count.h and triplet.h. Each engine is one table of functions;
// all of them return the same integers, and the same events.
#ifndef RDF_NEIGHBOUR_ENGINE_H
#define RDF_NEIGHBOUR_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "frame.h"
#include "job.h"
#include "neighbour_search.h"
#include "neighbour_setup.h"

// Atom j of group B enters or leaves the neighbours of atom i of group A.
struct rdf_neighbour_event {
    uint32_t pair, i, j; // pair of groups; atoms of the frame
    bool enters;
};

struct rdf_neighbour_events {
    struct rdf_neighbour_event *event;
    size_t count, capacity;
};

struct rdf_neighbour_engine {
    // Counts neighbours of each pair of the job, and triplets. Job and set-ups must outlive the engine.
    int (*open)(void **engine, const struct rdf_job *job, const struct rdf_neighbour_setup *neighbours,
                const struct rdf_triplet_setup *triplets, struct trj_error *err);
    // Counts a frame. With `compare`, the exchange from the frame before is counted, too, and its events are appended
    // to `events`, in any order, unless this is NULL. Fails with TRJ_BAD_DATA if rdf_job_check_frame rejects the frame
    // with the largest range as rmax, or if an atom has more than RDF_MAX_NEIGHBOURS neighbours in a range. The latter
    // may be reported by the next call, with err->late.
    int (*add)(void *engine, const struct trj_frame *f, bool compare, struct rdf_neighbour_events *events,
               struct trj_error *err);
    // Adds the counts since the last call to neighbours[pairs][rdf_neighbour_row] and
    // triplets[triplets][rdf_triplet_row].
    int (*finish)(void *engine, uint64_t *neighbours, uint64_t *triplets, struct trj_error *err);
    void (*close)(void *engine); // NULL is allowed
};

// What an engine counts: one star for each pair of groups, if neighbours are counted, then one for each triplet.
struct rdf_stars {
    struct rdf_star *star; // [pairs + triplets]
    size_t pairs, triplets;
    double reach;     // Å: the largest range
    double *q;        // of rdf_triplet_edges; NULL without triplets
    double **squares; // [triplets] of rdf_bins_squares
};
// rdf_stars_free is required also after a failure.
int rdf_stars_open(struct rdf_stars *s, const struct rdf_job *job, const struct rdf_neighbour_setup *neighbours,
                   const struct rdf_triplet_setup *triplets, struct trj_error *err);
void rdf_stars_free(struct rdf_stars *s);

#endif
