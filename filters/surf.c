// SPDX-License-Identifier: MIT
// surf: reads maps, and writes their surfaces at a level: a mesh for each map, or a table of areas and volumes.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "colour_scale.h"
#include "map_format.h"
#include "map_means.h"
#include "memory.h"
#include "mesh_file.h"
#include "number.h"
#include "output.h"
#include "series_name.h"
#include "summary_table.h"
#include "surface_series.h"
#include "tool.h"

static const char *level_text, *colour_path, *scale, *range_text, *to, *output_path;
static bool closes, components, table;
static struct trj_engine_options engine = {.engine = "cpu"};

static const struct trj_option options[] = {
    {.heading = "Surface",
     TRJ_OPTION('l', "level", TEXT, &level_text, "LEVEL",
                "enclose the values above this level: a number in the unit of the map, standard deviations above the "
                "mean (3sigma), or the level that encloses a percentage of the integral (90%); required. After +-, "
                "as in +-0.04: also enclose the values below the negative level")},
    {TRJ_OPTION(0, "close", FLAG, &closes, NULL, "close the surface at the boundaries of periodic axes, too")},
    {.heading = "Colours",
     TRJ_OPTION('c', "colour-by", TEXT, &colour_path, "FILE",
                "colour the vertices by the values of this map on the same lattice (default with +-: by sign)")},
    {TRJ_OPTION(0, "colours", CHOICE, &scale, "SCALE", "use this colour scale (default: viridis)"),
     .choices = surf_colour_scales},
    {TRJ_OPTION(0, "range", TEXT, &range_text, "A:B",
                "set the values of the first and the last colour (default: the range on each surface)")},
    {.table = trj_engine_name_option, .value = &engine, .choices = surf_engine_choices},
    {.table = trj_engine_device_option, .value = &engine},
    {.table = trj_engine_threads_option, .value = &engine},
    {.table = trj_engine_stats_option, .value = &engine},
    TRJ_OPTION_OUTPUT_SERIES(&output_path, "write to FILE, such as s.ply, or s.%06d.ply for a series of maps"),
    {TRJ_OPTION(0, "to", CHOICE, &to, "FORMAT", "write this format (default: that of the ending of FILE, or else tsv)"),
     .choices = surf_formats},
    {TRJ_OPTION(0, "components", FLAG, &components, NULL, "print a row of the table for each component")},
    {TRJ_OPTION(0, "table", FLAG, &table, NULL, "print the table on standard output if FILE is a mesh")},
    TRJ_OPTION_DIGEST,
    TRJ_OPTION_END,
};

static enum surf_format chosen_format(void) {
    return surf_format_of(to, output_path) < SURF_FORMATS ? surf_format_of(to, output_path) : SURF_TABLE;
}

static bool table_to_stdout(void) {
    return chosen_format() == SURF_TABLE ? trj_output_is_stdout(output_path) : table;
}

static const struct trj_tool tool = {
    .name = "surf",
    .purpose = "Writes the closed isosurfaces of maps at a level, as meshes, or their areas and volumes as a table.",
    .operands = "[MAP]",
    .max_operands = 1,
    .options = options,
    .engines = surf_engines,
    .version = trj_engine_versions,
    .to_stdout = table_to_stdout,
};

struct job {
    struct surf_build_options build_options;
    struct trj_map_reader *map, *colours;
    struct surf_series *series;
    const struct surf_series_result *made; // of the current map
    struct surf_mesh_file file;
    int surfaces; // of a map: 1 or 2
    char note[SURF_LEVEL_TEXT];
    struct trj_output *table, *out;
    uint64_t maps;
    double seconds; // of their surfaces
    char **lines;   // provenance of the input, and then of this process
};

// ---- options

static int parse_range(struct job *j, struct trj_error *err) {
    char text[128];
    j->file.low = j->file.high = NAN;
    if (!range_text) return 0;
    const char *colon = strchr(range_text, ':');
    if (colon && (size_t)(colon - range_text) < sizeof text) {
        snprintf(text, sizeof text, "%.*s", (int)(colon - range_text), range_text);
        if (trj_parse_real(text, &j->file.low) && trj_parse_real(colon + 1, &j->file.high) &&
            j->file.low < j->file.high)
            return 0;
    }
    return trj_fail(err, TRJ_USAGE, "--range: invalid range '%s': expected A:B with A less than B", range_text);
}

