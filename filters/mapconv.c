// SPDX-License-Identifier: MIT
// mapconv: converts maps between formats.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cell.h"
#include "map_format.h"
#include "map_means.h"
#include "map_origin.h"
#include "map_output.h"
#include "periodic_choices.h"
#include "series_name.h"
#include "tool.h"

static const char *origin = "auto", *periodic;
static uint64_t record_number = TRJ_OPTION_ABSENT;
static bool totals;
static struct trj_map_output output; // the options; each file of a series has a copy

static const struct trj_option options[] = {
    {.heading = "Input",
     TRJ_OPTION(0, "record", COUNT, &record_number, "N",
                "convert only the map of record N, counted from 0 (default: all)"),
     .max = UINT32_MAX},
    {.table = trj_map_origin_option, .value = &origin},
    {TRJ_OPTION(
         'P', "periodic", CHOICE, &periodic, "AXES",
         "treat these axes of the map as periodic (default: those in a grid stream or NumPy file, otherwise none)"),
     .choices = trj_periodic_choices},
    {.table = trj_map_totals_option, .value = &totals},
    {.table = trj_map_series_option_table, .value = &output},
    TRJ_OPTION_END,
};

static bool to_stdout(void) {
    return trj_map_output_is_stream_to_stdout(&output);
}

static char purpose[TRJ_MAP_TITLES + 80];

static const struct trj_tool tool = {
    .name = "mapconv",
    .purpose = purpose,
    .operands = "[FILE]",
    .max_operands = 1,
    .options = options,
    .to_stdout = to_stdout,
    .stream = &trj_grid_kind,
};

struct job {
    const char *in;
    struct trj_map_reader *reader;
    bool series;               // one file for each record
    struct trj_map_output out; // the current file
    struct trj_map map;        // the map to write; the reader owns its texts
    char *path;                // of the current file
    uint64_t written;          // maps
};

static void print_notes(const char *file, const struct trj_map_notes *notes) {
    for (size_t i = 0; i < notes->count; i++) trj_tool_message("%s: note: %s", file, notes->text[i]);
}

// Returns whether means over the frames are written: a format without records does not contain the number of frames.
static bool writes_means(const struct job *j) {
    return !j->out.format->series && j->reader->record.sum;
}

static int start_file(struct job *j, struct trj_error *err) {
    j->out = output;
    if (output.path && !(j->path = trj_series_name(output.path, j->reader->maps - 1, &j->series, err))) return -1;
    j->out.path = j->path;
    if (trj_map_output_open(&j->out, err)) return -1;
    if (totals && j->out.format->series)
        return trj_fail(err, TRJ_USAGE, "--totals applies to means, but a grid stream keeps sums; leave it out");
    bool means = writes_means(j);
    if (totals && !trj_map_are_summed_totals(&j->reader->map, j->reader->record.sum)) return trj_map_fail_totals(err);
    j->map = means ? j->reader->means : j->reader->map;
    if (periodic) j->map.lattice.periodic = trj_periodic_parse(periodic);
    if (means && !j->written)
        trj_tool_message("%s: note: the values are sums over %llu frame%s; their mean is written%s%s", j->in,
                         (unsigned long long)j->reader->record.frames, j->reader->record.frames == 1 ? "" : "s",
                         j->map.meaning != j->reader->map.meaning ? ", as a density in " : "",
                         j->map.meaning != j->reader->map.meaning ? j->map.unit : "");
    return trj_map_output_add_origin(&j->out, j->reader->origin, err) ||
                   trj_map_output_start(&j->out, &j->map, trj_tool_provenance(err), err)
               ? -1
               : 0;
}

static int finish_file(struct job *j, struct trj_error *err) {
    if (trj_map_output_commit(&j->out, err)) return -1;
    print_notes(j->out.path ? j->out.path : "stdout", &j->out.writer->notes);
    return 0;
}

static void close_file(struct job *j) {
    trj_map_output_close(&j->out);
    j->out = (struct trj_map_output){.path = NULL};
    free(j->path);
    j->path = NULL;
}

static int write_planes(void *arg, const void *values, uint64_t planes, struct trj_error *err) {
    struct job *j = arg;
    return trj_map_writer_write(j->out.writer, values, planes, err);
}

static int fail_second(const struct job *j, struct trj_error *err) {
    return trj_fail(
        err, TRJ_BAD_DATA,
        "contains several maps, but the format %s stores one map in a file; select one with --record, write a "
        "file for each with -o 'map.%%05d.%s', or compute their mean with mapsum",
        j->out.format->name, j->out.format->name);
}

static int convert_map(struct job *j, struct trj_error *err) {
    bool first = !j->out.writer;
    if (!first && !j->out.format->series) return fail_second(j, err);
    // The header with the error bound has already been written.
    if (!first && j->reader->map.error_bound != j->map.error_bound) // NOLINT(clang-diagnostic-float-equal): a copy
        return trj_fail(err, TRJ_BAD_DATA,
                        "record %llu: the error bound %g differs from that of earlier records, %g; convert the inputs "
                        "one by one, or merge them with mapsum",
                        (unsigned long long)j->reader->maps - 1, j->reader->map.error_bound, j->map.error_bound);
    if (first ? start_file(j, err) : trj_map_output_add_origin(&j->out, j->reader->origin, err)) return -1;
    if (trj_map_writer_begin(j->out.writer, &j->reader->record, err) ||
        trj_map_reader_pass(j->reader, writes_means(j), write_planes, j, err))
        return -1;
    j->written++;
    if (!j->series) return 0;
    if (finish_file(j, err)) return -1;
    close_file(j);
    return 0;
}

static int convert(struct job *j, struct trj_error *err) {
    int rc;
    while ((rc = trj_map_reader_next(j->reader, err)) > 0) {
        trj_tool_progress("maps", j->reader->maps, 0);
        bool wanted = record_number == TRJ_OPTION_ABSENT || record_number == j->reader->maps - 1;
        if (wanted && convert_map(j, err)) return -1;
    }
    if (!rc && !j->written)
        return trj_fail(err, TRJ_USAGE, "--record %llu: the file contains %llu records, counted from 0",
                        (unsigned long long)record_number, (unsigned long long)j->reader->maps);
    return rc || j->series ? rc : finish_file(j, err);
}

static int run(void *state, char **operands, int count, struct trj_error *err) {
    struct job *j = state;
    struct trj_input *in;
    const struct trj_map_reader_setup setup = {.origin = trj_map_origin_named(origin), .totals = totals};
    j->in = count ? *operands : "-";
    if (!trj_tool_provenance(err) || trj_input_open(&in, j->in, err)) return -1;
    if (trj_map_reader_open(&j->reader, in, &setup, err)) return trj_fail_at(err, "%s", j->in);
    print_notes(j->in, &j->reader->notes);
    if (!convert(j, err)) return 0;
    size_t n = strlen(j->in);
    bool named = !strncmp(err->text, j->in, n) && err->text[n] == ':'; // the output has the name of the input
    return named ? -1 : trj_fail_at(err, "%s", j->in);
}

static void close_all(void *state) {
    struct job *j = state;
    close_file(j);
    trj_map_reader_close(j->reader);
}

int main(int argc, char **argv) {
    static struct job j;
    char titles[TRJ_MAP_TITLES];
    snprintf(purpose, sizeof purpose, "Converts maps between grid streams, %s files (- is standard input).",
             trj_map_format_titles(titles, NULL, " and "));
    return trj_tool_main(&tool, argc, argv, run, close_all, &j);
}
