// SPDX-License-Identifier: MIT
// Atom properties that a frame stream carries on request (trjcat --carry): from a topology, or from the frame stream
// that is read.
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
    bool bondi; // radius=bondi: by element (trj_bondi_radius)
};

struct trj_carry {
    size_t count;
    struct trj_carry_item item[TRJ_PROPERTIES_MAX];
};

// Parses the value of --carry: "charge,mass,radius=bondi"; NULL: nothing is requested. Fails with TRJ_USAGE.
int trj_carry_parse(struct trj_carry *carry, const char *text, struct trj_error *err);
// Returns whether a property is requested.
bool trj_carry_requests(const struct trj_carry *carry, const char *name);

// Adds properties to a header that has its atoms and centres: those that are requested, from `top` (NULL: none), else
// from `from`; and all others of `from`, the header of the stream that is read (NULL: none). `file` is the name of the
// topology. Stream atom i is atom rows[i] of both (NULL: i). The value of a centre is the sum over its atoms for charge
// and mass, else unknown; `centres` is NULL if there are none, or if the header has those of `from`. Fails with
// TRJ_USAGE and a remedy if a requested property is in neither.
int trj_carry_fill(struct trj_stream_header *h, const struct trj_carry *carry, const struct trj_topology *top,
                   const char *file, const struct trj_stream_header *from, const uint32_t *rows,
                   const struct trj_centres *centres, struct trj_error *err);
// Fails with TRJ_BAD_DATA and the atom if a property that both streams have differs in a value that is known in both.
int trj_carry_compare(const struct trj_stream_header *first, const struct trj_stream_header *further,
                      struct trj_error *err);

#endif
