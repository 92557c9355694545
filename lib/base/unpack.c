// SPDX-License-Identifier: MIT
// Unpacks in a thread of its own into two buffers, so that decompression and decoding overlap in bounded memory.
#include "unpack.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>
#include <zstd_errors.h>
#ifdef TRJPIPE_ZLIB
#include <zlib.h>
#endif
#ifdef TRJPIPE_BZIP2
#include <bzlib.h>
#endif
#ifdef TRJPIPE_XZ
#include <lzma.h>
#endif

#include "libraries.h"
#include "memory.h"

const char *trj_version_of_zstd(void) {
    return ZSTD_versionString();
}

#ifdef TRJPIPE_ZLIB
const char *trj_version_of_zlib(void) {
    return zlibVersion();
}
#endif

#ifdef TRJPIPE_BZIP2
// The library returns "1.0.8, 13-Jul-2019".
const char *trj_version_of_bzip2(void) {
    static char text[16];
    const char *version = BZ2_bzlibVersion();
    snprintf(text, sizeof text, "%.*s", (int)strcspn(version, ","), version);
    return text;
}
#endif

#ifdef TRJPIPE_XZ
const char *trj_version_of_xz(void) {
    return lzma_version_string();
}
#endif

enum { BUFFER_SIZE = 1 << 18, BUFFERS = 2, WINDOW_LOG = 27, XZ_MEMORY = 1 << 27 };

struct output_buffer {
    unsigned char *data; // [BUFFER_SIZE]
    size_t size;
};

struct trj_unpack {
    const struct compression *format;
    void *state; // of the library
    int fd;
    int wake[2];       // a pipe; a byte in it ends the thread while it waits for input
    unsigned char *in; // [TRJ_UNPACK_INPUT] unread bytes are in[begin, end)
    size_t begin, end;
    size_t want;     // bytes that the next step should have
    uint64_t offset; // offset of in[begin] in the compressed data
    bool ended;      // the file has no bytes after in[end]
    bool within;     // the position is within a member, not between two
    bool waiting;    // the library may have more output, which did not fit
    pthread_t thread;
    bool started;
    pthread_mutex_t lock; // protects the members below, but not the content of the buffers
    pthread_cond_t moved; // `filled`, `taken`, `stop` or `over` has changed
    struct output_buffer buffer[BUFFERS];
    unsigned filled, taken;  // number of buffers that the thread has filled; that the caller has read
    uint64_t passed;         // compressed bytes of the filled buffers
    size_t given;            // bytes that were read from the current buffer
    bool stop, over, failed; // stop: the thread must end; over: no more buffers follow; failed: `err` is set
    struct trj_error err;
};

struct compression {
    const char *name, *ending, *lacks; // lacks: the library that this build lacks; NULL: none
    const char *magic, *mask;          // first bytes of a member; mask of their significant bits (NULL: all)
    size_t length;
    size_t padding; // zero bytes may follow a member in multiples of this number; 0: none may
    int (*start)(struct trj_unpack *u, struct trj_error *err);
    // Unpacks input into *p; at the end of a member `within` becomes false.
    int (*step)(struct trj_unpack *u, struct output_buffer *p, struct trj_error *err);
    void (*end)(struct trj_unpack *u);
};

static void pass(struct trj_unpack *u, size_t n) {
    u->begin += n;
    u->offset += n;
}

static int damaged(const struct trj_unpack *u, const char *why, struct trj_error *err) {
    return trj_fail(err, TRJ_BAD_DATA, "its %s data are damaged at byte %llu of the compressed file: %s",
                    u->format->name, (unsigned long long)u->offset, why ? why : "invalid data");
}

// ---- gzip

#ifdef TRJPIPE_ZLIB
static int gzip_start(struct trj_unpack *u, struct trj_error *err) {
    z_stream *z = u->state = trj_alloc(1, sizeof *z, "unpacking", err);
    if (!z) return -1;
    if (inflateInit2(z, 16 + MAX_WBITS) == Z_OK) return 0; // 16: with the header and the checksum of gzip
    free(z);
    u->state = NULL;
    return trj_fail_memory(err, 1 << MAX_WBITS, "unpacking");
}

