// SPDX-License-Identifier: MIT
#include "frame_stream.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "block_stream.h"
#include "common_blocks.h"
#include "element.h"
#include "failure.h"
#include "memory.h"
#include "reader.h"
#include "text_index.h"

const struct trj_stream_kind trj_frame_stream_kind = {
    "frame stream", {0x89, 'T', 'R', 'J', '\r', '\n', 0x1a, '\n'}, 1, 0};

enum {
    FRAME_HEADER = 112,     // bytes of a frame before its coordinates
    BLOCK_TARGET = 1 << 18, // small frames share a block until it holds so many bytes
    PLACE = 24,             // bytes of an entry of the index
    END_SIZE = 32,          // payload of the END block, so that a reader finds it from the end of a file
};

// Maximum unpacked payloads of the blocks (schemas/frame_stream.md), computed from blocks that were read before.
static uint64_t most_fixed(const struct trj_stream_header *h) {
    (void)h;
    return TRJ_BLOCK_MOST;
}

static uint64_t most_provenance(const struct trj_stream_header *h) {
    (void)h;
    return TRJ_PROVENANCE_MOST;
}

static uint64_t most_source(const struct trj_stream_header *h) {
    (void)h;
    return TRJ_SOURCE_MOST;
}

static uint64_t most_groups(const struct trj_stream_header *h) {
    return TRJ_BLOCK_ALWAYS_ALLOWED + 1024 * sizeof(uint32_t) * (uint64_t)h->atoms;
}

static uint64_t most_changing(const struct trj_stream_header *h) {
    return TRJ_BLOCK_MOST + sizeof(uint32_t) * (uint64_t)h->group_count;
}

static uint64_t most_ids(const struct trj_stream_header *h) {
    return TRJ_BLOCK_MOST + sizeof(uint32_t) * (uint64_t)h->atoms;
}

static uint64_t most_bonds(const struct trj_stream_header *h) {
    uint64_t atoms = h->source_atoms < UINT32_MAX ? h->source_atoms : UINT32_MAX;
    return TRJ_BLOCK_MOST + 64 * sizeof *h->bond * (atoms > h->atoms ? atoms : h->atoms);
}

static uint64_t most_frames(const struct trj_stream_header *h) {
    uint64_t frame = FRAME_HEADER + 3 * sizeof(float) * (uint64_t)h->atoms + sizeof(uint32_t) * h->member_words;
    return TRJ_BLOCK_MOST + (frame > TRJ_BLOCK_ALWAYS_ALLOWED ? frame : TRJ_BLOCK_ALWAYS_ALLOWED);
}

void trj_stream_header_free(struct trj_stream_header *h) {
    for (size_t i = 0; h->groups && i < h->group_count; i++) {
        free(h->groups[i].name);
        free(h->groups[i].atoms);
    }
    for (size_t i = 0; i < h->provenance_count; i++) free(h->provenance[i]);
    for (size_t i = 0; i < h->source_count; i++) free(h->sources[i].name);
    free(h->groups);
    free(h->residue);
    free(h->molecule);
    free(h->element);
    free(h->element_from);
    free(h->number);
    free(h->bond);
    free(h->provenance);
    free(h->sources);
    *h = (struct trj_stream_header){0};
}

// Lists that grow by one, seldom: the room is the length.
static int add_provenance(struct trj_stream_header *h, char *line, struct trj_error *err) {
    size_t room = h->provenance_count;
    if (trj_grow(&h->provenance, &room, room + 1, sizeof *h->provenance, "provenance", err)) {
        free(line);
        return -1;
    }
    h->provenance[h->provenance_count++] = line;
    return 0;
}

static int add_source(struct trj_stream_header *h, char *name, uint64_t fingerprint, struct trj_error *err) {
    size_t room = h->source_count;
    if (trj_grow(&h->sources, &room, room + 1, sizeof *h->sources, "sources", err)) {
        free(name);
        return -1;
    }
    h->sources[h->source_count++] = (struct trj_source){name, fingerprint};
    return 0;
}

int trj_stream_header_add_provenance(struct trj_stream_header *h, const char *line, struct trj_error *err) {
    char *copy = trj_copy_text(line, err);
    return copy ? add_provenance(h, copy, err) : -1;
}

