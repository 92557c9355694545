// SPDX-License-Identifier: MIT
// Reads frame streams. Frames must follow the header and the groups, and end with an END block.
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "byte_order.h"
#include "common_blocks.h"
#include "failure.h"
#include "frame_stream_parts.h"
#include "memory.h"
#include "reader_parts.h"
#include "stream_chunk.h"
#include "stream_salvage.h"
#include "xtc_unpack.h"

enum { DIRECT = 1 << 26 }; // largest payload that is read to where it is needed

struct stream_state {
    struct trj_block_reader *blocks;
    struct trj_block block; // the current FRAM block, or the END block that was read ahead
    bool direct; // the payload of the current block was not loaded: its one frame is read to where it is needed
    unsigned char head[8];                // in this case: the bytes before the frame
    bool have_block, ended, frames_began; // frames_began: a FRAM block was read, and the header is complete
    uint32_t left;                        // frames of the current block that were not read
    uint32_t count;                       // frames of the current block
    struct trj_stream_chunk *chunk;       // of the current block; NULL: its frames are not compressed
    struct trj_stream_chunks chunks;
    struct trj_stream_places sources, frames; // of the index, if it was read
    struct trj_stream_header found;           // its sources are those that were read; the header gets them with frames
    pthread_mutex_t lock;                     // of `found`
    uint64_t total;                           // number of frames in the END block, if the index was read
    uint64_t provenance;                      // bytes of the PROV blocks
    bool have_index;
    struct trj_stream_salvage *salvage; // NULL: damage is an error
    bool verifying;                     // the checksums of a block are being verified: an error is damage
};

static bool is_stream(const unsigned char *head, size_t n) {
    return trj_stream_is(head, n, &trj_frame_stream_kind);
}

static bool is_packed(const struct trj_block *b) {
    return !strcmp(b->type, "FRMX");
}

static bool is_compressed(const struct trj_block *b) {
    return !strcmp(b->type, "FRMZ");
}

static bool has_frames(const struct trj_block *b) {
    return is_packed(b) || is_compressed(b) || !strcmp(b->type, "FRAM");
}

// Ends a stream that is salvaged at byte `begin`, for the reason in *err. `ended`: its END block was read.
static int drop_rest(struct trj_reader *r, uint64_t begin, bool ended, struct trj_error *err) {
    struct stream_state *s = r->internals->state;
    struct trj_error reason = *err;
    s->ended = true;
    return trj_stream_salvage_rest(s->salvage, s->blocks, begin, ended, &reason, err);
}

static int read_end(struct trj_reader *r, struct trj_block *b, struct trj_error *err) {
    uint64_t frames = trj_get_u64(&b->payload);
    const unsigned char *rest;
    size_t n;
    // load_index finds the END block from the end of the file, by its fixed size.
    if (b->payload.size != TRJ_STREAM_END_SIZE ||
        trj_input_offset(r->in) - b->offset != TRJ_BLOCK_HEADER + TRJ_STREAM_END_SIZE)
        return trj_stream_bad_block(b, "has the wrong size", err);
    struct trj_stream_salvage *salvage = ((struct stream_state *)r->internals->state)->salvage;
    if (salvage) trj_stream_salvage_total(salvage, frames);
    if (frames != r->next && !(salvage && !trj_stream_salvage_complete(salvage)))
        return trj_fail(err, TRJ_BAD_DATA, "END block gives %llu frames, but %llu were read: stream damaged",
                        (unsigned long long)frames, (unsigned long long)r->next);
    if (trj_input_peek(r->in, &rest, 1, &n, err)) return -1;
    if (!n) return 0;
    trj_fail(err, TRJ_BAD_DATA,
             "data follow the END block at byte %llu; join frame streams with trjcat A B, not with cat",
             (unsigned long long)trj_input_offset(r->in));
    return salvage ? drop_rest(r, trj_input_offset(r->in), true, err) : -1;
}

