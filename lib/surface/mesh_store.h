// SPDX-License-Identifier: MIT
// Keeps the bytes of a mesh until its size is known, because mesh files begin with the numbers of vertices and
// triangles: in memory up to a limit, then in an unnamed temporary file in the folder $TMPDIR (default: /tmp).
#ifndef SURF_MESH_STORE_H
#define SURF_MESH_STORE_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"

struct surf_store {
    uint64_t size;  // bytes so far
    uint64_t limit; // of the memory
    unsigned char *data;
    size_t capacity;
    int file; // -1: all bytes are in memory
};

enum { SURF_STORE_MEMORY = 1 << 27 };

void surf_store_start(struct surf_store *s, uint64_t limit);
int surf_store_add(struct surf_store *s, const void *data, size_t n, struct trj_error *err);
// Overwrites or reads n bytes that were added before.
int surf_store_patch(struct surf_store *s, uint64_t offset, const void *data, size_t n, struct trj_error *err);
int surf_store_read(const struct surf_store *s, uint64_t offset, void *data, size_t n, struct trj_error *err);
void surf_store_clear(struct surf_store *s); // removes the bytes, and keeps the memory for reuse
void surf_store_free(struct surf_store *s);  // frees the members of a store that was started or zeroed

#endif
