// SPDX-License-Identifier: MIT
// Prints the values at listed points, frame by frame and as means, because maps have no format for scattered points.
#include "point_table.h"

#include <stdlib.h>

#include "map_format.h"
#include "memory.h"
#include "series_name.h"
#include "table_writer.h"

int pot_point_table_open(struct pot_point_table *t, struct trj_error *err) {
    if (trj_series_check_single(t->path, err)) return trj_fail_at(err, "--output");
    if (trj_map_format_of_name(t->path))
        return trj_fail(err, TRJ_USAGE,
                        "--output %s: --points writes a table, not a map; use another ending, such as .tsv", t->path);
    return trj_output_open(&t->out, t->path, TRJ_OUTPUT_TEXT, err);
}

static int print_head(const struct pot_point_table *t, const struct trj_stream_header *h, const char *unit,
                      char *const *provenance, struct trj_error *err) {
    static const struct trj_table_column frames[] = {{"frame", "number of the frame", NULL},
                                                     {"time", "time", "ps"},
                                                     {"point", "number of the point", NULL},
                                                     {"potential", "potential", NULL}},
                                         means[] = {{"x", "position", "Angstrom"},
                                                    {"y", NULL, NULL},
                                                    {"z", NULL, NULL},
                                                    {"potential", "mean potential", NULL},
                                                    {"error", "its standard error", NULL}};
    struct trj_table table = {.out = t->out, .err = err};
    trj_table_provenance(&table, h->provenance, h->provenance_count);
    trj_table_provenance(&table, provenance, SIZE_MAX);
    trj_table_comment(&table, "unit: %s", unit);
    return trj_table_columns(&table, t->each ? frames : means, t->each || !t->errors ? 4 : 5);
}

int pot_point_table_start(struct pot_point_table *t, const struct trj_stream_header *header, const struct trj_map *sums,
                          double factor, const char *unit, char *const *provenance, struct trj_error *err) {
    const struct trj_map_sum_setup setup = {.errors = t->errors, .block = 1};
    t->header = header;
    t->factor = factor;
    if (trj_map_copy(&t->map, sums, err)) return -1;
    t->map.lattice = (struct trj_map_lattice){.n = {t->points->count, 1, 1}, .step = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    t->value = trj_alloc(2 * t->points->count, sizeof *t->value, "points", err);
    if (!t->value || trj_map_check(&t->map, err) || (!t->each && trj_map_sum_open(&t->sum, &t->map, &setup, err)))
        return -1;
    return print_head(t, header, unit, provenance, err);
}

int pot_point_table_add(struct pot_point_table *t, const struct trj_frame *frame, struct trj_error *err) {
    trj_frame_copy_head(&t->last, frame);
    return trj_grid_record_add_frame(&t->record, frame->source, frame->index, 1, err);
}

static int print_frame(struct pot_point_table *t, const int64_t *values, struct trj_error *err) {
    const struct trj_frame *frame = &t->last;
    struct trj_table table = {.out = t->out, .err = err};
    trj_map_to_real(&t->map, values, t->points->count, t->value);
    int rc = 0;
    for (size_t i = 0; !rc && i < t->points->count; i++) {
        trj_table_count(&table, frame->index);
        trj_table_real(&table, 10, frame->time);
        trj_table_count(&table, i);
        trj_table_real(&table, 10, t->value[i] * t->factor);
        rc = trj_table_end_row(&table);
    }
    return rc;
}

int pot_point_table_end_record(struct pot_point_table *t, const int64_t *values, struct trj_error *err) {
    if (!t->record.frames) return 0;
    int rc = t->each ? print_frame(t, values, err)
                     : trj_map_sum_begin(t->sum, &t->record, err) || trj_map_sum_add(t->sum, values, 1, err);
    trj_grid_record_free(&t->record);
    t->record = (struct trj_grid_record){.frames = 0};
    return rc ? -1 : 0;
}

static int print_means(struct pot_point_table *t, struct trj_error *err) {
    double *error = t->value + t->points->count;
    struct trj_map_blocks blocks;
    if (trj_map_sum_check_frames(t->sum, t->header, err)) return -1;
    if (t->errors && trj_map_sum_finish_errors(t->sum, &blocks, err)) return trj_fail_at(err, "--block");
    trj_map_sum_means(t->sum, 0, t->value);
    if (t->errors) trj_map_sum_errors(t->sum, 0, error);
    struct trj_table table = {.out = t->out, .err = err};
    int rc = 0;
    for (size_t i = 0; !rc && i < t->points->count; i++) {
        for (int k = 0; k < 3; k++) trj_table_real(&table, 10, t->points->point[i][k]);
        trj_table_real(&table, 10, t->value[i] * t->factor);
        if (t->errors) trj_table_real(&table, 4, error[i] * t->factor);
        rc = trj_table_end_row(&table);
    }
    return rc;
}

int pot_point_table_commit(struct pot_point_table *t, struct trj_error *err) {
    if (!t->each && print_means(t, err)) return -1;
    return trj_output_commit(t->out, err);
}

void pot_point_table_close(struct pot_point_table *t) {
    trj_output_close(t->out);
    trj_map_sum_close(t->sum);
    trj_grid_record_free(&t->record);
    trj_map_free(&t->map);
    free(t->value);
}
