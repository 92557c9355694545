// SPDX-License-Identifier: MIT
// Reads files, pipes, compressed data and files that still grow through one interface, so that formats need not
// distinguish them.
#include "input.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "connection.h"
#include "desmond.h"
#include "hash.h"
#include "memory.h"
#include "pipe.h"
#include "stop_request.h"
#include "temporary_file.h"
#include "unpack.h"
#include "used_files.h"

#ifndef TRJ_INPUT_BUFFER // bytes of the buffer of an input; tests/fuzz/fuzz.mk has another number
#define TRJ_INPUT_BUFFER (2 * TRJ_INPUT_PEEK)
#endif

// BETWEEN: bytes that are buffered between large reads; TAIL: bytes that show whether a growing file was rewritten.
// Programs that write frames at the end may also change numbers in the header, which is longer than TAIL.
enum { LONGEST_LINE = 1 << 20, BETWEEN = 1 << 10, TAIL = 64 };

struct trj_input {
    char *name;
    int fd;
    bool regular;
    int (*check_fed)(struct trj_error *err); // see trj_input_feed; NULL: none
    bool fed_by_file;                        // trj_input_feed: the bytes in the pipe are those of a file
    bool socket, follows;                    // see trj_input_is_live
    struct trj_error interruption;           // of a live input; TRJ_OK: none
    unsigned char tail[TAIL];                // of a file that is followed: the last bytes that were read
    size_t tail_size;
    uint64_t start;          // file offset at which the input begins: another program may have read from stdin before
    pthread_mutex_t lock;    // of the next two members
    uint64_t max_size;       // largest size of the file seen so far, in bytes from its first byte
    struct timespec changed; // time of the last change of the file when it had that size
    uint64_t offset;         // bytes consumed
    unsigned char *buffer;
    size_t capacity, begin, end; // unread bytes are buffer[begin, end)
    bool ended;
    bool large_read;           // the last read bypassed the buffer, and the next one may do so, too
    bool newline;              // the last line read had a newline
    struct trj_unpack *unpack; // NULL: the data are not compressed
    const char *ending;        // suffix of the names of files compressed in this format (".gz"), or ""
    double share;              // of a temporary copy: stored bytes of the original per byte of the copy; otherwise 1
    int wake[2];               // a pipe; a byte in it ends waiting for data (trj_input_wake). -1: there is none
    bool has_data;             // the descriptor has data, as trj_input_pauses has found
    bool keeps;                // data are buffered in `kept`, for trj_input_rewind
    struct trj_input_bytes kept;
    size_t kept_at; // bytes of `kept` that were read again
};

static int fill(struct trj_input *in, size_t want, struct trj_error *err);

// Detects compressed data.
static int begin(struct trj_input *in, struct trj_error *err) {
    if (fill(in, TRJ_UNPACK_HEAD, err)) return -1;
    if (!trj_compression_name(in->buffer, in->end)) return 0;
    if (trj_unpack_open(&in->unpack, in->fd, in->buffer, in->end, err)) return -1;
    in->ending = trj_unpack_ending(in->unpack);
    in->begin = in->end = 0;
    in->ended = false;
    return 0;
}

int trj_input_is_file(const char *path, uint64_t *bytes, struct trj_error *err) {
    struct stat st;
    bool std = !strcmp(path, "-");
    if (std ? fstat(STDIN_FILENO, &st) : stat(path, &st))
        return errno == ENOENT ? 0 : trj_fail_errno(err, "%s", std ? "stdin" : path);
    *bytes = (uint64_t)st.st_size;
    return S_ISREG(st.st_mode);
}

int trj_input_check_option(const char *option, const char *file, const char *path, const char *content,
                           struct trj_error *err) {
    if (!file || strcmp(file, "-") != 0 || strcmp(path, "-") != 0) return 0;
    return trj_fail(err, TRJ_USAGE, "%s: standard input is %s; give a file", option, content);
}

// See trj_input_feed.
static struct {
    const char *path; // NULL: none
    int fd;
    bool pipe;
    int (*check)(struct trj_error *err);
} fed;

void trj_input_feed(const char *path, int fd, bool pipe, int (*check)(struct trj_error *err)) {
    fed.path = path;
    fed.fd = fd;
    fed.pipe = pipe;
    fed.check = check;
}