int trj_stream_header_add_source(struct trj_stream_header *h, const char *name, uint64_t fingerprint,
                                 struct trj_error *err) {
    char *copy = trj_copy_text(name, err);
    return copy ? add_source(h, copy, fingerprint, err) : -1;
}

// Where a block lies.
struct place {
    uint64_t first_frame, number, offset;
};

struct places {
    struct place *at;
    size_t count, room;
};

static int add_place(struct places *p, uint64_t first_frame, uint64_t number, uint64_t offset, struct trj_error *err) {
    if (trj_grow(&p->at, &p->room, p->count + 1, sizeof *p->at, "the index", err)) return -1;
    p->at[p->count++] = (struct place){first_frame, number, offset};
    return 0;
}

struct trj_stream_writer {
    const struct trj_stream_header *header;
    struct trj_block_writer *blocks;
    struct trj_bytes block; // frames that wait for their block to fill
    uint32_t waiting;
    uint64_t frames;
    size_t sources_written;
    struct places source_places, frame_places;
};

static int write_header(struct trj_stream_writer *w, struct trj_error *err) {
    const struct trj_stream_header *h = w->header;
    struct trj_bytes b = {0};
    int rc = -1;
    trj_put_u64(&b, h->atoms);
    trj_put_u64(&b, h->source_atoms);
    if (trj_block_write(w->blocks, "HEAD", true, &b, err)) goto out;
    if (trj_block_write_provenance(w->blocks, h->provenance, h->provenance_count, err)) goto out;
    b.size = 0;
    trj_put_u32(&b, (uint32_t)h->group_count);
    for (size_t i = 0; i < h->group_count; i++) {
        trj_put_text(&b, h->groups[i].name);
        trj_put_u64(&b, h->groups[i].count);
        trj_put_u32s(&b, h->groups[i].atoms, h->groups[i].count);
    }
    if (trj_block_write_within(w->blocks, "GRPS", true, &b, most_groups(h), err)) goto out;
    if (h->member_words) {
        uint32_t changing = 0;
        b.size = 0;
        for (size_t i = 0; i < h->group_count; i++) changing += h->groups[i].changes;
        trj_put_u32(&b, changing);
        for (size_t i = 0; i < h->group_count; i++)
            if (h->groups[i].changes) trj_put_u32(&b, (uint32_t)i);
        if (trj_block_write(w->blocks, "CHNG", true, &b, err)) goto out;
    }
    if (h->centres) {
        b.size = 0;
        trj_put_u64(&b, h->centres);
        if (trj_block_write(w->blocks, "CENT", true, &b, err)) goto out;
    }
    const struct {
        const char *type;
        const uint32_t *ids;
    } columns[] = {{"RESI", h->residue}, {"MOLE", h->molecule}};
    for (size_t i = 0; i < 2; i++) {
        if (!columns[i].ids) continue;
        b.size = 0;
        trj_put_u32s(&b, columns[i].ids, h->atoms);
        if (trj_block_write(w->blocks, columns[i].type, false, &b, err)) goto out;
    }
    if (h->element) {
        b.size = 0;
        trj_put_text(&b, h->element_from ? h->element_from : "");
        trj_put_u32s(&b, h->element, h->atoms);
        if (trj_block_write_within(w->blocks, "ELEM", false, &b, most_ids(h), err)) goto out;
    }
    if (h->number) {
        b.size = 0;
        trj_put_u32s(&b, h->number, h->atoms - h->centres);
        if (trj_block_write(w->blocks, "ATOM", false, &b, err)) goto out;
    }
    if (h->bond) {
        b.size = 0;
        trj_put_u64(&b, h->between);
        trj_put_u64(&b, h->bond_count);
        for (size_t i = 0; i < h->bond_count; i++) trj_put_u32s(&b, h->bond[i], 2);
        if (trj_block_write_within(w->blocks, "BOND", false, &b, most_bonds(h), err)) goto out;
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
    if (trj_block_writer_open(&w->blocks, out, &trj_frame_stream_kind, level, err) ||
        trj_block_writer_threads(w->blocks, threads, err) || write_header(w, err)) {
        trj_stream_writer_close(w);
        return -1;
    }
    *result = w;
    return 0;
}

void trj_stream_writer_close(struct trj_stream_writer *w) {
    if (!w) return;
    trj_block_writer_close(w->blocks);
    trj_bytes_free(&w->block);
    free(w->source_places.at);
    free(w->frame_places.at);
    free(w);
}

// Writes the block of the frames that wait; `last`, if that is not NULL, is the last one of them, whose coordinates are not in it yet.
static int flush_block(struct trj_stream_writer *w, const struct trj_frame *last, struct trj_error *err) {
    if (!w->waiting) return 0;
    struct trj_bytes count = {.data = w->block.data, .room = 8}; // the block begins with the number of its frames
    trj_put_u32(&count, w->waiting);
    if (add_place(&w->frame_places, w->frames - w->waiting, trj_block_writer_count(w->blocks), 0, err) ||
        trj_block_write_floats(w->blocks, "FRAM", true, &w->block, last ? (const float *const *)last->x : NULL,
                               last ? 3 : 0, last ? last->atoms : 0, err))
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
        if (add_place(&w->source_places, 0, trj_block_writer_count(w->blocks), 0, err) ||
            trj_block_write_source(w->blocks, source->name, source->fingerprint, err))
            return -1;
    }
    return 0;
}

