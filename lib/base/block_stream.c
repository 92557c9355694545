// SPDX-License-Identifier: MIT
// Implements the block container: one thread reads or writes in order, while the threads of a pool compress and verify.
#include "block_stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "byte_order.h"
#include "hash.h"
#include "memory.h"
#include "pipe_memory.h"
#include "pool.h"

// File header: magic[8], u16 major, u16 minor, u32 0, u64 check of the 16 bytes before.
// Block header: type[4], u32 flags, u64 stored size, u64 raw size, u64 check of the stored payload,
//               u64 check of the 32 bytes before, seeded with the number of the block in the stream.

enum {
    POOL_MIN = 1 << 16,  // payloads of this size are prepared by threads, also if they are stored raw
    RAW_AHEAD = 1 << 25, // bytes of pending raw blocks: more would only fill the caches
    MAX_HASHERS = 4,     // threads that hash raw payloads: a pipe is not faster than these
    MAX_PARTS = 1 + TRJ_BLOCK_MAX_ARRAYS,
};

// A block that was accepted and is not yet in the output.
struct pending_block {
    char type[4];
    uint32_t flags;
    struct trj_bytes payload;
    struct trj_block_arrays arrays; // follow the payload
    uint64_t check;                 // hash of the stored payload
    void *compressed;
    size_t capacity, stored;             // allocated bytes of `compressed`; bytes of it that are used
    size_t zstd_error;                   // result of ZSTD_compressCCtx if it is an error, otherwise 0
    bool failed;                         // no memory for `compressed`
    const struct trj_block_coder *coder; // NULL: zstd
    struct trj_bytes coded;              // its result
    struct trj_error *error;             // of the coder; NULL: none
    bool compresses;                     // the payload must be compressed
    bool done;                           // compression was tried, and `check` is known
};

struct trj_block_writer {
    struct trj_output *out;
    uint64_t *offset; // [written + 1] offsets of the written blocks and of the next one
    size_t offset_capacity;
    uint64_t count, written; // blocks accepted; those of them that are in the output
    int level;
    ZSTD_CCtx **zstd; // [threads]
    unsigned threads;
    unsigned hashers;      // threads of the pool that the first large raw payload opens; 0: no such pool
    struct trj_pool *pool; // NULL: one thread. Each task of the pool prepares one block.
    unsigned tasks;
    struct pending_block *pending;  // [tasks]
    unsigned *queue, first, queued; // [tasks] tasks of the pending blocks in order: a ring that begins at `first`
    unsigned *idle, idle_count;     // [tasks] tasks without a block
    uint64_t queued_bytes;          // of the payloads of the pending blocks
    bool broken;                    // a block was begun but not completed
};

// State of the stream that this process writes to standard output; `blocks` are those written completely.
static struct {
    bool began, over; // over: the stream is complete, or cannot be continued
    uint64_t blocks;
} on_stdout;

static int make_contexts(struct trj_block_writer *w, unsigned threads, struct trj_error *err) {
    if (!(w->zstd = trj_alloc(threads, sizeof *w->zstd, "zstd", err))) return -1;
    for (w->threads = 0; w->threads < threads; w->threads++)
        if (!(w->zstd[w->threads] = ZSTD_createCCtx())) return trj_fail_memory(err, 0, "zstd");
    return 0;
}

static void free_contexts(struct trj_block_writer *w) {
    for (unsigned i = 0; w->zstd && i < w->threads; i++) ZSTD_freeCCtx(w->zstd[i]);
    free(w->zstd);
    w->zstd = NULL;
}

