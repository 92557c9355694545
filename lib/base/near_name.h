// SPDX-License-Identifier: MIT
// Finds the name that a misspelt one stands for: options, their values, keys of recipes.
#ifndef TRJ_NEAR_NAME_H
#define TRJ_NEAR_NAME_H

// Returns the name of the list, which ends with NULL, that is nearest to a misspelt one; NULL if none is near.
const char *trj_nearest_name(const char *name, const char *const *names);

#endif
