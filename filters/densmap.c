// SPDX-License-Identifier: MIT
// densmap: reads a frame stream, and computes the density of a group of atoms at the points of a lattice.
#include <math.h>
#include <stdlib.h>

#include "density_bodies.h"
#include "density_engine.h"
#include "density_setup.h"
#include "map_result.h"
#include "stream_input.h"
#include "tool.h"

static struct trj_engine_options engine = TRJ_ENGINE_OPTIONS_DEFAULT;
static struct den_options request = DEN_OPTIONS_DEFAULT;
static struct trj_map_result result = TRJ_MAP_RESULT_DEFAULT;
static double relative = NAN;

static const struct trj_option options[] = {
    DEN_OPTIONS(request),
    TRJ_MAP_RESULT_OPTIONS(result, "density"),
    {.name = "relative",
     .kind = TRJ_OPTION_REAL,
     .value = &relative,
     .arg = "RHO",
     .help = "divide the mean density by RHO, such as 0.0334 for the oxygen atoms of water"},
    TRJ_OPTIONS_ENGINE(&engine, den_engine_choices),
    TRJ_MAP_OPTIONS_OUTPUT_SERIES(result.output),
    TRJ_OPTION_END,
};

static bool to_stdout(void) {
    return trj_map_output_is_stream_to_stdout(&result.output);
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
};

static const struct work_map_engine *engine_of(const struct run *r) {
    return (const struct work_map_engine *)(const void *)r->kind;
}

static int open_engine(struct run *r, struct trj_error *err) {
    struct den_job *job = &r->setup.job;
    struct trj_engine_stats stats;
    char text[TRJ_ENGINE_TEXT];
    const struct work_resources resources = {.threads = (unsigned)engine.threads,
                                             .devices = engine.devices,
                                             .cpu_may_finish = trj_engine_is_auto(&engine),
                                             .note = trj_tool_print_note_of};
    while (engine_of(r)->open(&r->state, job, &resources, err))
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
    struct trj_map density;
    if (den_setup_make(&r->setup, &request, h, &r->frame, err) || open_engine(r, err) ||
        den_setup_density(&r->setup, &density, relative, err))
        return -1;
    return trj_map_result_start(&result, h, &r->setup.map, &density,
                                r->setup.to_density / (isnan(relative) ? 1 : relative), trj_tool_provenance(err), err);
}

static int end_record(struct run *r, struct trj_error *err) {
    const int64_t *values;
    if (!result.record.frames) return 0;
    return engine_of(r)->finish(r->state, &values, err) || trj_map_result_end_record(&result, values, err) ? -1 : 0;
}

static void print_statistics(const struct run *r) {
    struct trj_engine_stats s;
    engine_of(r)->stats(r->state, &s);
    trj_engine_print_stats(r->kind, &s, r->setup.job.group->count, trj_tool_print_line);
}

static int read_frames(struct run *r, struct trj_error *err) {
    uint64_t frames = 0;
    int got;
    while ((got = trj_stream_input_read(r->in, &r->frame, err)) > 0) {
        if (!frames && start(r, err)) return -1;
        if (den_job_check_frame(&r->setup.job, &r->frame, err) ||
            trj_map_result_add(&result, &r->frame, den_setup_weight(&r->setup), err))
            return trj_stream_input_fail_frame(r->in, err);
        if (engine_of(r)->add(r->state, &r->frame, err)) return trj_stream_input_fail_frame(r->in, err);
        if (trj_map_result_record_is_full(&result) && end_record(r, err)) return -1;
        trj_tool_progress("frames", ++frames, 0);
    }
    if (got < 0 || end_record(r, err)) return -1;
    if (engine.stats) print_statistics(r);
    return trj_map_result_commit(&result, err);
}

static int run(void *state, char **operands, int count, struct trj_error *err) {
    struct run *r = state;
    if ((request.body && trj_bodies_check(request.body, err)) || trj_engine_check_options(&engine, err) ||
        (request.body ? den_bodies_engine(&r->kind, engine.engine, err)
                      : trj_engine_find(&r->kind, den_engines, engine.engine, err)) ||
        trj_map_result_open(&result, !isnan(relative), err))
        return -1;
    if (!isnan(relative) && !(relative > 0))
        return trj_fail(err, TRJ_USAGE, "--relative: invalid value %g: expected a density above 0", relative);
    const char *path = count ? *operands : "-";
    if (trj_input_check_option("--like", request.lattice.like, path, "the frame stream", err) ||
        trj_stream_input_open(&r->in, path, err) ||
        trj_reader_read_ahead(r->in, (unsigned)engine.threads, 1, UINT64_MAX, err))
        return -1;
    return trj_tool_provenance(err) ? read_frames(r, err) : -1;
}

static void close_all(void *state) {
    struct run *r = state;
    if (r->state) engine_of(r)->close(r->state);
    trj_map_result_close(&result);
    den_setup_free(&r->setup);
    trj_reader_close(r->in);
    trj_frame_free(&r->frame);
}

int main(int argc, char **argv) {
    static struct run r;
    return trj_tool_main(&tool, argc, argv, run, close_all, &r);
}
