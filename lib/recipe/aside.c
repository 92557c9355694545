// SPDX-License-Identifier: MIT
#include "aside.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "memory.h"

// "A" "B" "C" as one path.
static char *join(const char *a, size_t length, const char *b, const char *c, struct trj_error *err) {
    size_t room = length + strlen(b) + strlen(c) + 1;
    char *path = trj_alloc(room, 1, "a path", err);
    if (path) snprintf(path, room, "%.*s%s%s", (int)length, a, b, c);
    return path;
}

int trj_aside_open(struct trj_aside *a, const char *beside, struct trj_error *err) {
    *a = (struct trj_aside){.final = realpath(beside, NULL)};
    if (!a->final && !(a->final = trj_copy_text(beside, err))) return -1; // nothing there yet
    const char *slash = strrchr(a->final, '/'), *name = strrchr(beside, '/');
    size_t folder = slash ? (size_t)(slash - a->final) + 1 : 0;
    if (!(a->folder = join(a->final, folder, ".trjrun.XXXXXX", "", err))) return -1;
    if (!mkdtemp(a->folder)) {
        free(a->folder);
        a->folder = NULL;
        return trj_fail_errno(err, "%s: cannot write into its folder", beside);
    }
    a->path = join(a->folder, strlen(a->folder), "/", name ? name + 1 : beside, err);
    return a->path ? 0 : -1;
}

int trj_aside_commit(struct trj_aside *a, struct trj_error *err) {
    return rename(a->path, a->final) ? trj_fail_errno(err, "%s", a->final) : 0;
}

void trj_aside_close(struct trj_aside *a) {
    DIR *folder = a->folder ? opendir(a->folder) : NULL;
    for (const struct dirent *e; folder && (e = readdir(folder));) unlinkat(dirfd(folder), e->d_name, 0);
    if (folder) closedir(folder);
    if (a->folder) rmdir(a->folder);
    free(a->folder);
    free(a->final);
    free(a->path);
    *a = (struct trj_aside){.final = NULL};
}
