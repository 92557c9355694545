// SPDX-License-Identifier: MIT
// Takes the frames out of the blocks of a frame stream, checks them, and decodes those that are packed or compressed.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hash.h"
#include "memory.h"
#include "stream_reader_parts.h"

static void drop_chunks(struct trj_stream_frame *own) {
    trj_stream_chunk_drop(own->chunk);
    trj_stream_chunk_drop(own->velocities);
    own->chunk = own->velocities = NULL;
}

static void get_packed(struct trj_cursor *c, struct trj_packed *p) {
    *p = (struct trj_packed){.data = NULL};
    trj_get_f32s(c, &p->precision, 1);
    for (int k = 0; k < 3; k++) p->low[k] = (int32_t)trj_get_u32(c);
    for (int k = 0; k < 3; k++) p->high[k] = (int32_t)trj_get_u32(c);
    p->small = (int32_t)trj_get_u32(c);
    p->offset = trj_get_u64(c);
    p->bytes = trj_get_u64(c);
}

// Fails unless n bytes of the current block are left.
static int check_left(const struct trj_stream_state *s, uint64_t n, struct trj_error *err) {
    uint64_t left = s->direct ? trj_block_left(s->blocks) : trj_cursor_left(&s->block.payload);
    return left < n ? trj_stream_bad_block(&s->block, "ends inside a frame", err) : 0;
}

// Copies the next n bytes of the current block.
static int take_bytes(struct trj_stream_state *s, void *to, size_t n, struct trj_error *err) {
    struct trj_cursor *c = &s->block.payload;
    if (check_left(s, n, err)) return -1;
    if (s->direct) return trj_block_part(s->blocks, &s->block, to, n, err);
    if (n) memcpy(to, c->data + c->offset, n);
    c->offset += n;
    return 0;
}

// Skips n bytes of the current block.
static int skip_bytes(struct trj_stream_state *s, uint64_t n, struct trj_error *err) {
    if (check_left(s, n, err)) return -1;
    if (!s->direct) s->block.payload.offset += n; // otherwise trj_block_finish reads them
    return 0;
}

struct parts {
    struct iovec part[3];
};

static struct parts parts_of(const struct trj_reader *r, const struct trj_frame *f) {
    struct parts p;
    for (int k = 0; k < 3; k++) p.part[k] = (struct iovec){f->x[k], r->atoms * sizeof *f->x[k]};
    return p;
}

// Takes the coordinates of one axis, and keeps those that trj_reader_keep_atoms requests. The others touch no page of
// their memory.
static int take_kept(struct trj_reader *r, struct trj_frame *f, int k, struct trj_error *err) {
    struct trj_stream_state *s = r->internals->state;
    float *part = trj_alloc(TRJ_FRAME_PART, sizeof *part, "coordinates", err);
    int rc = part ? 0 : -1;
    for (size_t i = 0, n; !rc && i < r->atoms; i += n) {
        n = r->atoms - i < TRJ_FRAME_PART ? r->atoms - i : TRJ_FRAME_PART;
        rc = take_bytes(s, part, n * sizeof *part, err);
        size_t from = i > r->keep_from ? i : r->keep_from, to = i + n < r->keep_to ? i + n : r->keep_to;
        if (rc) break;
        trj_frame_measure(f, part, n);
        if (from < to) memcpy(f->x[k] + from, part + (from - i), (to - from) * sizeof *part);
    }
    free(part);
    return rc;
}

// Takes the coordinates of a frame from the block; p NULL: skips them.
static int take_floats(struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err) {
    struct trj_stream_state *s = r->internals->state;
    struct trj_cursor *c = &s->block.payload;
    size_t words = r->header->member_words, data = 3 * sizeof(float) * r->atoms + sizeof(uint32_t) * words;
    if (!p) return skip_bytes(s, data, err);
    struct trj_frame *f = &p->frame;
    if (((struct trj_stream_frame *)p->own)->deferred) {
        f->stored.file = trj_input_file(r->in, &f->stored.offset[0]);
        for (size_t k = 1; k < 3; k++) f->stored.offset[k] = f->stored.offset[0] + k * r->atoms * sizeof(float);
        return trj_block_defer(s->blocks, &s->block, err);
    }
    if (check_left(s, data, err) || trj_frame_resize(f, r->atoms, err) || trj_frame_resize_members(f, words, err))
        return -1;
    if (p->verifies && !words)
        return trj_block_read_parts(s->blocks, &s->block, parts_of(r, f).part, 3, &p->store, err);
    for (int k = 0; k < 3; k++) {
        if (!s->direct)
            trj_get_f32s(c, f->x[k], r->atoms);
        else if (r->keep_to ? take_kept(r, f, k, err) : take_bytes(s, f->x[k], r->atoms * sizeof *f->x[k], err))
            return -1;
    }
    if (s->direct) return take_bytes(s, f->members, words * sizeof *f->members, err);
    trj_get_u32s(c, f->members, words);
    return 0;
}