static int gzip_step(struct trj_unpack *u, struct output_buffer *p, struct trj_error *err) {
    z_stream *z = u->state;
    size_t n = u->end - u->begin;
    z->next_in = u->in + u->begin;
    z->avail_in = (unsigned)n;
    z->next_out = p->data + p->size;
    z->avail_out = (unsigned)(BUFFER_SIZE - p->size);
    int rc = inflate(z, Z_NO_FLUSH);
    pass(u, n - z->avail_in);
    p->size = BUFFER_SIZE - z->avail_out;
    if (rc == Z_MEM_ERROR) return trj_fail_memory(err, 1 << MAX_WBITS, "unpacking");
    if (rc != Z_OK && rc != Z_BUF_ERROR && rc != Z_STREAM_END) return damaged(u, z->msg, err);
    u->within = rc != Z_STREAM_END;
    if (!u->within) inflateReset(z);
    return 0;
}

static void gzip_end(struct trj_unpack *u) {
    inflateEnd(u->state);
    free(u->state);
}
#endif

// ---- bzip2

#ifdef TRJPIPE_BZIP2
enum { BZIP2_MEMORY = 4 << 20 };

static int bzip2_start(struct trj_unpack *u, struct trj_error *err) {
    bz_stream *z = u->state = trj_alloc(1, sizeof *z, "unpacking", err);
    if (!z) return -1;
    if (BZ2_bzDecompressInit(z, 0, 0) == BZ_OK) return 0;
    free(z);
    u->state = NULL;
    return trj_fail_memory(err, BZIP2_MEMORY, "unpacking");
}

static void bzip2_end(struct trj_unpack *u) {
    BZ2_bzDecompressEnd(u->state); // has no effect on a stream that has ended
    free(u->state);
}

static int bzip2_step(struct trj_unpack *u, struct output_buffer *p, struct trj_error *err) {
    bz_stream *z = u->state;
    size_t n = u->end - u->begin;
    z->next_in = (char *)u->in + u->begin;
    z->avail_in = (unsigned)n;
    z->next_out = (char *)p->data + p->size;
    z->avail_out = (unsigned)(BUFFER_SIZE - p->size);
    int rc = BZ2_bzDecompress(z);
    pass(u, n - z->avail_in);
    p->size = BUFFER_SIZE - z->avail_out;
    if (rc == BZ_MEM_ERROR) return trj_fail_memory(err, BZIP2_MEMORY, "unpacking");
    if (rc != BZ_OK && rc != BZ_STREAM_END)
        return damaged(u, rc == BZ_DATA_ERROR_MAGIC ? "invalid header" : "invalid data or checksum mismatch", err);
    u->within = rc != BZ_STREAM_END;
    if (u->within) return 0;
    BZ2_bzDecompressEnd(z);
    memset(z, 0, sizeof *z);
    return BZ2_bzDecompressInit(z, 0, 0) == BZ_OK ? 0 : trj_fail_memory(err, BZIP2_MEMORY, "unpacking");
}
#endif

// ---- xz

#ifdef TRJPIPE_XZ
static int xz_begin(lzma_stream *z, struct trj_error *err) {
    return lzma_stream_decoder(z, XZ_MEMORY, LZMA_TELL_UNSUPPORTED_CHECK) == LZMA_OK
               ? 0
               : trj_fail_memory(err, 1 << 16, "unpacking");
}

static int xz_start(struct trj_unpack *u, struct trj_error *err) {
    static const lzma_stream empty = LZMA_STREAM_INIT;
    lzma_stream *z = u->state = trj_alloc(1, sizeof *z, "unpacking", err);
    if (!z) return -1;
    *z = empty;
    return xz_begin(z, err);
}

