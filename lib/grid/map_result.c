// SPDX-License-Identifier: MIT
// Writes records and means of densmap, potmap and ligmap by one set of rules, and lengthens records as their number
// grows.
#include "map_result.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "series_name.h"

const struct trj_option trj_map_result_option_table[] = {
    {.heading = "Result (default: the sum over frames in a grid stream, and the mean in other formats)",
     TRJ_OPTION_FIELD('m', "mean", FLAG, struct trj_map_result, mean, NULL, "write the mean %s")},
    {TRJ_OPTION_FIELD(0, "stderr-map", TEXT, struct trj_map_result, errors.path, "FILE",
                      "write the standard error of the mean %s to FILE, from the differences between records"),
     .role = TRJ_ROLE_OUTPUT},
    {TRJ_OPTION_FIELD(0, "each", FLAG, struct trj_map_result, each, NULL,
                      "write a record for each frame, or a file for each frame with -o 'NAME.%05d.dx'")},
    {TRJ_OPTION_FIELD('B', "block", COUNT, struct trj_map_result, block, "N",
                      "end a record every N frames, for standard errors (default: one record of all frames)"),
     .min = 1, .max = TRJ_OPTION_ABSENT - 1},
    TRJ_OPTION_END,
};

static int check_options(struct trj_map_result *r, bool converted, struct trj_error *err) {
    if (r->each && r->block != TRJ_OPTION_ABSENT) return trj_fail(err, TRJ_USAGE, "--each and --block: give only one");
    if (r->series && (r->block != TRJ_OPTION_ABSENT || r->mean || r->errors.path))
        return trj_fail(err, TRJ_USAGE,
                        "-o %s: the name has a number, which requests one file for each frame; leave out --block, "
                        "--mean and --stderr-map",
                        r->output.path);
    if (trj_map_format_choose(&r->output.format, r->output.to, r->output.path, err)) return -1;
    if (r->series && r->output.format->series)
        return trj_fail(err, TRJ_USAGE,
                        "-o %s: a grid stream has the maps of all frames in one file; leave the number out",
                        r->output.path);
    if (r->each || r->series) r->block = 1;
    const char *why = // the reason for a mean in a grid stream, where no option requests it directly
        converted && !r->mean && !r->errors.path && r->output.format->series
            ? ", which an option that converts the unit requires"
            : "";
    r->mean = r->mean || (!r->series && !r->output.format->series) || r->errors.path || (converted && !r->series);
    if (r->mean && r->each && !r->errors.path)
        return trj_fail(
            err, TRJ_USAGE,
            "--each writes the values of each frame, not a mean%s; leave --each out, or write a grid stream "
            "of sums, or one file for each frame with a number in its name: -o 'map.%%05d.dx'",
            why);
    if (r->errors.path && (trj_series_check_single(r->errors.path, err) ||
                           trj_map_format_choose(&r->errors.format, NULL, r->errors.path, err)))
        return trj_fail_at(err, "--stderr-map");
    r->errors.no_nstart = r->output.no_nstart && r->errors.path && r->errors.format == r->output.format;
    if (trj_output_check_second(r->errors.path, "--stderr-map", r->output.path, err)) return -1;
    if (r->mean && !r->errors.path && r->block != TRJ_OPTION_ABSENT && !r->each)
        return trj_fail(err, TRJ_USAGE,
                        "--block ends records of sums, but the mean is written%s; leave it out, or add --stderr-map, "
                        "or write the sums to a grid stream",
                        why);
    r->growing = r->errors.path && r->block == TRJ_OPTION_ABSENT;
    if (r->growing) r->block = 1;
    return 0;
}

int trj_map_result_open(struct trj_map_result *r, bool converted, struct trj_error *err) {
    if (r->output.path) {
        char *name = trj_series_name(r->output.path, 0, &r->series, err);
        if (!name) return -1;
        free(name);
    }
    if (check_options(r, converted, err)) return -1;
    return r->series ? 0 : trj_map_output_open(&r->output, err);
}

int trj_map_result_start(struct trj_map_result *r, const struct trj_stream_header *header, const struct trj_map *sums,
                         const struct trj_map *means, double factor, char *const *provenance, struct trj_error *err) {
    const struct trj_map_sum_setup setup = {
        .errors = r->errors.path, .block = !r->growing, .slab = r->slabs ? r->slabs->own : (struct trj_map_slab){0, 0}};
    r->header = header;
    r->provenance = provenance;
    r->sums = sums;
    r->means = *means;
    r->factor = factor;
    if (r->slabs && r->growing)
        return trj_fail(err, TRJ_USAGE,
                        "--stderr-map without --block chooses its blocks from the whole map, which no rank has with "
                        "--divide map; add --block N, or use --divide frames");
    if (!r->series && trj_map_output_add_origin(&r->output, header, err)) return -1;
    if (!r->mean && !r->series) {
        if (r->slabs && !(r->sums_plane = trj_alloc(trj_map_plane_size(sums), 1, "a plane", err))) return -1;
        return trj_map_output_start(&r->output, sums, provenance, err);
    }
    r->plane = trj_alloc(trj_map_plane_values(sums), sizeof *r->plane, "a plane", err);
    if (!r->plane) return -1;
    if (r->convert && r->errors.path) {
        r->second = trj_alloc(trj_map_plane_values(sums), sizeof *r->second, "a plane", err);
        if (!r->second) return -1;
    }
    return r->mean ? trj_map_sum_open(&r->sum, sums, &setup, err) : 0;
}

