// SPDX-License-Identifier: MIT
// Writes the charges of a frame as a PQR file, with which a Poisson-Boltzmann solver computes its potential.
#ifndef POT_PQR_WRITER_H
#define POT_PQR_WRITER_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "frame_stream.h"
#include "output.h"

struct pot_pqr {
    const struct trj_stream_header *header; // for the names
    size_t count;
    const uint32_t *atom;        // [count] number of the atom in the stream
    const double (*position)[3]; // [count] Å
    const double *charge;        // [count] e, not divided by a dielectric constant
    const double *radius;        // [count] Å
};

// Writes an ATOM line for each atom, and END. Fields are separated by blanks. Coordinates that are float32, as frames
// in Å store them, have the fewest digits that read as the same float32, which are those of the file of the frame;
// other numbers have the fewest digits that read as the same float64. Names, residue names and residue numbers are the
// properties of the stream (name, resname, resid); if one is unknown, it is the symbol of the element or X, UNK, and
// the running number of the residue or 1. Characters at which programs would split or truncate a name become '_'. There
// is no field for the chain.
int pot_pqr_write(struct trj_output *out, const struct pot_pqr *p, struct trj_error *err);

#endif
