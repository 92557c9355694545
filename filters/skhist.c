// SPDX-License-Identifier: MIT
// skhist: reads a frame stream, computes the scattering amplitudes of waves, and writes a histogram stream.
#include <math.h>
#include <stdlib.h>

#include "group_pairs.h"
#include "hist_stream.h"
#include "interval_reader.h"
#include "lag_list.h"
#include "memory.h"
#include "movement.h"
#include "mpi_run.h"
#include "mpi_share.h"
#include "output.h"
#include "record_arrays.h"
#include "record_merger.h"
#include "stream_input.h"
#include "tool.h"
#include "wave_amplitude.h"
#include "wave_count.h"

static struct trj_engine_options engine = TRJ_ENGINE_OPTIONS_DEFAULT;
static struct work_checkpoint_options checkpoints;
static const char *output_path;
static double qmax = NAN, qmin = 0;
static uint64_t bins, block = TRJ_OPTION_ABSENT;
static bool single;
static struct trj_text_list pairs, lags;

#define DEFAULT_WIDTH 0.05 // 1/Å, of shells
static struct trj_mpi_options mpi;

static const struct trj_option options[] = {
    {.heading = "Wave vectors",
     TRJ_OPTION('q', "qmax", REAL, &qmax, "Q",
                "use all wave vectors of the reciprocal lattice with lengths below Q in 1/Angstrom (required)")},
    {TRJ_OPTION(0, "qmin", REAL, &qmin, "Q", "set the smallest length in 1/Angstrom")},
    {TRJ_OPTION('b', "bins", COUNT, &bins, "N",
                "add vectors in N shells from qmin to qmax (default: shells of 0.05 1/Angstrom)"),
     .min = 1, .max = RDF_MAX_SHELLS,
     .remedy = "it is the number of shells: for shells of width W, give Q / W, where Q is the length of -q"},
    {TRJ_OPTION(0, "vectors", FLAG, &single, NULL,
                "count each vector h, k, l of the first frame's cell separately, instead of in shells")},
    {.heading = "Pairs",
     TRJ_OPTION('p', "pair", LIST, &pairs, "A:B",
                "multiply the amplitudes of groups A and B; * means any group: '*:*' selects all pairs (default: each "
                "group with itself)")},
    {TRJ_OPTION(0, "lag", LIST, &lags, "N",
                "multiply the amplitude of A in each frame by that of B in the frame N frames later: the intermediate "
                "scattering function; several lags as 0,1,2,4 or log:FIRST:LAST:N (default: 0, the structure factor)")},
    {.heading = "Records",
     TRJ_OPTION(
         'B', "block", COUNT, &block, "N",
         "write a record every N frames, for standard errors; 0: one record of all frames (default: 32 to 64 records)"),
     .max = TRJ_OPTION_ABSENT - 1},
    {.table = trj_engine_option_table, .value = &engine, .choices = wav_engine_choices},
    {.table = work_checkpoint_option_table, .value = &checkpoints},
    {.table = trj_mpi_option_table, .value = &mpi},
    TRJ_OPTION_OUTPUT(&output_path, "write to FILE instead of standard output"),
    TRJ_OPTION_DIGEST,
    TRJ_OPTION_END,
};

static bool to_stdout(void) {
    return trj_output_is_stdout(output_path);
}

static const struct trj_tool tool = {
    .name = "skhist",
    .purpose = "Computes the amplitudes of waves on the reciprocal lattice of the cell in a frame stream (of trjcat), "
               "and writes a histogram stream (for rdfnorm).",
    .operands = "[FILE]",
    .max_operands = 1,
    .options = options,
    .engines = wav_engines,
    .version = trj_engine_versions,
    .to_stdout = to_stdout,
    .stream = &rdf_hist_kind,
};

struct run {
    struct trj_reader *in;
    struct trj_interval_reader reader; // of `in`
    struct trj_output *out;
    struct rdf_hist_writer *writer;
    struct trj_frame frame;
    struct rdf_lag_list lags;
    struct rdf_setup setup;
    struct rdf_merger merger;
    struct wav_job job;
    bool *used;
    const struct wav_engine *engine;
    void *state;
    struct wav_counter *counter;
    struct work_checkpoint *checkpoint; // NULL: none
    uint64_t frames;
    double began;
};

static int check_options(struct run *r, struct trj_error *err) {
    uint64_t shells = bins;
    if (isnan(qmax)) return trj_fail(err, TRJ_USAGE, "--qmax is required; give the largest length, as --qmax 3");
    if (single && bins) return trj_fail(err, TRJ_USAGE, "--bins and --vectors: leave one of them out");
    if (!bins && !single) shells = (uint64_t)fmin(ceil((qmax - qmin) / DEFAULT_WIDTH - 1e-9), 1e9);
    r->setup.waves.shells = (struct rdf_bins){.rmin = qmin, .rmax = qmax, .count = shells > 1 ? shells : 1};
    if (!(qmin >= 0 && qmin < qmax && qmax >= RDF_MIN_RMAX && qmax <= 1e4))
        return trj_fail(
            err, TRJ_USAGE,
            "--qmin and --qmax: invalid range %g to %g: expected 0 <= qmin < qmax, and qmax from %g to 10000", qmin,
            qmax, RDF_MIN_RMAX);
    if (rdf_bins_check(&r->setup.waves.shells, err)) return -1;
    if (rdf_lag_list_parse(&r->lags, &lags, true, err)) return trj_fail_at(err, "--lag");
    return trj_engine_check_options(&engine, err);
}

