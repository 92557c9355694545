// SPDX-License-Identifier: MIT
// Reads frame streams. Frames must follow the header and the groups, and end with an END block.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common_blocks.h"
#include "failure.h"
#include "frame_stream_parts.h"
#include "memory.h"
#include "reader_parts.h"

struct stream_state {
    struct trj_block_reader *blocks;
    struct trj_block block;                   // the current FRAM block, or the END block that was read ahead
    bool have_block, ended, frames_began;     // frames_began: a FRAM block was read, and the header is complete
    uint32_t left;                            // frames of the current block that were not read
    struct trj_stream_places sources, frames; // of the index, if it was read
    uint64_t total;                           // number of frames in the END block, if the index was read
    uint64_t provenance;                      // bytes of the PROV blocks
    bool have_index;
};

static bool is_stream(const unsigned char *head, size_t n) {
    return trj_stream_is(head, n, &trj_frame_stream_kind);
}

static int read_end(struct trj_reader *r, struct trj_block *b, struct trj_error *err) {
    uint64_t frames = trj_get_u64(&b->payload);
    const unsigned char *rest;
    size_t n;
    // load_index finds the END block from the end of the file, by its fixed size.
    if (b->payload.size != TRJ_STREAM_END_SIZE ||
        trj_input_offset(r->in) - b->offset != TRJ_BLOCK_HEADER + TRJ_STREAM_END_SIZE)
        return trj_stream_bad_block(b, "has the wrong size", err);
    if (frames != r->next)
        return trj_fail(err, TRJ_BAD_DATA, "END block gives %llu frames, but %llu were read: stream damaged",
                        (unsigned long long)frames, (unsigned long long)r->next);
    if (trj_input_peek(r->in, &rest, 1, &n, err)) return -1;
    if (n)
        return trj_fail(err, TRJ_BAD_DATA,
                        "data follow the END block at byte %llu; join frame streams with trjcat A B, not with cat",
                        (unsigned long long)trj_input_offset(r->in));
    return 0;
}

static int read_frames_head(struct trj_reader *r, struct trj_block *b, struct trj_error *err) {
    struct stream_state *s = r->internals->state;
    const struct trj_stream_header *h = r->header;
    s->frames_began = true;
    s->left = trj_get_u32(&b->payload);
    trj_get_u32(&b->payload);
    s->have_block = s->left > 0;
    if (!h->groups) return trj_stream_bad_block(b, "comes before the groups", err);
    if (h->source_atoms < h->atoms - h->centres)
        return trj_stream_bad_block(b, "the header gives more atoms than their source has", err);
    return s->left ? 0 : trj_stream_bad_block(b, "contains no frames", err);
}

// Loads a block of a known type after checking its place in the stream.
static int load_block(struct stream_state *s, const struct trj_stream_header *h, struct trj_block *b,
                      struct trj_error *err) {
    const struct trj_stream_block *known = trj_stream_block_find(b->type);
    bool provenance = !strcmp(b->type, "PROV");
    if (!h->atoms && strcmp(b->type, "HEAD") != 0) return trj_stream_bad_block(b, "comes before the header", err);
    if (h->atoms && !strcmp(b->type, "HEAD")) return trj_stream_bad_block(b, "second header", err);
    if (s->frames_began && known->layout) return trj_stream_bad_block(b, "comes after frames", err);
    if (trj_block_load(s->blocks, b, known->max_payload(h) - (provenance ? s->provenance : 0), err)) return -1;
    if (provenance) s->provenance += b->raw;
    return 0;
}

// Reads one block. Blocks of an unknown type, and sources that were already read with the index, are ignored.
static int read_block(struct trj_reader *r, struct trj_block *b, struct trj_error *err) {
    struct stream_state *s = r->internals->state;
    struct trj_stream_header *h = r->header;
    const struct trj_stream_block *known = trj_stream_block_find(b->type);
    if (!strcmp(b->type, "FAIL"))
        return trj_block_load(s->blocks, b, TRJ_SMALL_BLOCK_MAX, err) ? -1 : trj_failure_read(b, r->in, err);
    if (!known && b->required)
        return trj_stream_bad_block(b, "is required, but unknown to this version; use a newer trjpipe", err);
    if (!known || (s->have_index && !strcmp(b->type, "SRCE"))) return trj_block_skip(s->blocks, b, err);
    if (load_block(s, h, b, err)) return -1;
    if (known->read) return known->read(h, b, err);
    if (!strcmp(b->type, "FRAM")) return read_frames_head(r, b, err);
    s->ended = true;
    return h->groups ? read_end(r, b, err) : trj_stream_bad_block(b, "comes before the groups", err);
}

