// SPDX-License-Identifier: MIT
// Runs a command and writes its peak memory in kB to a file: `peak FILE COMMAND ARGUMENT...`.
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv) {
    struct rusage used;
    int status;
    if (argc < 3) {
        fputs("usage: peak FILE COMMAND ARGUMENT...\n", stderr);
        return 2;
    }
    pid_t child = fork();
    if (!child) {
        execvp(argv[2], argv + 2);
        fprintf(stderr, "peak: %s: %s\n", argv[2], strerror(errno));
        _exit(127);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || getrusage(RUSAGE_CHILDREN, &used)) {
        perror("peak");
        return 1;
    }
    FILE *out = fopen(argv[1], "w");
    if (!out || fprintf(out, "%ld\n", used.ru_maxrss) < 0 || fclose(out)) {
        perror(argv[1]);
        return 1;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