static int xz_step(struct trj_unpack *u, struct output_buffer *p, struct trj_error *err) {
    lzma_stream *z = u->state;
    size_t n = u->end - u->begin;
    z->next_in = u->in + u->begin;
    z->avail_in = n;
    z->next_out = p->data + p->size;
    z->avail_out = BUFFER_SIZE - p->size;
    lzma_ret rc = lzma_code(z, LZMA_RUN);
    pass(u, n - z->avail_in);
    p->size = BUFFER_SIZE - z->avail_out;
    switch (rc) {
    case LZMA_OK:
    case LZMA_BUF_ERROR: // no progress: more input is needed
        return 0;
    case LZMA_STREAM_END:
        u->within = false;
        return xz_begin(z, err);
    case LZMA_MEM_ERROR:
        return trj_fail_memory(err, XZ_MEMORY, "unpacking");
    case LZMA_MEMLIMIT_ERROR:
        return trj_fail(err, TRJ_BAD_DATA,
                        "its xz data need %llu MiB of memory to unpack, and at most %d MiB are used; "
                        "unpack it first, with xz -d",
                        (unsigned long long)(lzma_memusage(z) >> 20) + 1, XZ_MEMORY >> 20);
    case LZMA_UNSUPPORTED_CHECK:
        return damaged(u, "unsupported kind of checksum", err);
    case LZMA_OPTIONS_ERROR:
        return damaged(u, "unsupported options", err);
    default:
        return damaged(u, "invalid data or checksum mismatch", err);
    }
}

static void xz_end(struct trj_unpack *u) {
    lzma_end(u->state);
    free(u->state);
}
#endif

// ---- zstd

static int zstd_start(struct trj_unpack *u, struct trj_error *err) {
    u->state = ZSTD_createDCtx();
    if (!u->state || ZSTD_isError(ZSTD_DCtx_setParameter(u->state, ZSTD_d_windowLogMax, WINDOW_LOG)))
        return trj_fail_memory(err, 1 << 17, "unpacking");
    return 0;
}

// Each call passes the number of bytes that the library requests. It then unpacks one block, and the offset of a
// damaged block is known.
static int zstd_step(struct trj_unpack *u, struct output_buffer *p, struct trj_error *err) {
    size_t n = u->end - u->begin;
    ZSTD_inBuffer in = {u->in + u->begin, n < u->want ? n : u->want, 0};
    ZSTD_outBuffer out = {p->data, BUFFER_SIZE, p->size};
    size_t rc = ZSTD_decompressStream(u->state, &out, &in);
    if (ZSTD_isError(rc)) {
        switch (ZSTD_getErrorCode(rc)) {
        case ZSTD_error_frameParameter_windowTooLarge:
            return trj_fail(err, TRJ_BAD_DATA,
                            "its zstd data have a window of over %d MiB; unpack it first, with zstd -d --long=31",
                            1 << (WINDOW_LOG - 20));
        case ZSTD_error_memory_allocation:
            return trj_fail_memory(err, 1 << WINDOW_LOG, "unpacking");
        default:
            return damaged(u, ZSTD_getErrorName(rc), err);
        }
    }
    pass(u, in.pos);
    p->size = out.pos;
    u->within = rc > 0;
    u->want = !rc ? 1 : rc < TRJ_UNPACK_INPUT ? rc : TRJ_UNPACK_INPUT;
    return 0;
}

static void zstd_end(struct trj_unpack *u) {
    ZSTD_freeDCtx(u->state);
}

// ---- detection

#define STEPS(format) .start = format##_start, .step = format##_step, .end = format##_end

#ifdef TRJPIPE_ZLIB
#define GZIP STEPS(gzip)
#else
#define GZIP .lacks = "zlib (make ZLIB=yes)"
#endif
#ifdef TRJPIPE_BZIP2
#define BZIP2 STEPS(bzip2)
#else
#define BZIP2 .lacks = "libbz2 (make BZIP2=yes)"
#endif
#ifdef TRJPIPE_XZ
#define XZ STEPS(xz)
#else
#define XZ .lacks = "liblzma (make XZ=yes)"
#endif

static const struct compression formats[] = {
    {"gzip", ".gz", .magic = "\x1f\x8b\x08", .length = 3, GZIP},
    {"zstd", ".zst", .magic = "\x28\xb5\x2f\xfd", .length = 4, STEPS(zstd)},
    // a skippable frame
    {"zstd", ".zst", .magic = "\x50\x2a\x4d\x18", .mask = "\xf0\xff\xff\xff", .length = 4, STEPS(zstd)},
    // The fourth byte is a digit. The fifth byte begins a block, or the end marker of a stream without blocks.
    {"bzip2", ".bz2", .magic = "BZh\x30\x31", .mask = "\xff\xff\xff\xf0\xff", .length = 5, BZIP2},
    {"bzip2", ".bz2", .magic = "BZh\x30\x17", .mask = "\xff\xff\xff\xf0\xff", .length = 5, BZIP2},
    {"xz", ".xz", .magic = "\xfd\x37zXZ", .length = 5, .padding = 4, XZ},
};

