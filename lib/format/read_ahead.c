// SPDX-License-Identifier: MIT
// Reads and decodes frames before the caller requests them. One thread reads raw frames into a ring of batches. The
// calling thread takes the frames and decodes those that take little time, so that it checks coordinates while the
// other thread reads. The threads of a pool decode the rest. `lock` protects what the comment of struct trj_read_ahead
// names; a batch belongs to the reading thread until it is in flight, then to the pool, and then to the calling thread.
#include "read_ahead.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "memory.h"
#include "pool.h"

enum {
    BATCH_BYTES = 1 << 20, // raw and decoded bytes of the frames of a batch
    SPARE = 4,             // batches that wait for a thread
    LIGHT_BATCHES = 6,     // enough for light frames; more would fill the caches
    LIGHT_THREADS = 4,     // the same
    LARGE_FRAME = 1 << 22, // bytes of coordinates that do not fit into the cache of a core
    LARGE_THREADS = 8,     // enough for such frames
    QUICK_ATOMS = 5000,    // frames of fewer atoms are checked by the calling thread
};

// A raw frame, and the state of the reader after it.
struct entry {
    struct trj_raw_frame raw;
    uint64_t offset, empty;
    const char *note;
    bool note_stays;
    struct trj_error *error; // of decoding
    bool decoded;
    bool failed; // decoding failed; `error` is NULL if memory for it was missing
};

struct batch {
    struct entry *entry; // [count]
    size_t count, capacity, initialized;
    size_t undecoded;        // entries for the pool
    int end;                 // result of reading after these frames: 1, 0, -1
    struct trj_error *error; // if `end` is -1
};

struct trj_read_ahead {
    struct trj_reader raw_reader;          // reads raw frames; its pointers belong to the reader that returns them
    struct trj_reader_internals internals; // of `raw_reader`
    unsigned threads;
    struct batch *batch; // [count] a ring of tasks
    unsigned count;
    unsigned usable;  // number of batches that fit into memory; 1 until the size of frames is known
    size_t taken;     // entries of batch `first` that were returned
    bool holds_first; // batch `first` is decoded
    pthread_t reader;
    bool running; // `reader` was started

    pthread_mutex_t lock; // protects the following members
    pthread_cond_t filled, emptied;
    struct trj_pool *pool;     // NULL until a frame needs it; only the thread that fills batches changes it
    unsigned first, in_flight; // `in_flight` batches, from `first` on, were filled
    uint64_t frames_left;      // raw frames that may still be read
    bool ended;                // no more raw frames are read
    bool filling;              // a batch is being filled
    bool waits;                // the calling thread waits for `filled`
    bool paused, closing;      // requests to the reading thread
};

static void decode_entry(struct trj_read_ahead *a, struct entry *e) {
    struct trj_error err;
    e->decoded = true;
    e->failed = trj_raw_frame_decode(&a->raw_reader, &e->raw, &err) ||
                trj_reader_change_frame(&a->raw_reader, &e->raw.frame, e->raw.number, &err);
    if (e->failed && (e->error || (e->error = malloc(sizeof err)))) *e->error = err;
}

static size_t next_items(void *arg, unsigned worker, unsigned task) {
    struct batch *b = &((struct trj_read_ahead *)arg)->batch[task];
    size_t items = b->undecoded ? b->count : 0;
    (void)worker;
    b->undecoded = 0;
    return items;
}

static void decode_item(void *arg, unsigned worker, unsigned task, size_t item) {
    struct trj_read_ahead *a = arg;
    struct entry *e = &a->batch[task].entry[item];
    (void)worker;
    if (item && e[-1].raw.more) return; // decoded after the frame before it
    for (;; e++) {
        if (!e->decoded) decode_entry(a, e);
        if (!e->raw.more || e + 1 == a->batch[task].entry + a->batch[task].count) return;
    }
}

static const struct trj_pool_work work = {next_items, decode_item};

