// SPDX-License-Identifier: MIT
// Reads the blocks of a frame stream and checks their order: HEAD, the blocks that describe the frames, frames, END. If
// the stream is salvaged, it continues after damaged blocks.
#include <pthread.h>
#include <string.h>

#include "byte_order.h"
#include "common_blocks.h"
#include "failure.h"
#include "stream_reader_parts.h"

enum { DIRECT = 1 << 26 }; // largest payload that is read to where it is needed

bool trj_stream_is_packed(const struct trj_block *b) {
    return !strcmp(b->type, "FRMX");
}

bool trj_stream_is_compressed(const struct trj_block *b) {
    return !strcmp(b->type, "FRMZ");
}

bool trj_stream_has_frames(const struct trj_block *b) {
    return trj_stream_is_packed(b) || trj_stream_is_compressed(b) || !strcmp(b->type, "FRAM");
}

// Ends a stream that is salvaged at byte `begin`, for the reason in *err. `ended`: its END block was read.
static int drop_rest(struct trj_reader *r, uint64_t begin, bool ended, struct trj_error *err) {
    struct trj_stream_state *s = r->internals->state;
    struct trj_error reason = *err;
    s->ended = true;
    return trj_stream_salvage_rest(s->salvage, s->blocks, begin, ended, &reason, err);
}

static int read_end(struct trj_reader *r, struct trj_block *b, struct trj_error *err) {
    uint64_t frames = trj_get_u64(&b->payload);
    const unsigned char *rest;
    size_t n = 0;
    // load_index finds the END block from the end of the file, by its fixed size.
    if (b->payload.size != TRJ_STREAM_END_SIZE ||
        trj_input_offset(r->in) - b->offset != TRJ_BLOCK_HEADER + TRJ_STREAM_END_SIZE)
        return trj_stream_bad_block(b, "has the wrong size", err);
    struct trj_stream_salvage *salvage = ((struct trj_stream_state *)r->internals->state)->salvage;
    if (salvage) trj_stream_salvage_total(salvage, frames);
    if (frames != r->next && !(salvage && !trj_stream_salvage_complete(salvage)))
        return trj_fail(err, TRJ_BAD_DATA, "END block gives %llu frames, but %llu were read: stream damaged",
                        (unsigned long long)frames, (unsigned long long)r->next);
    // No program appends to a complete stream: there is nothing to wait for.
    if (!trj_input_is_live(r->in) && trj_input_peek(r->in, &rest, 1, &n, err)) return -1;
    if (!n) return 0;
    trj_fail(err, TRJ_BAD_DATA,
             "data follow the END block at byte %llu; join frame streams with trjcat A B, not with cat",
             (unsigned long long)trj_input_offset(r->in));
    return salvage ? drop_rest(r, trj_input_offset(r->in), true, err) : -1;
}

// Makes the chunk of a block of compressed frames. Headers and members precede the compressed coordinates. All frames
// of a chunk are decoded together; they must not need more memory than those of a FRAM block.
static int open_chunk(struct trj_reader *r, struct trj_block *b, struct trj_error *err) {
    struct trj_stream_state *s = r->internals->state;
    const struct trj_cursor *c = &b->payload;
    size_t before = TRJ_STREAM_FRAME_HEADER + sizeof(uint32_t) * r->header->member_words;
    uint64_t max = trj_stream_block_find("FRAM")->max_payload(r->header);
    if (s->count > trj_cursor_left(c) / before) return trj_stream_bad_block(b, "ends inside a frame", err);
    if (s->count > max / (before + 3 * sizeof(float) * r->header->atoms))
        return trj_stream_bad_block(b, "has more frames than a FRAM block can have", err);
    size_t position = c->offset + s->count * before;
    return trj_stream_chunk_open(&s->chunk, &s->chunks, c->data + position, c->size - position, s->count,
                                 r->header->atoms, err);
}

