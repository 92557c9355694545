// SPDX-License-Identifier: MIT
// Copies the output of one process to several, because a pipe has a single reader.
#include "stream_splitter.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "memory.h"

enum { BUFFER = 1 << 16 }; // default capacity of a pipe in Linux

struct reader {
    int fd; // -1: closed by the reader, or complete
    size_t sent;
};

struct trj_splitter {
    int from; // -1: ended
    size_t count, held;
    struct reader *readers;
    unsigned char buffer[BUFFER];
};

int trj_splitter_open(struct trj_splitter **result, int from, const int *to, size_t count, struct trj_error *err) {
    struct trj_splitter *s = trj_alloc(1, sizeof *s, "a copy of a stream", err);
    struct reader *readers = s ? trj_alloc(count, sizeof *readers, "a copy of a stream", err) : NULL;
    if (!readers) {
        free(s);
        return -1;
    }
    *s = (struct trj_splitter){.from = from, .count = count, .readers = readers};
    for (size_t i = 0; i < count; i++) readers[i].fd = to[i];
    *result = s;
    return 0;
}

static void end(int *fd) {
    if (*fd >= 0) close(*fd);
    *fd = -1;
}

size_t trj_splitter_poll(const struct trj_splitter *s, struct pollfd *polls) {
    size_t n = 0;
    for (size_t i = 0; i < s->count; i++)
        if (s->readers[i].fd >= 0 && s->readers[i].sent < s->held)
            polls[n++] = (struct pollfd){.fd = s->readers[i].fd, .events = POLLOUT};
    if (!n && s->from >= 0) polls[n++] = (struct pollfd){.fd = s->from, .events = POLLIN};
    return n;
}

int trj_splitter_transfer(struct trj_splitter *s, struct trj_error *err) {
    size_t waiting = 0, left = 0;
    for (size_t i = 0; i < s->count; i++) {
        struct reader *r = &s->readers[i];
        if (r->fd < 0) continue;
        ssize_t n = r->sent < s->held ? write(r->fd, s->buffer + r->sent, s->held - r->sent) : 0;
        if (n < 0 && errno == EPIPE)
            end(&r->fd); // whether the reader failed follows from its exit status
        else if (n < 0 && errno != EAGAIN && errno != EINTR)
            return trj_fail_errno(err, "cannot copy a stream");
        else if (n > 0)
            r->sent += (size_t)n;
        left += r->fd >= 0;
        waiting += r->fd >= 0 && r->sent < s->held;
    }
    if (!left) end(&s->from);
    if (waiting || s->from < 0) return 0;
    ssize_t n = read(s->from, s->buffer, BUFFER);
    if (n < 0) return errno == EAGAIN || errno == EINTR ? 0 : trj_fail_errno(err, "cannot copy a stream");
    s->held = (size_t)n;
    for (size_t i = 0; i < s->count; i++) s->readers[i].sent = 0;
    if (n) return 0;
    end(&s->from);
    for (size_t i = 0; i < s->count; i++) end(&s->readers[i].fd);
    return 0;
}

void trj_splitter_close(struct trj_splitter *s) {
    if (!s) return;
    end(&s->from);
    for (size_t i = 0; i < s->count; i++) end(&s->readers[i].fd);
    free(s->readers);
    free(s);
}
