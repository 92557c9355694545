// SPDX-License-Identifier: MIT
// Runs a command, moves the pages that it writes into other pipes by splice(2), and copies them to standard output only
// after the command has ended: `splice_late COMMAND [ARGUMENT]...`. Returns the exit status of the command.
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier,cert-*): splice, F_SETPIPE_SZ
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PIPES = 400, PIPE_SIZE = 1 << 20 };

static void quit(const char *what) {
    perror(what);
    exit(9);
}

static void open_pipe(int fd[2]) {
    if (pipe(fd) || fcntl(fd[0], F_SETFD, FD_CLOEXEC) || fcntl(fd[1], F_SETFD, FD_CLOEXEC)) quit("pipe");
}

static void copy(int from) {
    static char buffer[1 << 16];
    ssize_t n;
    while ((n = read(from, buffer, sizeof buffer)) > 0)
        for (ssize_t k, at = 0; at < n; at += k)
            if ((k = write(STDOUT_FILENO, buffer + at, (size_t)(n - at))) < 0) quit("write");
    if (n < 0) quit("read");
}

// Returns whether a pipe, which nobody reads, has room for a page.
static int has_room(int fd) {
    struct pollfd p = {.fd = fd, .events = POLLOUT};
    return poll(&p, 1, 0) > 0 && (p.revents & POLLOUT);
}

int main(int argc, char **argv) {
    int from[2], held[PIPES][2], count = 0, status;
    open_pipe(from);
    pid_t child = argc > 1 ? fork() : -1;
    if (child < 0) quit("splice_late");
    if (!child) {
        if (dup2(from[1], STDOUT_FILENO) < 0) quit("dup2");
        execvp(argv[1], argv + 1);
        quit(argv[1]);
    }
    close(from[1]);
    for (ssize_t n = 1; n;) {
        if (!count || !has_room(held[count - 1][1])) {
            if (count == PIPES) quit("too much data");
            open_pipe(held[count]);
            (void)fcntl(held[count++][1], F_SETPIPE_SZ, PIPE_SIZE); // if it fails, more pipes are needed
        }
        if ((n = splice(from[0], NULL, held[count - 1][1], NULL, 1 << 12, 0)) < 0) quit("splice");
    }
    if (waitpid(child, &status, 0) < 0) quit("waitpid");
    for (int i = 0; i < count; i++) {
        close(held[i][1]);
        copy(held[i][0]);
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 8;
}
