// SPDX-License-Identifier: MIT
// Changes the order of axes in bounded memory. Planes of the first order are collected into chunks. A chunk is stored
// in the second order, so that the part of it that belongs to a range of planes of the second order is contiguous: a
// chunk is written at once, and read in a few large parts.
#include "map_reorder.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "memory.h"
#include "temporary_file.h"

const struct trj_map_order trj_map_order_ours = {{0, 1, 2}}, trj_map_order_reversed = {{2, 1, 0}};

enum { CHUNK = 1 << 25 }; // bytes, unless one plane has more

struct trj_map_reorder {
    uint64_t n[3];
    struct trj_map_order from, to;
    size_t size, plane;       // bytes of a point, of a plane of `from`
    uint64_t chunk_planes;    // planes of `from` in each chunk but the last
    uint64_t put;             // planes so far
    unsigned char *in, *work; // [filled] planes of the next chunk; a chunk, or a part of it
    uint64_t filled;
    size_t in_capacity, work_capacity;
    unsigned char **chunk; // [chunks] in memory
    size_t chunks, chunk_capacity;
    int file; // -1: in memory
};

bool trj_map_order_same(struct trj_map_order a, struct trj_map_order b) {
    return !memcmp(a.axis, b.axis, sizeof a.axis);
}

static void copy_points(unsigned char *to, const unsigned char *from, uint64_t count, size_t stride, size_t size) {
    for (uint64_t i = 0; i < count; i++, from += size, to += stride) {
        if (size == 4)
            memcpy(to, from, 4);
        else if (size == 8)
            memcpy(to, from, 8);
        else
            memcpy(to, from, size);
    }
}

void trj_map_permute(const uint64_t n[3], struct trj_map_order from, struct trj_map_order to, size_t size,
                     const void *source, void *target) {
    const unsigned char *f = from.axis;
    const unsigned char *row = source;
    size_t stride[3] = {0}; // bytes between neighbours along each axis in the target
    stride[to.axis[0]] = size;
    stride[to.axis[1]] = size * n[to.axis[0]];
    stride[to.axis[2]] = size * n[to.axis[0]] * n[to.axis[1]];
    for (uint64_t k = 0; k < n[f[2]]; k++)
        for (uint64_t j = 0; j < n[f[1]]; j++, row += size * n[f[0]])
            copy_points((unsigned char *)target + k * stride[f[2]] + j * stride[f[1]], row, n[f[0]], stride[f[0]],
                        size);
}

int trj_map_reorder_open_limited(struct trj_map_reorder **result, const uint64_t n[3], struct trj_map_order from,
                                 struct trj_map_order to, size_t size, uint64_t memory, struct trj_error *err) {
    struct trj_map_reorder *s = trj_alloc(1, sizeof *s, "a map", err);
    if (!s) return -1;
    *s = (struct trj_map_reorder){.from = from, .to = to, .size = size, .file = -1};
    memcpy(s->n, n, sizeof s->n);
    s->plane = size * n[from.axis[0]] * n[from.axis[1]];
    s->chunk_planes = CHUNK / s->plane ? CHUNK / s->plane : 1;
    if (s->chunk_planes > n[from.axis[2]]) s->chunk_planes = n[from.axis[2]];
    *result = s;
    uint64_t bytes = s->plane * n[from.axis[2]];
    if (bytes <= memory) return 0;
    const char *folder;
    s->file = trj_temporary_file(&folder);
    if (s->file >= 0) return 0;
    trj_map_reorder_close(s);
    return trj_fail_errno(err, "a map of %.3g GiB requires a temporary file in %s (TMPDIR)", (double)bytes / (1 << 30),
                          folder);
}

int trj_map_reorder_open(struct trj_map_reorder **s, const uint64_t n[3], struct trj_map_order from,
                         struct trj_map_order to, size_t size, struct trj_error *err) {
    return trj_map_reorder_open_limited(s, n, from, to, size, TRJ_MAP_REORDER_MEMORY, err);
}

void trj_map_reorder_close(struct trj_map_reorder *s) {
    if (!s) return;
    for (size_t i = 0; i < s->chunks && s->chunk; i++) free(s->chunk[i]);
    free(s->chunk);
    free(s->in);
    free(s->work);
    if (s->file >= 0) close(s->file);
    free(s);
}

