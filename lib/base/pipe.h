// SPDX-License-Identifier: MIT
// Enlarges pipes, so that two programs exchange much data with few system calls.
#ifndef TRJ_PIPE_H
#define TRJ_PIPE_H

// Enlarges the pipe `fd` to 1 MiB, or to what the system permits; any other file is left as it is. It never fails: a
// pipe that cannot be enlarged works, too.
void trj_pipe_enlarge(int fd);

#endif
