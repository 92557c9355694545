// SPDX-License-Identifier: MIT
// trjstat: reads a frame stream, computes observables of each frame, and prints them as a table.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ensemble.h"
#include "frame_batches.h"
#include "memory.h"
#include "mpi_run.h"
#include "mpi_share.h"
#include "observable.h"
#include "output.h"
#include "rmsd_engine.h"
#include "stream_input.h"
#include "summary.h"
#include "system.h"
#include "table_merge.h"
#include "table_writer.h"
#include "tool.h"

static const char *input_path, *output_path;
static bool list;
static struct work_checkpoint_options checkpoints;
static struct obs_ensemble_options ensemble = OBS_ENSEMBLE_OPTIONS_DEFAULT;
static struct trj_mpi_options mpi;

static const struct trj_option options[] = {
    {.heading = "Input",
     TRJ_OPTION('i', "input", TEXT, &input_path, "FILE", "read the frame stream FILE (default: standard input)"),
     .role = TRJ_ROLE_INPUT},
    {TRJ_OPTION(0, "list", PRINT, &list, NULL, "list the functions of observables")},
    {.table = obs_ensemble_option_table, .value = &ensemble},
    {.table = work_checkpoint_option_table, .value = &checkpoints},
    {.table = trj_mpi_option_table, .value = &mpi},
    TRJ_OPTION_OUTPUT(&output_path, "write to FILE instead of standard output"),
    TRJ_OPTION_DIGEST,
    TRJ_OPTION_END,
};

static unsigned threads(void) {
    return (unsigned)ensemble.engine.threads;
}

static bool to_stdout(void) {
    return trj_output_is_stdout(output_path) && !list;
}

static int operand_file(char **path, const char *expression, size_t number, struct trj_error *err) {
    if (!ensemble.merge || number == SIZE_MAX) return obs_expression_file(path, expression, err);
    return (*path = trj_copy_text(expression, err)) ? 0 : -1; // operands of --merge are tables
}

static const struct trj_tool tool = {
    .name = "trjstat",
    .purpose = "Computes observables of each frame of a frame stream (of trjcat), such as 'rg(P)' or 'distance(com(P), "
               "com(L))', or fluctuations of atoms over all frames, in one pass, and prints them as a table.",
    .operands = "EXPRESSION...",
    .min_operands = 0, // --list and results of all frames take none
    .max_operands = SIZE_MAX,
    .operand_file = operand_file,
    .options = options,
    .engines = obs_rmsd_engines,
    .version = trj_engine_versions,
    .to_stdout = to_stdout,
};

enum { DIGITS = 9 };

struct run {
    struct trj_reader *in;
    struct trj_frame frame;
    struct obs_system system;
    struct obs_observable *observable; // [count]
    size_t count, values;
    struct obs_ensemble ensemble;
    struct obs_batches *batches;
    struct work_checkpoint *checkpoint; // NULL: none
    struct obs_series *series;          // [values] without --summary, only `undefined` is used
    double first_time, last_time;
    uint64_t added, frames; // to the batches; printed
    struct trj_output *out;
    struct trj_table table;
};

static int print_list(struct trj_error *err) {
    char form[300], columns[300];
    const struct obs_function *const *functions = obs_ensemble_functions(&ensemble);
    for (size_t i = 0; functions[i]; i++) {
        const struct obs_function *f = functions[i];
        obs_function_describe(f, form, sizeof form);
        obs_columns_describe(f->column, f->columns, columns, sizeof columns);
        printf("%s\t%s\t%s\t%s\n", form, columns, f->formula, obs_function_scope(f));
    }
    return fflush(stdout) || ferror(stdout) ? trj_fail_errno(err, "stdout") : 0;
}

static int open_observables(struct run *r, char **expressions, int count, struct trj_error *err) {
    if (!(r->observable = trj_alloc((size_t)count, sizeof *r->observable, "observables", err))) return -1;
    for (int i = 0; i < count; i++) {
        struct obs_observable *o = &r->observable[r->count++];
        if (obs_series_open(o, &ensemble, expressions[i], &r->system, err)) return -1;
        r->values += o->columns;
    }
    return 0;
}

