// SPDX-License-Identifier: MIT
// rdfhist: reads a frame stream, counts pair distances, and writes a histogram stream.
#include <math.h>
#include <stdlib.h>

#include "count_notes.h"
#include "count_statistics.h"
#include "engine.h"
#include "engine_ranks.h"
#include "engine_start.h"
#include "exclusion.h"
#include "group_pairs.h"
#include "hist_stream.h"
#include "image_limit.h"
#include "interval_reader.h"
#include "lag_counters.h"
#include "lag_list.h"
#include "memory.h"
#include "metric_options.h"
#include "mpi_share.h"
#include "neighbour_options.h"
#include "output.h"
#include "record_counter.h"
#include "record_options.h"
#include "stop_request.h"
#include "stream_input.h"
#include "surface_count.h"
#include "tool.h"
#include "van_hove.h"

static struct trj_engine_options engine = TRJ_ENGINE_OPTIONS_DEFAULT;
static const char *output_path, *exclude;
static uint64_t bins;
static struct rdf_record_options records = {.block = TRJ_OPTION_ABSENT};
static double rmax = NAN, rmin = 0;
static struct trj_text_list pairs, lag_texts;
static struct rdf_neighbour_options around = RDF_NEIGHBOUR_OPTIONS_DEFAULT;
static struct rdf_surface_options surface;
static struct rdf_metric_options measured = {.metric = "xyz"};

enum { RETURNED_FRAME = 12000000 }; // bytes
static struct rdf_ranks_options ranks;

static const struct trj_option options[] = {
    {.heading = "Bins",
     TRJ_OPTION('b', "bins", COUNT, &bins, "N",
                "set the number of bins from rmin to rmax (default: bins of 0.05 Angstrom, or narrower ones if they "
                "would be fewer than 100)"),
     .min = 1,
     .max = RDF_MAX_BINS,
     .remedy = "it is the number of bins: for bins of width W, give R / W, where R is the distance of -r"},
    {TRJ_OPTION('r', "rmax", REAL, &rmax, "R",
                "set the largest distance in Angstrom (default: half the smallest width of the first frame's cell, "
                "without --bins rounded down to a multiple of the bin width)")},
    {TRJ_OPTION(0, "rmin", REAL, &rmin, "R", "set the smallest distance in Angstrom")},
    {.heading = "Pairs",
     TRJ_OPTION(
         'p', "pair", LIST, &pairs, "A:B",
         "count group A against group B; * is any group: '*:*' counts all pairs (default: each group with itself)")},
    {TRJ_OPTION('x', "exclude", TEXT, &exclude, "PAIRS",
                "also count these pairs separately, so that rdfnorm can leave them out: residue, molecule, bonds:N or "
                "pairs:FILE")},
    {TRJ_OPTION(
        0, "lag", LIST, &lag_texts, "LAGS",
        "count atoms of A in each frame against atoms of B a lag later: the van Hove correlation function; one lag in "
        "frames, several as 1,2,4, or log:1:1000:10, 10 lags from 1 to 1000 in equal ratios")},
    {.table = rdf_metric_option_table, .value = &measured},
    {.table = rdf_neighbour_option_table, .value = &around},
    {.table = rdf_surface_option_table, .value = &surface},
    {.table = rdf_record_option_table, .value = &records},
    {.table = trj_engine_option_table, .value = &engine, .choices = rdf_engine_choices},
    {.table = rdf_ranks_option_table, .value = &ranks},
    TRJ_OPTION_OUTPUT(&output_path, "write to FILE instead of standard output"),
    TRJ_OPTION_DIGEST,
    TRJ_OPTION_END,
};

static bool to_stdout(void) {
    return trj_output_is_stdout(output_path);
}

static const struct trj_tool tool = {
    .name = "rdfhist",
    .purpose = "Counts the distances of all atom pairs in a frame stream (of trjcat) and writes a histogram stream "
               "(for rdfnorm).",
    .operands = "[FILE]",
    .max_operands = 1,
    .options = options,
    .engines = rdf_engines,
    .version = trj_engine_versions,
    .to_stdout = to_stdout,
    .stream = &rdf_hist_kind,
};