// Makes the chunk of a block of compressed frames. Headers and members precede the compressed coordinates.
static int open_chunk(struct trj_reader *r, struct trj_block *b, struct trj_error *err) {
    struct stream_state *s = r->internals->state;
    const struct trj_cursor *c = &b->payload;
    size_t before = TRJ_STREAM_FRAME_HEADER + sizeof(uint32_t) * r->header->member_words;
    if (s->count > trj_cursor_left(c) / before) return trj_stream_bad_block(b, "ends inside a frame", err);
    size_t at = c->at + s->count * before;
    return trj_stream_chunk_open(&s->chunk, &s->chunks, c->data + at, c->size - at, s->count, r->header->atoms, err);
}

static int read_frames_head(struct trj_reader *r, struct trj_block *b, struct trj_error *err) {
    struct stream_state *s = r->internals->state;
    const struct trj_stream_header *h = r->header;
    struct trj_cursor direct = {.data = s->head, .size = sizeof s->head}, *c = s->direct ? &direct : &b->payload;
    s->frames_began = true;
    if (s->direct && trj_block_part(s->blocks, b, s->head, sizeof s->head, err)) return -1;
    trj_stream_chunk_drop(s->chunk);
    s->chunk = NULL;
    s->left = s->count = trj_get_u32(c);
    trj_get_u32(c);
    s->have_block = s->left > 0;
    if (!h->groups) return trj_stream_bad_block(b, "comes before the groups", err);
    if (is_packed(b) && !trj_stream_may_pack(h))
        return trj_stream_bad_block(b, "has packed frames, but the numbers of the atoms are not known", err);
    if (h->source_atoms < h->atoms - h->centres)
        return trj_stream_bad_block(b, "the header gives more atoms than their source has", err);
    if (!s->left) return trj_stream_bad_block(b, "contains no frames", err);
    return is_compressed(b) ? open_chunk(r, b, err) : 0;
}

// Finds whether the payload of a block is one frame as it is stored, by the number of frames in the input, whose
// checksum is not verified: if the number is wrong, reading the frame fails. Memory for very large payloads must grow
// with the bytes that arrive, as in trj_block_load.
static int has_one_frame(struct trj_reader *r, const struct trj_block *b, bool *one, struct trj_error *err) {
    const unsigned char *head;
    size_t n;
    *one = false;
    if (((struct stream_state *)r->internals->state)->salvage || !has_frames(b) || is_compressed(b) || b->compressed ||
        b->stored < 8 || b->stored > DIRECT || !trj_host_is_little_endian())
        return 0;
    if (trj_input_peek(r->in, &head, 4, &n, err)) return -1;
    *one = n == 4 && !memcmp(head, "\1\0\0", 4);
    return 0;
}

// Loads a block of a known type after checking its place in the stream. The payload of one frame is only begun.
static int load_block(struct trj_reader *r, struct trj_block *b, struct trj_error *err) {
    struct stream_state *s = r->internals->state;
    const struct trj_stream_header *h = r->header;
    const struct trj_stream_block *known = trj_stream_block_find(b->type);
    bool provenance = !strcmp(b->type, "PROV");
    if (!h->atoms && strcmp(b->type, "HEAD") != 0) return trj_stream_bad_block(b, "comes before the header", err);
    if (h->atoms && !strcmp(b->type, "HEAD")) return trj_stream_bad_block(b, "second header", err);
    if (s->frames_began && known->layout) return trj_stream_bad_block(b, "comes after frames", err);
    if (has_one_frame(r, b, &s->direct, err)) return -1;
    if (s->direct) return trj_block_start(s->blocks, b, known->max_payload(h), err);
    s->verifying = true;
    if (trj_block_load(s->blocks, b, known->max_payload(h) - (provenance ? s->provenance : 0), err)) return -1;
    s->verifying = false;
    if (provenance) s->provenance += b->raw;
    return 0;
}

static int find_source(struct stream_state *s, struct trj_block *b, struct trj_error *err) {
    bool known = true;
    if (s->salvage && trj_stream_salvage_source(s->salvage, trj_block_reader_count(s->blocks) - 1, &known, err))
        return -1;
    if (!known) return 0;
    pthread_mutex_lock(&s->lock);
    int rc = trj_stream_block_find("SRCE")->read(&s->found, b, err);
    pthread_mutex_unlock(&s->lock);
    return rc;
}

