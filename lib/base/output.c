// SPDX-License-Identifier: MIT
// Writes to a temporary file and renames it at the end, so that an incomplete result never has the name of a complete
// one.
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier,cert-*): vmsplice
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "input.h"
#include "memory.h"
#include "missing_file.h"
#include "pipe.h"
#include "pipe_memory.h"
#include "stop_request.h"
#include "termination_signals.h"
#include "used_files.h"

enum {
    BUFFER = 1 << 16,
    MAX_TEMPORARY = 8, // files of a tool that are written at the same time
    MAX_LINKS = 40     // symbolic links in a path, as Linux allows
};

struct trj_output {
    char *name;      // for messages: the path, or "stdout"
    char *final;     // path to which the temporary file is renamed; NULL: there is no temporary file
    char *temporary; // path; NULL: none, or renamed
    struct trj_file_id temporary_id, replaced_id;
    bool replaces;  // a regular file, of replaced_id, which used_files.h knows as an output
    bool durable;   // TRJ_OUTPUT_DURABLE
    bool exchanged; // the temporary file has the name `final`, and `temporary` is the file that it replaces
    int fd;
    off_t begin;  // file offset of the first byte written; -1: written bytes cannot be overwritten
    bool gives;   // pages can be given to the pipe
    bool splices; // pages of files can be given to the pipe
    size_t used;
    struct trj_output *joined; // the next of the files that appear together; NULL: none
    unsigned char buffer[BUFFER];
};

// Set by the tools only. Signals of a program that uses the library belong to the program, which may also write several
// files at once.
static bool signals_remove_file;
// Paths of the temporary files that a signal must remove; NULL: a free entry.
static const char *volatile temporary_paths[MAX_TEMPORARY];
// Arguments of trj_output_set_signal_status; 0 or NULL: it was not called.
static volatile sig_atomic_t end_status;
static const char *volatile end_message;

static void remove_temporary(int number) {
    for (size_t i = 0; i < MAX_TEMPORARY; i++) {
        const char *path = temporary_paths[i];
        if (path) unlink(path);
    }
    const char *text = end_message;
    if (end_status && (number == SIGTERM || number == SIGUSR1)) {
        if (write(STDERR_FILENO, text, strlen(text)) < 0) _exit(end_status); // stderr cannot report its own error
        _exit(end_status);
    }
    signal(number, SIG_DFL); // ends the process by the same signal, so that the parent process gets the right status
    raise(number);
}

void trj_output_remove_on_signals(void) {
    signals_remove_file = true;
}

static void remove_on_signals(const char *path) {
    size_t free = 0;
    while (free < MAX_TEMPORARY && temporary_paths[free]) free++;
    if (!signals_remove_file || (path && free == MAX_TEMPORARY)) return;
    if (path) temporary_paths[free] = path;
    for (size_t i = 0; i < TRJ_TERMINATION_SIGNALS; i++) {
        struct sigaction old, mine = {.sa_handler = remove_temporary};
        int number = trj_termination_signals[i];
        // A signal that the parent process ignores (nohup) stays ignored.
        if (!sigaction(number, NULL, &old) && old.sa_handler != SIG_IGN && !trj_stop_then(number, &mine))
            sigaction(number, &mine, NULL);
    }
}

// Forgets the path of a file that was renamed or removed.
static void end_temporary(const char *path) {
    for (size_t i = 0; i < MAX_TEMPORARY; i++)
        if (temporary_paths[i] == path) temporary_paths[i] = NULL;
}

void trj_output_set_signal_status(int status, const char *message, const char *path) {
    if (!status) end_status = 0; // a signal that comes now must find no status without its message
    if (path && !status) end_temporary(path);
    end_message = message;
    end_status = status;
    if (status) remove_on_signals(path);
}

// Returns the file mode creation mask. umask() changes it for a moment, also for files that other threads create at
// that time; it is used only where /proc is not mounted.
static mode_t creation_mask(void) {
    static const char name[] = "Umask:";
    char line[256];
    mode_t mask = 0;
    bool found = false;
    FILE *status = fopen("/proc/self/status", "re");
    while (status && !found && fgets(line, sizeof line, status)) {
        found = !strncmp(line, name, sizeof name - 1);
        if (found) mask = (mode_t)strtoul(line + sizeof name - 1, NULL, 8);
    }
    if (status) fclose(status);
    if (!found) umask(mask = umask(0));
    return mask;
}

