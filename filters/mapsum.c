// SPDX-License-Identifier: MIT
// mapsum: adds the records of grid streams, or computes their mean or its standard error.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "map_means.h"
#include "map_output.h"
#include "map_sum.h"
#include "memory.h"
#include "segment_note.h"
#include "tool.h"

static bool mean, standard_error, totals;
static uint64_t block = TRJ_OPTION_ABSENT;
static struct trj_map_output output;

static const struct trj_option options[] = {
    {.heading = "Result (default: the sum)",
     TRJ_OPTION('m', "mean", FLAG, &mean, NULL, "write the mean over the frames")},
    {TRJ_OPTION(0, "stderr", FLAG, &standard_error, NULL,
                "write the standard error of the mean, from the differences between blocks of records")},
    {TRJ_OPTION(
         'B', "block", COUNT, &block, "N",
         "with --stderr: join N successive records into a block (default: as many as their correlation requires)"),
     .min = 1, .max = UINT32_MAX},
    {.table = trj_map_totals_option, .value = &totals},
    {.table = trj_map_output_option_table, .value = &output},
    TRJ_OPTION_END,
};

static bool to_stdout(void) {
    return trj_map_output_is_stream_to_stdout(&output);
}

static const struct trj_tool tool = {
    .name = "mapsum",
    .purpose = "Adds the records of grid streams, or computes the mean over their frames or its standard error.",
    .operands = "[FILE...]",
    .max_operands = SIZE_MAX,
    .options = options,
    .to_stdout = to_stdout,
    .stream = &trj_grid_kind,
};

struct job {
    struct trj_input *in;
    struct trj_grid_reader *reader; // of all inputs
    struct trj_map_sum *sum;
    uint64_t records;
    struct trj_map map; // to write
    double factor;      // of means and their standard errors
    struct trj_grid_record record;
    void *slab;
    uint64_t slab_planes;
};

// ---- reading

static int open_sum(struct job *j, struct trj_error *err) {
    const struct trj_map_sum_setup setup = {.errors = standard_error, .block = block == TRJ_OPTION_ABSENT ? 0 : block};
    const struct trj_map *m = trj_grid_reader_map(j->reader);
    j->slab_planes = trj_map_slab_planes(m);
    // Planes of results are float64, which may be larger than the values.
    size_t result = trj_map_plane_values(m) * sizeof(double), bytes = j->slab_planes * trj_map_plane_size(m);
    j->slab = trj_alloc(bytes > result ? bytes : result, 1, "a slab", err);
    return j->slab ? trj_map_sum_open(&j->sum, m, &setup, err) : -1;
}

static int add_record(struct job *j, const struct trj_grid_record *r, struct trj_error *err) {
    uint64_t all = trj_grid_reader_map(j->reader)->lattice.n[2];
    if (trj_map_sum_begin(j->sum, r, err)) return -1;
    for (uint64_t z = 0, some; z < all; z += some) {
        some = all - z < j->slab_planes ? all - z : j->slab_planes;
        if (trj_grid_reader_planes(j->reader, j->slab, some, err) || trj_map_sum_add(j->sum, j->slab, some, err))
            return -1;
    }
    trj_tool_progress("records", ++j->records, 0);
    return 0;
}

static int read_records(struct job *j, struct trj_error *err) {
    const struct trj_grid_record *r;
    const unsigned char *head;
    size_t got;
    if (trj_input_peek(j->in, &head, TRJ_STREAM_HEADER, &got, err)) return -1;
    if (!got) return trj_fail(err, TRJ_BAD_DATA, "is empty; check the program that writes it, and run it again");
    if (!trj_grid_is(head, got))
        return trj_fail(err, TRJ_BAD_DATA,
                        "is not a grid stream; maps in other formats do not contain their frames and cannot be added; "
                        "to compute with their values, use mapmath");
    int rc = j->reader ? trj_grid_reader_continue(j->reader, j->in, err) : trj_grid_reader_open(&j->reader, j->in, err);
    if (!rc && !j->sum) rc = open_sum(j, err);
    while (!rc && (rc = trj_grid_reader_next(j->reader, &r, err)) > 0) rc = add_record(j, r, err);
    return rc;
}

static int read_input(struct job *j, const char *path, struct trj_error *err) {
    if (trj_input_open(&j->in, path, err)) return -1;
    int rc = read_records(j, err) ? trj_fail_at(err, "%s", trj_input_name(j->in)) : 0;
    trj_input_close(j->in);
    j->in = NULL;
    return rc;
}

// ---- writing

