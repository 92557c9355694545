// SPDX-License-Identifier: MIT
// Sends and receives expected numbers by datagrams. On systems without abstract names of sockets, all calls fail, and
// the number remains unknown.
#include "progress_link.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "number.h"

enum {
    LONGEST = 64,      // bytes of a message: "frames 128"
    MAX_MESSAGES = 64, // read at once, so that a program that sends without end does not stop the reader
};

// Sets the abstract address for a pipe. Returns its length; 0 if `fd` is not a pipe.
static socklen_t address_of(int fd, struct sockaddr_un *address) {
    struct stat st;
    *address = (struct sockaddr_un){.sun_family = AF_UNIX}; // the name begins with a NUL
    if (fstat(fd, &st) || !S_ISFIFO(st.st_mode)) return 0;
    int n = snprintf(address->sun_path + 1, sizeof address->sun_path - 1, "trjpipe progress %llu %llu",
                     (unsigned long long)st.st_dev, (unsigned long long)st.st_ino);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
}

static int open_socket(void) {
    return socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

void trj_progress_send(int fd, const char *what, uint64_t expected) {
    static int sender = -1;
    struct sockaddr_un address;
    char text[LONGEST];
    socklen_t length = address_of(fd, &address);
    if (!length || (sender < 0 && (sender = open_socket()) < 0)) return;
    int n = snprintf(text, sizeof text, "%s %llu", what, (unsigned long long)expected);
    // Nobody may listen, or the reader may be busy: a later message has the same content.
    if (sendto(sender, text, (size_t)n, 0, (const struct sockaddr *)&address, length) < 0) return;
}

static int receiver = -1;

void trj_progress_listen(int fd) {
    struct sockaddr_un address;
    socklen_t length = address_of(fd, &address);
    if (!length || receiver >= 0 || (receiver = open_socket()) < 0) return;
    if (!bind(receiver, (const struct sockaddr *)&address, length)) return;
    close(receiver);
    receiver = -1;
}

uint64_t trj_progress_received(const char *what) {
    static uint64_t expected;
    char text[LONGEST];
    size_t length = strlen(what);
    ssize_t n;
    for (int i = 0; receiver >= 0 && i < MAX_MESSAGES && (n = recv(receiver, text, sizeof text - 1, 0)) > 0; i++) {
        text[n] = 0;
        if (strncmp(text, what, length) != 0 || text[length] != ' ') continue;
        uint64_t number;
        if (trj_parse_u64(text + length + 1, &number)) expected = number;
    }
    return expected;
}
