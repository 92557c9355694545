// SPDX-License-Identifier: MIT
// Reads the header blocks of a frame stream, each with a maximum size, so that a forged header cannot exhaust memory.
#include "frame_stream.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "block_stream.h"
#include "common_blocks.h"
#include "element.h"
#include "frame_stream_parts.h"
#include "memory.h"
#include "text_index.h"

const struct trj_stream_kind trj_frame_stream_kind = {
    "frame stream", {0x89, 'T', 'R', 'J', '\r', '\n', 0x1a, '\n'}, 1, 1};

// Return maximum payloads (see struct trj_stream_block).
static uint64_t max_fixed(const struct trj_stream_header *h) {
    (void)h;
    return TRJ_SMALL_BLOCK_MAX;
}

static uint64_t max_provenance(const struct trj_stream_header *h) {
    (void)h;
    return TRJ_PROVENANCE_MAX;
}

static uint64_t max_source(const struct trj_stream_header *h) {
    (void)h;
    return TRJ_SOURCE_MAX;
}

static uint64_t max_groups(const struct trj_stream_header *h) {
    return TRJ_BLOCK_ALWAYS_ALLOWED + 1024 * sizeof(uint32_t) * (uint64_t)h->atoms;
}

static uint64_t max_changing(const struct trj_stream_header *h) {
    return TRJ_SMALL_BLOCK_MAX + sizeof(uint32_t) * (uint64_t)h->group_count;
}

static uint64_t max_ids(const struct trj_stream_header *h) {
    return TRJ_SMALL_BLOCK_MAX + sizeof(uint32_t) * (uint64_t)h->atoms;
}

static uint64_t max_property(const struct trj_stream_header *h) {
    return TRJ_SMALL_BLOCK_MAX + 264 * (uint64_t)h->atoms;
}

static uint64_t max_bonds(const struct trj_stream_header *h) {
    uint64_t atoms = h->source_atoms < UINT32_MAX ? h->source_atoms : UINT32_MAX;
    return TRJ_SMALL_BLOCK_MAX + 64 * sizeof *h->bond * (atoms > h->atoms ? atoms : h->atoms);
}

static uint64_t max_frames(const struct trj_stream_header *h) {
    uint64_t frame =
        TRJ_STREAM_FRAME_HEADER + 3 * sizeof(float) * (uint64_t)h->atoms + sizeof(uint32_t) * h->member_words;
    return TRJ_SMALL_BLOCK_MAX + (frame > TRJ_BLOCK_ALWAYS_ALLOWED ? frame : TRJ_BLOCK_ALWAYS_ALLOWED);
}

// Packed coordinates have at most 13 bytes an atom (3 * 32 + 6 bits).
static uint64_t max_packed(const struct trj_stream_header *h) {
    uint64_t atoms = h->source_atoms < INT32_MAX ? h->source_atoms : INT32_MAX;
    uint64_t frame = TRJ_STREAM_FRAME_HEADER + TRJ_STREAM_PACKED_HEADER + 13 * atoms;
    return TRJ_SMALL_BLOCK_MAX + (frame > TRJ_BLOCK_ALWAYS_ALLOWED ? frame : TRJ_BLOCK_ALWAYS_ALLOWED);
}

uint64_t trj_stream_motion_bytes(enum trj_motion_kind kind, size_t atoms) {
    return (kind == TRJ_MOTION_VELOCITY ? sizeof(double) : 0) + 3 * sizeof(float) * (uint64_t)atoms;
}

static uint64_t max_motion(const struct trj_stream_header *h) {
    uint64_t frame = TRJ_STREAM_MOTION_HEAD + trj_stream_motion_bytes(TRJ_MOTION_VELOCITY, h->atoms);
    return TRJ_SMALL_BLOCK_MAX + (frame > TRJ_BLOCK_ALWAYS_ALLOWED ? frame : TRJ_BLOCK_ALWAYS_ALLOWED);
}

int trj_stream_find_group(const struct trj_stream_header *h, const char *name, const struct trj_group **group,
                          struct trj_error *err) {
    if (!name && h->group_count > 1)
        return trj_fail(err, TRJ_USAGE, "the stream has %zu groups; choose one with --of, such as --of %s",
                        h->group_count, h->groups[0].name);
    for (size_t i = 0; i < h->group_count; i++) {
        if (name && strcmp(h->groups[i].name, name) != 0) continue;
        *group = &h->groups[i];
        return 0;
    }
    return trj_fail(err, TRJ_USAGE, "--of: the stream has no group '%s'; it has %s%s", name, h->groups[0].name,
                    h->group_count > 1 ? " and others, which trjinfo lists" : "");
}