static int read_frames_head(struct trj_reader *r, struct trj_block *b, struct trj_error *err) {
    struct trj_stream_state *s = r->internals->state;
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
    if (trj_stream_is_packed(b) && !trj_stream_may_pack(h))
        return trj_stream_bad_block(b, "has packed frames, although atoms were moved, or their numbers are not known",
                                    err);
    if (h->source_atoms < h->atoms - h->centres)
        return trj_stream_bad_block(b, "the header gives more atoms than their source has", err);
    if (h->open_system && (h->centres || h->residue || h->molecule || h->element || h->number || h->bond ||
                           h->property_count || h->movement_count))
        return trj_stream_bad_block(
            b, "the number of atoms changes, but the header has data of single atoms, or atoms were moved", err);
    if (h->open_system && h->motion)
        return trj_stream_bad_block(b, "the number of atoms changes, but frames have velocities or image flags", err);
    if (!s->left) return trj_stream_bad_block(b, "contains no frames", err);
    s->wants_motion = h->motion & r->internals->motion;
    if (s->wants_motion && trj_stream_check_motion(s, h, b, err)) return -1;
    return trj_stream_is_compressed(b) ? open_chunk(r, b, err) : 0;
}

// Sets *one to whether the payload of a block is one frame that can be read to where it is needed. The number of frames
// is read before its checksum is verified: if it is wrong, reading the frame fails. Very large payloads are read
// by trj_block_load instead, whose memory grows with the bytes that arrive.
static int has_one_frame(struct trj_reader *r, const struct trj_block *b, bool *one, struct trj_error *err) {
    const unsigned char *head;
    size_t n;
    *one = false;
    if (((struct trj_stream_state *)r->internals->state)->salvage || !trj_stream_has_frames(b) ||
        trj_stream_is_compressed(b) || b->compressed || b->stored < TRJ_STREAM_FRAMES_HEAD ||
        (b->stored > DIRECT && !r->internals->in_parts) || !trj_host_is_little_endian())
        return 0;
    if (trj_input_peek(r->in, &head, 4, &n, err)) return -1;
    *one = n == 4 && !memcmp(head, "\1\0\0", 4);
    return 0;
}

// Loads a payload. A wrong checksum is damage, which can be salvaged.
static int load_verified(struct trj_stream_state *s, struct trj_block *b, uint64_t max_size, struct trj_error *err) {
    s->verifying = true;
    if (trj_block_load(s->blocks, b, max_size, err)) return -1;
    s->verifying = false;
    return 0;
}

// Loads a block of a known type after checking its place in the stream. The payload of one frame is only begun.
static int load_block(struct trj_reader *r, struct trj_block *b, struct trj_error *err) {
    struct trj_stream_state *s = r->internals->state;
    const struct trj_stream_header *h = r->header;
    const struct trj_stream_block *known = trj_stream_block_find(b->type);
    bool provenance = !strcmp(b->type, "PROV");
    if (!h->atoms && strcmp(b->type, "HEAD") != 0) return trj_stream_bad_block(b, "comes before the header", err);
    if (h->atoms && !strcmp(b->type, "HEAD")) return trj_stream_bad_block(b, "second header", err);
    if (s->frames_began && known->layout) return trj_stream_bad_block(b, "comes after frames", err);
    if (has_one_frame(r, b, &s->direct, err)) return -1;
    if (s->direct) return trj_block_start(s->blocks, b, known->max_payload(h), err);
    if (load_verified(s, b, known->max_payload(h) - (provenance ? s->provenance : 0), err)) return -1;
    if (provenance) s->provenance += b->raw;
    return 0;
}

int trj_stream_begin_frames(struct trj_reader *r, struct trj_error *err) {
    struct trj_block *b = &((struct trj_stream_state *)r->internals->state)->block;
    return load_block(r, b, err) || read_frames_head(r, b, err) ? -1 : 0;
}

