// SPDX-License-Identifier: MIT
// One stream for several readers: the bytes of a pipe, copied into others. All of them get every byte; the slowest sets the pace, so that
// a fixed buffer is enough. A reader that has gone away is left out; when the last has, the stream is closed, which its writer notices.
//
// Nothing waits in here: the caller polls what trj_splitter_poll names and calls trj_splitter_go. Readers depend on one another through
// the pace alone. As none of them waits for what another one writes (recipe_plan.h), each in the end drains its pipe or goes away.
#ifndef TRJ_STREAM_SPLITTER_H
#define TRJ_STREAM_SPLITTER_H

#include <poll.h>
#include <stddef.h>

#include "error.h"

struct trj_splitter;

// Takes a pipe's end to read from, and `count` ends to write to, all non-blocking and then its own.
int trj_splitter_open(struct trj_splitter **s, int from, const int *to, size_t count, struct trj_error *err);
// Adds what to wait for to `polls`, which has room for `count` more, or 1; returns how many. 0: all is done.
size_t trj_splitter_poll(const struct trj_splitter *s, struct pollfd *polls);
int trj_splitter_transfer(struct trj_splitter *s, struct trj_error *err);
void trj_splitter_close(struct trj_splitter *s); // NULL is allowed

#endif
