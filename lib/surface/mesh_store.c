// SPDX-License-Identifier: MIT
// Keeps a growing mesh in memory, and moves it to a temporary file when it becomes large.
#include "mesh_store.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "memory.h"
#include "temporary_file.h"

void surf_store_start(struct surf_store *s, uint64_t limit) {
    *s = (struct surf_store){.limit = limit, .file = -1};
}

// Moves the bytes from memory to a temporary file.
static int use_file(struct surf_store *s, struct trj_error *err) {
    const char *folder;
    s->file = trj_temporary_file(&folder);
    if (s->file < 0) return trj_fail_errno(err, "a large mesh requires a temporary file in %s (TMPDIR)", folder);
    return trj_temporary_write(s->file, s->data, s->size, 0, err);
}

int surf_store_add(struct surf_store *s, const void *data, size_t n, struct trj_error *err) {
    if (s->file < 0 && s->size + n > s->limit && use_file(s, err)) return -1;
    if (s->file < 0 && trj_grow(&s->data, &s->capacity, s->size + n, 1, "a mesh", err)) return -1;
    s->size += n;
    return surf_store_patch(s, s->size - n, data, n, err);
}

int surf_store_patch(struct surf_store *s, uint64_t position, const void *data, size_t n, struct trj_error *err) {
    if (s->file >= 0) return trj_temporary_write(s->file, data, n, position, err);
    if (n) memcpy(s->data + position, data, n);
    return 0;
}

int surf_store_read(const struct surf_store *s, uint64_t position, void *data, size_t n, struct trj_error *err) {
    if (s->file >= 0) return trj_temporary_read(s->file, data, n, position, err);
    if (n) memcpy(data, s->data + position, n);
    return 0;
}

void surf_store_clear(struct surf_store *s) {
    if (s->file >= 0) close(s->file);
    s->file = -1;
    s->size = 0;
}

void surf_store_free(struct surf_store *s) {
    if (s->limit) surf_store_clear(s);
    free(s->data);
    s->data = NULL;
}