// Adds sources that were found to the header, up to `count` of them.
static int add_sources(struct trj_reader *r, size_t count, struct trj_error *err) {
    struct stream_state *s = r->internals->state;
    struct trj_stream_header *h = r->header;
    if (count <= h->source_count) return 0;
    int rc = 0;
    pthread_mutex_lock(&s->lock);
    for (size_t i = h->source_count; !rc && i < count && i < s->found.source_count; i++)
        rc = trj_stream_header_add_source(h, s->found.sources[i].name, s->found.sources[i].fingerprint, err);
    pthread_mutex_unlock(&s->lock);
    return rc;
}

static int skip_block(struct stream_state *s, const struct trj_block *b, struct trj_error *err) {
    s->verifying = true;
    if (trj_block_skip(s->blocks, b, err)) return -1;
    s->verifying = false;
    return 0;
}

static int salvage_index(struct trj_reader *r, struct trj_block *b, struct trj_error *err) {
    struct stream_state *s = r->internals->state;
    uint64_t size;
    s->verifying = true;
    if (!trj_input_size(r->in, &size) || trj_block_load(s->blocks, b, trj_stream_max_index(size), err)) return -1;
    s->verifying = false;
    int rc = trj_stream_salvage_index(s->salvage, b, err);
    b->payload.failed = false; // an invalid index has no effect
    return rc;
}

static int read_failure(struct trj_reader *r, struct trj_block *b, struct trj_error *err) {
    struct stream_state *s = r->internals->state;
    s->verifying = true;
    if (trj_block_load(s->blocks, b, TRJ_SMALL_BLOCK_MAX, err)) return -1;
    s->verifying = false;
    (void)trj_failure_read(b, r->in, err);
    return s->salvage && s->frames_began ? drop_rest(r, b->offset, false, err) : -1;
}

// Reads one block. Blocks of an unknown type, and sources that were already read with the index, are ignored.
static int read_block(struct trj_reader *r, struct trj_block *b, struct trj_error *err) {
    struct stream_state *s = r->internals->state;
    struct trj_stream_header *h = r->header;
    const struct trj_stream_block *known = trj_stream_block_find(b->type);
    if (!strcmp(b->type, "FAIL")) return read_failure(r, b, err);
    if (!known && b->required)
        return trj_stream_bad_block(b, "is required, but unknown to this version; use a newer trjpipe", err);
    if (s->salvage && !strcmp(b->type, "INDX")) return salvage_index(r, b, err);
    if (!known || (s->have_index && !strcmp(b->type, "SRCE"))) return skip_block(s, b, err);
    if (load_block(r, b, err)) return -1;
    if (!strcmp(b->type, "SRCE")) return find_source(s, b, err);
    if (known->read) return known->read(h, b, err);
    if (has_frames(b)) return read_frames_head(r, b, err);
    s->ended = true;
    return h->groups ? read_end(r, b, err) : trj_stream_bad_block(b, "comes before the groups", err);
}

static int fail_no_end(const struct trj_reader *r, unsigned long long at, struct trj_error *err) {
    trj_fail(err, TRJ_BAD_DATA, "byte %llu: truncated: END block missing after %llu frames", at,
             (unsigned long long)r->next);
    err->truncated = true;
    return -1;
}

// Continues after a damaged block, which begins at byte `begin`, or ends the stream. `header`: its header is valid.
static int salvage_block(struct trj_reader *r, uint64_t begin, bool header, struct trj_error *err) {
    struct stream_state *s = r->internals->state;
    if (err->status != TRJ_BAD_DATA || !s->verifying) return -1;
    bool after_layout = s->frames_began || (header && has_frames(&s->block)) ||
                        trj_stream_salvage_after_layout(s->salvage, trj_block_reader_count(s->blocks));
    if (!after_layout)
        return trj_fail_remedy(err, "damage before the first frame cannot be salvaged: create the stream again");
    int rc = trj_stream_salvage_next(s->salvage, s->blocks, begin, header, err);
    s->frames_began = true;
    s->ended = !rc;
    return rc < 0 ? -1 : 0;
}