int trj_block_writer_open(struct trj_block_writer **result, struct trj_output *out, const struct trj_stream_kind *kind,
                          int level, struct trj_error *err) {
    struct trj_block_writer *w = trj_alloc(1, sizeof *w, "a stream", err);
    if (!w) return -1;
    *w = (struct trj_block_writer){.out = out, .level = level};
    struct trj_bytes head = {0};
    if (trj_output_goes_to_stdout(out)) on_stdout.began = true;
    w->tasks = 1;
    if (!(w->pending = trj_alloc(1, sizeof *w->pending, "a stream", err)) || (level && make_contexts(w, 1, err)) ||
        trj_grow(&w->offset, &w->offset_capacity, 1, sizeof *w->offset, "a stream", err))
        goto out;
    trj_put_raw(&head, kind->magic, sizeof kind->magic);
    trj_put_u32(&head, (uint32_t)kind->major | (uint32_t)kind->minor << 16);
    trj_put_u32(&head, 0);
    if (!head.failed) trj_put_u64(&head, trj_hash(head.data, head.size, 0));
    if (head.failed) {
        trj_fail_memory(err, TRJ_STREAM_HEADER, "a stream");
        goto out;
    }
    if (trj_output_write(out, head.data, head.size, err)) goto out;
    w->offset[0] = TRJ_STREAM_HEADER;
    trj_bytes_free(&head);
    *result = w;
    return 0;
out:
    trj_bytes_free(&head);
    trj_block_writer_close(w);
    return -1;
}

void trj_block_writer_close(struct trj_block_writer *w) {
    struct trj_error ignored; // the caller has already reported a failure
    if (!w) return;
    // The accepted blocks are written also after a failure, so that the stream is the same for every number of threads.
    if (w->out && !w->broken && trj_output_goes_to_stdout(w->out)) (void)trj_block_writer_flush(w, &ignored);
    trj_pool_close(w->pool);
    if (w->out && trj_output_goes_to_stdout(w->out)) {
        on_stdout.blocks = w->written;
        if (w->broken || (!on_stdout.over && trj_output_flush(w->out, &ignored))) on_stdout.over = true;
    }
    for (unsigned i = 0; w->pending && i < w->tasks; i++) {
        free(w->pending[i].compressed);
        free(w->pending[i].error);
        trj_bytes_free(&w->pending[i].coded);
        trj_bytes_free(&w->pending[i].payload);
    }
    free_contexts(w);
    free(w->pending);
    free(w->queue);
    free(w->idle);
    free(w->offset);
    free(w);
}

int trj_block_writer_resume(struct trj_block_writer **w, struct trj_output *out, const struct trj_stream_kind *kind,
                            struct trj_error *err) {
    uint64_t blocks = on_stdout.blocks;
    if (on_stdout.over) return trj_fail(err, TRJ_FAILED, "the stream cannot be continued");
    if (!on_stdout.began) return trj_block_writer_open(w, out, kind, 0, err);
    struct trj_block_writer *made = trj_alloc(1, sizeof *made, "a stream", err);
    if (!made) return -1;
    *made = (struct trj_block_writer){.out = out, .tasks = 1, .count = blocks, .written = blocks};
    if (!(made->pending = trj_alloc(1, sizeof *made->pending, "a stream", err)) ||
        trj_grow(&made->offset, &made->offset_capacity, blocks + 1, sizeof *made->offset, "a stream", err)) {
        trj_block_writer_close(made);
        return -1;
    }
    made->offset[blocks] = 0; // the offset is unknown; a resumed writer writes no index that needs it
    *w = made;
    return 0;
}

uint64_t trj_block_writer_offset(const struct trj_block_writer *w, uint64_t block) {
    return w->offset[block];
}

uint64_t trj_block_writer_count(const struct trj_block_writer *w) {
    return w->count;
}

// Returns whether a reader accepts that `stored` compressed bytes give `raw` bytes.
static bool may_unpack(uint64_t raw, uint64_t stored) {
    return raw <= TRJ_BLOCK_ALWAYS_ALLOWED ||
           (raw - TRJ_BLOCK_ALWAYS_ALLOWED + TRJ_BLOCK_MAX_RATIO - 1) / TRJ_BLOCK_MAX_RATIO <= stored;
}

static uint64_t hash_parts(const struct trj_output_part *part, size_t parts) {
    struct trj_hash_state state;
    if (parts == 1) return trj_hash(part->data, part->size, 0);
    trj_hash_begin(&state);
    for (size_t i = 0; i < parts; i++) trj_hash_add(&state, part[i].data, part[i].size);
    return trj_hash_end(&state);
}

static void code_block(struct pending_block *p) {
    struct trj_error err;
    p->coded.size = 0;
    int rc = p->coder->encode(p->coder->arg, &p->payload, &p->coded, &err);
    if (rc < 0) p->failed = !(p->error = malloc(sizeof err));
    if (p->error) *p->error = err;
    if (rc > 0)
        memcpy(p->type, p->coder->type, sizeof p->type);
    else
        p->coder = NULL;
}

