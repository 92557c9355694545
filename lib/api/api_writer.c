// SPDX-License-Identifier: MIT
// Implements the functions of trjpipe.h that write frame streams. They check all arguments, so that readers accept the
// stream.
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "api_parts.h"
#include "element.h"
#include "frame_stream.h"
#include "group.h"
#include "hash.h"
#include "memory.h"
#include "output.h"
#include "rounding.h"
#include "text_index.h"

enum { MAX_LEVEL = 19 };

struct trjpipe_writer {
    struct trj_output *out;
    struct trj_stream_writer *stream;
    struct trj_stream_header header;
    struct trj_frame frame;
    struct trj_rounding rounding; // bound 0: coordinates are not rounded
    bool failed, finished;
};

// Copies n numbers, which must be less than `limit`. NULL stays NULL.
static int take_numbers(uint32_t **to, const uint32_t *from, size_t n, uint64_t limit, const char *what,
                        struct trj_error *err) {
    if (!from) return 0;
    if (!(*to = trj_alloc(n, sizeof **to, what, err))) return -1;
    memcpy(*to, from, n * sizeof **to);
    for (size_t i = 0; i < n; i++)
        if (from[i] >= limit)
            return trj_fail(err, TRJ_USAGE, "%s[%zu] is %lu; it must be less than %llu", what, i,
                            (unsigned long)from[i], (unsigned long long)limit);
    return 0;
}

static int check_ascending(const uint32_t *numbers, size_t n, const char *what, struct trj_error *err) {
    for (size_t i = 1; numbers && i < n; i++)
        if (numbers[i] <= numbers[i - 1])
            return trj_fail(err, TRJ_USAGE, "%s[%zu] is not greater than the number before it; sort the numbers", what,
                            i);
    return 0;
}

static int take_group(struct trj_group *to, const struct trjpipe_group *from, size_t atoms, struct trj_error *err) {
    if (!from->name || !trj_group_name_fits(from->name, strlen(from->name)))
        return trj_fail(err, TRJ_USAGE, "the name of a group is missing or invalid; use letters, digits and _ . + -");
    if (!from->count || !from->atoms)
        return trj_fail(err, TRJ_USAGE, "group %s has no atoms; leave it out", from->name);
    if (from->count > atoms)
        return trj_fail(err, TRJ_USAGE, "group %s has %zu atoms, but the frames have %zu; list each atom once",
                        from->name, from->count, atoms);
    if (!(to->name = trj_copy_text(from->name, err))) return -1;
    to->count = from->count;
    to->dynamic = from->dynamic;
    if (take_numbers(&to->atoms, from->atoms, from->count, atoms, "atoms", err) ||
        check_ascending(to->atoms, to->count, "atoms", err))
        return trj_fail_at(err, "group %s", to->name);
    return 0;
}

static int take_groups(struct trj_stream_header *h, const struct trjpipe_header *from, struct trj_error *err) {
    struct trj_texts texts = {.count = 0};
    struct trj_text_index names = {.texts = &texts};
    int rc = 0;
    if (!from->group_count || !from->groups)
        return trj_fail(err, TRJ_USAGE, "the header has no group; give at least one");
    if (!(h->groups = trj_alloc(from->group_count, sizeof *h->groups, "groups", err))) return -1;
    h->group_count = from->group_count;
    for (size_t i = 0; i < from->group_count && !rc; i++) {
        uint32_t number;
        rc = take_group(&h->groups[i], &from->groups[i], h->atoms, err);
        if (!rc) rc = trj_text_index_add(&names, h->groups[i].name, &number, err);
        if (!rc && number < i)
            rc = trj_fail(err, TRJ_USAGE, "two groups have the name %s; give each group its own name",
                          h->groups[i].name);
    }
    trj_text_index_free(&names);
    trj_texts_clear(&texts);
    h->member_words = rc ? 0 : trj_groups_lay_out(h->groups, h->group_count);
    return rc;
}

