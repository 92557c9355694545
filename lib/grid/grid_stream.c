// SPDX-License-Identifier: MIT
// Encodes head and values of grid streams for reader and writer; values are split into byte planes, which compress
// better.
#include "grid_stream.h"

#include <stdlib.h>
#include <string.h>

#include "byte_order.h"
#include "grid_stream_parts.h"
#include "memory.h"

const struct trj_stream_kind trj_grid_kind = {"grid stream", {0x89, 'G', 'R', 'D', '\r', '\n', 0x1a, '\n'}, 1, 0};

bool trj_grid_is(const unsigned char *head, size_t n) {
    return trj_stream_is(head, n, &trj_grid_kind);
}

// ---- records

int trj_grid_record_add_frame(struct trj_grid_record *r, uint32_t source, uint64_t index, double weight,
                              struct trj_error *err) {
    if (!(weight > 0) || !trj_exact_in_range(weight))
        return trj_fail(err, TRJ_BAD_DATA, "invalid weight %g of a frame: expected a number above 0", weight);
    if (trj_frame_runs_add(&r->runs, &r->run_count, source, index, err)) return -1;
    trj_exact_add(&r->weight, weight);
    r->frames++;
    r->sum = true;
    return 0;
}

int trj_grid_check_once(struct trj_frame_run *runs, size_t count, const struct trj_source *sources,
                        struct trj_error *err) {
    uint32_t source;
    uint64_t frame;
    if (!trj_frame_runs_overlap(runs, count, &source, &frame)) return 0;
    return trj_fail(err, TRJ_BAD_DATA,
                    "frame %llu of %s occurs twice (files are identified by their size, start and end, pipes by their "
                    "first 64 KiB); give it once",
                    (unsigned long long)frame, sources[source].name);
}

int trj_grid_record_merge(struct trj_grid_record *to, const struct trj_grid_record *from, struct trj_error *err) {
    if (!from->sum || (to->frames && !to->sum))
        return trj_fail(err, TRJ_BAD_DATA,
                        "a map that is not a sum over frames, such as a mean, cannot be added; add the sums first");
    for (size_t i = 0; i < from->run_count; i++) {
        size_t capacity = to->run_count;
        if (trj_grow(&to->runs, &capacity, capacity + 1, sizeof *to->runs, "frame ranges", err)) return -1;
        to->runs[to->run_count++] = from->runs[i];
    }
    trj_exact_merge(&to->weight, &from->weight);
    to->frames += from->frames;
    to->sum = true;
    return 0;
}

void trj_grid_record_free(struct trj_grid_record *r) {
    free(r->runs);
    trj_map_atoms_free(&r->atoms);
    *r = (struct trj_grid_record){0};
}

void trj_grid_record_to_real(const struct trj_grid_record *r, const struct trj_map *m, const void *values, size_t n,
                             double *to) {
    double weight = trj_exact_value(&r->weight);
    trj_map_to_real(m, values, n, to);
    for (size_t i = 0; r->sum && i < n; i++) to[i] /= weight;
}

int trj_grid_origin_add(struct trj_stream_header *to, const struct trj_stream_header *from, struct trj_error *err) {
    size_t lines = to->provenance_count, sources = to->source_count, k;
    for (size_t i = 0; i < from->provenance_count; i++) {
        for (k = 0; k < lines && strcmp(to->provenance[k], from->provenance[i]) != 0;) k++;
        if (k == lines && trj_stream_header_add_provenance(to, from->provenance[i], err)) return -1;
    }
    for (size_t i = 0; i < from->source_count; i++) {
        const struct trj_source *s = &from->sources[i];
        for (k = 0; k < sources && to->sources[k].fingerprint != s->fingerprint;) k++;
        if (k == sources && trj_stream_header_add_source(to, s->name, s->fingerprint, err)) return -1;
    }
    return 0;
}

// ---- HEAD

