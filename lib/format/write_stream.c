// SPDX-License-Identifier: MIT
// Writes frame streams.
#include "frame_stream.h"
#include "writer.h"

static int stream_open(struct trj_writer *w, struct trj_error *err) {
    struct trj_stream_writer *stream;
    if (trj_stream_writer_open(&stream, w->out, w->setup.header, w->setup.level, w->setup.threads, err)) return -1;
    w->state = stream;
    return 0;
}

static int stream_write(struct trj_writer *w, struct trj_frame *f, struct trj_error *err) {
    return trj_stream_write(w->state, f, err);
}

static int stream_flush(struct trj_writer *w, struct trj_error *err) {
    return trj_stream_writer_flush(w->state, w->setup.live, err);
}

static int stream_finish(struct trj_writer *w, struct trj_error *err) {
    return trj_stream_writer_finish(w->state, err);
}

static void stream_close(struct trj_writer *w) {
    trj_stream_writer_close(w->state);
    w->state = NULL;
}

const struct trj_writer_format trj_writer_stream = {
    .name = "trjf",
    .help = "a frame stream",
    .endings = {".trjf"},
    .kind = TRJ_OUTPUT_BINARY,
    .open_systems = true,
    .properties = true,
    .stream = true,
    .motion = TRJ_HAS_VELOCITY | TRJ_HAS_IMAGE,
    .open = stream_open,
    .write = stream_write,
    .flush = stream_flush,
    .finish = stream_finish,
    .close = stream_close,
};
