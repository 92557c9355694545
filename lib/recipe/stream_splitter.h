// SPDX-License-Identifier: MIT
// Copies a stream from one pipe to several readers. Every reader gets every byte, at the rate of the slowest reader, so
// a buffer of fixed size is enough. A reader that closes its pipe is dropped; once all are dropped, the input is
// closed, and its writer gets EPIPE.
//
// No function blocks: the caller polls the descriptors from trj_splitter_poll and then calls trj_splitter_transfer.
// There is no deadlock: no reader waits for the output of another one (recipe_plan.h), so each of them eventually reads
// its pipe or closes it.
#ifndef TRJ_STREAM_SPLITTER_H
#define TRJ_STREAM_SPLITTER_H

#include <poll.h>
#include <stddef.h>

#include "error.h"

struct trj_splitter;

// Takes ownership of the read end of a pipe and of `count` write ends, all of them non-blocking. On failure, the caller
// still owns them.
int trj_splitter_open(struct trj_splitter **s, int from, const int *to, size_t count, struct trj_error *err);
// Writes the descriptors to wait for into `polls`, which has a capacity of max(count, 1). Returns their number; 0
// means that the stream is complete.
size_t trj_splitter_poll(const struct trj_splitter *s, struct pollfd *polls);
// Copies as much as is possible without waiting.
int trj_splitter_transfer(struct trj_splitter *s, struct trj_error *err);
void trj_splitter_close(struct trj_splitter *s); // NULL is allowed

#endif
