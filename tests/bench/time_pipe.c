// SPDX-License-Identifier: MIT
// Times how fast a pipe transfers bytes from one process to another, without computing anything: `time_pipe`. Prints
// one line of tab-separated columns for each method, the best of several rounds: 1e9 bytes a second, and the method.
//
// The first three methods transfer the same bytes again and again, which stay in a cache: they are the limits of a
// pipe. With "new pages", the writer fills pages, gives them, and unmaps them, as a program with data to write
// must.
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier,cert-*): F_SETPIPE_SZ, vmsplice, MADV_HUGEPAGE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tool.h"

enum { PIPE = 1 << 20, RING = 1 << 23, READ = 1 << 18, WRITE = 1 << 16 };

static uint64_t rounds = 5, megabytes = 2000;

static const struct trj_option options[] = {
    {TRJ_OPTION(0, "rounds", COUNT, &rounds, "N", "how often each method is timed"), .min = 1, .max = 1 << 20},
    {TRJ_OPTION(0, "megabytes", COUNT, &megabytes, "N", "1e6 bytes that each round transfers"), .min = 1,
     .max = 1 << 20},
    TRJ_OPTION_END};
static const struct trj_tool tool = {.name = "time_pipe",
                                     .purpose = "time pipes between two processes; see tests/bench/time_pipe.c",
                                     .options = options};

struct method {
    const char *name;
    int pipe_size; // bytes; 0: the default
    bool gives;    // pages are given to the pipe; else they are copied
    bool fresh;    // the pages are new, and filled before
};

static const struct method methods[] = {
    {"64 kB writes", 0, false, false},
    {"64 kB writes, 1 MB pipe", PIPE, false, false},
    {"vmsplice, 1 MB pipe", PIPE, true, false},
    {"vmsplice of new pages, 1 MB pipe", PIPE, true, true},
};

static void quit(const char *what) {
    perror(what);
    _exit(1);
}

static void *map(size_t bytes) {
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) quit("mmap");
    (void)madvise(p, bytes, MADV_HUGEPAGE);
    memset(p, 1, bytes);
    return p;
}

static void write_bytes(int fd, const struct method *m, uint64_t bytes) {
    unsigned char *ring = map(RING);
    size_t at = 0;
    while (bytes) {
        size_t n = bytes < WRITE ? (size_t)bytes : WRITE;
        struct iovec v = {ring + at, n};
        ssize_t k = m->gives ? vmsplice(fd, &v, 1, 0) : write(fd, ring + at, n);
        if (k < 0 && errno != EINTR) quit(m->name);
        if (k < 0) continue;
        bytes -= (uint64_t)k;
        at += (size_t)k;
        if (at <= RING - WRITE) continue;
        at = 0;
        if (!m->fresh) continue;
        munmap(ring, RING);
        ring = map(RING);
    }
    _exit(0);
}

static double transfer(const struct method *m, void *buffer) {
    uint64_t bytes = megabytes * 1000000;
    int fd[2], status;
    if (pipe(fd)) quit("pipe");
    if (m->pipe_size && fcntl(fd[1], F_SETPIPE_SZ, m->pipe_size) < 0) quit("F_SETPIPE_SZ");
    pid_t child = fork();
    if (child < 0) quit("fork");
    if (!child) {
        close(fd[0]);
        write_bytes(fd[1], m, bytes);
    }
    close(fd[1]);
    double began = 0;
    for (ssize_t k; (k = read(fd[0], buffer, READ));) {
        if (k < 0 && errno != EINTR) quit("read");
        if (!began) began = trj_seconds(); // the child has made its ring
    }
    double took = trj_seconds() - began;
    close(fd[0]);
    if (waitpid(child, &status, 0) < 0 || status) exit(1);
    return (double)bytes / took;
}

int main(int argc, char **argv) {
    struct trj_error err;
    double best[sizeof methods / sizeof *methods] = {0};
    int first, rc;
    trj_tool_start(&tool);
    rc = trj_tool_parse(&tool, argc, argv, &first, &err);
    if (rc <= 0) return rc < 0 ? trj_tool_fail(&err) : 0;
    void *buffer = map(READ);
    for (uint64_t k = 0; k < rounds; k++)
        for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
            double speed = transfer(&methods[i], buffer);
            if (speed > best[i]) best[i] = speed;
        }
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) printf("%.2f\t%s\n", 1e-9 * best[i], methods[i].name);
    return fflush(stdout) != 0;
}
