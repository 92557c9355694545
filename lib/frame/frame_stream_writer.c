// SPDX-License-Identifier: MIT
// Writes frame streams.
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "block_stream.h"
#include "chunk.h"
#include "common_blocks.h"
#include "frame_stream.h"
#include "frame_stream_parts.h"
#include "memory.h"
#include "pipe_memory.h"

static const char raw_frames[] = "FRAM", packed_frames[] = "FRMX"; // types of blocks
static const char *const motion_types[TRJ_MOTION_KINDS] = {"VELO", "IMAG"};

enum {
    BLOCK_TARGET = 1 << 18, // bytes: small frames share a block up to this size
    // The same for chunks of compressed frames. Small frames compress nearly as well in smaller chunks; reading one
    // frame then requires less data, and a damaged byte costs fewer frames.
    CHUNK_TARGET = 1 << 23,
    CHUNK_TARGET_SMALL = 1 << 21, // of chunks with at least CHUNK_FRAMES frames
    CHUNK_FRAMES = 64,
};

// Coordinates that are written without a copy, and are held until their block is written.
struct held_frame {
    struct trj_frame frame;  // the coordinates alone
    bool given;              // to a pipe
    struct held_frame *next; // in the list of those that are not in use
    struct trj_stream_writer *writer;
};

struct trj_stream_writer {
    const struct trj_stream_header *header;
    struct trj_block_writer *blocks;
    struct trj_bytes block; // frames of a block that is not full
    const char *type;       // of this block: raw_frames or packed_frames
    int level;
    struct trj_block_coder coder, velocity_coder;
    // Velocities and image flags of the frames in `block`, in blocks that are written before it.
    struct trj_bytes motion[TRJ_MOTION_KINDS];
    uint32_t waiting;
    uint64_t frames;
    struct held_frame **held; // [held_count] those in use, and those in the list `unused`
    struct held_frame *unused;
    size_t held_count, held_capacity;
    size_t sources_written;
    struct trj_stream_places source_places, frame_places, motion_places;
};

// Copies headers, members and coordinates of frames from the payload of a FRAM block.
static void split_frames(const struct trj_stream_writer *w, const struct trj_bytes *payload, uint32_t frames,
                         struct trj_bytes *coded, float *x) {
    struct trj_cursor c = {.data = payload->data, .size = payload->size};
    size_t n = w->header->atoms, members = sizeof(uint32_t) * w->header->member_words;
    size_t header = TRJ_STREAM_FRAME_HEADER, frame = header + 3 * sizeof(float) * n + members;
    trj_put_u32(coded, frames);
    trj_put_u32(coded, 0);
    for (size_t f = 0; f < frames; f++) trj_put_raw(coded, payload->data + 8 + f * frame, header);
    for (size_t f = 0; f < frames; f++) trj_put_raw(coded, payload->data + 8 + (f + 1) * frame - members, members);
    for (size_t f = 0; f < frames; f++) {
        c.offset = 8 + f * frame + header;
        trj_get_f32s(&c, x + 3 * n * f, 3 * n);
    }
}

// Makes the payload of an FRMZ block from that of a FRAM block, unless it would not be smaller.
static int compress_frames(void *arg, const struct trj_bytes *payload, struct trj_bytes *coded, struct trj_error *err) {
    const struct trj_stream_writer *w = arg;
    const struct trj_stream_header *h = w->header;
    struct trj_cursor head = {.data = payload->data, .size = payload->size};
    uint32_t frames = trj_get_u32(&head);
    head.offset = 8 + 32;
    double unit = trj_get_f64(&head);
    float *x = trj_alloc(frames * h->atoms, 3 * sizeof *x, "a chunk", err);
    if (!x) return -1;
    split_frames(w, payload, frames, coded, x);
    const struct trj_codec_frames in = {.frames = frames,
                                        .atoms = h->atoms,
                                        .unit = unit,
                                        .computed = h->centres,
                                        .x = x,
                                        .residue = h->residue,
                                        .molecule = h->molecule};
    size_t before = coded->size;
    int rc = coded->failed ? trj_fail_memory(err, (double)payload->size, "a chunk")
                           : trj_codec_encode(coded, &in, w->level, err);
    free(x);
    if (rc) return -1;
    return coded->size < payload->size && !trj_codec_is_bomb(frames * (uint64_t)h->atoms, coded->size - before);
}