struct run {
    struct trj_reader *in;
    struct trj_interval_reader reader; // of `in`
    struct trj_output *out;
    struct trj_frame frame;
    struct rdf_setup setup; // shares its pairs with the job
    struct rdf_measurement measurement;
    struct rdf_job job;
    struct rdf_lag_list lags;
    struct rdf_counter counter; // the members that all counters share
    struct rdf_lag_counters counters;
    struct rdf_image_limit width;
    uint64_t read;                      // frames
    uint64_t frames;                    // counted; with lags pairs of frames
    struct work_checkpoint *checkpoint; // NULL: none
    bool ended;                         // all frames have been read
    double began, waited;               // seconds: clock at the start; waiting for frames
};

// Chooses bins and pairs of groups from the options and the first frame, and makes the job.
static int make_job(struct run *r, struct trj_error *err) {
    const struct rdf_measurement *m = &r->measurement;
    const struct trj_stream_header *h = rdf_measurement_header(m, r->in->header);
    struct rdf_setup *s = &r->setup;
    double half;
    if (rdf_measurement_image_limit(&half, m, &r->frame, trj_tool_print_note, err))
        return trj_interval_fail_frame(&r->reader, r->in, err);
    r->width = (struct rdf_image_limit){.rmax = rmax, .own_images = m->options->own_images};
    trj_tool_print_line(rdf_count_note_density(r->width.note, &r->frame.cell, r->in->header->atoms));
    if (isnan(rmax) && !isfinite(half))
        return trj_fail(err, TRJ_USAGE,
                        "--rmax: the first frame is not periodic, so that there is no default; if the system is "
                        "periodic, give its cell with trjcat -c A,B,C, otherwise the largest distance in Angstrom, as "
                        "-r 10");
    s->bins = (struct rdf_bins){rmin, isnan(rmax) ? half : rmax, bins, m->metric};
    if (!bins) rdf_bins_choose(&s->bins, s->bins.rmax, !isnan(rmax));
    if (rdf_bins_check(&s->bins, err) ||
        rdf_group_pairs(s, h, (uint32_t)m->layers.count, &pairs, r->lags.count, trj_tool_print_note, err) ||
        rdf_setup_compose(s, h, err))
        return -1;
    r->job = (struct rdf_job){.bins = s->bins,
                              .atoms = h->atoms,
                              .group_count = h->group_count,
                              .groups = h->groups,
                              .pair_count = s->pair_count,
                              .pairs = s->pairs,
                              .sample = &r->frame,
                              .threads = (unsigned)engine.threads,
                              .devices = engine.devices,
                              .cpu_may_finish = trj_engine_is_auto(&engine),
                              .note = trj_tool_print_line_of,
                              .share_read = trj_stream_input_share_read,
                              .share_arg = r->in,
                              .deliver = rdf_lag_counters_deliver,
                              .deliver_arg = &r->counters};
    if (!r->lags.count) return rdf_measurement_order(&r->measurement, &r->job, s, err);
    if (rdf_van_hove_open(&r->counter.van_hove, &r->lags, &r->reader.interval, h, &r->job, s, err)) return -1;
    rdf_van_hove_job(r->counter.van_hove, &r->job);
    return 0;
}

// Opens the engine and the writer. It is called with the first frame to count, so that an input without one opens none,
// and starts no driver.
static int open_counters(struct run *r, struct trj_error *err) {
    char text[TRJ_ENGINE_TEXT];
    const struct trj_stream_header *h = rdf_measurement_header(&r->measurement, r->in->header);
    struct rdf_setup *s = &r->setup;
    if ((exclude && rdf_exclusion_open(&r->counter.exclusion, exclude, h, &r->job, s, err)) ||
        rdf_neighbour_options_open(&r->counter.neighbours, &around, rmin, rmax, h, &r->job, s,
                                   r->counter.engine->neighbours, &r->reader.interval, err) ||
        rdf_surface_counter_open(&r->counter.surface, &surface, h, &r->job, s, r->counter.engine, err))
        return -1;
    r->counter.setup = s;
    r->counter.job = &r->job;
    r->counter.block = records.block;
    r->counter.live = records.every;
    // The exchange of neighbours also requires the frame before those that a rank computes.
    r->counter.share = trj_mpi_share(work_checkpoint_share(r->checkpoint), isnan(around.radius) ? 1 : 8);
    if (r->counter.engine == &rdf_engine_ranks) r->counter.share = NULL; // each rank has a part of each frame
    if (rdf_lag_counters_open(&r->counters, &r->counter, &r->lags, records.block != TRJ_OPTION_ABSENT, r->out, h, err))
        return -1;
    if (!trj_engine_is_auto(&engine)) return 0;
    rdf_engine_describe(text, r->counter.engine, r->counters.counter->state);
    trj_tool_print_line(text);
    return 0;
}

