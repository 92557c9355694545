// SPDX-License-Identifier: MIT
// Opens frame streams for filters without the readers of other formats, so that their programs stay small.
#include "stream_input.h"

#include <math.h>

#include "movement.h"
#include "pool.h"
#include "tool.h"

// Nearly all filters use periodic images of the atoms.
static int check_wrapped(struct trj_reader **r, struct trj_error *err) {
    if (!trj_movement_unwraps((*r)->header)) return 0;
    trj_fail(err, TRJ_BAD_DATA,
             "%s: its atoms were unwrapped (trjcat --unwrap), so that their periodic images are not those of the "
             "simulation; leave --unwrap out",
             trj_input_name((*r)->in));
    trj_reader_close(*r);
    *r = NULL;
    return -1;
}

// Frames of the next segment would be counted twice.
static int check_segment(struct trj_reader **r, struct trj_error *err) {
    if (!(*r)->header->segment.count) return 0;
    trj_fail(err, TRJ_BAD_DATA,
             "%s: it also contains frames of the next segment (trjcat --overlap), which only trjcorr leaves out; omit "
             "--overlap",
             trj_input_name((*r)->in));
    trj_reader_close(*r);
    *r = NULL;
    return -1;
}

int trj_stream_input_open(struct trj_reader **r, const char *path, struct trj_error *err) {
    return trj_stream_input_open_with(r, path, 0, err);
}

int trj_stream_input_open_with(struct trj_reader **r, const char *path, unsigned read, struct trj_error *err) {
    return trj_stream_input_open_unwrapped(r, path, read, err) || check_segment(r, err) ? -1 : check_wrapped(r, err);
}

int trj_stream_input_open_unwrapped(struct trj_reader **r, const char *path, unsigned read, struct trj_error *err) {
    struct trj_input *in = NULL;
    const unsigned char *head;
    size_t n;
    if (trj_input_open(&in, path, err)) return -1;
    trj_tool_progress_from(trj_input_descriptor(in));
    int rc = trj_input_peek(in, &head, TRJ_STREAM_HEADER, &n, err);
    if (!rc && !n)
        rc = trj_fail(err, TRJ_BAD_DATA, "is empty; check the program that writes it, and run it again");
    else if (!rc && !trj_format_is(&trj_format_stream, in, head, n))
        rc = trj_fail(err, TRJ_BAD_DATA, "is not a frame stream; make one with trjcat FILE");
    // Frames may arrive slowly in a pipe: reading waits only for the data that it uses. trj_reader_open is not called,
    // because it would link the readers of all formats.
    if (!rc) return trj_reader_start(r, in, &trj_format_stream, false, 0, TRJ_NO_FINGERPRINT | read, err);
    trj_fail_at(err, "%s", trj_input_name(in));
    trj_input_close(in);
    return -1;
}

int trj_stream_input_read(struct trj_reader *r, struct trj_frame *f, struct trj_error *err) {
    int got = trj_reader_read(r, f, err);
    if (got < 0 && err->truncated) trj_error_append(err, "; run trjcat again");
    if (!got && !r->next)
        return trj_fail(err, TRJ_BAD_DATA, "%s: contains no frames; run trjcat again", trj_input_name(r->in));
    return got;
}

int trj_stream_input_read_ahead(struct trj_reader *r, unsigned threads, bool busy, struct trj_error *err) {
    enum { LARGE_FRAME = 8000000, FEW_THREADS = 4 }; // bytes, threads
    if (busy && trj_pool_size(threads) <= FEW_THREADS && trj_frame_bytes(r->header->atoms) > LARGE_FRAME &&
        trj_reader_is_light(r))
        return 0;
    return trj_reader_read_ahead(r, threads, 1, UINT64_MAX, err);
}

void trj_stream_input_progress(const struct trj_reader *r) {
    uint64_t size, expected = 0;
    if (r->offset && trj_input_size(r->in, &size))
        expected = (uint64_t)((double)r->next * (double)size / (double)r->offset + 0.5);
    trj_tool_progress_estimated("frames", r->next, expected);
}

double trj_stream_input_share_read(void *reader) {
    const struct trj_reader *r = reader;
    uint64_t size;
    return trj_input_size(r->in, &size) && size ? (double)r->offset / (double)size : NAN;
}

int trj_stream_input_fail_frame(const struct trj_reader *r, struct trj_error *err) {
    return trj_stream_input_fail_earlier(r, r->next - (err->late ? err->late : 1), err);
}

int trj_stream_input_fail_earlier(const struct trj_reader *r, uint64_t number, struct trj_error *err) {
    return trj_fail_at(err, "%s: frame %llu", trj_input_name(r->in), (unsigned long long)number);
}
