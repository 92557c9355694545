// SPDX-License-Identifier: MIT
// Tests of progress_link: numbers arrive through the socket of a pipe, and other messages have no effect.
#include "progress_link.h"

#include <stddef.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "tap.h"

// Sends any bytes to the receiver of a pipe, as another program can. Returns whether they were accepted.
static bool send_bytes(int fd, const char *bytes, size_t n) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct stat st;
    int s = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0);
    if (s < 0 || fstat(fd, &st)) return false;
    int length = snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "trjpipe progress %llu %llu",
                          (unsigned long long)st.st_dev, (unsigned long long)st.st_ino);
    ssize_t sent = sendto(s, bytes, n, 0, (const struct sockaddr *)&address,
                          (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length));
    close(s);
    return sent == (ssize_t)n;
}

int main(void) {
    static const char junk[200] = "frames 9";
    int ends[2];
    if (pipe(ends)) return 1;
    trj_progress_send(ends[1], "frames", 5);
    trj_progress_listen(-1);
    ok(!trj_progress_received("frames"), "no number without a receiver");
    trj_progress_listen(ends[0]);
    if (!send_bytes(ends[1], "frames 5", 8)) {
        skip("numbers through the socket of a pipe", "this system has no abstract names of sockets");
        return done();
    }
    trj_progress_send(ends[1], "frames", 5);
    ok(trj_progress_received("frames") == 5, "the number that was sent is received");
    trj_progress_send(ends[1], "frames", 6);
    trj_progress_send(ends[1], "frames", UINT64_MAX);
    ok(trj_progress_received("frames") == UINT64_MAX, "the last number applies");
    trj_progress_send(ends[1], "maps", 7);
    ok(trj_progress_received("frames") == UINT64_MAX, "a number of other items is ignored");
    static const char *const bad[] = {"frames", "frames ", "frames -1", "frames 1e3", "frames x", "frames8", "\033[2J"};
    bool ignored = true;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ignored =
            ignored && send_bytes(ends[1], bad[i], strlen(bad[i])) && trj_progress_received("frames") == UINT64_MAX;
    ok(ignored, "messages in another form are ignored");
    trj_progress_send(ends[1], "frames", 8);
    ok(send_bytes(ends[1], junk, sizeof junk) && trj_progress_received("frames") == 9, "a long message is cut off");
    for (int i = 0; i < 1000; i++) trj_progress_send(ends[1], "frames", 10);
    ok(trj_progress_received("frames") == 10, "a sender never waits for a receiver that does not read");
    return done();
}
