// SPDX-License-Identifier: MIT
// Defines how all library functions report errors.
//
// A function that can fail returns an int: 0 for success, -1 for an error (functions that read: 1 for an item, 0 at the
// end of the data, -1 for an error). Its last parameter is a `struct trj_error *`, which must not be NULL. After an
// error it contains the message, one line without a newline, and the exit status of the tool. Libraries never print and
// never exit; filters do (tool.h).
#ifndef TRJ_ERROR_H
#define TRJ_ERROR_H

#include <stdbool.h>

// The exit codes of every tool.
enum trj_status {
    TRJ_OK = 0,
    TRJ_FAILED = 1,    // I/O, memory, device
    TRJ_USAGE = 2,     // invalid command line
    TRJ_BAD_DATA = 3,  // the input is damaged, inconsistent or of the wrong kind
    TRJ_NO_ENGINE = 4, // the requested engine cannot run here, or this build lacks the library that reads the input
    TRJ_STOPPED = 5,   // a signal has ended the work after a checkpoint was written, from which it can continue
};

struct trj_error {
    enum trj_status status;
    // The program that reads the output has closed the pipe, or `origin` is set: the tool prints no message.
    bool quiet;
    // The input is truncated and has no other error: all that precedes the byte where it ends can be read.
    bool truncated;
    // Number of complete frames of the same input that precede the error and can be read. 0: none, or another error.
    unsigned long long complete;
    // Set if the error is of a frame that an engine had accepted: 1: the last one that was read, 2: the one before it.
    unsigned late;
    // Set if an earlier program of the pipeline has failed and has reported this error (failure.h): its exit status.
    // `text` is then its message, "tool: message". TRJ_OK: not set.
    enum trj_status origin;
    char text[1024];
};

void trj_error_set(struct trj_error *err, enum trj_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void trj_error_set_errno(struct trj_error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));
void trj_error_set_truncated(struct trj_error *err, unsigned long long offset, const char *what,
                             unsigned long long expected, unsigned long long found);
// Appends to the text.
void trj_error_append(struct trj_error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));
// Appends "; " and the remedy to an error about the input (TRJ_BAD_DATA) whose text contains no "; " yet. For callers
// through which many messages pass, such as a reader: a more specific remedy takes precedence.
void trj_error_set_remedy(struct trj_error *err, const char *remedy);
void trj_error_set_memory(struct trj_error *err, double bytes, const char *what);
void trj_error_set_place(struct trj_error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Replaces each control character, and each byte that is not part of valid UTF-8, by '?', so that a text of unknown
// origin is one line, has no effect on a terminal and can be a text of XML. The result is not longer. trj_tool_message
// applies it to every message.
void trj_replace_control_chars(char *text);

// These macros set the error and have the value -1, for `return trj_fail(...)`. They are macros, so that compilers and
// static analysers know the value.
static inline int trj_failed(void) {
    return -1;
}
// (err, status, format, ...)
#define trj_fail(...) (trj_error_set(__VA_ARGS__), trj_failed())
// (err, format, ...): TRJ_FAILED, with ": strerror(errno)" after the text. EPIPE makes the error quiet.
#define trj_fail_errno(...) (trj_error_set_errno(__VA_ARGS__), trj_failed())
// (err, offset, what, expected, found): TRJ_BAD_DATA, and err->truncated is set. The data end at byte `offset`, within
// `what`, of which `expected` bytes are required and `found` bytes are present.
#define trj_fail_truncated(...) (trj_error_set_truncated(__VA_ARGS__), trj_failed())
// (err, bytes, what): "out of memory", with the number of bytes and their purpose.
#define trj_fail_memory(...) (trj_error_set_memory(__VA_ARGS__), trj_failed())
// (err, format, ...): puts "PLACE: " before the text, for callers that know the name of the file or the number of the
// frame. No effect if err->origin is set.
#define trj_fail_at(...) (trj_error_set_place(__VA_ARGS__), trj_failed())
// (err, remedy): see trj_error_set_remedy.
#define trj_fail_remedy(...) (trj_error_set_remedy(__VA_ARGS__), trj_failed())

#endif
