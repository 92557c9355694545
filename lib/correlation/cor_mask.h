// SPDX-License-Identifier: MIT
// Masks: the points that a score is computed over. Conditions of several masks must all be true.
//
//     all           all points
//     Ksigma        points where the map is above its mean plus K standard deviations
//     level:L       points where the map is above L
//     simulated:F   points where the density of the selection is above F times the mean height of an atom
//     radius:R      points within R of an atom of the selection
//     FILE          points where a map with the same lattice is at least 0.5
#ifndef COR_MASK_H
#define COR_MASK_H

#include <stdbool.h>

#include "cor_map.h"
#include "cor_sums.h"
#include "output.h"
#include "tool.h"

struct cor_mask {
    double sigmas, level; // NaN: no such condition. `level` becomes the larger of both by cor_mask_apply
    double fraction;      // F of simulated:F; NaN: none
    double radius;        // Å; NaN: none
    const char *file;     // NULL: none
    unsigned char *fixed; // [points] 1: the map and the file allow the point; else 0. NULL: all points
    struct cor_sums y;    // n, y and yy of these points
};

// Sets the conditions of a zeroed mask from texts in the form above; none: all points. Fails with TRJ_USAGE.
int cor_mask_parse(struct cor_mask *m, const struct trj_text_list *texts, struct trj_error *err);
// Finds the points that the map and the file allow. Fails with TRJ_BAD_DATA if there is none, or if the lattice of the
// file differs.
int cor_mask_apply(struct cor_mask *m, const struct cor_map *map, struct trj_error *err);
void cor_mask_free(struct cor_mask *m); // not m itself

// Returns whether the points depend on the atoms of a selection.
static inline bool cor_mask_is_local(const struct cor_mask *m) {
    return m->fraction >= 0 || m->radius >= 0;
}

// Prints the comments "# mask" and "# level". `texts` as in cor_mask_parse.
int cor_mask_print(struct trj_output *out, const struct cor_mask *m, const struct trj_text_list *texts,
                   struct trj_error *err);

#endif
