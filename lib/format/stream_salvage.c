// SPDX-License-Identifier: MIT
// Combines the blocks that are found after damage with the index at the end of the stream, to know which frames were
// lost.
#include "stream_salvage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "block_salvage.h"
#include "common_blocks.h"
#include "memory.h"

enum { MAX_RECORDED = 100 }; // losses that are reported one by one

#define UNKNOWN UINT64_MAX

// A part of the input that was dropped.
struct loss {
    uint64_t begin, end;                  // bytes of the input
    uint64_t number, next;                // number of the first lost block, and of the next valid one; UNKNOWN: none
    bool of_frames;                       // the first lost block contains frames
    bool has_before, has_after;           // frames were read before the loss; after it
    uint32_t source_before, source_after; // of these frames
    uint64_t index_before, index_after;
    char reason[200];
};

struct trj_stream_salvage {
    struct trj_stream_places sources, frames; // of the index
    bool have_index;
    uint64_t total_frames, end_number; // of the END block, UNKNOWN if it is damaged
    struct loss *loss;                 // [recorded]
    size_t recorded, capacity;
    uint64_t losses, bytes;
    uint64_t work;     // of searches (block_salvage.h)
    bool source_lost;  // a lost block may be a source
    uint64_t orphans;  // frames whose source is unknown
    uint64_t bare;     // frames whose velocities or image flags are lost
    uint32_t *ordinal; // [known] number in the stream of each known source
    size_t known, ordinal_capacity;
    bool has_last; // a frame was read; the following members are those of the last one
    uint32_t last_source;
    uint64_t last_index;
};

void trj_stream_salvage_close(struct trj_stream_salvage *v) {
    if (!v) return;
    free(v->sources.place);
    free(v->frames.place);
    free(v->loss);
    free(v->ordinal);
    free(v);
}

