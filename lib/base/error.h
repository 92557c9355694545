// SPDX-License-Identifier: MIT
// How every function of the libraries reports failure.
//
// A function that can fail returns an int: 0 done, -1 failed (readers: 1 got one, 0 end of data, -1 failed) and takes a
// `struct trj_error *` last, which must not be NULL. On failure it holds what happened and where, as one line without a
// newline, and the exit code the tool should end with. Libraries never print and never exit; filters do (tool.h).
#ifndef TRJ_ERROR_H
#define TRJ_ERROR_H

#include <stdbool.h>

// The exit codes of every tool.
enum trj_status {
    TRJ_OK = 0,
    TRJ_FAILED = 1,    // I/O, memory, device
    TRJ_USAGE = 2,     // what the user asked for makes no sense
    TRJ_BAD_DATA = 3,  // the input is damaged, inconsistent or not what it should be
    TRJ_NO_ENGINE = 4, // the engine asked for cannot run here
};

struct trj_error {
    enum trj_status status;
    bool quiet; // the reader of our output has gone away: exit non-zero, say nothing
    char text[1024];
};

// Sets `err` and returns -1, so that `return trj_fail(...)` reads well.
int trj_fail(struct trj_error *err, enum trj_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// The same with TRJ_FAILED and ": strerror(errno)" behind the text. EPIPE makes the error quiet.
int trj_fail_errno(struct trj_error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

// "out of memory" with how much was wanted for what.
int trj_fail_memory(struct trj_error *err, double bytes, const char *what);

// Puts "where: " in front of the text, for callers that know the file or the frame. Returns -1.
int trj_fail_at(struct trj_error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