static int take_bonds(struct trj_stream_header *h, const struct trjpipe_header *from, struct trj_error *err) {
    uint32_t *bonds = NULL;
    if (!from->bonds) return 0;
    if (from->between > from->bond_count || from->between > UINT32_MAX - h->atoms || from->bond_count > SIZE_MAX / 8)
        return trj_fail(err, TRJ_USAGE, "between is %zu; it must not exceed the number of bonds, %zu", from->between,
                        from->bond_count);
    int rc = take_numbers(&bonds, from->bonds, 2 * from->bond_count, (uint64_t)h->atoms + from->between, "bonds", err);
    h->bond = (uint32_t(*)[2])(void *)bonds;
    h->bond_count = from->bond_count;
    h->between = from->between;
    return rc;
}

static int add_source(struct trj_stream_header *h, const char *name, uint64_t fingerprint, struct trj_error *err) {
    // Another program may have written a stream with an empty name, which can be copied: the fingerprint identifies it.
    if (!name || (!*name && !fingerprint)) return trj_fail(err, TRJ_USAGE, "the name of a source is missing; give one");
    return trj_stream_header_add_source(h, name, fingerprint ? fingerprint : trj_hash(name, strlen(name), 0), err);
}

static int take_movement(struct trj_stream_header *h, const struct trjpipe_movement *from, struct trj_error *err) {
    const struct trj_movement m = {.kind = (enum trj_movement_kind)from->kind,
                                   .atoms = from->atoms,
                                   .fingerprint = from->fingerprint,
                                   .frame = from->frame};
    if (from->kind < TRJPIPE_WHOLE || from->kind > TRJPIPE_UNWRAP_FLAGS)
        return trj_fail(err, TRJ_USAGE,
                        "movement of kind %d; use TRJPIPE_WHOLE, TRJPIPE_CENTRE, TRJPIPE_FIT or TRJPIPE_UNWRAP_...",
                        (int)from->kind);
    return trj_movement_add(h, &m, from->selection ? from->selection : "", from->reference ? from->reference : "", err);
}

// Takes whether the number of atoms changes. If it does, there are no data of single atoms, and all groups are dynamic.
static int take_open_system(struct trj_stream_header *h, const struct trjpipe_header *from, struct trj_error *err) {
    h->open_system = from->open_system;
    bool fits =
        !h->centres && !h->residue && !h->molecule && !h->element && !h->number && !h->bond && !h->movement_count;
    for (size_t i = 0; i < h->group_count && fits; i++) fits = h->groups[i].dynamic;
    if (!h->open_system || fits) return 0;
    return trj_fail(err, TRJ_USAGE,
                    "open_system is 1, but a group is not dynamic, or the header has data of single atoms; leave them "
                    "out");
}

static int take_header(struct trj_stream_header *h, const struct trjpipe_header *from, struct trj_error *err) {
    if (!from->atoms || from->atoms > UINT32_MAX || from->centres > from->atoms)
        return trj_fail(err, TRJ_USAGE, "%zu atoms, of which %zu are centres; give 1 to 2^32 - 1 atoms", from->atoms,
                        from->centres);
    size_t own = from->atoms - from->centres;
    h->atoms = from->atoms;
    h->centres = from->centres;
    h->precision = from->precision;
    h->source_atoms = from->source_atoms ? from->source_atoms : own;
    if (h->source_atoms < own)
        return trj_fail(err, TRJ_USAGE, "source_atoms is %zu; it must be at least %zu", h->source_atoms, own);
    if (!(h->precision >= 0) || !isfinite(h->precision))
        return trj_fail(err, TRJ_USAGE, "precision is %g; give a length in Angstrom, or 0", h->precision);
    if (take_groups(h, from, err)) return -1;
    if (take_numbers(&h->residue, from->residue, h->atoms, UINT64_MAX, "residue", err)) return -1;
    if (take_numbers(&h->molecule, from->molecule, h->atoms, UINT64_MAX, "molecule", err)) return -1;
    if (take_numbers(&h->element, from->element, h->atoms, TRJ_ELEMENTS + 1, "element", err)) return -1;
    if (take_numbers(&h->number, from->number, own, h->source_atoms, "number", err)) return -1;
    if (check_ascending(h->number, own, "number", err)) return -1;
    if (take_bonds(h, from, err)) return -1;
    if (from->element_from && *from->element_from && !(h->element_from = trj_copy_text(from->element_from, err)))
        return -1;
    for (size_t i = 0; from->provenance && i < from->provenance_count; i++)
        if (trj_stream_header_add_provenance(h, from->provenance[i], err)) return -1;
    for (size_t i = 0; from->movements && i < from->movement_count; i++)
        if (take_movement(h, &from->movements[i], err)) return -1;
    if (take_open_system(h, from, err)) return -1;
    for (size_t i = 0; from->sources && i < from->source_count; i++)
        if (add_source(h, from->sources[i].name, from->sources[i].fingerprint, err)) return -1;
    return 0;
}

