// SPDX-License-Identifier: MIT
// Generates the names of the files of a series: s.%06d.ply gives s.000000.ply, s.000001.ply and so on.
#ifndef TRJ_SERIES_NAME_H
#define TRJ_SERIES_NAME_H

#include <stdbool.h>
#include <stdint.h>

#include "error.h"

// Returns the name of file `number`, which the caller frees; NULL after an error. *numbered is set to whether the
// pattern contains a number: %d, or %0Nd for at least N digits, N up to 20. Without one, the name is the pattern. Fails
// with TRJ_USAGE if the pattern contains another '%'.
char *trj_series_name(const char *pattern, uint64_t number, bool *numbered, struct trj_error *err);
// Replaces the first %s of a pattern by a name. Returns NULL for lack of memory. The caller frees the result.
char *trj_series_insert(const char *pattern, const char *name, struct trj_error *err);
// Fails with TRJ_USAGE if a name contains a number, or another '%', although only one file is written. NULL is allowed.
int trj_series_check_single(const char *path, struct trj_error *err);

#endif