int trj_map_result_add(struct trj_map_result *r, const struct trj_frame *frame, double weight, struct trj_error *err) {
    return trj_grid_record_add_frame(&r->record, frame->source, frame->index, weight, err);
}

bool trj_map_result_record_is_full(const struct trj_map_result *r) {
    return r->record.frames == r->block;
}

static void print_notes(const struct trj_map_output *o) {
    for (size_t i = 0; i < o->writer->notes.count; i++) trj_tool_message("note: %s", o->writer->notes.text[i]);
}

// Computes the means of the current record in a plane of `values`, which begin with that of the slab.
static void compute_record_plane(struct trj_map_result *r, const void *values, uint64_t k) {
    size_t n = (size_t)trj_map_plane_values(r->sums), plane = trj_map_plane_size(r->sums);
    uint64_t first = r->slabs ? r->slabs->own.first : 0;
    trj_grid_record_to_real(&r->record, r->sums, (const char *)values + (k - first) * plane, n, r->plane);
    for (size_t i = 0; i < n; i++) r->plane[i] *= r->factor;
    if (r->convert) r->convert(r->convert_arg, r->plane, NULL, n);
}

// Passes r->plane, and writes it.
static int put_plane(struct trj_map_result *r, struct trj_map_output *o, uint64_t k, struct trj_error *err) {
    trj_map_slabs_pass(r->slabs, k, r->plane, trj_map_plane_values(r->sums) * sizeof *r->plane);
    return trj_map_slabs_write(r->slabs) ? trj_map_writer_write(o->writer, r->plane, 1, err) : 0;
}

// Writes the file of the current record.
static int write_file(struct trj_map_result *r, const void *values, struct trj_error *err) {
    bool numbered;
    struct trj_map_output o = {.to = r->output.to, .level = r->output.level, .no_nstart = r->output.no_nstart};
    struct trj_grid_record record = r->record;
    char *path = trj_series_name(r->output.path, r->files++, &numbered, err);
    o.path = path;
    record.sum = false; // the file contains the mean
    int rc = !path || trj_map_output_open(&o, err) || trj_map_output_add_origin(&o, r->header, err) ||
             trj_map_output_start(&o, &r->means, r->provenance, err) || trj_map_writer_begin(o.writer, &record, err);
    for (uint64_t k = 0; !rc && k < r->sums->lattice.n[2]; k++) {
        if (trj_map_slabs_have(r->slabs, k)) compute_record_plane(r, values, k);
        rc = put_plane(r, &o, k, err);
    }
    if (!rc && trj_map_slabs_write(r->slabs)) rc = trj_map_output_commit(&o, err);
    if (!rc && r->files == 1) print_notes(&o);
    trj_map_output_close(&o);
    free(path);
    return rc ? -1 : 0;
}

// Writes the sums of the current record.
static int write_sums(struct trj_map_result *r, const void *values, struct trj_error *err) {
    size_t plane = trj_map_plane_size(r->sums);
    const char *own = values;
    if (trj_map_slabs_write(r->slabs) && trj_map_writer_begin(r->output.writer, &r->record, err)) return -1;
    if (!r->slabs) return trj_map_writer_write(r->output.writer, values, r->sums->lattice.n[2], err);
    for (uint64_t k = 0; k < r->sums->lattice.n[2]; k++) {
        if (trj_map_slabs_have(r->slabs, k)) memcpy(r->sums_plane, own + (k - r->slabs->own.first) * plane, plane);
        trj_map_slabs_pass(r->slabs, k, r->sums_plane, plane);
        if (r->slabs->writes && trj_map_writer_write(r->output.writer, r->sums_plane, 1, err)) return -1;
    }
    return 0;
}

