// SPDX-License-Identifier: MIT
#include "read_ahead.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "pool.h"

enum { BATCH_BYTES = 1 << 18 }; // raw and decoded bytes of the frames of a batch

// A raw frame, and the state of the reader after it.
struct entry {
    struct trj_raw_frame raw;
    uint64_t offset, empty;
    const char *note;
    struct trj_error *error; // of decoding
    bool failed;             // decoding failed; `error` is NULL if memory for it was missing
};

struct batch {
    struct entry *entry; // [count]
    size_t count, room, initialized;
    int end;                 // result of reading after these frames: 1, 0, -1
    struct trj_error *error; // if `end` is -1
    bool decoded;
};

struct trj_read_ahead {
    struct trj_reader raw_reader;          // reads raw frames; its pointers belong to the reader that returns them
    struct trj_reader_internals internals; // of `raw_reader`
    unsigned threads;
    struct trj_pool *pool; // NULL until a second frame is found
    uint64_t frames_left;  // raw frames that may still be read
    struct batch *batch;   // [count] a ring of tasks, `in_flight` of them from `first` on
    unsigned count, usable, first,
        in_flight; // usable: number that fits into memory; 1 until the size of frames is known
    size_t taken;  // entries of batch `first` that were returned
    bool ended;    // no more raw frames are read
};

static size_t next_items(void *arg, unsigned worker, unsigned task) {
    struct batch *b = &((struct trj_read_ahead *)arg)->batch[task];
    (void)worker;
    if (b->decoded) return 0;
    b->decoded = true;
    return b->count;
}

static void decode_entry(void *arg, unsigned worker, unsigned task, size_t item) {
    struct trj_read_ahead *a = arg;
    struct entry *e = &a->batch[task].entry[item];
    struct trj_error err;
    (void)worker;
    e->failed = trj_raw_frame_decode(&a->raw_reader, &e->raw, &err);
    if (e->failed && (e->error || (e->error = malloc(sizeof err)))) *e->error = err;
}

static const struct trj_pool_work work = {next_items, decode_entry};

int trj_read_ahead_open(struct trj_reader *r, unsigned threads, uint64_t max_frames, struct trj_error *err) {
    struct trj_read_ahead *a = trj_alloc(1, sizeof *a, "reading ahead", err);
    if (!a) return -1;
    a->raw_reader = *r;
    a->internals = *r->internals;
    a->internals.raw = (struct trj_raw_frame){0};
    a->raw_reader.internals = &a->internals;
    a->frames_left = max_frames;
    a->threads = threads;
    a->count = 2 * threads;
    a->usable = 1;
    if (!(a->batch = trj_alloc(a->count, sizeof *a->batch, "reading ahead", err))) {
        trj_read_ahead_close(a);
        return -1;
    }
    r->internals->ahead = a;
    return 0;
}

void trj_read_ahead_close(struct trj_read_ahead *a) {
    if (!a) return;
    trj_pool_close(a->pool);
    for (unsigned k = 0; a->batch && k < a->count; k++) {
        struct batch *b = &a->batch[k];
        for (size_t i = 0; i < b->initialized; i++) {
            trj_raw_frame_free(&b->entry[i].raw);
            free(b->entry[i].error);
        }
        free(b->entry);
        free(b->error);
    }
    trj_raw_frame_free(&a->internals.raw);
    free(a->batch);
    free(a);
}

// Returns one more entry, zeroed if it is new; NULL on failure.
static struct entry *add_entry(struct batch *b, struct trj_error *err) {
    if (trj_grow(&b->entry, &b->room, b->count + 1, sizeof *b->entry, "frames", err)) return NULL;
    if (b->count == b->initialized) b->entry[b->initialized++] = (struct entry){.failed = false};
    return &b->entry[b->count];
}

// Reads a raw frame into a batch. Returns as trj_raw_frame_read; `err` is that of the batch.
static int read_entry(struct trj_read_ahead *a, struct batch *b, size_t *bytes, struct trj_error *err) {
    struct entry *e = add_entry(b, err);
    if (!e) return -1;
    int got = trj_raw_frame_read(&a->raw_reader, &e->raw, err);
    if (got <= 0) return got;
    e->offset = a->raw_reader.offset;
    e->empty = a->raw_reader.empty;
    e->note = a->raw_reader.note;
    e->failed = false;
    b->count++;
    const struct trj_reader *r = &a->raw_reader;
    *bytes += sizeof *e + r->format->ops->own + e->raw.bytes.size + trj_frame_bytes(r->atoms);
    return 1;
}

