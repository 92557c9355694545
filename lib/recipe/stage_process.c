// SPDX-License-Identifier: MIT
// Starts a process by posix_spawn with default signals, and reads its messages and progress.
#include "stage_process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tool.h"

extern char **environ;

// Returns a remedy for errors caused by a limit on processes or files, else an empty text.
static const char *limit_hint(int number) {
    return number == EMFILE || number == ENFILE || number == EAGAIN
               ? ": too many files or processes for the limits of this system (ulimit -n, ulimit -u); run fewer "
                 "pipelines with "
                 "--jobs, or fan out less"
               : "";
}

int trj_pipe(int ends[2], unsigned nonblocking, struct trj_error *err) {
    if (pipe(ends)) {
        int number = errno;
        return trj_fail(err, TRJ_FAILED, "cannot make a pipe: %s%s", strerror(number), limit_hint(number));
    }
    for (int i = 0; i < 2; i++)
        if (fcntl(ends[i], F_SETFD, FD_CLOEXEC) || (nonblocking >> i & 1 && fcntl(ends[i], F_SETFL, O_NONBLOCK))) {
            trj_fail_errno(err, "a pipe");
            close(ends[0]);
            close(ends[1]);
            return -1;
        }
    return 0;
}

// The child gets default actions for the signals that trjrun handles or ignores, and no signal is blocked.
static int set_attributes(posix_spawnattr_t *attributes) {
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGCHLD};
    sigset_t all, none;
    sigemptyset(&all);
    sigemptyset(&none);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) sigaddset(&all, numbers[i]);
    return posix_spawnattr_setpgroup(attributes, 0) || posix_spawnattr_setsigdefault(attributes, &all) ||
                   posix_spawnattr_setsigmask(attributes, &none)
               ? -1
               : posix_spawnattr_setflags(attributes,
                                          POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
}

static int redirect(posix_spawn_file_actions_t *actions, int from, int to) {
    if (from >= 0) return posix_spawn_file_actions_adddup2(actions, from, to);
    return posix_spawn_file_actions_addopen(actions, to, "/dev/null", to == STDIN_FILENO ? O_RDONLY : O_WRONLY, 0);
}

int trj_process_start(struct trj_process *p, const char *path, char *const *argv, int in, int out,
                      struct trj_error *err) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int ends[2];
    if (trj_pipe(ends, 1, err)) return -1;
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    int failed = setenv("TRJPIPE_PROGRESS", "1", 1) || redirect(&actions, in, STDIN_FILENO) ||
                         redirect(&actions, out, STDOUT_FILENO) || redirect(&actions, ends[1], STDERR_FILENO) ||
                         set_attributes(&attributes)
                     ? ENOMEM
                     : posix_spawn(&p->pid, path, &actions, &attributes, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    close(ends[1]);
    if (failed) {
        close(ends[0]);
        p->pid = 0;
        return trj_fail(err, TRJ_FAILED, "cannot run %s: %s%s", path, strerror(failed), limit_hint(failed));
    }
    p->message_fd = ends[0];
    p->running = true;
    p->began = trj_seconds();
    return 0;
}

// Interprets a line of standard error: a progress record (tool.h), or a message to report.
static void take_line(struct trj_process *p) {
    trj_put_raw(&p->partial_line, "", 1);
    const char *line = p->partial_line.failed ? "" : (const char *)p->partial_line.data;
    size_t word = strcspn(line, " ");
    if (!strcmp(line, TRJ_PROGRESS_MARK TRJ_PROGRESS_LEFT)) {
        p->reader_closed = true;
    } else if (!strcmp(line, TRJ_PROGRESS_MARK TRJ_PROGRESS_INPUT_FAILED)) {
        p->input_failed = true;
    } else if (line[0] == *TRJ_PROGRESS_MARK) {
        char *end;
        snprintf(p->unit, sizeof p->unit, "%.*s", (int)word - 1, line + 1);
        p->done = strtoull(line + word, &end, 10);
        p->total = strtoull(end, NULL, 10);
    } else if (*line) {
        const char *dots = p->line_too_long ? " ..." : "";
        if (!p->messages_kept.size) p->kept_since = trj_seconds();
        p->has_message = true;
        if (p->messages_kept.size < TRJ_PROCESS_KEPT) {
            trj_put_raw(&p->messages_kept, line, strlen(line));
            trj_put_raw(&p->messages_kept, dots, strlen(dots));
            trj_put_raw(&p->messages_kept, "\n", 1);
        } else {
            p->left_out++;
            snprintf(p->last_line, sizeof p->last_line, "%.*s%s", TRJ_PROCESS_LINE - 1, line, dots);
        }
    }
    p->partial_line.size = 0;
    p->line_too_long = false;
}

bool trj_process_read_messages(struct trj_process *p) {
    char buffer[4096];
    ssize_t n;
    while ((n = read(p->message_fd, buffer, sizeof buffer)) > 0)
        for (ssize_t i = 0; i < n; i++) {
            if (buffer[i] == '\n')
                take_line(p);
            else if (p->partial_line.size < TRJ_PROCESS_LINE - 1)
                trj_put_raw(&p->partial_line, &buffer[i], 1);
            else
                p->line_too_long = true;
        }
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return true;
    if (n < 0) p->message_errno = errno;
    return false;
}

bool trj_process_reap(struct trj_process *p) {
    if (!p->running || waitpid(p->pid, &p->status, WNOHANG) != p->pid) return false;
    p->running = false;
    p->ended = trj_seconds();
    kill(-p->pid, SIGTERM); // ends child processes that it left running
    // Such a child can keep the pipe open, so only what the pipe contains at this time is read.
    if (p->message_fd >= 0) {
        trj_process_read_messages(p);
        if (p->partial_line.size) take_line(p);
        close(p->message_fd);
        p->message_fd = -1;
    }
    return true;
}

void trj_process_stop(struct trj_process *p, int number) {
    if (!p->running) return;
    p->stopped = true;
    kill(-p->pid, number);
}

uint64_t trj_process_bytes(const struct trj_process *p) {
    static const char key[] = "rchar: ";
    char path[64], line[64];
    uint64_t bytes = 0;
    snprintf(path, sizeof path, "/proc/%ld/io", (long)p->pid);
    FILE *f = fopen(path, "r");
    if (!f) return 0;
    if (fgets(line, sizeof line, f) && !strncmp(line, key, sizeof key - 1))
        bytes = strtoull(line + sizeof key - 1, NULL, 10);
    fclose(f);
    return bytes;
}

bool trj_process_failed(const struct trj_process *p) {
    return p->pid && !p->running && p->status;
}

bool trj_process_input_failed(const struct trj_process *p) {
    return trj_process_failed(p) && p->input_failed;
}

bool trj_process_reader_closed(const struct trj_process *p) {
    return trj_process_failed(p) && p->reader_closed;
}

bool trj_process_explained(const struct trj_process *p) {
    return WIFEXITED(p->status) && p->has_message;
}

void trj_process_describe_end(const struct trj_process *p, char *text, size_t capacity) {
    if (WIFEXITED(p->status))
        snprintf(text, capacity, "ended with status %d", WEXITSTATUS(p->status));
    else
        snprintf(text, capacity, "was killed by signal %d (%s)", WTERMSIG(p->status), strsignal(WTERMSIG(p->status)));
}
