// SPDX-License-Identifier: MIT
// potmap: reads a frame stream, and computes the electrostatic potential of its charges at the points of a lattice.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "apbs_frames.h"
#include "map_result.h"
#include "pair_blocks.h"
#include "point_table.h"
#include "pool.h"
#include "potential_engine.h"
#include "potential_setup.h"
#include "stream_input.h"
#include "tool.h"

static struct trj_engine_options engine = TRJ_ENGINE_OPTIONS_DEFAULT;
static struct pot_options request = POT_OPTIONS_DEFAULT;
static struct trj_map_result result = TRJ_MAP_RESULT_DEFAULT;
static struct pot_point_table table; // of --points
static struct pot_apbs_frames apbs;  // of --apbs

static const struct trj_option options[] = {
    POT_OPTIONS(request),
    TRJ_MAP_RESULT_OPTIONS(result, "potential"),
    TRJ_OPTIONS_ENGINE(&engine, pot_engine_choices),
    TRJ_MAP_OPTIONS_OUTPUT_SERIES(result.output),
    TRJ_OPTION_END,
};

static bool to_stdout(void);

static struct trj_tool tool = {
    .name = "potmap",
    .purpose = "Computes the potential of the charges of a frame stream (of trjcat) at the points of a lattice.",
    .operands = "[FILE]",
    .max_operands = 1,
    .options = options,
    .version = pot_engine_versions,
    .to_stdout = to_stdout,
    .stream = &trj_grid_kind,
};

static bool to_stdout(void) {
    if (request.apbs) return false;
    if (!request.points) return trj_map_output_is_stream_to_stdout(&result.output);
    tool.stream = NULL; // the result is a table
    return trj_output_is_stdout(result.output.path);
}

struct run {
    struct trj_reader *in;
    struct trj_frame frame;
    struct pot_setup setup;
    const struct trj_engine *kind;
    const struct pot_method *method;
    void *state; // of the method
    uint64_t frames;
    double seconds; // of the method
};

static int open_engine(struct run *r, struct trj_error *err) {
    struct pot_job *job = &r->setup.job;
    job->devices = engine.devices;
    job->cpu_may_finish = trj_engine_is_auto(&engine);
    job->note = trj_tool_print_note_of;
    return pot_engine_open(&r->kind, engine.engine, job, &r->method, &r->state, err);
}

// Prepares everything that depends on the first frame.
static int start(struct run *r, struct trj_error *err) {
    const struct trj_stream_header *h = r->in->header;
    struct pot_setup *s = &r->setup;
    struct trj_map means;
    if (pot_setup_make(s, &request, h, &r->frame, (unsigned)engine.threads, err) || open_engine(r, err)) return -1;
    if (*s->note) trj_tool_message("note: %s", s->note);
    if (*s->background) trj_tool_message("note: %s", s->background);
    for (int i = 0; i < 2; i++)
        if (*s->apbs.note[i]) trj_tool_message("note: %s", s->apbs.note[i]);
    if (request.apbs) {
        apbs = (struct pot_apbs_frames){.input = &s->apbs,
                                        .header = h,
                                        .pattern = result.output.path,
                                        .provenance = trj_tool_provenance(err),
                                        .quantum = s->job.quantum};
        return 0;
    }
    if (request.points) {
        table.points = &s->list;
        return pot_point_table_start(&table, h, &s->map, s->factor, s->unit, trj_tool_provenance(err), err);
    }
    if (pot_setup_means(s, &means, err)) return -1;
    return trj_map_result_start(&result, h, &s->map, &means, s->factor, trj_tool_provenance(err), err);
}

static uint64_t frames_of_record(void) {
    return request.points ? table.record.frames : result.record.frames;
}

// Puts the frame before an error of the method, if the error is of one frame.
static int fail_method(const struct run *r, struct trj_error *err) {
    uint64_t number = r->method->bad_frame ? r->method->bad_frame(r->state) : r->frames;
    return number == UINT64_MAX ? -1 : trj_stream_input_fail_earlier(r->in, number, err);
}

static int finish(struct run *r, const int64_t **values, struct trj_error *err) {
    double began = trj_seconds();
    if (r->method->finish(r->state, values, err)) return r->method->bad_frame ? fail_method(r, err) : -1;
    r->seconds += trj_seconds() - began;
    return 0;
}

static int end_record(struct run *r, struct trj_error *err) {
    const int64_t *values;
    if (!frames_of_record()) return 0;
    if (finish(r, &values, err)) return -1;
    return request.points ? pot_point_table_end_record(&table, values, err)
                          : trj_map_result_end_record(&result, values, err);
}

static int write_apbs(struct run *r, const struct pot_frame *frame, struct trj_error *err) {
    const struct pot_pqr molecule = {.header = apbs.header,
                                     .count = frame->count,
                                     .atom = frame->atom,
                                     .position = frame->position,
                                     .charge = frame->charge,
                                     .radius = frame->radius};
    const int64_t *values;
    if (finish(r, &values, err)) return -1;
    return pot_apbs_frames_write(&apbs, &molecule, &frame->lattice, values, err);
}