int trj_output_permissions(int fd, const char *path) {
    struct stat old, new;
    if (stat(path, &old)) return trj_file_is_missing() ? fchmod(fd, 0666 & ~creation_mask()) : -1;
    if (fstat(fd, &new)) return -1;
    mode_t mode = old.st_mode & 0777;
    bool owner = new.st_uid == old.st_uid, group = new.st_gid == old.st_gid;
    if ((!owner || !group) && fchown(fd, old.st_uid, old.st_gid) && !group && fchown(fd, (uid_t)-1, old.st_gid))
        mode &= 0707 | (mode & 07) << 3; // another group gets only the permissions that all users have
    return fchmod(fd, mode);
}

// Returns the path that a symbolic link names, which is relative to the folder of the link; NULL if `path` is no link,
// or if memory is short.
static char *read_link(const char *path) {
    char target[PATH_MAX];
    ssize_t n = readlink(path, target, sizeof target - 1);
    if (n <= 0) return NULL;
    target[n] = 0;
    const char *slash = strrchr(path, '/');
    size_t folder = slash && *target != '/' ? (size_t)(slash - path) + 1 : 0, capacity = folder + (size_t)n + 1;
    struct trj_error ignored;
    char *whole = trj_alloc(capacity, 1, "a path", &ignored);
    if (whole) snprintf(whole, capacity, "%.*s%s", (int)folder, path, target);
    return whole;
}

// realpath() fails if the file does not exist yet. A symbolic link to it must be followed nevertheless, as a shell
// does.
static char *follow_links(const char *path, struct trj_error *err) {
    char *file = trj_copy_text(path, err);
    for (int i = 0; file && i < MAX_LINKS; i++) {
        char *next = read_link(file);
        if (!next) break;
        free(file);
        file = next;
    }
    return file;
}

char *trj_output_target(const char *path, struct trj_error *err) {
    struct stat st;
    char *file = realpath(path, NULL);
    if (!file && errno != ENOENT) {
        trj_error_set_errno(err, "%s", path);
        return NULL;
    }
    if (!file) return follow_links(path, err);
    // root may write to all files, but a file without any permission to write is meant to stay as it is
    bool unknown = stat(file, &st);
    bool usable =
        unknown ? trj_file_is_missing() : !S_ISREG(st.st_mode) || ((st.st_mode & 0222) && !access(file, W_OK));
    if (usable) return file;
    if (unknown || ((st.st_mode & 0222) && errno != EACCES && errno != EROFS))
        trj_error_set_errno(err, "%s", path);
    else
        trj_error_set(err, TRJ_FAILED, "%s: is read-only; change its permissions (chmod u+w), or give another name",
                      path);
    free(file);
    return NULL;
}

// Fails if the file that is replaced, or to which is written, is an input.
static int check_inputs(struct trj_output *out, const struct stat *st, struct trj_error *err) {
    if (trj_used_files_add_output(st, out->name, err)) return -1;
    out->replaced_id = trj_file_id(st);
    out->replaces = true;
    return 0;
}

// Returns whether the temporary file is still that of this output: another program may have removed or replaced it. If
// this cannot be found out, returns -1 and sets errno.
static int has_temporary(const struct trj_output *out) {
    struct stat st;
    if (!out->temporary) return 0;
    if (lstat(out->temporary, &st)) return trj_file_is_missing() ? 0 : -1;
    return trj_file_is(trj_file_id(&st), out->temporary_id);
}

static const char *reserved; // name that outputs must not have; NULL: none

void trj_output_reserve(const char *target) {
    reserved = target;
}

// Returns whether both paths name the same file, which need not exist.
static bool is_same_name(const char *a, const char *b) {
    const char *path[] = {a, b}, *name[2];
    struct stat folder[2];
    for (int i = 0; i < 2; i++) {
        char text[PATH_MAX] = ".";
        const char *slash = strrchr(path[i], '/');
        name[i] = slash ? slash + 1 : path[i];
        if (slash) snprintf(text, sizeof text, "%.*s", (int)(name[i] - path[i]), path[i]);
        if (stat(text, &folder[i])) return false;
    }
    return !strcmp(name[0], name[1]) && trj_file_is(trj_file_id(&folder[0]), trj_file_id(&folder[1]));
}

