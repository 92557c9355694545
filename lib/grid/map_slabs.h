// SPDX-License-Identifier: MIT
// A map that is divided among processes: each has the values of a slab, and one process writes the whole map. The slabs
// of all processes together are the map, in the order of the processes.
//
// A NULL pointer to this structure means that the process has the whole map, and writes it.
#ifndef TRJ_MAP_SLABS_H
#define TRJ_MAP_SLABS_H

#include <stdbool.h>
#include <stddef.h>

#include "map_lattice.h"

struct trj_map_slabs {
    struct trj_map_slab own; // of this process, with at least one plane
    bool writes;             // this process writes the map
    // Passes values of a plane from the process that has it to the one that writes: `values` [size] is read in the
    // former, and set in the latter. Nothing happens if this process is neither, or both. All processes pass the same
    // planes in the same order.
    void (*pass)(const void *owner, uint64_t plane, void *values, size_t size);
    const void *owner;
};

// Returns whether this process has a plane.
static inline bool trj_map_slabs_have(const struct trj_map_slabs *s, uint64_t plane) {
    return !s || plane - s->own.first < s->own.planes;
}

static inline bool trj_map_slabs_write(const struct trj_map_slabs *s) {
    return !s || s->writes;
}

static inline void trj_map_slabs_pass(const struct trj_map_slabs *s, uint64_t plane, void *values, size_t size) {
    if (s) s->pass(s->owner, plane, values, size);
}

#endif