// Reads blocks until one contains frames (returns 1), or the END block was read (0).
static int next_block(struct trj_reader *r, struct trj_error *err) {
    struct stream_state *s = r->internals->state;
    struct trj_block *b = &s->block;
    while (!s->have_block) {
        if (s->ended) return 0;
        uint64_t begin = trj_input_offset(r->in);
        s->verifying = true;
        int rc = trj_block_next(s->blocks, b, err);
        bool header = rc > 0;
        s->verifying = rc <= 0;
        if (!rc) rc = fail_no_end(r, begin, err);
        if (rc > 0) rc = read_block(r, b, err);
        if (rc < 0 && (!s->salvage || salvage_block(r, begin, header, err))) return -1;
        if (!rc && b->payload.failed) return trj_stream_bad_block(b, "too short for its content", err);
    }
    return 1;
}

static void stream_close(struct trj_reader *r) {
    struct stream_state *s = r->internals->state;
    if (s) {
        trj_block_reader_close(s->blocks);
        trj_stream_chunks_free(&s->chunks);
        pthread_mutex_destroy(&s->chunks.lock);
        trj_stream_salvage_close(s->salvage);
        trj_stream_header_free(&s->found);
        pthread_mutex_destroy(&s->lock);
        free(s->sources.at);
        free(s->frames.at);
    }
    if (r->header) trj_stream_header_free(r->header);
    free(r->header);
    free(s);
}

static int stream_open(struct trj_reader *r, struct trj_error *err) {
    struct stream_state *s = r->internals->state = trj_alloc(1, sizeof *s, "a stream", err);
    if (s) pthread_mutex_init(&s->lock, NULL);
    if (s) pthread_mutex_init(&s->chunks.lock, NULL);
    r->header = s ? trj_alloc(1, sizeof *r->header, "a stream", err) : NULL;
    uint64_t size;
    if (!r->header || trj_block_reader_open(&s->blocks, r->in, &trj_frame_stream_kind, err) ||
        (r->internals->salvages && trj_stream_salvage_open(&s->salvage, s->blocks, err)) || next_block(r, err) < 0 ||
        add_sources(r, s->found.source_count, err))
        return -1;
    r->atoms = r->header->atoms;
    r->can_seek = !s->salvage && trj_input_size(r->in, &size);
    snprintf(r->dialect, sizeof r->dialect, "version %u", trj_frame_stream_kind.major);
    return 0;
}

// Unused membership bits after a group's last atom must be zero.
static bool members_fit(const struct trj_stream_header *h, const struct trj_frame *f) {
    for (size_t i = 0; i < h->group_count; i++) {
        const struct trj_group *g = &h->groups[i];
        if (g->dynamic && g->count % 32 && f->members[g->word + g->count / 32] >> g->count % 32) return false;
    }
    return true;
}

// What a raw frame needs for decoding, if its coordinates are packed or compressed.
struct stream_frame {
    struct trj_block_check check; // if the checksum of its block is verified by decoding
    unsigned char head[8 + TRJ_STREAM_FRAME_HEADER];
    struct trj_stream_chunk *chunk; // NULL: not compressed, or decoded
    size_t place;                   // of the frame in the chunk
    struct trj_packed packed;       // without data, which are the bytes of the raw frame
    const char *source;             // name of the file that the coordinates come from
};

static void drop_chunk(struct stream_frame *own) {
    trj_stream_chunk_drop(own->chunk);
    own->chunk = NULL;
}

static void get_packed(struct trj_cursor *c, struct trj_packed *p) {
    *p = (struct trj_packed){.data = NULL};
    trj_get_f32s(c, &p->precision, 1);
    for (int k = 0; k < 3; k++) p->low[k] = (int32_t)trj_get_u32(c);
    for (int k = 0; k < 3; k++) p->high[k] = (int32_t)trj_get_u32(c);
    p->small = (int32_t)trj_get_u32(c);
    p->at = trj_get_u64(c);
    p->bytes = trj_get_u64(c);
}

