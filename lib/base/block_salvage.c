// SPDX-License-Identifier: MIT
// Searches for the next valid block header by its checksum, with a limit on the time that forged headers can take.
#include "block_salvage.h"

#include <stdlib.h>
#include <string.h>

#include "hash.h"
#include "memory.h"

enum { WINDOW = 1 << 20 }; // bytes that are read at a time

// Limits the time that forged headers can take in all searches of an input: each of its bytes may be hashed
// WORK_PER_BYTE times, and min_work bytes in addition.
enum { WORK_PER_BYTE = 64 };
static const uint64_t min_work = (uint64_t)1 << 32;

struct search {
    struct trj_block_reader *r;
    struct trj_input *in;
    struct trj_block_search *query;
    uint64_t size, max_work; // bytes of the input; limit of options->work
};

// Returns whether these bytes can be the header of a block with at most `max` bytes of payload. Random bytes almost
// never can.
static bool resembles_block(const unsigned char *head, uint64_t max) {
    if (head[4] > (TRJ_BLOCK_REQUIRED | TRJ_BLOCK_ZSTD) || head[5] || head[6] || head[7]) return false;
    for (int i = 0; i < 4; i++)
        if (head[i] < '!' || head[i] > 'Z') return false;
    struct trj_cursor c = {.data = head, .size = TRJ_BLOCK_HEADER, .offset = 8};
    uint64_t stored = trj_get_u64(&c), raw = trj_get_u64(&c);
    return stored <= max && (head[4] & TRJ_BLOCK_ZSTD || stored == raw);
}

// Returns whether a block is at byte `position`. The header has the number of the block as the seed of its checksum.
static int try_block(struct search *s, const unsigned char *head, uint64_t position, struct trj_error *err) {
    struct trj_cursor c = {.data = head, .size = TRJ_BLOCK_HEADER, .offset = 32};
    uint64_t check = trj_get_u64(&c);
    for (uint64_t number = s->query->min; number <= s->query->max; number++) {
        if (*s->query->work > s->max_work)
            return trj_fail(err, TRJ_BAD_DATA,
                            "byte %llu: too many bytes resemble blocks, but are invalid; truncate the file here",
                            (unsigned long long)position);
        *s->query->work += 32;
        if (trj_hash(head, 32, number) != check) continue;
        struct trj_block block;
        uint64_t offset = position - trj_block_reader_start(s->r);
        if (trj_block_reader_seek(s->r, number, offset, err)) return -1;
        int rc = trj_block_next(s->r, &block, err);
        if (rc > 0) {
            *s->query->work += block.stored;
            rc = trj_block_skip(s->r, &block, err) ? -1 : 1;
        }
        if (rc < 0 && err->status == TRJ_BAD_DATA) rc = 0;
        if (rc > 0) return trj_block_reader_seek(s->r, number, offset, err) ? -1 : 1;
        return rc;
    }
    return 0;
}

// Searches n bytes, which begin at byte `position`. The last TRJ_BLOCK_HEADER - 1 of them are searched with the next
// window.
static int search_window(struct search *s, const unsigned char *data, size_t n, uint64_t position,
                         struct trj_error *err) {
    for (size_t i = 0; i + TRJ_BLOCK_HEADER <= n; i++) {
        if (trj_block_reader_begins(s->r, data + i)) {
            s->query->other_stream = position + i;
            return 0;
        }
        if (!resembles_block(data + i, s->size - position - i - TRJ_BLOCK_HEADER)) continue;
        int rc = try_block(s, data + i, position + i, err);
        if (rc) return rc;
    }
    return 0;
}

int trj_block_search(struct trj_block_reader *r, struct trj_block_search *query, struct trj_error *err) {
    struct search s = {.r = r, .in = trj_block_reader_input(r), .query = query};
    query->other_stream = UINT64_MAX;
    int known = trj_input_find_size(s.in, &s.size, err);
    if (known <= 0) return known ? -1 : trj_fail(err, TRJ_FAILED, "requires random access");
    s.max_work = min_work + (s.size > UINT64_MAX / 2 / WORK_PER_BYTE ? UINT64_MAX / 2 : s.size * WORK_PER_BYTE);
    unsigned char *data = trj_alloc(WINDOW, 1, "a search", err);
    int rc = data ? 0 : -1;
    for (uint64_t position = query->from;
         !rc && query->other_stream == UINT64_MAX && position + TRJ_BLOCK_HEADER <= s.size;
         position += WINDOW - TRJ_BLOCK_HEADER + 1) {
        size_t n;
        if (trj_input_seek(s.in, position, err) || trj_input_read_some(s.in, data, WINDOW, &n, err))
            rc = -1;
        else
            rc = search_window(&s, data, n, position, err);
    }
    free(data);
    return rc;
}
