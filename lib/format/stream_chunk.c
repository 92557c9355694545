// SPDX-License-Identifier: MIT
// Decodes a chunk once for all threads that need one of its frames, because its frames are compressed together.
#include "stream_chunk.h"

#include <stdlib.h>
#include <string.h>

#include "chunk.h"
#include "memory.h"

struct trj_stream_chunk {
    struct trj_stream_chunks *list;
    struct trj_stream_chunk *next;
    size_t users; // protected by the lock of the list, as `next` is
    unsigned char *data;
    size_t size, frames, atoms;
    pthread_mutex_t lock; // protects `decoder`
    struct trj_codec_decoder *decoder;
};

int trj_stream_chunk_open(struct trj_stream_chunk **result, struct trj_stream_chunks *list, const unsigned char *data,
                          size_t size, size_t frames, size_t atoms, struct trj_error *err) {
    if (trj_codec_is_bomb(frames * (uint64_t)atoms, size)) // before memory for the atoms is allocated
        return trj_fail(err, TRJ_BAD_DATA, "%zu bytes are too few for the compressed coordinates of %zu x %zu atoms",
                        size, frames, atoms);
    struct trj_stream_chunk *c = trj_alloc(1, sizeof *c, "compressed frames", err);
    if (!c) return -1;
    c->list = list;
    c->users = 1;
    c->size = size;
    c->frames = frames;
    c->atoms = atoms;
    if (!(c->data = trj_alloc(size, 1, "compressed frames", err))) {
        free(c);
        return -1;
    }
    memcpy(c->data, data, size);
    pthread_mutex_init(&c->lock, NULL);
    pthread_mutex_lock(&list->lock);
    c->next = list->first;
    list->first = c;
    pthread_mutex_unlock(&list->lock);
    *result = c;
    return 0;
}

static void free_chunk(struct trj_stream_chunk *c) {
    trj_codec_decoder_close(c->decoder);
    pthread_mutex_destroy(&c->lock);
    free(c->data);
    free(c);
}

void trj_stream_chunk_share(struct trj_stream_chunk *c) {
    pthread_mutex_lock(&c->list->lock);
    c->users++;
    pthread_mutex_unlock(&c->list->lock);
}

void trj_stream_chunk_drop(struct trj_stream_chunk *c) {
    if (!c) return;
    struct trj_stream_chunks *list = c->list;
    pthread_mutex_lock(&list->lock);
    bool last = !--c->users;
    struct trj_stream_chunk **link = &list->first;
    while (last && *link != c) link = &(*link)->next;
    if (last) *link = c->next;
    pthread_mutex_unlock(&list->lock);
    if (last) free_chunk(c);
}

void trj_stream_chunks_free(struct trj_stream_chunks *list) {
    for (struct trj_stream_chunk *c = list->first, *next; c; c = next) {
        next = c->next;
        free_chunk(c);
    }
    list->first = NULL;
}

// Called with the lock.
static int decode(struct trj_stream_chunk *c, size_t frame, float *const x[3], struct trj_error *err) {
    if (c->decoder && trj_codec_decoder_next(c->decoder) > frame) {
        trj_codec_decoder_close(c->decoder);
        c->decoder = NULL;
    }
    if (!c->decoder && trj_codec_decoder_open(&c->decoder, c->data, c->size, c->frames, c->atoms, err)) return -1;
    while (trj_codec_decoder_next(c->decoder) < frame)
        if (trj_codec_decode(c->decoder, NULL, err)) return -1;
    return trj_codec_decode(c->decoder, x, err);
}

int trj_stream_chunk_decode(struct trj_stream_chunk *c, size_t frame, float *const x[3], struct trj_error *err) {
    pthread_mutex_lock(&c->lock);
    int rc = decode(c, frame, x, err);
    pthread_mutex_unlock(&c->lock);
    return rc;
}
