// SPDX-License-Identifier: MIT
// Random numbers for unit tests, equal in each run.
#ifndef UNIFORM_H
#define UNIFORM_H

#include <stdint.h>

static uint64_t uniform_state = 7;

static inline double uniform(void) { // xorshift64*, in [0, 1)
    uniform_state ^= uniform_state >> 12;
    uniform_state ^= uniform_state << 25;
    uniform_state ^= uniform_state >> 27;
    return (double)(uniform_state * 2685821657736338717u >> 11) * 0x1p-53;
}

#endif
