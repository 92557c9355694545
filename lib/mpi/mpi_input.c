// SPDX-License-Identifier: MIT
// Lets each rank read a file that all nodes have, and otherwise broadcasts the input in threads, so that a rank that
// computes delays the others only when its chunks are full.
#include "mpi_input.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hash.h"
#include "input.h"
#include "memory.h"
#include "pipe.h"

enum {
    CHUNK = 1 << 20, // bytes: as many as a pipe of Linux can contain
    CHUNKS = 64,     // at most, so that each rank can be computing another frame
};

struct chunk {
    struct chunk *next;
    size_t size;
    unsigned char bytes[CHUNK];
};

static struct {
    const struct trj_mpi_plugin *plugin;
    struct trj_input *in; // of rank 0; NULL: other ranks
    int to;               // the end of the pipe to which the writer writes
    pthread_t broadcaster, writer;
    bool running;
    struct trj_error error; // of reading; TRJ_OK: none

    pthread_mutex_t lock; // protects the following members
    pthread_cond_t changed;
    struct chunk *first, **last; // to be written
    struct chunk *spare;
    unsigned chunks; // that are allocated
    bool ended;      // no chunk follows the last one
} feed = {.to = -1, .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

// Returns a chunk that is free. There is one from the start, so that the others are not required.
static struct chunk *take_chunk(void) {
    struct chunk *c = NULL;
    pthread_mutex_lock(&feed.lock);
    while (!c) {
        if ((c = feed.spare))
            feed.spare = c->next;
        else if (feed.chunks < CHUNKS && (c = malloc(sizeof *c)))
            feed.chunks++;
        else
            pthread_cond_wait(&feed.changed, &feed.lock);
    }
    pthread_mutex_unlock(&feed.lock);
    return c;
}

// Reads what there is, up to a chunk; 0 at the end of the data, and after an error, which `check` reports.
static int64_t read_chunk(struct chunk *c) {
    ssize_t n;
    do n = read(trj_input_descriptor(feed.in), c->bytes, CHUNK);
    while (n < 0 && errno == EINTR);
    if (n > 0) return n;
    if (n < 0)
        trj_error_set_errno(&feed.error, "cannot read");
    else
        (void)trj_input_check_size(feed.in, &feed.error);
    return 0;
}

// Fails if the data ended because of an error.
static int check(struct trj_error *err) {
    pthread_mutex_lock(&feed.lock);
    const bool failed = feed.ended && feed.error.status != TRJ_OK;
    if (failed) *err = feed.error;
    pthread_mutex_unlock(&feed.lock);
    return failed ? -1 : 0;
}

static void *broadcast_all(void *unused) {
    (void)unused;
    for (;;) {
        struct chunk *c = take_chunk();
        int64_t n = feed.in ? read_chunk(c) : 0;
        feed.plugin->broadcast(TRJ_MPI_INPUT, &n, sizeof n);
        if (n > 0) feed.plugin->broadcast(TRJ_MPI_INPUT, c->bytes, (size_t)n);
        pthread_mutex_lock(&feed.lock);
        c->size = (size_t)(n > 0 ? n : 0);
        c->next = NULL;
        *feed.last = c;
        feed.last = &c->next;
        feed.ended = n <= 0;
        pthread_cond_broadcast(&feed.changed);
        pthread_mutex_unlock(&feed.lock);
        if (n <= 0) return NULL;
    }
}

// A tool that has failed has closed its end of the pipe, and all ranks end soon: bytes are then discarded.
static void write_chunk(const struct chunk *c) {
    const unsigned char *p = c->bytes;
    for (size_t n = c->size; n && feed.to >= 0;) {
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

static void *write_all(void *unused) {
    (void)unused;
    pthread_mutex_lock(&feed.lock);
    for (;;) {
        struct chunk *c = feed.first;
        if (!c && feed.ended) break;
        if (!c) {
            pthread_cond_wait(&feed.changed, &feed.lock);
            continue;
        }
        if (!(feed.first = c->next)) feed.last = &feed.first;
        pthread_mutex_unlock(&feed.lock);
        write_chunk(c);
        pthread_mutex_lock(&feed.lock);
        c->next = feed.spare;
        feed.spare = c;
        pthread_cond_broadcast(&feed.changed);
    }
    pthread_mutex_unlock(&feed.lock);
    if (feed.to >= 0) close(feed.to);
    return NULL;
}

// By these, a file on another node is taken for the same one.
struct identity {
    uint64_t size, seconds, nanoseconds; // of the last change
    uint64_t hash;                       // of the first and the last bytes
};

// Opens a regular file and sets its identity. Returns its descriptor, -1 if it cannot be read.
static int identify(const char *path, struct identity *id, struct chunk *c) {
    enum { PART = 1 << 16 };
    struct stat st;
    if (stat(path, &st) || !S_ISREG(st.st_mode)) return -1; // opening a named pipe would start its writer
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return -1;
    if (!fstat(fd, &st) && S_ISREG(st.st_mode)) {
        const off_t end = st.st_size > PART ? st.st_size - PART : 0;
        const ssize_t n = pread(fd, c->bytes, PART, 0), m = pread(fd, c->bytes + PART, PART, end);
        *id = (struct identity){(uint64_t)st.st_size, (uint64_t)st.st_mtim.tv_sec, (uint64_t)st.st_mtim.tv_nsec, 0};
        if (n >= 0 && m >= 0) {
            id->hash = trj_hash(c->bytes, (size_t)n, 0) ^ trj_hash(c->bytes + PART, (size_t)m, 1);
            return fd;
        }
    }
    close(fd);
    return -1;
}

// Returns the descriptor of the file if the path is the same file for all ranks, otherwise -1.
static int open_same_file(const char *path) {
    struct identity own = {0}, first;
    const int fd = strcmp(path, "-") != 0 ? identify(path, &own, feed.spare) : -1;
    uint64_t missing = fd < 0;
    first = own;
    feed.plugin->broadcast(TRJ_MPI_SUMS, &first, sizeof first);
    missing += memcmp(&own, &first, sizeof own) ? 1 : 0;
    feed.plugin->sum(TRJ_MPI_SUMS, &missing, 1);
    feed.plugin->broadcast(TRJ_MPI_SUMS, &missing, sizeof missing);
    if (!missing) return fd;
    if (fd >= 0) close(fd);
    return -1;
}

int trj_mpi_input_start(const struct trj_mpi_plugin *plugin, int rank, const char *path, struct trj_error *err) {
    int fd[2];
    feed.plugin = plugin;
    feed.error.status = TRJ_OK;
    feed.last = &feed.first;
    if (!rank && trj_input_open_raw(&feed.in, path, err)) return -1;
    if (!(feed.spare = trj_alloc(1, sizeof *feed.spare, "the input of all ranks", err))) return -1;
    feed.chunks = 1;
    const int file = open_same_file(path);
    if (file >= 0) {
        trj_input_close(feed.in);
        feed.in = NULL;
        trj_input_feed(path, file, false, NULL); // the path may be replaced meanwhile
        return 0;
    }
    if (pipe(fd)) return trj_fail_errno(err, "a pipe");
    feed.to = fd[1];
    for (int i = 0; i < 2; i++)
        if (fcntl(fd[i], F_SETFD, FD_CLOEXEC)) return trj_fail_errno(err, "a pipe");
    trj_pipe_enlarge(fd[1]);
    trj_input_feed(path, fd[0], !feed.in || trj_input_is_pipe(feed.in), check);
    int rc = pthread_create(&feed.writer, NULL, write_all, NULL);
    if (!rc) rc = pthread_create(&feed.broadcaster, NULL, broadcast_all, NULL);
    if (rc) return trj_fail(err, TRJ_FAILED, "cannot start a thread: %s", strerror(rc));
    feed.running = true;
    return 0;
}

int trj_mpi_input_end(struct trj_error *err) {
    if (feed.running) {
        pthread_join(feed.broadcaster, NULL);
        pthread_join(feed.writer, NULL);
    }
    feed.running = false;
    const int rc = check(err) ? trj_fail_at(err, "%s", trj_input_name(feed.in)) : 0;
    trj_input_close(feed.in);
    feed.in = NULL;
    while (feed.spare) {
        struct chunk *next = feed.spare->next;
        free(feed.spare);
        feed.spare = next;
    }
    return rc;
}
