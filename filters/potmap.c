// SPDX-License-Identifier: MIT
// potmap: reads a frame stream, and computes the electrostatic potential of its charges at the points of a lattice.
#include <math.h>
#include <string.h>
#include <strings.h>

#include "apbs_frames.h"
#include "engine_start.h"
#include "frame_loop.h"
#include "pair_blocks.h"
#include "point_table.h"
#include "potential_engine.h"
#include "potential_setup.h"
#include "tool.h"

static struct trj_engine_options engine = TRJ_ENGINE_OPTIONS_DEFAULT;
static struct work_checkpoint_options checkpoints;
static struct pot_options potential_options = POT_OPTIONS_DEFAULT;
static struct trj_map_result result = TRJ_MAP_RESULT_DEFAULT;
static struct pot_point_table table; // of --points
static struct pot_apbs_frames apbs;  // of --apbs
static struct ana_ranks_options ranks;

static const struct trj_option options[] = {
    {.table = pot_option_table, .value = &potential_options},
    {.table = trj_map_result_option_table, .value = &result, .subject = "potential"},
    {.table = trj_engine_option_table, .value = &engine, .choices = pot_engine_choices},
    {.table = work_checkpoint_option_table, .value = &checkpoints},
    {.table = ana_ranks_option_table, .value = &ranks},
    {.table = trj_map_series_option_table, .value = &result.output},
    TRJ_OPTION_END,
};

static bool to_stdout(void);

static struct trj_tool tool = {
    .name = "potmap",
    .purpose = "Computes the potential of the charges of a frame stream (of trjcat) at the points of a lattice.",
    .operands = "[FILE]",
    .max_operands = 1,
    .options = options,
    .engines = pot_engines,
    .version = trj_engine_versions,
    .to_stdout = to_stdout,
    .stream = &trj_grid_kind,
};

static bool to_stdout(void) {
    if (potential_options.apbs) return false;
    if (!potential_options.points) return trj_map_output_is_stream_to_stdout(&result.output);
    tool.stream = NULL; // the result is a table
    return trj_output_is_stdout(result.output.path);
}

struct run {
    struct ana_loop loop;
    struct pot_setup setup;
    struct pot_frame frame; // that is added
};

// Prepares the output for the frames of the stream.
static int start_output(struct run *r, struct trj_error *err) {
    const struct trj_stream_header *h = r->loop.in->header;
    struct pot_setup *s = &r->setup;
    struct trj_map means;
    if (potential_options.apbs) {
        apbs = (struct pot_apbs_frames){.input = &s->apbs,
                                        .header = h,
                                        .pattern = result.output.path,
                                        .provenance = trj_tool_provenance(err),
                                        .quantum = s->job.quantum};
        return 0;
    }
    if (potential_options.points) {
        table.points = &s->list;
        return pot_point_table_start(&table, h, &s->map, s->factor, s->unit, trj_tool_provenance(err), err);
    }
    if (pot_setup_means(s, &means, err)) return -1;
    return trj_map_result_start(&result, h, &s->map, &means, s->factor, trj_tool_provenance(err), err);
}

// With --divide map, restricts the job to the slab of this rank.
static int divide(struct run *r, struct trj_error *err) {
    struct pot_job *job = &r->setup.job;
    uint64_t layer, count;
    if (!ana_ranks_divide_map(&ranks)) return 0;
    if (pot_layers_find(job, &layer, &count, err)) return trj_fail_at(err, "--divide map");
    if (ana_loop_divide(&r->loop, &job->slab, &result, &job->lattice, layer, count, err)) return -1;
    job->values = trj_map_lattice_plane(&job->lattice) * trj_map_lattice_slab(&job->lattice, job->slab).planes;
    return 0;
}

// Prepares everything that depends on the first frame.
static int start(void *run, struct trj_error *err) {
    struct run *r = run;
    struct pot_setup *s = &r->setup;
    if (pot_setup_make(s, &potential_options, r->loop.in->header, &r->loop.frame, (unsigned)engine.threads, err))
        return -1;
    if (divide(r, err)) return -1;
    s->job.frame = &r->frame;
    r->loop.atoms = s->job.atoms;
    r->loop.points = r->loop.values = pot_point_count(&s->job);
    if (s->job.fractional) r->loop.moves = &s->job.lattice;
    if (ana_loop_open_engine(&r->loop, &s->job, pot_engine_seconds(&s->job), err)) return -1;
    trj_tool_print_note(s->note);
    trj_tool_print_note(s->background);
    for (int i = 0; i < 2; i++) trj_tool_print_note(s->apbs.note[i]);
    return start_output(r, err);
}

static int accept_frame(void *run, struct trj_frame *frame, struct trj_error *err) {
    struct run *r = run;
    if (pot_setup_frame(&r->setup, frame, &r->frame, err)) return -1;
    if (potential_options.points) return pot_point_table_add(&table, frame, err);
    return potential_options.apbs ? 0 : trj_map_result_add(&result, frame, 1, err);
}

static void report(void *run) {
    struct run *r = run;
    trj_tool_print_note(r->setup.report);
    *r->setup.report = 0;
}

static bool record_is_full(void *run) {
    (void)run;
    return potential_options.apbs ||
           (potential_options.points ? table.record.frames : result.record.frames) == result.block;
}

