// SPDX-License-Identifier: MIT
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
    if (!store->open) return;
    close(store->fd[0]);
    close(store->fd[1]);
    *store = (struct trj_pipe_store){.open = false};
}

#ifdef F_SETPIPE_SZ
// A pipe has room for a number of pages, which need not be full: the first and the last page of each array are not.
static bool open_store(struct trj_pipe_store *store, size_t n) {
    enum { PAGE = 4096, SPARE = 8 };
    if (store->bytes) trj_pipe_store_close(store); // data that nothing has read
    if (n > TRJ_PIPE_STORE_MAX || (!store->open && pipe2(store->fd, O_CLOEXEC | O_NONBLOCK))) return false;
    store->open = true;
    int size = fcntl(store->fd[0], F_GETPIPE_SZ), want = (int)n + SPARE * PAGE;
    if (size < want) size = fcntl(store->fd[0], F_SETPIPE_SZ, want);
    return size >= want;
}

void trj_pipe_store_fill(struct trj_pipe_store *store, int fd, size_t n) {
    if (!open_store(store, n)) return;
    while (store->bytes < n) {
        ssize_t k = splice(fd, NULL, store->fd[1], NULL, n - store->bytes, SPLICE_F_NONBLOCK);
        if (k > 0) store->bytes += (size_t)k;
        if (k > 0 || (k < 0 && errno == EINTR)) continue;
        if (!k || errno != EAGAIN) return;
        // Either the other pipe is empty, or the store is full.
        struct pollfd wait[] = {{.fd = fd, .events = POLLIN}, {.fd = store->fd[1], .events = POLLOUT}};
        if (poll(wait + 1, 1, 0) != 1 || (poll(wait, 1, -1) < 0 && errno != EINTR)) return;
    }
}
#else
void trj_pipe_store_fill(struct trj_pipe_store *store, int fd, size_t n) {
    (void)store, (void)fd, (void)n;
}
#endif

int trj_pipe_store_read(struct trj_pipe_store *store, const struct iovec *parts, int count) {
    while (store->bytes) {
        size_t before = store->at;
        int i = 0;
        while (i < count && before >= parts[i].iov_len) before -= parts[i++].iov_len;
        size_t left = parts[i].iov_len - before;
        ssize_t k =
            read(store->fd[0], (unsigned char *)parts[i].iov_base + before, left < store->bytes ? left : store->bytes);
        if (k < 0 && errno == EINTR) continue;
        if (k <= 0) return -1;
        store->at += (size_t)k;
        store->bytes -= (size_t)k;
    }
    return 0;
}
