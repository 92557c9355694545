// SPDX-License-Identifier: MIT
// Reads the Lennard-Jones parameters of CHARMM parameter and stream files, for the atom types of a PSF file, which
// contains none.
//
// Only the section NONBONDED is read, with lines "type, ignored, epsilon, Rmin/2" and possibly values for 1-4 pairs
// (CHARMM documentation, parmfile.doc, io.doc and nbonds.doc):
//   V(r) = |epsilon| ((Rmin/r)^12 - 2 (Rmin/r)^6), epsilon in kcal/mol and negative, Rmin/2 in Å
// With the potential in topology.h, sigma = Rmin / 2^(1/6) = 2^(5/6) Rmin/2. NBFIX, which changes single pairs of
// types, does not change the values of a type.
//
// A type may contain wildcards (io.doc): '*' matches any number of characters and '#' any number of digits, including
// none; '%' matches one character, and '+' one digit. A '\' before a character removes its special meaning. If several
// lines match a type, by name or by wildcards, the last one applies.
#ifndef TRJ_CHARMM_PARAMETERS_H
#define TRJ_CHARMM_PARAMETERS_H

#include <stddef.h>

#include "error.h"
#include "topology.h"

// Sets sigma and epsilon of the atoms of a topology from `count` files. Types in later files replace those in earlier
// ones. The values of an atom whose type is in no file are NaN. Fails with TRJ_USAGE if the topology is not a PSF, and
// with TRJ_BAD_DATA if none of its types is in the files, or for an invalid file.
int trj_charmm_parameters(struct trj_topology *top, const char *const *paths, size_t count, struct trj_error *err);

#endif