// Makes the payload of a VELZ block from that of a VELO block, unless it would not be smaller. Velocities are
// compressed as coordinates are, but their order in a molecule has no meaning: residues and molecules are not given.
static int compress_velocities(void *arg, const struct trj_bytes *payload, struct trj_bytes *coded,
                               struct trj_error *err) {
    const struct trj_stream_writer *w = arg;
    size_t n = w->header->atoms, before;
    struct trj_cursor c = {.data = payload->data, .size = payload->size};
    uint32_t frames = trj_get_u32(&c);
    float *v = trj_alloc(frames * n, 3 * sizeof *v, "velocities", err);
    if (!v) return -1;
    trj_put_raw(coded, payload->data, TRJ_STREAM_MOTION_HEAD);
    c.offset = TRJ_STREAM_MOTION_HEAD;
    for (size_t f = 0; f < frames; f++) {
        trj_put_f64(coded, trj_get_f64(&c));
        trj_get_f32s(&c, v + 3 * n * f, 3 * n);
    }
    before = coded->size;
    const struct trj_codec_frames in = {
        .frames = frames, .atoms = n, .unit = 1, .computed = w->header->centres, .x = v};
    int rc = coded->failed ? trj_fail_memory(err, (double)payload->size, "velocities")
                           : trj_codec_encode(coded, &in, w->level, err);
    free(v);
    if (rc) return -1;
    return coded->size < payload->size && !trj_codec_is_bomb(frames * (uint64_t)n, coded->size - before);
}

static int write_property(struct trj_stream_writer *w, const struct trj_property *p, struct trj_bytes *b,
                          struct trj_error *err) {
    const struct trj_stream_header *h = w->header;
    b->size = 0;
    trj_put_u32(b, p->kind);
    trj_put_u32(b, 0); // flags
    trj_put_text(b, p->name);
    trj_put_text(b, p->unit);
    trj_put_text(b, p->origin);
    if (p->kind == TRJ_PROPERTY_TEXT) {
        trj_put_u32(b, (uint32_t)p->text.count);
        for (size_t i = 0; i < p->text.count; i++) trj_put_text(b, p->text.text[i]);
        trj_put_u32s(b, p->text.id, h->atoms);
    }
    for (size_t i = 0; i < h->atoms && p->real; i++) trj_put_f64(b, p->real[i]);
    for (size_t i = 0; i < h->atoms && p->integer; i++) trj_put_i64(b, p->integer[i]);
    return trj_block_write_limited(w->blocks, "PROP", false, b, trj_stream_block_find("PROP")->max_payload(h), err);
}

// ---- the blocks of the header

static void put_head(struct trj_bytes *b, const struct trj_stream_header *h) {
    trj_put_u64(b, h->atoms);
    trj_put_u64(b, h->source_atoms);
}

static void put_groups(struct trj_bytes *b, const struct trj_stream_header *h) {
    trj_put_u32(b, (uint32_t)h->group_count);
    for (size_t i = 0; i < h->group_count; i++) {
        trj_put_text(b, h->groups[i].name);
        trj_put_u64(b, h->groups[i].count);
        trj_put_u32s(b, h->groups[i].atoms, h->groups[i].count);
    }
}

static bool has_dynamic_groups(const struct trj_stream_header *h) {
    return h->member_words;
}

static void put_dynamic_groups(struct trj_bytes *b, const struct trj_stream_header *h) {
    uint32_t dynamic = 0;
    for (size_t i = 0; i < h->group_count; i++) dynamic += h->groups[i].dynamic;
    trj_put_u32(b, dynamic);
    for (size_t i = 0; i < h->group_count; i++)
        if (h->groups[i].dynamic) trj_put_u32(b, (uint32_t)i);
}

static bool is_open(const struct trj_stream_header *h) {
    return h->open_system;
}

static void put_open(struct trj_bytes *b, const struct trj_stream_header *h) {
    (void)h;
    trj_put_u32(b, 0); // flags
}

static bool has_centres(const struct trj_stream_header *h) {
    return h->centres;
}

static void put_centres(struct trj_bytes *b, const struct trj_stream_header *h) {
    trj_put_u64(b, h->centres);
}

static bool has_residues(const struct trj_stream_header *h) {
    return h->residue;
}

