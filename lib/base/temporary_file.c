// SPDX-License-Identifier: MIT
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
