// SPDX-License-Identifier: MIT
// rdfhist: a frame stream in, histograms of pair distances out.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "exclusion.h"
#include "group_pairs.h"
#include "half_width.h"
#include "hist_stream.h"
#include "memory.h"
#include "output.h"
#include "reader.h"
#include "record_counter.h"
#include "tool.h"
#include "van_hove.h"

static const char *engine_name = "auto", *devices, *output_path, *exclude;
static uint64_t bins, lag, threads, block = TRJ_OPTION_ABSENT;
static double rmax = NAN, rmin = 0;
static bool want_stats;
static struct trj_text_list pairs;

enum { DEFAULT_BINS = 500 }; // if only --rmax is given

static const struct trj_option options[] = {
    {.letter = 'b',
     .name = "bins",
     .kind = TRJ_OPTION_COUNT,
     .value = &bins,
     .arg = "N",
     .help = "number of bins from rmin to rmax; without it 500 with --rmax, else bins of 0.05 Angstrom",
     .min = 1,
     .max = RDF_MOST_BINS},
    {.letter = 'r',
     .name = "rmax",
     .kind = TRJ_OPTION_REAL,
     .value = &rmax,
     .arg = "R",
     .help = "largest distance in Angstrom; without it half the smallest width of the first frame's cell, or the last "
             "multiple of 0.05 below it"},
    {.name = "rmin", .kind = TRJ_OPTION_REAL, .value = &rmin, .arg = "R", .help = "smallest distance in Angstrom"},
    {.letter = 'p',
     .name = "pair",
     .kind = TRJ_OPTION_LIST,
     .value = &pairs,
     .arg = "A:B",
     .help = "count group A against group B, * for any: '*:*' counts all pairs; without it each group with itself"},
    {.letter = 'x',
     .name = "exclude",
     .kind = TRJ_OPTION_TEXT,
     .value = &exclude,
     .arg = "PAIRS",
     .help = "count these pairs apart, too, for rdfnorm to leave out: residue, molecule, bonds:N or pairs:FILE"},
    {.name = "lag",
     .kind = TRJ_OPTION_COUNT,
     .value = &lag,
     .arg = "N",
     .help = "count atoms of A in each frame against those of B N frames later: van Hove's correlation function",
     .max = RDF_LONGEST_LAG},
    {.letter = 'B',
     .name = "block",
     .kind = TRJ_OPTION_COUNT,
     .value = &block,
     .arg = "N",
     .help = "write a record every N frames, for error bars; 0: one for all frames; without it 32 to 64 records",
     .max = TRJ_OPTION_ABSENT - 1},
    {.letter = 'e',
     .name = "engine",
     .kind = TRJ_OPTION_CHOICE,
     .value = &engine_name,
     .arg = "ENGINE",
     .help = "what counts",
     .choices = rdf_engine_choices},
    {.name = "devices",
     .kind = TRJ_OPTION_TEXT,
     .value = &devices,
     .arg = "LIST",
     .help = "GPUs to use, as 0,2; without it all there are"},
    {.letter = 'j',
     .name = "threads",
     .kind = TRJ_OPTION_COUNT,
     .value = &threads,
     .arg = "N",
     .help = "threads; 0: as many as the process may use",
     .max = 4096},
    {.name = "stats",
     .kind = TRJ_OPTION_FLAG,
     .value = &want_stats,
     .help = "say on standard error what was done and how long it took"},
    TRJ_OPTION_OUTPUT(&output_path, "write to FILE instead of standard output"),
    TRJ_OPTION_DIGEST,
    TRJ_OPTION_END,
};

static bool to_stdout(void) {
    return trj_output_is_stdout(output_path);
}

static const struct trj_tool tool = {
    .name = "rdfhist",
    .purpose =
        "Counts the distances of all atom pairs in a frame stream (from trjcat) into a histogram stream (for rdfnorm).",
    .operands = "[FILE]",
    .max_operands = 1,
    .options = options,
    .version = rdf_engine_versions,
    .to_stdout = to_stdout,
    .stream = &rdf_hist_kind,
};