static const struct compression *find(const void *head, size_t n) {
    const unsigned char *h = head;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        const struct compression *p = &formats[i];
        size_t k = 0;
        while (k < p->length && k < n && !((h[k] ^ (unsigned char)p->magic[k]) & (p->mask ? p->mask[k] : 0xff))) k++;
        if (k == p->length) return p;
    }
    return NULL;
}

const char *trj_compression_name(const void *head, size_t n) {
    const struct compression *p = find(head, n);
    return p ? p->name : NULL;
}

const char *trj_unpack_ending(const struct trj_unpack *u) {
    return u->format->ending;
}

// ---- the thread that unpacks

// Reads until `want` bytes are available, or all bytes were read.
static int refill(struct trj_unpack *u, size_t want, struct trj_error *err) {
    if (u->end - u->begin >= want) return 0;
    memmove(u->in, u->in + u->begin, u->end - u->begin);
    u->end -= u->begin;
    u->begin = 0;
    while (u->end < want && !u->ended) {
        struct pollfd wait[2] = {{.fd = u->fd, .events = POLLIN}, {.fd = u->wake[0], .events = POLLIN}};
        if (poll(wait, 2, -1) < 0 && errno != EINTR) return trj_fail_errno(err, "cannot read");
        if (wait[1].revents) return trj_fail(err, TRJ_FAILED, "reading was stopped");
        if (!wait[0].revents) continue;
        ssize_t got = read(u->fd, u->in + u->end, TRJ_UNPACK_INPUT - u->end);
        if (got < 0 && errno != EINTR) return trj_fail_errno(err, "cannot read");
        u->ended = got == 0;
        if (got > 0) u->end += (size_t)got;
    }
    return 0;
}

// Returns whether the input continues with zero bytes, which may follow a member.
static bool is_padding(const struct trj_unpack *u) {
    size_t n = u->format->padding, k = 0;
    while (k < n && k < u->end - u->begin && !u->in[u->begin + k]) k++;
    return n && k == n;
}

static int fail_truncated(const struct trj_unpack *u, struct trj_error *err) {
    trj_fail(err, TRJ_BAD_DATA, "truncated: its %s data end too early, at byte %llu of the compressed file",
             u->format->name, (unsigned long long)u->offset);
    err->truncated = true;
    return -1;
}

// Fills a buffer. Returns 1 if more data may follow, 0 at the end, or -1.
static int fill(struct trj_unpack *u, struct output_buffer *p, struct trj_error *err) {
    while (p->size < BUFFER_SIZE) {
        if (!u->within) {
            if (refill(u, TRJ_UNPACK_HEAD, err)) return -1;
            if (u->begin == u->end) return 0;
            if (is_padding(u)) {
                pass(u, u->format->padding);
                continue;
            }
            const struct compression *next = find(u->in + u->begin, u->end - u->begin);
            if (!next || next->step != u->format->step)
                return trj_fail(
                    err, TRJ_BAD_DATA,
                    "its %s data end at byte %llu of the compressed file, and other data follow; remove these",
                    u->format->name, (unsigned long long)u->offset);
            u->within = true;
        } else if (!u->waiting) {
            if (refill(u, u->want, err)) return -1;
            if (u->begin == u->end) return fail_truncated(u, err);
        }
        if (u->format->step(u, p, err)) return -1;
        u->waiting = u->within && p->size == BUFFER_SIZE;
    }
    return 1;
}

static void *work(void *context) {
    struct trj_unpack *u = context;
    for (int got = 1; got > 0;) {
        pthread_mutex_lock(&u->lock);
        while (u->filled - u->taken == BUFFERS && !u->stop) pthread_cond_wait(&u->moved, &u->lock);
        bool stop = u->stop;
        pthread_mutex_unlock(&u->lock);
        if (stop) break;
        struct output_buffer *p = &u->buffer[u->filled % BUFFERS];
        p->size = 0;
        got = fill(u, p, &u->err);
        pthread_mutex_lock(&u->lock);
        u->filled += p->size > 0;
        u->passed = u->offset;
        u->over = got <= 0;
        u->failed = got < 0;
        pthread_cond_signal(&u->moved);
        pthread_mutex_unlock(&u->lock);
    }
    return NULL;
}