static int write_apbs(const struct pot_frame *frame, const int64_t *values, struct trj_error *err) {
    const struct pot_pqr molecule = {.header = apbs.header,
                                     .count = frame->count,
                                     .atom = frame->atom,
                                     .position = frame->position,
                                     .charge = frame->charge,
                                     .radius = frame->radius};
    return pot_apbs_frames_write(&apbs, &molecule, &frame->lattice, values, err);
}

static int end_record(void *run, const int64_t *values, struct trj_error *err) {
    if (potential_options.apbs) return write_apbs(&((const struct run *)run)->frame, values, err);
    return potential_options.points ? pot_point_table_end_record(&table, values, err)
                                    : trj_map_result_end_record(&result, values, err);
}

// Returns whether a name already ends with .dx, .in or .pqr, which --apbs appends.
static bool has_apbs_ending(const char *path) {
    const char *ending = strrchr(path, '.');
    return ending && (!strcasecmp(ending, ".dx") || !strcasecmp(ending, ".in") || !strcasecmp(ending, ".pqr"));
}

static int open_output(struct trj_error *err) {
    if (potential_options.apbs) {
        if (!trj_output_is_stdout(result.output.path) && !has_apbs_ending(result.output.path) && !result.output.to &&
            !result.output.level && !result.errors.path && !result.mean && !result.each &&
            result.block == TRJ_OPTION_ABSENT)
            return 0;
        return trj_fail(err, TRJ_USAGE,
                        "--apbs writes three files for each frame; give their name without an ending, such as "
                        "-o 'frame.%%05d', and leave out --to, --compress, --mean, --each, --block and "
                        "--stderr-map");
    }
    if (!potential_options.points) return trj_map_result_open(&result, pot_options_convert(&potential_options), err);
    if (result.output.to || result.output.level || result.errors.path)
        return trj_fail(err, TRJ_USAGE, "--points writes a table; leave out --to, --compress and --stderr-map");
    if (result.each && (result.block != TRJ_OPTION_ABSENT || result.mean))
        return trj_fail(err, TRJ_USAGE, "--each, --mean and --block: with --points, give --each alone or leave it out");
    if (result.each) result.block = 1;
    table.path = result.output.path;
    table.each = result.each;
    table.errors = !result.each && result.block != TRJ_OPTION_ABSENT;
    return pot_point_table_open(&table, err);
}

// Returns the option that does not work with --mpi: these methods round the sums of all frames of a record once.
static const char *alone(void) {
    const char *m = potential_options.method;
    if (checkpoints.path) return "--checkpoint";
    return !m ? NULL : !strcmp(m, "pme") ? "--method pme" : !strcmp(m, "fast") ? "--method fast" : NULL;
}

// Sets *error to the largest one of all ranks; NAN: none has one.
static int find_largest(const struct run *r, double *error, struct trj_error *err) {
    if (trj_mpi_size() == 1) return 0;
    if (isnan(*error)) *error = -INFINITY;
    if (work_share_combine(r->loop.share, error, 1, WORK_SHARE_MAX, err)) return -1;
    if (isinf(*error)) *error = NAN;
    return 0;
}

static int run(void *state, char **operands, int count, struct trj_error *err) {
    struct run *r = state;
    const char *path = count ? *operands : "-";
    if (trj_mpi_start(&ranks.mpi, path, &engine, alone(), err)) return -1;
    if (potential_options.apbs && checkpoints.path)
        return trj_fail(
            err, TRJ_USAGE,
            "--checkpoint: --apbs completes the files of each frame at once; leave it out, and to continue, "
            "select the other frames with trjcat -f");
    if (checkpoints.path && potential_options.method && !strcmp(potential_options.method, "fast"))
        return trj_fail(err, TRJ_USAGE,
                        "--checkpoint: --method fast fits its mesh to the frames that it has seen, which a checkpoint "
                        "does not contain; leave --checkpoint out");
    if (ana_loop_check(&r->loop, err)) return -1;
    if (pot_options_check(&potential_options, path, err)) return -1;
    if (open_output(err)) return -1;
    if (ana_loop_open(&r->loop, path, err)) return -1;
    if (ana_loop_read(&r->loop, err)) return -1;
    double error = work_map_run_error(r->loop.run);
    if (find_largest(r, &error, err)) return -1;
    if (result.mean && !isnan(error)) result.means.error_bound = error * r->setup.factor;
    if (potential_options.apbs) return 0;
    if (potential_options.points ? pot_point_table_commit(&table, err) : trj_map_result_commit(&result, err)) return -1;
    ana_loop_complete(&r->loop);
    return 0;
}

static void close_all(void *state) {
    struct run *r = state;
    ana_loop_close(&r->loop);
    trj_map_result_close(&result);
    pot_point_table_close(&table);
    if (work_start_abandoned()) return; // main ends the process at once
    pot_setup_free(&r->setup);
    ana_loop_free(&r->loop);
}

int main(int argc, char **argv) {
    static struct run r = {.loop = {.options = &engine,
                                    .engines = pot_engines,
                                    .checkpoints = &checkpoints,
                                    .ranks = &ranks,
                                    .owner = &r,
                                    .start = start,
                                    .accept = accept_frame,
                                    .added = report,
                                    .record_is_full = record_is_full,
                                    .end_record = end_record,
                                    .names_engine_late = true}}; // the method fast opens its GPUs with the first frame
    return work_start_end_process(trj_mpi_end(trj_tool_main(&tool, argc, argv, run, close_all, &r)));
}