int trj_input_open_raw(struct trj_input **out, const char *path, struct trj_error *err) {
    struct trj_input *in = trj_alloc(1, sizeof *in, "an input", err);
    if (!in) return -1;
    bool is_fed = fed.path && !strcmp(path, fed.path), std = !strcmp(path, "-") && !is_fed;
    in->socket = trj_connection_is(path);
    in->fd = in->wake[0] = in->wake[1] = -1;
    in->ending = "";
    pthread_mutex_init(&in->lock, NULL);
    in->share = 1;
    in->name = trj_copy_text(strcmp(path, "-") ? path : "stdin", err);
    in->capacity = TRJ_INPUT_BUFFER;
    in->buffer = in->name ? trj_alloc(in->capacity, 1, "an input buffer", err) : NULL;
    if (!in->buffer) goto out;
    in->fd = is_fed       ? fed.fd
             : std        ? STDIN_FILENO
             : in->socket ? trj_connection_open(path, err)
                          : open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    if (is_fed) fed.path = NULL;
    in->fed_by_file = is_fed && !fed.pipe;
    in->check_fed = is_fed ? fed.check : NULL;
    if (in->fd < 0 && in->socket) {
        trj_fail_at(err, "%s", in->name);
        goto out;
    }
    if (in->fd < 0 || fstat(in->fd, &st)) {
        trj_fail_errno(err, "%s", in->name);
        goto out;
    }
    if (S_ISDIR(st.st_mode)) {
        const bool desmond = trj_desmond_is_folder(in->fd);
        trj_fail(err, desmond ? TRJ_BAD_DATA : TRJ_FAILED, "%s: %s", in->name,
                 desmond ? trj_desmond : "is a directory");
        goto out;
    }
    if (std && isatty(in->fd)) { // the tool would wait without a message
        trj_fail(err, TRJ_USAGE, "stdin: is a terminal; give a file, or connect a pipe: PROGRAM | TOOL");
        goto out;
    }
    if (trj_used_files_add_input(&st, in->name, err)) goto out;
    in->regular = S_ISREG(st.st_mode);
    off_t here = in->regular ? lseek(in->fd, 0, SEEK_CUR) : 0;
    if (here < 0) {
        trj_fail_errno(err, "%s", in->name);
        goto out;
    }
    trj_pipe_enlarge(in->fd);
    in->start = (uint64_t)here;
    in->max_size = in->regular ? (uint64_t)st.st_size : 0;
    in->changed = st.st_mtim;
    *out = in;
    return 0;
out:
    trj_input_close(in);
    return -1;
}

int trj_input_open(struct trj_input **out, const char *path, struct trj_error *err) {
    struct trj_input *in;
    if (trj_input_open_raw(&in, path, err)) return -1;
    if (in->socket ? fill(in, TRJ_INPUT_GREETING, err) : begin(in, err)) {
        trj_fail_at(err, "%s", in->name);
        trj_input_close(in);
        return -1;
    }
    *out = in;
    return 0;
}

int trj_input_open_followed(struct trj_input **out, const char *path, struct trj_error *err) {
    struct trj_input *in;
    const unsigned char *head;
    size_t n;
    if (trj_input_open_raw(&in, path, err)) return -1;
    in->follows = true;
    int rc = trj_input_peek(in, &head, TRJ_INPUT_PEEK, &n, err);
    const char *compression = rc ? NULL : trj_compression_name(head, n);
    if (compression) rc = trj_fail(err, TRJ_USAGE, "is compressed with %s; a growing file must not be", compression);
    if (rc) trj_fail_at(err, "%s", in->name);
    if (!rc && !n) rc = trj_input_check_interruption(in, err); // otherwise the file is empty
    *out = in;
    if (rc) trj_input_close(in);
    return rc;
}

bool trj_input_is_live(const struct trj_input *in) {
    return in->socket || in->follows;
}

bool trj_input_live_ended(const struct trj_input *in) {
    return trj_input_is_live(in) && in->ended;
}

void trj_input_interrupt(struct trj_input *in, const struct trj_error *err) {
    if (in->interruption.status == TRJ_OK && !trj_stop_requested()) in->interruption = *err;
}

int trj_input_check_interruption(const struct trj_input *in, struct trj_error *err) {
    if (in->interruption.status == TRJ_OK) return 0;
    *err = in->interruption;
    return -1;
}

int trj_input_reply(struct trj_input *in, const void *data, size_t n, struct trj_error *err) {
    if (!in->socket) return 0;
    ssize_t k;
    do k = send(in->fd, data, n, MSG_NOSIGNAL);
    while (k < 0 && errno == EINTR);
    if (k < 0) return trj_fail_errno(err, "cannot send to the server");
    return (size_t)k == n ? 0 : trj_fail(err, TRJ_FAILED, "the server does not accept data; start it again");
}

void trj_input_close(struct trj_input *in) {
    if (!in) return;
    trj_unpack_close(in->unpack);
    if (in->fd > STDIN_FILENO) close(in->fd);
    if (in->fd == STDIN_FILENO && in->regular) lseek(in->fd, 0, SEEK_END); // see input.h
    for (int i = 0; i < 2; i++)
        if (in->wake[i] >= 0) close(in->wake[i]);
    pthread_mutex_destroy(&in->lock);
    free(in->kept.data);
    free(in->buffer);
    free(in->name);
    free(in);
}

const char *trj_input_name(const struct trj_input *in) {
    return in->name;
}

bool trj_input_is_pipe(const struct trj_input *in) {
    return !in->regular || in->follows;
}

bool trj_input_has_writer(const struct trj_input *in) {
    return trj_input_is_pipe(in) && !in->fed_by_file;
}

