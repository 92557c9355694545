// SPDX-License-Identifier: MIT
// Prints tables of surfaces, with a row for each map or for each component.
#ifndef SURF_SUMMARY_TABLE_H
#define SURF_SUMMARY_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "error.h"
#include "output.h"
#include "surface.h"

// Prints the provenance, which ends with NULL, and the names of the columns.
int surf_summary_print_head(struct trj_output *out, char *const *provenance, bool components, struct trj_error *err);
// Prints the row of the surface of a map, or the rows of its components.
int surf_summary_print(struct trj_output *out, const struct surf_summary *s, uint64_t map, double level,
                       bool components, struct trj_error *err);

#endif