int trj_stream_write(struct trj_stream_writer *w, const struct trj_frame *f, struct trj_error *err) {
    if (write_sources(w, err)) return -1;
    struct trj_bytes *b = &w->block;
    if (!w->waiting) trj_put_u64(b, 0); // number of frames, filled in when the block is full
    trj_put_u32(b, f->source);
    trj_put_u32(b, f->cell.periodic);
    trj_put_u64(b, f->index);
    trj_put_i64(b, f->step);
    trj_put_f64(b, f->time);
    trj_put_f64(b, f->unit);
    for (int i = 0; i < 9; i++) trj_put_f64(b, f->cell.h[i / 3][i % 3]);
    size_t words = w->header->member_words;
    bool full = b->size + 3 * sizeof(float) * f->atoms + sizeof *f->members * words >= BLOCK_TARGET;
    bool apart = full && !words; // coordinates go from the frame to the output
    for (int k = 0; k < 3 && !apart; k++) trj_put_f32s(b, f->x[k], f->atoms);
    trj_put_u32s(b, f->members, words);
    if (b->failed) return trj_fail_memory(err, (double)b->size, "a block of frames");
    w->waiting++;
    w->frames++;
    return full ? flush_block(w, apart ? f : NULL, err) : 0;
}

// Where a block is is known when it is written.
static void put_places(struct trj_bytes *b, const struct places *p, const struct trj_block_writer *blocks) {
    trj_put_u64(b, p->count);
    for (size_t i = 0; i < p->count; i++) {
        trj_put_u64(b, p->at[i].first_frame);
        trj_put_u64(b, p->at[i].number);
        trj_put_u64(b, trj_block_writer_offset(blocks, p->at[i].number));
    }
}

