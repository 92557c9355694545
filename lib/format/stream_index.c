// SPDX-License-Identifier: MIT
// Reads the index at the end of a frame stream, and moves to a frame with it.
#include <string.h>

#include "common_blocks.h"
#include "stream_reader_parts.h"

// Reads the header of the block at a place that the index gives.
static int find_block_at(struct trj_stream_state *s, const struct trj_stream_place *p, const char *type,
                         struct trj_error *err) {
    if (trj_block_reader_seek(s->blocks, p->number, p->offset, err)) return -1;
    int rc = trj_block_next(s->blocks, &s->block, err);
    if (rc < 0) return -1;
    if (rc && (strcmp(type, "FRAM") ? !strcmp(s->block.type, type) : trj_stream_has_frames(&s->block))) return 0;
    return trj_fail(err, TRJ_BAD_DATA, "the index does not point to a %s block", type);
}

// Loads the block at a place. Its payload may have at most `max_bytes` bytes.
static int read_block_at(struct trj_stream_state *s, const struct trj_stream_place *p, const char *type,
                         uint64_t max_bytes, struct trj_error *err) {
    return find_block_at(s, p, type, err) || trj_block_load(s->blocks, &s->block, max_bytes, err) ? -1 : 0;
}

// Returns whether the places of velocities and image flags are those directly before the blocks of frames.
static bool motions_fit(const struct trj_stream_state *s) {
    const struct trj_stream_places *frames = &s->frames, *motions = &s->motions;
    unsigned kinds = (unsigned)__builtin_popcount(s->header->motion);
    bool fit = motions->count == frames->count;
    for (size_t i = 0; fit && i < frames->count; i++) {
        const struct trj_stream_place *a = &motions->place[i], *b = &frames->place[i];
        fit = a->first_frame == b->first_frame && a->number < b->number && b->number - a->number == kinds &&
              a->offset < b->offset;
    }
    return fit;
}

// Finds the index from the end of the file: the END block is the last one and small, thus never compressed.
static int load_index(struct trj_reader *r, struct trj_error *err) {
    struct trj_stream_state *s = r->internals->state;
    uint64_t size = 0, end = TRJ_BLOCK_HEADER + TRJ_STREAM_END_SIZE, here = trj_input_offset(r->in);
    unsigned char tail[TRJ_BLOCK_HEADER + TRJ_STREAM_END_SIZE];
    if (s->have_index) return 0;
    bool whole = trj_input_size(r->in, &size) && size >= trj_block_reader_start(s->blocks) + TRJ_STREAM_HEADER + end;
    if (whole &&
        (trj_input_seek(r->in, size - end, err) || trj_input_read(r->in, tail, sizeof tail, "the END block", err)))
        return -1;
    if (!whole || memcmp(tail, "END!", 4)) { // a truncated stream has no index, but its frames can be read in order
        r->can_seek = false;
        return trj_input_seek(r->in, here, err) ? -1 : trj_stream_fail_no_end(r, size, err);
    }
    // The checksum of a block includes its number, which only the payload of END contains: read that first, then the
    // block.
    struct trj_cursor c = {.data = tail, .size = sizeof tail, .offset = TRJ_BLOCK_HEADER + 8};
    struct trj_stream_place place = {.number = trj_get_u64(&c),
                                     .offset = size - end - trj_block_reader_start(s->blocks)};
    if (read_block_at(s, &place, "END!", TRJ_SMALL_BLOCK_MAX, err)) return -1;
    s->total = trj_get_u64(&s->block.payload);
    trj_get_u64(&s->block.payload);
    place.number = trj_get_u64(&s->block.payload);
    place.offset = trj_get_u64(&s->block.payload);
    if (read_block_at(s, &place, "INDX", trj_stream_max_index(size), err) ||
        trj_stream_places_get(&s->sources, &s->block.payload, err) ||
        trj_stream_places_get(&s->frames, &s->block.payload, err))
        return -1;
    if (r->header->motion && trj_stream_places_get(&s->motions, &s->block.payload, err)) return -1;
    if (s->block.payload.failed) return trj_stream_bad_block(&s->block, "too short for its content", err);
    if (r->header->motion && !motions_fit(s))
        return trj_stream_bad_block(&s->block, "velocities or image flags do not precede their frames", err);
    // In order, each of them is another block: what the blocks need is bounded by the size of the file.
    if (!trj_stream_places_ascend(&s->sources, false) || !trj_stream_places_ascend(&s->frames, true))
        return trj_stream_bad_block(&s->block, "sources or frames are not in order", err);
    // A seek passes over SRCE blocks: read all of them before.
    for (size_t i = s->found.source_count; i < s->sources.count; i++)
        if (read_block_at(s, &s->sources.place[i], "SRCE", TRJ_SOURCE_MAX, err) ||
            trj_stream_find_source(s, &s->block, err))
            return -1;
    if (trj_stream_add_sources(r, s->found.source_count, err)) return -1;
    if (s->block.payload.failed) return trj_stream_bad_block(&s->block, "too short for its content", err);
    s->have_index = true;
    return 0;
}

int trj_stream_count(struct trj_reader *r, uint64_t *frames, struct trj_error *err) {
    if (load_index(r, err)) return -1;
    *frames = ((struct trj_stream_state *)r->internals->state)->total;
    return 0;
}

// Moves to a block of frames, or to the velocities and image flags before it if they are requested.
static int begin_at(struct trj_reader *r, size_t block, struct trj_error *err) {
    struct trj_stream_state *s = r->internals->state;
    if (!(r->header->motion & r->internals->motion))
        return find_block_at(s, &s->frames.place[block], "FRAM", err) || trj_stream_begin_frames(r, err) ? -1 : 0;
    const struct trj_stream_place *p = &s->motions.place[block];
    if (trj_block_reader_seek(s->blocks, p->number, p->offset, err)) return -1;
    int rc = trj_stream_next_block(r, err);
    if (!rc) return trj_fail(err, TRJ_BAD_DATA, "the index does not point to a block of frames");
    return rc < 0 ? -1 : 0;
}

int trj_stream_seek(struct trj_reader *r, uint64_t frame, struct trj_error *err) {
    struct trj_stream_state *s = r->internals->state;
    bool moves = !s->have_index;
    if (load_index(r, err)) return -1;
    int rc = frame < s->total;
    if (!rc && !moves) return 0;
    if (!rc) frame = r->next; // return to the current frame: reading the index has moved the input
    s->have_block = false;
    s->ended = frame >= s->total;
    if (s->ended) return rc;
    size_t low = 0, high = s->frames.count; // the last block that begins at or before `frame`
    if (!high)
        return trj_fail(err, TRJ_BAD_DATA, "the index does not list the %llu frames", (unsigned long long)s->total);
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (s->frames.place[middle].first_frame <= frame)
            low = middle;
        else
            high = middle;
    }
    uint64_t first = s->frames.place[low].first_frame;
    uint64_t end = low + 1 < s->frames.count ? s->frames.place[low + 1].first_frame : s->total;
    if (begin_at(r, low, err)) return -1;
    if (s->left != end - first)
        return trj_stream_bad_block(&s->block, "contains other frames than the index gives", err);
    for (; first < frame; first++)
        if (trj_stream_take_frame(r, NULL, err) <= 0) return -1;
    r->next = frame;
    return rc;
}
