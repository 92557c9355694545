// SPDX-License-Identifier: MIT
// A library to preload. Allocation number FAIL_ALLOC_AT of the process fails, and read number FAIL_READ_AT at a given
// offset of a file fails with EIO; both count from 1. At its end the process writes the number of allocations to the
// file FAIL_ALLOC_COUNT, if that is set.
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier,cert-*): pread64, syscall
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);

static atomic_ulong count, at, reads, read_at; // at, read_at: 0 if no call fails

__attribute__((constructor)) static void start(void) {
    const char *text = getenv("FAIL_ALLOC_AT"), *read_text = getenv("FAIL_READ_AT");
    count = 0;
    at = text ? strtoul(text, NULL, 10) : 0;
    read_at = read_text ? strtoul(read_text, NULL, 10) : 0;
    unsetenv("LD_PRELOAD"); // not for programs that this process starts
}

__attribute__((destructor)) static void stop(void) {
    const char *path = getenv("FAIL_ALLOC_COUNT");
    unsigned long n = count;
    FILE *f = path ? fopen(path, "w") : NULL;
    if (f) fprintf(f, "%lu\n", n);
    if (f) fclose(f);
}

static int fails(void) {
    if (++count != at || !at) return 0;
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t n) {
    return fails() ? NULL : __libc_malloc(n);
}

void *calloc(size_t n, size_t size) {
    return fails() ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t n) {
    return fails() ? NULL : __libc_realloc(p, n);
}

ssize_t pread64(int fd, void *data, size_t n, off64_t place) {
    if (++reads == read_at) {
        errno = EIO;
        return -1;
    }
    return syscall(SYS_pread64, fd, data, n, place);
}

ssize_t pread(int fd, void *data, size_t n, off_t place) {
    return pread64(fd, data, n, place);
}