static int set_waves(struct run *r, struct trj_error *err) {
    struct rdf_wave_setup *w = &r->setup.waves;
    size_t count = r->lags.count ? r->lags.count : 1, vectors = 0;
    w->bits = wav_bits(r->in->header->atoms);
    w->interval = NAN;
    if (!(w->lags = trj_alloc(count, sizeof *w->lags, "lags", err))) return -1;
    w->lag_count = count;
    for (size_t i = 0; i < r->lags.count; i++) w->lags[i] = r->lags.lag[i];
    if (single) {
        if (wav_vectors_list(&w->hkl, &vectors, &w->shells, &r->frame.cell, err)) return -1;
        w->shells.count = vectors;
        if (!vectors)
            return trj_fail(err, TRJ_USAGE,
                            "--vectors: the reciprocal lattice of the first frame has no vector with a length from %g "
                            "to %g 1/Angstrom; give a larger --qmax",
                            qmin, qmax);
    }
    if (w->shells.count <= RDF_MAX_SHELLS / count) return 0;
    return trj_fail(err, TRJ_USAGE, "%llu %s and %zu lags: their product is above the limit of %d; give a smaller %s%s",
                    (unsigned long long)w->shells.count, single ? "vectors" : "shells", count, RDF_MAX_SHELLS,
                    single ? "--qmax" : "--bins", count > 1 ? ", or fewer lags" : "");
}

// Sets the numbers of pairs of different atoms, from which readers find the number of common atoms.
static void set_pairs(struct rdf_setup *s, const struct trj_group *groups) {
    for (size_t p = 0; p < s->pair_count; p++) {
        struct rdf_pair *pair = &s->pairs[p];
        uint64_t a = groups[pair->a].count, b = groups[pair->b].count;
        pair->pairs =
            pair->a == pair->b ? a * (a - 1) / 2 : a * b - trj_group_overlap(&groups[pair->a], &groups[pair->b], NULL);
    }
}

// Makes the merger keep records of a fixed number of frames, of which write_records writes several at a time.
static void set_block_length(struct rdf_merger *m) {
    if (block == TRJ_OPTION_ABSENT || !block) return;
    m->each = block;
    if (m->max < 2) m->max = 2;
}

// Returns the frames to compute. With lags, a rank also needs the amplitudes of the frames before those.
static const struct work_share *share(const struct run *r) {
    uint64_t longest = r->lags.count ? r->lags.lag[r->lags.count - 1] : 0;
    return trj_mpi_share(work_checkpoint_share(r->checkpoint), longest ? 4 * longest : 1);
}

// Completes the set-up with the first frame, and opens the engine.
static int open_counter(struct run *r, struct trj_error *err) {
    const struct trj_stream_header *h = r->in->header;
    struct rdf_setup *s = &r->setup;
    s->bins = (struct rdf_bins){.rmax = 1, .count = 1};
    if (h->open_system) return trj_fail(err, TRJ_USAGE, "the number of atoms changes; skhist requires a fixed one");
    if (rdf_group_pairs(s, h, 0, &pairs, true, trj_tool_print_note, err) || rdf_setup_compose(s, h, err) ||
        set_waves(r, err))
        return -1;
    set_pairs(s, h->groups);
    if (!(r->used = trj_alloc(h->group_count, sizeof *r->used, "groups", err))) return -1;
    for (size_t p = 0; p < s->pair_count; p++) r->used[s->pairs[p].a] = r->used[s->pairs[p].b] = true;
    for (size_t g = 0; g < h->group_count; g++)
        if (h->groups[g].dynamic)
            return trj_fail(err, TRJ_USAGE,
                            "group %s: its atoms change from frame to frame; give groups of fixed atoms only (trjcat "
                            "-g)",
                            h->groups[g].name);
    r->job = (struct wav_job){.groups = h->groups,
                              .used = r->used,
                              .group_count = h->group_count,
                              .atoms = h->atoms,
                              .bits = s->waves.bits,
                              .threads = (unsigned)engine.threads,
                              .devices = engine.devices,
                              .rotated = trj_movement_find(h, TRJ_MOVED_FIT)};
    if (wav_engine_open(&r->engine, &r->state, &engine, &r->job, trj_tool_print_note, err)) return -1;
    rdf_merger_open(&r->merger, s, block == 0);
    set_block_length(&r->merger);
    return wav_counter_open(&r->counter, &r->job, s, &r->reader.interval, r->engine, r->state, share(r), err);
}

