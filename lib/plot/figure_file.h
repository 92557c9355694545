// SPDX-License-Identifier: MIT
// Makes the file of a figure: runs gnuplot with a script, and inserts the provenance.
#ifndef PLOT_FIGURE_FILE_H
#define PLOT_FIGURE_FILE_H

#include "bytes.h"
#include "error.h"
#include "gnuplot_script.h"

enum { PLOT_MESSAGES = 400 };

// Runs gnuplot, without ~/.gnuplot and the environment variables that change its output, and appends its output to
// *file. `messages` receives the lines of its standard error, joined by ": "; "" if there are none. Fails with
// TRJ_FAILED and these messages if gnuplot cannot be run, is ended by a signal, exits with a status other than 0, or
// writes no complete file of the format.
int plot_file_draw(struct trj_bytes *file, char messages[PLOT_MESSAGES], const struct trj_bytes *script,
                   enum plot_format format, struct trj_error *err);

// Inserts the lines of provenance: in SVG as "provenance: LINE" in its metadata element, in PNG in an iTXt chunk with
// this keyword, in PDF as comments "% provenance: LINE" after its end. Control characters, and bytes that are not
// UTF-8, become '?'. The same tables give the same bytes. Fails with TRJ_FAILED if memory runs out, also if that
// happened while `provenance` was collected.
int plot_file_add_provenance(struct trj_bytes *file, enum plot_format format, const struct trj_bytes *provenance,
                             struct trj_error *err);

#endif
