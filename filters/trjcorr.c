// SPDX-License-Identifier: MIT
// trjcorr: reads a frame stream, correlates its frames, and prints correlation functions and what follows from them.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "correlation_options.h"
#include "correlation_run.h"
#include "correlation_table.h"
#include "engine_choice.h"
#include "frame_batches.h"
#include "interval_reader.h"
#include "memory.h"
#include "output.h"
#include "partial_sums.h"
#include "stream_input.h"
#include "tool.h"

static const char *input_path, *output_path;
static bool list;
static struct tcf_options request = TCF_OPTIONS_DEFAULT;
static struct trj_engine_options engine = TRJ_ENGINE_OPTIONS_DEFAULT;

static const struct trj_option options[] = {
    {.heading = "Input",
     TRJ_OPTION('i', "input", TEXT, &input_path, "FILE", "read the frame stream FILE (default: standard input)"),
     .role = TRJ_ROLE_INPUT},
    {TRJ_OPTION(0, "list", PRINT, &list, NULL, "list the functions")},
    {.table = tcf_option_table, .value = &request},
    {.table = trj_engine_threads_option, .value = &engine},
    TRJ_OPTION_OUTPUT(&output_path, "write to FILE instead of standard output"),
    TRJ_OPTION_DIGEST,
    TRJ_OPTION_END,
};

static bool to_stdout(void) {
    return trj_output_is_stdout(output_path) && !list;
}

// The expression of acf can name a file.
static int operand_file(char **path, const char *expression, size_t number, struct trj_error *err) {
    static const char acf[] = "acf(";
    const size_t n = strlen(expression), before = sizeof acf - 1;
    *path = NULL;
    if (request.merge && number != SIZE_MAX) return (*path = trj_copy_text(expression, err)) ? 0 : -1;
    if (n <= before || strncmp(expression, acf, before) != 0 || expression[n - 1] != ')') return 0;
    char *inner = trj_copy_text(expression + before, err);
    if (!inner) return -1;
    inner[n - before - 1] = 0;
    int rc = obs_expression_file(path, inner, err);
    free(inner);
    return rc;
}

static const struct trj_tool tool = {
    .name = "trjcorr",
    .purpose =
        "Correlates the frames of a frame stream (of trjcat): mean square displacements, velocities, orientations "
        "and any observable of trjstat, such as 'msd(O)' or 'acf(box_dipole(all))', with their errors.",
    .operands = "EXPRESSION...",
    .min_operands = 0, // --list takes none
    .max_operands = SIZE_MAX,
    .operand_file = operand_file,
    .options = options,
    .to_stdout = to_stdout,
};

struct run {
    struct trj_reader *in;
    struct trj_interval_reader reader;
    struct trj_frame frame;
    struct obs_system system;
    struct tcf_run correlations;
    struct tcf_merged merged;
    struct obs_batches *batches;
    struct trj_times fit;
    struct trj_output *out;
    struct trj_table table;
};

static int print_list(struct trj_error *err) {
    char form[300], columns[300];
    for (size_t i = 0; tcf_functions[i]; i++) {
        const struct obs_function *f = tcf_functions[i];
        obs_function_describe(f, form, sizeof form);
        obs_columns_describe(f->column, f->columns, columns, sizeof columns);
        printf("%s\t%s\t%s\n", form, columns, f->formula);
    }
    return fflush(stdout) || ferror(stdout) ? trj_fail_errno(err, "stdout") : 0;
}

static int fail_frame(const struct run *r, struct trj_error *err) {
    const uint64_t number = obs_batches_failed(r->batches);
    return number == UINT64_MAX ? -1 : trj_stream_input_fail_earlier(r->in, number, err);
}

