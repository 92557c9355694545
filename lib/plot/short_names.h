// SPDX-License-Identifier: MIT
// Short names that distinguish the files of a figure.
#ifndef PLOT_SHORT_NAMES_H
#define PLOT_SHORT_NAMES_H

#include <stddef.h>

#include "error.h"

// Returns the names without the words that all of them begin or end with: "a" and "b" for "run/a/gr.tsv" and
// "run/b/gr.tsv"; one name only loses its folder and its ending. Words end at / . _ and -. The array ends with NULL and
// is freed by trj_text_array_free. Returns NULL after a failure.
char **plot_short_names(const char *const *names, size_t count, struct trj_error *err);

#endif
