// SPDX-License-Identifier: MIT
// Reads GSD of HOOMD-blue: chunks of data, listed in an index of (frame, name, position). A frame that lacks a chunk
// uses that of frame 0. (gsd.readthedocs.io: "File layer", versions 1 and 2, little-endian; "HOOMD Schema", versions
// 1.x)
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "byte_order.h"
#include "memory.h"
#include "xdr_frames.h" // trj_xdr_read

enum {
    HEADER = 256,
    ENTRY = 32,
    SEGMENT = 64
}; // bytes of the header, of an index entry, of a segment of the list of names
enum { UINT8 = 1, UINT32 = 3, UINT64 = 4, INT8 = 5, INT32 = 7, FLOAT = 9 }; // types of numbers
enum { NAMES = 1 << 16 };                                                   // ids have 16 bits
static const uint64_t MAGIC = 0x65df65df65df65df;

// TYPES and TYPE_IDS are read from open systems only, VELOCITIES and IMAGES if they are requested.
enum { STEP, DIMENSIONS, BOX, ATOMS, POSITIONS, TYPES, TYPE_IDS, VELOCITIES, IMAGES, CHUNKS };
static const struct {
    const char *name;
    unsigned type, bytes;   // of a number
    unsigned rows, columns; // rows 0: number of atoms, or of types; columns 0: any
} chunks[CHUNKS] = {
    [STEP] = {"configuration/step", UINT64, 8, 1, 1},     [DIMENSIONS] = {"configuration/dimensions", UINT8, 1, 1, 1},
    [BOX] = {"configuration/box", FLOAT, 4, 6, 1},        [ATOMS] = {"particles/N", UINT32, 4, 1, 1},
    [POSITIONS] = {"particles/position", FLOAT, 4, 0, 3}, [TYPES] = {"particles/types", INT8, 1, 0, 0},
    [TYPE_IDS] = {"particles/typeid", UINT32, 4, 0, 1},   [VELOCITIES] = {"particles/velocity", FLOAT, 4, 0, 3},
    [IMAGES] = {"particles/image", INT32, 4, 0, 3}};

struct place {
    uint64_t frame, rows, offset;
    uint32_t columns;
    int chunk;
};

struct gsd {
    bool swap;
    uint64_t size; // of the file
    uint64_t frames;
    struct place *places; // [count] of the chunks above, in order of frames
    size_t count, capacity;
    struct trj_input_bytes block, names;
};

static bool gsd_is(const unsigned char *head, size_t n) {
    return n >= 8 && trj_load_u64(head, !trj_host_is_little_endian()) == MAGIC;
}

// ---- header, names, index

// Checks that `count` units of `each` bytes, at an `offset` that the header or the index gives, are within the
// file.
static int check_block(const struct gsd *g, uint64_t offset, uint64_t count, unsigned each, const char *what,
                       struct trj_error *err) {
    uint64_t bytes = count > UINT64_MAX / each ? UINT64_MAX : count * each;
    if (offset <= g->size && bytes <= g->size - offset) return 0;
    return trj_fail_truncated(err, g->size, what, bytes, g->size > offset ? g->size - offset : 0);
}

// Returns the chunk with this name; CHUNKS: none of those that are read.
static int find_chunk(const char *name) {
    int k = 0;
    while (k < CHUNKS && strcmp(name, chunks[k].name)) k++;
    return k;
}

static bool is_wanted(const struct trj_reader *r, int chunk) {
    if (chunk == VELOCITIES) return r->internals->motion & TRJ_HAS_VELOCITY;
    if (chunk == IMAGES) return r->internals->motion & TRJ_HAS_IMAGE;
    return chunk < TYPES || (chunk < CHUNKS && r->internals->open_system);
}

// Sets id[k] to the number of chunk k's name; UINT32_MAX if it is missing. In version 1, each name has a segment of 64
// bytes; in version 2 (`packed`), names follow each other. An empty name ends the list.
static int read_names(struct trj_reader *r, uint64_t offset, uint64_t segments, bool packed, uint32_t id[CHUNKS],
                      struct trj_error *err) {
    static const char what[] = "the list of names";
    struct gsd *g = r->internals->state;
    for (int k = 0; k < CHUNKS; k++) id[k] = UINT32_MAX;
    if (segments > NAMES)
        return trj_fail(err, TRJ_BAD_DATA, "the header gives %llu names, but an index has at most %d",
                        (unsigned long long)segments, NAMES);
    if (check_block(g, offset, segments, SEGMENT, what, err) || trj_input_seek(r->in, offset, err) ||
        trj_xdr_read(r, &g->block, segments * SEGMENT, 1, what, err))
        return -1;
    const char *text = (const char *)g->block.data, *end = text + segments * SEGMENT;
    for (uint32_t number = 0; text < end && *text; number++) {
        size_t length = strnlen(text, packed ? (size_t)(end - text) : SEGMENT);
        int k = text[length] ? CHUNKS : find_chunk(text);
        r->holds |= k == VELOCITIES ? (unsigned)TRJ_HAS_VELOCITY : k == IMAGES ? (unsigned)TRJ_HAS_IMAGE : 0u;
        if (is_wanted(r, k) && id[k] == UINT32_MAX) id[k] = number;
        text += packed ? length + 1 : SEGMENT;
    }
    return 0;
}