int trj_stream_writer_finish(struct trj_stream_writer *w, struct trj_error *err) {
    if (write_sources(w, err) || flush_block(w, NULL, err) || trj_block_writer_flush(w->blocks, err)) return -1;
    struct trj_bytes b = {0};
    int rc = -1;
    uint64_t number = trj_block_writer_count(w->blocks), offset = trj_block_writer_offset(w->blocks, number);
    put_places(&b, &w->source_places, w->blocks);
    put_places(&b, &w->frame_places, w->blocks);
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

// ---- reading: a trajectory format ----

struct stream_state {
    struct trj_block_reader *blocks;
    struct trj_block block;        // the current FRAM block, or the END block that was read ahead
    bool have_block, ended, began; // began: a FRAM block was met, and what is in the header stays
    uint32_t left;                 // frames of the current block not yet taken
    struct places sources, frames; // of the index, once it was needed
    uint64_t total;                // frames, by the END block that was read with the index
    uint64_t provenance;           // bytes of the PROV blocks
    bool have_index;
};

static bool is_stream(const unsigned char *head, size_t n) {
    return trj_stream_is(head, n, &trj_frame_stream_kind);
}

static int bad_block(const struct trj_block *b, const char *what, struct trj_error *err) {
    return trj_fail(err, TRJ_BAD_DATA, "block %s at byte %llu: %s", b->type, (unsigned long long)b->offset, what);
}

static int read_head(struct trj_stream_header *h, struct trj_block *b, struct trj_error *err) {
    h->atoms = trj_get_u64(&b->payload);
    h->source_atoms = trj_get_u64(&b->payload);
    return !h->atoms || h->atoms > UINT32_MAX ? bad_block(b, "impossible atom count", err) : 0;
}

static int get_text(struct trj_block *b, char **text, struct trj_error *err) {
    if (!trj_get_text(&b->payload, text, err)) return 0;
    return b->payload.failed ? bad_block(b, "too short for its content", err) : -1;
}

static int read_provenance(struct trj_stream_header *h, struct trj_block *b, struct trj_error *err) {
    uint32_t n = trj_get_u32(&b->payload);
    for (uint32_t i = 0; i < n; i++) {
        char *line;
        if (get_text(b, &line, err) || add_provenance(h, line, err)) return -1;
    }
    return 0;
}

static int read_group(struct trj_stream_header *h, struct trj_group *g, struct trj_block *b,
                      struct trj_text_index *names, struct trj_error *err) {
    uint32_t known = (uint32_t)names->texts->count, number;
    if (trj_get_text(&b->payload, &g->name, err) && !b->payload.failed) return -1;
    g->count = trj_get_u64(&b->payload);
    if (b->payload.failed || !g->count || g->count > trj_cursor_left(&b->payload) / sizeof *g->atoms)
        return bad_block(b, "ends inside a group, or the group is empty", err);
    if (trj_text_index_add(names, g->name, &number, err)) return -1;
    if (number < known) return bad_block(b, "two groups of the same name", err);
    g->atoms = trj_alloc(g->count, sizeof *g->atoms, "a group", err);
    if (!g->atoms) return -1;
    trj_get_u32s(&b->payload, g->atoms, g->count);
    for (size_t k = 0; k < g->count; k++)
        if (g->atoms[k] >= h->atoms || (k && g->atoms[k] <= g->atoms[k - 1]))
            return bad_block(b, "a group's atoms are not in ascending order, or exceed the atom count", err);
    return 0;
}

static int read_groups(struct trj_stream_header *h, struct trj_block *b, struct trj_error *err) {
    uint32_t n = trj_get_u32(&b->payload);
    struct trj_texts texts = {.count = 0};
    struct trj_text_index names = {.texts = &texts};
    int rc = 0;
    // A group takes 16 bytes plus its name.
    if (h->groups || !n || n > trj_cursor_left(&b->payload) / 16)
        return bad_block(b, "impossible number of groups", err);
    h->groups = trj_alloc(n, sizeof *h->groups, "groups", err);
    if (!h->groups) return -1;
    h->group_count = n;
    for (uint32_t i = 0; i < n && !rc; i++) rc = read_group(h, &h->groups[i], b, &names, err);
    trj_text_index_free(&names);
    trj_texts_drop(&texts);
    return rc;
}

// The groups that change, ascending.
static int read_changing(struct trj_stream_header *h, struct trj_block *b, struct trj_error *err) {
    uint32_t n = trj_get_u32(&b->payload), last = 0;
    if (!h->groups || h->member_words) return bad_block(b, "comes before the groups, or twice", err);
    if (!n || n > h->group_count) return bad_block(b, "impossible number of groups", err);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t g = trj_get_u32(&b->payload);
        if (b->payload.failed || g >= h->group_count || (i && g <= last))
            return bad_block(b, "groups are not ascending, or not there", err);
        h->groups[g].changes = true;
        last = g;
    }
    h->member_words = trj_groups_lay_out(h->groups, h->group_count);
    return 0;
}

static int read_centres(struct trj_stream_header *h, struct trj_block *b, struct trj_error *err) {
    if (h->centres) return bad_block(b, "comes twice", err);
    h->centres = trj_get_u64(&b->payload);
    return !h->centres || h->centres > h->atoms ? bad_block(b, "impossible number of centres", err) : 0;
}

static int read_ids(struct trj_stream_header *h, uint32_t **ids, struct trj_block *b, struct trj_error *err) {
    if (*ids || trj_cursor_left(&b->payload) / sizeof **ids < h->atoms) return bad_block(b, "wrong size", err);
    *ids = trj_alloc(h->atoms, sizeof **ids, "residues", err);
    if (!*ids) return -1;
    trj_get_u32s(&b->payload, *ids, h->atoms);
    return 0;
}

static int read_residues(struct trj_stream_header *h, struct trj_block *b, struct trj_error *err) {
    return read_ids(h, &h->residue, b, err);
}

