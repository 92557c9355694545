// SPDX-License-Identifier: MIT
// Makes a potential for simulation from a potential of mean force w(r) at nodes: a function of r from 0 to a cutoff
// with a continuous force, and its exact derivative.
//
//   r_0 <= r <= r_s   the natural cubic spline through w at the nodes, which are the middles of the bins, or one bin in
//                     each window if g(r) is smoothed (C. de Boor, A Practical Guide to Splines, Springer 1978, ch.
//                     IV); after the last node the tangent there
//   r_s < r <= r_c    this times S(x) = 1 - 10 x^3 + 15 x^4 - 6 x^5, x = (r - r_s)/(r_c - r_s), the switching function
//                     of potentials in the GROMACS manual: potential and force reach 0 at r_c, and the derivative of
//                     the force is continuous
//   r < r_0           with w_0 and F_0, the potential and the force at r_0:
//       linear        w_0 + F_0 (r_0 - r), the tangent, as `csg_call potential extrapolate` of VOTCA with the function
//                     linear (V. Ruehle et al., J. Chem. Theory Comput. 5, 3211 (2009)). The second derivative of the
//                     spline is 0 at r_0, so that it is continuous, too
//       power         w_0 + F_0 r_0/12 ((r_0/r)^12 - 1), the repulsion of a Lennard-Jones potential with this force;
//                     from r_0/2 down its tangent, so that the potential is finite at 0
// r_0 is the first node such that this node and all later ones up to the cutoff have an error of at most
// RDF_MAX_POTENTIAL_ERROR.
#ifndef RDF_PAIR_POTENTIAL_H
#define RDF_PAIR_POTENTIAL_H

#include <stdbool.h>
#include <stddef.h>

#include "error.h"

// The largest standard error of w, in units of kT, at a node that is used.
#define RDF_MAX_POTENTIAL_ERROR 0.25

struct rdf_pair_potential {
    // The options, Å: 0 < switching < cutoff.
    double cutoff, switching;
    bool power; // extrapolation into the core; false: linear
    // The result:
    double core, core_energy, core_force; // r_0 (Å), w_0 (kJ/mol), F_0 (kJ/mol/Å)
    double width;                         // distance of the nodes, Å
    size_t count;                         // of nodes, the first at r_0
    double *w, *bend;                     // [count] values and second derivatives at the nodes, kJ/mol, kJ/mol/Å^2
};

// The input: values in kJ/mol at min, min + width, ... (Å), and their standard errors in units of kT, infinite where g
// is 0.
struct rdf_potential_nodes {
    double min, width;
    size_t count;
    double *w, *error; // [count]
};

// Computes the potential. rdf_pair_potential_free frees. Fails with TRJ_BAD_DATA if a node between the core and the
// cutoff has an error above RDF_MAX_POTENTIAL_ERROR, if less than two nodes remain before `switching`, or if the force
// at r_0 is not repulsive, so that the potential cannot be extrapolated into the core.
int rdf_pair_potential_make(struct rdf_pair_potential *p, const struct rdf_potential_nodes *nodes,
                            struct trj_error *err);
void rdf_pair_potential_free(struct rdf_pair_potential *p); // not p itself

// Computes energy (kJ/mol) and force -dU/dr (kJ/mol/Å) at r >= 0; both are 0 from the cutoff on.
void rdf_pair_potential_at(double *energy, double *force, const struct rdf_pair_potential *p, double r);

#endif
