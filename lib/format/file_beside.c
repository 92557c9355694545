// SPDX-License-Identifier: MIT
// Opens files that belong to a trajectory by their names, compressed or not.
#include "file_beside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "memory.h"
#include "missing_file.h"

size_t trj_unpacked_length(const char *trajectory) {
    return trj_name_is_compressed(trajectory) ? (size_t)(strrchr(trajectory, '.') - trajectory) : strlen(trajectory);
}

// Opens a file if it exists.
static int open_existing(struct trj_input **in, const char *path, struct trj_error *err) {
    if (!access(path, F_OK)) return trj_input_open(in, path, err);
    return trj_file_is_missing() ? 0 : trj_fail_errno(err, "%s", path);
}

int trj_open_beside(struct trj_input **in, const char *path, const char *trajectory, struct trj_error *err) {
    const char *ending = trajectory + trj_unpacked_length(trajectory);
    *in = NULL;
    if (open_existing(in, path, err)) return -1;
    if (*in || !*ending) return 0;
    const size_t size = strlen(path) + strlen(ending) + 1;
    char *packed = trj_alloc(size, 1, "a name", err);
    if (!packed) return -1;
    snprintf(packed, size, "%s%s", path, ending);
    int rc = open_existing(in, packed, err);
    free(packed);
    return rc;
}
