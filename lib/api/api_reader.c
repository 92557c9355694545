// SPDX-License-Identifier: MIT
// Implements the functions of trjpipe.h that read frames.
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "api_parts.h"
#include "group.h"
#include "memory.h"
#include "merge.h"

enum { LISTS = 3 }; // of texts in the options

struct trjpipe_reader {
    struct trj_merge *merge;
    struct api_texts texts;             // copies of the paths and options
    char **paths;                       // [count] some of these texts
    const char **lists[LISTS];          // some of these texts: groups, defines, includes
    struct api_texts notes;             // of the merge
    size_t notes_taken;                 // by the caller
    bool note_lost;                     // memory for a note was missing
    struct trj_frame *first;            // the first frame, until it is returned
    bool ended, failed;                 // no more frames can be read
    bool convert;                       // to Å
    struct trjpipe_header header;       // for the caller
    struct trjpipe_group *groups;       // of this header
    struct trjpipe_source *sources;     // of this header
    size_t source_capacity;             // of `sources`
    struct trjpipe_movement *movements; // of this header
};

static int begin(void *arg, struct trj_merge *m, struct trj_error *err) {
    (void)arg;
    (void)m;
    (void)err;
    return 0;
}

static void keep_note(void *arg, const char *text) {
    struct trjpipe_reader *r = arg;
    struct trj_error ignored; // the next call reports the failure
    if (api_texts_add(&r->notes, text, NULL, &ignored))
        r->note_lost = true;
    else
        trj_replace_control_chars(r->notes.text[r->notes.count - 1]);
}

const char *trjpipe_reader_note(trjpipe_reader *r) {
    return r->notes_taken < r->notes.count ? r->notes.text[r->notes_taken++] : NULL;
}

