// SPDX-License-Identifier: MIT
// Finds the pairs of atoms of two lists that are closer than a distance, in one thread, with all periodic images. A
// grid of bins selects candidates in float32; float64 decides.
//
// The rule, as in count/job.h: atom i of a, atom j of b, i != j, and a lattice image n (three integers, 0 along
// directions that are not periodic):
//     d  = (x_j - x_i) + ((n0 a + n1 b) + n2 c)         float64, in this order, by component, no contraction
//     r2 = (dx*dx + dy*dy) + dz*dz
//     the pair is found  iff  r2 < radius * radius
// If a and b are the same list, each unordered pair is found once; otherwise every ordered pair, also if the lists
// overlap. An atom and its own images are never found.
//
// All functions fail with TRJ_BAD_DATA for a cell that trj_cell_restrict rejects, for an atom beyond TRJ_FARTHEST, and
// if so many images of the cell are within the radius that the cell or its unit must be wrong.
#ifndef OBS_CONTACT_SEARCH_H
#define OBS_CONTACT_SEARCH_H

#include <stddef.h>
#include <stdint.h>

#include "contact_kernel.h"
#include "error.h"
#include "frame.h"
#include "system.h"

// Memory of a search, which is used again. One thread may use it at a time.
struct obs_contact_search;

// Returns the search of an observable in this thread, which belongs to the view; NULL after an error.
struct obs_contact_search *obs_contact_search_of(struct obs_view *v, const void *owner, struct trj_error *err);

// Sets p[2] to the positions of two selections: to the same ones, if they always contain the same atoms.
int obs_contact_groups(struct obs_view *v, size_t a, size_t b, const struct obs_positions *p[2], struct trj_error *err);

struct obs_contact {
    size_t i, j; // index in the lists a and b
    double d[3]; // Å: from atom i to the image of atom j
    double r2;   // Å^2
};

// Called for each pair, in no particular order. A failure ends the search.
typedef int obs_contact_visit(void *arg, const struct obs_contact *c, struct trj_error *err);

// Sets *count to the number of pairs. The radius is positive, in Å. The same list is given by a == b.
int obs_contacts_count(struct obs_contact_search *s, const struct trj_frame *f, const struct obs_positions *a,
                       const struct obs_positions *b, double radius, uint64_t *count, struct trj_error *err);
int obs_contacts_visit(struct obs_contact_search *s, const struct trj_frame *f, const struct obs_positions *a,
                       const struct obs_positions *b, double radius, obs_contact_visit *visit, void *arg,
                       struct trj_error *err);

// The atoms of both lists in a frame, in the order of the search: a point is an atom of b, and a row one of a.
struct obs_contact_order {
    const double (*axis)[3];     // orthogonal unit vectors
    const float *const *x;       // [3][points] along them, Å; OBS_CONTACT_PADDING more numbers can be read
    const uint32_t *point, *row; // index in b of each point, and in a of each row
    double margin;               // Å: an upper bound on the error of x - run.at
};

// Receives the points near each row, from both ends of a pair also if both lists are the same, for rows next to each
// other, which share their runs: after one call for the frame, some calls for runs, and then one with their rows.
// Images of the atom and the atom itself are included. A failure ends the search.
struct obs_contact_visitor {
    int (*begin)(void *arg, const struct obs_contact_order *o, struct trj_error *err);
    int (*add_runs)(void *arg, const struct obs_contact_run *run, size_t runs, uint32_t rows, struct trj_error *err);
    int (*end_rows)(void *arg, uint32_t row, uint32_t rows, struct trj_error *err);
    void *arg;
};
int obs_contacts_visit_rows(struct obs_contact_search *s, const struct trj_frame *f, const struct obs_positions *a,
                            const struct obs_positions *b, double radius, const struct obs_contact_visitor *v,
                            struct trj_error *err);
// Sets c to the vector from a row to a point of a run with this image, by the rule above.
void obs_contact_vector(const struct obs_contact_search *s, uint32_t row, uint32_t point, const int32_t image[3],
                        struct obs_contact *c);

// Finds the pair with the smallest r2, and of several the one with the smallest i, and then j, at any distance. Sets
// c->r2 to INFINITY if there is no pair of two different atoms.
int obs_contacts_nearest(struct obs_contact_search *s, const struct trj_frame *f, const struct obs_positions *a,
                         const struct obs_positions *b, struct obs_contact *c, struct trj_error *err);

#endif
