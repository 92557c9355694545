// SPDX-License-Identifier: MIT
// Reads and writes grid streams as one of the formats of maps.
#include "map_format_parts.h"

struct reading {
    struct trj_grid_reader *stream;
    bool begun; // the first record has been begun by open_trjg, which `first` reports
    int first;
};

struct writing {
    struct trj_grid_writer *stream;
};

static bool is_trjg(const unsigned char *head, size_t n, const struct trj_input *in) {
    (void)in;
    return trj_grid_is(head, n);
}

static int next_record(struct trj_map_reader *r, struct trj_error *err) {
    struct reading *s = r->state;
    const struct trj_grid_record *record;
    int rc = trj_grid_reader_next(s->stream, &record, err);
    if (rc > 0) r->record = *record;
    r->map.error_bound = trj_grid_reader_map(s->stream)->error_bound; // the next stream may have another one
    return rc;
}

static int open_trjg(struct trj_map_reader *r, struct trj_error *err) {
    struct reading *s = r->state;
    if (trj_grid_reader_open(&s->stream, r->in, err)) return -1;
    r->origin = trj_grid_reader_origin(s->stream);
    if (trj_map_copy(&r->map, trj_grid_reader_map(s->stream), err)) return -1;
    // Whether values are sums, which become means, is known from a record only.
    s->begun = true;
    s->first = next_record(r, err);
    return s->first < 0 ? -1 : 0;
}

static int next_trjg(struct trj_map_reader *r, struct trj_error *err) {
    struct reading *s = r->state;
    if (!s->begun) return next_record(r, err);
    s->begun = false;
    return s->first;
}

static int read_trjg(struct trj_map_reader *r, void *values, uint64_t planes, struct trj_error *err) {
    struct reading *s = r->state;
    return trj_grid_reader_planes(s->stream, values, planes, err);
}

static void close_trjg(struct trj_map_reader *r) {
    struct reading *s = r->state;
    trj_grid_reader_close(s->stream);
}

static int create_trjg(struct trj_map_writer *w, struct trj_error *err) {
    static const struct trj_stream_header none;
    struct writing *s = w->state;
    return trj_grid_writer_open(&s->stream, w->out, w->map, w->setup.origin ? w->setup.origin : &none, w->setup.level,
                                w->setup.threads, err);
}

static int begin_trjg(struct trj_map_writer *w, const struct trj_grid_record *record, struct trj_error *err) {
    struct writing *s = w->state;
    return trj_grid_write_record(s->stream, record, err);
}

static int write_trjg(struct trj_map_writer *w, const void *values, uint64_t planes, struct trj_error *err) {
    struct writing *s = w->state;
    return trj_grid_write_planes(s->stream, values, planes, err);
}

static int finish_trjg(struct trj_map_writer *w, struct trj_error *err) {
    struct writing *s = w->state;
    return trj_grid_writer_finish(s->stream, err);
}

static void destroy_trjg(struct trj_map_writer *w) {
    struct writing *s = w->state;
    trj_grid_writer_close(s->stream);
}

const struct trj_map_format trj_map_trjg = {
    .name = "trjg",
    .title = "grid stream",
    .help = "a grid stream",
    .endings = {".trjg"},
    .kind = TRJ_OUTPUT_BINARY,
    .order = {{0, 1, 2}},
    .series = true,
    .periods = true,
    .reader_state = sizeof(struct reading),
    .writer_state = sizeof(struct writing),
    .is = is_trjg,
    .open = open_trjg,
    .next = next_trjg,
    .read = read_trjg,
    .close = close_trjg,
    .create = create_trjg,
    .begin = begin_trjg,
    .write = write_trjg,
    .finish = finish_trjg,
    .destroy = destroy_trjg,
};