static int add_place(struct gsd *g, const struct place *p, unsigned type, struct trj_error *err) {
    const char *name = chunks[p->chunk].name;
    if (type != chunks[p->chunk].type || !p->columns ||
        (chunks[p->chunk].columns && p->columns != chunks[p->chunk].columns) ||
        (chunks[p->chunk].rows && p->rows != chunks[p->chunk].rows))
        return trj_fail(err, TRJ_BAD_DATA, "%s has %llu x %u numbers of type %u, which the schema does not define",
                        name, (unsigned long long)p->rows, p->columns, type);
    for (size_t i = g->count; i-- && g->places[i].frame == p->frame;)
        if (g->places[i].chunk == p->chunk) return trj_fail(err, TRJ_BAD_DATA, "%s occurs twice", name);
    if (trj_grow(&g->places, &g->capacity, g->count + 1, sizeof *g->places, "an index of frames", err)) return -1;
    g->places[g->count++] = *p;
    return 0;
}

// Entries are in order of frames; an entry without a position ends the index.
static int read_index(struct trj_reader *r, uint64_t offset, uint64_t lines, const uint32_t id[CHUNKS],
                      struct trj_error *err) {
    static const char what[] = "the index";
    struct gsd *g = r->internals->state;
    if (check_block(g, offset, lines, ENTRY, what, err) || trj_input_seek(r->in, offset, err)) return -1;
    for (uint64_t i = 0; i < lines; i++) {
        unsigned char raw[ENTRY];
        struct place p = {.chunk = 0};
        if (trj_input_read(r->in, raw, sizeof raw, what, err)) return -1;
        p.frame = trj_load_u64(raw, g->swap);
        p.rows = trj_load_u64(raw + 8, g->swap);
        p.offset = trj_load_u64(raw + 16, g->swap);
        p.columns = trj_load_u32(raw + 24, g->swap);
        if (!p.offset) break;
        if (p.frame >= lines || p.frame + 1 < g->frames)
            return trj_fail(err, TRJ_BAD_DATA, "the index entry at byte %llu is of frame %llu, but follows frame %llu",
                            (unsigned long long)(offset + i * ENTRY), (unsigned long long)p.frame,
                            (unsigned long long)(g->frames ? g->frames - 1 : 0));
        g->frames = p.frame + 1;
        uint32_t name = trj_load_u32(raw + 28, g->swap) & 0xffff, type = raw[30];
        while (p.chunk < CHUNKS && id[p.chunk] != name) p.chunk++;
        if (p.chunk < CHUNKS && add_place(g, &p, type, err))
            return trj_fail_at(err, "frame %llu", (unsigned long long)p.frame);
    }
    return 0;
}

// ---- chunks

// Returns the chunk of a frame, or else that of frame 0; NULL: both lack it.
static const struct place *find_place(const struct gsd *g, uint64_t frame, int chunk) {
    size_t low = 0, high = g->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (g->places[middle].frame < frame)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < g->count && g->places[low].frame == frame; low++)
        if (g->places[low].chunk == chunk) return &g->places[low];
    return frame ? find_place(g, 0, chunk) : NULL;
}

static uint64_t bytes_of(const struct place *p) {
    return p->rows * p->columns * chunks[p->chunk].bytes;
}

static int check_place(const struct gsd *g, const struct place *p, struct trj_error *err) {
    return check_block(g, p->offset, p->rows, p->columns * chunks[p->chunk].bytes, chunks[p->chunk].name, err);
}

