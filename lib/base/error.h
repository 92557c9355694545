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
    TRJ_NO_ENGINE = 4, // the engine asked for cannot run here, or this build lacks the library that reads the input
};

struct trj_error {
    enum trj_status status;
    bool quiet; // the reader of our output has closed it, or `origin` is set: exit non-zero, print nothing
    // The input is truncated and has no other error: all that precedes the byte where it ends can be read.
    bool truncated;
    // Number of complete frames of the same input that precede the error and can be read. 0: none, or another error.
    unsigned long long complete;
    // Set if an earlier program of the pipeline has failed and has reported this error (failure.h): its exit status.
    // `text` is then its message, "tool: message". TRJ_OK: not set.
    enum trj_status origin;
    char text[1024];
};

void trj_error_set(struct trj_error *err, enum trj_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void trj_error_set_errno(struct trj_error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));
void trj_error_set_truncated(struct trj_error *err, unsigned long long at, const char *what,
                             unsigned long long expected, unsigned long long found);
void trj_error_append(struct trj_error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));
// Appends "; " and the remedy to an error about the input (TRJ_BAD_DATA) whose text contains no "; " yet. For callers
// that many messages pass through, such as a reader: a more specific remedy takes precedence.
void trj_error_set_remedy(struct trj_error *err, const char *remedy);
void trj_error_set_memory(struct trj_error *err, double bytes, const char *what);
void trj_error_set_place(struct trj_error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Replaces each control character, and each byte that is not part of valid UTF-8, by '?', so that a text of unknown
// origin is one line, has no effect on a terminal and can be a text of XML. The result is not longer. trj_tool_message
// applies it to every message.
void trj_replace_control_chars(char *text);

// All of these macros have the value -1, so that `return trj_fail(...)` reads well. They are macros so that compilers
// and analysers see the value, too.
static inline int trj_failed(void) {
    return -1;
}
// (err, status, format, ...)
#define trj_fail(...) (trj_error_set(__VA_ARGS__), trj_failed())
// (err, format, ...): TRJ_FAILED, with ": strerror(errno)" after the text. EPIPE makes the error quiet.
#define trj_fail_errno(...) (trj_error_set_errno(__VA_ARGS__), trj_failed())
// (err, at, what, expected, found): TRJ_BAD_DATA, and err->truncated is set. The data end at byte `at`, within `what`,
// of which `expected` bytes are required and `found` bytes are present.
#define trj_fail_truncated(...) (trj_error_set_truncated(__VA_ARGS__), trj_failed())
// (err, bytes, what): "out of memory", with the number of bytes and their purpose.
#define trj_fail_memory(...) (trj_error_set_memory(__VA_ARGS__), trj_failed())
// (err, format, ...): puts "where: " before the text, for callers that have the name of the file or the number of the
// frame.
#define trj_fail_at(...) (trj_error_set_place(__VA_ARGS__), trj_failed())
// (err, remedy): see trj_error_set_remedy.
#define trj_fail_remedy(...) (trj_error_set_remedy(__VA_ARGS__), trj_failed())

#endif