struct run {
    struct trj_reader *in;
    struct trj_output *out;
    struct rdf_hist_writer *writer;
    struct trj_frame frame;
    struct rdf_setup setup; // its pairs are the job's
    struct rdf_job job;
    struct rdf_counter counter;
    struct rdf_half_width width;
    uint64_t read, frames; // frames with a lag: pairs of them
    double began, waited;  // seconds
};

static void note(const char *text) {
    trj_tool_message("note: %s", text);
}

static void say(const char *text) {
    if (*text) trj_tool_message("%s", text);
}

// `auto` takes the cpu engine where the best one turns out to be of no use: a GPU that somebody else has, or too old a one.
static int open_engine(struct run *r, struct trj_error *err) {
    if (!r->counter.engine->open(&r->counter.state, &r->job, err)) return 0;
    if (strcmp(engine_name, "auto") || err->status != TRJ_NO_ENGINE || r->counter.engine == &rdf_engine_cpu) return -1;
    note(err->text);
    r->counter.engine = &rdf_engine_cpu;
    return r->counter.engine->open(&r->counter.state, &r->job, err);
}

// Settles what is counted, by the options and the first frame.
static int settle(struct run *r, struct trj_error *err) {
    const struct trj_stream_header *h = r->in->header;
    struct rdf_setup *s = &r->setup;
    r->width.rmax = rmax;
    double half = trj_cell_min_width(&r->frame.cell) / 2;
    if (isnan(rmax) && !isfinite(half))
        return trj_fail(err, TRJ_USAGE,
                        "--rmax: the first frame is not periodic, so that there is no default; give the largest "
                        "distance in Angstrom, as -r 10");
    s->bins = (struct rdf_bins){rmin, isnan(rmax) ? half : rmax, bins ? bins : DEFAULT_BINS};
    if (!bins && isnan(rmax)) rdf_bins_choose(&s->bins, half);
    if (rdf_bins_check(&s->bins, err) || rdf_group_pairs(s, h, &pairs, lag > 0, note, err) ||
        rdf_setup_compose(s, h, err))
        return -1;
    r->job = (struct rdf_job){.bins = s->bins,
                              .atoms = h->atoms,
                              .group_count = h->group_count,
                              .groups = h->groups,
                              .pair_count = s->pair_count,
                              .pairs = s->pairs,
                              .sample = &r->frame,
                              .threads = (unsigned)threads,
                              .devices = devices,
                              .cpu_may_finish = !strcmp(engine_name, "auto"),
                              .note = say,
                              .deliver = rdf_merger_deliver,
                              .deliver_arg = &r->counter.merger};
    if (!lag) return 0;
    if (rdf_van_hove_open(&r->counter.van_hove, lag, h, &r->job, s, err)) return -1;
    rdf_van_hove_job(r->counter.van_hove, &r->job);
    return 0;
}

// Once there is something to count.
static int set_up(struct run *r, struct trj_error *err) {
    const struct trj_stream_header *h = r->in->header;
    struct rdf_setup *s = &r->setup;
    if (exclude && rdf_exclusion_open(&r->counter.exclusion, exclude, h, &r->job, s, err)) return -1;
    r->counter.setup = s;
    r->counter.job = &r->job;
    r->counter.block = block;
    rdf_merger_open(&r->counter.merger, s, block != TRJ_OPTION_ABSENT);
    if (open_engine(r, err)) return -1;
    struct rdf_engine_stats stats;
    r->counter.engine->stats(r->counter.state, &stats);
    if (!strcmp(engine_name, "auto"))
        trj_tool_message("engine %s, %s %u", r->counter.engine->name, r->counter.engine->workers, stats.threads);
    return rdf_hist_writer_open(&r->counter.writer, r->out, s, h, err);
}

static void print_device(const struct rdf_device_stats *d) {
    char joules[64] = "";
    if (isfinite(d->joules) && d->frames > 0)
        snprintf(joules, sizeof joules, ", joules a frame %.4g", d->joules / d->frames);
    trj_tool_message(
        "stats: %s: frames %.10g, evaluated %llu, resolved %llu, counted %llu, kernel %.3f s, upload %.3f s, "
        "idle %.1f %%%s%s",
        d->name, d->frames, (unsigned long long)d->evaluated, (unsigned long long)d->resolved,
        (unsigned long long)d->counted, d->kernel, d->upload, 100 * d->idle, joules, d->failed ? ", failed" : "");
}