// Sets the map and the record to write. Only sums can be added to other records.
static int describe(struct job *j, struct trj_error *err) {
    const struct trj_map *m = trj_grid_reader_map(j->reader);
    struct trj_map_blocks blocks;
    char text[TRJ_MAP_BLOCKS_TEXT], note[TRJ_MAP_MEANS_NOTE];
    const struct trj_stream_header *origin = trj_grid_reader_origin(j->reader);
    char segments[TRJ_SEGMENT_NOTE];
    trj_tool_print_line(trj_segment_note(segments, origin->provenance, origin->provenance_count));
    j->record = *trj_map_sum_record(j->sum);
    if (standard_error && trj_map_sum_finish_errors(j->sum, &blocks, err)) return -1;
    if (!mean && !standard_error && !output.format->series && j->record.sum) {
        trj_tool_message("note: the mean is written, because the format %s does not contain the number of frames; to "
                         "avoid this note, add --mean",
                         output.format->name);
        mean = true;
    }
    if (!mean && !standard_error) return trj_map_copy(&j->map, m, err);
    if (totals && !trj_map_are_summed_totals(m, j->record.sum)) return trj_map_fail_totals(err);
    if (trj_map_means(&j->map, &j->factor, m, j->record.sum, totals, err)) return -1;
    trj_tool_print_note(trj_map_means_note(note, &j->map, m, "add --totals"));
    j->record.sum = false;
    if (!standard_error) return 0;
    trj_map_blocks_text(text, &blocks);
    if (block == TRJ_OPTION_ABSENT) trj_tool_message("note: --stderr: %s", text);
    j->map.error_bound = 0;
    const char *quantity = *j->map.quantity ? j->map.quantity : "values";
    size_t capacity = strlen(quantity) + sizeof "standard error of ";
    char *name = trj_alloc(capacity, 1, "a name", err);
    if (!name) return -1;
    snprintf(name, capacity, "standard error of %s", quantity);
    free(j->map.quantity);
    j->map.quantity = name;
    return 0;
}

static const void *result_plane(struct job *j, uint64_t plane) {
    if (standard_error)
        trj_map_sum_errors(j->sum, plane, j->slab);
    else if (mean)
        trj_map_sum_means(j->sum, plane, j->slab);
    else
        return trj_map_sum_plane(j->sum, plane);
    double *values = j->slab;
    bool converted = j->map.meaning != trj_grid_reader_map(j->reader)->meaning;
    for (uint64_t i = 0, n = trj_map_plane_values(&j->map); converted && i < n; i++) values[i] *= j->factor;
    return values;
}

static int write_result(struct job *j, struct trj_error *err) {
    if (trj_map_output_add_origin(&output, trj_grid_reader_origin(j->reader), err) ||
        trj_map_output_start(&output, &j->map, trj_tool_provenance(err), err) ||
        trj_map_writer_begin(output.writer, &j->record, err))
        return -1;
    for (uint64_t k = 0; k < j->map.lattice.n[2]; k++)
        if (trj_map_writer_write(output.writer, result_plane(j, k), 1, err)) return -1;
    return trj_map_output_commit(&output, err);
}

static int run(void *state, char **operands, int count, struct trj_error *err) {
    struct job *j = state;
    if (mean && standard_error)
        return trj_fail(err, TRJ_USAGE, "--mean and --stderr: one map is written; run mapsum twice");
    if (block != TRJ_OPTION_ABSENT && !standard_error)
        return trj_fail(err, TRJ_USAGE, "--block applies to standard errors only; add --stderr, or leave it out");
    // The output is opened first, so that an invalid name is reported before the records are read.
    int rc = trj_tool_provenance(err) ? trj_map_output_open(&output, err) : -1;
    if (!rc && totals && !mean && !standard_error && output.format->series)
        rc = trj_fail(err, TRJ_USAGE, "--totals applies to means; add --mean or --stderr, or leave it out");
    for (int i = 0; !rc && i < count; i++) rc = read_input(j, operands[i], err);
    if (!rc && !count) rc = read_input(j, "-", err);
    if (!rc) rc = describe(j, err);
    if (!rc) rc = write_result(j, err);
    for (size_t i = 0; !rc && i < output.writer->notes.count; i++)
        trj_tool_message("note: %s", output.writer->notes.text[i]);
    return rc;
}

static void close_all(void *state) {
    struct job *j = state;
    trj_map_output_close(&output);
    trj_map_sum_close(j->sum);
    trj_grid_reader_close(j->reader);
    trj_input_close(j->in);
    trj_map_free(&j->map);
    free(j->slab);
}

int main(int argc, char **argv) {
    static struct job j;
    return trj_tool_main(&tool, argc, argv, run, close_all, &j);
}