static void print_provenance(struct run *r) {
    const struct trj_stream_header *h = r->in->header;
    trj_table_provenance(&r->table, h->provenance, h->provenance_count);
    trj_table_provenance(&r->table, trj_tool_provenance(r->table.err), SIZE_MAX);
}

static int print_head(struct run *r) {
    struct trj_table *t = &r->table;
    print_provenance(r);
    trj_table_comment(t, OBS_SERIES);
    for (size_t i = 0; i < r->count; i++) {
        const struct obs_observable *o = &r->observable[i];
        char columns[300];
        obs_observable_describe_columns(o, columns, sizeof columns);
        trj_table_comment(t, "%s%s: %s; columns: %s%s", o->text, strchr(o->text, '(') ? "" : "()", o->formula, columns,
                          obs_observable_uses_first_frame(o) ? OBS_FIRST : "");
    }
    trj_table_name(t, "frame");
    trj_table_name(t, "time");
    for (size_t i = 0; i < r->count; i++)
        for (size_t c = 0; c < r->observable[i].columns; c++) trj_table_name(t, "%s", r->observable[i].names[c]);
    return trj_table_end_row(t);
}

static int print_frame(void *arg, const struct trj_frame *f, const double *value, struct trj_error *err) {
    struct run *r = arg;
    r->table.err = err;
    trj_table_count(&r->table, f->index);
    trj_table_real(&r->table, DIGITS, f->time);
    for (size_t i = 0; i < r->values; i++) trj_table_real(&r->table, DIGITS, value[i]);
    if (!r->frames++) r->first_time = f->time;
    r->last_time = f->time;
    for (size_t i = 0; i < r->values; i++) {
        if (!ensemble.summary)
            r->series[i].undefined += isnan(value[i]) ? 1 : 0;
        else if (obs_series_add(&r->series[i], value[i], err))
            return -1;
    }
    return trj_table_end_row(&r->table);
}

static int print_end(struct run *r, struct trj_error *err) {
    double interval = r->frames > 1 ? (r->last_time - r->first_time) / (double)(r->frames - 1) : NAN;
    obs_undefined_note(r->observable, r->count, r->series, r->frames, trj_tool_print_line);
    return ensemble.summary
               ? obs_summary_print(&r->table, r->observable, r->count, r->series, interval, trj_tool_print_line, err)
               : 0;
}

static int fail_frame(const struct run *r, struct trj_error *err) {
    uint64_t number = obs_batches_failed(r->batches);
    return number == UINT64_MAX ? -1 : trj_stream_input_fail_earlier(r->in, number, err);
}

static int read_frames(struct run *r, const struct obs_batches_plan *plan, struct trj_error *err) {
    int got;
    if (obs_batches_open(&r->batches, plan, err)) return -1;
    while ((got = work_checkpoint_read(r->checkpoint, trj_stream_input_read(r->in, &r->frame, err), &r->frame, err)) >
           0) {
        if (obs_batches_add(r->batches, &r->frame, err)) return fail_frame(r, err);
        if (work_checkpoint_counted(r->checkpoint, ++r->added, err)) return fail_frame(r, err);
        trj_stream_input_progress(r->in);
    }
    if (got < 0 || work_checkpoint_end(r->checkpoint, err)) return -1;
    return obs_batches_finish(r->batches, err) ? fail_frame(r, err) : 0;
}

static int save_sums(void *run, struct work_checkpoint_arrays *a, struct trj_error *err) {
    struct run *r = run;
    struct obs_ensemble *e = &r->ensemble;
    if (obs_batches_finish(r->batches, err)) return -1;
    return e->kind && e->kind->arrays ? e->kind->arrays(e, a, err) : 0;
}

static const struct work_share *share(const struct run *r) {
    return trj_mpi_share(work_checkpoint_share(r->checkpoint), 1);
}

static int write_ensemble(struct run *r, char **operands, int count, struct trj_error *err) {
    struct obs_ensemble *e = &r->ensemble;
    e->operands = operands;
    e->operand_count = (size_t)count;
    e->note = trj_tool_print_line;
    if (obs_ensemble_open(e, &ensemble, output_path, &r->system, err)) return -1;
    const struct obs_batches_plan plan = {&r->system, &e->observable,    1, e->observable.columns,
                                          threads(),  obs_ensemble_take, e, share(r)};
    if (read_frames(r, &plan, err)) return -1;
    r->table.err = err;
    if (e->form == OBS_TABLE) print_provenance(r);
    return obs_ensemble_write(e, &r->table, err);
}