char *trj_output_temporary(const char *target, struct trj_error *err) {
    size_t capacity = strlen(target) + sizeof ".new";
    char *path = trj_alloc(capacity, 1, "a path", err);
    if (path) snprintf(path, capacity, "%s.new", target);
    return path;
}

// Opens "DIR/.trjpipe.XXXXXX" with the permissions that the final file will have.
static int open_temporary(struct trj_output *out, const char *path, struct trj_error *err) {
    struct stat st;
    out->final = trj_output_target(path, err);
    if (!out->final) return -1;
    path = out->final;
    if (reserved && !out->durable && is_same_name(path, reserved))
        return trj_fail(err, TRJ_USAGE, "%s: is both the checkpoint and an output; give one of them another name",
                        out->name);
    if (stat(path, &st) ? !trj_file_is_missing() && trj_fail_errno(err, "%s", out->name) : check_inputs(out, &st, err))
        return -1;
    static const char ending[] = ".trjpipe.XXXXXX";
    const char *slash = strrchr(path, '/');
    size_t kept = slash ? (size_t)(slash - path) + 1 : 0, capacity = kept + sizeof ending;
    out->temporary = out->durable ? trj_output_temporary(path, err) : trj_alloc(capacity, 1, "a path", err);
    if (!out->temporary) return -1;
    if (!out->durable) snprintf(out->temporary, capacity, "%.*s%s", (int)kept, path, ending);
    remove_on_signals(out->temporary); // before the file exists, because a signal can arrive as soon as it does
    out->fd = out->durable ? open(out->temporary, O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600)
                           : mkstemp(out->temporary);
    if (out->fd < 0) {
        end_temporary(out->temporary);
        trj_fail_errno(err, "%s", out->name);
        free(out->temporary);
        out->temporary = NULL;
        return -1;
    }
    if (fstat(out->fd, &st)) {
        int why = errno;
        unlink(out->temporary);
        errno = why;
        return trj_fail_errno(err, "%s", out->name);
    }
    out->temporary_id = trj_file_id(&st);
    if (trj_output_permissions(out->fd, path) || fcntl(out->fd, F_SETFD, FD_CLOEXEC))
        return trj_fail_errno(err, "%s", out->name);
    return 0;
}

bool trj_output_is_stdout(const char *path) {
    return !path || !strcmp(path, "-");
}

const char *trj_output_name(const struct trj_output *out) {
    return out->name;
}

bool trj_output_goes_to_stdout(const struct trj_output *out) {
    return out->fd == STDOUT_FILENO;
}

int trj_output_check_ending(const char *path, bool known, const char *endings, struct trj_error *err) {
    if (trj_output_is_stdout(path)) return 0;
    if (trj_name_is_compressed(path))
        return trj_fail(err, TRJ_USAGE, "%s: compressed files are not written; leave the last ending out", path);
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
    if (known || !dot || dot == name) return 0;
    return trj_fail(err, TRJ_USAGE, "%s: unknown ending '%s'; use one of %s", path, dot, endings);
}

static bool discards, allows_terminal;

void trj_output_discard(void) {
    discards = true;
}

void trj_output_allow_terminal(void) {
    allows_terminal = true;
}

// Opens an output that accepts everything, and can be patched.
static int open_discarded(struct trj_output *out, struct trj_error *err) {
    out->fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
    return out->fd < 0 ? trj_fail_errno(err, "/dev/null") : 0;
}

