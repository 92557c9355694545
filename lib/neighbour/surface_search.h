// SPDX-License-Identifier: MIT
// Counts the distances of atoms from the nearest atom of a set, and the volume at each distance: the minimum-distance
// distribution. Tiles and boxes (tile/items.h) select candidates, in parallel; float64 arithmetic decides.
//
// For a pair of groups A and B, an object is the whole of A, or the atoms of A in one residue or molecule. The squared
// distance of an object and an atom j of B is the minimum, over the atoms i of the object and all lattice images n
// (three integers), of r2 of the rule in job.h:
//     d  = (x_j - x_i) + ((n0 a + n1 b) + n2 c)         float64, in this order, by component, no contraction
//     r2 = (dx*dx + dy*dy) + dz*dz
// Each pair of an object and an atom of B counts once, in the bin of this minimum, unless the atom is in the residue or
// molecule of the object. An object none of whose atoms is a member of A in a frame does not exist in it.
//
// The volume at these distances is found from N^3 points in the cell, one in each cell of a lattice of N x N x N, at a
// position that a hash of the number of the frame in its source determines. Point (i0, i1, i2), number
// p = (i0 N + i1) N + i2, is
//     f_k = (i_k + u_k) / N,  x = (f_0 a + f_1 b) + f_2 c   in float64, in this order, rounded to float32
//     u_k = (mix(mix(frame + G) + G (3 p + k)) >> 11) 2^-53,  G = 0x9E3779B97F4A7C15
// with integers modulo 2^64, and mix(z): z ^= z >> 30, z *= 0xBF58476D1CE4E5B9, z ^= z >> 27, z *= 0x94D049BB133111EB,
// z ^= z >> 31 (G. L. Steele, D. Lea, C. H. Flood, OOPSLA 2014, 453). The positions are uniform in the cell of the
// lattice, so that the expected number of points in a region is exactly N^3 times its share of the cell. Its variance
// is at most this number, and less for regions larger than cells of the lattice, because only those at its border
// contribute.
//
// Distances of points from objects are those of atoms, by the same rule. A point within a bin counts as many times as
// the object has pairs with atoms of B. In a uniform system, the counts of a bin are therefore on average those of its
// points divided by N^3, whatever the shape of the objects and of the cell is.
#ifndef RDF_SURFACE_SEARCH_H
#define RDF_SURFACE_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

#include "error.h"
#include "frame.h"
#include "job.h"
#include "surface_setup.h"

struct rdf_surface_search;

// What is found in a frame for a pair of groups.
struct rdf_surface_counts {
    uint64_t objects, pairs; // objects; pairs of an object and an atom of B outside of it
    uint64_t *counts;        // [bins] of these pairs
    uint64_t *points;        // [bins] of objects and points, times the pairs of the object
};

// `job` gives bins, groups, pairs, number of atoms and threads; it must outlive the search. number[atoms] is the
// residue or molecule of each atom; it is not used for sets, and may be freed afterwards. With `brute_force`, one
// thread computes all distances. Fails with TRJ_USAGE if sets have atoms in both groups, whose distance would be 0, and
// if a frame could have 2^63 pairs times points.
int rdf_surface_search_open(struct rdf_surface_search **s, const struct rdf_job *job,
                            const struct rdf_surface_setup *setup, const uint32_t *number, bool brute_force,
                            struct trj_error *err);
// Counts a frame that rdf_job_check_frame accepts. Fails with TRJ_BAD_DATA if it is not periodic in all directions.
int rdf_surface_search_frame(struct rdf_surface_search *s, const struct trj_frame *f, struct trj_error *err);
// Returns the counts [pairs] of the last frame, which are valid until the next one.
const struct rdf_surface_counts *rdf_surface_search_counts(const struct rdf_surface_search *s);
void rdf_surface_search_close(struct rdf_surface_search *s); // NULL is allowed

#endif