// As take_floats, for packed coordinates, which are decoded later.
static int take_packed(struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err) {
    struct trj_stream_state *s = r->internals->state;
    unsigned char head[TRJ_STREAM_PACKED_HEADER];
    struct trj_cursor c = {.data = head, .size = sizeof head};
    struct trj_packed packed;
    if (take_bytes(s, head, sizeof head, err)) return -1;
    get_packed(&c, &packed);
    if (check_left(s, packed.bytes, err)) return -1;
    if (packed.bytes < r->header->source_atoms / TRJ_XTC_MAX_ATOMS_PER_BYTE)
        return trj_stream_bad_block(&s->block, "too few bytes for the atoms of a frame", err);
    if (!p) return skip_bytes(s, packed.bytes, err);
    ((struct trj_stream_frame *)p->own)->packed = packed;
    if (trj_grow(&p->bytes.data, &p->bytes.capacity, packed.bytes + TRJ_XTC_SLACK, 1, "a frame", err) ||
        take_bytes(s, p->bytes.data, packed.bytes, err))
        return -1;
    memset(p->bytes.data + packed.bytes, 0, TRJ_XTC_SLACK);
    p->bytes.size = packed.bytes;
    return 0;
}

// As take_floats, for compressed coordinates, which are decoded later.
static int take_compressed(struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err) {
    struct trj_stream_state *s = r->internals->state;
    const struct trj_cursor *c = &s->block.payload;
    size_t place = s->count - s->left, words = r->header->member_words;
    if (!p) return 0;
    struct trj_stream_frame *own = p->own;
    if (trj_frame_resize_members(&p->frame, words, err)) return -1;
    struct trj_cursor members = {.data = c->data, .size = c->size};
    members.offset =
        TRJ_STREAM_FRAMES_HEAD + s->count * (size_t)TRJ_STREAM_FRAME_HEADER + place * words * sizeof(uint32_t);
    trj_get_u32s(&members, p->frame.members, words);
    trj_stream_chunk_share(s->chunk);
    own->chunk = s->chunk;
    own->place = place;
    p->more = s->left > 1;
    return 0;
}

// Leaves the checksum of the current block to decoding, if the block contains only the coordinates of one frame. If
// they are in a file, decoding reads them, too, so that several threads read the file.
static void verify_later(struct trj_reader *r, struct trj_raw_frame *p) {
    struct trj_stream_state *s = r->internals->state;
    const struct trj_stream_header *h = r->header;
    struct trj_stream_frame *own = p->own;
    uint64_t floats = 3 * sizeof(float) * (uint64_t)h->atoms + sizeof(uint32_t) * h->member_words, offset;
    own->deferred = false;
    if (!s->direct || r->keep_to || trj_stream_is_packed(&s->block) || s->block.stored != sizeof own->head + floats)
        return;
    bool file = trj_input_file(r->in, &offset) >= 0;
    if ((file && h->member_words) || (!file && !trj_input_is_pipe(r->in))) return;
    own->deferred = file;
    p->verifies = p->light = true;
    memcpy(own->head, s->head, sizeof s->head);
    trj_block_verify_later(s->blocks, &s->block, &own->check);
}

// Reads coordinates i to `end` of an axis, unless they were read before.
static int read_part(const struct trj_reader *r, struct trj_raw_frame *p, size_t k, size_t i, size_t end,
                     struct trj_error *err) {
    struct trj_frame *f = &p->frame;
    const size_t size = sizeof(float), all = r->atoms * size;
    if (((const struct trj_stream_frame *)p->own)->deferred)
        return trj_input_read_deferred(r->in, f->stored.offset[k], f->x[k], all, i * size, end * size, "a frame", err);
    if (p->store.bytes && trj_pipe_store_read(&p->store, parts_of(r, f).part, k * all + end * size))
        return trj_fail_errno(err, "cannot read");
    return 0;
}

// Reads the coordinates, computes their checksum, and finds the largest one, in parts that stay in the cache meanwhile.
static int read_floats(const struct trj_reader *r, struct trj_raw_frame *p, struct trj_hash_state *state,
                       struct trj_error *err) {
    const struct trj_stream_frame *own = p->own;
    struct trj_frame *f = &p->frame;
    if (own->deferred && trj_frame_resize(f, r->atoms, err)) return -1;
    for (size_t k = 0; k < 3; k++)
        for (size_t i = 0, end; i < r->atoms; i = end) {
            end = i + TRJ_FRAME_PART < r->atoms ? i + TRJ_FRAME_PART : r->atoms;
            if (read_part(r, p, k, i, end, err)) return -1;
            trj_hash_add(state, f->x[k] + i, (end - i) * sizeof(float));
            trj_frame_measure(f, f->x[k] + i, end - i);
        }
    f->stored.known = own->deferred;
    trj_hash_add(state, f->members, r->header->member_words * sizeof(uint32_t));
    return 0;
}