static int take_precision(struct trjpipe_writer *w, double precision, struct trj_error *err) {
    if (precision == 0) return 0;
    if (!(precision > 0) || !isfinite(precision))
        return trj_fail(err, TRJ_USAGE, "precision is %g; give a length in Angstrom, or 0", precision);
    if (w->header.precision > 0)
        return trj_fail(err, TRJ_USAGE,
                        "precision is %g, but the coordinates have already been rounded, to within %g Å; give 0",
                        precision, w->header.precision);
    w->header.precision = w->rounding.bound = precision;
    return 0;
}

static int open_writer(struct trjpipe_writer *w, const char *path, const struct trjpipe_header *header,
                       const struct trjpipe_writer_options *options, struct trj_error *err) {
    struct trjpipe_header h = {.struct_size = sizeof h};
    struct trjpipe_writer_options o = {.struct_size = sizeof o};
    if (!path || !header)
        return trj_fail(err, TRJ_USAGE, "%s", path ? "the header is NULL; give one" : "the path is NULL; give a file");
    if (api_take_struct(&h, sizeof h, header, "trjpipe_header", err) ||
        api_take_struct(&o, sizeof o, options, "trjpipe_writer_options", err) || take_header(&w->header, &h, err))
        return -1;
    if (o.level < 0 || o.level > MAX_LEVEL)
        return trj_fail(err, TRJ_USAGE, "level is %d; give 0 to %d", o.level, MAX_LEVEL);
    if (take_precision(w, o.precision, err) || trj_frame_resize_members(&w->frame, w->header.member_words, err) ||
        trj_output_open(&w->out, path, TRJ_OUTPUT_BINARY, err))
        return -1;
    if (o.provenance && trj_stream_header_add_provenance(&w->header, o.provenance, err)) return -1;
    return trj_stream_writer_open(&w->stream, w->out, &w->header, o.level, o.threads, err);
}

int trjpipe_writer_open(trjpipe_writer **writer, const char *path, const struct trjpipe_header *header,
                        const struct trjpipe_writer_options *options, struct trjpipe_error *error) {
    struct trj_error err;
    struct trjpipe_writer *w = trj_alloc(1, sizeof *w, "a writer", &err);
    *writer = NULL;
    if (!w || open_writer(w, path, header, options, &err)) {
        trjpipe_writer_close(w);
        return api_fail(error, &err);
    }
    *writer = w;
    return 0;
}

void trjpipe_writer_close(trjpipe_writer *w) {
    if (!w) return;
    trj_stream_writer_close(w->stream);
    trj_output_close(w->out);
    trj_stream_header_free(&w->header);
    trj_frame_free(&w->frame);
    free(w);
}

// Fails if the writer cannot be used any more.
static int check_writer(const struct trjpipe_writer *w, struct trj_error *err) {
    if (w->failed) return trj_fail(err, TRJ_USAGE, "an earlier call failed; close the writer");
    return w->finished ? trj_fail(err, TRJ_USAGE, "the stream is finished; close the writer") : 0;
}

