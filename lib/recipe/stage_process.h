// SPDX-License-Identifier: MIT
// A stage as a process: started with an argument vector, in a process group of its own, its standard error read line by line.
#ifndef TRJ_STAGE_PROCESS_H
#define TRJ_STAGE_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "bytes.h"
#include "error.h"

enum {
    TRJ_PROCESS_LINE = 900,
    TRJ_PROCESS_KEPT = 1 << 18
}; // bytes of a line, and of all, that are kept to be passed on

struct trj_process {
    pid_t pid; // 0: not started
    bool running;
    bool stopped;                    // by trj_process_stop
    int status;                      // of waitpid, once it has ended
    int message_fd;                  // the pipe of its standard error; -1: none
    bool input_failed;               // its input ends with the failure of an earlier process
    bool has_message, reader_closed; // it has printed a message; it has reported that its reader has closed the pipe
    struct trj_bytes messages_kept;  // whole lines that were not yet passed on
    double kept_since;               // when the first of them came
    uint64_t left_out;               // lines after those, of which only the last is kept
    char last_line[TRJ_PROCESS_LINE + 4];
    struct trj_bytes partial_line; // of a line
    bool line_too_long;            // it is longer than TRJ_PROCESS_LINE
    char unit[32];                 // what it does so many of ("frames"), empty until it told
    uint64_t done, total;          // total 0: not known
    double began, ended;
};

// in and out become its standard input and output; -1: /dev/null. They stay the caller's.
int trj_process_start(struct trj_process *p, const char *path, char *const *argv, int in, int out,
                      struct trj_error *err);

// Takes what it has said. false: nothing more will come.
bool trj_process_read_messages(struct trj_process *p);
bool trj_process_reap(struct trj_process *p);             // true if it has just ended
void trj_process_stop(struct trj_process *p, int signal); // it and what it started
uint64_t trj_process_bytes(const struct trj_process *p);  // it has read; 0: not known

bool trj_process_failed(const struct trj_process *p);        // it has ended with a status other than 0
bool trj_process_input_failed(const struct trj_process *p);  // it failed because an earlier process failed
bool trj_process_reader_closed(const struct trj_process *p); // it failed because its reader has closed the pipe
bool trj_process_explained(const struct trj_process *p);     // it ended by itself after printing a message
// "ended with status 3", "was killed by signal 9 (Killed)".
void trj_process_describe_end(const struct trj_process *p, char *text, size_t room);

// A pipe that children do not inherit; ends[i] non-blocking where `ours` has bit i.
int trj_pipe(int ends[2], unsigned ours, struct trj_error *err);

#endif
