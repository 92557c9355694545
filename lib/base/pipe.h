// SPDX-License-Identifier: MIT
// Enlarges pipes, so that two programs exchange much data with few system calls, and keeps data of a pipe in pipes of
// this process, so that several threads can copy them.
#ifndef TRJ_PIPE_H
#define TRJ_PIPE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/uio.h>

// Enlarges the pipe `fd` to 1 MiB, or to what the system permits; any other file is left as it is. It never fails: a
// pipe that cannot be enlarged works, too.
void trj_pipe_enlarge(int fd);

// Pipes of this process, to which bytes of another pipe are moved without a copy (splice(2)). A zeroed store is empty.
enum { TRJ_PIPE_STORE_PIPES = 16 }; // of up to 1 MiB: a frame of a million atoms fits
struct trj_pipe_store {
    struct {
        int fd[2];
        size_t bytes; // in it
    } pipe[TRJ_PIPE_STORE_PIPES];
    unsigned pipes; // that were made
    size_t bytes;   // in all of them
    size_t place;   // place of the first byte in the parts of trj_pipe_store_read
};

// Moves up to n bytes of the pipe `fd` to the store, which is emptied before, and whose first byte belongs at place
// `position`. Waits for all of them, but may move fewer, or none: at the end of the data, if the store is full, where
// the system does not support it, and if the descriptor `wake` (-1: none) has data meanwhile. store->bytes is their
// number.
void trj_pipe_store_fill(struct trj_pipe_store *store, int fd, size_t n, size_t position, int wake);
// Reads the bytes of the store whose place is below `end` to their place in the memory of the parts, one part after the
// other. A later call reads the others. Returns 0, or -1 with errno set.
int trj_pipe_store_read(struct trj_pipe_store *store, const struct iovec *parts, size_t end);
void trj_pipe_store_close(struct trj_pipe_store *store);

#endif