// Makes the options of a merge, with copies of all texts.
static int take_options(struct trjpipe_reader *r, const struct trjpipe_reader_options *o,
                        struct trj_merge_options *merge_options, struct trj_error *err) {
    const struct {
        const char *from, **to;
    } texts[] = {{o->format, &merge_options->format},
                 {o->topology, &merge_options->topology},
                 {o->atom_style, &merge_options->atom_style},
                 {o->by, &merge_options->by},
                 {o->frames, &merge_options->frames},
                 {o->time, &merge_options->time},
                 {o->segment, &merge_options->segment},
                 {o->cell, &merge_options->cell},
                 {o->periodic, &merge_options->periodic},
                 {o->carry, &merge_options->carry},
                 {o->open, &merge_options->open}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (api_texts_add(&r->texts, texts[i].from, texts[i].to, err)) return -1;
    const struct {
        const char *const *from, *name, *what;
        size_t count;
        struct trj_text_list *to;
    } lists[LISTS] = {{o->groups, "groups", "NAME=SELECTION", o->group_count, &merge_options->groups},
                      {o->defines, "defines", "NAME or NAME=VALUE", o->define_count, &merge_options->defines},
                      {o->includes, "includes", "a folder", o->include_count, &merge_options->includes}};
    for (size_t k = 0; k < LISTS; k++) {
        const char **texts_of_list = r->lists[k] = trj_alloc(lists[k].count, sizeof *r->lists[k], lists[k].name, err);
        if (!texts_of_list) return -1;
        for (size_t i = 0; i < lists[k].count; i++) {
            const char *text = lists[k].from ? lists[k].from[i] : NULL;
            if (!text) return trj_fail(err, TRJ_USAGE, "%s[%zu] is NULL; give %s", lists[k].name, i, lists[k].what);
            if (api_texts_add(&r->texts, text, &texts_of_list[i], err)) return -1;
        }
        *lists[k].to = (struct trj_text_list){texts_of_list, lists[k].count};
    }
    merge_options->drop_repeated = o->drop_repeated;
    merge_options->salvage = o->salvage;
    merge_options->threads = o->threads;
    if (o->unit != TRJPIPE_ANGSTROM && o->unit != TRJPIPE_STORED)
        return trj_fail(err, TRJ_USAGE, "unit: invalid value %d; use TRJPIPE_ANGSTROM or TRJPIPE_STORED", o->unit);
    r->convert = o->unit == TRJPIPE_ANGSTROM;
    return 0;
}

static int take_paths(struct trjpipe_reader *r, const char *const *paths, size_t count, struct trj_error *err) {
    if (!count || count > INT_MAX) return trj_fail(err, TRJ_USAGE, "%zu input files; give at least one", count);
    if (!(r->paths = trj_alloc(count, sizeof *r->paths, "paths", err))) return -1;
    for (size_t i = 0; i < count; i++) {
        if (!paths || !paths[i]) return trj_fail(err, TRJ_USAGE, "paths[%zu] is NULL; give a file", i);
        if (api_texts_add(&r->texts, paths[i], NULL, err)) return -1;
        r->paths[i] = r->texts.text[r->texts.count - 1];
    }
    return 0;
}

static int update_sources(struct trjpipe_reader *r, struct trj_error *err) {
    const struct trj_stream_header *h = trj_merge_header(r->merge);
    size_t from = r->header.source_count;
    if (trj_grow(&r->sources, &r->source_capacity, h->source_count, sizeof *r->sources, "sources", err)) return -1;
    for (size_t i = from; i < h->source_count; i++)
        r->sources[i] = (struct trjpipe_source){h->sources[i].name, h->sources[i].fingerprint};
    r->header.sources = r->sources;
    r->header.source_count = h->source_count;
    return 0;
}

static int make_header(struct trjpipe_reader *r, struct trj_error *err) {
    const struct trj_stream_header *h = trj_merge_header(r->merge);
    if (!(r->groups = trj_alloc(h->group_count, sizeof *r->groups, "groups", err))) return -1;
    for (size_t i = 0; i < h->group_count; i++) {
        const struct trj_group *g = &h->groups[i];
        r->groups[i] = (struct trjpipe_group){g->name, g->count, g->atoms, g->dynamic, g->word};
    }
    if (!(r->movements = trj_alloc(h->movement_count, sizeof *r->movements, "movements", err))) return -1;
    for (size_t i = 0; i < h->movement_count; i++) {
        const struct trj_movement *m = &h->movements[i];
        r->movements[i] = (struct trjpipe_movement){
            (enum trjpipe_movement_kind)m->kind, m->selection, m->atoms, m->reference, m->fingerprint, m->frame};
    }
    r->header = (struct trjpipe_header){
        .struct_size = sizeof r->header,
        .atoms = h->atoms,
        .centres = h->centres,
        .source_atoms = h->source_atoms,
        .group_count = h->group_count,
        .groups = r->groups,
        .member_words = h->member_words,
        .number = h->number,
        .element = h->element,
        .element_from = h->element_from,
        .residue = h->residue,
        .molecule = h->molecule,
        .bond_count = h->bond_count,
        .between = h->between,
        .bonds = h->bond ? *h->bond : NULL,
        .provenance_count = h->provenance_count,
        .provenance = (const char *const *)h->provenance,
        .precision = h->precision,
        .movement_count = h->movement_count,
        .movements = r->movements,
        .open_system = h->open_system,
    };
    return update_sources(r, err);
}

static int open_reader(struct trjpipe_reader *r, const char *const *paths, size_t count,
                       const struct trjpipe_reader_options *options, struct trj_error *err) {
    struct trjpipe_reader_options o = {.struct_size = sizeof o};
    struct trj_merge_options merge_options = {.format = NULL};
    if (api_take_struct(&o, sizeof o, options, "trjpipe_reader_options", err) ||
        take_options(r, &o, &merge_options, err) || take_paths(r, paths, count, err) ||
        trj_merge_open(&r->merge, &merge_options, err))
        return -1;
    const struct trj_merge_sink sink = {.stream = true, .names = o.labels, .begin = begin, .arg = r, .note = keep_note};
    if (trj_merge_start(r->merge, r->paths, (int)count, &sink, err) || trj_merge_read(r->merge, &r->first, err) < 0)
        return -1;
    // A program that does not request such frames may use the coordinates of absent atoms.
    if (trj_merge_header(r->merge)->open_system && !o.open)
        return trj_fail(err, TRJ_USAGE,
                        "%s: the number of atoms changes; a program that supports this requests it with "
                        "trjpipe_reader_options.open",
                        r->paths[0]);
    return make_header(r, err);
}

int trjpipe_reader_open(trjpipe_reader **reader, const char *const *paths, size_t count,
                        const struct trjpipe_reader_options *options, struct trjpipe_error *error) {
    struct trj_error err;
    struct trjpipe_reader *r = trj_alloc(1, sizeof *r, "a reader", &err);
    *reader = NULL;
    if (!r || open_reader(r, paths, count, options, &err)) {
        trjpipe_reader_close(r);
        return api_fail(error, &err);
    }
    *reader = r;
    return 0;
}

void trjpipe_reader_close(trjpipe_reader *r) {
    if (!r) return;
    trj_merge_close(r->merge);
    api_texts_free(&r->texts);
    api_texts_free(&r->notes);
    free(r->paths);
    for (int k = 0; k < LISTS; k++) free(r->lists[k]);
    free(r->groups);
    free(r->sources);
    free(r->movements);
    free(r);
}

const struct trjpipe_header *trjpipe_reader_header(const trjpipe_reader *r) {
    return &r->header;
}

// Copies coordinates to x[atoms][3]. A coordinate in nm can be finite and exceed float32 in Å.
static int copy_coordinates(const struct trj_frame *f, bool convert, float *x, struct trj_error *err) {
    const double unit = f->unit;
    bool finite = true;
    if (!convert || unit == 1) {
        for (size_t i = 0; i < f->atoms; i++)
            for (int k = 0; k < 3; k++) x[3 * i + (size_t)k] = f->x[k][i];
        return 0;
    }
    for (size_t i = 0; i < f->atoms; i++)
        for (int k = 0; k < 3; k++) {
            float v = (float)((double)f->x[k][i] * unit);
            finite &= isfinite(v) != 0;
            x[3 * i + (size_t)k] = v;
        }
    if (finite) return 0;
    return trj_fail(err, TRJ_BAD_DATA,
                    "frame %llu: a coordinate exceeds the range of float32 in Angstrom; read it with TRJPIPE_STORED",
                    (unsigned long long)f->index);
}

static int give_frame(const struct trjpipe_reader *r, const struct trj_frame *f, struct trjpipe_frame *to,
                      struct trj_error *err) {
    struct trjpipe_frame own = {
        .index = f->index,
        .step = f->step,
        .time = f->time,
        .unit = r->convert ? 1 : f->unit,
        .source = f->source,
        .periodic = f->cell.periodic,
        .members = r->header.member_words ? f->members : NULL,
    };
    for (int i = 0; i < 9; i++) own.cell[i] = f->cell.h[i / 3][i % 3];
    return api_give_struct(to, &own, sizeof own, "trjpipe_frame", err);
}

// Returns 1, 0 or -1, and leaves reader->failed to the caller.
static int read_frame(struct trjpipe_reader *r, struct trjpipe_frame *frame, float *x, struct trj_error *err) {
    struct trj_frame *f = r->first;
    r->first = NULL;
    int got = f ? 1 : trj_merge_read(r->merge, &f, err);
    if (!got) trj_merge_note_repeated(r->merge);
    if (got >= 0 && r->note_lost) return trj_fail_memory(err, 0, "a note");
    if (got <= 0) return got;
    return update_sources(r, err) || (x && copy_coordinates(f, r->convert, x, err)) ||
                   (frame && give_frame(r, f, frame, err))
               ? -1
               : 1;
}

int trjpipe_reader_read(trjpipe_reader *r, struct trjpipe_frame *frame, float *x, struct trjpipe_error *error) {
    struct trj_error err;
    if (r->ended) return 0;
    if (r->failed) {
        trj_error_set(&err, TRJ_USAGE, "an earlier frame could not be read; close the reader");
        return api_fail(error, &err);
    }
    int got = read_frame(r, frame, x, &err);
    r->ended = !got;
    r->failed = got < 0;
    return got < 0 ? api_fail(error, &err) : got;
}

int trjpipe_reader_losses(const trjpipe_reader *r, struct trjpipe_error *error) {
    struct trj_error err;
    return trj_merge_check_losses(r->merge, &err) ? api_fail(error, &err) : 0;
}

const char *trjpipe_reader_label(const trjpipe_reader *r, int label, size_t atom) {
    const struct trj_topology *top = trj_merge_topology(r->merge);
    const uint32_t *rows = trj_merge_rows(r->merge);
    if (!top || atom >= r->header.atoms - r->header.centres || atom >= trj_merge_present(r->merge)) return NULL;
    size_t row = rows ? rows[atom] : atom;
    const struct trj_texts *const columns[] = {
        [TRJPIPE_NAME] = &top->name,     [TRJPIPE_TYPE] = &top->type,   [TRJPIPE_RESIDUE_NAME] = &top->resname,
        [TRJPIPE_SEGMENT] = &top->segid, [TRJPIPE_CHAIN] = &top->chain, [TRJPIPE_ELEMENT] = &top->element};
    if (label < 0 || (size_t)label >= sizeof columns / sizeof *columns || row >= top->atoms) return NULL;
    const struct trj_texts *column = columns[label];
    const char *text = column->id ? column->text[column->id[row]] : "";
    return *text ? text : NULL;
}

size_t trjpipe_group_members(const struct trjpipe_group *group, const struct trjpipe_frame *frame, uint32_t *atoms) {
    size_t n = 0;
    for (size_t i = 0; i < group->count; i++)
        if (!group->dynamic || (frame->members && frame->members[group->word + i / 32] >> i % 32 & 1)) {
            if (atoms) atoms[n] = group->atoms[i];
            n++;
        }
    return n;
}

const char *trjpipe_reader_property_name(const trjpipe_reader *r, size_t i) {
    const struct trj_stream_header *h = trj_merge_header(r->merge);
    return i < h->property_count ? h->properties[i].name : NULL;
}

static int give_property(const struct trjpipe_reader *r, const char *name, struct trjpipe_property *property,
                         struct trj_error *err) {
    const struct trj_property *p = name ? trj_property_find(trj_merge_header(r->merge), name) : NULL;
    if (!p)
        return trj_fail(err, TRJ_USAGE, "no property '%.40s'; request it with trjpipe_reader_options.carry",
                        name ? name : "");
    // A program of an earlier version would take the missing real numbers for an array.
    if (p->kind != TRJ_PROPERTY_REAL && property->struct_size < sizeof *property)
        return trj_fail(err, TRJ_USAGE,
                        "property '%.40s' has no real numbers; build the program with the present trjpipe.h", name);
    const struct trjpipe_property own = {
        .unit = p->unit,
        .origin = p->origin,
        .values = p->real,
        .integers = p->integer,
        .text = p->kind == TRJ_PROPERTY_TEXT ? p->text.id : NULL,
        .text_count = p->text.count,
        .texts = (const char *const *)p->text.text,
    };
    return api_give_struct(property, &own, sizeof own, "trjpipe_property", err);
}

int trjpipe_reader_property(const trjpipe_reader *r, const char *name, struct trjpipe_property *property,
                            struct trjpipe_error *error) {
    struct trj_error err;
    return give_property(r, name, property, &err) ? api_fail(error, &err) : 0;
}