// Fails unless n bytes of the current block are left.
static int check_left(const struct stream_state *s, uint64_t n, struct trj_error *err) {
    uint64_t left = s->direct ? trj_block_left(s->blocks) : trj_cursor_left(&s->block.payload);
    return left < n ? trj_stream_bad_block(&s->block, "ends inside a frame", err) : 0;
}

// Copies the next n bytes of the current block.
static int take_bytes(struct stream_state *s, void *to, size_t n, struct trj_error *err) {
    struct trj_cursor *c = &s->block.payload;
    if (check_left(s, n, err)) return -1;
    if (s->direct) return trj_block_part(s->blocks, &s->block, to, n, err);
    if (n) memcpy(to, c->data + c->at, n);
    c->at += n;
    return 0;
}

// Skips n bytes of the current block.
static int skip_bytes(struct stream_state *s, uint64_t n, struct trj_error *err) {
    if (check_left(s, n, err)) return -1;
    if (!s->direct) s->block.payload.at += n; // otherwise trj_block_finish reads them
    return 0;
}

// Takes the coordinates of a frame from the block; f NULL: skips them.
static int take_floats(struct trj_reader *r, struct trj_frame *f, struct trj_error *err) {
    struct stream_state *s = r->internals->state;
    struct trj_cursor *c = &s->block.payload;
    size_t words = r->header->member_words, data = 3 * sizeof(float) * r->atoms + sizeof(uint32_t) * words;
    if (!f) return skip_bytes(s, data, err);
    if (check_left(s, data, err) || trj_frame_resize(f, r->atoms, err) || trj_frame_resize_members(f, words, err))
        return -1;
    for (int k = 0; k < 3; k++) {
        if (!s->direct)
            trj_get_f32s(c, f->x[k], r->atoms);
        else if (take_bytes(s, f->x[k], r->atoms * sizeof *f->x[k], err))
            return -1;
    }
    if (s->direct) return take_bytes(s, f->members, words * sizeof *f->members, err);
    trj_get_u32s(c, f->members, words);
    return 0;
}

// As take_floats, for packed coordinates, which are decoded later.
static int take_packed(struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err) {
    struct stream_state *s = r->internals->state;
    unsigned char head[TRJ_STREAM_PACKED_HEADER];
    struct trj_cursor c = {.data = head, .size = sizeof head};
    struct trj_packed packed;
    if (take_bytes(s, head, sizeof head, err)) return -1;
    get_packed(&c, &packed);
    if (check_left(s, packed.bytes, err)) return -1;
    if (!p) return skip_bytes(s, packed.bytes, err);
    ((struct stream_frame *)p->own)->packed = packed;
    if (trj_grow(&p->bytes.data, &p->bytes.room, packed.bytes + TRJ_XTC_SLACK, 1, "a frame", err) ||
        take_bytes(s, p->bytes.data, packed.bytes, err))
        return -1;
    memset(p->bytes.data + packed.bytes, 0, TRJ_XTC_SLACK);
    p->bytes.size = packed.bytes;
    return 0;
}

// As take_floats, for compressed coordinates, which are decoded later.
static int take_compressed(struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err) {
    struct stream_state *s = r->internals->state;
    const struct trj_cursor *c = &s->block.payload;
    size_t place = s->count - s->left, words = r->header->member_words;
    if (!p) return 0;
    struct stream_frame *own = p->own;
    if (trj_frame_resize_members(&p->frame, words, err)) return -1;
    struct trj_cursor members = {.data = c->data, .size = c->size};
    members.at = 8 + s->count * (size_t)TRJ_STREAM_FRAME_HEADER + place * words * sizeof(uint32_t);
    trj_get_u32s(&members, p->frame.members, words);
    trj_stream_chunk_share(s->chunk);
    own->chunk = s->chunk;
    own->place = place;
    p->more = s->left > 1;
    return 0;
}

