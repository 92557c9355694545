// SPDX-License-Identifier: MIT
// Broadcasts the input in a thread, so that a rank that computes does not delay the others before its pipe is full.
#include "mpi_input.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "input.h"
#include "memory.h"
#include "pipe.h"

enum { CHUNK = 1 << 20 }; // bytes: as many as a pipe of Linux can contain

static struct {
    const struct trj_mpi_plugin *plugin;
    struct trj_input *in; // of rank 0; NULL: other ranks
    int to;               // the end of the pipe to which the thread writes
    unsigned char *chunk; // [CHUNK]
    pthread_t thread;
    bool running;
    struct trj_error error; // of reading; TRJ_OK: none
} feed = {.to = -1};

// Reads what there is, up to a chunk; 0 at the end of the data, and after an error, which the main thread reports.
static int64_t read_chunk(void) {
    ssize_t n;
    do n = read(trj_input_descriptor(feed.in), feed.chunk, CHUNK);
    while (n < 0 && errno == EINTR);
    if (n > 0) return n;
    if (n < 0)
        trj_error_set_errno(&feed.error, "cannot read");
    else if (!trj_input_check_size(feed.in, &feed.error))
        return 0;
    trj_error_set_place(&feed.error, "%s", trj_input_name(feed.in));
    return 0;
}

// A tool that has failed has closed its end of the pipe, and all ranks end soon: bytes are then discarded.
static void put_chunk(size_t n) {
    for (const unsigned char *p = feed.chunk; n && feed.to >= 0;) {
        ssize_t k = write(feed.to, p, n);
        if (k < 0 && errno == EINTR) continue;
        if (k < 0) {
            close(feed.to);
            feed.to = -1;
            return;
        }
        p += k;
        n -= (size_t)k;
    }
}

static void *feed_main(void *unused) {
    (void)unused;
    for (;;) {
        int64_t n = feed.in ? read_chunk() : 0;
        feed.plugin->broadcast(TRJ_MPI_INPUT, &n, sizeof n);
        if (n <= 0) break;
        feed.plugin->broadcast(TRJ_MPI_INPUT, feed.chunk, (size_t)n);
        put_chunk((size_t)n);
    }
    if (feed.to >= 0) close(feed.to);
    return NULL;
}

int trj_mpi_input_start(const struct trj_mpi_plugin *plugin, int rank, const char *path, struct trj_error *err) {
    int fd[2];
    feed.plugin = plugin;
    feed.error.status = TRJ_OK;
    if (!rank && trj_input_open_raw(&feed.in, path, err)) return -1;
    if (!(feed.chunk = trj_alloc(CHUNK, 1, "the input of all ranks", err))) return -1;
    if (pipe(fd)) return trj_fail_errno(err, "a pipe");
    feed.to = fd[1];
    for (int i = 0; i < 2; i++)
        if (fcntl(fd[i], F_SETFD, FD_CLOEXEC)) return trj_fail_errno(err, "a pipe");
    trj_pipe_enlarge(fd[1]);
    trj_input_feed(path, fd[0], !feed.in || trj_input_is_pipe(feed.in));
    int rc = pthread_create(&feed.thread, NULL, feed_main, NULL);
    if (rc) return trj_fail(err, TRJ_FAILED, "cannot start a thread: %s", strerror(rc));
    feed.running = true;
    return 0;
}

int trj_mpi_input_end(struct trj_error *err) {
    if (feed.running) pthread_join(feed.thread, NULL);
    feed.running = false;
    trj_input_close(feed.in);
    free(feed.chunk);
    feed.in = NULL;
    feed.chunk = NULL;
    if (feed.error.status == TRJ_OK) return 0;
    *err = feed.error;
    return -1;
}
