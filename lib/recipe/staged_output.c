// SPDX-License-Identifier: MIT
#include "staged_output.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "memory.h"
#include "output.h"

// Returns the first `length` bytes of `a`, followed by `b` and `c`.
static char *join(const char *a, size_t length, const char *b, const char *c, struct trj_error *err) {
    size_t room = length + strlen(b) + strlen(c) + 1;
    char *path = trj_alloc(room, 1, "a path", err);
    if (path) snprintf(path, room, "%.*s%s%s", (int)length, a, b, c);
    return path;
}

// Symbolic links are followed: the file to which they lead is replaced.
static char *resolve_path(const char *file, struct trj_error *err) {
    char *final = realpath(file, NULL);
    return final ? final : trj_copy_text(file, err);
}

// Checks that rename() to this path can work.
static int check_rename(const char *final, struct trj_error *err) {
    struct stat st;
    const char *slash = strrchr(final, '/');
    char *folder = slash ? join(final, (size_t)(slash - final) + 1, "", "", err) : trj_copy_text(".", err);
    if (!folder) return -1;
    int rc = access(folder, W_OK | X_OK) ? trj_fail_errno(err, "%s: cannot write into its folder", final) : 0;
    if (!rc && !stat(final, &st) && S_ISDIR(st.st_mode))
        rc = trj_fail(err, TRJ_FAILED, "%s: is a folder; remove it, or give another name", final);
    free(folder);
    return rc;
}

int trj_staged_output_check(const char *file, struct trj_error *err) {
    char *final = resolve_path(file, err);
    int rc = final ? check_rename(final, err) : -1;
    free(final);
    return rc;
}

int trj_staged_output_open(struct trj_staged_output *a, const char *file, struct trj_error *err) {
    *a = (struct trj_staged_output){.final = resolve_path(file, err)};
    if (!a->final) return -1;
    const char *slash = strrchr(a->final, '/'), *name = strrchr(file, '/');
    size_t folder = slash ? (size_t)(slash - a->final) + 1 : 0;
    if (!(a->folder = join(a->final, folder, ".trjrun.XXXXXX", "", err))) return -1;
    if (!mkdtemp(a->folder)) {
        free(a->folder);
        a->folder = NULL;
        return trj_fail_errno(err, "%s: cannot write into its folder", file);
    }
    a->path = join(a->folder, strlen(a->folder), "/", name ? name + 1 : file, err);
    return a->path ? 0 : -1;
}

int trj_staged_output_check_ready(const struct trj_staged_output *a, uint64_t *bytes, struct trj_error *err) {
    struct stat st;
    if (stat(a->path, &st)) return trj_fail(err, TRJ_FAILED, "ended with status 0, but did not write %s", a->final);
    *bytes = (uint64_t)st.st_size;
    return check_rename(a->final, err);
}

int trj_staged_output_commit(struct trj_staged_output *a, struct trj_error *err) {
    int fd = open(a->path, O_RDONLY | O_CLOEXEC);
    int rc = fd < 0 || trj_output_permissions(fd, a->final) ? trj_fail_errno(err, "%s", a->final) : 0;
    if (fd >= 0) close(fd);
    if (rc) return -1;
    return rename(a->path, a->final) ? trj_fail_errno(err, "%s", a->final) : 0;
}

void trj_staged_output_close(struct trj_staged_output *a) {
    DIR *folder = a->folder ? opendir(a->folder) : NULL;
    for (const struct dirent *e; folder && (e = readdir(folder));)
        if (strcmp(e->d_name, ".") && strcmp(e->d_name, "..")) unlinkat(dirfd(folder), e->d_name, 0);
    if (folder) closedir(folder);
    if (a->folder) rmdir(a->folder);
    free(a->folder);
    free(a->final);
    free(a->path);
    *a = (struct trj_staged_output){.final = NULL};
}