static int read_molecules(struct trj_stream_header *h, struct trj_block *b, struct trj_error *err) {
    return read_ids(h, &h->molecule, b, err);
}

static int read_elements(struct trj_stream_header *h, struct trj_block *b, struct trj_error *err) {
    if (h->element || h->element_from) return bad_block(b, "comes twice", err);
    if (get_text(b, &h->element_from, err)) return -1;
    if (read_ids(h, &h->element, b, err)) return -1;
    for (size_t i = 0; i < h->atoms; i++)
        if (h->element[i] > TRJ_ELEMENTS) return bad_block(b, "an element that does not exist", err);
    if (!*h->element_from) {
        free(h->element_from);
        h->element_from = NULL;
    }
    return 0;
}

static int read_numbers(struct trj_stream_header *h, struct trj_block *b, struct trj_error *err) {
    size_t n = h->atoms - h->centres;
    if (h->number || trj_cursor_left(&b->payload) / sizeof *h->number < n) return bad_block(b, "wrong size", err);
    h->number = trj_alloc(n, sizeof *h->number, "atoms", err);
    if (!h->number) return -1;
    trj_get_u32s(&b->payload, h->number, n);
    for (size_t i = 0; i < n; i++)
        if (h->number[i] >= h->source_atoms || (i && h->number[i] <= h->number[i - 1]))
            return bad_block(b, "atoms are not ascending, or not in the source", err);
    return 0;
}

static int read_bonds(struct trj_stream_header *h, struct trj_block *b, struct trj_error *err) {
    if (h->bond) return bad_block(b, "comes twice", err);
    h->between = trj_get_u64(&b->payload);
    h->bond_count = trj_get_u64(&b->payload);
    if (h->bond_count > trj_cursor_left(&b->payload) / sizeof *h->bond || h->between > h->bond_count ||
        h->between > UINT32_MAX - h->atoms)
        return bad_block(b, "impossible number of bonds", err);
    h->bond = trj_alloc(h->bond_count, sizeof *h->bond, "bonds", err);
    if (!h->bond) return -1;
    trj_get_u32s(&b->payload, *h->bond, 2 * h->bond_count);
    for (size_t i = 0; i < 2 * h->bond_count; i++)
        if (h->bond[i / 2][i % 2] >= h->atoms + h->between) return bad_block(b, "bonds of atoms not there", err);
    return 0;
}

static int read_source(struct trj_stream_header *h, struct trj_block *b, struct trj_error *err) {
    char *name;
    if (get_text(b, &name, err)) return -1;
    return add_source(h, name, trj_get_u64(&b->payload), err);
}

static int read_end(struct trj_reader *r, struct trj_block *b, struct trj_error *err) {
    uint64_t frames = trj_get_u64(&b->payload);
    const unsigned char *rest;
    size_t n;
    // Else it would not be found from the end of the file.
    if (b->payload.size != END_SIZE || trj_input_offset(r->in) - b->offset != TRJ_BLOCK_HEADER + END_SIZE)
        return bad_block(b, "is not as long as it has to be", err);
    if (frames != r->next)
        return trj_fail(err, TRJ_BAD_DATA, "END block gives %llu frames, but %llu were read: stream damaged",
                        (unsigned long long)frames, (unsigned long long)r->next);
    if (trj_input_peek(r->in, &rest, 1, &n, err)) return -1;
    if (n)
        return trj_fail(err, TRJ_BAD_DATA,
                        "data follow the END block at byte %llu; join frame streams with trjcat A B, not with cat",
                        (unsigned long long)trj_input_offset(r->in));
    return 0;
}

static int read_frames_head(struct trj_reader *r, struct trj_block *b, struct trj_error *err) {
    struct stream_state *s = r->state;
    const struct trj_stream_header *h = r->header;
    s->began = true;
    s->left = trj_get_u32(&b->payload);
    trj_get_u32(&b->payload);
    s->have_block = s->left > 0;
    if (!h->groups) return bad_block(b, "comes before the groups", err);
    if (h->source_atoms < h->atoms - h->centres)
        return bad_block(b, "the header gives more atoms than their source has", err);
    return s->left ? 0 : bad_block(b, "holds no frames", err);
}