// A payload is stored raw if compression does not shrink it, or shrinks it by more than a reader accepts.
static void compress_block(struct pending_block *p, ZSTD_CCtx *zstd, int level) {
    struct trj_error ignored;
    const struct trj_bytes *b = &p->payload;
    p->failed = trj_grow(&p->compressed, &p->capacity, ZSTD_compressBound(b->size), 1, "a compressed block", &ignored);
    if (p->failed) return;
    size_t n = ZSTD_compressCCtx(zstd, p->compressed, p->capacity, b->data, b->size, level);
    p->zstd_error = ZSTD_isError(n) ? n : 0;
    if (p->zstd_error || n >= b->size || !may_unpack(b->size, n)) return;
    p->stored = n;
    p->flags |= TRJ_BLOCK_ZSTD;
}

// Sets `part` to the parts of the stored payload, and returns their number.
static size_t parts_of(const struct pending_block *p, struct trj_output_part part[MAX_PARTS]) {
    size_t count = p->coder || p->flags & TRJ_BLOCK_ZSTD ? 0 : p->arrays.count;
    part[0] = (struct trj_output_part){.data = p->payload.data, .size = p->payload.size};
    if (p->coder) part[0] = (struct trj_output_part){.data = p->coded.data, .size = p->coded.size};
    if (p->flags & TRJ_BLOCK_ZSTD) part[0] = (struct trj_output_part){.data = p->compressed, .size = p->stored};
    for (size_t i = 0; i < count; i++) part[1 + i] = p->arrays.part[i];
    return 1 + count;
}

static void prepare_block(struct pending_block *p, ZSTD_CCtx *zstd, int level) {
    struct trj_output_part part[MAX_PARTS];
    if (p->done) return;
    p->done = true;
    if (p->coder) code_block(p);
    if (p->compresses && !p->coder) compress_block(p, zstd, level);
    if (!p->failed && !p->error) p->check = hash_parts(part, parts_of(p, part));
}

static size_t prepare_task(void *arg, unsigned worker, unsigned task) {
    struct trj_block_writer *w = arg;
    prepare_block(&w->pending[task], w->level ? w->zstd[worker] : NULL, w->level);
    return 0;
}

static const struct trj_pool_work work = {prepare_task, NULL};

// Replaces the single pending block by those of a pool.
static int open_pool(struct trj_block_writer *w, unsigned threads, struct trj_error *err) {
    unsigned tasks = 2 * threads;
    trj_bytes_free(&w->pending->payload);
    free(w->pending);
    w->pending = trj_alloc(tasks, sizeof *w->pending, "blocks", err);
    w->queue = trj_alloc(tasks, sizeof *w->queue, "blocks", err);
    w->idle = trj_alloc(tasks, sizeof *w->idle, "blocks", err);
    if (!w->pending || !w->queue || !w->idle) return -1;
    w->tasks = tasks;
    for (unsigned i = 0; i < tasks; i++) w->idle[w->idle_count++] = i;
    return trj_pool_open(&w->pool, threads, tasks, &work, w, err);
}

int trj_block_writer_threads(struct trj_block_writer *w, unsigned threads, struct trj_error *err) {
    threads = trj_pool_size(threads);
    if (threads < 2) return 0;
    if (!w->level) {
        w->hashers = threads < MAX_HASHERS ? threads : MAX_HASHERS;
        return 0;
    }
    free_contexts(w);
    return make_contexts(w, threads, err) || open_pool(w, threads, err) ? -1 : 0;
}

static size_t bytes_of(const struct pending_block *p) {
    size_t bytes = p->payload.size;
    for (size_t i = 0; i < p->arrays.count; i++) bytes += p->arrays.part[i].size;
    return bytes;
}

