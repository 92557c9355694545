// SPDX-License-Identifier: MIT
// Reads concatenated grid streams as one series of records, so that maps can be joined by `cat`.
#include "grid_stream.h"

#include <stdlib.h>
#include <string.h>

#include "common_blocks.h"
#include "failure.h"
#include "grid_stream_parts.h"
#include "memory.h"
#include "text_index.h"

struct trj_grid_reader {
    struct trj_input *in;
    struct trj_block_reader *blocks;
    struct trj_map map;
    struct trj_stream_header origin;
    struct trj_texts lines; // of the provenance so far
    struct trj_text_index line_index;
    // Of the current stream:
    uint32_t *source; // [source_count] index in origin.sources
    size_t source_count, source_capacity;
    uint64_t records, frames, slabs;
    uint64_t provenance; // bytes of its PROV blocks
    bool ended;
    // Of all streams:
    uint64_t all_records;
    struct trj_frame_run *runs; // of all records
    size_t run_count, run_capacity;
    // Of the current record:
    struct trj_grid_record record;
    struct trj_map_atoms atoms; // of the next record
    bool has_atoms;             // they have been read
    bool in_record;             // planes of the record have not been read yet
    uint64_t planes;            // in the slabs so far
    unsigned char *slab;        // values of the last slab
    size_t slab_capacity;
    uint64_t slab_planes, taken; // planes of the slab; how many of them the caller has
};

const struct trj_map *trj_grid_reader_map(const struct trj_grid_reader *r) {
    return &r->map;
}

const struct trj_stream_header *trj_grid_reader_origin(const struct trj_grid_reader *r) {
    return &r->origin;
}

static int read_provenance(struct trj_grid_reader *r, struct trj_cursor *c, struct trj_error *err) {
    uint32_t n = trj_get_u32(c), id;
    r->provenance += c->size;
    r->line_index.texts = &r->lines;
    for (uint32_t i = 0; i < n; i++) {
        char *line;
        size_t before = r->lines.count;
        if (trj_get_text(c, &line, err)) return -1;
        int rc = trj_text_index_add(&r->line_index, line, &id, err);
        if (!rc && r->lines.count > before) rc = trj_stream_header_add_provenance(&r->origin, line, err);
        free(line);
        if (rc) return -1;
    }
    return 0;
}

static int read_source(struct trj_grid_reader *r, struct trj_cursor *c, struct trj_error *err) {
    char *name;
    if (trj_get_text(c, &name, err)) return -1;
    uint64_t fingerprint = trj_get_u64(c);
    size_t k = 0;
    while (k < r->origin.source_count && r->origin.sources[k].fingerprint != fingerprint) k++;
    int rc = trj_grow(&r->source, &r->source_capacity, r->source_count + 1, sizeof *r->source, "sources", err);
    if (!rc && k == r->origin.source_count) rc = trj_stream_header_add_source(&r->origin, name, fingerprint, err);
    if (!rc) r->source[r->source_count++] = (uint32_t)k;
    free(name);
    return rc;
}

static int read_atoms(struct trj_grid_reader *r, struct trj_cursor *c, struct trj_error *err) {
    if (r->has_atoms) return trj_fail(err, TRJ_BAD_DATA, "a second list of atoms for one record");
    r->has_atoms = true;
    return trj_map_atoms_get(&r->atoms, c, r->map.components, err);
}

static int read_record(struct trj_grid_reader *r, struct trj_cursor *c, struct trj_error *err) {
    struct trj_grid_record *rec = &r->record;
    trj_grid_record_free(rec);
    rec->atoms = r->atoms;
    r->atoms = (struct trj_map_atoms){.count = 0};
    r->has_atoms = false;
    rec->frames = trj_get_u64(c);
    uint32_t sum = trj_get_u32(c);
    trj_get_u64s(c, rec->weight.limb, TRJ_EXACT_LIMBS);
    rec->sum = sum == 1;
    if (sum > 1 || (rec->sum && (!rec->frames || !(trj_exact_value(&rec->weight) > 0))))
        return trj_fail(err, TRJ_BAD_DATA, "invalid number of frames or weight");
    if (trj_frame_runs_get(c, &rec->runs, &rec->run_count, r->source, r->source_count, rec->frames, err) ||
        trj_grow(&r->runs, &r->run_capacity, r->run_count + rec->run_count, sizeof *r->runs, "frame ranges", err))
        return -1;
    if (rec->run_count) memcpy(r->runs + r->run_count, rec->runs, rec->run_count * sizeof *r->runs);
    r->run_count += rec->run_count;
    r->records++;
    r->all_records++;
    r->frames += rec->frames;
    r->planes = r->slab_planes = r->taken = 0;
    r->in_record = true;
    return 0;
}

