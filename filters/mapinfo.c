// SPDX-License-Identifier: MIT
// mapinfo: describes maps: lattice, quantity, statistics, values at positions.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "map_format.h"
#include "map_origin.h"
#include "map_report.h"
#include "map_sample.h"
#include "map_statistics.h"
#include "memory.h"
#include "output.h"
#include "report.h"
#include "table_writer.h"
#include "tool.h"

static struct trj_text_list positions;
static const char *origin = "auto", *output_path;
static uint64_t record_number = TRJ_OPTION_ABSENT;
static bool nearest, json;

static const struct trj_option options[] = {
    {.heading = "Contents",
     TRJ_OPTION(0, "at", LIST, &positions, "POSITION",
                "instead of the description, print the value at X,Y,Z in Angstrom, or at each position in a file")},
    {TRJ_OPTION(0, "nearest", FLAG, &nearest, NULL,
                "with --at: print the value of the nearest point (default: trilinear interpolation)")},
    {TRJ_OPTION('j', "json", FLAG, &json, NULL, "print JSON instead of a table")},
    {.heading = "Input",
     TRJ_OPTION(0, "record", COUNT, &record_number, "N",
                "read only the map of record N, counted from 0 (default: all)"),
     .max = UINT32_MAX},
    {.table = trj_map_origin_option, .value = &origin},
    TRJ_OPTION_OUTPUT(&output_path, "write to FILE instead of standard output"),
    TRJ_OPTION_END,
};

static char purpose[TRJ_MAP_TITLES + 80];

static const struct trj_tool tool = {
    .name = "mapinfo",
    .purpose = purpose,
    .operands = "FILE...",
    .min_operands = 1,
    .max_operands = SIZE_MAX,
    .options = options,
};

struct job {
    struct trj_report report;
    struct trj_output *out;
    struct trj_map_positions positions;
    // Of the current file:
    struct trj_map_reader *reader;
    struct trj_map real; // the map with the values that are described; the texts are those of the reader
    struct trj_map_statistics *statistics;
    struct trj_map_sampler *sampler;
    struct trj_map_finding *maps; // [count]
    size_t count, capacity;
};

static int take_planes(void *arg, const void *values, uint64_t planes, struct trj_error *err) {
    struct job *j = arg;
    (void)err;
    if (j->sampler)
        trj_map_sampler_add(j->sampler, values, planes);
    else
        trj_map_statistics_add(j->statistics, values, planes * trj_map_plane_values(&j->real));
    return 0;
}

// ---- values at positions

static int print_values(struct job *j, struct trj_error *err) {
    const double *v = trj_map_sampler_values(j->sampler);
    uint32_t components = j->real.components;
    struct trj_table t = {.out = j->out, .err = err};
    for (size_t i = 0; i < j->positions.count; i++, v += components) {
        const double *p = j->positions.position[i];
        if (json) {
            trj_report_begin_file(&j->report);
            trj_report_count(&j->report, "record", j->reader->maps - 1);
            trj_report_reals(&j->report, "position", p, 3);
            trj_report_begin_list(&j->report, "value");
            for (uint32_t c = 0; c < components; c++) trj_report_real(&j->report, NULL, v[c]);
            trj_report_end(&j->report);
            trj_report_end_file(&j->report);
            continue;
        }
        trj_table_count(&t, j->reader->maps - 1);
        for (int k = 0; k < 3; k++) trj_table_real(&t, 10, p[k]);
        for (uint32_t c = 0; c < components; c++) trj_table_real(&t, 10, v[c]);
        if (trj_table_end_row(&t)) return -1;
    }
    return json ? trj_report_write(&j->report, j->out, false, err) : 0;
}

static int print_header(const struct job *j, struct trj_error *err) {
    struct trj_table t = {.out = j->out, .err = err};
    trj_table_names(&t, (const char *const[]){"record", "x", "y", "z", NULL});
    if (j->real.components == 1) trj_table_name(&t, "value");
    for (uint32_t c = 0; j->real.components > 1 && c < j->real.components; c++) trj_table_name(&t, "value_%u", c);
    return trj_table_end_row(&t);
}

// ---- description

static int add_finding(struct job *j, struct trj_error *err) {
    const struct trj_map_reader *r = j->reader;
    if (trj_grow(&j->maps, &j->capacity, j->count + 1, sizeof *j->maps, "records", err)) return -1;
    j->maps[j->count++] = (struct trj_map_finding){.record = r->maps - 1,
                                                   .frames = r->record.frames,
                                                   .sum = r->record.sum,
                                                   .weight = trj_exact_value(&r->record.weight),
                                                   .summary = trj_map_statistics_summary(j->statistics)};
    return 0;
}

static int read_map(struct job *j, struct trj_error *err) {
    trj_map_statistics_close(j->statistics);
    j->statistics = NULL;
    if (j->sampler)
        trj_map_sampler_begin(j->sampler);
    else if (!(j->statistics = trj_map_statistics_open(&j->real, err)))
        return -1;
    if (trj_map_reader_pass(j->reader, true, take_planes, j, err)) return -1;
    return j->sampler ? print_values(j, err) : add_finding(j, err);
}