int trj_stream_find_source(struct trj_stream_state *s, struct trj_block *b, struct trj_error *err) {
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
int trj_stream_add_sources(struct trj_reader *r, size_t count, struct trj_error *err) {
    struct trj_stream_state *s = r->internals->state;
    struct trj_stream_header *h = r->header;
    if (count <= h->source_count) return 0;
    int rc = 0;
    pthread_mutex_lock(&s->lock);
    for (size_t i = h->source_count; !rc && i < count && i < s->found.source_count; i++)
        rc = trj_stream_header_add_source(h, s->found.sources[i].name, s->found.sources[i].fingerprint, err);
    pthread_mutex_unlock(&s->lock);
    return rc;
}

static int skip_block(struct trj_stream_state *s, const struct trj_block *b, struct trj_error *err) {
    s->verifying = true;
    if (trj_block_skip(s->blocks, b, err)) return -1;
    s->verifying = false;
    return 0;
}

static int salvage_index(struct trj_reader *r, struct trj_block *b, struct trj_error *err) {
    struct trj_stream_state *s = r->internals->state;
    uint64_t size;
    int known = trj_input_find_size(r->in, &size, err);
    if (known <= 0) return known ? -1 : trj_fail(err, TRJ_FAILED, "requires random access");
    if (load_verified(s, b, trj_stream_max_index(size), err)) return -1;
    int rc = trj_stream_salvage_index(s->salvage, b, err);
    b->payload.failed = false; // an invalid index has no effect
    return rc;
}

static int read_failure(struct trj_reader *r, struct trj_block *b, struct trj_error *err) {
    struct trj_stream_state *s = r->internals->state;
    if (load_verified(s, b, TRJ_SMALL_BLOCK_MAX, err)) return -1;
    (void)trj_failure_read(b, r->in, err);
    return s->salvage && s->frames_began ? drop_rest(r, b->offset, false, err) : -1;
}

// Reads one block. Blocks of an unknown type, and sources that were already read with the index, are ignored.
static int read_block(struct trj_reader *r, struct trj_block *b, struct trj_error *err) {
    struct trj_stream_state *s = r->internals->state;
    struct trj_stream_header *h = r->header;
    const struct trj_stream_block *known = trj_stream_block_find(b->type);
    if (!strcmp(b->type, "FAIL")) return read_failure(r, b, err);
    if (!known && b->required)
        return trj_stream_bad_block(b, "is required, but unknown to this version; use a newer trjpipe", err);
    if (s->salvage && !strcmp(b->type, "INDX")) return salvage_index(r, b, err);
    bool motion = known && trj_stream_has_motion(b);
    if (!known || (s->have_index && !strcmp(b->type, "SRCE")) ||
        (motion && !(trj_stream_motion_of(b) & r->internals->motion & h->motion)))
        return skip_block(s, b, err);
    if (load_block(r, b, err)) return -1;
    if (motion) return trj_stream_read_motion(s, b, err);
    if (!strcmp(b->type, "SRCE")) return trj_stream_find_source(s, b, err);
    if (known->read) return known->read(h, b, err);
    if (trj_stream_has_frames(b)) return read_frames_head(r, b, err);
    s->ended = true;
    return h->groups ? read_end(r, b, err) : trj_stream_bad_block(b, "comes before the groups", err);
}

int trj_stream_fail_no_end(const struct trj_reader *r, uint64_t position, struct trj_error *err) {
    trj_fail(err, TRJ_BAD_DATA, "byte %llu: truncated: END block missing after %llu frames",
             (unsigned long long)position, (unsigned long long)r->next);
    err->truncated = true;
    return -1;
}

// Continues after a damaged block, which begins at byte `begin`, or ends the stream. `header`: its header is valid.
static int salvage_block(struct trj_reader *r, uint64_t begin, bool header, struct trj_error *err) {
    struct trj_stream_state *s = r->internals->state;
    if (err->status != TRJ_BAD_DATA || !s->verifying) return -1;
    bool of_frames = header && trj_stream_has_frames(&s->block);
    bool after_layout =
        s->frames_began || of_frames || trj_stream_salvage_after_layout(s->salvage, trj_block_reader_count(s->blocks));
    if (!after_layout)
        return trj_fail_remedy(err, "damage before the first frame cannot be salvaged: create the stream again");
    int rc = trj_stream_salvage_next(s->salvage, s->blocks, begin, header, of_frames, err);
    s->frames_began = true;
    s->ended = !rc;
    return rc < 0 ? -1 : 0;
}

// Reads blocks until one contains frames (returns 1), or the END block was read (0).
int trj_stream_next_block(struct trj_reader *r, struct trj_error *err) {
    struct trj_stream_state *s = r->internals->state;
    struct trj_block *b = &s->block;
    while (!s->have_block) {
        if (s->ended) return 0;
        uint64_t begin = trj_input_offset(r->in);
        s->verifying = true;
        int rc = trj_block_next(s->blocks, b, err);
        bool header = rc > 0;
        s->verifying = rc <= 0;
        if (!rc) rc = trj_stream_fail_no_end(r, begin, err);
        if (rc > 0) rc = read_block(r, b, err);
        if (rc < 0 && (!s->salvage || salvage_block(r, begin, header, err))) return -1;
        if (!rc && b->payload.failed) return trj_stream_bad_block(b, "too short for its content", err);
        if (!s->have_block) trj_block_drop(s->blocks, b); // large groups leave no second copy
    }
    return 1;
}
