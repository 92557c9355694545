// SPDX-License-Identifier: MIT
// Runs gnuplot with a script, and inserts the provenance into the picture.
#ifndef PLOT_PICTURE_H
#define PLOT_PICTURE_H

#include "bytes.h"
#include "error.h"
#include "script.h"

enum { PLOT_MESSAGES = 400 };

// Runs gnuplot, without ~/.gnuplot and the variables of the environment that change what it draws, and appends what it
// writes to *picture. `messages` receives the lines of its standard error, joined by ": "; "" if there are none.
// TRJ_FAILED, with these messages: gnuplot cannot be run, ends with a signal or another status than 0, or writes no
// complete picture of the format.
int plot_picture_draw(struct trj_bytes *picture, char messages[PLOT_MESSAGES], const struct trj_bytes *script,
                      enum plot_format format, struct trj_error *err);

// Inserts the lines of provenance: in SVG as "provenance: LINE" in its element metadata, in PNG in an iTXt chunk of
// that keyword, in PDF as comments "% provenance: LINE" after its end. Bytes that are not UTF-8, and control
// characters, become '?'. The same tables give the same bytes. TRJ_FAILED: out of memory, also while `provenance`
// was collected.
int plot_picture_tell(struct trj_bytes *picture, enum plot_format format, const struct trj_bytes *provenance,
                      struct trj_error *err);

#endif