// Leaves the checksum of the current block to decoding, if the block contains only the coordinates of one frame. Not
// for a file, which may have become shorter if the checksum is wrong: trj_block_finish finds that.
static void verify_later(struct trj_reader *r, struct trj_raw_frame *p) {
    struct stream_state *s = r->internals->state;
    const struct trj_stream_header *h = r->header;
    struct stream_frame *own = p->own;
    uint64_t floats = 3 * sizeof(float) * (uint64_t)h->atoms + sizeof(uint32_t) * h->member_words;
    if (!s->direct || !trj_input_is_pipe(r->in) || is_packed(&s->block) || s->block.stored != sizeof own->head + floats)
        return;
    p->verifies = true;
    memcpy(own->head, s->head, sizeof s->head);
    trj_block_verify_later(s->blocks, &s->block, &own->check);
}

// Verifies the checksum that was left to decoding.
static int verify(const struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err) {
    struct stream_frame *own = p->own;
    size_t floats = r->atoms * sizeof(float);
    if (!p->verifies) return 0;
    return trj_block_verify(
        &own->check, (const void *[]){own->head, p->frame.x[0], p->frame.x[1], p->frame.x[2], p->frame.members},
        (size_t[]){sizeof own->head, floats, floats, floats, r->header->member_words * sizeof(uint32_t)}, 5, err);
}

static int check_frame(const struct trj_reader *r, struct trj_frame *f, struct trj_error *err) {
    const struct stream_state *s = r->internals->state;
    for (int i = 0; i < 9; i++)
        if (!isfinite(f->cell.h[i / 3][i % 3]))
            return trj_stream_bad_block(&s->block, "a frame's cell is not finite", err);
    if (f->source >= s->found.source_count || f->cell.periodic > TRJ_PERIODIC_ALL || !(f->unit > 0) ||
        !isfinite(f->unit))
        return trj_stream_bad_block(&s->block, "a frame has an invalid source, periodicity or unit", err);
    if (!is_packed(&s->block) && !members_fit(r->header, f))
        return trj_stream_bad_block(&s->block, "a frame marks members after the last atom of a group", err);
    return trj_cell_restrict(&f->cell, f->cell.periodic, err);
}

static void get_header(struct trj_cursor *c, struct trj_frame *f) {
    f->source = trj_get_u32(c);
    f->cell.periodic = trj_get_u32(c);
    f->index = trj_get_u64(c);
    f->step = trj_get_i64(c);
    f->time = trj_get_f64(c);
    f->unit = trj_get_f64(c);
    for (int i = 0; i < 9; i++) f->cell.h[i / 3][i % 3] = trj_get_f64(c);
}

// Takes header and coordinates of the next frame of the current block; p NULL: skips it.
static int take_content(struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err) {
    struct stream_state *s = r->internals->state;
    unsigned char head[TRJ_STREAM_FRAME_HEADER];
    struct trj_cursor c = {.data = head, .size = sizeof head};
    if (take_bytes(s, head, sizeof head, err)) return -1;
    if (p) get_header(&c, &p->frame);
    if (p) drop_chunk(p->own);
    if (p && p->verifies) memcpy(((struct stream_frame *)p->own)->head + sizeof s->head, head, sizeof head);
    if (is_compressed(&s->block)) return take_compressed(r, p, err);
    return is_packed(&s->block) ? take_packed(r, p, err) : take_floats(r, p ? &p->frame : NULL, err);
}

// Takes the next frame from the blocks; p NULL: skips it. Sets *dropped to whether its source is lost. Returns 1, 0 at
// the end, -1.
static int take_next(struct trj_reader *r, struct trj_raw_frame *p, bool *dropped, struct trj_error *err) {
    struct stream_state *s = r->internals->state;
    *dropped = false;
    int rc = next_block(r, err);
    if (rc <= 0) return rc;
    if (p) verify_later(r, p);
    rc = take_content(r, p, err);
    if (!--s->left) s->have_block = false;
    bool incomplete = rc && (err->truncated || err->status != TRJ_BAD_DATA);
    struct trj_error damage;
    if (s->direct && !incomplete && trj_block_finish(s->blocks, &s->block, &damage)) { // also the reason of `err`
        *err = damage;
        return -1;
    }
    if (rc) return -1;
    if (!p) return 1;
    struct trj_frame *f = &p->frame;
    bool packed = is_packed(&s->block), compressed = is_compressed(&s->block);
    if (!s->left) {
        trj_stream_chunk_drop(s->chunk);
        s->chunk = NULL;
    }
    if (!s->left && !s->direct) trj_block_drop(s->blocks, &s->block); // large frames leave little memory
    *dropped = s->salvage && !trj_stream_salvage_frame(s->salvage, &f->source, f->index);
    if (*dropped) return 1;
    p->whole = !packed && !compressed && !p->verifies;
    if (!check_frame(r, f, err)) {
        if (packed) ((struct stream_frame *)p->own)->source = s->found.sources[f->source].name;
        return 1;
    }
    if (verify(r, p, &damage)) *err = damage; // the reason of `err`
    return -1;
}