int trjpipe_writer_add_source(trjpipe_writer *w, const char *name, uint64_t fingerprint, struct trjpipe_error *error) {
    struct trj_error err;
    int rc = check_writer(w, &err) || add_source(&w->header, name, fingerprint, &err);
    return rc ? api_fail(error, &err) : 0;
}

static int take_members(struct trjpipe_writer *w, const uint32_t *members, struct trj_error *err) {
    const struct trj_stream_header *h = &w->header;
    if (!h->member_words) return 0;
    if (!members) return trj_fail(err, TRJ_USAGE, "members is NULL; give those of the dynamic groups");
    memcpy(w->frame.members, members, h->member_words * sizeof *members);
    for (size_t i = 0; i < h->group_count; i++) {
        const struct trj_group *g = &h->groups[i];
        if (g->dynamic && g->count % 32) w->frame.members[g->word + g->count / 32] &= (1u << g->count % 32) - 1;
    }
    return 0;
}

static int take_frame(struct trjpipe_writer *w, const struct trjpipe_frame *frame, const float *x,
                      struct trj_error *err) {
    struct trjpipe_frame given = {.struct_size = sizeof given};
    struct trj_frame *f = &w->frame;
    if (!frame || !x) return trj_fail(err, TRJ_USAGE, "%s NULL", frame ? "the coordinates are" : "the frame is");
    // trj_stream_write may have given the coordinates of the last frame to a pipe.
    if (api_take_struct(&given, sizeof given, frame, "trjpipe_frame", err) || trj_frame_resize(f, w->header.atoms, err))
        return -1;
    if (given.source >= w->header.source_count)
        return trj_fail(err, TRJ_USAGE, "source is %lu, but there are %zu sources; add one",
                        (unsigned long)given.source, w->header.source_count);
    if (!(given.unit > 0) || !isfinite(given.unit))
        return trj_fail(err, TRJ_USAGE, "unit is %g; give 1 for Angstrom or 10 for nm", given.unit);
    f->index = given.index;
    f->source = given.source;
    f->step = given.step;
    f->time = given.time;
    f->unit = given.unit;
    f->cell.periodic = given.periodic;
    for (int i = 0; i < 9; i++) f->cell.h[i / 3][i % 3] = given.cell[i];
    for (int i = 0; i < 9; i++)
        if (!isfinite(given.cell[i]))
            return trj_fail(err, TRJ_USAGE, "cell[%d] is not finite; without a cell, set all numbers to 0", i);
    if (given.periodic > TRJ_PERIODIC_ALL)
        return trj_fail(err, TRJ_USAGE, "periodic is %lu; give a sum of 1, 2 and 4", (unsigned long)given.periodic);
    if (trj_cell_restrict(&f->cell, TRJ_PERIODIC_ALL, err) || take_members(w, given.members, err)) return -1;
    for (size_t i = 0; i < f->atoms; i++)
        for (int k = 0; k < 3; k++) f->x[k][i] = x[3 * i + (size_t)k];
    if (trj_frame_check(f, NULL, err)) return -1;
    if (w->rounding.bound > 0) trj_frame_round(&w->rounding, f);
    return 0;
}

int trjpipe_writer_write(trjpipe_writer *w, const struct trjpipe_frame *frame, const float *x,
                         struct trjpipe_error *error) {
    struct trj_error err;
    if (check_writer(w, &err)) return api_fail(error, &err);
    if (!take_frame(w, frame, x, &err) && !trj_stream_write(w->stream, &w->frame, &err)) return 0;
    w->failed = true;
    return api_fail(error, &err);
}

int trjpipe_writer_finish(trjpipe_writer *w, struct trjpipe_error *error) {
    struct trj_error err;
    if (check_writer(w, &err)) return api_fail(error, &err);
    w->finished = true;
    if (!trj_stream_writer_finish(w->stream, &err) && !trj_output_commit(w->out, &err)) return 0;
    w->failed = true;
    return api_fail(error, &err);
}