static int fail_no_end(const struct trj_reader *r, unsigned long long at, struct trj_error *err) {
    trj_fail(err, TRJ_BAD_DATA, "byte %llu: truncated: END block missing after %llu frames", at,
             (unsigned long long)r->next);
    err->truncated = true;
    return -1;
}

// Reads blocks until one contains frames (returns 1), or the END block was read (0).
static int next_block(struct trj_reader *r, struct trj_error *err) {
    struct stream_state *s = r->internals->state;
    struct trj_block *b = &s->block;
    while (!s->have_block) {
        if (s->ended) return 0;
        int rc = trj_block_next(s->blocks, b, err);
        if (rc < 0) return -1;
        if (!rc) return fail_no_end(r, trj_input_offset(r->in), err);
        if (read_block(r, b, err)) return -1;
        if (b->payload.failed) return trj_stream_bad_block(b, "too short for its content", err);
    }
    return 1;
}

static void stream_close(struct trj_reader *r) {
    struct stream_state *s = r->internals->state;
    if (s) {
        trj_block_reader_close(s->blocks);
        free(s->sources.at);
        free(s->frames.at);
    }
    if (r->header) trj_stream_header_free(r->header);
    free(r->header);
    free(s);
}

static int stream_open(struct trj_reader *r, struct trj_error *err) {
    struct stream_state *s = r->internals->state = trj_alloc(1, sizeof *s, "a stream", err);
    r->header = s ? trj_alloc(1, sizeof *r->header, "a stream", err) : NULL;
    uint64_t size;
    if (!r->header || trj_block_reader_open(&s->blocks, r->in, &trj_frame_stream_kind, err) || next_block(r, err) < 0)
        return -1;
    r->atoms = r->header->atoms;
    r->can_seek = trj_input_size(r->in, &size);
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

// Reads the next frame into *f; f NULL: skips it. Returns 1, 0 at the end, -1.
static int take_frame(struct trj_reader *r, struct trj_frame *f, struct trj_error *err) {
    struct stream_state *s = r->internals->state;
    int rc = next_block(r, err);
    if (rc <= 0) return rc;
    struct trj_cursor *c = &s->block.payload;
    size_t words = r->header->member_words, data = 3 * sizeof(float) * r->atoms + sizeof *f->members * words;
    if (trj_cursor_left(c) < TRJ_STREAM_FRAME_HEADER || trj_cursor_left(c) - TRJ_STREAM_FRAME_HEADER < data)
        return trj_stream_bad_block(&s->block, "ends inside a frame", err);
    if (!--s->left) s->have_block = false;
    if (!f) {
        c->at += TRJ_STREAM_FRAME_HEADER + data;
        return 1;
    }
    if (trj_frame_resize(f, r->atoms, err) || trj_frame_resize_members(f, words, err)) return -1;
    f->source = trj_get_u32(c);
    f->cell.periodic = trj_get_u32(c);
    f->index = trj_get_u64(c);
    f->step = trj_get_i64(c);
    f->time = trj_get_f64(c);
    f->unit = trj_get_f64(c);
    for (int i = 0; i < 9; i++) f->cell.h[i / 3][i % 3] = trj_get_f64(c);
    for (int k = 0; k < 3; k++) trj_get_f32s(c, f->x[k], r->atoms);
    trj_get_u32s(c, f->members, words);
    if (!s->left) trj_block_drop(s->blocks, &s->block); // large frames leave little memory
    for (int i = 0; i < 9; i++)
        if (!isfinite(f->cell.h[i / 3][i % 3]))
            return trj_stream_bad_block(&s->block, "a frame's cell is not finite", err);
    if (f->source >= r->header->source_count || f->cell.periodic > TRJ_PERIODIC_ALL || !(f->unit > 0) ||
        !isfinite(f->unit))
        return trj_stream_bad_block(&s->block, "a frame has an invalid source, periodicity or unit", err);
    if (!members_fit(r->header, f))
        return trj_stream_bad_block(&s->block, "a frame marks members after the last atom of a group", err);
    return trj_cell_restrict(&f->cell, f->cell.periodic, err) ? -1 : 1;
}

static int stream_read(struct trj_reader *r, struct trj_frame *f, struct trj_error *err) {
    return take_frame(r, f, err);
}

static int stream_skip(struct trj_reader *r, struct trj_error *err) {
    return take_frame(r, NULL, err);
}

static int get_places(struct trj_stream_places *p, struct trj_cursor *c, struct trj_error *err) {
    uint64_t n = trj_get_u64(c);
    if (n > trj_cursor_left(c) / TRJ_STREAM_PLACE) c->failed = true;
    for (uint64_t i = 0; i < n && !c->failed; i++) {
        uint64_t first = trj_get_u64(c), number = trj_get_u64(c), offset = trj_get_u64(c);
        if (trj_stream_places_add(p, first, number, offset, err)) return -1;
    }
    return 0;
}

// Loads the block at a place that the index gives. Its payload may have at most `max_bytes` bytes.
static int read_block_at(struct stream_state *s, const struct trj_stream_place *p, const char *type, uint64_t max_bytes,
                         struct trj_error *err) {
    if (trj_block_reader_seek(s->blocks, p->number, p->offset, err)) return -1;
    int rc = trj_block_next(s->blocks, &s->block, err);
    if (rc < 0) return -1;
    if (!rc || strcmp(s->block.type, type))
        return trj_fail(err, TRJ_BAD_DATA, "the index does not point to a %s block", type);
    return trj_block_load(s->blocks, &s->block, max_bytes, err);
}

// Finds the index from the end of the file: the END block is the last one and small, thus never compressed.
static int load_index(struct trj_reader *r, struct trj_error *err) {
    struct stream_state *s = r->internals->state;
    uint64_t size = 0, end = TRJ_BLOCK_HEADER + TRJ_STREAM_END_SIZE, here = trj_input_offset(r->in);
    unsigned char tail[TRJ_BLOCK_HEADER + TRJ_STREAM_END_SIZE];
    if (s->have_index) return 0;
    bool whole = trj_input_size(r->in, &size) && size >= trj_block_reader_start(s->blocks) + TRJ_STREAM_HEADER + end;
    uint64_t max_index =
        TRJ_SMALL_BLOCK_MAX + size / TRJ_BLOCK_HEADER * TRJ_STREAM_PLACE; // a block has at least its header
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
    if (read_block_at(s, &at, "INDX", max_index, err) || get_places(&s->sources, &s->block.payload, err) ||
        get_places(&s->frames, &s->block.payload, err))
        return -1;
    if (s->block.payload.failed) return trj_stream_bad_block(&s->block, "too short for its content", err);
    for (size_t i = 0; i < s->frames.count; i++) {
        uint64_t first = s->frames.at[i].first_frame;
        if (i ? first <= s->frames.at[i - 1].first_frame : first > 0)
            return trj_stream_bad_block(&s->block, "frames are not in order", err);
    }
    // A seek passes over SRCE blocks: read all of them before.
    for (size_t i = r->header->source_count; i < s->sources.count; i++)
        if (read_block_at(s, &s->sources.at[i], "SRCE", TRJ_SOURCE_MAX, err) ||
            trj_stream_block_find("SRCE")->read(r->header, &s->block, err))
            return -1;
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
    if (read_block_at(s, &s->frames.at[low], "FRAM", trj_stream_block_find("FRAM")->max_payload(r->header), err))
        return -1;
    s->left = trj_get_u32(&s->block.payload);
    trj_get_u32(&s->block.payload);
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
    .read = stream_read,
    .skip = stream_skip,
    .seek = stream_seek,
    .close = stream_close,
};

const struct trj_format trj_format_stream = {
    .name = "trjf",
    .help = "trjpipe frame stream",
    .ops = &ops,
};