// Writes the next block. Its stored payload, with the hash `check`, is the sequence of the parts.
static int put_block(struct trj_block_writer *w, const struct pending_block *p, const struct trj_output_part *part,
                     size_t parts, struct trj_error *err) {
    size_t stored = 0, raw = p->payload.size;
    for (size_t i = 0; i < parts; i++) stored += part[i].size;
    if (!(p->flags & TRJ_BLOCK_ZSTD)) raw = stored;
    if (trj_grow(&w->offset, &w->offset_capacity, w->written + 2, sizeof *w->offset, "the index", err)) return -1;
    unsigned char capacity[TRJ_BLOCK_HEADER];
    struct trj_bytes head = {.data = capacity, .capacity = sizeof capacity};
    trj_put_raw(&head, p->type, 4);
    trj_put_u32(&head, p->flags);
    trj_put_u64(&head, stored);
    trj_put_u64(&head, raw);
    trj_put_u64(&head, p->check);
    trj_put_u64(&head, trj_hash(capacity, TRJ_BLOCK_HEADER - 8, w->written));
    w->broken = true;
    if (trj_output_write(w->out, capacity, sizeof capacity, err)) return -1;
    for (size_t i = 0; i < parts; i++)
        if (trj_output_write_part(w->out, &part[i], err)) return -1;
    w->broken = false;
    if (!memcmp(p->type, "END!", 4) && trj_output_goes_to_stdout(w->out)) on_stdout.over = true;
    w->offset[w->written + 1] = w->offset[w->written] + sizeof capacity + stored;
    w->written++;
    return 0;
}

// Writes a pending block, which was prepared, to the output.
static int emit(struct trj_block_writer *w, struct pending_block *p, struct trj_error *err) {
    struct trj_bytes *b = &p->payload;
    struct trj_output_part part[MAX_PARTS];
    bool gave = false;
    if (p->failed) return trj_fail_memory(err, (double)b->size, "a compressed block");
    if (p->error) {
        *err = *p->error;
        return -1;
    }
    if (ZSTD_getErrorCode(p->zstd_error) == ZSTD_error_memory_allocation)
        return trj_fail_memory(err, (double)b->size, "a compressed block");
    if (p->zstd_error) return trj_fail(err, TRJ_FAILED, "zstd: %s", ZSTD_getErrorName(p->zstd_error));
    size_t parts = parts_of(p, part);
    if (b->pages) part[0].given = &gave;
    int rc = put_block(w, p, part, parts, err);
    if (gave) {
        trj_pipe_shrink(b->data, b->capacity, b->size);
        trj_bytes_free(b);
    }
    if (p->arrays.done) p->arrays.done(p->arrays.arg);
    return rc;
}

// Writes the oldest pending block.
static int emit_first(struct trj_block_writer *w, struct trj_error *err) {
    unsigned task = w->queue[w->first];
    struct pending_block *p = &w->pending[task];
    trj_pool_wait(w->pool, task);
    w->queued_bytes -= bytes_of(p);
    int rc = emit(w, p, err);
    w->first = (w->first + 1) % w->tasks;
    w->queued--;
    w->idle[w->idle_count++] =
        task; // used next, so that memory grows only with the largest number of blocks that were pending at a time
    if (rc) w->queued = 0; // a later block must not take the place of the missing one
    return rc;
}

int trj_block_writer_flush(struct trj_block_writer *w, struct trj_error *err) {
    while (w->queued)
        if (emit_first(w, err)) return -1;
    return 0;
}

// Waits until a block can be accepted, and returns where to put it.
static struct pending_block *next_pending(struct trj_block_writer *w, unsigned *task, struct trj_error *err) {
    uint64_t max = w->level ? TRJ_BLOCKS_AHEAD / 2 : RAW_AHEAD;
    while (w->pool && (w->queued == w->tasks || (w->queued > 1 && w->queued_bytes > max)))
        if (emit_first(w, err)) return NULL;
    *task = w->pool ? w->idle[w->idle_count - 1] : 0;
    return &w->pending[*task];
}

