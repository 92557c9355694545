// SPDX-License-Identifier: MIT
// Opens the output of a map with provenance and sources in one place, because each format records them differently.
#include "map_output.h"

#include <stddef.h>
#include <string.h>

static const struct trj_option format_table[] = {
    {TRJ_OPTION_FIELD(0, "to", CHOICE, struct trj_map_output, to, "FORMAT",
                      "write this format (default: that of the ending of --output, or else a grid stream)"),
     .choices_of = trj_map_format_choices},
    {TRJ_OPTION_FIELD('z', "compress", COUNT, struct trj_map_output, level, "LEVEL",
                      "compress a grid stream, from 1 (fast) to 19 (small); 0: do not compress (default)"),
     .max = 19},
    {.name = "no-nstart",
     .kind = TRJ_OPTION_FLAG,
     .offset = offsetof(struct trj_map_output, no_nstart),
     .help = "write 0 as NSTART of an MRC file, for programs that add it to ORIGIN"},
    TRJ_OPTION_DIGEST,
    TRJ_OPTION_END,
};

static const char output_help[] = "write to FILE instead of standard output";

const struct trj_option trj_map_output_option_table[] = {
    TRJ_OPTION_OUTPUT_AT(TRJ_ROLE_OUTPUT, offsetof(struct trj_map_output, path), output_help),
    {.table = format_table},
    TRJ_OPTION_END,
};

const struct trj_option trj_map_names_option_table[] = {
    TRJ_OPTION_OUTPUT_AT(TRJ_ROLE_NAMES, offsetof(struct trj_map_output, path), output_help),
    {.table = format_table},
    TRJ_OPTION_END,
};

const struct trj_option trj_map_series_option_table[] = {
    TRJ_OPTION_OUTPUT_AT(TRJ_ROLE_SERIES, offsetof(struct trj_map_output, path), output_help),
    {.table = format_table},
    TRJ_OPTION_END,
};

bool trj_map_output_is_stream_to_stdout(const struct trj_map_output *o) {
    return trj_output_is_stdout(o->path) && (!o->to || !strcmp(o->to, trj_map_formats[0]->name));
}

int trj_map_output_open(struct trj_map_output *o, struct trj_error *err) {
    if (trj_map_format_choose(&o->format, o->to, o->path, err)) return -1;
    if (o->level && !o->format->series)
        return trj_fail(err, TRJ_USAGE, "--compress applies to grid streams, not to %s; leave it out", o->format->name);
    if (o->no_nstart && strcmp(o->format->name, "mrc") != 0)
        return trj_fail(err, TRJ_USAGE, "--no-nstart applies to mrc, not to %s; leave it out", o->format->name);
    return trj_output_open(&o->out, o->path, o->format->kind, err);
}

int trj_map_output_add_origin(struct trj_map_output *o, const struct trj_stream_header *origin, struct trj_error *err) {
    return origin ? trj_grid_origin_add(&o->origin, origin, err) : 0;
}

int trj_map_output_add_sources(struct trj_map_output *o, const struct trj_stream_header *stream,
                               struct trj_error *err) {
    for (size_t i = o->origin.source_count; i < stream->source_count; i++)
        if (trj_stream_header_add_source(&o->origin, stream->sources[i].name, stream->sources[i].fingerprint, err))
            return -1;
    return 0;
}

int trj_map_output_start(struct trj_map_output *o, const struct trj_map *map, char *const *provenance,
                         struct trj_error *err) {
    const struct trj_map_writer_setup setup = {
        .origin = &o->origin, .level = (int)o->level, .threads = 1, .path = o->path, .no_nstart = o->no_nstart};
    if (trj_stream_header_add_lines(&o->origin, provenance, err)) return -1;
    return trj_map_writer_open(&o->writer, o->format, o->out, map, &setup, err);
}

int trj_map_output_join(struct trj_map_output *o, struct trj_output *main, struct trj_error *err) {
    if (trj_map_writer_finish(o->writer, err)) return -1;
    trj_output_join(main, o->out);
    o->out = NULL;
    return 0;
}

int trj_map_output_commit(struct trj_map_output *o, struct trj_error *err) {
    return trj_map_writer_finish(o->writer, err) || trj_output_commit(o->out, err) ? -1 : 0;
}

void trj_map_output_close(struct trj_map_output *o) {
    trj_map_writer_close(o->writer);
    trj_output_close(o->out);
    trj_stream_header_free(&o->origin);
}
