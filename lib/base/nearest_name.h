// SPDX-License-Identifier: MIT
// Finds the valid name that is nearest to a misspelt one: for options, their values, and keys of recipes.
#ifndef TRJ_NEAREST_NAME_H
#define TRJ_NEAREST_NAME_H

// Returns the element of the NULL-terminated list that is nearest to `name`, or NULL if none is similar.
const char *trj_nearest_name(const char *name, const char *const *names);

#endif