// Accepts a block, whose payload and arrays are set.
static int accept_block(struct trj_block_writer *w, unsigned task, const char type[4], bool required,
                        const struct trj_block_coder *coder, struct trj_error *err) {
    struct pending_block *p = &w->pending[task];
    memcpy(p->type, type, sizeof p->type);
    p->flags = required ? TRJ_BLOCK_REQUIRED : 0;
    p->compresses = w->level && p->payload.size >= TRJ_BLOCK_MIN_COMPRESSED;
    p->done = p->failed = false;
    p->coder = coder;
    p->zstd_error = 0;
    w->count++;
    if (!w->pool) {
        prepare_block(p, w->level ? w->zstd[0] : NULL, w->level);
        return emit(w, p, err);
    }
    w->idle_count--;
    w->queue[(w->first + w->queued++) % w->tasks] = task;
    w->queued_bytes += bytes_of(p);
    trj_pool_start(w->pool, task);
    return 0;
}

int trj_block_write(struct trj_block_writer *w, const char type[4], bool required, const struct trj_bytes *payload,
                    struct trj_error *err) {
    return trj_block_write_coded(w, type, required, payload, NULL, err);
}

int trj_block_write_coded(struct trj_block_writer *w, const char type[4], bool required,
                          const struct trj_bytes *payload, const struct trj_block_coder *coder, struct trj_error *err) {
    unsigned task;
    if (payload->failed) return trj_fail_memory(err, (double)payload->size, "a block");
    struct pending_block *p = next_pending(w, &task, err);
    if (!p) return -1;
    p->arrays = (struct trj_block_arrays){.count = 0};
    p->payload.size = 0;
    trj_put_raw(&p->payload, payload->data, payload->size);
    if (p->payload.failed) return trj_fail_memory(err, (double)payload->size, "a block");
    return accept_block(w, task, type, required, coder, err);
}

int trj_block_write_floats(struct trj_block_writer *w, const char type[4], bool required, struct trj_bytes *payload,
                           const struct trj_block_arrays *arrays, struct trj_error *err) {
    unsigned task;
    size_t bytes = payload->size;
    bool copies = w->level || !trj_host_is_little_endian();
    for (size_t i = 0; i < arrays->count; bytes += arrays->part[i++].size)
        if (copies) trj_put_f32s(payload, arrays->part[i].data, arrays->part[i].size / sizeof(float));
    if (copies && arrays->done) arrays->done(arrays->arg);
    if (payload->failed) return trj_fail_memory(err, (double)bytes, "a block");
    if (copies) return trj_block_write(w, type, required, payload, err);
    if (!w->pool && w->hashers && bytes >= POOL_MIN && open_pool(w, w->hashers, err)) return -1;
    struct pending_block *p = next_pending(w, &task, err);
    if (!p) return -1;
    struct trj_bytes memory = p->payload;
    p->payload = *payload;
    p->arrays = *arrays;
    if (memory.pages != payload->pages) trj_bytes_free(&memory);
    *payload = (struct trj_bytes){.data = memory.data, .capacity = memory.capacity, .pages = payload->pages};
    return accept_block(w, task, type, required, NULL, err);
}

struct trj_block_reader {
    struct trj_input *in;
    const struct trj_stream_kind *kind;
    uint64_t start, count;
    ZSTD_DCtx *zstd;
    unsigned char *stored, *raw;
    size_t stored_capacity, raw_capacity;
    struct trj_hash_state *state; // hash of the parts of a payload that were read
    uint64_t left;                // bytes of this payload that were not read
    bool later;                   // its checksum is verified later
};

bool trj_stream_is(const unsigned char *head, size_t n, const struct trj_stream_kind *kind) {
    return n >= sizeof kind->magic && !memcmp(head, kind->magic, sizeof kind->magic);
}

int trj_block_reader_open(struct trj_block_reader **result, struct trj_input *in, const struct trj_stream_kind *kind,
                          struct trj_error *err) {
    struct trj_block_reader *r = trj_alloc(1, sizeof *r, "a stream", err);
    if (!r) return -1;
    *r = (struct trj_block_reader){.in = in, .kind = kind, .start = trj_input_offset(in)};
    unsigned char head[TRJ_STREAM_HEADER];
    struct trj_cursor c = {.data = head, .size = sizeof head, .offset = 8};
    if (trj_input_read(in, head, sizeof head, "the stream header", err)) goto out;
    if (!trj_stream_is(head, sizeof head, kind)) {
        trj_fail(err, TRJ_BAD_DATA, "is not a trjpipe %s", kind->name);
        goto out;
    }
    uint32_t version = trj_get_u32(&c);
    trj_get_u32(&c);
    if (trj_get_u64(&c) != trj_hash(head, 16, 0)) {
        trj_fail(err, TRJ_BAD_DATA, "stream header at byte %llu: checksum mismatch: stream damaged",
                 (unsigned long long)r->start);
        goto out;
    }
    if ((version & 0xffff) != kind->major) {
        trj_fail(err, TRJ_BAD_DATA,
                 "%s of version %u, but this program reads version %u; use the trjpipe that wrote it, or a newer one",
                 kind->name, version & 0xffff, kind->major);
        goto out;
    }
    r->zstd = ZSTD_createDCtx();
    r->state = aligned_alloc(alignof(struct trj_hash_state), sizeof *r->state);
    if (!r->zstd || !r->state) {
        trj_fail_memory(err, 0, "zstd");
        goto out;
    }
    *result = r;
    return 0;
out:
    trj_block_reader_close(r);
    return -1;
}