static int read_frames(struct run *r, struct trj_error *err) {
    struct tcf_run *c = &r->correlations;
    const struct obs_batches_plan plan = {
        &r->system, c->observable, c->count, c->values, (unsigned)engine.threads, tcf_run_take, c, NULL};
    int got;
    if (obs_batches_open(&r->batches, &plan, err)) return -1;
    while ((got = trj_interval_read(&r->reader, r->in, &r->frame, err)) > 0) {
        if (obs_batches_add(r->batches, &r->frame, err)) return fail_frame(r, err);
        trj_stream_input_progress(r->in);
    }
    if (got < 0) return -1;
    if (obs_batches_finish(r->batches, err)) return fail_frame(r, err);
    return tcf_run_finish(c, err) ? trj_fail_at(err, "%s", trj_input_name(r->in->in)) : 0;
}

static int write_table(struct run *r, const struct tcf_run *correlations, struct trj_error *err) {
    if (tcf_table_write(correlations, &r->fit, &r->table, trj_tool_print_line, err)) return -1;
    return trj_output_commit(r->out, err);
}

static int merge(struct run *r, char **files, int count, struct trj_error *err) {
    struct tcf_merged *m = &r->merged;
    if (input_path) return trj_fail(err, TRJ_USAGE, "--merge reads the sums that are operands; leave --input out");
    if (trj_output_open(&r->out, output_path, TRJ_OUTPUT_TEXT, err) ||
        tcf_merged_read(m, files, (size_t)count, (unsigned)engine.threads, err) ||
        (m->fit && trj_times_parse(&r->fit, m->fit, err)))
        return -1;
    r->table = (struct trj_table){.out = r->out, .err = err};
    trj_table_provenance(&r->table, m->lines.text, m->lines.count);
    trj_table_provenance(&r->table, trj_tool_provenance(err), SIZE_MAX);
    return write_table(r, &m->run, err);
}

static int run(void *state, char **operands, int count, struct trj_error *err) {
    struct run *r = state;
    if (list) return print_list(err);
    if (tcf_options_check(&request, operands, (size_t)count, &r->fit, err) || !trj_tool_provenance(err)) return -1;
    if (request.merge) return merge(r, operands, count, err);
    if (trj_stream_input_open_unwrapped(&r->in, input_path ? input_path : "-", TRJ_READ_VELOCITY, err) ||
        trj_reader_read_ahead(r->in, (unsigned)engine.threads, 1, UINT64_MAX, err) ||
        trj_output_open(&r->out, output_path, TRJ_OUTPUT_TEXT, err))
        return -1;
    const struct trj_stream_header *h = r->in->header;
    if (obs_system_open(&r->system, h, err)) return trj_fail_at(err, "%s", trj_input_name(r->in->in));
    r->system.note = trj_tool_print_line;
    r->reader.wanted = true;
    if (tcf_run_open(&r->correlations, &request, (unsigned)engine.threads, operands, (size_t)count, &r->system,
                     &r->reader.interval, err) ||
        read_frames(r, err))
        return -1;
    r->table = (struct trj_table){.out = r->out, .err = err};
    trj_table_provenance(&r->table, h->provenance, h->provenance_count);
    trj_table_provenance(&r->table, trj_tool_provenance(err), SIZE_MAX);
    if (!request.sums) return write_table(r, &r->correlations, err);
    trj_table_comment(&r->table, TCF_PARTIAL_NOTE);
    if (trj_table_status(&r->table) || tcf_partial_write(&r->correlations, r->out, err)) return -1;
    return trj_output_commit(r->out, err);
}

static void close_all(void *state) {
    struct run *r = state;
    obs_batches_close(r->batches);
    tcf_run_free(&r->correlations);
    tcf_merged_free(&r->merged);
    obs_system_free(&r->system);
    trj_output_close(r->out);
    trj_interval_reader_free(&r->reader);
    trj_frame_free(&r->frame);
    trj_reader_close(r->in);
}

int main(int argc, char **argv) {
    static struct run r;
    return trj_tool_main(&tool, argc, argv, run, close_all, &r);
}
