// SPDX-License-Identifier: MIT
// Storage for whole maps, which may be larger than the memory of the machine: above a limit, it is a mapped temporary
// file, whose pages the kernel writes out when memory is short.
#ifndef TRJ_MAP_STORE_H
#define TRJ_MAP_STORE_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"

struct trj_map_store {
    unsigned char *bytes; // [size] NULL: not open
    uint64_t size;
    int file; // -1: in memory
};

// Opens a store of `size` bytes, all of which are 0. If there are more than `limit` bytes, they are in an unnamed
// temporary file in the folder $TMPDIR (default: /tmp), whose space is allocated here, so that a full disk makes this
// call fail.
#define TRJ_MAP_STORE_MEMORY ((uint64_t)1 << 28)
int trj_map_store_open(struct trj_map_store *s, uint64_t size, uint64_t limit, struct trj_error *err);
// Advises the kernel that n bytes from `offset` on are not needed for now, so that it can free their memory. Their
// content is kept.
void trj_map_store_release(const struct trj_map_store *s, uint64_t offset, uint64_t n);
void trj_map_store_close(struct trj_map_store *s); // a struct that is not open is allowed

#endif