// Returns the index of the first place that is block `number` or a later one.
static size_t find_place(const struct trj_stream_places *p, uint64_t number) {
    size_t low = 0, high = p->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (p->place[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int trj_stream_salvage_index(struct trj_stream_salvage *v, struct trj_block *b, struct trj_error *err) {
    if (v->have_index) return 0;
    v->sources.count = v->frames.count = 0;
    if (trj_stream_places_get(&v->sources, &b->payload, err) || trj_stream_places_get(&v->frames, &b->payload, err))
        return -1;
    v->have_index = !b->payload.failed && trj_stream_places_ascend(&v->sources, false) &&
                    trj_stream_places_ascend(&v->frames, true);
    return 0;
}

// Reads the END block, whose position is known, and searches for the INDX block before it: its position is unknown if
// bytes were deleted or inserted.
static int read_tail(struct trj_stream_salvage *v, struct trj_block_reader *r, struct trj_error *err) {
    struct trj_input *in = trj_block_reader_input(r);
    unsigned char tail[TRJ_BLOCK_HEADER + TRJ_STREAM_END_SIZE];
    uint64_t size, start = trj_block_reader_start(r) + TRJ_STREAM_HEADER;
    int known = trj_input_find_size(in, &size, err);
    if (known <= 0) return known ? -1 : trj_fail(err, TRJ_FAILED, "requires random access");
    if (size < start + sizeof tail) return 0;
    struct trj_cursor c = {.data = tail, .size = sizeof tail, .offset = TRJ_BLOCK_HEADER};
    if (trj_input_seek(in, size - sizeof tail, err) || trj_input_read(in, tail, sizeof tail, "the END block", err))
        return -1;
    uint64_t frames = trj_get_u64(&c), number = trj_get_u64(&c), index = trj_get_u64(&c);
    struct trj_block_search end = {.from = size - sizeof tail, .min = number, .max = number, .work = &v->work};
    int found = memcmp(tail, "END!", 4) ? 0 : trj_block_search(r, &end, err);
    if (found <= 0) return found;
    v->total_frames = frames;
    v->end_number = number;
    // The index has two numbers and a place for each of at most `number` blocks.
    uint64_t max = number < size / TRJ_STREAM_PLACE ? number * TRJ_STREAM_PLACE + 16 + TRJ_BLOCK_HEADER : size;
    uint64_t capacity = size - sizeof tail - start;
    struct trj_block_search place = {
        .from = size - sizeof tail - (max < capacity ? max : capacity), .min = index, .max = index, .work = &v->work};
    struct trj_block b;
    found = trj_block_search(r, &place, err);
    if (found > 0) found = trj_block_next(r, &b, err);
    if (found <= 0 || strcmp(b.type, "INDX") != 0) return found;
    return trj_block_load(r, &b, trj_stream_max_index(size), err) || trj_stream_salvage_index(v, &b, err) ? -1 : 0;
}

int trj_stream_salvage_open(struct trj_stream_salvage **result, struct trj_block_reader *r, struct trj_error *err) {
    struct trj_stream_salvage *v = trj_alloc(1, sizeof *v, "salvaging", err);
    if (!v) return -1;
    *v = (struct trj_stream_salvage){.total_frames = UNKNOWN, .end_number = UNKNOWN};
    *result = v;
    uint64_t number = trj_block_reader_count(r);
    uint64_t offset = trj_input_offset(trj_block_reader_input(r)) - trj_block_reader_start(r);
    if (read_tail(v, r, err) < 0 && err->status != TRJ_BAD_DATA) return -1; // the reader reports a damaged end
    return trj_block_reader_seek(r, number, offset, err);
}

bool trj_stream_salvage_after_layout(const struct trj_stream_salvage *v, uint64_t number) {
    return v->have_index && v->frames.count && v->frames.place[0].number <= number;
}

bool trj_stream_salvage_complete(const struct trj_stream_salvage *v) {
    return !v->losses && !v->orphans && !v->bare;
}

void trj_stream_salvage_total(struct trj_stream_salvage *v, uint64_t frames) {
    v->total_frames = frames;
}

static int record(struct trj_stream_salvage *v, const struct loss *l, const struct trj_error *reason,
                  struct trj_error *err) {
    v->losses++;
    v->bytes += l->end - l->begin;
    v->source_lost = v->source_lost || l->next == UNKNOWN || l->next > l->number + l->of_frames;
    if (v->recorded == MAX_RECORDED) return 0;
    if (trj_grow(&v->loss, &v->capacity, v->recorded + 1, sizeof *v->loss, "losses", err)) return -1;
    struct loss *to = &v->loss[v->recorded++];
    *to = *l;
    to->has_before = v->has_last;
    to->source_before = v->last_source;
    to->index_before = v->last_index;
    snprintf(to->reason, sizeof to->reason, "%.*s", (int)sizeof to->reason - 1, reason->text);
    return 0;
}

int trj_stream_salvage_rest(struct trj_stream_salvage *v, struct trj_block_reader *r, uint64_t begin, bool ended,
                            const struct trj_error *reason, struct trj_error *err) {
    struct loss l = {.begin = begin, .number = trj_block_reader_count(r), .next = UNKNOWN};
    if (ended) l.next = l.number;
    struct trj_input *in = trj_block_reader_input(r);
    if (trj_input_find_size(in, &l.end, err) < 0) return -1;
    if (l.end < begin) l.end = begin;
    return record(v, &l, reason, err);
}

int trj_stream_salvage_next(struct trj_stream_salvage *v, struct trj_block_reader *r, uint64_t begin, uint64_t skip,
                            bool of_frames, struct trj_error *err) {
    struct trj_error reason = *err;
    struct loss l = {.begin = begin, .number = trj_block_reader_count(r), .of_frames = of_frames};
    uint64_t max = l.number < UNKNOWN - TRJ_BLOCK_MAX_LOST ? l.number + TRJ_BLOCK_MAX_LOST : UNKNOWN;
    if (v->end_number != UNKNOWN && v->end_number >= l.number) max = v->end_number;
    struct trj_block_search search = {.from = begin + skip, .min = l.number, .max = max, .work = &v->work};
    int rc = trj_block_search(r, &search, err);
    if (rc < 0) return -1;
    if (!rc) {
        if (search.other_stream != UNKNOWN) {
            trj_error_append(&reason, "; another stream begins at byte %llu", (unsigned long long)search.other_stream);
            v->have_index = false; // the end of the input is that of the other stream
            v->frames.count = 0;
            v->total_frames = UNKNOWN;
        }
        return trj_stream_salvage_rest(v, r, begin, false, &reason, err);
    }
    l.end = trj_input_offset(trj_block_reader_input(r));
    l.next = trj_block_reader_count(r);
    return record(v, &l, &reason, err) ? -1 : 1;
}

int trj_stream_salvage_source(struct trj_stream_salvage *v, uint64_t number, bool *known, struct trj_error *err) {
    size_t place = v->have_index ? find_place(&v->sources, number) : v->known;
    *known = v->have_index ? place < v->sources.count && v->sources.place[place].number == number : !v->source_lost;
    if (!*known) return 0;
    if (trj_grow(&v->ordinal, &v->ordinal_capacity, v->known + 1, sizeof *v->ordinal, "sources", err)) return -1;
    v->ordinal[v->known++] = (uint32_t)place;
    return 0;
}

bool trj_stream_salvage_frame(struct trj_stream_salvage *v, uint32_t *source, uint64_t index) {
    size_t i = 0;
    while (i < v->known && v->ordinal[i] != *source) i++;
    if (i == v->known) {
        v->orphans++;
        return false;
    }
    *source = (uint32_t)i;
    for (size_t k = v->recorded; k > 0 && !v->loss[k - 1].has_after; k--) {
        v->loss[k - 1].has_after = true;
        v->loss[k - 1].source_after = *source;
        v->loss[k - 1].index_after = index;
    }
    v->has_last = true;
    v->last_source = *source;
    v->last_index = index;
    return true;
}

bool trj_stream_salvage_drop(struct trj_stream_salvage *v) {
    v->bare++;
    return true;
}

// Appends the frames of a loss to a text. Returns their number, or UNKNOWN.
static uint64_t name_frames(const struct trj_stream_salvage *v, const struct loss *l,
                            const struct trj_stream_header *names, char *text, size_t capacity) {
    size_t first = find_place(&v->frames, l->number), end = find_place(&v->frames, l->next);
    if (l->next == l->number || (v->have_index && first == end)) {
        snprintf(text, capacity, "no frames");
        return 0;
    }
    uint64_t stop = end < v->frames.count ? v->frames.place[end].first_frame : v->total_frames;
    if (v->have_index && stop != UNKNOWN && stop > v->frames.place[first].first_frame) {
        unsigned long long from = v->frames.place[first].first_frame;
        if (stop - from > 1)
            snprintf(text, capacity, "frames %llu to %llu", from, (unsigned long long)stop - 1);
        else
            snprintf(text, capacity, "frame %llu", from);
        return stop - from;
    }
    int n = snprintf(text, capacity, "an unknown number of frames");
    if (l->has_before)
        n += snprintf(text + n, capacity - (size_t)n, " after frame %llu of %.200s",
                      (unsigned long long)l->index_before, names->sources[l->source_before].name);
    if (l->has_after)
        snprintf(text + n, capacity - (size_t)n, " %s frame %llu of %.200s", l->has_before ? "and before" : "before",
                 (unsigned long long)l->index_after, names->sources[l->source_after].name);
    return UNKNOWN;
}

void trj_stream_salvage_report(const struct trj_stream_salvage *v, const struct trj_stream_header *names, uint64_t read,
                               trj_loss_note *note, void *arg, struct trj_losses *sum) {
    char frames[600], text[1000], part[100];
    bool known = v->losses == v->recorded;
    uint64_t lost = v->orphans + v->bare;
    for (size_t i = 0; i < v->recorded; i++) {
        const struct loss *l = &v->loss[i];
        uint64_t n = name_frames(v, l, names, frames, sizeof frames);
        known = known && n != UNKNOWN;
        if (known) lost += n;
        if (l->begin == l->end)
            snprintf(part, sizeof part, "blocks missing at byte %llu", (unsigned long long)l->begin);
        else
            snprintf(part, sizeof part, "bytes %llu to %llu", (unsigned long long)l->begin,
                     (unsigned long long)l->end - 1);
        snprintf(text, sizeof text, "dropped: %s, %s: %s", part, frames, l->reason);
        note(arg, text);
    }
    if (v->losses > v->recorded) {
        snprintf(text, sizeof text, "dropped: %llu further parts", (unsigned long long)v->losses - v->recorded);
        note(arg, text);
    }
    if (v->orphans) {
        snprintf(text, sizeof text, "dropped: %llu frames, because the block that names their source may be lost",
                 (unsigned long long)v->orphans);
        note(arg, text);
    }
    if (v->bare) {
        snprintf(text, sizeof text, "dropped: %llu frames, because their velocities or image flags are lost",
                 (unsigned long long)v->bare);
        note(arg, text);
    }
    if (v->total_frames != UNKNOWN && v->total_frames >= read) {
        known = true;
        lost = v->total_frames - read;
    }
    sum->parts += v->losses;
    sum->bytes += v->bytes;
    sum->frames += lost;
    sum->frames_unknown = sum->frames_unknown || !known;
    sum->any = sum->any || !trj_stream_salvage_complete(v);
}