static int read_slab(struct trj_grid_reader *r, struct trj_cursor *c, struct trj_error *err) {
    uint64_t first = trj_get_u64(c), planes = trj_get_u64(c), left = r->map.lattice.n[2] - r->planes;
    uint32_t layout = trj_get_u32(c);
    if (first != r->planes || !planes || planes > left)
        return trj_fail(err, TRJ_BAD_DATA,
                        "invalid planes: expected at most %llu from %llu on, found %llu from %llu on",
                        (unsigned long long)left, (unsigned long long)r->planes, (unsigned long long)planes,
                        (unsigned long long)first);
    if (layout > TRJ_GRID_BYTE_PLANES)
        return trj_fail(err, TRJ_BAD_DATA, "unknown layout %u; use a newer trjpipe", layout);
    size_t size = trj_map_plane_size(&r->map);
    if (planes > trj_cursor_left(c) / size) return trj_fail(err, TRJ_BAD_DATA, "too short");
    if (trj_grow(&r->slab, &r->slab_capacity, planes * size, 1, "a slab", err)) return -1;
    trj_grid_get_values(c, &r->map, (enum trj_grid_layout)layout, r->slab, planes * trj_map_plane_values(&r->map));
    r->slab_planes = planes;
    r->taken = 0;
    r->planes += planes;
    r->slabs++;
    r->in_record = r->planes < r->map.lattice.n[2];
    return 0;
}

static int read_end(struct trj_grid_reader *r, struct trj_cursor *c, struct trj_error *err) {
    uint64_t records = trj_get_u64(c), frames = trj_get_u64(c), slabs = trj_get_u64(c);
    r->ended = true;
    if (r->has_atoms) return trj_fail(err, TRJ_BAD_DATA, "comes after atoms that belong to no record");
    if (records != r->records || frames != r->frames || slabs != r->slabs)
        return trj_fail(err, TRJ_BAD_DATA, "totals of the END block do not match the records");
    return 0;
}

static uint64_t max_fixed(const struct trj_grid_reader *r) {
    (void)r;
    return TRJ_SMALL_BLOCK_MAX;
}

static uint64_t max_source(const struct trj_grid_reader *r) {
    (void)r;
    return TRJ_SOURCE_MAX;
}

static uint64_t max_provenance(const struct trj_grid_reader *r) {
    return TRJ_PROVENANCE_MAX - r->provenance;
}

static uint64_t max_record(const struct trj_grid_reader *r) {
    (void)r;
    return TRJ_GRID_RECORD_MAX;
}

static uint64_t max_slab(const struct trj_grid_reader *r) {
    return trj_grid_max_slab(&r->map);
}

// Blocks after HEAD.
static const struct block {
    char type[5];
    bool in_record; // the block must be in a record; otherwise it must not be in one
    uint64_t (*max_payload)(const struct trj_grid_reader *r); // largest decompressed payload
    int (*read)(struct trj_grid_reader *r, struct trj_cursor *c, struct trj_error *err);
} known_blocks[] = {
    {"PROV", false, max_provenance, read_provenance},
    {"SRCE", false, max_source, read_source},
    {"ATOM", false, max_record, read_atoms},
    {"RECO", false, max_record, read_record},
    {"SLAB", true, max_slab, read_slab},
    {"END!", false, max_fixed, read_end},
};

// Reads the header of the next block, which must exist. A FAIL block is an error.
static int next_block(struct trj_grid_reader *r, struct trj_block *b, struct trj_error *err) {
    int rc = trj_block_next(r->blocks, b, err);
    if (rc < 0) return -1;
    if (!rc)
        return trj_fail(err, TRJ_BAD_DATA, "byte %llu: truncated: END block missing after %llu records",
                        (unsigned long long)trj_input_offset(r->in), (unsigned long long)r->records);
    if (strcmp(b->type, "FAIL") != 0) return 0;
    return trj_block_load(r->blocks, b, TRJ_SMALL_BLOCK_MAX, err) ? -1 : trj_failure_read(b, r->in, err);
}

static int fail_block(const struct trj_block *b, struct trj_error *err) {
    return trj_fail_at(err, "block %s at byte %llu", b->type, (unsigned long long)b->offset);
}

// Reads a block after HEAD, and sets *known; NULL: unknown type, skipped.
static int read_block(struct trj_grid_reader *r, const struct block **known, struct trj_error *err) {
    struct trj_block b;
    *known = NULL;
    if (next_block(r, &b, err)) return -1;
    for (size_t i = 0; !*known && i < sizeof known_blocks / sizeof *known_blocks; i++)
        if (!strcmp(b.type, known_blocks[i].type)) *known = &known_blocks[i];
    if (!*known && (b.required || !strcmp(b.type, "HEAD"))) {
        trj_error_set(err, TRJ_BAD_DATA, "%s",
                      !strcmp(b.type, "HEAD") ? "second header"
                                              : "is required, but unknown to this version; use a newer trjpipe");
        return fail_block(&b, err);
    }
    if (!*known) return trj_block_skip(r->blocks, &b, err);
    if ((*known)->in_record != r->in_record) {
        trj_error_set(err, TRJ_BAD_DATA,
                      r->in_record ? "comes before the last plane of a record" : "is not in a record");
        return fail_block(&b, err);
    }
    if (trj_block_load(r->blocks, &b, (*known)->max_payload(r), err)) return -1;
    if ((*known)->read(r, &b.payload, err)) return fail_block(&b, err);
    if (!b.payload.failed) return 0;
    trj_error_set(err, TRJ_BAD_DATA, "too short");
    return fail_block(&b, err);
}