void trj_grid_put_head(struct trj_bytes *b, const struct trj_map *m) {
    const struct trj_map_lattice *l = &m->lattice;
    trj_put_u64s(b, l->n, 3);
    for (int k = 0; k < 3; k++) trj_put_f64(b, l->origin[k]);
    for (int k = 0; k < 9; k++) trj_put_f64(b, l->step[k / 3][k % 3]);
    trj_put_u32(b, l->periodic);
    trj_put_text(b, m->quantity ? m->quantity : "");
    trj_put_text(b, m->unit ? m->unit : "");
    trj_put_u32(b, m->kind);
    trj_put_u32(b, m->meaning);
    trj_put_u32(b, m->components);
    trj_put_f64(b, m->quantum);
    trj_put_f64(b, m->error_bound);
}

int trj_grid_get_head(struct trj_map *m, struct trj_cursor *c, struct trj_error *err) {
    struct trj_map_lattice *l = &m->lattice;
    trj_get_u64s(c, l->n, 3);
    for (int k = 0; k < 3; k++) l->origin[k] = trj_get_f64(c);
    for (int k = 0; k < 9; k++) l->step[k / 3][k % 3] = trj_get_f64(c);
    l->periodic = trj_get_u32(c);
    if (trj_get_text(c, &m->quantity, err) || trj_get_text(c, &m->unit, err)) return -1;
    uint32_t kind = trj_get_u32(c), meaning = trj_get_u32(c);
    m->components = trj_get_u32(c);
    m->quantum = trj_get_f64(c);
    m->error_bound = trj_get_f64(c);
    if (c->failed) return trj_fail(err, TRJ_BAD_DATA, "too short");
    m->kind = kind < TRJ_MAP_KINDS ? (enum trj_map_kind)kind : TRJ_MAP_KINDS;
    m->meaning = meaning < TRJ_MAP_MEANINGS ? (enum trj_map_meaning)meaning : TRJ_MAP_MEANINGS;
    return trj_map_check(m, err);
}

// ---- values

uint64_t trj_grid_max_slab(const struct trj_map *m) {
    uint64_t plane = trj_map_plane_size(m);
    return ((uint64_t)1 << 16) + (plane > 1 << 24 ? plane : 1 << 24);
}

// Returns where byte b of a value of `size` bytes is in memory. Byte planes are numbered from the least significant
// byte, which is the last one on big-endian machines.
static size_t byte_of(size_t b, size_t size) {
    return trj_host_is_little_endian() ? b : size - 1 - b;
}

static void split_bytes(unsigned char *to, const unsigned char *values, size_t n, size_t size) {
    for (size_t b = 0; b < size; b++, to += n) {
        const unsigned char *from = values + byte_of(b, size);
        for (size_t i = 0; i < n; i++) to[i] = from[i * size];
    }
}

static void join_bytes(unsigned char *values, const unsigned char *from, size_t n, size_t size) {
    for (size_t b = 0; b < size; b++, from += n) {
        unsigned char *to = values + byte_of(b, size);
        for (size_t i = 0; i < n; i++) to[i * size] = from[i];
    }
}

void trj_grid_put_values(struct trj_bytes *b, const struct trj_map *m, enum trj_grid_layout layout, const void *values,
                         size_t n) {
    size_t size = trj_map_value_size(m->kind), start = b->size;
    if (layout == TRJ_GRID_BYTE_PLANES) {
        trj_put_raw(b, values, n * size); // makes the capacity enough
        if (!b->failed) split_bytes(b->data + start, values, n, size);
    } else if (size == sizeof(float)) {
        trj_put_f32s(b, values, n);
    } else {
        trj_put_u64s(b, values, n); // the bits of a float64 are put as an integer
    }
}

void trj_grid_get_values(struct trj_cursor *c, const struct trj_map *m, enum trj_grid_layout layout, void *values,
                         size_t n) {
    size_t size = trj_map_value_size(m->kind);
    if (layout == TRJ_GRID_BYTE_PLANES && trj_cursor_left(c) >= n * size) {
        join_bytes(values, c->data + c->offset, n, size);
        c->offset += n * size;
    } else if (size == 4) {
        trj_get_f32s(c, values, n);
    } else {
        trj_get_u64s(c, values, n);
    }
}