static void put_residues(struct trj_bytes *b, const struct trj_stream_header *h) {
    trj_put_u32s(b, h->residue, h->atoms);
}

static bool has_molecules(const struct trj_stream_header *h) {
    return h->molecule;
}

static void put_molecules(struct trj_bytes *b, const struct trj_stream_header *h) {
    trj_put_u32s(b, h->molecule, h->atoms);
}

static bool has_elements(const struct trj_stream_header *h) {
    return h->element;
}

static void put_elements(struct trj_bytes *b, const struct trj_stream_header *h) {
    trj_put_text(b, h->element_from ? h->element_from : "");
    trj_put_u32s(b, h->element, h->atoms);
}

static bool has_sites(const struct trj_stream_header *h) {
    return h->absent_sites || h->site_count;
}

static void put_sites(struct trj_bytes *b, const struct trj_stream_header *h) {
    trj_put_u64(b, h->absent_sites);
    trj_put_u64(b, h->site_count);
    trj_put_u32s(b, h->site, h->site_count);
}

static bool has_numbers(const struct trj_stream_header *h) {
    return h->number;
}

static void put_numbers(struct trj_bytes *b, const struct trj_stream_header *h) {
    trj_put_u32s(b, h->number, h->atoms - h->centres);
}

static bool has_bonds(const struct trj_stream_header *h) {
    return h->bond;
}

static void put_bonds(struct trj_bytes *b, const struct trj_stream_header *h) {
    trj_put_u64(b, h->between);
    trj_put_u64(b, h->bond_count);
    for (size_t i = 0; i < h->bond_count; i++) trj_put_u32s(b, h->bond[i], 2);
}

static bool is_rounded(const struct trj_stream_header *h) {
    return h->precision > 0;
}

static void put_precision(struct trj_bytes *b, const struct trj_stream_header *h) {
    trj_put_f64(b, h->precision);
}

static bool is_segment(const struct trj_stream_header *h) {
    return h->segment.count;
}

static void put_segment(struct trj_bytes *b, const struct trj_stream_header *h) {
    trj_put_u64(b, h->segment.first);
    trj_put_u64(b, h->segment.count);
    trj_put_u64(b, h->segment.following);
    trj_put_u64(b, h->segment.total);
}

static bool has_motion(const struct trj_stream_header *h) {
    return h->motion;
}

static void put_motion_sources(struct trj_bytes *b, const struct trj_stream_header *h) {
    trj_put_u32(b, (uint32_t)__builtin_popcount(h->motion));
    for (uint32_t k = 0; k < TRJ_MOTION_KINDS; k++) {
        if (!(h->motion >> k & 1)) continue;
        trj_put_u32(b, k);
        trj_put_text(b, h->motion_source[k].unit);
        trj_put_text(b, h->motion_source[k].origin);
    }
}

// The blocks of the header, except those of provenance, properties and movements, in the order of the specification.
static const struct {
    const char *type;
    bool required;
    bool (*present)(const struct trj_stream_header *h); // NULL: always
    void (*put)(struct trj_bytes *b, const struct trj_stream_header *h);
} header_blocks[] = {
    {"GRPS", true, NULL, put_groups},
    {"CHNG", true, has_dynamic_groups, put_dynamic_groups},
    {"OPEN", true, is_open, put_open},
    {"CENT", true, has_centres, put_centres},
    {"RESI", false, has_residues, put_residues},
    {"MOLE", false, has_molecules, put_molecules},
    {"ELEM", false, has_elements, put_elements},
    {"SITE", false, has_sites, put_sites},
    {"ATOM", false, has_numbers, put_numbers},
    {"BOND", false, has_bonds, put_bonds},
    {"PREC", false, is_rounded, put_precision},
    {"VARY", false, has_motion, put_motion_sources},
    {"SEGM", true, is_segment, put_segment},
};