int trj_read_ahead_open(struct trj_reader *r, unsigned threads, uint64_t max_frames, struct trj_error *err) {
    struct trj_read_ahead *a = trj_alloc(1, sizeof *a, "reading ahead", err);
    if (!a) return -1;
    pthread_mutex_init(&a->lock, NULL);
    pthread_cond_init(&a->filled, NULL);
    pthread_cond_init(&a->emptied, NULL);
    a->raw_reader = *r;
    a->internals = *r->internals;
    a->internals.raw = (struct trj_raw_frame){0};
    a->raw_reader.internals = &a->internals;
    a->frames_left = max_frames;
    a->threads = threads;
    a->usable = 1;
    unsigned batches = threads < SPARE ? 2 * threads : threads + SPARE; // one for each thread, and some that wait
    if (!(a->batch = trj_alloc(batches, sizeof *a->batch, "reading ahead", err))) goto out;
    for (a->count = 0; a->count < batches; a->count++)
        if (!(a->batch[a->count].error = trj_alloc(1, sizeof(struct trj_error), "reading ahead", err))) goto out;
    r->internals->ahead = a;
    return 0;
out:
    trj_read_ahead_close(a);
    return -1;
}

void trj_read_ahead_close(struct trj_read_ahead *a) {
    if (!a) return;
    pthread_mutex_lock(&a->lock);
    a->closing = true;
    pthread_cond_signal(&a->emptied);
    pthread_mutex_unlock(&a->lock);
    if (a->running) {
        trj_input_wake(a->raw_reader.in); // the thread may wait for data that never come
        pthread_join(a->reader, NULL);
    }
    trj_pool_close(a->pool);
    for (unsigned k = 0; k < a->count; k++) {
        struct batch *b = &a->batch[k];
        for (size_t i = 0; i < b->initialized; i++) {
            trj_raw_frame_free(&b->entry[i].raw);
            free(b->entry[i].error);
        }
        free(b->entry);
        free(b->error);
    }
    trj_raw_frame_free(&a->internals.raw);
    pthread_cond_destroy(&a->filled);
    pthread_cond_destroy(&a->emptied);
    pthread_mutex_destroy(&a->lock);
    free(a->batch);
    free(a);
}

// Returns one more entry, zeroed if it is new; NULL on failure.
static struct entry *add_entry(struct batch *b, struct trj_error *err) {
    if (trj_grow(&b->entry, &b->capacity, b->count + 1, sizeof *b->entry, "frames", err)) return NULL;
    if (b->count == b->initialized) b->entry[b->initialized++] = (struct entry){.failed = false};
    return &b->entry[b->count];
}

// Returns whether decoding a frame takes less time than handing it to another thread.
static bool is_quick(const struct trj_reader *r, const struct trj_raw_frame *p) {
    const struct trj_format_ops *ops = r->format->ops;
    if (r->internals->change) return false;
    return (p->whole && r->atoms < QUICK_ATOMS) ||
           (r->internals->keep == TRJ_KEEP_UNCHECKED && ops->keep && p->bytes.size);
}

// Reads a raw frame into a batch. Returns as trj_raw_frame_read.
static int read_entry(struct trj_read_ahead *a, struct batch *b, size_t *bytes) {
    const struct trj_reader *r = &a->raw_reader;
    struct entry *e = add_entry(b, b->error);
    if (!e) return -1;
    int got = trj_raw_frame_read(&a->raw_reader, &e->raw, b->error);
    if (got <= 0) return got;
    e->offset = r->offset;
    e->empty = r->empty;
    e->note = r->note;
    e->note_stays = r->note_stays;
    e->failed = e->decoded = false;
    b->count++;
    size_t arrays = 1 + (size_t)__builtin_popcount(r->internals->motion); // coordinates, velocities, image flags
    *bytes += sizeof *e + r->format->ops->own + e->raw.bytes.size + arrays * trj_frame_bytes(r->atoms);
    b->undecoded += !is_quick(r, &e->raw);
    return 1;
}

// Gives a batch to the pool. A file with a single frame starts no threads.
static int start_decoding(struct trj_read_ahead *a, unsigned task) {
    struct batch *b = &a->batch[task];
    bool only_one = !a->pool && b->count < 2 && (b->end <= 0 || !a->frames_left);
    if (!b->undecoded) return 0;
    if (only_one) {
        b->undecoded = 0;
        decode_entry(a, b->entry);
        return 0;
    }
    if (!a->pool) {
        struct trj_pool *pool;
        if (trj_pool_open(&pool, a->threads, a->count, &work, a, b->error)) return -1;
        pthread_mutex_lock(&a->lock);
        a->pool = pool;
        pthread_mutex_unlock(&a->lock);
    }
    trj_pool_start(a->pool, task);
    return 0;
}

// Returns whether a batch takes one more frame. It does not wait for a slow pipe, so that its frames are returned
// first. A frame of a live input is returned at once.
static bool takes_frame(const struct trj_read_ahead *a, const struct batch *b, size_t bytes) {
    if (!b->count || b->entry[b->count - 1].raw.more) return true;
    struct trj_input *in = a->raw_reader.in;
    return bytes < BATCH_BYTES && !trj_input_is_live(in) && !trj_input_pauses(in);
}

