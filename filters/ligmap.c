// SPDX-License-Identifier: MIT
// ligmap: reads a frame stream, and computes the free energy of inserting a small ligand at the points of a lattice.
#include <stdlib.h>

#include "ligand_engine.h"
#include "ligand_setup.h"
#include "map_result.h"
#include "stream_input.h"
#include "tool.h"

static struct trj_engine_options engine = TRJ_ENGINE_OPTIONS_DEFAULT;
static struct lig_options request = LIG_OPTIONS_DEFAULT;
static struct trj_map_result result = TRJ_MAP_RESULT_DEFAULT;

static const struct trj_option options[] = {
    LIG_OPTIONS(request),
    TRJ_MAP_RESULT_OPTIONS(result, "free energy"),
    LIG_OPTION_UNITS(request),
    TRJ_OPTIONS_ENGINE(&engine, lig_engine_choices),
    TRJ_MAP_OPTIONS_OUTPUT_SERIES(result.output),
    TRJ_OPTION_END,
};

static bool to_stdout(void) {
    return trj_map_output_is_stream_to_stdout(&result.output);
}

static const struct trj_tool tool = {
    .name = "ligmap",
    .purpose =
        "Computes the free energy of a small ligand among the atoms of a frame stream (of trjcat), at the points "
        "of a lattice.",
    .operands = "[FILE]",
    .max_operands = 1,
    .options = options,
    .version = lig_engine_versions,
    .to_stdout = to_stdout,
    .stream = &trj_grid_kind,
};

struct run {
    struct trj_reader *in;
    struct trj_frame frame;
    struct lig_setup setup;
    const struct trj_engine *kind;
    void *state; // of the engine
};

static const struct work_map_engine *engine_of(const struct run *r) {
    return (const struct work_map_engine *)(const void *)r->kind;
}

static int open_engine(struct run *r, struct trj_error *err) {
    struct lig_job *job = &r->setup.job;
    struct trj_engine_stats stats;
    char text[TRJ_ENGINE_TEXT];
    const struct work_resources resources = {.threads = (unsigned)engine.threads,
                                             .devices = engine.devices,
                                             .cpu_may_finish = trj_engine_is_auto(&engine),
                                             .note = trj_tool_print_note_of};
    while (engine_of(r)->open(&r->state, job, &resources, err))
        if (!trj_engine_fall_back(&r->kind, lig_engines, engine.engine, err)) return -1;
    if (!trj_engine_is_auto(&engine)) return 0;
    engine_of(r)->stats(r->state, &stats);
    trj_engine_describe(text, r->kind, stats.workers);
    trj_tool_message("%s", text);
    return 0;
}

// Prepares everything that depends on the first frame.
static int start(struct run *r, struct trj_error *err) {
    if (lig_setup_make(&r->setup, &request, r->in->header, &r->frame, err)) {
        trj_map_free(&r->setup.means);
        return -1;
    }
    if (open_engine(r, err)) {
        trj_map_free(&r->setup.means);
        return -1;
    }
    result.convert = lig_setup_convert;
    result.convert_arg = &r->setup;
    return trj_map_result_start(&result, r->in->header, &r->setup.map, &r->setup.means, 1, trj_tool_provenance(err),
                                err);
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

static int commit(struct run *r, struct trj_error *err) {
    if (trj_map_result_commit(&result, err)) return -1;
    if (r->setup.limited)
        trj_tool_message("note: %llu value%s %g %s, the largest free energy that --bits %u can resolve: there, the "
                         "ligand overlapped with atoms in all or almost all frames",
                         (unsigned long long)r->setup.limited, r->setup.limited == 1 ? " is" : "s are",
                         r->setup.ceiling, request.units ? request.units : "kT", r->setup.job.bits);
    return 0;
}

static int read_frames(struct run *r, struct trj_error *err) {
    uint64_t frames = 0;
    int got;
    while ((got = trj_stream_input_read(r->in, &r->frame, err)) > 0) {
        if (!frames && start(r, err)) return -1;
        if (trj_map_result_add(&result, &r->frame, 1, err) || engine_of(r)->add(r->state, &r->frame, err))
            return trj_stream_input_fail_frame(r->in, err);
        if (trj_map_result_record_is_full(&result) && end_record(r, err)) return -1;
        trj_tool_progress("frames", ++frames, 0);
    }
    if (got < 0 || end_record(r, err)) return -1;
    if (engine.stats) print_statistics(r);
    return commit(r, err);
}

static int run(void *state, char **operands, int count, struct trj_error *err) {
    struct run *r = state;
    const char *stream = count ? *operands : "-";
    if (lig_setup_start(&r->setup, &request, stream, err) || trj_engine_check_options(&engine, err) ||
        trj_engine_find(&r->kind, lig_engines, engine.engine, err) ||
        trj_map_result_open(&result, request.units != NULL, err) || trj_stream_input_open(&r->in, stream, err) ||
        trj_reader_read_ahead(r->in, (unsigned)engine.threads, 1, UINT64_MAX, err))
        return -1;
    return trj_tool_provenance(err) ? read_frames(r, err) : -1;
}

static void close_all(void *state) {
    struct run *r = state;
    if (r->state) engine_of(r)->close(r->state);
    trj_map_result_close(&result);
    lig_setup_free(&r->setup);
    trj_reader_close(r->in);
    trj_frame_free(&r->frame);
}

int main(int argc, char **argv) {
    static struct run r;
    return trj_tool_main(&tool, argc, argv, run, close_all, &r);
}