// Writes all records. The stream begins with the first one, when the set-up contains the interval.
static int write_records(struct run *r, struct trj_error *err) {
    if (!r->writer && rdf_hist_writer_open(&r->writer, r->out, &r->setup, r->in->header, err)) return -1;
    for (size_t i = 0; i < r->merger.count; i++)
        if (rdf_record_combine(&r->merger.record[i], &r->setup, share(r), err) ||
            rdf_hist_write(r->writer, &r->merger.record[i], err))
            return -1;
    rdf_merger_free(&r->merger);
    set_block_length(&r->merger);
    return 0;
}

static int save_records(void *run, struct work_checkpoint_arrays *a, struct trj_error *err) {
    struct run *r = run;
    for (size_t i = 0; i < r->merger.count; i++)
        if (rdf_record_checkpoint(&r->merger.record[i], &r->setup, a, err)) return -1;
    return 0;
}

static int add_frame(struct run *r, struct trj_error *err) {
    // With lags, the first records are kept, because more frames make the interval more precise.
    bool at_once = r->writer || r->setup.waves.lags[r->setup.waves.lag_count - 1] == 0,
         full = r->merger.each == block && rdf_merger_full(&r->merger) && (at_once || r->merger.count == r->merger.max);
    if (full && write_records(r, err)) return -1;
    struct rdf_record *record = rdf_merger_next(&r->merger, err);
    if (!record || rdf_record_add_frame(record, &r->frame, err) || wav_counter_add(r->counter, &r->frame, record, err))
        return -1;
    r->frames++;
    trj_stream_input_progress(r->in);
    return 0;
}

static void print_statistics(const struct run *r) {
    struct trj_engine_stats s;
    char text[TRJ_ENGINE_TEXT];
    r->engine->stats(r->state, &s);
    trj_engine_describe(text, &r->engine->kind, s.workers);
    trj_tool_message("stats: %s", text);
    trj_tool_message("stats: frames %llu, seconds %.3f: amplitudes %.3f; terms %.4g, per second %.4g",
                     (unsigned long long)r->frames, trj_seconds() - r->began, s.seconds, s.terms,
                     s.seconds > 0 ? s.terms / s.seconds : 0);
    trj_engine_print_energy(&s, r->frames, "frame", "stats: ", trj_tool_print_line);
}

static int run(void *state, char **operands, int count, struct trj_error *err) {
    struct run *r = state;
    int got;
    r->began = trj_seconds();
    if (trj_mpi_start(&mpi, count ? *operands : "-", &engine, checkpoints.path ? "--checkpoint" : NULL, err)) return -1;
    if (check_options(r, err) || work_checkpoint_open(&r->checkpoint, &checkpoints, save_records, r, err) ||
        trj_output_open(&r->out, output_path, TRJ_OUTPUT_BINARY, err) ||
        trj_stream_input_open(&r->in, count ? *operands : "-", err) ||
        work_checkpoint_start(r->checkpoint, r->in->header, r->in->in, err) ||
        trj_reader_read_ahead(r->in, (unsigned)engine.threads, 1, UINT64_MAX, err))
        return -1;
    if (trj_stream_header_add_lines(r->in->header, trj_tool_provenance(err), err)) return -1;
    r->reader.wanted = r->lags.count && r->lags.lag[r->lags.count - 1] > 0;
    while ((got = work_checkpoint_read(r->checkpoint, trj_interval_read(&r->reader, r->in, &r->frame, err), &r->frame,
                                       err)) > 0) {
        if ((!r->counter && open_counter(r, err)) || add_frame(r, err))
            return trj_interval_fail_frame(&r->reader, r->in, err);
        if (work_checkpoint_counted(r->checkpoint, r->frames, err)) return -1;
    }
    if (got < 0 || work_checkpoint_end(r->checkpoint, err)) return -1;
    if (!r->counter)
        return trj_fail(err, TRJ_BAD_DATA, "%s: contains no frame; check the program that writes it",
                        trj_input_name(r->in->in));
    if (wav_counter_end(r->counter, trj_tool_print_note, err)) return trj_fail_at(err, "%s", trj_input_name(r->in->in));
    if (write_records(r, err) || rdf_hist_writer_finish(r->writer, err) || trj_output_commit(r->out, err)) return -1;
    work_checkpoint_remove(r->checkpoint);
    if (engine.stats) print_statistics(r);
    return 0;
}

static void close_all(void *state) {
    struct run *r = state;
    wav_counter_close(r->counter);
    if (r->state) r->engine->close(r->state);
    rdf_merger_free(&r->merger);
    rdf_hist_writer_close(r->writer);
    trj_output_close(r->out);
    work_checkpoint_close(r->checkpoint);
    rdf_setup_free_own(&r->setup);
    trj_interval_reader_free(&r->reader);
    trj_reader_close(r->in);
    trj_frame_free(&r->frame);
    free(r->used);
    free(pairs.texts);
    free(lags.texts);
}

int main(int argc, char **argv) {
    static struct run r;
    return trj_mpi_end(trj_tool_main(&tool, argc, argv, run, close_all, &r));
}