int trj_output_open(struct trj_output **result, const char *path, enum trj_output_kind kind, struct trj_error *err) {
    struct trj_output *out = trj_alloc(1, sizeof *out, "an output", err);
    if (!out) return -1;
    bool std = trj_output_is_stdout(path);
    struct stat st;
    out->fd = -1;
    out->durable = kind == TRJ_OUTPUT_DURABLE;
    out->name = trj_copy_text(std ? "stdout" : path, err);
    if (!out->name) goto out;
    if (!*out->name) {
        trj_fail(err, TRJ_USAGE, "--output: empty file name; give one, or leave the option out");
        goto out;
    }
    if (discards) {
        if (open_discarded(out, err)) goto out;
        *result = out;
        return 0;
    }
    bool missing = !std && stat(path, &st);
    if (missing && !trj_file_is_missing()) {
        trj_fail_errno(err, "%s", path);
        goto out;
    }
    if (std) {
        out->fd = STDOUT_FILENO;
    } else if (!missing && !S_ISREG(st.st_mode)) {
        out->fd = open(path, O_WRONLY | O_CLOEXEC);
        if (out->fd < 0) {
            trj_fail_errno(err, "%s", path);
            goto out;
        }
    } else if (open_temporary(out, path, err)) {
        goto out;
    }
    if (kind != TRJ_OUTPUT_TEXT && isatty(out->fd) && !allows_terminal) {
        trj_fail(err, TRJ_USAGE, "%s: cannot write binary data to a terminal; use a pipe, > FILE or -o FILE",
                 out->name);
        goto out;
    }
    trj_pipe_enlarge(out->fd);
    int flags = fcntl(out->fd, F_GETFL);
    if (flags < 0 || fstat(out->fd, &st)) {
        trj_fail_errno(err, "%s", out->name);
        goto out;
    }
    if (std && check_inputs(out, &st, err)) goto out;
    bool fixed = !S_ISREG(st.st_mode) || (flags & O_APPEND);
    out->begin = fixed ? -1 : lseek(out->fd, 0, SEEK_CUR);
    if (!fixed && out->begin < 0) {
        trj_fail_errno(err, "%s", out->name);
        goto out;
    }
    out->gives = out->splices = S_ISFIFO(st.st_mode) && kind == TRJ_OUTPUT_BINARY;
    *result = out;
    return 0;
out:
    trj_output_close(out);
    return -1;
}

static int write_all(struct trj_output *out, const unsigned char *p, size_t n, struct trj_error *err) {
    while (n) {
        ssize_t k = write(out->fd, p, n);
        if (k < 0 && errno == EINTR) continue;
        if (k < 0) return trj_fail_errno(err, "%s", out->name);
        p += k;
        n -= (size_t)k;
    }
    return 0;
}

int trj_output_flush(struct trj_output *out, struct trj_error *err) {
    size_t n = out->used;
    out->used = 0;
    return write_all(out, out->buffer, n, err);
}

// Returns memory that a system call only reads.
static struct iovec readable(const void *data, size_t n) {
    struct iovec v = {.iov_len = n};
    memcpy(&v.iov_base, &data, sizeof data); // the type of iov_base has no const
    return v;
}

// Writes the buffered bytes and then `n` more, without copying them.
static int write_unbuffered(struct trj_output *out, const void *data, size_t n, struct trj_error *err) {
    size_t used = out->used;
    ssize_t k;
    out->used = 0;
    const struct iovec parts[] = {{out->buffer, used}, readable(data, n)};
    do k = writev(out->fd, parts, 2);
    while (k < 0 && errno == EINTR);
    if (k < 0) return trj_fail_errno(err, "%s", out->name);
    size_t done = (size_t)k;
    if (done < used && write_all(out, out->buffer + done, used - done, err)) return -1;
    done = done < used ? 0 : done - used;
    return write_all(out, (const unsigned char *)data + done, n - done, err);
}

int trj_output_write(struct trj_output *out, const void *data, size_t n, struct trj_error *err) {
    if (n >= BUFFER) return write_unbuffered(out, data, n, err);
    if (n > BUFFER - out->used && trj_output_flush(out, err)) return -1;
    if (n) memcpy(out->buffer + out->used, data, n); // data may be NULL if n is 0
    out->used += n;
    return 0;
}

bool trj_output_gives(const struct trj_output *out) {
    return out->gives;
}

