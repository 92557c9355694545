// SPDX-License-Identifier: MIT
// Compares rmax with half the width of every frame's cell. Beyond that distance several periodic images of an atom are counted, which a caller
// reports: programs that count nearest images alone give other numbers there.
#ifndef RDF_HALF_WIDTH_H
#define RDF_HALF_WIDTH_H

#include <stdint.h>

#include "cell.h"

struct rdf_half_width {
    double rmax;         // Å; NaN: nothing is compared
    double first, least; // Å: half the width of the first frame's cell, and of the narrowest one
    uint64_t frames,
        narrower; // how many there were; of those after the first, how many have a smaller limit than the first, and are within rmax
    char note[320]; // what the last call reports; empty: nothing
};

// Adds the cell of a frame. Writes a note where rmax is beyond the limit of the first frame.
void rdf_half_width_add(struct rdf_half_width *w, const struct trj_cell *cell);
// After the last frame: writes a note where later cells have smaller limits than the first one, or than rmax where the first one does not.
void rdf_half_width_finish(struct rdf_half_width *w);

#endif
