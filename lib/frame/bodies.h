// SPDX-License-Identifier: MIT
// Bodies: molecules with right-handed axes x, y, z of their own, which follow from the positions of their atoms in each
// frame. A description selects the atoms by groups of a frame stream:
//
//   A:B:C            three atoms a, b, c of the molecule. x points from a to b, and c is in the plane of x and y, at
//                    y > 0. The origin is a. If a group is given twice or three times, successive atoms of it, by their
//                    numbers, are meant: O:H:H is the water molecule
//   bisector:A:B:C   as above, but x bisects the angle between the directions from a to b and from a to c
//   principal:G      the principal axes of inertia of the atoms of G in the molecule: x has the smallest moment, z the
//                    largest one. The origin is the centre of mass. The signs of x and y are such that one atom has a
//                    positive coordinate along the axis: the atom with the lowest number among those whose distance
//                    from the origin along the axis is at least a quarter of the largest such distance; z = x cross y
//
// The molecules are the bonded ones if the stream has bonds, otherwise the residues. Each molecule with an atom of one
// of the groups is a body, and must have all atoms that the description requires. Vectors between atoms are shortest
// periodic images: from a to b and c, and for principal axes from each atom to the one with the next number.
#ifndef TRJ_BODIES_H
#define TRJ_BODIES_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "frame.h"
#include "frame_stream.h"

enum trj_body_kind { TRJ_BODY_POINTS, TRJ_BODY_BISECTOR, TRJ_BODY_PRINCIPAL };

#define TRJ_NO_BODY UINT32_MAX
// The smallest sine of the angle between b - a and c - a, and the smallest difference of two principal moments over the
// largest one. With smaller values, rounding errors would determine the axes.
#define TRJ_BODY_MIN 1e-3

struct trj_bodies {
    const struct trj_stream_header *header;
    enum trj_body_kind kind;
    uint32_t group[3]; // of the header; only the first one for principal axes
    size_t count;
    uint32_t *body_of_atom; // [header->atoms] body of each atom, also of atoms in no group; TRJ_NO_BODY: none
    size_t *begin;          // [count + 1] into atom
    uint32_t *atom;         // atoms that define the bodies: a, b, c, or ascending
    const double *mass;     // [header->atoms] for principal axes
    double (*axis)[3][3];   // [count] of the last frame: unit vectors x, y, z
    double (*origin)[3];    // [count] Å
};

// Fails with TRJ_USAGE unless a text has one of the forms above; does not examine groups.
int trj_bodies_check(const char *text, struct trj_error *err);
// Finds the bodies of a stream, whose header must outlive them. Fails with TRJ_USAGE for an unknown or dynamic group,
// and with TRJ_BAD_DATA if the stream has neither bonds nor residues, lacks masses, or if a molecule lacks atoms.
// trj_bodies_free frees, also after a failure.
int trj_bodies_open(struct trj_bodies *b, const char *text, const struct trj_stream_header *h, struct trj_error *err);
// Sets axes and origins by the positions in a frame, in float64 in a fixed order of operations, so that they are equal
// on all machines. Fails with TRJ_BAD_DATA if a body has no axes: atoms at one place or on a line, equal moments. The
// message gives an atom of the molecule.
int trj_bodies_place(struct trj_bodies *b, const struct trj_frame *f, struct trj_error *err);
void trj_bodies_free(struct trj_bodies *b); // not b itself

// Returns the number of an atom in the trajectory, for messages.
uint32_t trj_bodies_number(const struct trj_bodies *b, uint32_t atom);

#endif