static int take_frame(struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err) {
    bool dropped;
    int rc;
    do rc = take_next(r, p, &dropped, err);
    while (rc > 0 && dropped);
    return rc;
}

static int stream_read_raw(struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err) {
    return take_frame(r, p, err);
}

static void stream_losses(const struct trj_reader *r, trj_loss_note *note, void *arg, struct trj_losses *sum) {
    const struct stream_state *s = r->internals->state;
    if (s->salvage) trj_stream_salvage_report(s->salvage, &s->found, r->next, note, arg, sum);
}

static int stream_decode(const struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err) {
    struct stream_frame *own = p->own;
    const struct trj_stream_header *h = r->header;
    own->packed.data = p->bytes.data;
    p->whole = true;
    if (trj_frame_resize(&p->frame, r->atoms, err)) return -1; // keeps x of a frame that was read
    if (p->verifies) return verify(r, p, err);
    if (own->chunk) {
        int rc = trj_stream_chunk_decode(own->chunk, own->place, p->frame.x, err);
        drop_chunk(own);
        return rc;
    }
    if (!trj_xtc_unpack(&own->packed, p->frame.x, h->source_atoms, h->number, h->number ? h->atoms : 0, err)) return 0;
    trj_fail_at(err, "frame %llu of %s", (unsigned long long)p->frame.index, own->source);
    return trj_fail_remedy(err, "create that file again");
}

static bool stream_keep(const struct trj_reader *r, struct trj_raw_frame *p) {
    const struct stream_frame *own = p->own;
    (void)r;
    if (!p->bytes.size) return false;
    trj_raw_frame_keep(p, &own->packed, p->bytes.size);
    return true;
}

static int stream_accept(struct trj_reader *r, const struct trj_raw_frame *p, struct trj_error *err) {
    return add_sources(r, (size_t)p->frame.source + 1, err);
}

static int stream_skip(struct trj_reader *r, struct trj_error *err) {
    return take_frame(r, NULL, err);
}

// Reads the header of the block at a place that the index gives.
static int find_block_at(struct stream_state *s, const struct trj_stream_place *p, const char *type,
                         struct trj_error *err) {
    if (trj_block_reader_seek(s->blocks, p->number, p->offset, err)) return -1;
    int rc = trj_block_next(s->blocks, &s->block, err);
    if (rc < 0) return -1;
    if (rc && (strcmp(type, "FRAM") ? !strcmp(s->block.type, type) : has_frames(&s->block))) return 0;
    return trj_fail(err, TRJ_BAD_DATA, "the index does not point to a %s block", type);
}

// Loads the block at a place. Its payload may have at most `max_bytes` bytes.
static int read_block_at(struct stream_state *s, const struct trj_stream_place *p, const char *type, uint64_t max_bytes,
                         struct trj_error *err) {
    return find_block_at(s, p, type, err) || trj_block_load(s->blocks, &s->block, max_bytes, err) ? -1 : 0;
}