static void print_stats(const struct run *r) {
    struct rdf_engine_stats s;
    double total = trj_seconds() - r->began;
    r->counter.engine->stats(r->counter.state, &s);
    trj_tool_message("stats: engine %s, %s %u", r->counter.engine->name, r->counter.engine->workers, s.threads);
    trj_tool_message("stats: frames %llu, atoms %zu, pairs %.0f, evaluated %llu, resolved %llu, counted %llu",
                     (unsigned long long)r->frames, r->in->header->atoms, r->counter.pairs,
                     (unsigned long long)s.evaluated, (unsigned long long)s.resolved,
                     (unsigned long long)r->counter.counted);
    trj_tool_message("stats: seconds %.3f: read %.3f, write %.3f, excluded pairs %.3f, frames in pairs %.3f; over all "
                     "threads: plan %.3f, count %.3f, resolve %.3f",
                     total, r->waited, r->counter.wrote, r->counter.excluded, r->counter.paired, s.plan, s.count,
                     s.resolve);
    trj_tool_message("stats: per second: frames %.4g, pairs %.4g", (double)r->frames / total, r->counter.pairs / total);
    for (unsigned i = 0; i < s.device_count; i++) print_device(&s.devices[i]);
}

// Of the last frame read.
static int fail_frame(const struct run *r, struct trj_error *err) {
    return trj_fail_at(err, "%s: frame %llu", trj_input_name(r->in->in), (unsigned long long)(r->in->next - 1));
}

// Reads on until there is a frame, or with a lag a pair of frames, to count: 1, 0 at the end, -1.
static int read_on(struct run *r, struct trj_error *err) {
    for (;;) {
        double began = trj_seconds();
        int got = trj_reader_read(r->in, &r->frame, err);
        r->waited += trj_seconds() - began;
        if (got <= 0) return got;
        if (!r->read++ && settle(r, err)) return -1;
        if (!r->counter.van_hove) return 1;
        began = trj_seconds();
        got = rdf_van_hove_take(r->counter.van_hove, &r->frame, err);
        r->counter.paired += trj_seconds() - began;
        if (got) return got > 0 ? got : fail_frame(r, err);
    }
}

// What a series of frames has of gaps, or that it is too short.
static int check_series(const struct run *r, struct trj_error *err) {
    uint64_t breaks, longest;
    rdf_van_hove_pieces(r->counter.van_hove, &breaks, &longest);
    if (!r->frames)
        return trj_fail(err, TRJ_BAD_DATA,
                        "%s: no two frames are %llu frames apart: of %llu, at most %llu in sequence are evenly spaced; "
                        "give a smaller --lag",
                        trj_input_name(r->in->in), (unsigned long long)lag, (unsigned long long)r->read,
                        (unsigned long long)longest);
    if (rdf_van_hove_check_gaps(r->counter.van_hove, err)) return trj_fail_at(err, "%s", trj_input_name(r->in->in));
    if (breaks)
        trj_tool_message(
            "note: frames are not evenly spaced at %llu place%s; no pairs of frames are formed across these",
            (unsigned long long)breaks, breaks > 1 ? "s" : "");
    return 0;
}

static int count_stream(struct run *r, struct trj_error *err) {
    int got;
    while ((got = read_on(r, err)) > 0) {
        const struct trj_frame *first = r->counter.van_hove ? rdf_van_hove_earlier(r->counter.van_hove) : &r->frame;
        struct trj_frame *all = r->counter.van_hove ? rdf_van_hove_both(r->counter.van_hove) : &r->frame;
        if (!r->counter.state && set_up(r, err)) return -1;
        if (rdf_counter_describe(&r->counter, first, all, err)) return fail_frame(r, err);
        rdf_half_width_add(&r->width, &first->cell);
        say(r->width.note);
        if (rdf_counter_count(&r->counter, all, err)) return -1;
        trj_tool_progress("frames", ++r->frames, 0);
    }
    if (got < 0 && err->truncated) trj_error_append(err, "; run trjcat again");
    if (got < 0) return -1;
    if (!r->read)
        return trj_fail(err, TRJ_BAD_DATA, "%s: contains no frames; run trjcat again", trj_input_name(r->in->in));
    if (r->counter.van_hove && check_series(r, err)) return -1;
    rdf_half_width_finish(&r->width);
    say(r->width.note);
    return rdf_counter_finish(&r->counter, err) || rdf_hist_writer_finish(r->counter.writer, err) ||
                   trj_output_commit(r->out, err)
               ? -1
               : 0;
}