// Reads up to the next frame to count, or with lags up to the next pair of frames: 1, 0 at the end, -1.
static int read_next(struct run *r, struct trj_error *err) {
    for (;;) {
        struct rdf_van_hove *v = r->counter.van_hove;
        double began = trj_seconds();
        int got = v ? rdf_van_hove_next(v, err) : 0;
        r->counter.paired += trj_seconds() - began;
        if (got || r->ended) return got < 0 ? trj_interval_fail_frame(&r->reader, r->in, err) : got;
        began = trj_seconds();
        got = trj_interval_read(&r->reader, r->in, &r->frame, err);
        if ((got = work_checkpoint_read(r->checkpoint, got, &r->frame, err)) < 0) return got;
        r->waited += trj_seconds() - began;
        r->ended = !got;
        if (!got && v) rdf_van_hove_end(v);
        if (!got) continue;
        if (rdf_measurement_frame(&r->measurement, r->in->header, &r->frame, err))
            return trj_interval_fail_frame(&r->reader, r->in, err);
        // The engine cpu counts a large frame on all threads.
        const bool busy = r->counter.engine == &rdf_engine_cpu;
        if (!r->read++ && (make_job(r, err) || trj_stream_input_read_ahead(r->in, (unsigned)engine.threads, busy, err)))
            return -1;
        if (!r->counter.van_hove) return 1;
        began = trj_seconds();
        if (rdf_van_hove_take(r->counter.van_hove, &r->frame, err))
            return trj_interval_fail_frame(&r->reader, r->in, err);
        r->counter.paired += trj_seconds() - began;
    }
}

// Names the frame if the error is of one.
static int fail_late(const struct run *r, struct trj_error *err) {
    return err->late ? trj_stream_input_fail_frame(r->in, err) : -1;
}

static int count_stream(struct run *r, struct trj_error *err) {
    int got;
    while ((got = read_next(r, err)) > 0) {
        struct rdf_van_hove *v = r->counter.van_hove;
        const struct trj_frame *first = v ? rdf_van_hove_earlier(v) : &r->frame;
        struct trj_frame *all = v ? rdf_van_hove_both(v) : &r->frame;
        if (!r->counters.count && open_counters(r, err)) return -1;
        struct rdf_counter *c = rdf_lag_counters_select(&r->counters, v ? rdf_van_hove_lag(v) : 0, err);
        if (!c) return -1;
        if (rdf_counter_describe(c, first, all, r->frames, err)) return trj_interval_fail_frame(&r->reader, r->in, err);
        if (c == r->counters.counter) rdf_image_limit_add(&r->width, v ? rdf_van_hove_cell(v) : &first->cell);
        trj_tool_print_line(r->width.note);
        if (rdf_counter_count(c, all, r->frames, err)) return fail_late(r, err);
        if (work_checkpoint_counted(r->checkpoint, ++r->frames, err)) return -1;
        trj_stream_input_progress(r->in);
    }
    if (got < 0 || work_checkpoint_end(r->checkpoint, err) ||
        rdf_counter_end(&r->counter, r->read, trj_input_name(r->in->in), r->out, trj_tool_print_note, err))
        return -1;
    rdf_image_limit_finish(&r->width);
    trj_tool_print_line(r->width.note);
    if (rdf_lag_counters_finish(&r->counters, err)) return fail_late(r, err);
    trj_tool_print_line(rdf_count_note_empty(r->width.note, r->counters.counter, &r->setup.bins));
    return trj_output_commit(r->out, err);
}

