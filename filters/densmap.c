// SPDX-License-Identifier: MIT
// densmap: reads a frame stream, and computes the density of a group of atoms at the points of a lattice.
#include <math.h>
#include <stdlib.h>

#include "density_bodies.h"
#include "density_engine.h"
#include "density_setup.h"
#include "map_output.h"
#include "map_sum.h"
#include "memory.h"
#include "stream_input.h"
#include "tool.h"

static struct trj_engine_options engine = TRJ_ENGINE_OPTIONS_DEFAULT;
static struct den_options request = DEN_OPTIONS_DEFAULT;
static struct trj_map_output output, errors;
static bool mean, each;
static uint64_t block = TRJ_OPTION_ABSENT;
static double relative = NAN;

static const struct trj_option options[] = {
    DEN_OPTIONS(request),
    {.heading = "Result (default: the sum over frames in a grid stream, and the mean in other formats)",
     .letter = 'm',
     .name = "mean",
     .kind = TRJ_OPTION_FLAG,
     .value = &mean,
     .help = "write the mean density"},
    {.name = "relative",
     .kind = TRJ_OPTION_REAL,
     .value = &relative,
     .arg = "RHO",
     .help = "divide the mean density by RHO, such as 0.0334 for the oxygen atoms of water"},
    {.name = "stderr-map",
     .kind = TRJ_OPTION_TEXT,
     .value = &errors.path,
     .arg = "FILE",
     .help = "write the standard error of the mean density to FILE, from the differences between records"},
    {.name = "each", .kind = TRJ_OPTION_FLAG, .value = &each, .help = "write a record for each frame"},
    {.letter = 'B',
     .name = "block",
     .kind = TRJ_OPTION_COUNT,
     .value = &block,
     .arg = "N",
     .help = "end a record every N frames, for standard errors (default: one record of all frames)",
     .min = 1,
     .max = TRJ_OPTION_ABSENT - 1},
    TRJ_OPTIONS_ENGINE(&engine, den_engine_choices),
    TRJ_MAP_OPTIONS_OUTPUT(output),
    TRJ_OPTION_END,
};

static bool to_stdout(void) {
    return trj_map_output_is_stream_to_stdout(&output);
}

static const struct trj_tool tool = {
    .name = "densmap",
    .purpose = "Computes the density of a group of atoms in a frame stream (of trjcat) at the points of a lattice.",
    .operands = "[FILE]",
    .max_operands = 1,
    .options = options,
    .version = den_engine_versions,
    .to_stdout = to_stdout,
    .stream = &trj_grid_kind,
};

struct run {
    struct trj_reader *in;
    struct trj_frame frame;
    struct den_setup setup;
    const struct trj_engine *kind;
    void *state; // of the engine
    struct trj_grid_record record;
    struct trj_map_sum *sum; // for the mean and its standard error
    struct trj_map density;  // the map with the mean
    double *plane;
    char **provenance;
};

static const struct den_engine *engine_of(const struct run *r) {
    return (const struct den_engine *)(const void *)r->kind;
}

static void print_note(void *arg, const char *text) {
    (void)arg;
    trj_tool_message("note: %s", text);
}

static int open_engine(struct run *r, struct trj_error *err) {
    struct den_job *job = &r->setup.job;
    struct den_engine_stats stats;
    char text[TRJ_ENGINE_TEXT];
    job->threads = (unsigned)engine.threads;
    job->devices = engine.devices;
    job->cpu_may_finish = trj_engine_is_auto(&engine);
    job->note = print_note;
    while (engine_of(r)->open(&r->state, job, err))
        if (!trj_engine_fall_back(&r->kind, den_engines, engine.engine, err)) return -1;
    if (!trj_engine_is_auto(&engine)) return 0;
    engine_of(r)->stats(r->state, &stats);
    trj_engine_describe(text, r->kind, stats.workers);
    trj_tool_message("%s", text);
    return 0;
}

// Prepares everything that depends on the first frame.
static int start(struct run *r, struct trj_error *err) {
    const struct trj_stream_header *h = r->in->header;
    if (den_setup_make(&r->setup, &request, h, &r->frame, err) || open_engine(r, err) ||
        trj_map_output_add_origin(&output, h, err))
        return -1;
    const struct trj_map_sum_setup setup = {.errors = errors.path};
    if (!mean) return trj_map_output_start(&output, &r->setup.map, r->provenance, err);
    r->plane = trj_alloc(trj_map_plane_values(&r->setup.map), sizeof *r->plane, "a plane", err);
    return r->plane ? trj_map_sum_open(&r->sum, &r->setup.map, &setup, err) : -1;
}

static int end_record(struct run *r, struct trj_error *err) {
    const int64_t *values;
    uint64_t planes = r->setup.map.lattice.n[2];
    if (!r->record.frames) return 0;
    if (trj_map_output_add_sources(&output, r->in->header, err)) return -1;
    int rc = engine_of(r)->finish(r->state, &values, err);
    if (!rc && r->sum) rc = trj_map_sum_begin(r->sum, &r->record, err) || trj_map_sum_add(r->sum, values, planes, err);
    if (!rc && !r->sum)
        rc = trj_map_writer_begin(output.writer, &r->record, err) ||
             trj_map_writer_write(output.writer, values, planes, err);
    trj_grid_record_free(&r->record);
    r->record = (struct trj_grid_record){.frames = 0};
    return rc ? -1 : 0;
}