static int write_header(struct trj_stream_writer *w, struct trj_error *err) {
    const struct trj_stream_header *h = w->header;
    struct trj_bytes b = {0};
    int rc = -1;
    put_head(&b, h);
    if (trj_block_write(w->blocks, "HEAD", true, &b, err)) goto out;
    if (trj_block_write_provenance(w->blocks, h->provenance, h->provenance_count, err)) goto out;
    for (size_t i = 0; i < sizeof header_blocks / sizeof *header_blocks; i++) {
        const char *type = header_blocks[i].type;
        if (header_blocks[i].present && !header_blocks[i].present(h)) continue;
        b.size = 0;
        header_blocks[i].put(&b, h);
        uint64_t max = trj_stream_block_find(type)->max_payload(h);
        if (trj_block_write_limited(w->blocks, type, header_blocks[i].required, &b, max, err)) goto out;
    }
    for (size_t i = 0; i < h->property_count; i++)
        if (write_property(w, &h->properties[i], &b, err)) goto out;
    if (h->movement_count) {
        b.size = 0;
        trj_movements_put(&b, h);
        if (trj_block_write_limited(w->blocks, "MOVE", true, &b, trj_stream_block_find("MOVE")->max_payload(h), err))
            goto out;
    }
    rc = 0;
out:
    trj_bytes_free(&b);
    return rc;
}

int trj_stream_writer_open(struct trj_stream_writer **result, struct trj_output *out, const struct trj_stream_header *h,
                           int level, unsigned threads, struct trj_error *err) {
    struct trj_stream_writer *w = trj_alloc(1, sizeof *w, "a stream", err);
    if (!w) return -1;
    w->header = h;
    w->level = level;
    w->coder = (struct trj_block_coder){"FRMZ", compress_frames, w};
    w->velocity_coder = (struct trj_block_coder){"VELZ", compress_velocities, w};
    w->block.pages = trj_output_gives(out) && !level;
    if (trj_block_writer_open(&w->blocks, out, &trj_frame_stream_kind, level, err) ||
        trj_block_writer_threads(w->blocks, threads, err) || write_header(w, err)) {
        trj_stream_writer_close(w);
        return -1;
    }
    *result = w;
    return 0;
}

static void close_file(struct held_frame *h) {
    if (h->frame.stored.known) close(h->frame.stored.file);
    h->frame.stored.known = false;
}

void trj_stream_writer_close(struct trj_stream_writer *w) {
    if (!w) return;
    trj_block_writer_close(w->blocks);
    trj_bytes_free(&w->block);
    for (int k = 0; k < TRJ_MOTION_KINDS; k++) trj_bytes_free(&w->motion[k]);
    for (size_t i = 0; i < w->held_count; i++) {
        close_file(w->held[i]);
        trj_frame_free(&w->held[i]->frame);
        free(w->held[i]);
    }
    free(w->held);
    free(w->source_places.place);
    free(w->frame_places.place);
    free(w->motion_places.place);
    free(w);
}

static void release_frame(void *arg) {
    struct held_frame *h = arg;
    close_file(h);
    if (h->given) trj_frame_drop(&h->frame);
    h->given = false;
    h->next = h->writer->unused;
    h->writer->unused = h;
}

// Moves the coordinates of *f, which gets other memory or none, to where they stay until the block is written. The file
// that contains them is kept open, because the reader may close it before.
static struct held_frame *hold_frame(struct trj_stream_writer *w, struct trj_frame *f, struct trj_error *err) {
    struct held_frame *h = w->unused;
    if (h) {
        w->unused = h->next;
    } else {
        if (trj_grow(&w->held, &w->held_capacity, w->held_count + 1, sizeof(struct held_frame *), "frames", err) ||
            !(h = trj_alloc(1, sizeof *h, "a frame", err)))
            return NULL;
        w->held[w->held_count++] = h;
        h->writer = w;
    }
    trj_frame_exchange(f, &h->frame);
    struct trj_stored *stored = &h->frame.stored;
    if (stored->known) stored->file = fcntl(stored->file, F_DUPFD_CLOEXEC, 0);
    stored->known = stored->known && stored->file >= 0;
    return h;
}

// Sets *arrays to the coordinates of a frame. The pages of a file are given to a pipe where possible, otherwise those
// of the frame.
static void list_arrays(struct held_frame *h, struct trj_block_arrays *arrays) {
    const struct trj_frame *f = &h->frame;
    *arrays = (struct trj_block_arrays){.count = 3, .done = release_frame, .arg = h};
    for (int k = 0; k < 3; k++) {
        struct trj_output_part *part = &arrays->part[k];
        *part = (struct trj_output_part){.data = f->x[k], .size = f->atoms * sizeof *f->x[k]};
        part->given = f->release == trj_pipe_free ? &h->given : NULL;
        part->in_file = f->stored.known;
        part->file = f->stored.file;
        part->file_offset = f->stored.offset[k];
    }
}

