// SPDX-License-Identifier: MIT
// Adds atom properties to a frame stream on request (trjcat --carry): from a topology, or from the frame stream that is
// read.
#ifndef TRJ_CARRY_H
#define TRJ_CARRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "centres.h"
#include "error.h"
#include "frame_stream.h"
#include "property.h"
#include "topology.h"

struct trj_carry_item {
    const struct trj_property_definition *what;
    bool bondi;    // radius=bondi: radii of the elements (trj_bondi_radius)
    bool optional; // carried if the topology has it
};

struct trj_carry {
    bool elements;   // the elements of the stream are requested
    unsigned motion; // TRJ_HAS_...: velocities or image flags of each frame are requested
    size_t count;
    struct trj_carry_item item[TRJ_PROPERTIES_MAX];
};

// Parses the value of --carry, such as "charge,element,radius=bondi"; NULL: nothing is requested. With `mass`, names
// and residues are carried, too, if the topology has them: programs that compute with masses select atoms by them
// (stream_scope.h). Fails with TRJ_USAGE if a name is unknown or occurs twice, or a source is invalid.
int trj_carry_parse(struct trj_carry *carry, const char *text, struct trj_error *err);
// Returns whether properties of atoms are requested, which are in a topology or a frame stream.
bool trj_carry_has_properties(const struct trj_carry *carry);
// Returns whether a property is requested.
bool trj_carry_requests(const struct trj_carry *carry, const char *name);

// Adds properties to a header whose atoms and centres are set: those that are requested, from `top` (NULL: none) or
// else from `from`, the header of the stream that is read (NULL: none), and then all others of `from`. `file` is the
// name of the topology. Stream atom i is atom rows[i] of `top` and `from` (rows is NULL: atom i). For charge and mass,
// the value of a centre is the sum over its atoms; other values of centres are unknown. `centres` is NULL if there are
// none, or if the centres are those of `from`, which have values. Fails with TRJ_USAGE and a remedy if neither contains
// // a requested property or elements.
int trj_carry_fill(struct trj_stream_header *h, const struct trj_carry *carry, const struct trj_topology *top,
                   const char *file, const struct trj_stream_header *from, const uint32_t *rows,
                   const struct trj_centres *centres, struct trj_error *err);
// Fails with TRJ_BAD_DATA if both streams have a property, and the value of an atom is known in both but differs; the
// message gives the atom.
int trj_carry_compare(const struct trj_stream_header *first, const struct trj_stream_header *further,
                      struct trj_error *err);

#endif