static int read_maps(struct job *j, struct trj_error *err) {
    int rc;
    j->real = j->reader->means;
    if (positions.count &&
        trj_map_sampler_open(&j->sampler, &j->real, &j->positions, nearest ? TRJ_MAP_NEAREST : TRJ_MAP_TRILINEAR, err))
        return -1;
    if (positions.count && !json && print_header(j, err)) return -1;
    while ((rc = trj_map_reader_next(j->reader, err)) > 0) {
        trj_tool_progress("maps", j->reader->maps, 0);
        bool wanted = record_number == TRJ_OPTION_ABSENT || record_number == j->reader->maps - 1;
        if (wanted && read_map(j, err)) return -1;
    }
    if (!rc && record_number != TRJ_OPTION_ABSENT && record_number >= j->reader->maps)
        return trj_fail(err, TRJ_USAGE, "--record %llu: the file contains %llu records, counted from 0",
                        (unsigned long long)record_number, (unsigned long long)j->reader->maps);
    return rc;
}

static int read_file(struct job *j, const char *path, struct trj_error *err) {
    struct trj_input *in;
    const struct trj_map_reader_setup setup = {.origin = trj_map_origin_named(origin)};
    if (trj_input_open(&in, path, err)) return -1;
    if (trj_map_reader_open(&j->reader, in, &setup, err)) return trj_fail_at(err, "%s", path);
    for (size_t i = 0; positions.count && i < j->reader->notes.count; i++)
        trj_tool_message("%s: note: %s", path, j->reader->notes.text[i]);
    return read_maps(j, err) ? trj_fail_at(err, "%s", path) : 0;
}

// Adds a file to the report. `damage` is the error in the file; NULL: none.
static void put_file(struct job *j, const char *path, const struct trj_error *damage) {
    const char *holds = "map";
    trj_report_begin_file(&j->report);
    trj_report_text(&j->report, "file", path);
    trj_report_words(&j->report, "holds", &holds, j->reader != NULL);
    if (j->reader) trj_map_report(&j->report, j->reader, j->maps, j->count);
    trj_report_check(&j->report, true, damage);
    trj_report_end_file(&j->report);
}

static void close_file(struct job *j) {
    trj_map_sampler_close(j->sampler);
    trj_map_statistics_close(j->statistics);
    trj_map_reader_close(j->reader);
    j->sampler = NULL;
    j->statistics = NULL;
    j->reader = NULL;
    j->count = 0;
}

// Describes a file. If the file is invalid, prints the error and sets *status; this is not a failure of the function.
static int describe(struct job *j, const char *path, bool last, int *status, struct trj_error *err) {
    struct trj_error damage;
    bool damaged = read_file(j, path, &damage);
    trj_tool_progress_end();
    if (damaged && trj_report_is_output(path, j->out)) {
        *err = damage;
        close_file(j);
        return -1;
    }
    if (damaged) {
        int code = trj_tool_fail(&damage);
        if (code > *status) *status = code;
    }
    put_file(j, path, damaged ? &damage : NULL);
    close_file(j);
    return trj_report_write(&j->report, j->out, last, err);
}

static int check_options(int files, struct trj_error *err) {
    if (nearest && !positions.count)
        return trj_fail(err, TRJ_USAGE, "--nearest applies to --at only; add --at, or leave it out");
    if (positions.count && files > 1)
        return trj_fail(err, TRJ_USAGE, "--at: expected one FILE, found %d; run mapinfo for each of them", files);
    return 0;
}

static int run(void *state, char **operands, int count, struct trj_error *err) {
    struct job *j = state;
    int status = 0;
    j->report.json = json;
    if (check_options(count, err)) return -1;
    for (size_t i = 0; i < positions.count; i++)
        if (trj_map_positions_add(&j->positions, positions.texts[i], err)) return trj_fail_at(err, "--at");
    if (trj_output_open(&j->out, output_path, TRJ_OUTPUT_TEXT, err)) return -1;
    for (int i = 0; !positions.count && i < count; i++)
        if (describe(j, operands[i], i + 1 == count, &status, err)) return -1;
    if (positions.count && (read_file(j, *operands, err) || (json && trj_report_write(&j->report, j->out, true, err))))
        return -1;
    return trj_report_commit(&j->report, j->out, err) ? -1 : status;
}

static void close_all(void *state) {
    struct job *j = state;
    close_file(j);
    trj_output_close(j->out);
    trj_bytes_free(&j->report.text);
    free(j->positions.position);
    free(j->maps);
    free(positions.texts);
}

int main(int argc, char **argv) {
    static struct job j;
    char titles[TRJ_MAP_TITLES];
    snprintf(purpose, sizeof purpose, "Describes maps in grid streams and in %s files (- is standard input).",
             trj_map_format_titles(titles, ", ", " and "));
    return trj_tool_main(&tool, argc, argv, run, close_all, &j);
}
