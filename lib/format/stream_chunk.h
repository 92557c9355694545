// SPDX-License-Identifier: MIT
// Compressed frames of one block of a frame stream. The raw frames of the block share the chunk; the threads that
// decode them do so one after the other, which is fast in the order of the frames.
#ifndef TRJ_STREAM_CHUNK_H
#define TRJ_STREAM_CHUNK_H

#include <pthread.h>
#include <stddef.h>

#include "bytes.h"
#include "error.h"

struct trj_stream_chunk;

// The chunks of a stream that are in use. A zeroed list with an initialised lock is empty.
struct trj_stream_chunks {
    struct trj_stream_chunk *first;
    pthread_mutex_t lock;
};

// Makes a chunk of `frames` compressed frames with a copy of the bytes. It has one user. Fails with TRJ_BAD_DATA if the
// bytes are too few for the frames.
int trj_stream_chunk_open(struct trj_stream_chunk **c, struct trj_stream_chunks *list, const unsigned char *data,
                          size_t size, size_t frames, size_t atoms, struct trj_error *err);
void trj_stream_chunk_share(struct trj_stream_chunk *c); // adds a user
// Removes a user, and frees the chunk after the last one; NULL is allowed. Callable from any thread.
void trj_stream_chunk_drop(struct trj_stream_chunk *c);
// Decodes a frame of the chunk into x[3][atoms]. Callable from any thread. Fails with TRJ_BAD_DATA.
int trj_stream_chunk_decode(struct trj_stream_chunk *c, size_t frame, float *const x[3], struct trj_error *err);
void trj_stream_chunks_free(struct trj_stream_chunks *list); // frees all chunks, whatever their users

#endif
