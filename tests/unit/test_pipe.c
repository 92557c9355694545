// SPDX-License-Identifier: MIT
// Tests the pipes in which bytes of another pipe are kept until several threads copy them.
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier,cert-*): vmsplice
#include "pipe.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include "input.h"
#include "tap.h"

enum { PIECE = 1000, PIECES = 66, MANY = PIECE * PIECES, LARGE = 3000001 };

static unsigned char sent[LARGE], got[LARGE];

static int descriptors(void) {
    DIR *d = opendir("/dev/fd");
    int n = 0;
    while (d && readdir(d)) n++;
    if (d) closedir(d);
    return n;
}

// Returns whether n bytes were received at place `at`, and are those that were sent from byte `from` on.
static bool received(size_t at, size_t from, size_t n) {
    return !memcmp(got + at, sent + from, n);
}

// Three parts of memory, of different sizes, with n bytes.
struct parts {
    struct iovec part[3];
};

static struct parts parts_of(size_t n) {
    size_t first = n / 7, second = n / 3;
    memset(got, 0, sizeof got);
    return (struct parts){{{got, first}, {got + first, second}, {got + first + second, n - first - second}}};
}

// Returns a pipe that contains MANY bytes in pages with PIECE bytes each, and has no writer.
static int open_pieces(void) {
    struct iovec piece[PIECES];
    int fd[2];
    if (pipe(fd)) return -1;
    trj_pipe_enlarge(fd[1]);
    for (size_t i = 0; i < PIECES; i++) piece[i] = (struct iovec){sent + i * PIECE, PIECE};
    bool good = vmsplice(fd[1], piece, PIECES, SPLICE_F_NONBLOCK) == MANY;
    close(fd[1]);
    if (good) return fd[0];
    close(fd[0]);
    return -1;
}

// Returns a pipe to which a child process writes n bytes, `some` at a time.
static int open_writer(size_t n, size_t some, pid_t *child) {
    int fd[2];
    if (pipe(fd)) return -1;
    fflush(stdout);
    if (!(*child = fork())) {
        close(fd[0]);
        for (size_t at = 0; at < n; at += some) {
            size_t k = n - at < some ? n - at : some;
            if (write(fd[1], sent + at, k) != (ssize_t)k) _exit(1);
            if (some < n) usleep(1000);
        }
        _exit(0);
    }
    close(fd[1]);
    return fd[0];
}

static void test_fill(void) {
    struct trj_pipe_store store = {.pipes = 0};
    int status = 1, fd;
    pid_t child;
    fd = open_writer(LARGE, LARGE, &child);
    trj_pipe_store_fill(&store, fd, LARGE, 0, -1);
    if (!store.bytes) { // no splice(2)
        skip("a store", "the system cannot move data between pipes");
        close(fd);
        return;
    }
    ok(store.bytes <= LARGE && store.pipes > 1, "a store of several pipes");
    size_t bytes = store.bytes;
    ok(!trj_pipe_store_read(&store, parts_of(LARGE).part, SIZE_MAX) && received(0, 0, bytes) && !store.bytes,
       "they are read to their places in three parts of memory");
    close(fd);
    waitpid(child, &status, 0);
    fd = open_writer(50000, 5000, &child);
    trj_pipe_store_fill(&store, fd, 49000, 100, -1);
    ok(store.bytes == 49000, "a store waits for a program that writes few bytes at a time");
    struct parts parts = parts_of(50000);
    ok(!trj_pipe_store_read(&store, parts.part, 20001) && store.bytes == 29099 && received(100, 0, 19901) &&
           !got[20001],
       "the bytes below a place are read, and the others stay in the store");
    ok(!trj_pipe_store_read(&store, parts.part, 300) && store.bytes == 29099, "no byte is left below an earlier place");
    ok(!trj_pipe_store_read(&store, parts.part, SIZE_MAX) && received(100, 0, 49000) && !got[99] && !got[49100],
       "it is read to its place, and no byte before or after");
    trj_pipe_store_fill(&store, fd, 2000, 0, -1);
    ok(store.bytes == 1000, "at the end of the data, a store has fewer bytes");
    close(fd);
    waitpid(child, &status, 0);
    ok(!status, "the program has written all bytes");
    store.pipe[0].bytes += 1;
    ok(trj_pipe_store_read(&store, parts_of(2000).part, SIZE_MAX),
       "a store that lost a byte: an error, and no endless wait");
    trj_pipe_store_close(&store);
}

static void test_full(void) {
    struct trj_pipe_store store = {.pipes = 0};
    struct trj_input *in = NULL;
    struct trj_error err;
    char name[40];
    int fd = open_pieces();
    if (fd < 0) {
        skip("a store that is full", "the system cannot give pages to a pipe");
        return;
    }
    trj_pipe_store_fill(&store, fd, MANY, 0, -1);
    ok(store.bytes && store.bytes < MANY, "pages with few bytes fill a store before the end");
    size_t bytes = store.bytes;
    ok(!trj_pipe_store_read(&store, parts_of(MANY).part, SIZE_MAX) && received(0, 0, bytes), "they are read");
    ok(read(fd, got + bytes, MANY) == (ssize_t)(MANY - bytes) && received(0, 0, MANY),
       "the others are still in the pipe");
    close(fd);
    fd = open_pieces();
    snprintf(name, sizeof name, "/dev/fd/%d", fd);
    struct parts parts = parts_of(MANY - 10);
    unsigned char head[10];
    bool good = !trj_input_open(&in, name, &err) && !trj_input_read(in, head, sizeof head, "the head", &err);
    good = good && !trj_input_read_parts(in, parts.part, 3, &store, "the parts", &err) &&
           trj_input_offset(in) == MANY && !trj_pipe_store_read(&store, parts.part, SIZE_MAX);
    ok(good && !memcmp(head, sent, 10) && received(0, 10, MANY - 10),
       "an input reads to its parts what is in its buffer, and what the store has no room for");
    trj_input_close(in);
    close(fd);
    trj_pipe_store_close(&store);
}

static void test_refill(void) {
    struct trj_pipe_store store = {.pipes = 0};
    int before = descriptors(), fd[2];
    if (pipe(fd)) {
        ok(false, "a pipe");
        return;
    }
    bool good = write(fd[1], sent, 9000) == 9000;
    trj_pipe_store_fill(&store, fd[0], 5000, 0, -1);
    bool moves = store.bytes == 5000;
    trj_pipe_store_fill(&store, fd[0], 4000, 1000, -1);
    if (moves)
        ok(good && store.bytes == 4000 && !trj_pipe_store_read(&store, (struct iovec[]){{got, 5000}}, SIZE_MAX) &&
               received(1000, 5000, 4000),
           "filling a store that nothing has read drops its bytes");
    else
        skip("filling a store that nothing has read", "the system cannot move data between pipes");
    trj_pipe_store_close(&store);
    trj_pipe_store_close(&store);
    close(fd[0]);
    close(fd[1]);
    ok(descriptors() == before, "closing stores closes their pipes");
    int folder = open("/", O_RDONLY | O_CLOEXEC);
    trj_pipe_store_fill(&store, folder, 1000, 0, -1);
    ok(!store.bytes, "of a file that cannot be moved to a pipe, a store gets no byte");
    trj_pipe_store_close(&store);
    close(folder);
}

int main(void) {
    for (size_t i = 0; i < LARGE; i++) sent[i] = (unsigned char)(i * 7 + i / 251 + i / 65521);
    test_fill();
    test_full();
    test_refill();
    return done();
}
