// SPDX-License-Identifier: MIT
// Classifies the points of a row: which of them are inside. The result has one bit for each point.
#ifndef SURF_CLASSIFY_H
#define SURF_CLASSIFY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "map.h"

// The smallest value that is inside, in the kind of the map, so that values are compared without conversion.
struct surf_threshold {
    enum trj_map_kind kind;
    bool none; // no value is inside
    union {
        float f32;
        double f64;
        int64_t quanta;
        uint64_t counts;
    } min;
};

struct surf_threshold surf_threshold_of(const struct trj_map *m, double level);

// Sets bit i % 64 of word i / 64 for each of the n values that is inside, and clears the other bits of these words.
// Returns whether a value is NaN.
bool surf_classify(const struct surf_threshold *t, const void *values, size_t n, uint64_t *words);

#endif