static const struct stream_block {
    char type[5];
    bool layout; // the block describes the frames and must precede them
    uint64_t (*most)(const struct trj_stream_header *h);
    // NULL: read_block handles the type itself
    int (*read)(struct trj_stream_header *h, struct trj_block *b, struct trj_error *err);
} stream_blocks[] = {
    {"HEAD", false, most_fixed, read_head},    {"PROV", false, most_provenance, read_provenance},
    {"GRPS", false, most_groups, read_groups}, {"CHNG", true, most_changing, read_changing},
    {"CENT", true, most_fixed, read_centres},  {"RESI", true, most_ids, read_residues},
    {"MOLE", true, most_ids, read_molecules},  {"ELEM", true, most_ids, read_elements},
    {"ATOM", false, most_ids, read_numbers},   {"BOND", false, most_bonds, read_bonds},
    {"SRCE", false, most_source, read_source}, {"FRAM", false, most_frames, NULL},
    {"END!", false, most_fixed, NULL},
};

static const struct stream_block *find_block(const char *type) {
    for (size_t i = 0; i < sizeof stream_blocks / sizeof *stream_blocks; i++)
        if (!strcmp(type, stream_blocks[i].type)) return &stream_blocks[i];
    return NULL;
}

// Loads a block of a known type after checking its place in the stream.
static int load_block(struct stream_state *s, const struct trj_stream_header *h, struct trj_block *b,
                      struct trj_error *err) {
    const struct stream_block *known = find_block(b->type);
    bool provenance = !strcmp(b->type, "PROV");
    if (!h->atoms && strcmp(b->type, "HEAD") != 0) return bad_block(b, "comes before the header", err);
    if (h->atoms && !strcmp(b->type, "HEAD")) return bad_block(b, "second header", err);
    if (s->began && known->layout) return bad_block(b, "comes after frames", err);
    if (trj_block_load(s->blocks, b, known->most(h) - (provenance ? s->provenance : 0), err)) return -1;
    if (provenance) s->provenance += b->raw;
    return 0;
}

// Reads one block. Blocks of an unknown type, and sources that were already read with the index, are ignored.
static int read_block(struct trj_reader *r, struct trj_block *b, struct trj_error *err) {
    struct stream_state *s = r->state;
    struct trj_stream_header *h = r->header;
    const struct stream_block *known = find_block(b->type);
    if (!strcmp(b->type, "FAIL"))
        return trj_block_load(s->blocks, b, TRJ_BLOCK_MOST, err) ? -1 : trj_failure_take(b, r->in, err);
    if (!known && b->required)
        return bad_block(b, "is required, but unknown to this version; use a newer trjpipe", err);
    if (!known || (s->have_index && known->read == read_source)) return trj_block_skip(s->blocks, b, err);
    if (load_block(s, h, b, err)) return -1;
    if (known->read) return known->read(h, b, err);
    if (!strcmp(b->type, "FRAM")) return read_frames_head(r, b, err);
    s->ended = true;
    return h->groups ? read_end(r, b, err) : bad_block(b, "there were no groups", err);
}

static int fail_no_end(const struct trj_reader *r, unsigned long long at, struct trj_error *err) {
    trj_fail(err, TRJ_BAD_DATA, "byte %llu: truncated: END block missing after %llu frames", at,
             (unsigned long long)r->next);
    err->truncated = true;
    return -1;
}

// Reads on until frames are at hand (1) or the stream has ended properly (0).
static int next_block(struct trj_reader *r, struct trj_error *err) {
    struct stream_state *s = r->state;
    struct trj_block *b = &s->block;
    while (!s->have_block) {
        if (s->ended) return 0;
        int rc = trj_block_next(s->blocks, b, err);
        if (rc < 0) return -1;
        if (!rc) return fail_no_end(r, trj_input_offset(r->in), err);
        if (read_block(r, b, err)) return -1;
        if (b->payload.failed) return bad_block(b, "too short for its content", err);
    }
    return 1;
}

static void stream_close(struct trj_reader *r) {
    struct stream_state *s = r->state;
    if (s) {
        trj_block_reader_close(s->blocks);
        free(s->sources.at);
        free(s->frames.at);
    }
    if (r->header) trj_stream_header_free(r->header);
    free(r->header);
    free(s);
}

