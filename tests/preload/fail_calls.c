// SPDX-License-Identifier: MIT
// A preloaded library that makes calls fail. Allocation number FAIL_ALLOC_AT after the start of main fails; read number
// FAIL_READ_AT at a given offset of a file, and rename number FAIL_RENAME_AT, fail with EIO. All count from 1. Call
// number FAIL_SPLICE_AT of splice or vmsplice, and all later ones, fail with ENOSYS. If FAIL_PIPE_SIZE is set, the size
// of a pipe cannot be changed. Call number FAIL_CALL_AT, after the start of main, of the function FAIL_CALL, which is
// one of those that ask call_fails(), fails with EIO or for want of memory. At its end the process writes the number
// of allocations to the file FAIL_ALLOC_COUNT, and the number of calls of FAIL_CALL to FAIL_CALL_COUNT, if these are
// set.
//
// Allocations before main are those of libraries that start there, such as the CUDA runtime, which crashes without
// them.
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier,cert-*): pread64, splice, syscall, vmsplice, RTLD_NEXT
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);

typedef int program_main(int argc, char **argv, char **environment);

static atomic_ulong count, at, reads, read_at, renames, rename_at, gifts, gift_at; // ..at: 0 if no call fails
static atomic_bool in_main, keeps_pipe_size;
static program_main *program;
static const char *failing_call; // NULL: none
static atomic_ulong calls, call_at;

__attribute__((constructor)) static void start(void) {
    const char *text = getenv("FAIL_ALLOC_AT"), *read_text = getenv("FAIL_READ_AT"),
               *rename_text = getenv("FAIL_RENAME_AT"), *gift_text = getenv("FAIL_SPLICE_AT"),
               *call_text = getenv("FAIL_CALL_AT");
    failing_call = getenv("FAIL_CALL");
    call_at = call_text ? strtoul(call_text, NULL, 10) : 0;
    count = 0;
    at = text ? strtoul(text, NULL, 10) : 0;
    read_at = read_text ? strtoul(read_text, NULL, 10) : 0;
    rename_at = rename_text ? strtoul(rename_text, NULL, 10) : 0;
    gift_at = gift_text ? strtoul(gift_text, NULL, 10) : 0;
    keeps_pipe_size = getenv("FAIL_PIPE_SIZE");
    unsetenv("LD_PRELOAD"); // not for programs that this process starts
}

static void write_number(const char *path, unsigned long n) {
    FILE *f = path ? fopen(path, "w") : NULL;
    if (f) fprintf(f, "%lu\n", n);
    if (f) fclose(f);
}

__attribute__((destructor)) static void stop(void) {
    write_number(getenv("FAIL_ALLOC_COUNT"), count);
    write_number(getenv("FAIL_CALL_COUNT"), calls);
}

static int main_that_fails(int argc, char **argv, char **environment) {
    in_main = true;
    return program(argc, argv, environment);
}

// glibc starts a process with this function, which calls the given main after the constructors of the libraries.
// NOLINTNEXTLINE(bugprone-reserved-identifier,cert-*)
int __libc_start_main(program_main *main, int argc, char **argv, void (*init)(void), void (*fini)(void),
                      void (*end_of_loader)(void), void *end_of_stack) {
    int (*next)(program_main *, int, char **, void (*)(void), void (*)(void), void (*)(void), void *);
    void *symbol = dlsym(RTLD_NEXT, "__libc_start_main");
    memcpy(&next, &symbol, sizeof next); // ISO C has no conversion from an object pointer to a function pointer
    program = main;
    return next(main_that_fails, argc, argv, init, fini, end_of_loader, end_of_stack);
}