int trj_output_write_part(struct trj_output *out, const struct trj_output_part *part, struct trj_error *err) {
    const unsigned char *p = part->data;
    size_t n = part->size;
    off_t offset = (off_t)part->file_offset;
    bool *supported = part->in_file ? &out->splices : &out->gives;
    if (!*supported || !(part->in_file || part->given) || n < TRJ_PIPE_MEMORY_MIN)
        return trj_output_write(out, part->data, n, err);
    if (trj_output_flush(out, err)) return -1;
    while (n && *supported) {
        struct iovec v = readable(p, n);
        ssize_t k = part->in_file ? splice(part->file, &offset, out->fd, NULL, n, 0) : vmsplice(out->fd, &v, 1, 0);
        if (k < 0 && errno == EPIPE) return trj_fail_errno(err, "%s", out->name);
        if (k < 0 && errno == EINTR) continue;
        if (k < 0) *supported = false; // the kernel or the file system does not support it: copy
        if (k <= 0) break;             // 0: the file has become shorter
        if (!part->in_file) *part->given = true;
        p += k;
        n -= (size_t)k;
    }
    return write_all(out, p, n, err);
}

int trj_output_print(struct trj_output *out, struct trj_error *err, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int rc = trj_output_vprint(out, err, format, args);
    va_end(args);
    return rc;
}

int trj_output_vprint(struct trj_output *out, struct trj_error *err, const char *format, va_list args) {
    char small[512], *text = small;
    va_list again;
    va_copy(again, args);
    int n = vsnprintf(small, sizeof small, format, args);
    if (n >= (int)sizeof small && (text = trj_alloc((size_t)n + 1, 1, "a text", err)))
        vsnprintf(text, (size_t)n + 1, format, again);
    va_end(again);
    if (n < 0) return trj_fail_errno(err, "%s", out->name);
    if (!text) return -1;
    int rc = trj_output_write(out, text, (size_t)n, err);
    if (text != small) free(text);
    return rc;
}

bool trj_output_can_patch(const struct trj_output *out) {
    return out->begin >= 0;
}

int trj_output_patch(struct trj_output *out, uint64_t offset, const void *data, size_t n, struct trj_error *err) {
    const unsigned char *p = data;
    if (trj_output_flush(out, err)) return -1;
    for (off_t place = out->begin + (off_t)offset; n;) {
        ssize_t k = pwrite(out->fd, p, n, place);
        if (k < 0 && errno == EINTR) continue;
        if (k < 0) return trj_fail_errno(err, "%s", out->name);
        p += k;
        place += k;
        n -= (size_t)k;
    }
    return 0;
}

// Returns the path of the folder that contains a file, without symbolic links; NULL if there is no such folder.
static char *folder_of(const char *path) {
    const char *slash = strrchr(path, '/');
    size_t n = slash ? (size_t)(slash - path) + 1 : 0;
    char folder[4096] = ".";
    if (n >= sizeof folder) return NULL;
    if (n) snprintf(folder, sizeof folder, "%.*s", (int)n, path);
    return realpath(folder, NULL);
}

// Returns whether two paths name the same file, which need not exist; -1 if a path cannot be examined.
static int is_same_file(const char *a, const char *b, struct trj_error *err) {
    if (!strcmp(a, b)) return true;
    char *x = realpath(a, NULL);
    bool unknown = !x && !trj_file_is_missing();
    if (unknown) trj_error_set_errno(err, "%s", a);
    char *y = realpath(b, NULL);
    if (!y && !unknown && !trj_file_is_missing()) {
        trj_error_set_errno(err, "%s", b);
        unknown = true;
    }
    int same = unknown ? -1 : x && y && !strcmp(x, y);
    if (!unknown && !x && !y) {
        const char *s = strrchr(a, '/'), *t = strrchr(b, '/');
        x = folder_of(a);
        y = folder_of(b);
        same = x && y && !strcmp(x, y) && !strcmp(s ? s + 1 : a, t ? t + 1 : b);
    }
    free(x);
    free(y);
    return same;
}

int trj_output_check_second(const char *path, const char *option, const char *output, struct trj_error *err) {
    if (!path) return 0;
    if (!*path) return trj_fail(err, TRJ_USAGE, "%s: empty file name; give one, or leave the option out", option);
    if (trj_output_is_stdout(path) && trj_output_is_stdout(output))
        return trj_fail(err, TRJ_USAGE, "%s and --output are both standard output; give a file", option);
    int same = output ? is_same_file(path, output, err) : 0;
    if (same <= 0) return same;
    return trj_fail(err, TRJ_USAGE, "%s and --output have the same name, %s; give two files", option, path);
}