static int compare_numbers(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

bool trj_stream_is_site(const struct trj_stream_header *h, uint32_t atom) {
    return h->site_count && bsearch(&atom, h->site, h->site_count, sizeof *h->site, compare_numbers);
}

bool trj_stream_may_pack(const struct trj_stream_header *h) {
    return !h->member_words && !h->centres && !h->movement_count && (h->number || h->atoms == h->source_atoms) &&
           h->source_atoms <= INT32_MAX;
}

void trj_stream_header_free(struct trj_stream_header *h) {
    for (size_t i = 0; h->groups && i < h->group_count; i++) {
        free(h->groups[i].name);
        free(h->groups[i].atoms);
    }
    for (size_t i = 0; i < h->provenance_count; i++) free(h->provenance[i]);
    for (size_t i = 0; i < h->source_count; i++) free(h->sources[i].name);
    for (size_t i = 0; i < h->property_count; i++) trj_property_free(&h->properties[i]);
    for (size_t i = 0; i < h->movement_count; i++) trj_movement_free(&h->movements[i]);
    free(h->groups);
    free(h->properties);
    free(h->movements);
    free(h->residue);
    free(h->molecule);
    free(h->element);
    free(h->element_from);
    free(h->site);
    free(h->number);
    free(h->bond);
    free(h->provenance);
    free(h->sources);
    *h = (struct trj_stream_header){0};
}

// These lists grow rarely, by one: the allocated size is the length.
static int add_provenance(struct trj_stream_header *h, char *line, struct trj_error *err) {
    size_t capacity = h->provenance_count;
    if (trj_grow(&h->provenance, &capacity, capacity + 1, sizeof *h->provenance, "provenance", err)) {
        free(line);
        return -1;
    }
    h->provenance[h->provenance_count++] = line;
    return 0;
}

static int add_source(struct trj_stream_header *h, char *name, uint64_t fingerprint, struct trj_error *err) {
    size_t capacity = h->source_count;
    if (trj_grow(&h->sources, &capacity, capacity + 1, sizeof *h->sources, "sources", err)) {
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

int trj_stream_header_add_lines(struct trj_stream_header *h, char *const *lines, struct trj_error *err) {
    int rc = lines ? 0 : -1;
    for (; !rc && *lines; lines++) rc = trj_stream_header_add_provenance(h, *lines, err);
    return rc;
}

int trj_stream_header_add_source(struct trj_stream_header *h, const char *name, uint64_t fingerprint,
                                 struct trj_error *err) {
    char *copy = trj_copy_text(name, err);
    return copy ? add_source(h, copy, fingerprint, err) : -1;
}

int trj_stream_places_add(struct trj_stream_places *p, uint64_t first_frame, uint64_t number, uint64_t offset,
                          struct trj_error *err) {
    if (trj_grow(&p->place, &p->capacity, p->count + 1, sizeof *p->place, "the index", err)) return -1;
    p->place[p->count++] = (struct trj_stream_place){first_frame, number, offset};
    return 0;
}

int trj_stream_places_get(struct trj_stream_places *p, struct trj_cursor *c, struct trj_error *err) {
    uint64_t n = trj_get_u64(c);
    if (n > trj_cursor_left(c) / TRJ_STREAM_PLACE) c->failed = true;
    for (uint64_t i = 0; i < n && !c->failed; i++) {
        uint64_t first = trj_get_u64(c), number = trj_get_u64(c), offset = trj_get_u64(c);
        if (trj_stream_places_add(p, first, number, offset, err)) return -1;
    }
    return 0;
}

bool trj_stream_places_ascend(const struct trj_stream_places *p, bool frames) {
    for (size_t i = 0; i < p->count; i++) {
        if (i && p->place[i].number <= p->place[i - 1].number) return false;
        if (frames && (i ? p->place[i].first_frame <= p->place[i - 1].first_frame : p->place[i].first_frame > 0))
            return false;
    }
    return true;
}

uint64_t trj_stream_max_index(uint64_t size) {
    return TRJ_SMALL_BLOCK_MAX + size / TRJ_BLOCK_HEADER * TRJ_STREAM_PLACE;
}

int trj_stream_bad_block(const struct trj_block *b, const char *what, struct trj_error *err) {
    return trj_fail(err, TRJ_BAD_DATA, "block %s at byte %llu: %s", b->type, (unsigned long long)b->offset, what);
}

static int read_head(struct trj_stream_header *h, struct trj_block *b, struct trj_error *err) {
    h->atoms = trj_get_u64(&b->payload);
    h->source_atoms = trj_get_u64(&b->payload);
    return !h->atoms || h->atoms > UINT32_MAX ? trj_stream_bad_block(b, "invalid atom count", err) : 0;
}

static int get_text(struct trj_block *b, char **text, struct trj_error *err) {
    if (!trj_get_text(&b->payload, text, err)) return 0;
    return b->payload.failed ? trj_stream_bad_block(b, "too short for its content", err) : -1;
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
        return trj_stream_bad_block(b, "ends inside a group, or the group is empty", err);
    if (!trj_group_name_fits(g->name, strlen(g->name)))
        return trj_stream_bad_block(b, "a group's name is empty, too long, or has other characters than allowed", err);
    if (trj_text_index_add(names, g->name, &number, err)) return -1;
    if (number < known) return trj_stream_bad_block(b, "two groups of the same name", err);
    g->atoms = trj_alloc(g->count, sizeof *g->atoms, "a group", err);
    if (!g->atoms) return -1;
    trj_get_u32s(&b->payload, g->atoms, g->count);
    for (size_t k = 0; k < g->count; k++)
        if (g->atoms[k] >= h->atoms || (k && g->atoms[k] <= g->atoms[k - 1]))
            return trj_stream_bad_block(b, "a group's atoms are not in ascending order, or exceed the atom count", err);
    return 0;
}

static int read_groups(struct trj_stream_header *h, struct trj_block *b, struct trj_error *err) {
    uint32_t n = trj_get_u32(&b->payload);
    struct trj_texts texts = {.count = 0};
    struct trj_text_index names = {.texts = &texts};
    int rc = 0;
    // A group has 16 bytes plus its name.
    if (h->groups || !n || n > trj_cursor_left(&b->payload) / 16)
        return trj_stream_bad_block(b, "invalid number of groups", err);
    h->groups = trj_alloc(n, sizeof *h->groups, "groups", err);
    if (!h->groups) return -1;
    h->group_count = n;
    for (uint32_t i = 0; i < n && !rc; i++) rc = read_group(h, &h->groups[i], b, &names, err);
    trj_text_index_free(&names);
    trj_texts_clear(&texts);
    return rc;
}

// Reads the numbers of dynamic groups, ascending.
static int read_changing(struct trj_stream_header *h, struct trj_block *b, struct trj_error *err) {
    uint32_t n = trj_get_u32(&b->payload), last = 0;
    if (!h->groups || h->member_words) return trj_stream_bad_block(b, "comes before the groups, or twice", err);
    if (!n || n > h->group_count) return trj_stream_bad_block(b, "invalid number of groups", err);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t g = trj_get_u32(&b->payload);
        if (b->payload.failed || g >= h->group_count || (i && g <= last))
            return trj_stream_bad_block(b, "groups are not ascending, or do not exist", err);
        h->groups[g].dynamic = true;
        last = g;
    }
    h->member_words = trj_groups_lay_out(h->groups, h->group_count);
    return 0;
}

static int read_centres(struct trj_stream_header *h, struct trj_block *b, struct trj_error *err) {
    if (h->centres) return trj_stream_bad_block(b, "occurs twice", err);
    h->centres = trj_get_u64(&b->payload);
    return !h->centres || h->centres > h->atoms ? trj_stream_bad_block(b, "invalid number of centres", err) : 0;
}

static int read_ids(struct trj_stream_header *h, uint32_t **ids, struct trj_block *b, struct trj_error *err) {
    if (*ids || trj_cursor_left(&b->payload) / sizeof **ids < h->atoms)
        return trj_stream_bad_block(b, "wrong size", err);
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
    if (h->element || h->element_from) return trj_stream_bad_block(b, "occurs twice", err);
    if (get_text(b, &h->element_from, err)) return -1;
    if (read_ids(h, &h->element, b, err)) return -1;
    for (size_t i = 0; i < h->atoms; i++)
        if (h->element[i] > TRJ_ELEMENTS) return trj_stream_bad_block(b, "an element that does not exist", err);
    if (!*h->element_from) {
        free(h->element_from);
        h->element_from = NULL;
    }
    return 0;
}

static int read_sites(struct trj_stream_header *h, struct trj_block *b, struct trj_error *err) {
    size_t n = h->atoms - h->centres;
    if (h->site) return trj_stream_bad_block(b, "occurs twice", err);
    h->absent_sites = trj_get_u64(&b->payload);
    h->site_count = trj_get_u64(&b->payload);
    if (h->source_atoms < n || h->absent_sites > h->source_atoms - n || h->site_count > n ||
        trj_cursor_left(&b->payload) / sizeof *h->site < h->site_count)
        return trj_stream_bad_block(b, "wrong number of sites", err);
    if (!(h->site = trj_alloc(h->site_count, sizeof *h->site, "sites", err))) return -1;
    trj_get_u32s(&b->payload, h->site, h->site_count);
    for (size_t i = 0; i < h->site_count; i++)
        if (h->site[i] >= n || (i && h->site[i] <= h->site[i - 1]))
            return trj_stream_bad_block(b, "sites are not ascending, or not in the stream", err);
    return 0;
}

static int read_numbers(struct trj_stream_header *h, struct trj_block *b, struct trj_error *err) {
    size_t n = h->atoms - h->centres;
    if (h->number || trj_cursor_left(&b->payload) / sizeof *h->number < n)
        return trj_stream_bad_block(b, "wrong size", err);
    h->number = trj_alloc(n, sizeof *h->number, "atoms", err);
    if (!h->number) return -1;
    trj_get_u32s(&b->payload, h->number, n);
    for (size_t i = 0; i < n; i++)
        if (h->number[i] >= h->source_atoms || (i && h->number[i] <= h->number[i - 1]))
            return trj_stream_bad_block(b, "atoms are not ascending, or not in the source", err);
    return 0;
}

static int read_bonds(struct trj_stream_header *h, struct trj_block *b, struct trj_error *err) {
    if (h->bond) return trj_stream_bad_block(b, "occurs twice", err);
    h->between = trj_get_u64(&b->payload);
    h->bond_count = trj_get_u64(&b->payload);
    if (h->bond_count > trj_cursor_left(&b->payload) / sizeof *h->bond || h->between > h->bond_count ||
        h->between > UINT32_MAX - h->atoms)
        return trj_stream_bad_block(b, "invalid number of bonds", err);
    h->bond = trj_alloc(h->bond_count, sizeof *h->bond, "bonds", err);
    if (!h->bond) return -1;
    trj_get_u32s(&b->payload, *h->bond, 2 * h->bond_count);
    for (size_t i = 0; i < 2 * h->bond_count; i++)
        if (h->bond[i / 2][i % 2] >= h->atoms + h->between)
            return trj_stream_bad_block(b, "bonds of atoms that do not exist", err);
    return 0;
}

static int read_precision(struct trj_stream_header *h, struct trj_block *b, struct trj_error *err) {
    if (h->precision > 0) return trj_stream_bad_block(b, "occurs twice", err);
    h->precision = trj_get_f64(&b->payload);
    return h->precision > 0 && isfinite(h->precision) ? 0 : trj_stream_bad_block(b, "invalid precision", err);
}

static int read_segment(struct trj_stream_header *h, struct trj_block *b, struct trj_error *err) {
    struct trj_stream_segment *s = &h->segment;
    if (s->count) return trj_stream_bad_block(b, "occurs twice", err);
    s->first = trj_get_u64(&b->payload);
    s->count = trj_get_u64(&b->payload);
    s->following = trj_get_u64(&b->payload);
    s->total = trj_get_u64(&b->payload);
    const bool valid = s->count && s->total <= TRJ_STREAM_TOTAL_MAX && s->first < s->total &&
                       s->count <= s->total - s->first && s->following <= s->total - s->first - s->count;
    return valid ? 0 : trj_stream_bad_block(b, "invalid numbers of frames", err);
}

// Reads the list of texts, and for each atom the number of its text. A text takes at least 4 bytes, which are its
// length.
static int read_property_texts(struct trj_texts *texts, size_t atoms, struct trj_block *b, struct trj_error *err) {
    struct trj_text_index index = {.texts = texts};
    uint32_t count = trj_get_u32(&b->payload), *id = texts->id, number;
    int rc = 0;
    if (!count || count > trj_cursor_left(&b->payload) / 4)
        return trj_stream_bad_block(b, "invalid number of texts", err);
    for (uint32_t i = 0; i < count && !rc; i++) {
        char *text;
        rc = get_text(b, &text, err) || trj_text_index_add(&index, text, &number, err) ? -1 : 0;
        if (!rc && (number != i || !*text != !i))
            rc = trj_stream_bad_block(b, "the first text is not empty, or two texts are equal", err);
        free(text);
    }
    trj_text_index_free(&index);
    if (rc) return -1;
    if (trj_cursor_left(&b->payload) / sizeof *id < atoms) return trj_stream_bad_block(b, "wrong size", err);
    trj_get_u32s(&b->payload, id, atoms);
    for (size_t i = 0; i < atoms; i++)
        if (id[i] >= count) return trj_stream_bad_block(b, "an invalid text number", err);
    return 0;
}

static int read_property_values(struct trj_property *p, size_t atoms, struct trj_block *b, struct trj_error *err) {
    if (p->kind == TRJ_PROPERTY_TEXT) return read_property_texts(&p->text, atoms, b, err);
    for (size_t i = 0; i < atoms; i++) {
        if (p->kind == TRJ_PROPERTY_INTEGER)
            p->integer[i] = trj_get_i64(&b->payload);
        else
            p->real[i] = trj_get_f64(&b->payload);
        if (p->real && isinf(p->real[i])) return trj_stream_bad_block(b, "an infinite value", err);
    }
    return 0;
}

// A property with flags is rejected: bit 0 is reserved for values that change from frame to frame.
static int read_property(struct trj_stream_header *h, struct trj_block *b, struct trj_error *err) {
    uint32_t kind = trj_get_u32(&b->payload), flags = trj_get_u32(&b->payload);
    char *name = NULL, *unit = NULL, *origin = NULL;
    int rc = -1;
    if (flags & 1) return trj_stream_bad_block(b, "a property that changes over time, which is unsupported", err);
    if (flags || kind < TRJ_PROPERTY_REAL || kind > TRJ_PROPERTY_TEXT)
        return trj_stream_bad_block(b, "unknown kind of values or flags", err);
    if (get_text(b, &name, err) || get_text(b, &unit, err) || get_text(b, &origin, err)) goto out;
    size_t each = kind == TRJ_PROPERTY_TEXT ? sizeof(uint32_t) : 8;
    if (trj_cursor_left(&b->payload) / each < h->atoms) {
        trj_stream_bad_block(b, "wrong size", err);
        goto out;
    }
    struct trj_property *p = trj_property_add(h, name, unit, origin, (enum trj_property_kind)kind, err);
    if (!p) {
        if (err->status == TRJ_BAD_DATA)
            trj_error_set_place(err, "block PROP at byte %llu", (unsigned long long)b->offset);
        goto out;
    }
    rc = read_property_values(p, h->atoms, b, err);
out:
    free(name);
    free(unit);
    free(origin);
    return rc;
}

static int read_source(struct trj_stream_header *h, struct trj_block *b, struct trj_error *err) {
    char *name;
    if (get_text(b, &name, err)) return -1;
    return add_source(h, name, trj_get_u64(&b->payload), err);
}

static int read_movement(struct trj_stream_header *h, struct trj_block *b, struct trj_error *err) {
    struct trj_movement m = {.selection = NULL};
    uint32_t kind = trj_get_u32(&b->payload);
    m.atoms = trj_get_u64(&b->payload);
    int rc = trj_get_text(&b->payload, &m.selection, err) || trj_get_text(&b->payload, &m.reference, err) ? -1 : 0;
    m.fingerprint = trj_get_u64(&b->payload);
    m.frame = trj_get_u64(&b->payload);
    if (b->payload.failed)
        rc = trj_stream_bad_block(b, "too short for its content", err);
    else if (!rc && (kind < TRJ_MOVED_WHOLE || kind > TRJ_UNWRAPPED_FLAGS))
        rc = trj_stream_bad_block(b, "a movement that this version does not support; use a newer version", err);
    m.kind = (enum trj_movement_kind)kind;
    if (!rc) rc = trj_movement_add(h, &m, m.selection, m.reference, err);
    trj_movement_free(&m);
    return rc;
}

static int read_movements(struct trj_stream_header *h, struct trj_block *b, struct trj_error *err) {
    uint32_t n = trj_get_u32(&b->payload);
    int rc = 0;
    if (h->movement_count) return trj_stream_bad_block(b, "occurs twice", err);
    if (!n || n > TRJ_MOVEMENTS_MAX) return trj_stream_bad_block(b, "invalid number of movements", err);
    for (uint32_t i = 0; i < n && !rc; i++) rc = read_movement(h, b, err);
    return rc;
}

// Bits of the flags are reserved.
static int read_open(struct trj_stream_header *h, struct trj_block *b, struct trj_error *err) {
    uint32_t flags = trj_get_u32(&b->payload);
    if (h->open_system) return trj_stream_bad_block(b, "occurs twice", err);
    if (flags) return trj_stream_bad_block(b, "unknown flags; use a newer version", err);
    bool dynamic = h->groups;
    for (size_t i = 0; i < h->group_count && dynamic; i++) dynamic = h->groups[i].dynamic;
    h->open_system = true;
    return dynamic ? 0 : trj_stream_bad_block(b, "comes before the groups, or some are not dynamic", err);
}

// Copies a text into an array. Returns 0 or -1.
static int get_short_text(struct trj_block *b, char *to, size_t capacity, struct trj_error *err) {
    char *text;
    if (get_text(b, &text, err)) return -1;
    size_t n = strlen(text);
    int rc = n < capacity ? 0 : trj_stream_bad_block(b, "a text is too long", err);
    if (!rc) memcpy(to, text, n + 1);
    free(text);
    return rc;
}

static int read_varying(struct trj_stream_header *h, struct trj_block *b, struct trj_error *err) {
    uint32_t n = trj_get_u32(&b->payload);
    if (h->motion) return trj_stream_bad_block(b, "occurs twice", err);
    if (!n) return trj_stream_bad_block(b, "lists nothing", err);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t kind = trj_get_u32(&b->payload);
        if (b->payload.failed || kind >= TRJ_MOTION_KINDS || h->motion >> kind)
            return trj_stream_bad_block(b, "an unknown kind of data, or kinds are not ascending; use a newer version",
                                        err);
        struct trj_motion_source *s = &h->motion_source[kind];
        h->motion |= 1u << kind;
        if (get_short_text(b, s->unit, sizeof s->unit, err) || get_short_text(b, s->origin, sizeof s->origin, err))
            return -1;
        if (*s->unit && (kind != TRJ_MOTION_VELOCITY || strcmp(s->unit, TRJ_VELOCITY_UNIT) != 0))
            return trj_stream_bad_block(b, "an unknown unit; use a newer version", err);
        if (!*s->origin) return trj_stream_bad_block(b, "an empty origin", err);
    }
    return 0;
}

static const struct trj_stream_block stream_blocks[] = {
    {"HEAD", true, max_fixed, read_head},      {"PROV", true, max_provenance, read_provenance},
    {"GRPS", true, max_groups, read_groups},   {"CHNG", true, max_changing, read_changing},
    {"OPEN", true, max_fixed, read_open},      {"CENT", true, max_fixed, read_centres},
    {"RESI", true, max_ids, read_residues},    {"MOLE", true, max_ids, read_molecules},
    {"ELEM", true, max_ids, read_elements},    {"SITE", true, max_ids, read_sites},
    {"ATOM", true, max_ids, read_numbers},     {"BOND", true, max_bonds, read_bonds},
    {"PREC", true, max_fixed, read_precision}, {"PROP", true, max_property, read_property},
    {"MOVE", true, max_fixed, read_movements}, {"VARY", true, max_fixed, read_varying},
    {"SEGM", true, max_fixed, read_segment},   {"VELO", false, max_motion, NULL},
    {"VELZ", false, max_motion, NULL},         {"IMAG", false, max_motion, NULL},
    {"SRCE", false, max_source, read_source},  {"FRAM", false, max_frames, NULL},
    {"FRMX", false, max_packed, NULL},         {"FRMZ", false, max_frames, NULL},
    {"END!", false, max_fixed, NULL},
};

const struct trj_stream_block *trj_stream_block_find(const char *type) {
    for (size_t i = 0; i < sizeof stream_blocks / sizeof *stream_blocks; i++)
        if (!strcmp(type, stream_blocks[i].type)) return &stream_blocks[i];
    return NULL;
}