// Reads raw frames into a batch that is not in flight, and starts decoding them.
static void fill_batch(struct trj_read_ahead *a, unsigned task) {
    struct batch *b = &a->batch[task];
    size_t bytes = 0;
    b->count = b->undecoded = 0;
    b->end = 1;
    while (b->end > 0 && a->frames_left && takes_frame(a, b, bytes)) {
        b->end = read_entry(a, b, &bytes);
        a->frames_left -= b->end > 0;
    }
    if (a->usable == 1) {
        size_t fit = TRJ_READ_AHEAD_BYTES / (bytes > BATCH_BYTES ? bytes : BATCH_BYTES); // later ones can be larger
        bool light = b->count && b->entry->raw.light && !a->internals.change;
        size_t max = light && a->count > LIGHT_BATCHES ? LIGHT_BATCHES : a->count;
        unsigned max_threads = trj_frame_bytes(a->raw_reader.atoms) < LARGE_FRAME ? LIGHT_THREADS : LARGE_THREADS;
        if (light && a->threads > max_threads) a->threads = max_threads;
        a->usable = fit < 2 ? 2 : (unsigned)(fit < max ? fit : max);
    }
    if (start_decoding(a, task)) {
        b->count = 0;
        b->end = -1;
    }
}

// Fills the next batch of the ring. Called with the lock, which it releases meanwhile.
static void fill_next(struct trj_read_ahead *a) {
    unsigned task = (a->first + a->in_flight) % a->usable; // does not change if the caller takes batches
    a->filling = true;
    pthread_mutex_unlock(&a->lock);
    fill_batch(a, task);
    pthread_mutex_lock(&a->lock);
    a->filling = false;
    a->in_flight++;
    a->ended = a->batch[task].end <= 0 || !a->frames_left;
    if (a->waits) pthread_cond_signal(&a->filled);
}

static void *reader_main(void *data) {
    struct trj_read_ahead *a = data;
    pthread_mutex_lock(&a->lock);
    while (!a->closing)
        if (a->paused || a->ended || a->in_flight == a->usable)
            pthread_cond_wait(&a->emptied, &a->lock);
        else
            fill_next(a);
    pthread_mutex_unlock(&a->lock);
    return NULL;
}

static int start_reader(struct trj_read_ahead *a, struct trj_error *err) {
    struct trj_input *in = a->raw_reader.in;
    if (trj_input_is_pipe(in) && trj_input_allow_wake(in, err)) return -1;
    a->running = true; // before the thread reads it
    int rc = pthread_create(&a->reader, NULL, reader_main, a);
    if (!rc) return 0;
    a->running = false;
    return trj_fail(err, TRJ_FAILED, "cannot start a thread that reads ahead: %s", strerror(rc));
}

// Returns the frame of an entry, and updates the reader.
static int take_entry(struct trj_reader *r, struct entry *e, struct trj_frame *f, struct trj_error *err) {
    if (!e->decoded && (f || e->raw.check_by_decoding)) decode_entry(r->internals->ahead, e);
    r->next = e->raw.number + 1;
    r->offset = e->offset;
    r->empty = e->empty;
    if (e->note) r->note = e->note; // accept() may have set one
    r->note_stays = r->note_stays || e->note_stays;
    if (e->failed && (f || e->raw.check_by_decoding || e->raw.verifies)) {
        r->next--;
        if (!e->error) return trj_fail_memory(err, sizeof *e->error, "an error");
        *err = *e->error;
        return -1;
    }
    r->maybe_truncated = r->maybe_truncated || e->raw.maybe_truncated;
    if (!f) return 1;
    if (r->format->ops->accept && r->format->ops->accept(r, &e->raw, err)) return -1;
    if (r->internals->identity) memcpy(r->difference, e->raw.difference, sizeof r->difference);
    struct trj_frame previous = *f;
    *f = e->raw.frame;
    e->raw.frame = previous;
    return 1;
}

// Waits for `filled`, but only for a while. Returns 0 or ETIMEDOUT.
static int wait_some_time(struct trj_read_ahead *a) {
    enum { WHILE = 50000000, SECOND = 1000000000 }; // ns
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += WHILE;
    until.tv_sec += until.tv_nsec / SECOND;
    until.tv_nsec %= SECOND;
    return pthread_cond_timedwait(&a->filled, &a->lock, &until);
}