// Reports the engine that `auto` has chosen. The method fast opens its GPUs with the first frame.
static void print_engine(const struct run *r) {
    struct pot_stats s = {.device_count = 0};
    char text[TRJ_ENGINE_TEXT];
    if (r->frames || !trj_engine_is_auto(&engine)) return;
    if (r->method->stats) r->method->stats(r->state, &s);
    trj_engine_describe(text, r->kind, s.device_count ? s.device_count : trj_pool_size((unsigned)engine.threads));
    trj_tool_message("%s", text);
}

static int add_frame(struct run *r, struct trj_error *err) {
    struct pot_frame frame;
    int rc = pot_setup_frame(&r->setup, &r->frame, &frame, err);
    if (!rc && request.points) rc = pot_point_table_add(&table, &r->frame, err);
    if (!rc && !request.points && !request.apbs) rc = trj_map_result_add(&result, &r->frame, 1, err);
    if (rc) return trj_stream_input_fail_frame(r->in, err);
    double began = trj_seconds();
    if (r->method->add(r->state, &frame, err)) return fail_method(r, err);
    r->seconds += trj_seconds() - began;
    print_engine(r);
    if (*r->setup.report) trj_tool_message("note: %s", r->setup.report);
    *r->setup.report = 0;
    r->frames++;
    if (request.apbs) return write_apbs(r, &frame, err);
    return frames_of_record() == result.block ? end_record(r, err) : 0;
}

static void print_statistics(const struct run *r) {
    struct pot_stats s = {.device_count = 0};
    if (r->method->stats) r->method->stats(r->state, &s);
    trj_tool_message("%llu frames of %zu atoms at %llu points: %.3f s in engine %s", (unsigned long long)r->frames,
                     r->setup.job.atoms, (unsigned long long)pot_point_count(&r->setup.job), r->seconds, r->kind->name);
    for (unsigned i = 0; i < s.device_count; i++) {
        const struct work_device_stats *d = &s.devices[i];
        trj_tool_message("%s: %.1f frames in %.3f s%s", d->name, d->frames, d->busy, d->failed ? ", failed" : "");
    }
}

static int read_frames(struct run *r, struct trj_error *err) {
    int got;
    while ((got = trj_stream_input_read(r->in, &r->frame, err)) > 0) {
        if (!r->frames && start(r, err)) return -1;
        if (add_frame(r, err)) return -1;
        trj_tool_progress("frames", r->frames, 0);
    }
    if (got < 0 || end_record(r, err)) return -1;
    double error = r->method->error ? r->method->error(r->state) : NAN;
    if (result.mean && !isnan(error)) result.means.error_bound = error * r->setup.factor;
    if (engine.stats) print_statistics(r);
    if (request.apbs) return 0;
    return request.points ? pot_point_table_commit(&table, err) : trj_map_result_commit(&result, err);
}

// Returns whether a name already ends with .dx, .in or .pqr, which --apbs appends.
static bool has_apbs_ending(const char *path) {
    const char *ending = strrchr(path, '.');
    return ending && (!strcasecmp(ending, ".dx") || !strcasecmp(ending, ".in") || !strcasecmp(ending, ".pqr"));
}

static int open_output(struct trj_error *err) {
    if (request.apbs) {
        if (!trj_output_is_stdout(result.output.path) && !has_apbs_ending(result.output.path) && !result.output.to &&
            !result.output.level && !result.errors.path && !result.mean && !result.each &&
            result.block == TRJ_OPTION_ABSENT)
            return 0;
        return trj_fail(err, TRJ_USAGE,
                        "--apbs writes three files for each frame; give their name without an ending, such as "
                        "-o 'frame.%%05d', and leave out --to, --compress, --mean, --each, --block and "
                        "--stderr-map");
    }
    if (!request.points) return trj_map_result_open(&result, pot_options_convert(&request), err);
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

static int run(void *state, char **operands, int count, struct trj_error *err) {
    struct run *r = state;
    const char *path = count ? *operands : "-";
    if (trj_engine_check_options(&engine, err) || trj_engine_find(&r->kind, pot_engines, engine.engine, err) ||
        pot_options_check(&request, path, err) || open_output(err) || trj_stream_input_open(&r->in, path, err) ||
        trj_reader_read_ahead(r->in, (unsigned)engine.threads, 1, UINT64_MAX, err))
        return -1;
    return trj_tool_provenance(err) ? read_frames(r, err) : -1;
}

static void close_all(void *state) {
    struct run *r = state;
    if (r->state) r->method->close(r->state);
    trj_map_result_close(&result);
    pot_point_table_close(&table);
    pot_setup_free(&r->setup);
    trj_reader_close(r->in);
    trj_frame_free(&r->frame);
}

int main(int argc, char **argv) {
    static struct run r;
    return trj_tool_main(&tool, argc, argv, run, close_all, &r);
}
