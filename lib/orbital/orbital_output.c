// SPDX-License-Identifier: MIT
// Opens the files of maps as wave functions arrive, since the names of files can depend on the orbitals.
#include "orbital_output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "series_name.h"

struct orb_output_file {
    struct trj_map_output output; // a copy of the options, with a name of its own
    struct trj_map map;
    struct trj_map_atoms atoms; // the numbers of orbitals; the atoms belong to the task
    size_t first, values;       // of a point
    char *path;                 // NULL: standard output
};

enum { FILES_MAX = 512 }; // that are open at a time

// Returns the name of a file; NULL after an error, or for standard output.
static char *path_of(struct orb_output *o, const char *name, struct trj_error *err) {
    if (!o->options.path) return NULL;
    char *text = trj_series_insert(o->options.path, name, err);
    char *path = text ? trj_series_name(text, o->maps, &o->numbered, err) : NULL;
    free(text);
    return path;
}

// Fails because the name contains another '%' than the two that are replaced.
static int fail_name(const struct orb_output *o, struct trj_error *err) {
    return trj_fail(err, TRJ_USAGE,
                    "--output: invalid name '%s': expected at most one '%%s', for the names of orbitals and other "
                    "quantities, and one '%%d' or '%%05d', for the numbers of files",
                    o->options.path);
}

int orb_output_open(struct orb_output *o, struct trj_error *err) {
    const struct trj_map_format *format;
    o->named = o->options.path && strstr(o->options.path, "%s");
    char *path = path_of(o, "x", err);
    if (o->options.path && !path && err->status == TRJ_USAGE) return fail_name(o, err);
    int rc = (o->options.path && !path) || trj_map_format_choose(&format, o->options.to, path, err) ? -1 : 0;
    free(path);
    if (rc) return -1;
    if (o->several && !o->numbered && (o->named || !format->series))
        return trj_fail(err, TRJ_USAGE,
                        "--output: a file of this format has the map of one wave function; write a grid stream, or a "
                        "series of files with a name such as -o '%s'",
                        o->named ? "map.%05d.%s.cube" : "map.%05d.cube");
    return 0;
}

static void close_file(struct orb_output_file *f) {
    trj_map_output_close(&f->output);
    trj_map_free(&f->map);
    free(f->atoms.orbital);
    free(f->path);
}

static void close_files(struct orb_output *o) {
    for (size_t i = 0; i < o->count; i++) close_file(&o->file[i]);
    free(o->file);
    o->file = NULL;
    o->count = 0;
}

// Appends a text to one of TRJ_MAP_TEXT_MAX characters.
static void append(char text[TRJ_MAP_TEXT_MAX + 1], const char *separator, const char *more) {
    size_t n = strlen(text);
    snprintf(text + n, TRJ_MAP_TEXT_MAX + 1 - n, "%s%s", n ? separator : "", more);
}

// Fails because the format has one value for each point.
static int fail_scalar(const struct orb_output *o, const struct orb_output_file *f, const struct orb_value *v,
                       struct trj_error *err) {
    const char *path = o->options.path ? o->options.path : "", *slash = strrchr(path, '/'),
               *dot = strrchr(slash ? slash : path, '.');
    trj_error_set(err, TRJ_USAGE,
                  "--output: %s has one value for each point, but there are %zu: ", f->output.format->name, f->values);
    for (size_t i = 0; i < f->values && i < 4; i++) trj_error_append(err, "%s%s", i ? ", " : "", v[i].name);
    trj_error_append(err, "%s; write a file for each with a name such as -o '%.*s.%%s%s', or write cube, npy or trjg",
                     f->values > 4 ? ", ..." : "", dot ? (int)(dot - path) : 3, dot ? path : "map", dot ? dot : "");
    return -1;
}

// Describes the map of a file.
static int describe(const struct orb_output *o, struct orb_output_file *f, const struct orb_task *t,
                    const struct trj_map_lattice *l, struct trj_error *err) {
    const struct orb_value *v = t->value + f->first;
    bool orbitals = v->number > 0;
    char text[TRJ_MAP_TEXT_MAX + 1] = "";
    if (orbitals && (o->several || f->values > 1)) append(text, "", f->values > 1 ? "orbitals" : "orbital");
    for (size_t i = 0; i < f->values; i++)
        append(text,
               !i         ? " "
               : orbitals ? ", "
                          : " and ",
               orbitals && (o->several || f->values > 1) ? v[i].name : v[i].quantity);
    const struct trj_map map = {.lattice = *l,
                                .quantity = text,
                                .unit = (char[]){0},
                                .kind = TRJ_MAP_FLOAT64,
                                .meaning = TRJ_MAP_SAMPLES,
                                .components = (uint32_t)f->values};
    if (f->values > TRJ_MAP_COMPONENTS_MAX)
        return trj_fail(err, TRJ_USAGE,
                        "--mo: %zu orbitals, but a map has at most %d values; choose fewer of them, or "
                        "write a file for each with a name such as -o 'mo.%%s.cube'",
                        f->values, TRJ_MAP_COMPONENTS_MAX);
    if (f->values > 1 && f->output.format->scalar) return fail_scalar(o, f, v, err);
    if (trj_map_copy(&f->map, &map, err)) return -1;
    free(f->map.unit);
    return (f->map.unit = trj_copy_text(v->unit, err)) ? 0 : -1;
}

