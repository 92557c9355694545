// SPDX-License-Identifier: MIT
// What tells the files of a picture from one another.
#ifndef PLOT_SHORT_NAMES_H
#define PLOT_SHORT_NAMES_H

#include <stddef.h>

#include "error.h"

// The names without the words that all begin and end with: of "run/a/gr.tsv" and "run/b/gr.tsv", "a" and "b"; also without the ending
// of one. Words end at / . _ and -. A list that ends with NULL, for trj_text_array_free; NULL after a failure.
char **plot_short_names(const char *const *names, size_t count, struct trj_error *err);

#endif
