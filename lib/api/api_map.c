// SPDX-License-Identifier: MIT
// Implements the functions of trjpipe.h that read maps.
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "api_parts.h"
#include "input.h"
#include "map_format.h"
#include "memory.h"

struct trjpipe_map {
    struct trj_map_reader *reader;
    char *name; // of the input, for errors
    struct trjpipe_map_header header;
    struct trjpipe_source *sources; // of this header
    size_t source_capacity;         // of `sources`
    size_t notes_taken;             // by the caller
    bool begun, ended, failed;      // a record has been begun; no more can be read
    unsigned char *slab;            // [slab_capacity] values that the caller does not request
    size_t slab_capacity;
};

static struct trjpipe_map_values describe(const struct trj_map *m) {
    return (struct trjpipe_map_values){m->quantity, m->unit, (int)m->meaning, m->error_bound};
}

// Updates what reading a record can change.
static int update_header(struct trjpipe_map *map, struct trj_error *err) {
    const struct trj_map_reader *r = map->reader;
    map->header.stored = describe(&r->map);
    map->header.mean = describe(&r->means);
    const struct trj_stream_header *origin = r->origin;
    if (!origin) return 0;
    if (trj_grow(&map->sources, &map->source_capacity, origin->source_count, sizeof *map->sources, "sources", err))
        return -1;
    for (size_t i = 0; i < origin->source_count; i++)
        map->sources[i] = (struct trjpipe_source){origin->sources[i].name, origin->sources[i].fingerprint};
    map->header.sources = map->sources;
    map->header.source_count = origin->source_count;
    map->header.provenance = (const char *const *)origin->provenance;
    map->header.provenance_count = origin->provenance_count;
    return 0;
}

static int make_header(struct trjpipe_map *map, struct trj_error *err) {
    const struct trj_map *m = &map->reader->map;
    struct trjpipe_map_header *h = &map->header;
    *h = (struct trjpipe_map_header){
        .struct_size = sizeof *h,
        .periodic = m->lattice.periodic,
        .components = m->components,
        .kind = (int)m->kind,
        .quantum = m->quantum,
    };
    memcpy(h->points, m->lattice.n, sizeof h->points);
    memcpy(h->origin, m->lattice.origin, sizeof h->origin);
    memcpy(h->step, m->lattice.step, sizeof h->step);
    return update_header(map, err);
}

static int open_map(struct trjpipe_map *map, const char *path, const struct trjpipe_map_options *options,
                    struct trj_error *err) {
    struct trjpipe_map_options o = {.struct_size = sizeof o};
    struct trj_input *in;
    if (api_take_struct(&o, sizeof o, options, "trjpipe_map_options", err)) return -1;
    if (!path) return trj_fail(err, TRJ_USAGE, "the path is NULL; give a file");
    const struct trj_map_reader_setup setup = {.totals = o.totals};
    if (trj_input_open(&in, path, err)) return -1;
    if (!(map->name = trj_copy_text(trj_input_name(in), err))) {
        trj_input_close(in);
        return -1;
    }
    if (trj_map_reader_open(&map->reader, in, &setup, err)) return trj_fail_at(err, "%s", map->name);
    return make_header(map, err);
}

int trjpipe_map_open(trjpipe_map **result, const char *path, const struct trjpipe_map_options *options,
                     struct trjpipe_error *error) {
    struct trj_error err;
    struct trjpipe_map *map = trj_alloc(1, sizeof *map, "a map", &err);
    *result = NULL;
    if (!map || open_map(map, path, options, &err)) {
        trjpipe_map_close(map);
        return api_fail(error, &err);
    }
    *result = map;
    return 0;
}

void trjpipe_map_close(trjpipe_map *map) {
    if (!map) return;
    trj_map_reader_close(map->reader);
    free(map->name);
    free(map->sources);
    free(map->slab);
    free(map);
}

const struct trjpipe_map_header *trjpipe_map_header(const trjpipe_map *map) {
    return &map->header;
}

const char *trjpipe_map_note(trjpipe_map *map) {
    const struct trj_map_notes *notes = &map->reader->notes;
    return map->notes_taken < notes->count ? notes->text[map->notes_taken++] : NULL;
}

static int fail_after_error(struct trj_error *err) {
    return trj_fail(err, TRJ_USAGE, "an earlier part of the map could not be read; close it");
}

// Returns 1, 0 or -1, and leaves map->failed to the caller.
static int next_record(struct trjpipe_map *map, struct trjpipe_map_record *record, struct trj_error *err) {
    int got = trj_map_reader_next(map->reader, err);
    if (got < 0) return trj_fail_at(err, "%s", map->name);
    if (!got) return 0;
    map->begun = true;
    const struct trj_grid_record *from = &map->reader->record;
    const struct trjpipe_map_record own = {
        .frames = from->frames,
        .sum = from->sum,
        .weight = from->sum ? trj_exact_value(&from->weight) : 0,
    };
    return update_header(map, err) || (record && api_give_struct(record, &own, sizeof own, "trjpipe_map_record", err))
               ? -1
               : 1;
}

int trjpipe_map_next(trjpipe_map *map, struct trjpipe_map_record *record, struct trjpipe_error *error) {
    struct trj_error err;
    if (map->ended) return 0;
    int got = map->failed ? fail_after_error(&err) : next_record(map, record, &err);
    map->ended = !got;
    map->failed = got < 0;
    return got < 0 ? api_fail(error, &err) : got;
}

// Reads planes in slabs, so that memory for values that the caller does not request stays small.
static int read_planes(struct trjpipe_map *map, unsigned char *values, double *means, uint64_t planes,
                       struct trj_error *err) {
    struct trj_map_reader *r = map->reader;
    const uint64_t max = trj_map_slab_planes(&r->map), n = trj_map_plane_values(&r->map);
    const size_t size = trj_map_plane_size(&r->map);
    for (uint64_t some; planes; planes -= some) {
        some = planes < max ? planes : max;
        if (!values && trj_grow(&map->slab, &map->slab_capacity, some * size, 1, "a slab", err)) return -1;
        unsigned char *to = values ? values : map->slab;
        if (trj_map_reader_read(r, to, some, err)) return trj_fail_at(err, "%s", map->name);
        if (means) trj_map_reader_to_real(r, to, some * n, means);
        if (values) values += some * size;
        if (means) means += some * n;
    }
    return 0;
}

int trjpipe_map_read(trjpipe_map *map, void *values, double *means, uint64_t planes, struct trjpipe_error *error) {
    struct trj_error err;
    const struct trj_map_reader *r = map->reader;
    uint64_t left = map->begun && !map->ended ? r->map.lattice.n[2] - r->given : 0;
    if (map->failed)
        fail_after_error(&err);
    else if (planes > left)
        trj_error_set(&err, TRJ_USAGE, "%llu planes requested, but the record has %llu left",
                      (unsigned long long)planes, (unsigned long long)left);
    else if (!read_planes(map, values, means, planes, &err))
        return 0;
    map->failed = true;
    return api_fail(error, &err);
}