// Also where no GPU will be used: what is wrong should not depend on the machine.
static int check_devices(struct trj_error *err) {
    const char *list = devices;
    unsigned number;
    if (strcmp(engine_name, "auto") && strcmp(engine_name, "cuda"))
        return trj_fail(err, TRJ_USAGE, "--devices: engine %s uses no GPUs; use -e cuda, or leave --devices out",
                        engine_name);
    do
        if (rdf_engine_next_device(&list, &number, err)) return -1;
    while (*list);
    return 0;
}

// Not by trj_reader_open: other formats need not be part of this program.
static int open_stream(struct run *r, const char *path, struct trj_error *err) {
    struct trj_input *in = NULL;
    const unsigned char *head;
    size_t n;
    if (trj_input_open(&in, path, err)) return -1;
    int rc = trj_input_peek(in, &head, TRJ_INPUT_PEEK, &n, err);
    if (!rc && !n)
        rc = trj_fail(err, TRJ_BAD_DATA, "is empty; check the program that writes it, and run it again");
    else if (!rc && !trj_format_is(&trj_format_stream, in, head, n))
        rc = trj_fail(err, TRJ_BAD_DATA, "is not a frame stream; make one with trjcat FILE");
    if (!rc) return trj_reader_start(&r->in, in, &trj_format_stream, false, 0, TRJ_COMPARE_NOTHING, err);
    trj_fail_at(err, "%s", trj_input_name(in));
    trj_input_close(in);
    return -1;
}

static int run(struct run *r, int argc, char **argv, int first, struct trj_error *err) {
    r->began = trj_seconds();
    if (!isnan(rmax) && rdf_bins_check(&(struct rdf_bins){rmin, rmax, bins ? bins : DEFAULT_BINS}, err))
        return -1; // before waiting for input
    if (devices && check_devices(err)) return -1;
    if (exclude && rdf_exclusion_check(exclude, err)) return -1;
    if (rdf_engine_find(&r->counter.engine, engine_name, err) ||
        trj_output_open(&r->out, output_path, TRJ_OUTPUT_BINARY, err) ||
        open_stream(r, first < argc ? argv[first] : "-", err))
        return -1;
    char **provenance = trj_tool_provenance(&tool, argc, argv, err);
    int rc = provenance ? 0 : -1;
    for (char **line = provenance; !rc && *line; line++)
        rc = trj_stream_header_add_provenance(r->in->header, *line, err);
    trj_text_array_free(provenance);
    if (rc || count_stream(r, err)) return -1;
    if (want_stats) print_stats(r);
    return 0;
}

int main(int argc, char **argv) {
    struct trj_error err;
    struct run r = {.read = 0};
    int first, rc;
    trj_tool_start(&tool);
    rc = trj_tool_parse(&tool, argc, argv, &first, &err);
    if (rc > 0) rc = run(&r, argc, argv, first, &err);
    trj_tool_progress_end();
    if (r.counter.state) r.counter.engine->close(r.counter.state);
    rdf_exclusion_close(r.counter.exclusion);
    rdf_van_hove_close(r.counter.van_hove);
    rdf_hist_writer_close(r.counter.writer);
    trj_output_close(r.out);
    trj_reader_close(r.in);
    trj_frame_free(&r.frame);
    rdf_merger_free(&r.counter.merger);
    rdf_setup_drop_composition(&r.setup);
    free(r.setup.groups);
    free(r.setup.pairs);
    free(pairs.texts);
    return rc < 0 ? trj_tool_fail(&err) : 0;
}
