// SPDX-License-Identifier: MIT
// Builds error messages in fixed buffers, so that reporting an error, also a lack of memory, cannot itself fail.
#include "error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "utf8.h"

__attribute__((format(printf, 4, 0))) static void set(struct trj_error *err, enum trj_status status, bool quiet,
                                                      const char *format, va_list args) {
    err->status = status;
    err->quiet = quiet;
    err->truncated = false;
    err->complete = 0;
    err->late = 0;
    err->origin = TRJ_OK;
    vsnprintf(err->text, sizeof err->text, format, args);
}

void trj_error_set(struct trj_error *err, enum trj_status status, const char *format, ...) {
    va_list args;
    va_start(args, format);
    set(err, status, false, format, args);
    va_end(args);
}

void trj_error_set_errno(struct trj_error *err, const char *format, ...) {
    int number = errno;
    va_list args;
    va_start(args, format);
    set(err, TRJ_FAILED, number == EPIPE, format, args);
    va_end(args);
    size_t n = strlen(err->text);
    snprintf(err->text + n, sizeof err->text - n, ": %s", strerror(number));
}

void trj_error_set_truncated(struct trj_error *err, unsigned long long offset, const char *what,
                             unsigned long long expected, unsigned long long found) {
    trj_error_set(err, TRJ_BAD_DATA, "byte %llu: truncated in %s: expected %llu bytes, found %llu", offset, what,
                  expected, found);
    err->truncated = true;
}

void trj_error_append(struct trj_error *err, const char *format, ...) {
    size_t n = strlen(err->text);
    va_list args;
    va_start(args, format);
    vsnprintf(err->text + n, sizeof err->text - n, format, args);
    va_end(args);
}

void trj_error_set_remedy(struct trj_error *err, const char *remedy) {
    if (err->status == TRJ_BAD_DATA && !err->origin && !strstr(err->text, "; ")) trj_error_append(err, "; %s", remedy);
}

void trj_error_set_memory(struct trj_error *err, double bytes, const char *what) {
    trj_error_set(err, TRJ_FAILED, "out of memory: %.0f bytes for %s", bytes, what);
}

void trj_error_set_place(struct trj_error *err, const char *format, ...) {
    char where[sizeof err->text], old[sizeof err->text];
    if (err->origin) return; // the text is the message of another program, which has its own place
    va_list args;
    va_start(args, format);
    vsnprintf(where, sizeof where, format, args);
    va_end(args);
    memcpy(old, err->text, sizeof old);
    // Each part gets half of the text, so that a very long path leaves room for the message.
    snprintf(err->text, sizeof err->text, "%.*s: %.*s", (int)(sizeof where / 2), where, (int)(sizeof old / 2 - 3), old);
}

void trj_replace_control_chars(char *text) {
    char *to = text;
    while (*text) {
        size_t n = trj_utf8_length(text);
        if (!n || trj_utf8_forbidden(text)) {
            *to++ = '?';
            text += n ? n : 1;
        } else {
            while (n--) *to++ = *text++;
        }
    }
    *to = 0;
}