int trj_map_result_end_record(struct trj_map_result *r, const void *values, struct trj_error *err) {
    uint64_t planes = r->slabs ? r->slabs->own.planes : r->sums->lattice.n[2];
    int rc;
    if (!r->record.frames) return 0;
    if (r->series)
        rc = write_file(r, values, err);
    else if (trj_map_output_add_sources(&r->output, r->header, err))
        rc = -1;
    else if (r->sum)
        rc = trj_map_sum_begin(r->sum, &r->record, err) || trj_map_sum_add(r->sum, values, planes, err);
    else
        rc = write_sums(r, values, err);
    trj_grid_record_free(&r->record);
    r->record = (struct trj_grid_record){.frames = 0};
    r->records++;
    if (!rc && r->growing) r->block = trj_map_sum_frames_of_part(r->sum);
    return rc ? -1 : 0;
}

static void multiply(const struct trj_map_result *r, double *values) {
    for (uint64_t i = 0, n = trj_map_plane_values(&r->means); i < n; i++) values[i] *= r->factor;
}

// Sets r->plane to the means of plane k, or to their standard errors.
static void compute_plane(struct trj_map_result *r, uint64_t k, bool errors) {
    size_t n = (size_t)trj_map_plane_values(&r->means);
    if (r->slabs) k -= r->slabs->own.first; // as in r->sum
    if (errors)
        trj_map_sum_errors(r->sum, k, r->plane);
    else
        trj_map_sum_means(r->sum, k, r->plane);
    multiply(r, r->plane);
    if (!r->convert) return;
    if (errors) {
        trj_map_sum_means(r->sum, k, r->second);
        multiply(r, r->second);
        r->convert(r->convert_arg, r->second, r->plane, n);
    } else {
        r->convert(r->convert_arg, r->plane, NULL, n);
    }
}

// Writes the mean, or its standard error, to an output that is open. The caller completes it.
static int write_means(struct trj_map_result *r, struct trj_map_output *o, struct trj_error *err) {
    struct trj_grid_record record = *trj_map_sum_record(r->sum);
    record.sum = false;
    if (trj_map_output_start(o, &r->means, r->provenance, err) || trj_map_writer_begin(o->writer, &record, err))
        return -1;
    for (uint64_t k = 0; k < r->means.lattice.n[2]; k++) {
        if (trj_map_slabs_have(r->slabs, k)) compute_plane(r, k, o == &r->errors);
        if (put_plane(r, o, k, err)) return -1;
    }
    return 0;
}

static int write_errors(struct trj_map_result *r, struct trj_map_blocks *blocks, struct trj_error *err) {
    double bound = r->means.error_bound;
    r->means.error_bound = 0; // that of a standard error is unknown
    if (r->records < 2)
        return trj_fail(err, TRJ_BAD_DATA,
                        "--stderr-map: standard errors require at least 2 records, found %llu; give more frames%s",
                        (unsigned long long)r->records,
                        r->block > 1 ? ", or fewer frames in a record with --block" : "");
    int rc = trj_map_sum_finish_errors(r->sum, blocks, err);
    if (!rc) rc = trj_map_output_open(&r->errors, err);
    if (!rc) rc = trj_map_output_add_origin(&r->errors, r->header, err);
    if (!rc) rc = write_means(r, &r->errors, err);
    if (!rc && trj_map_slabs_write(r->slabs)) rc = trj_map_output_join(&r->errors, r->output.out, err);
    if (rc) return trj_fail_at(err, "--stderr-map");
    r->means.error_bound = bound;
    return 0;
}

static void print_notes_of_errors(const struct trj_map_result *r, const struct trj_map_blocks *blocks) {
    char text[TRJ_MAP_BLOCKS_TEXT];
    trj_map_blocks_text(text, blocks);
    if (r->errors.format != r->output.format) print_notes(&r->errors); // otherwise the same notes follow for the output
    if (r->growing) trj_tool_message("note: --stderr-map: %s", text);
}

int trj_map_result_commit(struct trj_map_result *r, struct trj_error *err) {
    struct trj_map_blocks blocks = {.count = 0};
    const bool writes = trj_map_slabs_write(r->slabs);
    if (r->series) return 0;
    if (!r->mean) return writes ? trj_map_output_commit(&r->output, err) : 0;
    if (trj_map_sum_check_frames(r->sum, r->header, err) || (r->errors.path && write_errors(r, &blocks, err)))
        return -1;
    if (write_means(r, &r->output, err)) return -1;
    if (!writes) return 0;
    if (trj_map_output_commit(&r->output, err)) return -1;
    if (r->errors.path) print_notes_of_errors(r, &blocks);
    print_notes(&r->output);
    return 0;
}

void trj_map_result_close(struct trj_map_result *r) {
    // Closing the output also closes the file of the standard errors if it is joined, which their writer still uses.
    trj_map_output_close(&r->errors);
    trj_map_output_close(&r->output);
    trj_map_sum_close(r->sum);
    trj_grid_record_free(&r->record);
    trj_map_free(&r->means);
    free(r->plane);
    free(r->second);
    free(r->sums_plane);
}
