// SPDX-License-Identifier: MIT
// Chooses the format of an output, and checks each frame before any format writes it, so that their limits are in one
// place.
#include "writer.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input.h"
#include "memory.h"
#include "reader.h"
#include "topology.h"
#include "writer_parts.h"

static const double LIVE_SECONDS = 0.1; // most time between two flushes of live output

const struct trj_writer_format *const trj_writer_formats[] = {
    &trj_writer_stream,  //
    &trj_writer_dcd,     //
    &trj_writer_xtc,     //
    &trj_writer_netcdf,  //
    &trj_writer_xyz,     //
    &trj_writer_gro,     //
    &trj_writer_g96,     //
    &trj_writer_card,    //
    &trj_writer_pdb,     //
    &trj_writer_mmcif,   //
    &trj_writer_poscar,  //
    &trj_writer_xdatcar, //
    NULL,
};

const struct trj_choice *trj_writer_choices(void) {
    static struct trj_choice choices[sizeof trj_writer_formats / sizeof *trj_writer_formats]; // ends with NULL
    for (size_t i = 0; trj_writer_formats[i]; i++)
        choices[i] = (struct trj_choice){trj_writer_formats[i]->name, trj_writer_formats[i]->help};
    return choices;
}

static const struct trj_writer_format *format_named(const char *name) {
    const struct trj_writer_format *const *f = trj_writer_formats;
    while (*f && strcmp((*f)->name, name)) f++;
    return *f;
}

static const struct trj_writer_format *format_by_ending(const char *path) {
    for (const struct trj_writer_format *const *f = trj_writer_formats; *f; f++)
        for (const char *const *ending = (*f)->endings; *ending; ending++)
            if (trj_name_ends_in(path, *ending)) return *f;
    return NULL;
}

// Lists one ending of each format: ".trjf, .dcd, .xtc".
static const char *list_endings(char *text, size_t capacity) {
    size_t position = 0;
    for (const struct trj_writer_format *const *f = trj_writer_formats; *f && position < capacity; f++)
        position += (size_t)snprintf(text + position, capacity - position, "%s%s", f == trj_writer_formats ? "" : ", ",
                                     (*f)->endings[0]);
    return text;
}

int trj_writer_choose(const struct trj_writer_format **format, const char *name, const char *path,
                      struct trj_error *err) {
    char endings[128];
    const struct trj_writer_format *of_path = path ? format_by_ending(path) : NULL;
    const struct trj_writer_format *to = *format = name      ? format_named(name)
                                                   : of_path ? of_path
                                                             : trj_writer_formats[0];
    if (of_path && of_path != to)
        // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): `name` is a choice of --to; format_named finds it
        return trj_fail(err, TRJ_USAGE,
                        "--output %s: the ending is that of %s, but --to is %s; leave --to out, or change the ending",
                        path, of_path->name, to->name);
    if (path && trj_name_is_compressed(path))
        return trj_fail(
            err, TRJ_USAGE,
            "--output %s: compressed files are not written; -z compresses the blocks of a frame stream (.trjf)", path);
    if (path && !of_path && (trj_format_has_name(path) || trj_topology_has_name(path)))
        return trj_fail(err, TRJ_USAGE, "--output %s: files with this ending are not written; use one of %s", path,
                        list_endings(endings, sizeof endings));
    return 0;
}

int trj_writer_check(const struct trj_writer_format *format, const struct trj_output *out, struct trj_error *err) {
    if (format->patches && !trj_output_can_patch(out))
        return trj_fail(err, TRJ_USAGE,
                        "%s stores the frame count in its header, which cannot be updated on a pipe; use -o FILE",
                        format->name);
    return 0;
}

int trj_writer_open(struct trj_writer **result, const struct trj_writer_format *format, struct trj_output *out,
                    const struct trj_writer_setup *setup, struct trj_error *err) {
    if (trj_writer_check(format, out, err)) return -1;
    if (setup->header->open_system && !format->open_systems)
        return trj_fail(err, TRJ_USAGE,
                        "the number of atoms changes, which cannot be stored in %s; write a frame stream (--to trjf) "
                        "or extended XYZ (--to xyz)",
                        format->name);
    const struct trj_stream_header *h = setup->header;
    bool named = setup->top || (format->properties && (h->element || trj_property_find(h, "name")));
    if (format->names && !named && !h->open_system)
        return trj_fail(err, TRJ_USAGE, "%s contains names of atoms, which the frames lack; give a topology with -t",
                        format->name);
    struct trj_writer *w = trj_alloc(1, sizeof *w, "a writer", err);
    if (!w) return -1;
    w->format = format;
    w->out = out;
    w->setup = *setup;
    if (setup->header->precision > 0 && !format->stream)
        snprintf(w->note, sizeof w->note, "coordinates were rounded to within %g Å before, which %s does not record",
                 setup->header->precision, format->name);
    if (format->open && format->open(w, err)) {
        trj_writer_close(w);
        return -1;
    }
    *result = w;
    return 0;
}

static int32_t size_bits(float x) {
    int32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits & 0x7fffffff;
}

// Checks that all coordinates fit into float32 in Angstrom. Absolute values are compared as integers, which compilers
// vectorise.
static int check_size(const struct trj_writer *w, const struct trj_frame *f, struct trj_error *err) {
    int32_t max = 0;
    for (int k = 0; k < 3; k++)
        for (size_t i = 0; i < f->atoms; i++) {
            int32_t bits = size_bits(f->x[k][i]);
            max = bits > max ? bits : max;
        }
    float size;
    memcpy(&size, &max, sizeof size);
    if ((double)size * f->unit <= FLT_MAX && f->unit <= FLT_MAX) return 0;
    size_t atom = 0;
    for (size_t i = 0; i < f->atoms; i++)
        for (int k = 0; k < 3; k++)
            if (size_bits(f->x[k][i]) == max) atom = i;
    return trj_writer_no_room(w, f, atom, err);
}

void trj_writer_set_names(struct trj_writer *w, const struct trj_topology *top, const uint32_t *row) {
    w->setup.top = top;
    w->setup.row = row;
}

int trj_writer_write(struct trj_writer *w, struct trj_frame *f, struct trj_error *err) {
    if (f->unit != 1 && !w->format->stream && check_size(w, f, err)) return -1;
    if (w->format->write(w, f, err)) return -1;
    w->frames++;
    // Frames that come one after the other without a pause would otherwise wait for a full block.
    bool flush = w->setup.live && !(trj_seconds() < w->flushed + LIVE_SECONDS);
    return flush ? trj_writer_flush(w, err) : 0;
}

int trj_writer_flush(struct trj_writer *w, struct trj_error *err) {
    w->flushed = trj_seconds();
    return (w->format->flush && w->format->flush(w, err)) || trj_output_flush(w->out, err) ? -1 : 0;
}

int trj_writer_finish(struct trj_writer *w, struct trj_error *err) {
    return w->format->finish ? w->format->finish(w, err) : 0;
}

void trj_writer_close(struct trj_writer *w) {
    if (!w) return;
    if (w->format->close) w->format->close(w);
    free(w->state);
    free(w);
}

// ---- writer_parts.h
