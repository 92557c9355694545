// SPDX-License-Identifier: MIT
// The lags at which frames are compared: all up to the largest one, or, with P lags in each octave (multiple tau; K.
// Schaetzel, M. Drewel, S. Stimac, J. Mod. Opt. 35, 711 (1988)), 0 to 2 P - 1, and m 2^k for m = P to 2 P - 1 and
// k = 1, 2, ... Those of level k compare frames whose numbers are multiples of 2^k.
#ifndef TCF_LAG_GRID_H
#define TCF_LAG_GRID_H

#include <stddef.h>
#include <stdint.h>

// per_octave: P; 0: all lags. Returns the level of the lag with this number, counted from 0.
static inline unsigned tcf_lag_level(uint64_t per_octave, size_t number) {
    return per_octave && number >= 2 * per_octave ? (unsigned)(number / per_octave - 1) : 0;
}

// Returns the lag in frames.
static inline uint64_t tcf_lag_at(uint64_t per_octave, size_t number) {
    const unsigned level = tcf_lag_level(per_octave, number);
    return level ? (per_octave + number % per_octave) << level : number;
}

// Returns how many lags there are up to max_lag.
static inline size_t tcf_lag_count(uint64_t per_octave, uint64_t max_lag) {
    if (!per_octave || max_lag < 2 * per_octave) return (size_t)max_lag + 1;
    unsigned level = 0;
    while (max_lag >> level >= 2 * per_octave) level++;
    return (size_t)(level * per_octave + (max_lag >> level) + 1);
}

#endif