static int check_options(struct job *j, struct trj_error *err) {
    j->file.format = chosen_format();
    enum surf_format ending = surf_format_of(NULL, output_path);
    if (ending < SURF_FORMATS && ending != j->file.format)
        return trj_fail(err, TRJ_USAGE, "the format '%s' contradicts the name %s; change one of them", to, output_path);
    if (!level_text)
        return trj_fail(err, TRJ_USAGE, "--level: missing; give a number, or one such as 3sigma, 90%% or +-0.04");
    if (trj_output_check_ending(output_path, to || ending < SURF_FORMATS, ".ply, .obj, .stl, .tsv", err) ||
        surf_level_parse(&j->build_options.level, level_text, err) || parse_range(j, err))
        return -1;
    bool both = j->build_options.level.both, signs = both && !colour_path && j->file.format == SURF_PLY;
    j->surfaces = both ? 2 : 1;
    if ((scale && !colour_path && !signs) || (range_text && !colour_path))
        return trj_fail(err, TRJ_USAGE, "--%s applies to colours only; add --colour-by, or leave it out",
                        range_text ? "range" : "colours");
    if (colour_path && j->file.format != SURF_PLY)
        return trj_fail(err, TRJ_USAGE, "--colour-by: only PLY files have colours; use --to ply, or leave it out");
    j->file.scale = colour_path || signs ? scale : NULL;
    if (!scale && colour_path) j->file.scale = surf_colour_scales[0].name;
    if (!scale && signs) j->file.scale = "red-white-blue";
    if (signs) j->file.low = -1, j->file.high = 1;
    if (j->file.format == SURF_TABLE)
        return table ? trj_fail(err, TRJ_USAGE, "--table applies to meshes only; leave it out") : 0;
    if (components && !table)
        return trj_fail(err, TRJ_USAGE, "--components applies to the table only; add --table, or leave it out");
    if (table && trj_output_is_stdout(output_path))
        return trj_fail(err, TRJ_USAGE, "--table: the mesh is written to standard output; write it with -o FILE");
    return 0;
}

// ---- output

static int open_table(struct job *j, struct trj_error *err) {
    if (j->file.format != SURF_TABLE && !table) return 0;
    if (trj_output_open(&j->table, table ? NULL : output_path, TRJ_OUTPUT_TEXT, err)) return -1;
    return surf_summary_print_head(j->table, j->lines, components, err);
}

static int commit_mesh(struct job *j, struct trj_error *err) {
    int rc = trj_output_commit(j->out, err);
    trj_output_close(j->out);
    j->out = NULL;
    return rc;
}

static int write_mesh(struct job *j, uint64_t map, struct trj_error *err) {
    bool numbered = false;
    char *path = trj_series_name(output_path ? output_path : "-", map, &numbered, err);
    int rc = path ? 0 : -1;
    if (!rc && map && !numbered)
        rc = trj_fail(err, TRJ_BAD_DATA,
                      "%s: contains a second map, but a file has one mesh; write one file for each map with a name "
                      "such as -o s.%%06d.ply",
                      trj_input_name(j->map->in));
    if (!rc) rc = trj_output_open(&j->out, path, j->file.format == SURF_OBJ ? TRJ_OUTPUT_TEXT : TRJ_OUTPUT_BINARY, err);
    // A mesh whose name has no number is committed after the last map, since a second one is an error.
    if (!rc) rc = surf_mesh_write(&j->made->mesh, &j->file, j->out, err) || (numbered && commit_mesh(j, err)) ? -1 : 0;
    free(path);
    return rc;
}

// ---- maps

static int open_map(struct trj_map_reader **r, const char *path, struct trj_error *err) {
    struct trj_input *in;
    if (trj_input_open(&in, path, err)) return -1;
    return trj_map_reader_open(r, in, NULL, err) ? trj_fail_at(err, "%s", strcmp(path, "-") != 0 ? path : "stdin") : 0;
}

static void print_notes(const struct trj_map_reader *r) {
    char text[TRJ_MAP_MEANS_NOTE];
    for (size_t i = 0; r && i < r->notes.count; i++)
        trj_tool_message("%s: note: %s", trj_input_name(r->in), r->notes.text[i]);
    if (r && *trj_map_means_note(text, &r->means, &r->map, "use mapconv --totals"))
        trj_tool_message("%s: note: %s", trj_input_name(r->in), text);
}

// Lists the provenance of the map and of this process, and begins the table.
static int begin_map(struct job *j, uint64_t map, struct trj_error *err) {
    const struct trj_stream_header *origin = j->map->origin;
    char **provenance = trj_tool_provenance(err);
    size_t n = 0, from = j->made->lines, own = 0;
    while (provenance[own]) own++;
    free(j->lines);
    if (!(j->lines = trj_alloc(from + own + 1, sizeof *j->lines, "provenance", err))) return -1;
    for (size_t i = 0; i < from; i++) j->lines[n++] = origin->provenance[i];
    for (size_t i = 0; i < own; i++) j->lines[n++] = provenance[i];
    j->file.provenance = j->lines;
    return map ? 0 : open_table(j, err);
}

