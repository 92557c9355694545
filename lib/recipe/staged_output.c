// SPDX-License-Identifier: MIT
// Lets a process write into a temporary folder and renames its files after success, so that failures leave no files.
#include "staged_output.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "memory.h"
#include "missing_file.h"
#include "output.h"

// Returns the first `length` bytes of `a`, followed by `b` and `c`.
static char *join(const char *a, size_t length, const char *b, const char *c, struct trj_error *err) {
    size_t capacity = length + strlen(b) + strlen(c) + 1;
    char *path = trj_alloc(capacity, 1, "a path", err);
    if (path) snprintf(path, capacity, "%.*s%s%s", (int)length, a, b, c);
    return path;
}

// Checks that rename() to this path can work.
static int check_rename(const char *final, struct trj_error *err) {
    struct stat st;
    const char *slash = strrchr(final, '/');
    char *folder = slash ? join(final, (size_t)(slash - final) + 1, "", "", err) : trj_copy_text(".", err);
    if (!folder) return -1;
    int rc = access(folder, W_OK | X_OK) ? trj_fail_errno(err, "%s: cannot write into its folder", final) : 0;
    bool missing = !rc && stat(final, &st);
    if (missing && !trj_file_is_missing())
        rc = trj_fail_errno(err, "%s", final);
    else if (!rc && !missing && S_ISDIR(st.st_mode))
        rc = trj_fail(err, TRJ_FAILED, "%s: is a folder; remove it, or give another name", final);
    free(folder);
    return rc;
}

int trj_staged_output_check(const char *file, struct trj_error *err) {
    char *final = trj_output_target(file, err);
    int rc = final ? check_rename(final, err) : -1;
    free(final);
    return rc;
}

int trj_staged_output_open(struct trj_staged_output *a, const char *file, bool series, struct trj_error *err) {
    *a = (struct trj_staged_output){.final = trj_output_target(file, err), .series = series};
    if (!a->final) return -1;
    const char *slash = strrchr(a->final, '/'), *name = strrchr(file, '/');
    size_t folder = slash ? (size_t)(slash - a->final) + 1 : 0;
    if (!(a->beside = join(file, name ? (size_t)(name - file) + 1 : 0, "", "", err)) ||
        !(a->folder = join(a->final, folder, ".trjrun.XXXXXX", "", err)))
        return -1;
    if (!mkdtemp(a->folder)) {
        free(a->folder);
        a->folder = NULL;
        return trj_fail_errno(err, "%s: cannot write into its folder", file);
    }
    a->path = join(a->folder, strlen(a->folder), "/", name ? name + 1 : file, err);
    return a->path ? 0 : -1;
}

// A file that the process has written.
struct written {
    const struct trj_staged_output *output;
    char *from, *to;
    bool main; // its name is that of the output
};

// Calls `use` for each file in the temporary folder.
static int for_each_file(const struct trj_staged_output *a,
                         int (*use)(const struct written *w, void *arg, struct trj_error *err), void *arg,
                         struct trj_error *err) {
    DIR *folder = opendir(a->folder);
    int rc = folder ? 0 : trj_fail_errno(err, "%s", a->folder);
    for (const struct dirent *e; !rc && (e = readdir(folder));) {
        static const char unfinished[] = ".trjpipe."; // output.c
        if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..") ||
            !strncmp(e->d_name, unfinished, sizeof unfinished - 1))
            continue;
        struct written w = {.output = a, .main = !strcmp(e->d_name, strrchr(a->path, '/') + 1)};
        w.from = join(a->folder, strlen(a->folder), "/", e->d_name, err);
        w.to = !w.from  ? NULL
               : w.main ? trj_copy_text(a->final, err)
                        : join(a->beside, strlen(a->beside), e->d_name, "", err);
        rc = w.to ? use(&w, arg, err) : -1;
        free(w.from);
        free(w.to);
    }
    if (folder) closedir(folder);
    return rc;
}

// Returns whether both files begin with the same eight bytes, as files of one format do; -1 on failure. A file without
// permission to read counts as different.
static int begin_equally(const char *a, const char *b, struct trj_error *err) {
    const char *const name[] = {a, b};
    char head[2][8] = {"", ""};
    for (int i = 0; i < 2; i++) {
        int fd = open(name[i], O_RDONLY | O_CLOEXEC);
        bool failed = fd < 0 ? errno != EACCES : read(fd, head[i], sizeof head[i]) < 0;
        if (failed) trj_error_set_errno(err, "%s", name[i]);
        if (fd < 0) head[i][0] = (char)(1 + i);
        if (fd >= 0) close(fd);
        if (failed) return -1;
    }
    return !memcmp(head[0], head[1], sizeof head[0]);
}

struct ready {
    uint64_t files, bytes;
    bool main;
};

static int check_file(const struct written *w, void *arg, struct trj_error *err) {
    struct ready *r = arg;
    struct stat st;
    if (stat(w->from, &st)) return trj_fail_errno(err, "%s", w->to);
    r->files++;
    r->bytes += (uint64_t)st.st_size;
    r->main = r->main || w->main;
    if (check_rename(w->to, err)) return -1;
    // The recipe does not name this file, so that it must not replace a file of another kind.
    if (w->main || w->output->series) return 0;
    if (access(w->to, F_OK)) return trj_file_is_missing() ? 0 : trj_fail_errno(err, "%s", w->to);
    int equal = begin_equally(w->from, w->to, err);
    if (equal) return equal < 0 ? -1 : 0;
    return trj_fail(err, TRJ_FAILED, "%s: exists and would be replaced by a file that belongs to %s; move it", w->to,
                    w->output->final);
}

int trj_staged_output_check_ready(const struct trj_staged_output *a, struct trj_staged_size *size,
                                  struct trj_error *err) {
    struct ready r = {.files = 0};
    if (for_each_file(a, check_file, &r, err)) return -1;
    size->bytes += r.bytes;
    if (a->series) size->series += r.files;
    if (r.main || (a->series && r.files)) return 0;
    return trj_fail(err, TRJ_FAILED, "ended with status 0, but did not write %s", a->final);
}

static int commit_file(const struct written *w, void *arg, struct trj_error *err) {
    int fd = open(w->from, O_RDONLY | O_CLOEXEC);
    (void)arg;
    int rc = fd < 0 || trj_output_permissions(fd, w->to) ? trj_fail_errno(err, "%s", w->to) : 0;
    if (fd >= 0) close(fd);
    if (rc) return -1;
    return rename(w->from, w->to) ? trj_fail_errno(err, "%s", w->to) : 0;
}

int trj_staged_output_commit(struct trj_staged_output *a, struct trj_error *err) {
    return for_each_file(a, commit_file, NULL, err);
}

void trj_staged_output_close(struct trj_staged_output *a) {
    DIR *folder = a->folder ? opendir(a->folder) : NULL;
    for (const struct dirent *e; folder && (e = readdir(folder));)
        if (strcmp(e->d_name, ".") && strcmp(e->d_name, "..")) unlinkat(dirfd(folder), e->d_name, 0);
    if (folder) closedir(folder);
    if (a->folder) rmdir(a->folder);
    free(a->folder);
    free(a->final);
    free(a->beside);
    free(a->path);
    *a = (struct trj_staged_output){.final = NULL};
}