int trj_output_check_input(const char *path, const char *option, const char *input, const char *input_option,
                           struct trj_error *err) {
    if (!path || !input || trj_output_is_stdout(path)) return 0;
    int same = is_same_file(path, input, err);
    if (same <= 0) return same;
    return trj_fail(err, TRJ_USAGE, "%s and %s have the same name, %s; give two files", option, input_option, path);
}

void trj_output_join(struct trj_output *out, struct trj_output *second) {
    while (out->joined) out = out->joined;
    out->joined = second;
}

static int complete(struct trj_output *out, struct trj_error *err) {
    if (trj_output_flush(out, err)) return -1;
    int fd = out->fd;
    if (out->durable && fsync(fd)) return trj_fail_errno(err, "%s", out->name);
    out->fd = -1;
    return close(fd) ? trj_fail_errno(err, "%s", out->name) : 0; // some file systems report a full disk only at close()
}

// Forgets the temporary file, which has been renamed.
static void forget_temporary(struct trj_output *out) {
    end_temporary(out->temporary);
    free(out->temporary);
    out->temporary = NULL;
}

// Waits until the name of a file is on the disk. Errors are ignored: not all file systems can do this.
static void sync_folder(const char *path) {
    char *folder = folder_of(path);
    int fd = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (fd >= 0) {
        fsync(fd);
        close(fd);
    }
    free(folder);
}

// Renames the temporary file. `exchange`: an older file gets the name of the temporary file, so that it can be
// restored; it is removed where the file system cannot exchange names.
static int rename_temporary(struct trj_output *out, bool exchange, struct trj_error *err) {
    struct stat st;
    if (!out->temporary) return 0;
    int there = has_temporary(out);
    if (there < 0) return trj_fail_errno(err, "%s", out->name);
    if (!there)
        return trj_fail(err, TRJ_FAILED, "%s: another program has removed or replaced the temporary file %s; run again",
                        out->name, out->temporary);
    out->exchanged = exchange && !lstat(out->final, &st) && S_ISREG(st.st_mode) &&
                     !renameat2(AT_FDCWD, out->temporary, AT_FDCWD, out->final, RENAME_EXCHANGE);
    if (out->exchanged) return 0;
    if (rename(out->temporary, out->final)) return trj_fail_errno(err, "%s", out->name);
    forget_temporary(out);
    if (out->durable) sync_folder(out->final);
    return 0;
}

// Restores the file that was replaced, or removes the new one if there was none.
static void undo_rename(struct trj_output *out) {
    if (out->exchanged && !rename(out->temporary, out->final))
        forget_temporary(out);
    else if (out->final && !out->temporary)
        unlink(out->final);
}

// Renames the files that are joined to `out`, then `out`, so that the others exist as soon as it does.
static int rename_joined(struct trj_output *out, struct trj_error *err) {
    int rc = 0;
    struct trj_output *last = out->joined;
    for (; !rc && last; last = last->joined) rc = rename_temporary(last, true, err);
    if (!rc) rc = rename_temporary(out, false, err);
    for (struct trj_output *o = out->joined; rc && o != last; o = o->joined) undo_rename(o);
    for (struct trj_output *o = out->joined; !rc && o; o = o->joined) {
        if (!o->exchanged) continue;
        unlink(o->temporary);
        forget_temporary(o);
    }
    return rc;
}

int trj_output_commit(struct trj_output *out, struct trj_error *err) {
    if (complete(out, err)) return -1;
    for (struct trj_output *o = out->joined; o; o = o->joined)
        if (complete(o, err)) return -1;
    return rename_joined(out, err);
}

void trj_output_close(struct trj_output *out) {
    while (out) {
        struct trj_output *next = out->joined;
        if (out->fd > STDERR_FILENO) close(out->fd);
        if (has_temporary(out)) unlink(out->temporary);
        if (out->temporary) forget_temporary(out);
        if (out->replaces) trj_used_files_remove_output(out->replaced_id);
        free(out->final);
        free(out->name);
        free(out);
        out = next;
    }
}
