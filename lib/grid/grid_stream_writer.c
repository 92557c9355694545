// SPDX-License-Identifier: MIT
// Writes maps plane by plane as slabs of bounded size, so that a map need not fit into memory.
#include "grid_stream.h"

#include <stdlib.h>
#include <string.h>

#include "byte_order.h"
#include "common_blocks.h"
#include "grid_stream_parts.h"
#include "memory.h"

struct trj_grid_writer {
    const struct trj_map *map;
    const struct trj_stream_header *origin;
    struct trj_block_writer *blocks;
    enum trj_grid_layout layout;
    size_t sources_written;
    uint64_t records, frames, slabs;
    bool in_record;
    uint64_t planes;      // of the record, in written slabs
    unsigned char *slab;  // [slab_planes] planes of the next slab
    uint64_t filled, max; // planes in it, and its capacity
};

static int write_head(struct trj_grid_writer *w, struct trj_error *err) {
    struct trj_bytes b = {0};
    trj_grid_put_head(&b, w->map);
    int rc = trj_block_write_limited(w->blocks, "HEAD", true, &b, TRJ_SMALL_BLOCK_MAX, err);
    trj_bytes_free(&b);
    return rc ? rc : trj_block_write_provenance(w->blocks, w->origin->provenance, w->origin->provenance_count, err);
}

int trj_grid_writer_open(struct trj_grid_writer **result, struct trj_output *out, const struct trj_map *map,
                         const struct trj_stream_header *origin, int level, unsigned threads, struct trj_error *err) {
    if (trj_map_check(map, err)) return -1;
    struct trj_grid_writer *w = trj_alloc(1, sizeof *w, "a stream", err);
    if (!w) return -1;
    w->map = map;
    w->origin = origin;
    w->layout = level ? TRJ_GRID_BYTE_PLANES : TRJ_GRID_VALUES;
    w->max = trj_map_slab_planes(map);
    w->slab = trj_alloc(w->max, trj_map_plane_size(map), "a slab", err);
    if (!w->slab || trj_block_writer_open(&w->blocks, out, &trj_grid_kind, level, err) ||
        (level && threads > 1 && trj_block_writer_threads(w->blocks, threads, err)) || write_head(w, err)) {
        trj_grid_writer_close(w);
        return -1;
    }
    *result = w;
    return 0;
}

void trj_grid_writer_close(struct trj_grid_writer *w) {
    if (!w) return;
    trj_block_writer_close(w->blocks);
    free(w->slab);
    free(w);
}

static int write_sources(struct trj_grid_writer *w, const struct trj_grid_record *r, struct trj_error *err) {
    size_t needed = 0; // up to the last one that is used
    for (size_t i = 0; i < r->run_count; i++)
        if (r->runs[i].source >= needed) needed = (size_t)r->runs[i].source + 1;
    for (; w->sources_written < needed; w->sources_written++) {
        const struct trj_source *s = &w->origin->sources[w->sources_written];
        if (trj_block_write_source(w->blocks, s->name, s->fingerprint, err)) return -1;
    }
    return 0;
}

static int check_complete(const struct trj_grid_writer *w, struct trj_error *err) {
    if (!w->in_record) return 0;
    return trj_fail(err, TRJ_FAILED, "record %llu has %llu of %llu planes", (unsigned long long)w->records - 1,
                    (unsigned long long)(w->planes + w->filled), (unsigned long long)w->map->lattice.n[2]);
}

static int write_atoms(struct trj_grid_writer *w, const struct trj_map_atoms *a, struct trj_error *err) {
    struct trj_bytes b = {0};
    if (!a->count && !a->orbitals) return 0;
    trj_map_atoms_put(&b, a);
    int rc = trj_block_write_limited(w->blocks, "ATOM", false, &b, TRJ_GRID_RECORD_MAX, err);
    trj_bytes_free(&b);
    return rc;
}

int trj_grid_write_record(struct trj_grid_writer *w, const struct trj_grid_record *r, struct trj_error *err) {
    struct trj_bytes b = {0};
    if (check_complete(w, err) || write_sources(w, r, err) || write_atoms(w, &r->atoms, err)) return -1;
    trj_put_u64(&b, r->frames);
    trj_put_u32(&b, r->sum);
    trj_put_u64s(&b, r->weight.limb, TRJ_EXACT_LIMBS);
    trj_frame_runs_put(&b, r->runs, r->run_count);
    int rc = trj_block_write_limited(w->blocks, "RECO", true, &b, TRJ_GRID_RECORD_MAX, err);
    trj_bytes_free(&b);
    w->records++;
    w->frames += r->frames;
    w->planes = 0;
    w->in_record = true;
    return rc;
}

// Writes the next slab, of w->filled planes. Values that are stored as they are in memory are not copied.
static int write_slab(struct trj_grid_writer *w, const void *values, struct trj_error *err) {
    struct trj_bytes b = {0};
    uint64_t n = w->filled * trj_map_plane_values(w->map), max = trj_grid_max_slab(w->map);
    bool copies = w->layout != TRJ_GRID_VALUES || !trj_host_is_little_endian();
    struct trj_block_arrays arrays = {.count = 1};
    arrays.part[0] = (struct trj_output_part){.data = values, .size = n * trj_map_value_size(w->map->kind)};
    trj_put_u64(&b, w->planes);
    trj_put_u64(&b, w->filled);
    trj_put_u32(&b, w->layout);
    int rc;
    if (copies) {
        trj_grid_put_values(&b, w->map, w->layout, values, n);
        rc = trj_block_write_limited(w->blocks, "SLAB", true, &b, max, err);
    } else {
        rc = trj_block_check_size("SLAB", b.size + arrays.part[0].size, max, err);
        if (!rc) rc = trj_block_write_floats(w->blocks, "SLAB", true, &b, &arrays, err);
    }
    trj_bytes_free(&b);
    w->planes += w->filled;
    w->filled = 0;
    w->slabs++;
    w->in_record = w->planes < w->map->lattice.n[2];
    return rc;
}

int trj_grid_write_planes(struct trj_grid_writer *w, const void *values, uint64_t planes, struct trj_error *err) {
    const unsigned char *from = values;
    size_t size = trj_map_plane_size(w->map);
    if (planes > (w->in_record ? w->map->lattice.n[2] - w->planes - w->filled : 0))
        return trj_fail(err, TRJ_FAILED, "more planes than the record has");
    for (uint64_t some; planes; planes -= some, from += some * size) {
        some = w->max - w->filled < planes ? w->max - w->filled : planes;
        bool ends = w->filled + some == w->max || w->planes + w->filled + some == w->map->lattice.n[2];
        bool whole = ends && !w->filled;
        if (!whole) memcpy(w->slab + w->filled * size, from, some * size);
        w->filled += some;
        if (ends && write_slab(w, whole ? from : w->slab, err)) return -1;
    }
    return 0;
}

int trj_grid_writer_finish(struct trj_grid_writer *w, struct trj_error *err) {
    struct trj_bytes b = {0};
    if (check_complete(w, err)) return -1;
    trj_put_u64(&b, w->records);
    trj_put_u64(&b, w->frames);
    trj_put_u64(&b, w->slabs);
    int rc = trj_block_write(w->blocks, "END!", true, &b, err) || trj_block_writer_flush(w->blocks, err) ? -1 : 0;
    trj_bytes_free(&b);
    return rc;
}