static int write_series(struct run *r, char **expressions, int count, struct trj_error *err) {
    if (open_observables(r, expressions, count, err)) return -1;
    const struct obs_batches_plan plan = {&r->system, r->observable, r->count, r->values,
                                          threads(),  print_frame,   r,        share(r)};
    r->table.err = err;
    if (!(r->series = trj_alloc(r->values, sizeof *r->series, "values", err)) || print_head(r)) return -1;
    struct obs_series *series = r->series;
    for (size_t i = 0; i < r->count; i++)
        for (size_t c = 0; c < r->observable[i].columns; c++) series++->cyclic = r->observable[i].function->cyclic;
    if (read_frames(r, &plan, err)) return -1;
    return print_end(r, err);
}

static int merge_tables(struct run *r, char **files, size_t count, struct trj_error *err) {
    char **provenance = trj_tool_provenance(err);
    bool npy = obs_is_npy(output_path);
    if (input_path) return trj_fail(err, TRJ_USAGE, "--merge reads the tables that are operands; leave --input out");
    if (!provenance || trj_output_open(&r->out, output_path, npy ? TRJ_OUTPUT_BINARY : TRJ_OUTPUT_TEXT, err) ||
        obs_merge(files, count, provenance, npy, r->out, trj_tool_print_line, err))
        return -1;
    return trj_output_commit(r->out, err);
}

static int run(void *state, char **operands, int count, struct trj_error *err) {
    struct run *r = state;
    bool over_all = obs_ensemble_is_requested(&ensemble);
    if (list) return print_list(err);
    if (obs_ensemble_check(&ensemble, operands, count, output_path, err) || obs_ensemble_check_engine(&ensemble, err))
        return -1;
    if (ensemble.merge && checkpoints.path)
        return trj_fail(err, TRJ_USAGE, "--merge reads tables, not frames; leave --checkpoint out");
    if (ensemble.merge) return merge_tables(r, operands, (size_t)count, err);
    if (trj_mpi_start(&mpi, input_path ? input_path : "-", &ensemble.engine, checkpoints.path ? "--checkpoint" : NULL,
                      err))
        return -1;
    if (work_checkpoint_open(&r->checkpoint, &checkpoints, save_sums, r, err) || !trj_tool_provenance(err) ||
        trj_stream_input_open_with(&r->in, input_path ? input_path : "-", TRJ_READ_VELOCITY, err) ||
        work_checkpoint_start(r->checkpoint, r->in->header, r->in->in, err) ||
        trj_reader_read_ahead(r->in, threads(), 1, UINT64_MAX, err) ||
        trj_output_open(&r->out, output_path,
                        obs_ensemble_form(&ensemble, output_path) == OBS_NPY ? TRJ_OUTPUT_BINARY : TRJ_OUTPUT_TEXT,
                        err))
        return -1;
    if (obs_system_open(&r->system, r->in->header, err)) return trj_fail_at(err, "%s", trj_input_name(r->in->in));
    if (!ensemble.map) r->system.note = trj_tool_print_line; // maps have no reference
    r->table.out = r->out;
    if (over_all ? write_ensemble(r, operands, count, err) : write_series(r, operands, count, err)) return -1;
    if (trj_output_commit(r->out, err)) return -1;
    work_checkpoint_remove(r->checkpoint);
    return 0;
}

static void close_all(void *state) {
    struct run *r = state;
    obs_batches_close(r->batches);
    for (size_t i = 0; r->series && i < r->values; i++) obs_series_free(&r->series[i]);
    free(r->series);
    for (size_t i = 0; i < r->count; i++) obs_observable_free(&r->observable[i]);
    free(r->observable);
    obs_ensemble_close(&r->ensemble);
    free(ensemble.histogram.one.texts);
    free(ensemble.histogram.two.texts);
    obs_system_free(&r->system);
    work_checkpoint_close(r->checkpoint);
    trj_output_close(r->out);
    trj_frame_free(&r->frame);
    trj_reader_close(r->in);
}

int main(int argc, char **argv) {
    static struct run r;
    return trj_mpi_end(trj_tool_main(&tool, argc, argv, run, close_all, &r));
}