void trj_block_reader_close(struct trj_block_reader *r) {
    if (!r) return;
    ZSTD_freeDCtx(r->zstd);
    free(r->state);
    free(r->stored);
    free(r->raw);
    free(r);
}

uint64_t trj_block_reader_start(const struct trj_block_reader *r) {
    return r->start;
}

uint64_t trj_block_reader_count(const struct trj_block_reader *r) {
    return r->count;
}

struct trj_input *trj_block_reader_input(const struct trj_block_reader *r) {
    return r->in;
}

bool trj_block_reader_begins(const struct trj_block_reader *r, const unsigned char *head) {
    struct trj_cursor c = {.data = head, .size = TRJ_STREAM_HEADER, .offset = 16};
    return trj_stream_is(head, TRJ_STREAM_HEADER, r->kind) && trj_get_u64(&c) == trj_hash(head, 16, 0);
}

int trj_block_reader_seek(struct trj_block_reader *r, uint64_t count, uint64_t offset, struct trj_error *err) {
    uint64_t size;
    if (trj_input_size(r->in, &size) && (size < r->start || offset > size - r->start)) // the index is damaged
        return trj_fail(err, TRJ_BAD_DATA,
                        "block %llu: the index gives byte %llu, after the end of the stream: index damaged",
                        (unsigned long long)count, (unsigned long long)offset);
    if (trj_input_seek(r->in, r->start + offset, err)) return -1;
    r->count = count;
    return 0;
}

void trj_block_drop(struct trj_block_reader *r, struct trj_block *block) {
    enum { LARGE = 1 << 24 };
    block->payload = (struct trj_cursor){.data = NULL};
    if (r->stored_capacity + r->raw_capacity < LARGE) return;
    free(r->stored);
    free(r->raw);
    r->stored = r->raw = NULL;
    r->stored_capacity = r->raw_capacity = 0;
}

// Allocates memory for a payload. It allocates 1/16 more than requested and not, as trj_grow, up to twice as much,
// because payloads can be large.
static int reserve(unsigned char **data, size_t *capacity, uint64_t size, struct trj_error *err) {
    if (size <= *capacity) return 0;
    uint64_t n = size + size / 16;
    unsigned char *p = n > SIZE_MAX ? NULL : realloc(*data, (size_t)n);
    if (!p) return trj_fail_memory(err, (double)size, "a block");
    *data = p;
    *capacity = (size_t)n;
    return 0;
}

enum { SKIP_BUFFER = 1 << 18 }; // bytes of a skipped payload that are read at a time

// The name of a block in messages.
struct block_name {
    char text[64];
};

static struct block_name name_of(const struct trj_block_reader *r, const struct trj_block *block) {
    struct block_name name;
    snprintf(name.text, sizeof name.text, "block %llu (%s)", (unsigned long long)r->count, block->type);
    return name;
}

static int mismatch(const char *name, uint64_t offset, struct trj_error *err) {
    return trj_fail(err, TRJ_BAD_DATA, "%s at byte %llu: checksum mismatch: stream damaged", name,
                    (unsigned long long)offset);
}

static int damaged(const struct trj_block_reader *r, const struct trj_block *block, struct trj_error *err) {
    if (trj_input_check_size(r->in, err)) return -1; // a read while a file is truncated can return zeros
    return mismatch(name_of(r, block).text, block->offset, err);
}

