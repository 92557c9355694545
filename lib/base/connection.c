// SPDX-License-Identifier: MIT
// Connects without blocking and checks ten times a second for a stop by the user, because connect(2) can block for
// minutes.
#include "connection.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "number.h"
#include "stop_request.h"

enum { LONGEST_HOST = 255, MINUTE = 60000, STARTING = 10000, STEP = 100 }; // ms

static const char scheme[] = "imd://", default_port[] = "8888";

struct address {
    char host[LONGEST_HOST + 1], port[8];
};

bool trj_connection_is(const char *name) {
    return !strncmp(name, scheme, strlen(scheme));
}

// Splits "imd://HOST:PORT" or "imd://[HOST]:PORT".
static int split(struct address *a, const char *name, struct trj_error *err) {
    const char *host = name + strlen(scheme), *end, *port = "";
    uint64_t number = 0;
    bool bracket = *host == '[', valid = true;
    if (bracket) {
        end = strchr(++host, ']');
        valid = end != NULL;
        if (valid) port = end + 1;
    } else {
        port = end = host + strcspn(host, ":");
    }
    snprintf(a->port, sizeof a->port, "%s", default_port);
    if (valid && *port) {
        valid = *port == ':' && trj_parse_u64(port + 1, &number) && number > 0 && number < 1 << 16;
        snprintf(a->port, sizeof a->port, "%u", (unsigned)number);
    }
    if (!valid || end == host || end - host > LONGEST_HOST || strchr(host, '/'))
        return trj_fail(err, TRJ_USAGE,
                        "is not the address of a server; give imd://HOST:PORT, as imd://localhost:8888 or "
                        "imd://[::1]:8888");
    memcpy(a->host, host, (size_t)(end - host));
    a->host[end - host] = 0;
    return 0;
}

// Waits until the connection is made (POLLOUT), or until the server sends something (POLLIN). Returns 0, or -1 with
// errno.
static int await(int fd, short event) {
    int failure = 0;
    socklen_t size = sizeof failure;
    for (int waited = 0; waited < MINUTE && !trj_stop_requested(); waited += STEP) {
        int got = poll(&(struct pollfd){.fd = fd, .events = event}, 1, STEP);
        if (got < 0 && errno != EINTR) return -1;
        if (got <= 0) continue;
        if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &failure, &size)) return -1;
        errno = failure;
        return failure ? -1 : 0;
    }
    errno = trj_stop_requested() ? EINTR : ETIMEDOUT;
    return -1;
}

// Connects to one address. Returns a socket, or -1 with errno.
static int connect_to(const struct addrinfo *to) {
    int fd = socket(to->ai_family, to->ai_socktype, to->ai_protocol);
    if (fd < 0) return -1;
    int flags = fcntl(fd, F_GETFL);
    bool done = flags >= 0 && !fcntl(fd, F_SETFD, FD_CLOEXEC) && !fcntl(fd, F_SETFL, flags | O_NONBLOCK) &&
                (!connect(fd, to->ai_addr, to->ai_addrlen) || (errno == EINPROGRESS && !await(fd, POLLOUT))) &&
                !fcntl(fd, F_SETFL, flags);
    if (done) return fd;
    int failure = errno;
    close(fd);
    errno = failure;
    return -1;
}

// Fails with the reason in errno and this remedy, or because the user stops.
static int fail(struct trj_error *err, const char *what, const char *remedy) {
    if (trj_stop_requested()) return trj_fail(err, TRJ_FAILED, "stopped before the first frame");
    trj_error_set_errno(err, "%s", what);
    trj_error_append(err, "; %s", remedy);
    return -1;
}

int trj_connection_open(const char *name, struct trj_error *err) {
    const struct addrinfo any = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    struct addrinfo *list, *a;
    struct address to = {.host = ""};
    int fd = -1, rc;
    if (split(&to, name, err)) return -1;
    if ((rc = getaddrinfo(to.host, to.port, &any, &list)))
        return trj_fail(err, TRJ_FAILED, "unknown host: %s; check the name", gai_strerror(rc));
    for (int waited = 0; fd < 0; waited += STEP) {
        for (a = list; a && fd < 0 && !trj_stop_requested(); a = a->ai_next) fd = connect_to(a);
        if (fd >= 0 || errno != ECONNREFUSED || waited >= STARTING || trj_stop_requested()) break;
        nanosleep(&(struct timespec){.tv_nsec = STEP * 1000000L}, NULL);
    }
    if (fd < 0) {
        char what[40];
        snprintf(what, sizeof what, "cannot connect to port %s", to.port);
        (void)fail(err, what, "start the simulation with its IMD server first, and give its host and port");
    }
    freeaddrinfo(list);
    if (fd < 0 || !await(fd, POLLIN)) return fd;
    (void)fail(err, "the server sends no greeting", "check the port, and whether the simulation is running");
    close(fd);
    return -1;
}
