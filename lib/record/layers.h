// SPDX-License-Identifier: MIT
// Divides groups into layers of equal height along an axis of the cell: along z, group O becomes the dynamic groups
// O@z1 to O@zN, whose members are determined in each frame. An atom with the fractional coordinate s = g . x along the
// axis, with whole numbers subtracted so that 0 <= s < 1, is in the layer floor(s N) + 1. g is the row of the
// reciprocal cell (trj_cell_reciprocal), in float64 in the order of its components. In a skew cell that is periodic in
// all directions, layers therefore lie between planes that the other two vectors of the cell span. A vector that is not
// periodic has no effect, because it is not a property of the system: layers are parallel to the other periodic vector
// and to the direction perpendicular to both, or perpendicular to the axis if only this is periodic.
#ifndef RDF_LAYERS_H
#define RDF_LAYERS_H

#include "error.h"
#include "frame.h"
#include "frame_stream.h"

struct rdf_layers {
    unsigned axis;  // 0, 1, 2: along a, b, c
    uint64_t count; // 0 before rdf_layers_open, otherwise 1 to 1,000,000
    const struct trj_stream_header *source;
    struct trj_stream_header header; // as source, with the groups of the layers; other members are those of source
    uint32_t *members;               // work space: exchanged with that of frames
    size_t member_capacity;
};

// Opens layers "z:20" of the groups of h, which must outlive them. The layers of group i of h are the successive groups
// from i * count on. Fails with TRJ_USAGE. rdf_layers_free frees, also after a failure.
int rdf_layers_open(struct rdf_layers *l, const char *text, const struct trj_stream_header *h, struct trj_error *err);
// Sets the members of the groups of a frame. Fails with TRJ_BAD_DATA if the frame is not periodic along the axis.
int rdf_layers_apply(struct rdf_layers *l, struct trj_frame *f, struct trj_error *err);
void rdf_layers_free(struct rdf_layers *l); // not l itself

#endif