// Waits until batch `first` is filled. Called with the lock. The first batch is filled by the calling thread.
static int wait_filled(const struct trj_reader *r, struct trj_error *err) {
    struct trj_read_ahead *a = r->internals->ahead;
    trj_reader_wait *wait = r->internals->wait; // NULL: there is none, or it was called
    while (!a->in_flight) {
        if (a->ended) { // `max_frames` frames were read: read the next one
            a->frames_left = 1;
            a->ended = false;
            pthread_cond_signal(&a->emptied);
        }
        if (!a->running) {
            if (wait && trj_input_is_pipe(r->in) && wait(r->internals->wait_arg, err)) return -1;
            fill_next(a);
            if (!a->ended && start_reader(a, err)) return -1;
            continue;
        }
        a->waits = true;
        int rc = wait ? wait_some_time(a) : pthread_cond_wait(&a->filled, &a->lock);
        a->waits = false;
        if (!wait || rc != ETIMEDOUT) continue;
        pthread_mutex_unlock(&a->lock);
        rc = wait(r->internals->wait_arg, err);
        wait = NULL;
        pthread_mutex_lock(&a->lock);
        if (rc) return -1;
    }
    return 0;
}

// Waits until batch `first` is decoded.
static int hold_first(const struct trj_reader *r, struct trj_error *err) {
    struct trj_read_ahead *a = r->internals->ahead;
    if (a->holds_first) return 0;
    pthread_mutex_lock(&a->lock);
    int rc = wait_filled(r, err);
    struct trj_pool *pool = a->pool;
    pthread_mutex_unlock(&a->lock);
    if (rc) return -1;
    if (pool) trj_pool_wait(pool, a->first);
    a->holds_first = true;
    return 0;
}

// Returns batch `first` to the reading thread, which is woken when half of the ring is empty.
static void drop_first(struct trj_read_ahead *a) {
    pthread_mutex_lock(&a->lock);
    a->first = (a->first + 1) % a->usable;
    a->in_flight--;
    if (a->in_flight == a->usable / 2) pthread_cond_signal(&a->emptied);
    pthread_mutex_unlock(&a->lock);
    a->taken = 0;
    a->holds_first = false;
}

int trj_read_ahead_next(struct trj_reader *r, struct trj_frame *f, struct trj_error *err) {
    struct trj_read_ahead *a = r->internals->ahead;
    for (;;) {
        if (hold_first(r, err)) return -1;
        struct batch *b = &a->batch[a->first];
        if (a->taken < b->count) return take_entry(r, &b->entry[a->taken++], f, err);
        if (b->end <= 0) { // the batch stays, for further calls
            if (b->end < 0) *err = *b->error;
            r->next = a->raw_reader.next;
            r->offset = a->raw_reader.offset;
            r->empty = a->raw_reader.empty;
            if (a->raw_reader.note) r->note = a->raw_reader.note;
            return b->end;
        }
        drop_first(a);
    }
}

static void pause_reader(struct trj_read_ahead *a) {
    pthread_mutex_lock(&a->lock);
    a->paused = a->waits = true;
    while (a->filling) pthread_cond_wait(&a->filled, &a->lock);
    a->waits = false;
    pthread_mutex_unlock(&a->lock);
    if (a->pool) trj_pool_finish(a->pool);
}

static void continue_reader(struct trj_read_ahead *a) {
    pthread_mutex_lock(&a->lock);
    a->paused = false;
    pthread_cond_signal(&a->emptied);
    pthread_mutex_unlock(&a->lock);
}

int trj_read_ahead_seek(struct trj_reader *r, uint64_t frame, struct trj_error *err) {
    struct trj_read_ahead *a = r->internals->ahead;
    pause_reader(a);
    // If the frame is missing, the reader keeps its position, which is before that of raw_reader.
    int got = trj_sequential_seek(&a->raw_reader, frame, err);
    r->can_seek = a->raw_reader.can_seek; // a frame stream without an index cannot
    if (got > 0) {
        pthread_mutex_lock(&a->lock);
        for (; a->in_flight; a->in_flight--, a->taken = 0) { // drop the frames that were read ahead
            a->frames_left += a->batch[a->first].count - a->taken;
            a->first = (a->first + 1) % a->usable;
        }
        a->ended = a->holds_first = false;
        pthread_mutex_unlock(&a->lock);
        r->next = frame;
    }
    continue_reader(a);
    return got;
}