// Reads what was left to decoding, and verifies the checksum. If it is wrong, the file may have become shorter.
static int verify(const struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err) {
    struct trj_stream_frame *own = p->own;
    struct trj_hash_state state;
    struct trj_error shorter;
    if (!p->verifies) return 0;
    trj_hash_begin(&state);
    trj_hash_add(&state, own->head, sizeof own->head);
    if (read_floats(r, p, &state, err)) return -1;
    if (!trj_block_verify(&own->check, trj_hash_end(&state), err)) return 0;
    if (own->deferred && trj_input_check_size_at(r->in, own->check.offset, &shorter)) *err = shorter;
    return -1;
}

// Unused membership bits after a group's last atom must be zero.
static bool members_fit(const struct trj_stream_header *h, const struct trj_frame *f) {
    for (size_t i = 0; i < h->group_count; i++) {
        const struct trj_group *g = &h->groups[i];
        if (g->dynamic && g->count % 32 && f->members[g->word + g->count / 32] >> g->count % 32) return false;
    }
    return true;
}

static int check_frame(const struct trj_reader *r, struct trj_frame *f, struct trj_error *err) {
    const struct trj_stream_state *s = r->internals->state;
    for (int i = 0; i < 9; i++)
        if (!isfinite(f->cell.h[i / 3][i % 3]))
            return trj_stream_bad_block(&s->block, "a frame's cell is not finite", err);
    if (f->source >= s->found.source_count || f->cell.periodic > TRJ_PERIODIC_ALL || !(f->unit > 0) ||
        !isfinite(f->unit))
        return trj_stream_bad_block(&s->block, "a frame has an invalid source, periodicity or unit", err);
    if (!trj_stream_is_packed(&s->block) && !members_fit(r->header, f))
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
    struct trj_stream_state *s = r->internals->state;
    unsigned char head[TRJ_STREAM_FRAME_HEADER];
    struct trj_cursor c = {.data = head, .size = sizeof head};
    if (take_bytes(s, head, sizeof head, err)) return -1;
    if (p) get_header(&c, &p->frame);
    if (p) drop_chunks(p->own);
    if (p && s->wants_motion && !s->motion_lost && trj_stream_take_motion(s, s->count - s->left, p, err)) return -1;
    if (p && p->verifies) memcpy(((struct trj_stream_frame *)p->own)->head + sizeof s->head, head, sizeof head);
    if (trj_stream_is_compressed(&s->block)) return take_compressed(r, p, err);
    return trj_stream_is_packed(&s->block) ? take_packed(r, p, err) : take_floats(r, p, err);
}

// Takes the next frame from the blocks; p NULL: skips it. Sets *dropped to whether its source is lost. Returns 1, 0 at
// the end, -1.
static int take_next(struct trj_reader *r, struct trj_raw_frame *p, bool *dropped, struct trj_error *err) {
    struct trj_stream_state *s = r->internals->state;
    *dropped = false;
    int rc = trj_stream_next_block(r, err);
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
    bool packed = trj_stream_is_packed(&s->block), compressed = trj_stream_is_compressed(&s->block);
    if (!s->left) {
        trj_stream_chunk_drop(s->chunk);
        s->chunk = NULL;
    }
    if (!s->left && !s->direct) trj_block_drop(s->blocks, &s->block); // large frames leave little memory
    *dropped = s->salvage && (s->motion_lost ? trj_stream_salvage_drop(s->salvage)
                                             : !trj_stream_salvage_frame(s->salvage, &f->source, f->index));
    if (*dropped) return 1;
    struct trj_stream_frame *own = p->own;
    own->has_coordinates = !packed && !compressed && !p->verifies;
    p->whole = own->has_coordinates && !own->velocities;
    if (!check_frame(r, f, err)) {
        if (packed) own->source = s->found.sources[f->source].name;
        return 1;
    }
    if (verify(r, p, &damage)) *err = damage; // the reason of `err`
    return -1;
}

int trj_stream_take_frame(struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err) {
    bool dropped;
    int rc;
    do rc = take_next(r, p, &dropped, err);
    while (rc > 0 && dropped);
    return rc;
}

int trj_stream_decode(const struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err) {
    struct trj_stream_frame *own = p->own;
    const struct trj_stream_header *h = r->header;
    own->packed.data = p->bytes.data;
    p->whole = true;
    if (trj_stream_decode_motion(p, err)) return -1;
    if (p->verifies) return verify(r, p, err);
    if (own->has_coordinates) return 0;
    if (trj_frame_resize(&p->frame, r->atoms, err)) return -1;
    if (own->chunk) {
        int rc = trj_stream_chunk_decode(own->chunk, own->place, p->frame.x, err);
        drop_chunks(own);
        return rc;
    }
    if (!trj_xtc_unpack(&own->packed, p->frame.x, h->source_atoms, h->number, h->number ? h->atoms : 0,
                        &p->frame.farthest, err))
        return 0;
    trj_fail_at(err, "frame %llu of %s", (unsigned long long)p->frame.index, own->source);
    return trj_fail_remedy(err, "create that file again");
}

bool trj_stream_keep(const struct trj_reader *r, struct trj_raw_frame *p) {
    const struct trj_stream_frame *own = p->own;
    (void)r;
    if (!p->bytes.size) return false;
    trj_raw_frame_keep(p, &own->packed, p->bytes.size);
    return true;
}