// Writes the velocities and image flags of the current block, before it.
static int flush_motion(struct trj_stream_writer *w, struct trj_error *err) {
    static const struct trj_block_arrays none = {.count = 0};
    uint64_t number = trj_block_writer_count(w->blocks);
    if (trj_stream_places_add(&w->motion_places, w->frames - w->waiting, number, 0, err)) return -1;
    for (int k = 0; k < TRJ_MOTION_KINDS; k++) {
        struct trj_bytes *b = &w->motion[k];
        if (!(w->header->motion >> k & 1)) continue;
        struct trj_bytes count = {.data = b->data, .capacity = TRJ_STREAM_MOTION_HEAD};
        trj_put_u32(&count, w->waiting);
        if (w->level && k == TRJ_MOTION_VELOCITY
                ? trj_block_write_coded(w->blocks, motion_types[k], false, b, &w->velocity_coder, err)
                : trj_block_write_floats(w->blocks, motion_types[k], false, b, &none, err))
            return -1;
        b->size = 0;
    }
    return 0;
}

// Writes the current block. `last` is its last frame if the coordinates of that frame are not in the block; else NULL.
static int flush_block(struct trj_stream_writer *w, struct trj_frame *last, struct trj_error *err) {
    if (!w->waiting) return 0;
    struct trj_bytes count = {.data = w->block.data, .capacity = 8}; // the number of frames, at the start of the block
    trj_put_u32(&count, w->waiting);
    if (w->header->motion && flush_motion(w, err)) return -1;
    if (trj_stream_places_add(&w->frame_places, w->frames - w->waiting, trj_block_writer_count(w->blocks), 0, err))
        return -1;
    struct trj_block_arrays arrays = {.count = 0};
    struct held_frame *h = last ? hold_frame(w, last, err) : NULL;
    if (last && !h) return -1;
    if (h) list_arrays(h, &arrays);
    if (w->level && w->type == raw_frames ? trj_block_write_coded(w->blocks, w->type, true, &w->block, &w->coder, err)
                                          : trj_block_write_floats(w->blocks, w->type, true, &w->block, &arrays, err))
        return -1;
    w->block.size = 0;
    w->waiting = 0;
    return 0;
}

static int write_sources(struct trj_stream_writer *w, struct trj_error *err) {
    if (w->sources_written == w->header->source_count) return 0;
    if (flush_block(w, NULL, err)) return -1;
    while (w->sources_written < w->header->source_count) {
        const struct trj_source *source = &w->header->sources[w->sources_written++];
        if (trj_stream_places_add(&w->source_places, 0, trj_block_writer_count(w->blocks), 0, err) ||
            trj_block_write_source(w->blocks, source->name, source->fingerprint, err))
            return -1;
    }
    return 0;
}

// Returns the bytes after which a chunk of frames of this size ends.
static size_t chunk_target(size_t frame) {
    size_t frames = CHUNK_FRAMES * frame;
    return frames < CHUNK_TARGET_SMALL ? CHUNK_TARGET_SMALL : frames < CHUNK_TARGET ? frames : CHUNK_TARGET;
}

static void put_packed(struct trj_bytes *b, const struct trj_packed *p) {
    trj_put_f32s(b, &p->precision, 1);
    for (int k = 0; k < 3; k++) trj_put_u32(b, (uint32_t)p->low[k]);
    for (int k = 0; k < 3; k++) trj_put_u32(b, (uint32_t)p->high[k]);
    trj_put_u32(b, (uint32_t)p->small);
    trj_put_u64(b, p->offset);
    trj_put_u64(b, p->bytes);
    trj_put_raw(b, p->data, p->bytes);
}