static int run(void *state, char **operands, int count, struct trj_error *err) {
    struct run *r = state;
    r->began = trj_seconds();
    const char *other = records.checkpoints.path ? "--checkpoint" : around.events ? "--events" : NULL;
    if (rdf_ranks_start(&ranks, count ? *operands : "-", &engine, other, err)) return -1;
    if (rdf_lag_list_parse(&r->lags, &lag_texts, false, err)) return trj_fail_at(err, "--lag");
    if (rdf_record_options_check(&records, r->lags.count, around.events, err)) return -1;
    if (records.every) trj_stop_on_signals(); // the first signal ends trjcat, and then the input
    struct rdf_measurement *m = &r->measurement;
    if (rdf_measurement_open(m, &measured, err) ||
        rdf_measurement_check(m, r->lags.count, !isnan(around.radius) || around.triplets.count, exclude, err) ||
        rdf_neighbour_options_check(&around, r->lags.count, exclude, output_path, err) ||
        rdf_surface_options_check(&surface, r->lags.count, exclude, m, err) ||
        (!isnan(rmax) && rdf_bins_check(&(struct rdf_bins){rmin, rmax, bins ? bins : 1, m->metric}, err)) ||
        trj_engine_check_options(&engine, err) || (exclude && rdf_exclusion_check(exclude, err)) ||
        rdf_engine_find(&r->counter.engine, engine.engine, err) ||
        work_checkpoint_open(&r->checkpoint, &records.checkpoints, rdf_lag_counters_arrays, &r->counters, err) ||
        trj_output_open(&r->out, output_path, TRJ_OUTPUT_BINARY, err) ||
        trj_stream_input_open_with(&r->in, count ? *operands : "-", trj_mpi_size() > 1 ? TRJ_READ_PART : 0, err) ||
        work_checkpoint_start(r->checkpoint, r->in->header, r->in->in, err))
        return -1;
    if (trj_frame_bytes(r->in->header->atoms) > RETURNED_FRAME) trj_return_large_arrays(); // before threads start
    const bool plain = !r->lags.count && isnan(around.radius) && !around.triplets.count && !exclude &&
                       !surface.surface && m->metric.kind == RDF_METRIC_DISTANCE && !measured.layers;
    size_t keep[2];
    if (rdf_ranks_choose(&r->counter.engine, trj_engine_is_auto(&engine), &ranks, r->in->header, plain, keep, err))
        return -1;
    trj_reader_keep_atoms(r->in, keep[0], keep[1]);
    r->reader.wanted = r->lags.count || !isnan(around.radius);
    if (trj_stream_header_add_lines(r->in->header, trj_tool_provenance(err), err) || count_stream(r, err)) return -1;
    work_checkpoint_remove(r->checkpoint);
    const struct rdf_count_run done = {r->frames, r->in->header->atoms, trj_seconds() - r->began, r->waited};
    r->counters.counter->paired += r->counter.paired;
    if (engine.stats) rdf_count_statistics(r->counters.counter, &done, trj_tool_print_line);
    return 0;
}

static void close_all(void *state) {
    struct run *r = state;
    rdf_lag_counters_close(&r->counters);
    trj_output_close(r->out);
    work_checkpoint_close(r->checkpoint);
    if (work_start_abandoned()) return; // main ends the process at once
    rdf_lag_counters_free(&r->counters);
    rdf_counter_free(&r->counter);
    trj_interval_reader_free(&r->reader);
    trj_reader_close(r->in);
    trj_frame_free(&r->frame);
    rdf_measurement_free(&r->measurement);
    rdf_setup_free_own(&r->setup);
    free(pairs.texts);
    free(lag_texts.texts);
    free(around.triplets.texts);
}

int main(int argc, char **argv) {
    static struct run r;
    return work_start_end_process(trj_mpi_end(trj_tool_main(&tool, argc, argv, run, close_all, &r)));
}