// The numbers of orbitals are written if there are several: many programs read cube files of one orbital only without.
static int list_orbitals(struct orb_output_file *f, const struct orb_task *t, struct trj_error *err) {
    free(f->atoms.orbital);
    f->atoms = t->atoms;
    f->atoms.orbital = NULL;
    f->atoms.orbitals = 0;
    if (f->values < 2 || !t->value->number) return 0;
    if (!(f->atoms.orbital = trj_alloc(f->values, sizeof *f->atoms.orbital, "orbitals", err))) return -1;
    for (; f->atoms.orbitals < f->values; f->atoms.orbitals++)
        f->atoms.orbital[f->atoms.orbitals] = t->value[f->first + f->atoms.orbitals].number;
    return 0;
}

static int start_file(struct orb_output *o, struct orb_output_file *f, const struct orb_task *t,
                      const struct trj_map_lattice *l, char *const *provenance, struct trj_error *err) {
    f->output = o->options;
    f->path = path_of(o, t->value[f->first].name, err);
    f->output.path = f->path;
    if (o->options.path && !f->path) return -1;
    return trj_map_output_open(&f->output, err) || describe(o, f, t, l, err) ||
                   trj_map_output_start(&f->output, &f->map, provenance, err)
               ? -1
               : 0;
}

static int start_files(struct orb_output *o, const struct orb_task *t, const struct trj_map_lattice *l,
                       char *const *provenance, struct trj_error *err) {
    size_t n = o->named ? t->values : 1;
    if (n > FILES_MAX)
        return trj_fail(err, TRJ_USAGE, "--mo: %zu orbitals, but at most %d files are written at a time; choose fewer",
                        n, FILES_MAX);
    if (!(o->file = trj_alloc(n, sizeof *o->file, "files", err))) return -1;
    for (size_t i = 0; i < n; i++) {
        struct orb_output_file *f = &o->file[o->count++];
        f->first = i;
        f->values = o->named ? 1 : t->values;
        if (start_file(o, f, t, l, provenance, err)) return -1;
    }
    return 0;
}

int orb_output_begin(struct orb_output *o, const struct orb_task *t, const struct trj_map_lattice *l,
                     char *const *provenance, struct trj_error *err) {
    if (!o->file && start_files(o, t, l, provenance, err)) return -1;
    o->maps++;
    if (!o->named && t->values != o->file->values)
        return trj_fail(err, TRJ_BAD_DATA,
                        "--mo: %zu orbitals, but %zu of the first file; choose them by number, or as "
                        "homo and lumo",
                        t->values, o->file->values);
    for (size_t i = 0; i < o->count; i++) {
        struct trj_grid_record record = {.frames = 0};
        if (list_orbitals(&o->file[i], t, err)) return -1;
        record.atoms = o->file[i].atoms;
        if (trj_map_writer_begin(o->file[i].output.writer, &record, err)) return -1;
    }
    return 0;
}

int orb_output_write(struct orb_output *o, const struct orb_slab *slab, struct trj_error *err) {
    const uint64_t n = slab->count * trj_map_lattice_plane(&o->file->map.lattice);
    for (size_t i = 0; i < o->count; i++) {
        struct orb_output_file *f = &o->file[i];
        const double *from = slab->value + f->first * n, *values = from;
        if (f->values > 1) { // of each point
            if (trj_grow(&o->plane, &o->capacity, n * f->values, sizeof *o->plane, "values", err)) return -1;
            for (size_t v = 0; v < f->values; v++)
                for (uint64_t k = 0; k < n; k++) o->plane[k * f->values + v] = from[v * n + k];
            values = o->plane;
        }
        if (trj_map_writer_write(f->output.writer, values, slab->count, err)) return -1;
    }
    return 0;
}

static int commit_files(struct orb_output *o, struct trj_error *err) {
    for (size_t i = 0; i < o->count; i++) {
        struct orb_output_file *f = &o->file[i];
        if (trj_map_output_commit(&f->output, err)) return -1;
        for (size_t k = 0; k < f->output.writer->notes.count; k++)
            o->note(f->path ? f->path : "stdout", f->output.writer->notes.text[k]);
    }
    close_files(o);
    return 0;
}

int orb_output_end(struct orb_output *o, struct trj_error *err) {
    return o->numbered ? commit_files(o, err) : 0;
}

int orb_output_commit(struct orb_output *o, struct trj_error *err) {
    return o->numbered ? 0 : commit_files(o, err);
}

void orb_output_close(struct orb_output *o) {
    close_files(o);
    free(o->plane);
    o->plane = NULL;
}