// Appends the velocities and image flags of a frame to the blocks that are written before that of the frame.
static int put_motion(struct trj_stream_writer *w, const struct trj_frame *f, struct trj_error *err) {
    const struct trj_motion *m = f->motion;
    unsigned what = w->header->motion;
    if ((trj_motion_has(m) & what) != what)
        return trj_fail(err, TRJ_BAD_DATA, "has no velocities or image flags, which the stream's header declares");
    for (int k = 0; k < TRJ_MOTION_KINDS; k++) {
        struct trj_bytes *b = &w->motion[k];
        if (!(what >> k & 1)) continue;
        if (!w->waiting) trj_put_u64(b, 0); // number of frames, which flush_motion sets
        if (k == TRJ_MOTION_VELOCITY) trj_put_f64(b, m->unit);
        for (int i = 0; i < 3 && k == TRJ_MOTION_VELOCITY; i++) trj_put_f32s(b, m->velocity[i], f->atoms);
        for (int i = 0; i < 3 && k == TRJ_MOTION_IMAGE; i++) trj_put_u32s(b, (const uint32_t *)m->image[i], f->atoms);
        if (b->failed) return trj_fail_memory(err, (double)b->size, "a block of velocities or image flags");
    }
    return 0;
}

int trj_stream_write(struct trj_stream_writer *w, struct trj_frame *f, struct trj_error *err) {
    const char *type = f->packed.bytes ? packed_frames : raw_frames;
    if (write_sources(w, err) || (w->type != type && flush_block(w, NULL, err))) return -1;
    w->type = type;
    if (w->header->motion && put_motion(w, f, err)) return -1;
    struct trj_bytes *b = &w->block;
    if (!w->waiting) trj_put_u64(b, 0); // number of frames, which flush_block sets
    trj_put_u32(b, f->source);
    trj_put_u32(b, f->cell.periodic);
    trj_put_u64(b, f->index);
    trj_put_i64(b, f->step);
    trj_put_f64(b, f->time);
    trj_put_f64(b, f->unit);
    for (int i = 0; i < 9; i++) trj_put_f64(b, f->cell.h[i / 3][i % 3]);
    size_t words = w->header->member_words;
    bool packed = f->packed.bytes;
    size_t bytes = packed ? TRJ_STREAM_PACKED_HEADER + f->packed.bytes : 3 * sizeof(float) * f->atoms;
    size_t target = w->level && !packed ? chunk_target(bytes) : BLOCK_TARGET;
    bool full = b->size + bytes + sizeof *f->members * words >= target;
    bool direct = full && !words && !packed && !w->level; // coordinates are written from the frame without a copy
    if (packed) put_packed(b, &f->packed);
    for (int k = 0; k < 3 && !direct && !packed; k++) trj_put_f32s(b, f->x[k], f->atoms);
    trj_put_u32s(b, f->members, words);
    if (b->failed) return trj_fail_memory(err, (double)b->size, "a block of frames");
    w->waiting++;
    w->frames++;
    return full ? flush_block(w, direct ? f : NULL, err) : 0;
}

// The offset of a block is known only when it has been written.
static void put_places(struct trj_bytes *b, const struct trj_stream_places *p, const struct trj_block_writer *blocks) {
    trj_put_u64(b, p->count);
    for (size_t i = 0; i < p->count; i++) {
        trj_put_u64(b, p->place[i].first_frame);
        trj_put_u64(b, p->place[i].number);
        trj_put_u64(b, trj_block_writer_offset(blocks, p->place[i].number));
    }
}

int trj_stream_writer_flush(struct trj_stream_writer *w, bool all, struct trj_error *err) {
    return (all && flush_block(w, NULL, err)) || trj_block_writer_flush(w->blocks, err) ? -1 : 0;
}

int trj_stream_writer_finish(struct trj_stream_writer *w, struct trj_error *err) {
    if (write_sources(w, err) || flush_block(w, NULL, err) || trj_block_writer_flush(w->blocks, err)) return -1;
    struct trj_bytes b = {0};
    int rc = -1;
    uint64_t number = trj_block_writer_count(w->blocks), offset = trj_block_writer_offset(w->blocks, number);
    put_places(&b, &w->source_places, w->blocks);
    put_places(&b, &w->frame_places, w->blocks);
    if (w->header->motion) put_places(&b, &w->motion_places, w->blocks);
    if (trj_block_write(w->blocks, "INDX", false, &b, err)) goto out;
    b.size = 0;
    trj_put_u64(&b, w->frames);
    trj_put_u64(&b, trj_block_writer_count(w->blocks));
    trj_put_u64(&b, number);
    trj_put_u64(&b, offset);
    rc = trj_block_write(w->blocks, "END!", true, &b, err) || trj_block_writer_flush(w->blocks, err) ? -1 : 0;
out:
    trj_bytes_free(&b);
    return rc;
}