// Reads a chunk into g->block. Returns 1, 0 if it is missing, -1.
static int read_chunk(struct trj_reader *r, uint64_t frame, int chunk, struct trj_error *err) {
    struct gsd *g = r->internals->state;
    const struct place *p = find_place(g, frame, chunk);
    if (!p) return 0;
    if (check_place(g, p, err)) return -1;
    uint64_t here = trj_input_offset(r->in);
    int rc = p->offset < here ? trj_input_seek(r->in, p->offset, err) // skipping uses bytes that are buffered
                              : trj_input_skip(r->in, p->offset - here, chunks[chunk].name, err);
    return rc || trj_xdr_read(r, &g->block, bytes_of(p), 0, chunks[chunk].name, err) ? -1 : 1;
}

static int read_count(struct trj_reader *r, uint64_t frame, uint32_t *atoms, struct trj_error *err) {
    const struct gsd *g = r->internals->state;
    int got = read_chunk(r, frame, ATOMS, err);
    if (got < 0) return -1;
    *atoms = got ? trj_load_u32(g->block.data, g->swap) : 0;
    if (r->internals->open_system) return trj_reader_check_open(r, *atoms, err);
    return *atoms ? 0
                  : trj_fail(err, TRJ_BAD_DATA,
                             "no particles; if their number changes in the simulation, read the file with trjcat "
                             "--open auto");
}

// Reads Lx Ly Lz xy xz yz. The box is centred on the origin, which makes no difference to a periodic cell. Systems in
// two dimensions are not periodic along z.
static int read_cell(struct trj_reader *r, struct trj_cell *cell, struct trj_error *err) {
    const struct gsd *g = r->internals->state;
    double v[6] = {1, 1, 1};
    bool all_zero = true;
    int got = read_chunk(r, r->next, BOX, err), dimensions = 3;
    *cell = (struct trj_cell){0};
    if (got < 0) return -1;
    if (!got) r->note = "the box is missing: the default of the schema is used, a cube of length 1";
    for (size_t k = 0; k < 6; k++) {
        if (got) v[k] = trj_load_f32(g->block.data + 4 * k, g->swap);
        if (!isfinite(v[k]) && trj_reader_ignores_cell(r, cell)) return 0;
        if (!isfinite(v[k]))
            return trj_fail(err, TRJ_BAD_DATA, "%s of the box is %g",
                            (const char *[]){"Lx", "Ly", "Lz", "xy", "xz", "yz"}[k], v[k]);
        all_zero = all_zero && v[k] == 0;
    }
    if ((got = read_chunk(r, r->next, DIMENSIONS, err)) < 0) return -1;
    if (got) dimensions = g->block.data[0];
    if (dimensions != 2 && dimensions != 3) return trj_fail(err, TRJ_BAD_DATA, "%d dimensions, not 2 or 3", dimensions);
    if (all_zero) return 0;
    const double h[3][3] = {{v[0], 0, 0}, {v[3] * v[1], v[1], 0}, {v[4] * v[2], v[5] * v[2], v[2]}};
    memcpy(cell->h, h, sizeof h);
    cell->periodic = dimensions == 3 ? TRJ_PERIODIC_ALL : TRJ_PERIODIC_A | TRJ_PERIODIC_B;
    return 0;
}

// ---- the format

static int gsd_open(struct trj_reader *r, struct trj_error *err) {
    unsigned char head[HEADER];
    uint32_t id[CHUNKS], atoms;
    struct gsd *g = r->internals->state = trj_alloc(1, sizeof *g, "a GSD reader", err);
    if (!g) return -1;
    trj_input_size(r->in, &g->size);
    g->swap = !trj_host_is_little_endian();
    if (trj_input_read(r->in, head, sizeof head, "the header", err)) return -1;
    uint32_t schema = trj_load_u32(head + 40, g->swap), version = trj_load_u32(head + 44, g->swap);
    if (version >> 16 != 1 && version >> 16 != 2)
        return trj_fail(err, TRJ_BAD_DATA, "GSD of version %u.%u is not supported; convert it with the gsd package",
                        version >> 16, version & 0xffff);
    if (strncmp((const char *)head + 112, "hoomd", SEGMENT) || schema >> 16 != 1)
        return trj_fail(err, TRJ_BAD_DATA, "GSD of schema '%.20s' %u.%u is not supported; use one of schema hoomd 1",
                        (const char *)head + 112, schema >> 16, schema & 0xffff);
    if (read_names(r, trj_load_u64(head + 24, g->swap), trj_load_u64(head + 32, g->swap), version >> 16 > 1, id, err) ||
        read_index(r, trj_load_u64(head + 8, g->swap), trj_load_u64(head + 16, g->swap), id, err))
        return -1;
    if (!g->frames) return trj_fail(err, TRJ_BAD_DATA, "contains no frames");
    if (read_count(r, 0, &atoms, err)) return trj_fail_at(err, "frame 0");
    r->atoms = r->internals->open_system ? r->internals->expected : atoms;
    r->can_seek = true;
    r->note = "GSD has no unit of length: its numbers are assumed to be in Angstrom";
    snprintf(r->motion_source[TRJ_MOTION_VELOCITY].origin, sizeof r->motion_source[TRJ_MOTION_VELOCITY].origin,
             "GSD, particles/velocity, in reduced units");
    snprintf(r->motion_source[TRJ_MOTION_IMAGE].origin, sizeof r->motion_source[TRJ_MOTION_IMAGE].origin,
             "GSD, particles/image");
    snprintf(r->dialect, sizeof r->dialect, "version %u.%u, schema hoomd %u.%u", version >> 16, version & 0xffff,
             schema >> 16, schema & 0xffff);
    return 0;
}

