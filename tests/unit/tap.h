// SPDX-License-Identifier: MIT
// Unit tests print TAP: each `ok(condition, "what")` prints a line, and main ends with `return done();`.
#ifndef TAP_H
#define TAP_H

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// SANITIZED is 1 in builds with a sanitizer, which uses memory of its own and exits where the library returns an error.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

static int tap_count, tap_failed;

__attribute__((format(printf, 2, 3), unused)) static bool ok(bool good, const char *format, ...) {
    va_list args;
    va_start(args, format);
    printf("%s %d - ", good ? "ok" : "not ok", ++tap_count);
    vprintf(format, args);
    va_end(args);
    putchar('\n');
    tap_failed += !good;
    return good;
}

// Reports a test that cannot run here, with the reason.
__attribute__((unused)) static void skip(const char *what, const char *why) {
    printf("ok %d - %s # SKIP %s\n", ++tap_count, what, why);
}

__attribute__((unused)) static bool has_text(const char *text, const char *part) {
    return text && strstr(text, part);
}

// Returns the folder of real trajectories next to the repository, or NULL.
__attribute__((unused)) static const char *shared_folder(void) {
    const char *folder = getenv("TRJPIPE_SHARED");
    if (!folder) folder = "../shared";
    char probe[4096];
    snprintf(probe, sizeof probe, "%s/data/MANIFEST.tsv", folder);
    FILE *f = fopen(probe, "r");
    if (!f) return NULL;
    fclose(f);
    return folder;
}

// Returns whether this run tries this fault of a sweep, counted from 0: of sample K of N (TRJPIPE_SAMPLE=K/N, which
// tests/run sets) every Nth, beginning with number K. Without the variable all are tried.
__attribute__((unused)) static bool sampled(size_t number) {
    const char *sample = getenv("TRJPIPE_SAMPLE"), *slash = sample ? strchr(sample, '/') : NULL;
    return !slash || number % strtoul(slash + 1, NULL, 10) == strtoul(sample, NULL, 10) - 1;
}

__attribute__((unused)) static int done(void) {
    printf("1..%d\n", tap_count);
    return tap_failed != 0;
}

#endif