static int stream_open(struct trj_reader *r, struct trj_error *err) {
    struct stream_state *s = r->state = trj_alloc(1, sizeof *s, "a stream", err);
    r->header = s ? trj_alloc(1, sizeof *r->header, "a stream", err) : NULL;
    uint64_t size;
    if (!r->header || trj_block_reader_open(&s->blocks, r->in, &trj_frame_stream_kind, err) || next_block(r, err) < 0)
        return -1;
    r->atoms = r->header->atoms;
    r->can_seek = trj_input_size(r->in, &size);
    snprintf(r->dialect, sizeof r->dialect, "version %u", trj_frame_stream_kind.major);
    return 0;
}

// Bits behind a group's last atom are none's.
static bool members_fit(const struct trj_stream_header *h, const struct trj_frame *f) {
    for (size_t i = 0; i < h->group_count; i++) {
        const struct trj_group *g = &h->groups[i];
        if (g->changes && g->count % 32 && f->members[g->word + g->count / 32] >> g->count % 32) return false;
    }
    return true;
}

// Takes one frame of the current block, into f if that is not NULL.
static int take_frame(struct trj_reader *r, struct trj_frame *f, struct trj_error *err) {
    struct stream_state *s = r->state;
    int rc = next_block(r, err);
    if (rc <= 0) return rc;
    struct trj_cursor *c = &s->block.payload;
    size_t words = r->header->member_words, data = 3 * sizeof(float) * r->atoms + sizeof *f->members * words;
    if (trj_cursor_left(c) < FRAME_HEADER || trj_cursor_left(c) - FRAME_HEADER < data)
        return bad_block(&s->block, "ends inside a frame", err);
    if (!--s->left) s->have_block = false;
    if (!f) {
        c->at += FRAME_HEADER + data;
        return 1;
    }
    if (trj_frame_resize(f, r->atoms, err) || trj_frame_resize_members(f, words, err)) return -1;
    f->source = trj_get_u32(c);
    f->cell.periodic = trj_get_u32(c);
    f->index = trj_get_u64(c);
    f->step = trj_get_i64(c);
    f->time = trj_get_f64(c);
    f->unit = trj_get_f64(c);
    for (int i = 0; i < 9; i++) f->cell.h[i / 3][i % 3] = trj_get_f64(c);
    for (int k = 0; k < 3; k++) trj_get_f32s(c, f->x[k], r->atoms);
    trj_get_u32s(c, f->members, words);
    if (!s->left) trj_block_drop(s->blocks, &s->block); // who works with large frames has use for the memory
    for (int i = 0; i < 9; i++)
        if (!isfinite(f->cell.h[i / 3][i % 3])) return bad_block(&s->block, "a frame's cell is not finite", err);
    if (f->source >= r->header->source_count || f->cell.periodic > TRJ_PERIODIC_ALL || !(f->unit > 0) ||
        !isfinite(f->unit))
        return bad_block(&s->block, "a frame's source, periodicity or unit is impossible", err);
    if (!members_fit(r->header, f)) return bad_block(&s->block, "a frame's groups have atoms that are not there", err);
    return trj_cell_restrict(&f->cell, f->cell.periodic, err) ? -1 : 1;
}

static int stream_read(struct trj_reader *r, struct trj_frame *f, struct trj_error *err) {
    return take_frame(r, f, err);
}

static int stream_skip(struct trj_reader *r, struct trj_error *err) {
    return take_frame(r, NULL, err);
}

static int get_places(struct places *p, struct trj_cursor *c, struct trj_error *err) {
    uint64_t n = trj_get_u64(c);
    if (n > trj_cursor_left(c) / PLACE) c->failed = true;
    for (uint64_t i = 0; i < n && !c->failed; i++) {
        uint64_t first = trj_get_u64(c), number = trj_get_u64(c), offset = trj_get_u64(c);
        if (add_place(p, first, number, offset, err)) return -1;
    }
    return 0;
}

// Loads the block at a place that the index gives. Its payload may have at most `most` bytes.
static int read_block_at(struct stream_state *s, const struct place *p, const char *type, uint64_t most,
                         struct trj_error *err) {
    if (trj_block_reader_seek(s->blocks, p->number, p->offset, err)) return -1;
    int rc = trj_block_next(s->blocks, &s->block, err);
    if (rc < 0) return -1;
    if (!rc || strcmp(s->block.type, type))
        return trj_fail(err, TRJ_BAD_DATA, "the index does not lead to a %s block", type);
    return trj_block_load(s->blocks, &s->block, most, err);
}