int trj_unpack_open(struct trj_unpack **out, int fd, const void *begin, size_t n, struct trj_error *err) {
    const struct compression *format = find(begin, n);
    if (format->lacks)
        return trj_fail(err, TRJ_NO_ENGINE, "is compressed with %s, but this build lacks %s; unpack it first",
                        format->name, format->lacks);
    struct trj_unpack *u = trj_alloc(1, sizeof *u, "unpacking", err);
    if (!u) return -1;
    u->format = format;
    u->fd = fd;
    u->wake[0] = u->wake[1] = -1;
    u->want = 1;
    pthread_mutex_init(&u->lock, NULL);
    pthread_cond_init(&u->moved, NULL);
    if (!(u->in = trj_alloc(TRJ_UNPACK_INPUT, 1, "unpacking", err))) goto out;
    for (int k = 0; k < BUFFERS; k++)
        if (!(u->buffer[k].data = trj_alloc(BUFFER_SIZE, 1, "unpacking", err))) goto out;
    memcpy(u->in, begin, n);
    u->end = n;
    if (format->start(u, err)) goto out;
    if (pipe(u->wake) || fcntl(u->wake[0], F_SETFD, FD_CLOEXEC) || fcntl(u->wake[1], F_SETFD, FD_CLOEXEC)) {
        trj_fail_errno(err, "cannot start unpacking");
        goto out;
    }
    int rc = pthread_create(&u->thread, NULL, work, u);
    if (rc) {
        errno = rc;
        trj_fail_errno(err, "cannot start unpacking");
        goto out;
    }
    u->started = true;
    *out = u;
    return 0;
out:
    trj_unpack_close(u);
    return -1;
}

// Waits until data are decompressed or the unpacking thread has ended. Returns whether there are data.
static bool wait_for_data(struct trj_unpack *u) {
    pthread_mutex_lock(&u->lock);
    while (u->filled == u->taken && !u->over) pthread_cond_wait(&u->moved, &u->lock);
    bool found = u->filled != u->taken;
    pthread_mutex_unlock(&u->lock);
    return found;
}

int trj_unpack_read(struct trj_unpack *u, void *data, size_t n, size_t *got, struct trj_error *err) {
    *got = 0;
    if (!wait_for_data(u)) {
        if (u->failed) *err = u->err;
        return u->failed ? trj_failed() : 0;
    }
    const struct output_buffer *p = &u->buffer[u->taken % BUFFERS];
    *got = p->size - u->given < n ? p->size - u->given : n;
    memcpy(data, p->data + u->given, *got);
    u->given += *got;
    if (u->given < p->size) return 0;
    u->given = 0;
    pthread_mutex_lock(&u->lock);
    u->taken++;
    pthread_cond_signal(&u->moved);
    pthread_mutex_unlock(&u->lock);
    return 0;
}

uint64_t trj_unpack_offset(struct trj_unpack *u) {
    pthread_mutex_lock(&u->lock);
    uint64_t passed = u->passed;
    pthread_mutex_unlock(&u->lock);
    return passed;
}

void trj_unpack_wake(struct trj_unpack *u) {
    while (write(u->wake[1], "", 1) < 0 && errno == EINTR) continue;
}

void trj_unpack_close(struct trj_unpack *u) {
    if (!u) return;
    if (u->started) {
        pthread_mutex_lock(&u->lock);
        u->stop = true;
        pthread_cond_signal(&u->moved);
        pthread_mutex_unlock(&u->lock);
        trj_unpack_wake(u);
        pthread_join(u->thread, NULL);
    }
    if (u->state) u->format->end(u);
    for (int k = 0; k < 2; k++)
        if (u->wake[k] >= 0) close(u->wake[k]);
    for (int k = 0; k < BUFFERS; k++) free(u->buffer[k].data);
    free(u->in);
    pthread_cond_destroy(&u->moved);
    pthread_mutex_destroy(&u->lock);
    free(u);
}
