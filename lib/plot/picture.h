// SPDX-License-Identifier: MIT
// Has gnuplot draw a script, and writes into the picture where it came from.
#ifndef PLOT_PICTURE_H
#define PLOT_PICTURE_H

#include "bytes.h"
#include "error.h"
#include "script.h"

// What gnuplot writes to its standard output. TRJ_FAILED where it cannot be run or fails.
int plot_picture_draw(struct trj_bytes *picture, const struct trj_bytes *script, struct trj_error *err);

// Puts the lines of provenance in: in SVG "provenance: LINE" in its element metadata, in PNG in a chunk iTXt of that keyword, in PDF
// comments "% provenance: LINE" behind its end. The same tables give the same bytes.
int plot_picture_tell(struct trj_bytes *picture, enum plot_format format, const struct trj_bytes *provenance,
                      struct trj_error *err);

#endif
