// SPDX-License-Identifier: MIT
// Reads the velocities and image flags of a frame stream. Their blocks precede the block of their frames, and are kept
// until its last frame was taken. Blocks that nobody requests are skipped before this file is used.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "stream_reader_parts.h"

static bool is_compressed(const struct trj_block *b) {
    return !strcmp(b->type, "VELZ");
}

static enum trj_motion_kind kind_of(const struct trj_block *b) {
    return strcmp(b->type, "IMAG") ? TRJ_MOTION_VELOCITY : TRJ_MOTION_IMAGE;
}

bool trj_stream_has_motion(const struct trj_block *b) {
    return is_compressed(b) || !strcmp(b->type, "VELO") || !strcmp(b->type, "IMAG");
}

unsigned trj_stream_motion_of(const struct trj_block *b) {
    return 1u << kind_of(b);
}

static void drop_chunk(struct trj_stream_motion *m) {
    trj_stream_chunk_drop(m->chunk);
    m->chunk = NULL;
}

// Makes the chunk of compressed velocities, of which no more may be in a block than in VELO.
static int open_chunk(struct trj_stream_state *s, struct trj_stream_motion *m, const struct trj_block *b, size_t atoms,
                      uint64_t max, struct trj_error *err) {
    const struct trj_cursor *c = &b->payload;
    if (m->count > max / trj_stream_motion_bytes(TRJ_MOTION_VELOCITY, atoms))
        return trj_stream_bad_block(b, "has more frames than a VELO block can have", err);
    return trj_stream_chunk_open(&m->chunk, &s->chunks, c->data + c->offset, c->size - c->offset, m->count, atoms, err);
}

int trj_stream_read_motion(struct trj_stream_state *s, struct trj_block *b, struct trj_error *err) {
    const struct trj_stream_header *h = s->header;
    enum trj_motion_kind kind = kind_of(b);
    struct trj_stream_motion *m = &s->motion[kind];
    struct trj_cursor *c = &b->payload;
    drop_chunk(m);
    m->known = false;
    m->number = trj_block_reader_count(s->blocks) - 1;
    m->count = trj_get_u32(c);
    trj_get_u32(c);
    bool compressed = is_compressed(b);
    uint64_t frame = compressed ? sizeof(double) : trj_stream_motion_bytes(kind, h->atoms);
    if (c->failed || !m->count || m->count > trj_cursor_left(c) / frame)
        return trj_stream_bad_block(b, "ends inside a frame, or contains no frames", err);
    m->size = (size_t)(m->count * frame);
    if (trj_grow(&m->data, &m->capacity, m->size, 1, "velocities or image flags", err)) return -1;
    memcpy(m->data, c->data + c->offset, m->size);
    c->offset += m->size;
    if (compressed && open_chunk(s, m, b, h->atoms, trj_stream_block_find("VELO")->max_payload(h), err)) return -1;
    m->known = true;
    return 0;
}

int trj_stream_check_motion(struct trj_stream_state *s, const struct trj_stream_header *h, const struct trj_block *b,
                            struct trj_error *err) {
    uint64_t number = trj_block_reader_count(s->blocks) - !s->direct; // of the block of frames
    s->motion_lost = false;
    for (int k = TRJ_MOTION_KINDS - 1; k >= 0; k--) {
        const struct trj_stream_motion *m = &s->motion[k];
        if (!(h->motion >> k & 1)) continue;
        number--;
        if (!(s->wants_motion >> k & 1) || (m->known && m->number == number && m->count == s->count)) continue;
        s->motion_lost = s->salvage;
        if (!s->salvage)
            return trj_fail(err, TRJ_BAD_DATA,
                            "block %s at byte %llu: no block with the %s of its %lu frames precedes it", b->type,
                            (unsigned long long)b->offset, trj_motion_plurals[k], (unsigned long)s->count);
    }
    return 0;
}

int trj_stream_take_motion(struct trj_stream_state *s, size_t place, struct trj_raw_frame *p, struct trj_error *err) {
    struct trj_stream_frame *own = p->own;
    const size_t n = s->header->atoms;
    if (trj_motion_resize(&p->frame.motion, s->wants_motion, n, err)) return -1;
    struct trj_motion *to = p->frame.motion;
    for (int k = 0; k < TRJ_MOTION_KINDS; k++) {
        struct trj_stream_motion *m = &s->motion[k];
        if (!(s->wants_motion >> k & 1)) continue;
        size_t bytes = m->chunk ? sizeof(double) : (size_t)trj_stream_motion_bytes((enum trj_motion_kind)k, n);
        struct trj_cursor c = {.data = m->data, .size = m->size, .offset = place * bytes};
        if (k == TRJ_MOTION_IMAGE) {
            for (int i = 0; i < 3; i++) trj_get_u32s(&c, (uint32_t *)to->image[i], n);
            continue;
        }
        to->unit = trj_get_f64(&c);
        if (!(to->unit > 0) || !isfinite(to->unit))
            return trj_stream_bad_block(&s->block, "the velocities before it have an invalid unit", err);
        for (int i = 0; i < 3 && !m->chunk; i++) trj_get_f32s(&c, to->velocity[i], n);
        if (!m->chunk) continue;
        trj_stream_chunk_share(m->chunk);
        own->velocities = m->chunk;
        own->velocity_place = place;
    }
    return 0;
}

int trj_stream_decode_motion(struct trj_raw_frame *p, struct trj_error *err) {
    struct trj_stream_frame *own = p->own;
    if (!own->velocities) return 0;
    int rc = trj_stream_chunk_decode(own->velocities, own->velocity_place, p->frame.motion->velocity, err);
    trj_stream_chunk_drop(own->velocities);
    own->velocities = NULL;
    return rc;
}

void trj_stream_free_motion(struct trj_stream_state *s) {
    for (int k = 0; k < TRJ_MOTION_KINDS; k++) free(s->motion[k].data);
    free(s->motions.place);
}