// Reads the payload as stored. Memory grows with the bytes that arrive, not with the size that the header gives.
static int read_stored(struct trj_block_reader *r, const struct trj_block *block, struct trj_error *err) {
    enum { FIRST = 1 << 26 };
    for (uint64_t have = 0; have < block->stored;) {
        uint64_t limit = have ? have : FIRST, n = block->stored - have < limit ? block->stored - have : limit;
        if (reserve(&r->stored, &r->stored_capacity, have + n, err)) return -1;
        if (trj_input_read(r->in, r->stored + have, n, name_of(r, block).text, err)) return -1;
        have += n;
    }
    return trj_hash(r->stored, block->stored, 0) == block->check ? 0 : damaged(r, block, err);
}

int trj_block_next(struct trj_block_reader *r, struct trj_block *block, struct trj_error *err) {
    unsigned char head[TRJ_BLOCK_HEADER];
    size_t got;
    unsigned long long offset = trj_input_offset(r->in);
    if (trj_input_read_some(r->in, head, sizeof head, &got, err)) return -1;
    if (!got) return 0;
    if (got < sizeof head)
        return trj_input_fail_truncated(r->in, offset + got, sizeof head, got, "a block header", err);
    struct trj_cursor c = {.data = head, .size = sizeof head, .offset = 4};
    uint32_t flags = trj_get_u32(&c);
    *block = (struct trj_block){
        .offset = offset, .required = flags & TRJ_BLOCK_REQUIRED, .compressed = flags & TRJ_BLOCK_ZSTD};
    memcpy(block->type, head, 4);
    block->stored = trj_get_u64(&c);
    block->raw = trj_get_u64(&c);
    block->check = trj_get_u64(&c);
    if (trj_get_u64(&c) != trj_hash(head, 32, r->count))
        return trj_fail(err, TRJ_BAD_DATA, "block %llu at byte %llu: header damaged, or block out of place",
                        (unsigned long long)r->count, offset);
    if (flags & ~(uint32_t)(TRJ_BLOCK_REQUIRED | TRJ_BLOCK_ZSTD))
        return trj_fail(err, TRJ_BAD_DATA,
                        "%s at byte %llu: stored in a way that this version does not support; use a newer trjpipe",
                        name_of(r, block).text, offset);
    if (!block->compressed && block->stored != block->raw)
        return trj_fail(err, TRJ_BAD_DATA, "%s at byte %llu: the sizes in its header differ", name_of(r, block).text,
                        offset);
    return 1;
}

int trj_block_check_size(const char *type, uint64_t size, uint64_t max_size, struct trj_error *err) {
    if (size <= max_size) return 0;
    return trj_fail(err, TRJ_BAD_DATA, "block %s: %llu bytes, at most %llu are allowed", type, (unsigned long long)size,
                    (unsigned long long)max_size);
}

static int unpack(struct trj_block_reader *r, struct trj_block *block, struct trj_error *err) {
    // Decompression detects a zstd frame whose header gives no size or a wrong size.
    unsigned long long given = ZSTD_getFrameContentSize(r->stored, block->stored);
    bool mismatch = given < ZSTD_CONTENTSIZE_ERROR && given != block->raw;
    if (!mismatch && reserve(&r->raw, &r->raw_capacity, block->raw, err)) return -1;
    size_t n = mismatch ? 0 : ZSTD_decompressDCtx(r->zstd, r->raw, block->raw, r->stored, block->stored);
    if (mismatch || ZSTD_isError(n) || n != block->raw)
        return trj_fail(err, TRJ_BAD_DATA,
                        "%s at byte %llu: its zstd data do not unpack to the %llu bytes that its header gives",
                        name_of(r, block).text, (unsigned long long)block->offset, (unsigned long long)block->raw);
    block->payload = (struct trj_cursor){.data = r->raw, .size = block->raw};
    return 0;
}

