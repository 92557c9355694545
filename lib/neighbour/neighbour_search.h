// SPDX-License-Identifier: MIT
// Finds the neighbours of each atom in a frame, for statistics that depend on more than one pair at a time: numbers of
// neighbours (neighbour_count.h) and triplets (triplet.h). Tiles and boxes (tile/items.h) select candidates, in
// parallel; float64 arithmetic decides.
//
// The rule: atom j of the centre group, atom i != j of the group of an arm, and a lattice image n (three integers, 0
// along directions that are not periodic):
//     d  = (x_i - x_j) + ((n0 a + n1 b) + n2 c)         float64, in this order, by component, no contraction
//     r2 = (dx*dx + dy*dy) + dz*dz
//     i with image n is a neighbour of j  iff  low*low <= r2 < high*high
// x are the stored float32 values, converted to float64 and multiplied by the frame's unit, as in job.h. Each image
// within the range is a separate neighbour. An atom and its own images are no neighbours of each other.
#ifndef RDF_NEIGHBOUR_SEARCH_H
#define RDF_NEIGHBOUR_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "frame.h"
#include "job.h"

// Maximum number of neighbours of one atom in the range of an arm.
enum { RDF_MAX_NEIGHBOURS = 1000000 };

struct rdf_neighbour {
    uint32_t atom; // of the frame
    double d[3];   // Å: from the centre
    double r2;     // Å^2
};

// In no particular order.
struct rdf_neighbour_list {
    struct rdf_neighbour *neighbour;
    size_t count, capacity;
};

// Neighbours of one group around the atoms of another, in a range of distances.
struct rdf_arm {
    uint32_t group;
    double low, high; // Å
};

// The neighbours that are required of the atoms of a centre group: one list, or two lists at a time.
struct rdf_star {
    uint32_t centre;
    size_t arms; // 1 or 2
    struct rdf_arm arm[2];
};

// Called once for each member of the centre group of each star, also if it has no neighbours, from several threads at
// the same time; `worker` is less than rdf_search_threads and differs between these. `lists` are those of the arms,
// which the function may change. A failure ends the search.
typedef int rdf_search_visit(void *arg, unsigned worker, size_t star, uint32_t atom, struct rdf_neighbour_list *lists,
                             struct trj_error *err);

struct rdf_search;

// `job` gives groups, number of atoms and threads; it must outlive the search, as must stars[count] and `arg`. With
// `brute_force`, one thread computes all distances; tests compare both ways.
int rdf_search_open(struct rdf_search **search, const struct rdf_job *job, const struct rdf_star *stars, size_t count,
                    bool brute_force, rdf_search_visit *visit, void *arg, struct trj_error *err);
unsigned rdf_search_threads(const struct rdf_search *s);
// Visits all centres of a frame. Fails with TRJ_BAD_DATA if rdf_job_check_frame rejects the frame with the largest
// range as rmax, or if an atom has more than RDF_MAX_NEIGHBOURS neighbours in a range.
int rdf_search_frame(struct rdf_search *s, const struct trj_frame *f, struct trj_error *err);
void rdf_search_close(struct rdf_search *s); // NULL is allowed
// Fails, because atom `centre` of the frame has more than RDF_MAX_NEIGHBOURS neighbours within `high`, Å.
int rdf_search_fail_many(uint32_t centre, double high, struct trj_error *err);

#endif
