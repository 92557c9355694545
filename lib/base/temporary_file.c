// SPDX-License-Identifier: MIT
// Opens temporary files without a name, because a process that is killed cannot remove a named one.
#include "temporary_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int trj_temporary_file(const char **folder) {
    const char *named = getenv("TMPDIR");
    char path[4096];
    *folder = named && *named ? named : "/tmp";
    if (snprintf(path, sizeof path, "%s/trjpipe.XXXXXX", *folder) >= (int)sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    int fd = mkstemp(path);
    if (fd >= 0) unlink(path);
    return fd;
}

// Checks a result k of pread or pwrite. Returns the number of bytes that were transferred, 0 after an interruption by a
// signal, or -1.
static ssize_t check(ssize_t k, struct trj_error *err) {
    if (k > 0) return k;
    if (k < 0 && errno == EINTR) return 0;
    if (!k) errno = EIO;
    return trj_fail_errno(err, "temporary file in the folder $TMPDIR (default: /tmp)");
}

int trj_temporary_write(int file, const void *data, size_t n, uint64_t position, struct trj_error *err) {
    for (size_t done = 0; done < n;) {
        ssize_t k = check(pwrite(file, (const char *)data + done, n - done, (off_t)(position + done)), err);
        if (k < 0) return -1;
        done += (size_t)k;
    }
    return 0;
}

int trj_temporary_read(int file, void *data, size_t n, uint64_t position, struct trj_error *err) {
    for (size_t done = 0; done < n;) {
        ssize_t k = check(pread(file, (char *)data + done, n - done, (off_t)(position + done)), err);
        if (k < 0) return -1;
        done += (size_t)k;
    }
    return 0;
}
