// SPDX-License-Identifier: MIT
// Runs one process of a recipe, in its own process group, and reads its standard error line by line.
#ifndef TRJ_STAGE_PROCESS_H
#define TRJ_STAGE_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "bytes.h"
#include "error.h"

enum {
    TRJ_PROCESS_LINE = 900,    // bytes kept of one line
    TRJ_PROCESS_KEPT = 1 << 18 // bytes kept of all lines that were not reported yet
};

struct trj_process {
    pid_t pid; // 0: not started
    bool running;
    bool stopped;                   // by trj_process_stop
    int status;                     // of waitpid, after the end
    int message_fd;                 // read end of its standard error; -1: none
    int message_errno;              // of the call that could not read the messages; 0: none has failed
    bool input_failed;              // the process reported that the program before it in the pipe failed
    bool has_message;               // it printed a message
    bool reader_closed;             // it reported that its reader closed the pipe
    struct trj_bytes messages_kept; // complete lines, to be reported by the caller
    double kept_since;              // time of the first of them
    uint64_t left_out;              // number of later lines, of which only the last is kept
    char last_line[TRJ_PROCESS_LINE + 4];
    struct trj_bytes partial_line; // bytes after the last line end
    bool line_too_long;            // the partial line exceeds TRJ_PROCESS_LINE and was shortened
    char unit[32];                 // of the progress ("frames"); empty before the first progress record
    uint64_t done, total;          // progress; total 0: unknown
    double began, ended;           // seconds, as trj_seconds()
};

// Starts the executable `path` with the descriptors as standard input and output; -1 means /dev/null. The caller
// still owns the descriptors.
int trj_process_start(struct trj_process *p, const char *path, char *const *argv, int in, int out,
                      struct trj_error *err);

// Reads what is available on the standard error of the process. Returns false at its end, or if it cannot be read:
// message_errno is then set.
bool trj_process_read_messages(struct trj_process *p);
bool trj_process_reap(struct trj_process *p);             // returns true if the process has ended since the last call
void trj_process_stop(struct trj_process *p, int signal); // sends a signal to its process group
uint64_t trj_process_bytes(const struct trj_process *p);  // returns the number of bytes it has read; 0: unknown

bool trj_process_failed(const struct trj_process *p);        // it has ended with a status other than 0
bool trj_process_input_failed(const struct trj_process *p);  // it failed because an earlier process failed
bool trj_process_reader_closed(const struct trj_process *p); // it failed because its reader has closed the pipe
bool trj_process_explained(const struct trj_process *p);     // it exited after printing a message
// Writes "ended with status 3" or "was killed by signal 9 (Killed)".
void trj_process_describe_end(const struct trj_process *p, char *text, size_t capacity);

// Opens a pipe that child processes do not inherit. ends[i] is non-blocking if bit i of `nonblocking` is set.
int trj_pipe(int ends[2], unsigned nonblocking, struct trj_error *err);

#endif