// Reads velocities or image flags into g->block. Returns 1, 0 if the frame has none of its own, -1. The schema takes
// those of frame 0 then, but a program that writes them once only leaves them at that value while the atoms move.
static int read_own(struct trj_reader *r, int chunk, uint32_t atoms, struct trj_error *err) {
    const struct gsd *g = r->internals->state;
    const struct place *p = find_place(g, r->next, chunk);
    if (!is_wanted(r, chunk) || !p || p->frame != r->next) return 0;
    if (p->rows != atoms)
        return trj_fail(err, TRJ_BAD_DATA, "%s of %llu atoms, but there are %u", chunks[chunk].name,
                        (unsigned long long)p->rows, atoms);
    return read_chunk(r, r->next, chunk, err);
}

static int read_motion(struct trj_reader *r, struct trj_frame *f, struct trj_error *err) {
    const struct gsd *g = r->internals->state;
    unsigned has = 0;
    if (trj_motion_resize(&f->motion, r->internals->motion, f->atoms, err)) return -1;
    f->motion->unit = 1;
    for (int chunk = VELOCITIES; chunk <= IMAGES; chunk++) {
        int got = read_own(r, chunk, (uint32_t)f->atoms, err);
        if (got < 0) return -1;
        if (!got) continue;
        has |= chunk == IMAGES ? TRJ_HAS_IMAGE : TRJ_HAS_VELOCITY;
        for (size_t i = 0; i < f->atoms; i++)
            for (size_t k = 0; k < 3; k++) {
                const unsigned char *from = g->block.data + 4 * (3 * i + k);
                if (chunk == IMAGES)
                    f->motion->image[k][i] = (int32_t)trj_load_u32(from, g->swap);
                else
                    f->motion->velocity[k][i] = trj_load_f32(from, g->swap);
            }
    }
    f->motion->has = has;
    return 0;
}

static int gsd_read(struct trj_reader *r, struct trj_frame *f, struct trj_error *err) {
    const struct gsd *g = r->internals->state;
    uint32_t atoms;
    if (r->next >= g->frames) return 0;
    int got = read_chunk(r, r->next, STEP, err);
    if (got < 0) return -1;
    uint64_t step = got ? trj_load_u64(g->block.data, g->swap) : 0;
    if (step > INT64_MAX) return trj_fail(err, TRJ_BAD_DATA, "step %llu", (unsigned long long)step);
    if (read_cell(r, &f->cell, err) || read_count(r, r->next, &atoms, err)) return -1;
    if (atoms != r->atoms && !r->internals->open_system)
        return trj_fail(err, TRJ_BAD_DATA,
                        "%u atoms, but frame 0 has %zu; if the number of atoms changes in the simulation, read the "
                        "file with trjcat --open auto",
                        atoms, r->atoms);
    const struct place *p = find_place(g, r->next, POSITIONS);
    if (!p && atoms) return trj_fail(err, TRJ_BAD_DATA, "no positions, neither here nor in frame 0");
    if (atoms && p->rows != atoms)
        return trj_fail(err, TRJ_BAD_DATA, "positions of %llu atoms, but there are %u", (unsigned long long)p->rows,
                        atoms);
    if ((atoms && read_chunk(r, r->next, POSITIONS, err) < 0) || trj_frame_resize(f, atoms, err)) return -1;
    for (size_t i = 0; i < atoms; i++)
        for (size_t k = 0; k < 3; k++) f->x[k][i] = trj_load_f32(g->block.data + 4 * (3 * i + k), g->swap);
    if (r->internals->motion && read_motion(r, f, err)) return -1;
    f->index = r->next;
    f->step = (int64_t)step;
    f->time = NAN;
    f->unit = 1;
    return 1;
}