// Stores the planes collected so far as a chunk.
static int store_chunk(struct trj_map_reorder *s, struct trj_error *err) {
    uint64_t box[3];
    size_t bytes = s->filled * s->plane;
    unsigned char *chunk;
    memcpy(box, s->n, sizeof box);
    box[s->from.axis[2]] = s->filled;
    if (s->file < 0) {
        if (trj_grow(&s->chunk, &s->chunk_capacity, s->chunks + 1, sizeof *s->chunk, "a map", err) ||
            !(chunk = trj_alloc(bytes, 1, "a map", err)))
            return -1;
        s->chunk[s->chunks] = chunk;
    } else {
        if (trj_grow(&s->work, &s->work_capacity, bytes, 1, "a map", err)) return -1;
        chunk = s->work;
    }
    trj_map_permute(box, s->from, s->to, s->size, s->in, chunk);
    uint64_t offset = s->chunks++ * s->chunk_planes * s->plane;
    s->filled = 0;
    return s->file < 0 ? 0 : trj_temporary_write(s->file, chunk, bytes, offset, err);
}

int trj_map_reorder_put(struct trj_map_reorder *s, const void *values, uint64_t planes, struct trj_error *err) {
    const unsigned char *from = values;
    uint64_t all = s->n[s->from.axis[2]];
    if (planes > all - s->put) return trj_fail(err, TRJ_FAILED, "more planes than the map has");
    for (uint64_t some; planes; planes -= some, from += some * s->plane) {
        some = s->chunk_planes - s->filled < planes ? s->chunk_planes - s->filled : planes;
        if (trj_grow(&s->in, &s->in_capacity, (s->filled + some) * s->plane, 1, "a map", err)) return -1;
        memcpy(s->in + s->filled * s->plane, from, some * s->plane);
        s->filled += some;
        s->put += some;
        if ((s->filled == s->chunk_planes || s->put == all) && store_chunk(s, err)) return -1;
    }
    return 0;
}

// Copies a part of a chunk, whose size is `box` and whose points are in the order `to`, to its place in the planes of
// `to`. `start` is the first plane of the chunk along the slowest axis of `from`.
static void place(const struct trj_map_reorder *s, const uint64_t box[3], uint64_t start, const unsigned char *part,
                  unsigned char *values) {
    const unsigned char *t = s->to.axis;
    uint64_t offset[3] = {0};
    offset[s->from.axis[2]] = start;
    size_t row = box[t[0]] * s->size;
    for (uint64_t k = 0; k < box[t[2]]; k++)
        for (uint64_t j = 0; j < box[t[1]]; j++, part += row) {
            uint64_t point = (k * s->n[t[1]] + j + offset[t[1]]) * s->n[t[0]] + offset[t[0]];
            memcpy(values + point * s->size, part, row);
        }
}

// Copies the part of the planes [first, first + planes) of `to` that chunk i contains, if the slowest axes differ.
static int get_across(struct trj_map_reorder *s, size_t i, uint64_t first, uint64_t planes, unsigned char *values,
                      struct trj_error *err) {
    uint64_t box[3], start = i * s->chunk_planes, left = s->n[s->from.axis[2]] - start;
    memcpy(box, s->n, sizeof box);
    box[s->from.axis[2]] = left < s->chunk_planes ? left : s->chunk_planes;
    box[s->to.axis[2]] = planes;
    size_t plane = box[s->to.axis[0]] * box[s->to.axis[1]] * s->size, bytes = planes * plane;
    const unsigned char *part = s->file < 0 ? s->chunk[i] + first * plane : NULL;
    if (!part) {
        if (trj_grow(&s->work, &s->work_capacity, bytes, 1, "a map", err) ||
            trj_temporary_read(s->file, s->work, bytes, start * s->plane + first * plane, err))
            return -1;
        part = s->work;
    }
    place(s, box, start, part, values);
    return 0;
}

// Copies planes if the slowest axes are the same: a plane of `to` is then in one chunk.
static int get_along(struct trj_map_reorder *s, uint64_t first, uint64_t planes, unsigned char *values,
                     struct trj_error *err) {
    for (uint64_t k = first; k < first + planes; k++, values += s->plane) {
        if (s->file >= 0) {
            if (trj_temporary_read(s->file, values, s->plane, k * s->plane, err)) return -1;
        } else {
            memcpy(values, s->chunk[k / s->chunk_planes] + k % s->chunk_planes * s->plane, s->plane);
        }
    }
    return 0;
}

int trj_map_reorder_get(struct trj_map_reorder *s, uint64_t first, uint64_t planes, void *values,
                        struct trj_error *err) {
    if (s->put < s->n[s->from.axis[2]] || first > s->n[s->to.axis[2]] || planes > s->n[s->to.axis[2]] - first)
        return trj_fail(err, TRJ_FAILED, "planes that the map does not have");
    if (s->from.axis[2] == s->to.axis[2]) return get_along(s, first, planes, values, err);
    for (size_t i = 0; i < s->chunks; i++)
        if (get_across(s, i, first, planes, values, err)) return -1;
    return 0;
}