static int fails(void) {
    if (!in_main || ++count != at || !at) return 0;
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

static bool call_fails(const char *name, int number);

ssize_t pread64(int fd, void *data, size_t n, off64_t place) {
    if (++reads == read_at) {
        errno = EIO;
        return -1;
    }
    return call_fails("pread", EIO) ? -1 : syscall(SYS_pread64, fd, data, n, place);
}

ssize_t pread(int fd, void *data, size_t n, off_t place) {
    return pread64(fd, data, n, place);
}

// The names that calls have where the compiler checks sizes (_FORTIFY_SOURCE).
// NOLINTBEGIN(bugprone-reserved-identifier,cert-*)
ssize_t __pread_chk(int fd, void *data, size_t n, off_t place, size_t room) {
    (void)room;
    return pread64(fd, data, n, place);
}

ssize_t __read_chk(int fd, void *data, size_t n, size_t room) {
    (void)room;
    return read(fd, data, n);
}
// NOLINTEND(bugprone-reserved-identifier,cert-*)

int rename(const char *from, const char *to) {
    if (++renames == rename_at) {
        errno = EIO;
        return -1;
    }
    return (int)syscall(SYS_rename, from, to);
}

static bool splice_fails(void) {
    if (!gift_at || ++gifts < gift_at) return false;
    errno = ENOSYS;
    return true;
}

ssize_t splice(int from, off64_t *from_place, int to, off64_t *to_place, size_t n, unsigned flags) {
    return splice_fails() ? -1 : syscall(SYS_splice, from, from_place, to, to_place, n, flags);
}

ssize_t vmsplice(int fd, const struct iovec *part, size_t parts, unsigned flags) {
    return splice_fails() ? -1 : syscall(SYS_vmsplice, fd, part, parts, flags);
}

int fcntl64(int fd, int command, ...) {
    va_list args;
    va_start(args, command);
    void *value = va_arg(args, void *); // a number has been passed in the same register
    va_end(args);
    if (command == F_SETPIPE_SZ && keeps_pipe_size) {
        errno = EPERM;
        return -1;
    }
    return (int)syscall(SYS_fcntl, fd, command, value);
}

int fcntl(int fd, int command, ...) __attribute__((alias("fcntl64")));

// Returns whether this call of a function must fail.
static bool call_fails(const char *name, int number) {
    if (!in_main || !failing_call || strcmp(failing_call, name) != 0 || ++calls != call_at) return false;
    errno = number;
    return true;
}

// Returns the function of the C library.
#define NEXT(pointer, name)                                                                                            \
    do {                                                                                                               \
        void *symbol = dlsym(RTLD_NEXT, name);                                                                         \
        memcpy(&(pointer), &symbol, sizeof(pointer));                                                                  \
    } while (0)

ssize_t read(int fd, void *data, size_t n) {
    return call_fails("read", EIO) ? -1 : syscall(SYS_read, fd, data, n);
}

off64_t lseek64(int fd, off64_t place, int from) {
    return call_fails("lseek", EIO) ? -1 : syscall(SYS_lseek, fd, place, from);
}

off_t lseek(int fd, off_t place, int from) __attribute__((alias("lseek64")));

int fstat(int fd, struct stat *st) {
    int (*next)(int, struct stat *);
    NEXT(next, "fstat");
    return call_fails("fstat", EIO) ? -1 : next(fd, st);
}

int stat(const char *path, struct stat *st) {
    int (*next)(const char *, struct stat *);
    NEXT(next, "stat");
    return call_fails("stat", EIO) ? -1 : next(path, st);
}

int lstat(const char *path, struct stat *st) {
    int (*next)(const char *, struct stat *);
    NEXT(next, "lstat");
    return call_fails("lstat", EIO) ? -1 : next(path, st);
}

int access(const char *path, int mode) {
    return call_fails("access", EIO) ? -1 : (int)syscall(SYS_access, path, mode);
}

int open64(const char *path, int flags, ...) {
    va_list args;
    va_start(args, flags);
    mode_t mode = va_arg(args, mode_t); // without O_CREAT, the call does not use it
    va_end(args);
    return call_fails("open", EIO) ? -1 : (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int open(const char *path, int flags, ...) __attribute__((alias("open64")));

// NOLINTNEXTLINE(bugprone-reserved-identifier,cert-*)
int __open_2(const char *path, int flags) {
    return open64(path, flags);
}

FILE *fopen(const char *path, const char *mode) {
    FILE *(*next)(const char *, const char *);
    NEXT(next, "fopen");
    return call_fails("fopen", EIO) ? NULL : next(path, mode);
}

DIR *opendir(const char *path) {
    DIR *(*next)(const char *);
    NEXT(next, "opendir");
    return call_fails("opendir", EIO) ? NULL : next(path);
}

char *realpath(const char *path, char *whole) {
    char *(*next)(const char *, char *);
    NEXT(next, "realpath");
    return call_fails("realpath", EIO) ? NULL : next(path, whole);
}

ssize_t readlink(const char *path, char *target, size_t n) {
    return call_fails("readlink", EIO) ? -1 : syscall(SYS_readlink, path, target, n);
}

int poll(struct pollfd *fds, nfds_t n, int timeout) {
    int (*next)(struct pollfd *, nfds_t, int);
    NEXT(next, "poll");
    return call_fails("poll", ENOMEM) ? -1 : next(fds, n, timeout);
}

int posix_spawn_file_actions_adddup2(posix_spawn_file_actions_t *actions, int from, int to) {
    int (*next)(posix_spawn_file_actions_t *, int, int);
    NEXT(next, "posix_spawn_file_actions_adddup2");
    return call_fails("posix_spawn_file_actions_adddup2", ENOMEM) ? ENOMEM : next(actions, from, to);
}

int posix_spawn_file_actions_addopen(posix_spawn_file_actions_t *actions, int to, const char *path, int flags,
                                     mode_t mode) {
    int (*next)(posix_spawn_file_actions_t *, int, const char *, int, mode_t);
    NEXT(next, "posix_spawn_file_actions_addopen");
    return call_fails("posix_spawn_file_actions_addopen", ENOMEM) ? ENOMEM : next(actions, to, path, flags, mode);
}