// Writes the mean density, or its standard error, to an output that is open.
static int write_density(struct run *r, struct trj_map_output *o, struct trj_error *err) {
    struct trj_map *m = &r->density;
    double factor = r->setup.to_density / (isnan(relative) ? 1 : relative);
    struct trj_grid_record record = *trj_map_sum_record(r->sum);
    record.sum = false;
    if (trj_map_output_start(o, m, r->provenance, err) || trj_map_writer_begin(o->writer, &record, err)) return -1;
    for (uint64_t k = 0; k < m->lattice.n[2]; k++) {
        if (o == &errors)
            trj_map_sum_errors(r->sum, k, r->plane);
        else
            trj_map_sum_means(r->sum, k, r->plane);
        for (uint64_t i = 0, n = trj_map_plane_values(m); i < n; i++) r->plane[i] *= factor;
        if (trj_map_writer_write(o->writer, r->plane, 1, err)) return -1;
    }
    for (size_t i = 0; i < o->writer->notes.count; i++) trj_tool_message("note: %s", o->writer->notes.text[i]);
    return trj_map_output_commit(o, err);
}

static int write_mean(struct run *r, struct trj_error *err) {
    uint64_t blocks;
    if (trj_map_sum_check_frames(r->sum, r->in->header, err) ||
        den_setup_density(&r->setup, &r->density, relative, err))
        return -1;
    double bound = r->density.error_bound;
    r->density.error_bound = 0; // that of a standard error is unknown
    if (errors.path && (trj_map_sum_finish_errors(r->sum, &blocks, err) || trj_map_output_open(&errors, err) ||
                        trj_map_output_add_origin(&errors, r->in->header, err) || write_density(r, &errors, err)))
        return trj_fail_at(err, "--stderr-map");
    r->density.error_bound = bound;
    return write_density(r, &output, err);
}

static void print_line(const char *text) {
    trj_tool_message("%s", text);
}

static void print_statistics(const struct run *r) {
    struct den_engine_stats s;
    engine_of(r)->stats(r->state, &s);
    den_engine_print_stats(r->kind, &s, r->setup.job.group->count, print_line);
}

static int read_frames(struct run *r, struct trj_error *err) {
    uint64_t frames = 0;
    int got;
    while ((got = trj_stream_input_read(r->in, &r->frame, err)) > 0) {
        if (!frames && start(r, err)) return -1;
        if (den_job_check_frame(&r->setup.job, &r->frame, err) ||
            trj_grid_record_add_frame(&r->record, r->frame.source, r->frame.index, den_setup_weight(&r->setup), err))
            return trj_stream_input_fail_frame(r->in, err);
        if (engine_of(r)->add(r->state, &r->frame, err)) return trj_stream_input_fail_frame(r->in, err);
        if (r->record.frames == block && end_record(r, err)) return -1;
        trj_tool_progress("frames", ++frames, 0);
    }
    if (got < 0 || end_record(r, err)) return -1;
    if (engine.stats) print_statistics(r);
    return mean ? write_mean(r, err) : trj_map_output_commit(&output, err);
}

static int run(struct run *r, int argc, char **argv, int first, struct trj_error *err) {
    if (each && block != TRJ_OPTION_ABSENT) return trj_fail(err, TRJ_USAGE, "--each and --block: give only one");
    if (each) block = 1;
    if ((request.body && trj_bodies_check(request.body, err)) || trj_engine_check_options(&engine, err) ||
        (request.body ? den_bodies_engine(&r->kind, engine.engine, err)
                      : trj_engine_find(&r->kind, den_engines, engine.engine, err)) ||
        trj_map_output_open(&output, err))
        return -1;
    mean = mean || !output.format->series || errors.path || !isnan(relative);
    if (mean && each && !errors.path)
        return trj_fail(
            err, TRJ_USAGE,
            "--each writes the values of each frame, not a mean; leave out --each, or --mean and --relative, and "
            "write a grid stream");
    if (errors.path && trj_map_format_choose(&errors.format, NULL, errors.path, err))
        return trj_fail_at(err, "--stderr-map");
    if (errors.path && block == TRJ_OPTION_ABSENT)
        return trj_fail(err, TRJ_USAGE, "--stderr-map requires records; give their number of frames with --block");
    if (!isnan(relative) && !(relative > 0))
        return trj_fail(err, TRJ_USAGE, "--relative: invalid value %g: expected a density above 0", relative);
    if (trj_stream_input_open(&r->in, first < argc ? argv[first] : "-", err) ||
        trj_reader_read_ahead(r->in, (unsigned)engine.threads, 1, UINT64_MAX, err))
        return -1;
    r->provenance = trj_tool_provenance(&tool, argc, argv, err);
    return r->provenance ? read_frames(r, err) : -1;
}

int main(int argc, char **argv) {
    struct trj_error err;
    struct run r = {.in = NULL};
    int first, rc;
    trj_tool_start(&tool);
    rc = trj_tool_parse(&tool, argc, argv, &first, &err);
    if (rc > 0) rc = run(&r, argc, argv, first, &err);
    trj_tool_progress_end();
    if (r.state) engine_of(&r)->close(r.state);
    trj_map_output_close(&output);
    trj_map_output_close(&errors);
    trj_map_sum_close(r.sum);
    trj_grid_record_free(&r.record);
    trj_map_free(&r.density);
    den_setup_free(&r.setup);
    trj_reader_close(r.in);
    trj_frame_free(&r.frame);
    trj_text_array_free(r.provenance);
    free(r.plane);
    return rc < 0 ? trj_tool_fail(&err) : 0;
}
