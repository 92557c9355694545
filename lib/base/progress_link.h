// SPDX-License-Identifier: MIT
// Sends an expected number of items to the program at the other end of a pipe, for the progress that it shows. The
// bytes in the pipe do not depend on it: the number is a datagram to a socket whose name contains the inode of the
// pipe. No file is created. A datagram that nobody receives is lost, and both programs work without it. Any program on
// this machine can send one, so a received number is shown, and has no other effect.
#ifndef TRJ_PROGRESS_LINK_H
#define TRJ_PROGRESS_LINK_H

#include <stdint.h>

// Sends the expected number of `what` to the reader of the pipe `fd`. Never waits. Has no effect if `fd` is not a
// pipe, or if its reader does not receive.
void trj_progress_send(int fd, const char *what, uint64_t expected);

// Begins to receive from the writer of the pipe `fd`. Has no effect if `fd` is not a pipe, or if another program
// receives for it.
void trj_progress_listen(int fd);
// Returns the number of `what` that was received last; 0: none. Never waits. Messages in another form are ignored.
uint64_t trj_progress_received(const char *what);

#endif