static int read_head(struct trj_grid_reader *r, struct trj_map *map, struct trj_error *err) {
    struct trj_block b;
    if (next_block(r, &b, err)) return -1;
    if (strcmp(b.type, "HEAD") != 0) {
        trj_error_set(err, TRJ_BAD_DATA, "expected HEAD as the first block");
        return fail_block(&b, err);
    }
    if (trj_block_load(r->blocks, &b, TRJ_SMALL_BLOCK_MAX, err)) return -1;
    if (trj_grid_get_head(map, &b.payload, err)) return fail_block(&b, err);
    if (!r->map.quantity || !trj_map_check_same(&r->map, map, err)) return 0;
    fail_block(&b, err);
    trj_fail_remedy(err, "create all maps with the same options; if the first cells of their frames differ, give the "
                         "first map to the other runs by --like, in place of --grid");
    return trj_fail_at(err, "cannot be added to the previous records");
}

// Opens the next stream, whose map must be that of the first one.
static int start_stream(struct trj_grid_reader *r, struct trj_error *err) {
    struct trj_map map = {.quantity = NULL};
    trj_block_reader_close(r->blocks);
    r->blocks = NULL;
    r->source_count = 0;
    r->records = r->frames = r->slabs = r->provenance = 0;
    r->ended = false;
    int rc = trj_block_reader_open(&r->blocks, r->in, &trj_grid_kind, err) || read_head(r, &map, err) ? -1 : 0;
    if (!rc && !r->map.quantity) {
        r->map = map;
        return 0;
    }
    if (!rc) r->map.error_bound = trj_map_common_bound(r->map.error_bound, map.error_bound);
    trj_map_free(&map);
    return rc;
}

static int fail_stream(struct trj_error *err) {
    return trj_fail_remedy(err, "create the stream again");
}

int trj_grid_reader_open(struct trj_grid_reader **result, struct trj_input *in, struct trj_error *err) {
    struct trj_grid_reader *r = trj_alloc(1, sizeof *r, "a stream", err);
    if (!r) return -1;
    r->in = in;
    if (start_stream(r, err)) {
        trj_grid_reader_close(r);
        return fail_stream(err);
    }
    *result = r;
    return 0;
}

void trj_grid_reader_close(struct trj_grid_reader *r) {
    if (!r) return;
    trj_block_reader_close(r->blocks);
    trj_map_free(&r->map);
    trj_stream_header_free(&r->origin);
    trj_text_index_free(&r->line_index);
    trj_texts_clear(&r->lines);
    trj_grid_record_free(&r->record);
    trj_map_atoms_free(&r->atoms);
    free(r->source);
    free(r->runs);
    free(r->slab);
    free(r);
}

// After the END block of a stream: continues with the next one. Returns 1, 0 if there is none, or -1.
static int continue_input(struct trj_grid_reader *r, struct trj_error *err) {
    const unsigned char *head;
    size_t got;
    if (trj_input_peek(r->in, &head, 1, &got, err)) return -1;
    if (got) return start_stream(r, err) ? -1 : 1;
    if (!r->all_records) return trj_fail(err, TRJ_BAD_DATA, "contains no record");
    return trj_grid_check_once(r->runs, r->run_count, r->origin.sources, err);
}

static int find_record(struct trj_grid_reader *r, struct trj_error *err) {
    const struct block *known = NULL;
    if (r->ended) return 0;
    do {
        if (read_block(r, &known, err)) return -1;
        int more = r->ended ? continue_input(r, err) : 1;
        if (more < 1) return more;
    } while (!known || known->read != read_record);
    return 1;
}

int trj_grid_reader_next(struct trj_grid_reader *r, const struct trj_grid_record **record, struct trj_error *err) {
    const struct block *known;
    while (r->in_record)
        if (read_block(r, &known, err)) return fail_stream(err);
    int rc = find_record(r, err);
    *record = &r->record;
    return rc < 0 ? fail_stream(err) : rc;
}

int trj_grid_reader_continue(struct trj_grid_reader *r, struct trj_input *in, struct trj_error *err) {
    r->in = in;
    return start_stream(r, err) ? fail_stream(err) : 0;
}

int trj_grid_reader_planes(struct trj_grid_reader *r, void *values, uint64_t planes, struct trj_error *err) {
    unsigned char *to = values;
    size_t size = trj_map_plane_size(&r->map);
    const struct block *known;
    for (uint64_t some; planes; planes -= some, to += some * size) {
        while (r->taken == r->slab_planes && r->in_record)
            if (read_block(r, &known, err)) return fail_stream(err);
        some = r->slab_planes - r->taken < planes ? r->slab_planes - r->taken : planes;
        if (!some) return trj_fail(err, TRJ_FAILED, "more planes were requested than the record has");
        memcpy(to, r->slab + r->taken * size, some * size);
        r->taken += some;
    }
    return 0;
}
