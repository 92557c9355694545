// SPDX-License-Identifier: MIT
// Changes the order of the axes of a map: many formats store axis 2 fastest, and maps in memory have axis 0 fastest.
//
// An order lists the axes from the fastest to the slowest. A plane of an order consists of the points with the same
// index along its slowest axis.
#ifndef TRJ_MAP_REORDER_H
#define TRJ_MAP_REORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"

struct trj_map_order {
    unsigned char axis[3]; // axis[0] is the fastest
};
extern const struct trj_map_order trj_map_order_ours;     // 0, 1, 2
extern const struct trj_map_order trj_map_order_reversed; // 2, 1, 0

bool trj_map_order_same(struct trj_map_order a, struct trj_map_order b);

// Copies a box of n[0] n[1] n[2] points of `size` bytes from one order into another.
void trj_map_permute(const uint64_t n[3], struct trj_map_order from, struct trj_map_order to, size_t size,
                     const void *source, void *target);

struct trj_map_reorder;

// Opens a store for a map of n[0] n[1] n[2] points of `size` bytes. All planes of `from` must be put before planes of
// `to` can be got. The store is in memory if the map has at most TRJ_MAP_REORDER_MEMORY bytes, and otherwise in an
// unnamed temporary file in the folder $TMPDIR (default: /tmp). Memory is allocated as planes are put.
#define TRJ_MAP_REORDER_MEMORY ((uint64_t)1 << 28)
int trj_map_reorder_open(struct trj_map_reorder **s, const uint64_t n[3], struct trj_map_order from,
                         struct trj_map_order to, size_t size, struct trj_error *err);
// As trj_map_reorder_open, with another limit for the memory.
int trj_map_reorder_open_limited(struct trj_map_reorder **s, const uint64_t n[3], struct trj_map_order from,
                                 struct trj_map_order to, size_t size, uint64_t memory, struct trj_error *err);
// Adds the next planes of `from`.
int trj_map_reorder_put(struct trj_map_reorder *s, const void *values, uint64_t planes, struct trj_error *err);
// Copies planes of `to`, from plane `first` on. All planes of `from` must have been put.
int trj_map_reorder_get(struct trj_map_reorder *s, uint64_t first, uint64_t planes, void *values,
                        struct trj_error *err);
void trj_map_reorder_close(struct trj_map_reorder *s); // NULL is allowed

#endif