static int check_places(const struct gsd *g, uint64_t frame, struct trj_error *err) {
    for (int k = 0; k < CHUNKS; k++) {
        const struct place *p = find_place(g, frame, k);
        if (p && check_place(g, p, err)) return -1;
    }
    return 0;
}

static int gsd_skip(struct trj_reader *r, struct trj_error *err) {
    const struct gsd *g = r->internals->state;
    if (r->next >= g->frames) return 0;
    uint32_t atoms;
    if (r->internals->open_system && read_count(r, r->next, &atoms, err)) return -1;
    return check_places(g, r->next, err) ? -1 : 1;
}

// Lists the names of types, rows of `columns` characters, which end with a zero byte or at the end of the row. If there
// are none, the schema defines one type, A.
static int list_types(struct gsd *g, uint64_t rows, size_t columns, const char ***names, struct trj_error *err) {
    uint64_t bytes = rows * (columns + 1);
    if (!(*names = trj_alloc(rows ? rows : 1, sizeof **names, "types", err)) ||
        trj_grow(&g->names.data, &g->names.capacity, bytes, 1, "types", err))
        return -1;
    **names = "A";
    for (uint64_t i = 0; i < rows; i++) {
        char *name = (char *)g->names.data + i * (columns + 1);
        memcpy(name, g->block.data + i * columns, columns);
        name[columns] = 0;
        (*names)[i] = name;
    }
    return 0;
}

// Types of atoms are those of frame 0, if this frame lacks them and has the same number of atoms; otherwise 0.
static int read_type_ids(struct trj_reader *r, uint64_t frame, uint32_t atoms, uint32_t *type, uint64_t types,
                         struct trj_error *err) {
    const struct gsd *g = r->internals->state;
    const struct place *p = find_place(g, frame, TYPE_IDS);
    if (!p || (p->frame != frame && p->rows != atoms)) return 0;
    if (p->rows != atoms)
        return trj_fail(err, TRJ_BAD_DATA, "types of %llu atoms, but there are %u", (unsigned long long)p->rows, atoms);
    if (read_chunk(r, frame, TYPE_IDS, err) < 0) return -1;
    for (size_t i = 0; i < atoms; i++) {
        type[i] = trj_load_u32(g->block.data + 4 * i, g->swap);
        if (type[i] >= types)
            return trj_fail(err, TRJ_BAD_DATA, "atom %zu: type %u, but there are %llu types", i, type[i],
                            (unsigned long long)types);
    }
    return 0;
}

static int gsd_frame_topology(struct trj_reader *r, struct trj_topology **top, struct trj_error *err) {
    struct gsd *g = r->internals->state;
    uint64_t frame = r->next - 1;
    uint32_t atoms = 0, *type = NULL;
    const char **names = NULL;
    int got = read_count(r, frame, &atoms, err) ? -1 : read_chunk(r, frame, TYPES, err), rc = -1;
    const struct place *p = find_place(g, frame, TYPES);
    uint64_t rows = got > 0 ? p->rows : 0;
    if (got >= 0 && !list_types(g, rows, got ? p->columns : 0, &names, err) &&
        (type = trj_alloc(atoms, sizeof *type, "types", err)) &&
        !read_type_ids(r, frame, atoms, type, rows ? rows : 1, err))
        rc = trj_topology_of_types(top, "GSD", names, type, atoms, err);
    free(names);
    free(type);
    return rc;
}

static int gsd_seek(struct trj_reader *r, uint64_t frame, struct trj_error *err) {
    const struct gsd *g = r->internals->state;
    if (frame >= g->frames) return 0;
    return check_places(g, frame, err) ? trj_fail_at(err, "frame %llu", (unsigned long long)frame) : 1;
}

static void gsd_close(struct trj_reader *r) {
    struct gsd *g = r->internals->state;
    if (!g) return;
    free(g->places);
    free(g->block.data);
    free(g->names.data);
    free(g);
}

static const struct trj_format_ops ops = {
    .seeks = true,
    .is = gsd_is,
    .open = gsd_open,
    .read = gsd_read,
    .skip = gsd_skip,
    .seek = gsd_seek,
    .motion = TRJ_HAS_VELOCITY | TRJ_HAS_IMAGE,
    .frame_topology = gsd_frame_topology,
    .close = gsd_close,
};

const struct trj_format trj_format_gsd = {
    .name = "gsd",
    .help = "GSD of HOOMD-blue, versions 1 and 2",
    .listed_endings = {".gsd"},
    .ops = &ops,
};
