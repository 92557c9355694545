// SPDX-License-Identifier: MIT
// Reads frame streams as a trajectory format. stream_blocks.c reads the blocks, stream_frames.c takes the frames out of
// them, stream_index.c moves to a frame, and stream_salvage.c finds what follows damage.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "memory.h"
#include "stream_reader_parts.h"

static bool is_stream(const unsigned char *head, size_t n) {
    return trj_stream_is(head, n, &trj_frame_stream_kind);
}

static void stream_close(struct trj_reader *r) {
    struct trj_stream_state *s = r->internals->state;
    if (s) {
        trj_block_reader_close(s->blocks);
        trj_stream_free_motion(s);
        trj_stream_chunks_free(&s->chunks);
        pthread_mutex_destroy(&s->chunks.lock);
        trj_stream_salvage_close(s->salvage);
        trj_stream_header_free(&s->found);
        pthread_mutex_destroy(&s->lock);
        free(s->sources.place);
        free(s->frames.place);
    }
    if (r->header) trj_stream_header_free(r->header);
    free(r->header);
    free(s);
}

static int stream_open(struct trj_reader *r, struct trj_error *err) {
    struct trj_stream_state *s = r->internals->state = trj_alloc(1, sizeof *s, "a stream", err);
    if (s) pthread_mutex_init(&s->lock, NULL);
    if (s) pthread_mutex_init(&s->chunks.lock, NULL);
    r->header = s ? trj_alloc(1, sizeof *r->header, "a stream", err) : NULL;
    uint64_t size;
    if (s) s->header = r->header;
    if (!r->header || trj_block_reader_open(&s->blocks, r->in, &trj_frame_stream_kind, err) ||
        (r->internals->salvages && trj_stream_salvage_open(&s->salvage, s->blocks, err)) ||
        trj_stream_next_block(r, err) < 0 || trj_stream_add_sources(r, s->found.source_count, err))
        return -1;
    r->atoms = r->header->atoms;
    r->holds = r->header->motion;
    for (int k = 0; k < TRJ_MOTION_KINDS; k++) r->motion_source[k] = r->header->motion_source[k];
    r->can_seek = !s->salvage && trj_input_size(r->in, &size);
    snprintf(r->dialect, sizeof r->dialect, "version %u", trj_frame_stream_kind.major);
    return 0;
}

static void stream_losses(const struct trj_reader *r, trj_loss_note *note, void *arg, struct trj_losses *sum) {
    const struct trj_stream_state *s = r->internals->state;
    if (s->salvage) trj_stream_salvage_report(s->salvage, &s->found, r->next, note, arg, sum);
}

static int stream_accept(struct trj_reader *r, const struct trj_raw_frame *p, struct trj_error *err) {
    return trj_stream_add_sources(r, (size_t)p->frame.source + 1, err);
}

static int stream_skip(struct trj_reader *r, struct trj_error *err) {
    return trj_stream_take_frame(r, NULL, err);
}

static const struct trj_format_ops ops = {
    .is = is_stream,
    .open = stream_open,
    .read_raw = trj_stream_take_frame,
    .decode = trj_stream_decode,
    .keep = trj_stream_keep,
    .accept = stream_accept,
    .losses = stream_losses,
    .own = sizeof(struct trj_stream_frame),
    .skip = stream_skip,
    .seek = trj_stream_seek,
    .motion = TRJ_HAS_VELOCITY | TRJ_HAS_IMAGE,
    .count = trj_stream_count,
    .close = stream_close,
};

const struct trj_format trj_format_stream = {
    .name = "trjf",
    .help = "trjpipe frame stream",
    .listed_endings = {".trjf"},
    .ops = &ops,
};