// Starts decoding a batch. A file with a single frame starts no threads.
static int start_decoding(struct trj_read_ahead *a, unsigned task, struct trj_error *err) {
    struct batch *b = &a->batch[task];
    if (!a->pool && !(a->ended && b->count < 2) && trj_pool_open(&a->pool, a->threads, a->count, &work, a, err))
        return -1;
    a->in_flight++;
    if (a->pool)
        trj_pool_start(a->pool, task);
    else if (b->count)
        decode_entry(a, 0, task, 0);
    return 0;
}

// Reads raw frames for the next task, and starts it.
static int fill_batch(struct trj_read_ahead *a, struct trj_error *err) {
    unsigned task = (a->first + a->in_flight) % a->usable;
    struct batch *b = &a->batch[task];
    size_t bytes = 0;
    b->count = 0;
    b->end = 1;
    b->decoded = false;
    if (!b->error && !(b->error = trj_alloc(1, sizeof *b->error, "reading ahead", err))) return -1;
    while (b->end > 0 && a->frames_left && bytes < BATCH_BYTES) {
        b->end = read_entry(a, b, &bytes, b->error);
        a->frames_left -= b->end > 0;
    }
    a->ended = b->end <= 0 || !a->frames_left;
    if (a->usable == 1) {
        size_t fit = bytes ? TRJ_READ_AHEAD_BYTES / bytes : a->count;
        a->usable = fit < 2 ? 2 : fit < a->count ? (unsigned)fit : a->count;
    }
    return start_decoding(a, task, err);
}

// Returns the frame of an entry, and updates the reader.
static int take_entry(struct trj_reader *r, struct entry *e, struct trj_frame *f, struct trj_error *err) {
    r->next = e->raw.number + 1;
    r->offset = e->offset;
    r->empty = e->empty;
    r->note = e->note;
    if (e->failed && (f || e->raw.check_by_decoding)) {
        r->next--;
        if (!e->error) return trj_fail_memory(err, sizeof *e->error, "an error");
        *err = *e->error;
        return -1;
    }
    r->maybe_truncated = r->maybe_truncated || e->raw.maybe_truncated;
    if (!f) return 1;
    if (r->internals->identity) memcpy(r->difference, e->raw.difference, sizeof r->difference);
    struct trj_frame previous = *f;
    *f = e->raw.frame;
    e->raw.frame = previous;
    return 1;
}

int trj_read_ahead_next(struct trj_reader *r, struct trj_frame *f, struct trj_error *err) {
    struct trj_read_ahead *a = r->internals->ahead;
    for (;;) {
        while (!a->ended && a->in_flight < a->usable)
            if (fill_batch(a, err)) return -1;
        if (!a->in_flight) { // `max_frames` frames were read: read the next one
            a->frames_left = 1;
            a->ended = false;
            continue;
        }
        struct batch *b = &a->batch[a->first];
        if (a->pool) trj_pool_wait(a->pool, a->first);
        if (a->taken < b->count) return take_entry(r, &b->entry[a->taken++], f, err);
        if (b->end <= 0) { // the batch stays, for further calls
            if (b->end < 0) *err = *b->error;
            r->next = a->raw_reader.next;
            r->offset = a->raw_reader.offset;
            r->empty = a->raw_reader.empty;
            r->note = a->raw_reader.note;
            return b->end;
        }
        a->first = (a->first + 1) % a->usable;
        a->in_flight--;
        a->taken = 0;
    }
}

int trj_read_ahead_seek(struct trj_reader *r, uint64_t frame, struct trj_error *err) {
    struct trj_read_ahead *a = r->internals->ahead;
    if (a->pool) trj_pool_finish(a->pool);
    // If the frame is missing, the reader keeps its position, which is before that of raw_reader.
    int got = trj_sequential_seek(&a->raw_reader, frame, err);
    r->can_seek = a->raw_reader.can_seek; // a frame stream without an index cannot
    if (got <= 0) return got;
    for (; a->in_flight; a->in_flight--, a->taken = 0) { // drop the frames that were read ahead
        a->frames_left += a->batch[a->first].count - a->taken;
        a->first = (a->first + 1) % a->usable;
    }
    a->ended = false;
    r->next = frame;
    return 1;
}