int trj_input_descriptor(const struct trj_input *in) {
    return in->fd;
}

uint64_t trj_input_start(const struct trj_input *in) {
    return in->start;
}

uint64_t trj_input_offset(const struct trj_input *in) {
    return in->offset;
}

uint64_t trj_input_file_offset(const struct trj_input *in) {
    return in->unpack ? trj_unpack_offset(in->unpack) : (uint64_t)((double)in->offset * in->share);
}

struct size {
    uint64_t bytes, max; // from the start of the input: now, and the largest number seen
    bool changed;        // the file was written to since it had this size for the first time
};

// Returns 1, 0 if the input is no file, and -1 after an error.
static int file_size(struct trj_input *in, struct size *size, struct trj_error *err) {
    struct stat st;
    if (!in->regular) return 0;
    pthread_mutex_lock(&in->lock);
    int rc = fstat(in->fd, &st);
    uint64_t bytes = rc ? 0 : (uint64_t)st.st_size;
    if (!rc && bytes > in->max_size) {
        in->max_size = bytes;
        in->changed = st.st_mtim;
    }
    uint64_t max = in->max_size;
    size->changed = !rc && (st.st_mtim.tv_sec != in->changed.tv_sec || st.st_mtim.tv_nsec != in->changed.tv_nsec);
    pthread_mutex_unlock(&in->lock);
    if (rc) return trj_fail_errno(err, "cannot read the size of the file");
    size->bytes = bytes > in->start ? bytes - in->start : 0;
    size->max = max > in->start ? max - in->start : 0;
    return 1;
}

int trj_input_check_size_at(struct trj_input *in, uint64_t offset, struct trj_error *err) {
    struct size size;
    if (in->check_fed && in->check_fed(err)) return -1;
    int known = file_size(in, &size, err);
    if (known <= 0) return known;
    if (size.bytes < size.max)
        return trj_fail(err, TRJ_BAD_DATA,
                        "byte %llu: truncated: the file became shorter while it was read: it had %llu bytes, now it "
                        "has %llu; read it again when no other program writes to it",
                        (unsigned long long)offset, (unsigned long long)size.max, (unsigned long long)size.bytes);
    if (!size.changed || in->follows) return 0;
    return trj_fail(err, TRJ_BAD_DATA,
                    "byte %llu: the file was changed while it was read, without a change of its size; read it again "
                    "when no other program writes to it",
                    (unsigned long long)offset);
}

int trj_input_check_size(struct trj_input *in, struct trj_error *err) {
    return trj_input_check_size_at(in, in->offset, err);
}

int trj_input_find_size(struct trj_input *in, uint64_t *size, struct trj_error *err) {
    struct size found;
    int known = in->unpack || in->follows ? 0 : file_size(in, &found, err);
    if (known > 0) *size = found.bytes;
    return known;
}

bool trj_input_size(struct trj_input *in, uint64_t *size) {
    struct trj_error ignored; // the size is then unknown
    return trj_input_find_size(in, size, &ignored) > 0;
}

bool trj_name_ends_in(const char *name, const char *ending) {
    size_t n = strlen(name), k = strlen(ending);
    return n + (*ending != '.') > k && !strcasecmp(name + n - k, ending);
}