// Computes the surfaces of the next map. Returns 1, 0 at the end, or -1.
static int build(struct job *j, struct trj_error *err) {
    double began = trj_seconds();
    int rc = surf_series_next(j->series, &j->made, err);
    j->seconds += trj_seconds() - began;
    j->maps += rc > 0;
    return rc;
}

// Describes the levels in comments of the mesh and, if they are computed, in a note on the first map.
static void describe(struct job *j, uint64_t map) {
    surf_level_describe(j->note, &j->build_options.level, j->made->result, j->map);
    j->file.note = j->note;
    if (!map && j->build_options.level.kind == SURF_LEVEL_PERCENT)
        trj_tool_message("%s: note: %s", trj_input_name(j->map->in), j->note);
    const struct surf_level *level = &j->build_options.level;
    bool percent = level->kind == SURF_LEVEL_VALUE && level->value >= 1 && level->value < 100;
    for (int i = 0; i < j->surfaces; i++)
        if (!j->made->result[i].summary.triangles)
            trj_tool_message("%s: map %llu: note: the surface is empty: no value crosses the level %.10g%s",
                             trj_input_name(j->map->in), (unsigned long long)map, j->made->result[i].level,
                             percent ? "; for a percentage of the integral, write % after the number" : "");
}

static int write_surfaces(struct job *j, uint64_t map, struct trj_error *err) {
    if (j->file.format != SURF_TABLE && write_mesh(j, map, err)) return -1;
    for (int i = 0; j->table && i < j->surfaces; i++)
        if (surf_summary_print(j->table, &j->made->result[i].summary, map, j->made->result[i].level, components, err))
            return -1;
    return 0;
}

static int make_surfaces(struct job *j, struct trj_error *err) {
    bool meshes = j->file.format != SURF_TABLE;
    const struct surf_series_plan plan = {.map = j->map,
                                          .colours = j->colours,
                                          .options = &j->build_options,
                                          .meshes = meshes,
                                          .threads = (unsigned)engine.threads};
    int rc;
    j->build_options.close = closes;
    j->build_options.only_mesh = meshes && !table;
    trj_keep_memory(); // of one map for the next
    if (surf_series_open(&j->series, &plan, err)) return -1;
    for (uint64_t map = 0; (rc = build(j, err)) > 0; map++) {
        if (begin_map(j, map, err)) return -1;
        describe(j, map);
        if (write_surfaces(j, map, err)) return -1;
        trj_tool_progress("maps", map + 1, 0);
    }
    print_notes(j->map);
    print_notes(j->colours);
    if (rc || (j->out && commit_mesh(j, err))) return -1;
    return j->table ? trj_output_commit(j->table, err) : 0;
}

static void print_statistics(const struct job *j) {
    const struct surf_engine *e = j->build_options.engine;
    struct trj_engine_stats s = {.kind = &e->kind};
    char times[128];
    trj_tool_message("%llu maps: %.3f s in engine %s, with reading", (unsigned long long)j->maps, j->seconds,
                     e->kind.name);
    if (e->stats) {
        e->stats(j->build_options.state, &s);
        trj_engine_times_text(times, sizeof times, &s, 6, " s");
        trj_tool_message("GPU: %s", times);
    }
    trj_engine_print_energy(&s, j->maps, "map", "", trj_tool_print_line);
}

static int run(void *state, char **operands, int count, struct trj_error *err) {
    struct job *j = state;
    const char *path = count ? *operands : "-";
    if (check_options(j, err) || trj_input_check_option("--colour-by", colour_path, path, "the map", err)) return -1;
    if (surf_engine_open(&j->build_options.engine, &j->build_options.state, &engine, err) ||
        open_map(&j->map, path, err) || (colour_path && open_map(&j->colours, colour_path, err)) ||
        !trj_tool_provenance(err))
        return -1;
    int rc = make_surfaces(j, err);
    if (!rc && engine.stats) print_statistics(j);
    return rc;
}

static void close_all(void *state) {
    struct job *j = state;
    surf_series_close(j->series);
    if (j->build_options.state) j->build_options.engine->close(j->build_options.state);
    trj_output_close(j->out);
    trj_output_close(j->table);
    trj_map_reader_close(j->map);
    trj_map_reader_close(j->colours);
    free(j->lines);
}

int main(int argc, char **argv) {
    static struct job j;
    return trj_tool_main(&tool, argc, argv, run, close_all, &j);
}
