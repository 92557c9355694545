// SPDX-License-Identifier: MIT
// Compares rmax with half the width of the cell of every frame, its limit. Beyond this distance several periodic images
// of an atom are counted, which a caller reports: programs that count only nearest images give different results there.
// From the length of the shortest lattice vector on, pairs of an atom with its own images are missing (count/job.h).
#ifndef RDF_IMAGE_LIMIT_H
#define RDF_IMAGE_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

#include "cell.h"
#include "count_notes.h"
#include "frame.h"

struct rdf_image_limit {
    double rmax;       // Å; NaN: nothing is compared
    bool own_images;   // pairs of an atom with its own images are counted
    double first, min; // Å: half the width of the first frame's cell, and of the narrowest one
    uint64_t frames;
    uint64_t narrower;         // frames whose limit is less than rmax and less than the limit of the first frame
    char note[RDF_COUNT_NOTE]; // note of the last call; "": none
};

// Returns the axis across which a frame seems to be a system in two dimensions: all atoms have one height along it, and
// the cell is periodic in all directions and less than half as high as along the others, or it is periodic in the other
// two and has no height. -1: none.
int rdf_flat_axis(const struct trj_frame *f);
// Adds the cell of a frame. Writes a note if rmax exceeds the limit of the first frame.
void rdf_image_limit_add(struct rdf_image_limit *w, const struct trj_cell *cell);
// Call it after the last frame. Writes a note if later cells have smaller limits than the first one, or than rmax if
// the first limit is not less than rmax.
void rdf_image_limit_finish(struct rdf_image_limit *w);

#endif