bool trj_name_is_compressed(const char *name) {
    static const char *const endings[] = {".gz", ".zst", ".xz", ".bz2"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (trj_name_ends_in(name, endings[i])) return true;
    return false;
}

bool trj_input_ends_in(const struct trj_input *in, const char *ending) {
    size_t n = strlen(in->name), m = strlen(in->ending), k = strlen(ending);
    if (n > m && !strcasecmp(in->name + n - m, in->ending)) n -= m;
    return n + (*ending != '.') > k && !strncasecmp(in->name + n - k, ending, k);
}

int trj_input_file(const struct trj_input *in, uint64_t *offset) {
    *offset = in->start + in->offset;
    return in->regular && !in->unpack && !in->follows ? in->fd : -1;
}

void trj_input_path(const struct trj_input *in, char path[TRJ_INPUT_PATH]) {
    snprintf(path, TRJ_INPUT_PATH, "/dev/fd/%d", in->fd);
}

// Reads TRJ_INPUT_PEEK bytes at an offset, or all bytes up to the end of the file.
static int read_at(const struct trj_input *in, uint64_t offset, unsigned char *data, size_t *n, struct trj_error *err) {
    ssize_t r;
    for (*n = 0; *n < TRJ_INPUT_PEEK; *n += (size_t)r) {
        do r = pread(in->fd, data + *n, TRJ_INPUT_PEEK - *n, (off_t)(in->start + offset + *n));
        while (r < 0 && errno == EINTR);
        if (r < 0) return trj_fail_errno(err, "cannot read");
        if (r == 0) break;
    }
    return 0;
}

int trj_input_fingerprint(struct trj_input *in, uint64_t *print, struct trj_error *err) {
    const unsigned char *head;
    struct size found;
    size_t n;
    *print = 0;
    if (in->socket) return 0;
    int known = file_size(in, &found, err);
    if (known < 0) return -1;
    uint64_t size = known ? found.bytes : 0;
    if (!known) {
        if (trj_input_peek(in, &head, TRJ_INPUT_PEEK, &n, err)) return -1;
        *print = trj_hash(head, n, 0);
        return 0;
    }
    unsigned char *data = trj_alloc(TRJ_INPUT_PEEK, 1, "a fingerprint", err);
    if (!data) return -1;
    int rc = read_at(in, 0, data, &n, err);
    if (!rc) *print = trj_hash(data, n, size);
    if (!rc && size > TRJ_INPUT_PEEK) {
        uint64_t tail = size - TRJ_INPUT_PEEK;
        if (!(rc = read_at(in, tail > TRJ_INPUT_PEEK ? tail : TRJ_INPUT_PEEK, data, &n, err)))
            *print = trj_hash(data, n, *print);
    }
    free(data);
    return rc;
}

// ---- waiting

static int fail_woken(struct trj_error *err) {
    return trj_fail(err, TRJ_FAILED, "reading was stopped");
}

int trj_input_allow_wake(struct trj_input *in, struct trj_error *err) {
    if (in->wake[0] >= 0) return 0;
    if (pipe(in->wake)) {
        in->wake[0] = in->wake[1] = -1;
        return trj_fail_errno(err, "a pipe");
    }
    for (int i = 0; i < 2; i++)
        if (fcntl(in->wake[i], F_SETFD, FD_CLOEXEC)) return trj_fail_errno(err, "a pipe");
    return 0;
}

void trj_input_wake(struct trj_input *in) {
    if (in->wake[1] < 0) return;
    while (write(in->wake[1], "", 1) < 0 && errno == EINTR) continue;
    if (in->unpack) trj_unpack_wake(in->unpack);
}

// Waits for data of a pipe if trj_input_wake may be called meanwhile.
static int wait_for_data(struct trj_input *in, struct trj_error *err) {
    struct pollfd wait[] = {{.fd = in->fd, .events = POLLIN}, {.fd = in->wake[0], .events = POLLIN}};
    int got = 0;
    if (in->regular || in->wake[0] < 0 || in->has_data) return 0;
    while (got <= 0) {
        got = poll(wait, 2, -1);
        if (got < 0 && errno != EINTR) return trj_fail_errno(err, "cannot read");
    }
    return wait[1].revents ? fail_woken(err) : 0;
}

// Fails if the name of the file that is followed now belongs to another file, or if the file was removed.
static int check_replaced(const struct trj_input *in, struct trj_error *err) {
    struct stat now, own;
    int missing = stat(in->name, &now);
    if ((missing && errno != ENOENT) || fstat(in->fd, &own)) return trj_fail_errno(err, "cannot be followed");
    if (!missing && now.st_dev == own.st_dev && now.st_ino == own.st_ino) return 0;
    return trj_fail(err, TRJ_BAD_DATA,
                    "was replaced or removed while it was followed; start this program again to read a new file");
}

static void keep_tail(struct trj_input *in, const unsigned char *data, size_t n) {
    size_t take = n < TAIL ? n : TAIL, stay = TAIL - take < in->tail_size ? TAIL - take : in->tail_size;
    memmove(in->tail, in->tail + in->tail_size - stay, stay);
    memcpy(in->tail + stay, data + n - take, take);
    in->tail_size = stay + take;
}

// Fails if the bytes before `here`, up to which the file was read, have changed: another program has then truncated the
// file and written more bytes than had been read, between two checks of this program.
static int check_tail(const struct trj_input *in, off_t here, struct trj_error *err) {
    unsigned char now[TAIL];
    ssize_t n;
    do n = pread(in->fd, now, in->tail_size, here - (off_t)in->tail_size);
    while (n < 0 && errno == EINTR);
    if (n < 0) return trj_fail_errno(err, "cannot be followed");
    if (n == (ssize_t)in->tail_size && !memcmp(now, in->tail, in->tail_size)) return 0;
    return trj_fail(err, TRJ_BAD_DATA,
                    "byte %lld: was rewritten while it was followed; start this program again to read a new file",
                    (long long)here);
}

// Waits a moment, or until the descriptor (-1: none) has data. Returns whether it has.
static int wait_moment(const struct trj_input *in, int fd, struct trj_error *err) {
    enum { MOMENT = 50 }; // ms
    struct pollfd wait[] = {{.fd = fd, .events = POLLIN}, {.fd = in->wake[0], .events = POLLIN}};
    int got = poll(wait, 2, MOMENT);
    if (got < 0 && errno != EINTR) return trj_fail_errno(err, "cannot wait for data");
    if (got > 0 && wait[1].revents) return fail_woken(err);
    return got > 0;
}

// Waits a moment for more data of a file that is followed. Returns whether it has some.
static int await_growth(struct trj_input *in, struct trj_error *err) {
    struct stat st;
    off_t here = lseek(in->fd, 0, SEEK_CUR);
    if (here < 0 || fstat(in->fd, &st)) return trj_fail_errno(err, "cannot be followed");
    if ((uint64_t)here > in->max_size) in->max_size = (uint64_t)here;
    if (here < st.st_size) return check_tail(in, here, err) ? -1 : 1;
    if (trj_input_check_size(in, err) || check_replaced(in, err)) return -1;
    return wait_moment(in, -1, err);
}

// Waits a moment for data of a live input. Returns 1 if it may have some, 0 if it has none yet, -1 if none will come.
static int await_data(struct trj_input *in) {
    struct trj_error why;
    if (trj_stop_requested()) return -1;
    int ready = in->socket ? wait_moment(in, in->fd, &why) : await_growth(in, &why);
    if (ready >= 0) return ready;
    trj_fail_at(&why, "%s", in->name);
    trj_input_interrupt(in, &why);
    return -1;
}

// Reads the next bytes of a live input, for which it waits. *got is 0 if the user stops, or if none will come.
static int read_live(struct trj_input *in, void *data, size_t n, size_t *got, struct trj_error *err) {
    for (*got = 0; n;) {
        int ready = await_data(in);
        if (ready < 0) return 0;
        ssize_t r = ready ? read(in->fd, data, n) : 0;
        if (r < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (r < 0 && in->socket && (errno == ECONNRESET || errno == ETIMEDOUT)) return 0; // the server has ended
        if (r < 0) return trj_fail_errno(err, "cannot read");
        *got = (size_t)r;
        if (in->follows) keep_tail(in, data, *got);
        if (r || (ready && in->socket)) return 0;
    }
    return 0;
}

// Calls read(2) again after signals, or unpacks. *got is 0 only at the end of the data.
static int read_source(struct trj_input *in, void *data, size_t n, size_t *got, struct trj_error *err) {
    ssize_t r;
    *got = 0;
    if (trj_input_is_live(in)) return read_live(in, data, n, got, err);
    if (in->unpack) {
        if (trj_unpack_read(in->unpack, data, n, got, err)) {
            if (err->truncated) (void)trj_input_check_size(in, err); // if it fails, its error gives the cause
            return -1;
        }
    } else {
        if (wait_for_data(in, err)) return -1;
        in->has_data = false;
        do r = read(in->fd, data, n);
        while (r < 0 && errno == EINTR);
        if (r < 0) return trj_fail_errno(err, "cannot read");
        *got = (size_t)r;
    }
    return *got || !n ? 0 : trj_input_check_size(in, err);
}

// Makes the capacity enough for *n more bytes, or reduces *n to the allowed number. It is called before these bytes are
// read, so that a failure loses no data.
static int make_room(struct trj_input_bytes *kept, size_t *n, struct trj_error *err) {
    if (*n > TRJ_INPUT_MARK_MAX - kept->size) *n = TRJ_INPUT_MARK_MAX - kept->size;
    if (!*n)
        return trj_fail(err, TRJ_BAD_DATA, "must be read twice, but only %d MiB of a pipe can be buffered; use a file",
                        TRJ_INPUT_MARK_MAX >> 20);
    return trj_grow(&kept->data, &kept->capacity, kept->size + *n, 1, "buffered input", err);
}

static void keep(struct trj_input *in, const void *data, size_t n) {
    memcpy(in->kept.data + in->kept.size, data, n);
    in->kept_at = in->kept.size += n;
}

// Copies up to n bytes that were kept.
static size_t read_kept(struct trj_input *in, void *data, size_t n) {
    struct trj_input_bytes *kept = &in->kept;
    size_t left = kept->size - in->kept_at, got = left < n ? left : n;
    memcpy(data, kept->data + in->kept_at, got);
    in->kept_at += got;
    if (got == left && !in->keeps) {
        free(kept->data);
        *kept = (struct trj_input_bytes){.data = NULL};
        in->kept_at = 0;
    }
    return got;
}

// Reads the next bytes, from those that were kept or from the source. *got is 0 only at the end of the data.
static int read_once(struct trj_input *in, void *data, size_t n, size_t *got, struct trj_error *err) {
    if (in->kept_at < in->kept.size) {
        *got = read_kept(in, data, n);
        return 0;
    }
    if ((in->keeps && make_room(&in->kept, &n, err)) || read_source(in, data, n, got, err)) return -1;
    in->ended = *got == 0;
    if (in->keeps && *got) keep(in, data, *got);
    return 0;
}

// Fills the buffer until it holds `want` unread bytes or the data ends.
static int fill(struct trj_input *in, size_t want, struct trj_error *err) {
    if (in->begin + want > in->capacity) {
        memmove(in->buffer, in->buffer + in->begin, in->end - in->begin);
        in->end -= in->begin;
        in->begin = 0;
    }
    while (in->end - in->begin < want && !in->ended) {
        size_t got, missing = want - (in->end - in->begin), n = in->capacity - in->end;
        if (in->large_read && n > BETWEEN) n = missing > BETWEEN ? missing : BETWEEN;
        if (read_once(in, in->buffer + in->end, n, &got, err)) return -1;
        in->end += got;
    }
    in->large_read = false;
    return 0;
}

int trj_input_peek(struct trj_input *in, const unsigned char **data, size_t want, size_t *got, struct trj_error *err) {
    if (want > TRJ_INPUT_PEEK) want = TRJ_INPUT_PEEK;
    // A live input may take long to deliver that many bytes.
    size_t min = want == TRJ_INPUT_PEEK && trj_input_is_live(in) ? 1 : want;
    if (fill(in, min, err)) return -1;
    *data = in->buffer + in->begin;
    *got = in->end - in->begin < want ? in->end - in->begin : want;
    return 0;
}

int trj_input_peek_far(struct trj_input *in, const unsigned char **data, size_t want, size_t *got,
                       struct trj_error *err) {
    if (want > TRJ_INPUT_PEEK_FAR) want = TRJ_INPUT_PEEK_FAR;
    if (want > in->capacity && trj_grow(&in->buffer, &in->capacity, want, 1, "an input buffer", err)) return -1;
    if (fill(in, want, err)) return -1;
    size_t unread = trj_input_buffered(in, data);
    *got = unread < want ? unread : want;
    return 0;
}

size_t trj_input_buffered(const struct trj_input *in, const unsigned char **data) {
    *data = in->buffer + in->begin;
    return in->end - in->begin;
}

int trj_input_read_some(struct trj_input *in, void *data, size_t n, size_t *got, struct trj_error *err) {
    unsigned char *to = data;
    *got = 0;
    while (*got < n) {
        size_t have = in->end - in->begin, want = n - *got;
        if (!have && in->ended) break;
        if (have) {
            size_t k = have < want ? have : want;
            memcpy(to + *got, in->buffer + in->begin, k);
            in->begin += k;
            *got += k;
        } else if (want >= TRJ_INPUT_PEEK) { // large reads do not use the buffer
            size_t k;
            if (read_once(in, to + *got, want, &k, err)) return -1;
            *got += k;
            in->large_read = true;
        } else {
            if (fill(in, 1, err)) return -1;
        }
    }
    in->offset += *got;
    return 0;
}

// Reads bytes [from, to) of the parts, at most as many as one part has. *got is 0 only at the end of the data.
static int read_into_parts(struct trj_input *in, const struct iovec *parts, size_t from, size_t to, size_t *got,
                           struct trj_error *err) {
    while (from >= parts->iov_len) {
        from -= parts->iov_len;
        to -= parts++->iov_len;
    }
    if (to > parts->iov_len) to = parts->iov_len;
    return trj_input_read_some(in, (unsigned char *)parts->iov_base + from, to - from, got, err);
}

int trj_input_read_parts(struct trj_input *in, const struct iovec *parts, int count, struct trj_pipe_store *store,
                         const char *what, struct trj_error *err) {
    size_t n = 0, done = 0, got, buffered = in->end - in->begin;
    bool moves = !in->regular && !in->unpack && !in->keeps && in->kept_at == in->kept.size;
    for (int i = 0; i < count; i++) n += parts[i].iov_len;
    for (size_t until = moves && buffered < n ? buffered : n; done < n; done += got) {
        if (done == until) {
            in->has_data = false;
            trj_pipe_store_fill(store, in->fd, n - until, until, in->wake[0]);
            in->offset += got = store->bytes;
            until = n;
            continue;
        }
        if (read_into_parts(in, parts, done, until, &got, err)) return -1;
        if (!got) return trj_input_fail_truncated(in, in->offset, n, done, what, err);
    }
    in->large_read = true;
    return 0;
}

void trj_input_set_end_error(struct trj_input *in, uint64_t offset, uint64_t n, uint64_t found, const char *what,
                             struct trj_error *err) {
    if (!trj_input_check_size_at(in, offset, err)) trj_error_set_truncated(err, offset, what, n, found);
}

int trj_input_read(struct trj_input *in, void *data, size_t n, const char *what, struct trj_error *err) {
    size_t got;
    if (trj_input_read_some(in, data, n, &got, err)) return -1;
    return got == n ? 0 : trj_input_fail_truncated(in, in->offset, n, got, what, err);
}

int trj_input_check_left(struct trj_input *in, uint64_t n, const char *what, struct trj_error *err) {
    uint64_t size;
    if (!trj_input_size(in, &size) || (size >= in->offset && size - in->offset >= n)) return 0;
    uint64_t found = size > in->offset ? size - in->offset : 0;
    return trj_input_fail_truncated(in, in->offset + found, n, found, what, err);
}

int trj_input_defer(struct trj_input *in, uint64_t n, const char *what, struct trj_error *err) {
    if (trj_input_check_left(in, n, what, err) || trj_input_seek(in, in->offset + n, err)) return -1;
    in->large_read = true;
    return 0;
}

int trj_input_read_deferred(struct trj_input *in, uint64_t offset, void *data, size_t n, size_t from, size_t to,
                            const char *what, struct trj_error *err) {
    for (size_t have = from; have < to;) {
        ssize_t r = pread(in->fd, (unsigned char *)data + have, to - have, (off_t)(offset + have));
        if (r < 0 && errno == EINTR) continue;
        if (r < 0) return trj_fail_errno(err, "cannot read");
        if (!r) return trj_input_fail_truncated(in, offset - in->start + have, n, have, what, err);
        have += (size_t)r;
    }
    return 0;
}

int trj_input_seek(struct trj_input *in, uint64_t offset, struct trj_error *err) {
    if (lseek(in->fd, (off_t)(in->start + offset), SEEK_SET) < 0) return trj_fail_errno(err, "cannot seek");
    in->begin = in->end = 0;
    in->ended = false;
    in->offset = offset;
    return 0;
}

// ---- reading again

int trj_input_mark(struct trj_input *in, struct trj_error *err) {
    size_t n = in->end - in->begin;
    if (!in->regular && !in->kept.size && n) {
        if (make_room(&in->kept, &n, err)) return -1;
        keep(in, in->buffer + in->begin, n);
    }
    in->keeps = !in->regular;
    return 0;
}

int trj_input_rewind(struct trj_input *in, struct trj_error *err) {
    bool compressed = in->unpack;
    if (in->regular) {
        trj_unpack_close(in->unpack);
        in->unpack = NULL;
        return trj_input_seek(in, 0, err) || (compressed && begin(in, err)) ? -1 : 0;
    }
    in->keeps = in->ended = false;
    in->begin = in->end = in->kept_at = 0;
    in->offset = 0;
    return 0;
}

static int fail_copy(const char *folder, struct trj_error *err) {
    return trj_fail_errno(err, "requires random access, and cannot be copied to a temporary file in %s (TMPDIR)",
                          folder);
}

static int write_all(int fd, const unsigned char *data, size_t n) {
    while (n) {
        ssize_t k = write(fd, data, n);
        if (k < 0 && errno == EINTR) continue;
        if (k < 0) return -1;
        data += k;
        n -= (size_t)k;
    }
    return 0;
}

// Copies the rest of the input to fd. *size is the number of bytes.
static int copy_to(struct trj_input *in, int fd, const char *folder, uint64_t *size, struct trj_error *err) {
    for (*size = 0; !fill(in, 1, err); *size += in->end - in->begin, in->begin = in->end = 0) {
        if (in->begin == in->end) return 0;
        if (write_all(fd, in->buffer + in->begin, in->end - in->begin)) return fail_copy(folder, err);
    }
    return -1;
}

int trj_input_spool(struct trj_input *in, struct trj_error *err) {
    const char *folder;
    uint64_t size;
    if (in->regular && !in->start && !in->unpack) return 0;
    int fd = trj_temporary_file(&folder), rc = fd < 0 ? fail_copy(folder, err) : copy_to(in, fd, folder, &size, err);
    if (!rc && in->unpack && size) in->share = (double)trj_unpack_offset(in->unpack) / (double)size;
    trj_unpack_close(in->unpack); // before dup2 replaces the file that it reads
    in->unpack = NULL;
    if (!rc && dup2(fd, in->fd) < 0) rc = fail_copy(folder, err);
    if (fd >= 0) close(fd);
    if (!rc && in->fd != STDIN_FILENO && fcntl(in->fd, F_SETFD, FD_CLOEXEC)) rc = fail_copy(folder, err);
    struct stat st;
    if (!rc && fstat(in->fd, &st)) rc = fail_copy(folder, err);
    if (rc) return -1;
    in->regular = true;
    in->start = 0;
    in->max_size = size;
    in->changed = st.st_mtim;
    return trj_input_seek(in, 0, err);
}

int trj_input_skip(struct trj_input *in, uint64_t n, const char *what, struct trj_error *err) {
    uint64_t size, passed = 0;
    if (n > in->end - in->begin && trj_input_size(in, &size))
        return trj_input_check_left(in, n, what, err) ? -1 : trj_input_seek(in, in->offset + n, err);
    while (passed < n) {
        if (fill(in, 1, err)) return -1;
        size_t have = in->end - in->begin;
        if (!have) return trj_input_fail_truncated(in, in->offset, n, passed, what, err);
        size_t k = have < n - passed ? have : (size_t)(n - passed);
        in->begin += k;
        in->offset += k;
        passed += k;
    }
    return 0;
}

static int too_long(const struct trj_input *in, struct trj_error *err) {
    return trj_fail(err, TRJ_BAD_DATA, "line longer than %d bytes at byte %llu", LONGEST_LINE,
                    (unsigned long long)in->offset);
}

int trj_input_line(struct trj_input *in, char **line, size_t *length, struct trj_error *err) {
    size_t seen = 0; // unread bytes that contain no newline
    for (;;) {
        size_t have = in->end - in->begin;
        unsigned char *from = in->buffer + in->begin;
        unsigned char *newline = have > seen ? memchr(from + seen, '\n', have - seen) : NULL;
        if (newline || (in->ended && have && !trj_input_is_live(in))) {
            size_t n = newline ? (size_t)(newline - from) : have, taken = n + (newline != NULL);
            if (n && from[n - 1] == '\r') n--;
            if (n > LONGEST_LINE) return too_long(in, err); // does not depend on the sizes of the reads
            in->begin += taken;
            in->offset += taken;
            from[n] = 0; // overwrites the line end, or the byte that is reserved after the data
            in->newline = newline != NULL;
            *line = (char *)from;
            *length = n;
            return 1;
        }
        if (in->ended) return 0;
        if (have > LONGEST_LINE + 1) return too_long(in, err);
        seen = have;
        if (have + 2 > in->capacity && trj_grow(&in->buffer, &in->capacity, have + 2, 1, "an input buffer", err))
            return -1;
        if (in->begin && in->end + 2 > in->capacity) {
            memmove(in->buffer, from, have);
            in->begin = 0;
            in->end = have;
        }
        size_t got;
        if (read_once(in, in->buffer + in->end, in->capacity - 1 - in->end, &got, err)) return -1;
        in->end += got;
    }
}

// Returns the number of newlines in n bytes. Compilers vectorise sums of bytes, but not calls of memchr.
static size_t count_newlines(const unsigned char *text, size_t n) {
    enum { STEP = 128 };
    size_t count = 0;
    for (; n >= STEP; text += STEP, n -= STEP) {
        unsigned char some = 0;
        for (size_t i = 0; i < STEP; i++) some = (unsigned char)(some + (text[i] == '\n'));
        count += some;
    }
    for (size_t i = 0; i < n; i++) count += text[i] == '\n';
    return count;
}

// Returns how many of the next n bytes to take: at most `lines` lines. *found is the number of newlines in them. *line,
// the offset at which the current line begins, is updated. Returns 0 if a line is too long.
static size_t some_lines(struct trj_input *in, size_t n, uint64_t lines, uint64_t *found, uint64_t *line) {
    enum { STEP = 1 << 12 };
    const unsigned char *text = in->buffer + in->begin;
    size_t take = 0;
    *found = 0;
    while (take < n && *found < lines) {
        const unsigned char *next = text + take, *newline = next;
        size_t some = n - take < STEP ? n - take : STEP, count = count_newlines(next, some);
        if (count) newline = memchr(next, '\n', some);
        if (in->offset + take + (count ? (size_t)(newline - next) : some) - *line > LONGEST_LINE + 1) return 0;
        if (count >= lines - *found) { // the last line ends here
            for (count = (size_t)(lines - *found); --count;)
                newline = memchr(newline + 1, '\n', (size_t)(next + some - newline) - 1);
            *found = lines;
            return (size_t)(newline - text) + 1;
        }
        *found += count;
        take += some;
        if (!count) continue;
        while (next[--some] != '\n') {}
        *line = in->offset + (uint64_t)(next - text) + some + 1;
    }
    return take;
}

int trj_input_lines(struct trj_input *in, uint64_t lines, struct trj_input_bytes *to, uint64_t *got,
                    struct trj_error *err) {
    uint64_t line = in->offset, found;
    *got = 0;
    while (*got < lines) {
        if (fill(in, 1, err)) return -1;
        size_t have = in->end - in->begin;
        if (!have) break;
        size_t n = some_lines(in, have, lines - *got, &found, &line);
        *got += found;
        if (!n) {
            in->offset = line;
            return too_long(in, err);
        }
        if (trj_grow(&to->data, &to->capacity, to->size + n + 1, 1, "lines", err)) return -1;
        memcpy(to->data + to->size, in->buffer + in->begin, n);
        to->size += n;
        in->begin += n;
        in->offset += n;
        in->newline = to->data[to->size - 1] == '\n';
    }
    // The last line may have no newline. In a live input it is then incomplete.
    *got += *got < lines && in->offset > line && !trj_input_is_live(in);
    return 0;
}

bool trj_input_pauses(struct trj_input *in) {
    enum { PAUSE = 10 }; // ms: longer than the turns of programs that share the cores
    struct stat st;
    if (in->begin < in->end || in->kept_at < in->kept.size) return false;
    if (in->regular) return in->follows && !fstat(in->fd, &st) && lseek(in->fd, 0, SEEK_CUR) >= st.st_size;
    int got = poll(&(struct pollfd){.fd = in->fd, .events = POLLIN}, 1, PAUSE);
    in->has_data = got > 0;
    return !got;
}

bool trj_input_at_end(const struct trj_input *in) {
    return in->ended && in->begin == in->end;
}

bool trj_input_line_has_newline(const struct trj_input *in) {
    return in->newline;
}
