// SPDX-License-Identifier: MIT
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier,cert-*): F_SETPIPE_SZ
#include "pipe.h"

#include <fcntl.h>

void trj_pipe_enlarge(int fd) {
#ifdef F_SETPIPE_SZ
    int size = fcntl(fd, F_GETPIPE_SZ); // -1: not a pipe, or not supported
    // Fails above /proc/sys/fs/pipe-max-size, and where the pipes of the user have too many pages.
    for (int want = 1 << 20; size > 0 && want > size && fcntl(fd, F_SETPIPE_SZ, want) < 0; want /= 2) {}
#else
    (void)fd;
#endif
}