// Finds the index from the end of the file: the END block is the last one and small, thus never compressed.
static int load_index(struct trj_reader *r, struct trj_error *err) {
    struct stream_state *s = r->state;
    uint64_t size = 0, end = TRJ_BLOCK_HEADER + END_SIZE, here = trj_input_offset(r->in);
    unsigned char tail[TRJ_BLOCK_HEADER + END_SIZE];
    if (s->have_index) return 0;
    bool whole = trj_input_size(r->in, &size) && size >= trj_block_reader_start(s->blocks) + TRJ_STREAM_HEADER + end;
    uint64_t most_index = TRJ_BLOCK_MOST + size / TRJ_BLOCK_HEADER * PLACE; // a block has at least its header
    if (whole &&
        (trj_input_seek(r->in, size - end, err) || trj_input_read(r->in, tail, sizeof tail, "the END block", err)))
        return -1;
    if (!whole || memcmp(tail, "END!", 4)) { // a truncated stream has no index, but its frames can be read in sequence
        r->can_seek = false;
        return trj_input_seek(r->in, here, err) ? -1 : fail_no_end(r, size, err);
    }
    // The number of blocks, which the block's own checksum needs, is in the payload: read it, then read the block as any other.
    struct trj_cursor c = {.data = tail, .size = sizeof tail, .at = TRJ_BLOCK_HEADER + 8};
    struct place at = {.number = trj_get_u64(&c), .offset = size - end - trj_block_reader_start(s->blocks)};
    if (read_block_at(s, &at, "END!", TRJ_BLOCK_MOST, err)) return -1;
    s->total = trj_get_u64(&s->block.payload);
    trj_get_u64(&s->block.payload);
    at.number = trj_get_u64(&s->block.payload);
    at.offset = trj_get_u64(&s->block.payload);
    if (read_block_at(s, &at, "INDX", most_index, err) || get_places(&s->sources, &s->block.payload, err) ||
        get_places(&s->frames, &s->block.payload, err))
        return -1;
    if (s->block.payload.failed) return bad_block(&s->block, "too short for its content", err);
    for (size_t i = 0; i < s->frames.count; i++) {
        uint64_t first = s->frames.at[i].first_frame;
        if (i ? first <= s->frames.at[i - 1].first_frame : first > 0)
            return bad_block(&s->block, "frames are not in order", err);
    }
    // The sources that lie before the place we go to would be passed over: take them all now.
    for (size_t i = r->header->source_count; i < s->sources.count; i++)
        if (read_block_at(s, &s->sources.at[i], "SRCE", TRJ_SOURCE_MOST, err) || read_source(r->header, &s->block, err))
            return -1;
    if (s->block.payload.failed) return bad_block(&s->block, "too short for its content", err);
    s->have_index = true;
    return 0;
}

static int stream_seek(struct trj_reader *r, uint64_t frame, struct trj_error *err) {
    struct stream_state *s = r->state;
    if (load_index(r, err)) return -1;
    int rc = frame < s->total;
    if (!rc) frame = r->next; // back to where we were: reading the index has moved the input
    s->have_block = false;
    s->ended = frame >= s->total;
    if (s->ended) return rc;
    size_t low = 0, high = s->frames.count; // the last block that begins at or before `frame`
    if (!high)
        return trj_fail(err, TRJ_BAD_DATA, "the index does not list the %llu frames", (unsigned long long)s->total);
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (s->frames.at[middle].first_frame <= frame)
            low = middle;
        else
            high = middle;
    }
    uint64_t first = s->frames.at[low].first_frame;
    uint64_t end = low + 1 < s->frames.count ? s->frames.at[low + 1].first_frame : s->total;
    if (read_block_at(s, &s->frames.at[low], "FRAM", most_frames(r->header), err)) return -1;
    s->left = trj_get_u32(&s->block.payload);
    trj_get_u32(&s->block.payload);
    if (s->left != end - first) return bad_block(&s->block, "holds other frames than the index tells", err);
    s->have_block = true;
    for (; first < frame; first++)
        if (take_frame(r, NULL, err) <= 0) return -1;
    r->next = frame;
    return rc;
}

const struct trj_format trj_format_stream = {
    .name = "trjf",
    .help = "trjpipe frame stream",
    .is = is_stream,
    .open = stream_open,
    .read = stream_read,
    .skip = stream_skip,
    .seek = stream_seek,
    .close = stream_close,
};