static int check_sizes(const struct trj_block_reader *r, const struct trj_block *block, uint64_t max_size,
                       struct trj_error *err) {
    unsigned long long offset = block->offset, stored = block->stored, raw = block->raw;
    if (raw > max_size)
        return trj_fail(err, TRJ_BAD_DATA, "%s at byte %llu: %llu bytes%s, at most %llu are allowed here",
                        name_of(r, block).text, offset, raw, block->compressed ? " unpacked" : "",
                        (unsigned long long)max_size);
    // The zstd frame of incompressible data is larger than the data by 1/256 and a few bytes.
    if (stored > raw && stored - raw > raw / 64 + 1024)
        return trj_fail(err, TRJ_BAD_DATA, "%s at byte %llu: %llu bytes of zstd data for only %llu unpacked bytes",
                        name_of(r, block).text, offset, stored, raw);
    if (block->compressed && !may_unpack(raw, stored))
        return trj_fail(err, TRJ_BAD_DATA,
                        "%s at byte %llu: %llu bytes of zstd data would give %llu, over %d times as many",
                        name_of(r, block).text, offset, stored, raw, TRJ_BLOCK_MAX_RATIO);
    return 0;
}

int trj_block_load(struct trj_block_reader *r, struct trj_block *block, uint64_t max_size, struct trj_error *err) {
    if (check_sizes(r, block, max_size, err) || read_stored(r, block, err)) return -1;
    block->payload = (struct trj_cursor){.data = r->stored, .size = block->stored};
    if (block->compressed && unpack(r, block, err)) return -1;
    r->count++;
    return 0;
}

int trj_block_start(struct trj_block_reader *r, const struct trj_block *block, uint64_t max_size,
                    struct trj_error *err) {
    if (check_sizes(r, block, max_size, err)) return -1;
    trj_hash_begin(r->state);
    r->left = block->stored;
    r->later = false;
    return 0;
}

void trj_block_verify_later(struct trj_block_reader *r, const struct trj_block *block, struct trj_block_check *later) {
    r->later = true;
    *later = (struct trj_block_check){.offset = block->offset, .check = block->check};
    snprintf(later->name, sizeof later->name, "%s", name_of(r, block).text);
}

int trj_block_part(struct trj_block_reader *r, const struct trj_block *block, void *to, size_t n,
                   struct trj_error *err) {
    enum { PIECE = 1 << 17 }; // bytes that are hashed while they are in the cache
    unsigned char *next = to;
    if (n > r->left)
        return trj_fail(err, TRJ_BAD_DATA, "%s at byte %llu: too short for its content", name_of(r, block).text,
                        (unsigned long long)block->offset);
    r->left -= n;
    for (size_t some; n; next += some, n -= some) {
        some = n < PIECE || r->later ? n : PIECE;
        if (trj_input_read(r->in, next, some, name_of(r, block).text, err)) return -1;
        if (!r->later) trj_hash_add(r->state, next, some);
    }
    return 0;
}

int trj_block_defer(struct trj_block_reader *r, const struct trj_block *block, struct trj_error *err) {
    if (trj_input_defer(r->in, r->left, name_of(r, block).text, err)) return -1;
    r->left = 0;
    return 0;
}

int trj_block_read_parts(struct trj_block_reader *r, const struct trj_block *block, const struct iovec *parts,
                         int count, struct trj_pipe_store *store, struct trj_error *err) {
    r->left = 0;
    return trj_input_read_parts(r->in, parts, count, store, name_of(r, block).text, err);
}

uint64_t trj_block_left(const struct trj_block_reader *r) {
    return r->left;
}

int trj_block_finish(struct trj_block_reader *r, const struct trj_block *block, struct trj_error *err) {
    while (r->left) {
        size_t n = r->left < SKIP_BUFFER ? (size_t)r->left : SKIP_BUFFER;
        if (reserve(&r->stored, &r->stored_capacity, n, err) || trj_block_part(r, block, r->stored, n, err)) return -1;
    }
    if (!r->later && trj_hash_end(r->state) != block->check) return damaged(r, block, err);
    r->count++;
    return 0;
}

int trj_block_verify(const struct trj_block_check *later, uint64_t hash, struct trj_error *err) {
    return hash == later->check ? 0 : mismatch(later->name, later->offset, err);
}

int trj_block_skip(struct trj_block_reader *r, const struct trj_block *block, struct trj_error *err) {
    r->later = false;
    trj_hash_begin(r->state);
    r->left = block->stored;
    return trj_block_finish(r, block, err);
}