// Finds the index from the end of the file: the END block is the last one and small, thus never compressed.
static int load_index(struct trj_reader *r, struct trj_error *err) {
    struct stream_state *s = r->internals->state;
    uint64_t size = 0, end = TRJ_BLOCK_HEADER + TRJ_STREAM_END_SIZE, here = trj_input_offset(r->in);
    unsigned char tail[TRJ_BLOCK_HEADER + TRJ_STREAM_END_SIZE];
    if (s->have_index) return 0;
    bool whole = trj_input_size(r->in, &size) && size >= trj_block_reader_start(s->blocks) + TRJ_STREAM_HEADER + end;
    if (whole &&
        (trj_input_seek(r->in, size - end, err) || trj_input_read(r->in, tail, sizeof tail, "the END block", err)))
        return -1;
    if (!whole || memcmp(tail, "END!", 4)) { // a truncated stream has no index, but its frames can be read in order
        r->can_seek = false;
        return trj_input_seek(r->in, here, err) ? -1 : fail_no_end(r, size, err);
    }
    // The checksum of a block includes its number, which only the payload of END contains: read that first, then the
    // block.
    struct trj_cursor c = {.data = tail, .size = sizeof tail, .at = TRJ_BLOCK_HEADER + 8};
    struct trj_stream_place at = {.number = trj_get_u64(&c), .offset = size - end - trj_block_reader_start(s->blocks)};
    if (read_block_at(s, &at, "END!", TRJ_SMALL_BLOCK_MAX, err)) return -1;
    s->total = trj_get_u64(&s->block.payload);
    trj_get_u64(&s->block.payload);
    at.number = trj_get_u64(&s->block.payload);
    at.offset = trj_get_u64(&s->block.payload);
    if (read_block_at(s, &at, "INDX", trj_stream_max_index(size), err) ||
        trj_stream_places_get(&s->sources, &s->block.payload, err) ||
        trj_stream_places_get(&s->frames, &s->block.payload, err))
        return -1;
    if (s->block.payload.failed) return trj_stream_bad_block(&s->block, "too short for its content", err);
    for (size_t i = 0; i < s->frames.count; i++) {
        uint64_t first = s->frames.at[i].first_frame;
        if (i ? first <= s->frames.at[i - 1].first_frame : first > 0)
            return trj_stream_bad_block(&s->block, "frames are not in order", err);
    }
    // A seek passes over SRCE blocks: read all of them before.
    for (size_t i = s->found.source_count; i < s->sources.count; i++)
        if (read_block_at(s, &s->sources.at[i], "SRCE", TRJ_SOURCE_MAX, err) || find_source(s, &s->block, err))
            return -1;
    if (add_sources(r, s->found.source_count, err)) return -1;
    if (s->block.payload.failed) return trj_stream_bad_block(&s->block, "too short for its content", err);
    s->have_index = true;
    return 0;
}

static int stream_seek(struct trj_reader *r, uint64_t frame, struct trj_error *err) {
    struct stream_state *s = r->internals->state;
    if (load_index(r, err)) return -1;
    int rc = frame < s->total;
    if (!rc) frame = r->next; // return to the current frame: reading the index has moved the input
    s->have_block = false;
    s->ended = frame >= s->total;
    if (s->ended) return rc;
    size_t low = 0, high = s->frames.count; // the last block that begins at or before `frame`
    if (!high)
        return trj_fail(err, TRJ_BAD_DATA, "the index does not list the %llu frames", (unsigned long long)s->total);
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (s->frames.at[middle].first_frame <= frame)
            low = middle;
        else
            high = middle;
    }
    uint64_t first = s->frames.at[low].first_frame;
    uint64_t end = low + 1 < s->frames.count ? s->frames.at[low + 1].first_frame : s->total;
    if (find_block_at(s, &s->frames.at[low], "FRAM", err) || load_block(r, &s->block, err) ||
        read_frames_head(r, &s->block, err))
        return -1;
    if (s->left != end - first)
        return trj_stream_bad_block(&s->block, "contains other frames than the index gives", err);
    s->have_block = true;
    for (; first < frame; first++)
        if (take_frame(r, NULL, err) <= 0) return -1;
    r->next = frame;
    return rc;
}

static const struct trj_format_ops ops = {
    .is = is_stream,
    .open = stream_open,
    .read_raw = stream_read_raw,
    .decode = stream_decode,
    .keep = stream_keep,
    .accept = stream_accept,
    .losses = stream_losses,
    .own = sizeof(struct stream_frame),
    .skip = stream_skip,
    .seek = stream_seek,
    .close = stream_close,
};

const struct trj_format trj_format_stream = {
    .name = "trjf",
    .help = "trjpipe frame stream",
    .ops = &ops,
};
