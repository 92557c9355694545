// SPDX-License-Identifier: MIT
// Enlarges pipes and keeps their data in other pipes by splice(2) where the system has both; elsewhere callers read as
// usual.
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier,cert-*): F_SETPIPE_SZ, pipe2, splice
#include "pipe.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <unistd.h>

void trj_pipe_enlarge(int fd) {
#ifdef F_SETPIPE_SZ
    int size = fcntl(fd, F_GETPIPE_SZ); // -1: not a pipe, or not supported
    // Fails above /proc/sys/fs/pipe-max-size, and where the pipes of the user have too many pages.
    for (int want = 1 << 20; size > 0 && want > size && fcntl(fd, F_SETPIPE_SZ, want) < 0; want /= 2) {}
#else
    (void)fd;
#endif
}

void trj_pipe_store_close(struct trj_pipe_store *store) {
    while (store->pipes) {
        const int *fd = store->pipe[--store->pipes].fd;
        close(fd[0]);
        close(fd[1]);
    }
    *store = (struct trj_pipe_store){.pipes = 0};
}

#ifdef F_SETPIPE_SZ
// A pipe has room for a number of pages, which need not be full: the first and the last page of each array are not.
enum { PAGE = 4096, SPARE = 8 * PAGE, MAX = (1 << 20) - SPARE };
// Descriptors that stores leave to the rest of the process, for files and for libraries that are loaded later.
enum { OTHER_DESCRIPTORS = 64 };

// Makes a pipe, unless the process would have few descriptors left. The system gives the lowest ones first.
static bool make_pipe(int fd[2]) {
    if (pipe2(fd, O_CLOEXEC | O_NONBLOCK)) return false;
    if (fd[1] + OTHER_DESCRIPTORS < sysconf(_SC_OPEN_MAX)) return true;
    close(fd[0]);
    close(fd[1]);
    return false;
}

// Makes pipe i, if necessary, large enough for n bytes in full pages.
static bool open_pipe(struct trj_pipe_store *store, unsigned i, size_t n) {
    int *fd = store->pipe[i].fd;
    if (i == store->pipes) {
        if (!make_pipe(fd)) return false;
        store->pipes++;
    }
    int size = fcntl(fd[0], F_GETPIPE_SZ), want = (int)n + SPARE;
    if (size < want) size = fcntl(fd[0], F_SETPIPE_SZ, want);
    return size >= want;
}

// Moves n bytes to pipe i. Returns false if it has moved fewer.
static bool fill_pipe(struct trj_pipe_store *store, unsigned i, int fd, size_t n, int wake) {
    int to = store->pipe[i].fd[1];
    while (store->pipe[i].bytes < n) {
        ssize_t k = splice(fd, NULL, to, NULL, n - store->pipe[i].bytes, SPLICE_F_NONBLOCK);
        if (k > 0) {
            store->pipe[i].bytes += (size_t)k;
            store->bytes += (size_t)k;
        }
        if (k > 0 || (k < 0 && errno == EINTR)) continue;
        if (!k || errno != EAGAIN) return false;
        // Either the other pipe is empty, or this one is full.
        struct pollfd room = {.fd = to, .events = POLLOUT};
        struct pollfd wait[] = {{.fd = fd, .events = POLLIN}, {.fd = wake, .events = POLLIN}};
        if (poll(&room, 1, 0) != 1 || (poll(wait, 2, -1) < 0 && errno != EINTR) || wait[1].revents) return false;
    }
    return true;
}

void trj_pipe_store_fill(struct trj_pipe_store *store, int fd, size_t n, size_t position, int wake) {
    if (store->bytes) trj_pipe_store_close(store); // data that nothing has read
    store->place = position;
    for (unsigned i = 0; i < TRJ_PIPE_STORE_PIPES && store->bytes < n; i++) {
        size_t left = n - store->bytes, some = left < MAX ? left : MAX;
        if (!open_pipe(store, i, some) || !fill_pipe(store, i, fd, some, wake)) return;
    }
}
#else
void trj_pipe_store_fill(struct trj_pipe_store *store, int fd, size_t n, size_t position, int wake) {
    (void)store, (void)fd, (void)n, (void)position, (void)wake;
}
#endif

// Reads the bytes of pipe i whose place is below `end`.
static int read_pipe(struct trj_pipe_store *store, unsigned i, const struct iovec *parts, size_t end) {
    while (store->pipe[i].bytes && store->place < end) {
        size_t before = store->place;
        const struct iovec *part = parts;
        while (before >= part->iov_len) before -= part++->iov_len;
        size_t n = part->iov_len - before;
        if (n > store->pipe[i].bytes) n = store->pipe[i].bytes;
        if (n > end - store->place) n = end - store->place;
        ssize_t k = read(store->pipe[i].fd[0], (unsigned char *)part->iov_base + before, n);
        if (k < 0 && errno == EINTR) continue;
        if (k <= 0) return -1;
        store->place += (size_t)k;
        store->pipe[i].bytes -= (size_t)k;
        store->bytes -= (size_t)k;
    }
    return 0;
}

int trj_pipe_store_read(struct trj_pipe_store *store, const struct iovec *parts, size_t end) {
    for (unsigned i = 0; i < store->pipes; i++)
        if (read_pipe(store, i, parts, end)) return -1;
    return 0;
}
