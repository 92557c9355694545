// SPDX-License-Identifier: MIT
// Times an engine with random frames in host memory, and prints one line of tab-separated columns:
//
//     1 engine   2 devices or threads   3 atoms in a group   4 bins   5 rmax   6 frames
//     7 seconds per frame   8 frames per second   9 ordered pairs (atoms * atoms * frames) per second, in 1e9
//     10 evaluated pairs   11 share of them that was resolved in float64
//     12 seconds in which a kernel ran, by device, separated by commas
//     13 share of the time in which none ran, likewise
//     14 joules per frame, of all devices
//
// "-" means that a value is missing or unknown. All columns describe the timed part only.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "memory.h"
#include "output.h"
#include "points.h"
#include "record_merger.h"
#include "tool.h"

static const char *engine_name = "cpu", *cell_text = "100,100,100", *devices;
static uint64_t atoms = 10000, frames = 10, repeat = 1, distinct, warm, bins = 500, groups = 1, seed = 1, threads;
static double rmax = NAN;
static bool copy, want_records;

static const struct trj_option options[] = {
    {TRJ_OPTION(0, "engine", CHOICE, &engine_name, "NAME", "what is timed"), .choices = rdf_engine_choices},
    {TRJ_OPTION(0, "threads", COUNT, &threads, "N", "threads of the cpu engine; 0: all"), .max = 1 << 16},
    {TRJ_OPTION(0, "devices", TEXT, &devices, "LIST", "GPUs to use, as 0,2")},
    {TRJ_OPTION(0, "atoms", COUNT, &atoms, "N", "atoms of a group"), .min = 2, .max = 1 << 28},
    {TRJ_OPTION(0, "groups", COUNT, &groups, "N", "1: one with itself; 2: two of different atoms"), .min = 1, .max = 2},
    {TRJ_OPTION(0, "cell", TEXT, &cell_text, "A,B,C[,AL,BE,GA]", "cell in Å and degrees")},
    {TRJ_OPTION(0, "bins", COUNT, &bins, "N", "number of bins"), .min = 1, .max = RDF_MAX_BINS},
    {TRJ_OPTION(0, "rmax", REAL, &rmax, "R", "largest distance in Å; without it half the smallest width")},
    {TRJ_OPTION(0, "frames", COUNT, &frames, "F", "frames to a result"), .min = 1, .max = 1 << 28},
    {TRJ_OPTION(0, "repeat", COUNT, &repeat, "N", "results that are timed, one after the other"), .min = 1,
     .max = 1 << 20},
    {TRJ_OPTION(0, "distinct", COUNT, &distinct, "D",
                "frames that differ, given in turn; 0: 8, or all where there are fewer"),
     .max = 1 << 16},
    {TRJ_OPTION(0, "warm", COUNT, &warm, "W",
                "frames before the clock starts; 0: until all memory and all devices are in use"),
     .max = 1 << 28},
    {TRJ_OPTION(0, "copy", FLAG, &copy, NULL, "write and check every frame before it is given, as a reader does")},
    {TRJ_OPTION(0, "records", FLAG, &want_records, NULL,
                "keep up to 64 records, as rdfhist does without --block, instead of one result")},
    TRJ_OPTION_END};
static const struct trj_tool tool = {.name = "engine",
                                     .purpose = "time an engine; prints a line that tests/bench/time_engine.c explains",
                                     .operands = "",
                                     .options = options};

struct bench {
    struct rdf_job job;
    struct trj_frame sample; // only its cell
    struct trj_group groups[2];
    struct rdf_pair pair;
    struct trj_cell cell;
    struct trj_frame *random; // [distinct]
    struct trj_frame frame;   // goes to the engine, and comes back as another one
    uint64_t given;
    const struct rdf_engine *engine;
    void *state;
    uint64_t *counts;
    struct rdf_setup setup;   // for records
    struct rdf_merger merger; // for records; empty if all frames are counted together
};

// ---- frames

enum { MAX_BUFFERS = 1 << 20 }; // maximum number of different frame memories
static const float *buffers[2 * MAX_BUFFERS];
static size_t buffer_count;

// Returns whether the memory of a frame is new. The hash table has open addresses and is never more than half full.
static bool is_new(const float *memory) {
    size_t at = (size_t)((uintptr_t)memory / 64 * 0x9e3779b97f4a7c15u >> 43) % (2 * MAX_BUFFERS);
    while (buffers[at] && buffers[at] != memory) at = (at + 1) % (2 * MAX_BUFFERS);
    if (buffers[at] || buffer_count == MAX_BUFFERS) return !buffers[at];
    buffers[at] = memory;
    buffer_count++;
    return true;
}

// Makes a frame of what the engine has left: memory that holds one it was given before, so that only its head is
// written, or memory that was never filled.
static int next_frame(struct bench *b, struct trj_error *err) {
    struct trj_frame *f = &b->frame;
    if (trj_frame_resize(f, b->job.atoms, err)) return -1;
    f->index = b->given++;
    f->step = TRJ_NO_STEP;
    f->time = NAN;
    f->unit = 1;
    f->cell = b->cell;
    if (!is_new(f->x[0]) && !copy) return 0;
    const struct trj_frame *from = &b->random[f->index % distinct];
    for (int k = 0; k < 3; k++) memcpy(f->x[k], from->x[k], f->atoms * sizeof *f->x[k]);
    return rdf_job_check_frame(&b->job, f, err);
}

static int give(struct bench *b, uint64_t n, struct trj_error *err) {
    for (uint64_t i = 0; i < n; i++)
        if (next_frame(b, err) || b->engine->add(b->state, &b->frame, err)) return -1;
    return 0;
}

// Counts n frames with the engine and waits for their counts.
static int count_frames(struct bench *b, uint64_t n, struct trj_error *err) {
    if (!want_records) return give(b, n, err) || b->engine->finish(b->state, b->counts, err) ? -1 : 0;
    rdf_merger_free(&b->merger);
    rdf_merger_open(&b->merger, &b->setup, false);
    for (uint64_t i = 0; i < n; i++) {
        struct rdf_record *record = rdf_merger_next(&b->merger, err);
        if (!record || give(b, 1, err)) return -1;
        record->frames++;
        if (rdf_merger_full(&b->merger) && b->engine->end_record(b->state, rdf_merger_tag(&b->merger), err)) return -1;
    }
    return b->engine->finish(b->state, b->counts, err);
}

static int make_random(struct bench *b, struct trj_error *err) {
    b->random = trj_alloc(distinct, sizeof *b->random, "frames", err);
    for (uint64_t d = 0; d < distinct; d++) {
        if (!b->random || trj_frame_resize(&b->random[d], b->job.atoms, err)) return -1;
        for (size_t i = 0; i < b->job.atoms; i++) {
            double s[3];
            for (int k = 0; k < 3; k++) s[k] = points_uniform(&seed);
            points_put(b->random[d].x, i, s, &b->cell);
        }
    }
    return 0;
}

// ---- what is counted

static int make_groups(struct bench *b, struct trj_error *err) {
    static char names[2][2] = {"A", "B"};
    for (uint64_t g = 0; g < groups; g++) {
        b->groups[g] = (struct trj_group){
            .name = names[g], .count = atoms, .atoms = trj_alloc(atoms, sizeof(uint32_t), "groups", err)};
        if (!b->groups[g].atoms) return -1;
        for (uint64_t i = 0; i < atoms; i++) b->groups[g].atoms[i] = (uint32_t)(g * atoms + i);
    }
    b->pair.b = (uint32_t)groups - 1;
    return rdf_pair_number(&b->pair, b->groups, err);
}

static void print_note(void *arg, const char *text) {
    (void)arg;
    trj_tool_message("%s", text);
}

static int set_up(struct bench *b, struct trj_error *err) {
    if (trj_cell_parse(&b->cell, cell_text, err)) return trj_fail_at(err, "--cell");
    if (trj_cell_restrict(&b->cell, TRJ_PERIODIC_ALL, err)) return -1;
    if (isnan(rmax)) rmax = trj_cell_min_width(&b->cell) / 2;
    if (!distinct) distinct = frames < 8 ? frames : 8;
    b->sample.cell = b->cell;
    b->job = (struct rdf_job){.bins = {0, rmax, bins},
                              .sample = &b->sample,
                              .atoms = groups * atoms,
                              .group_count = groups,
                              .groups = b->groups,
                              .pair_count = 1,
                              .pairs = &b->pair,
                              .threads = (unsigned)threads,
                              .devices = devices,
                              .note = print_note,
                              .deliver = rdf_merger_deliver,
                              .deliver_arg = &b->merger};
    b->setup = (struct rdf_setup){.bins = b->job.bins, .pair_count = 1};
    if (rdf_bins_check(&b->job.bins, err) || make_groups(b, err) || make_random(b, err)) return -1;
    b->counts = trj_alloc(bins, sizeof *b->counts, "counts", err);
    if (!b->counts || rdf_engine_find(&b->engine, engine_name, err)) return -1;
    return b->engine->open(&b->state, &b->job, err);
}

// ---- the clock

// Whether each device has done something, or never will.
static bool all_at_work(const struct bench *b) {
    struct trj_engine_stats s;
    b->engine->stats(b->state, &s);
    for (unsigned i = 0; i < s.device_count; i++)
        if (!s.devices[i].failed && !(s.devices[i].frames > 0)) return false;
    return true;
}

// So that no memory is made and no device started on the clock.
static int warm_up(struct bench *b, struct trj_error *err) {
    if (warm) return give(b, warm, err) || b->engine->finish(b->state, b->counts, err) ? -1 : 0;
    double began = trj_seconds();
    do {
        // All memories are known when as many consecutive frames as there are memories have brought no new one.
        for (size_t known = 0; known <= buffer_count;) {
            size_t before = buffer_count;
            if (give(b, 1, err)) return -1;
            known = buffer_count > before ? 0 : known + 1;
        }
        if (b->engine->finish(b->state, b->counts, err)) return -1;
    } while (!all_at_work(b) && trj_seconds() - began < 20);
    return 0;
}

// Engine statistics that stay.
struct moment {
    struct trj_engine_stats stats;
    struct trj_device_stats *devices; // [stats.device_count]
};

static int take_moment(const struct bench *b, struct moment *m, struct trj_error *err) {
    b->engine->stats(b->state, &m->stats);
    m->devices = trj_alloc(m->stats.device_count, sizeof *m->devices, "devices", err);
    if (!m->devices) return -1;
    for (unsigned i = 0; i < m->stats.device_count; i++) {
        m->devices[i] = m->stats.devices[i];
        if (m->devices[i].failed)
            return trj_fail(err, TRJ_FAILED, "%s failed: there is nothing to time", m->devices[i].name);
    }
    return 0;
}

static double kernel_seconds(const struct moment *from, const struct moment *to, unsigned device) {
    return device < to->stats.device_count ? to->devices[device].busy - from->devices[device].busy : NAN;
}

// Prints a number, which may be unknown, after a tab or a comma.
static int print_value(struct trj_output *out, char before, double value, struct trj_error *err) {
    return isfinite(value) ? trj_output_print(out, err, "%c%.4g", before, value)
                           : trj_output_print(out, err, "%c-", before);
}

static int print_line(const struct bench *b, const struct moment *from, const struct moment *to, double seconds,
                      struct trj_output *out, struct trj_error *err) {
    double n = (double)(frames * repeat), joules = to->stats.device_count ? 0 : NAN;
    unsigned lists = to->stats.device_count ? to->stats.device_count : 1; // an engine without devices has one unknown
    uint64_t evaluated = to->stats.evaluated - from->stats.evaluated;
    double resolved = (double)(to->stats.resolved - from->stats.resolved);
    int rc = trj_output_print(out, err, "%s\t%u\t%llu\t%llu\t%.6g\t%.0f\t%.6g\t%.6g\t%.5g\t%llu", b->engine->kind.name,
                              to->stats.workers, (unsigned long long)atoms, (unsigned long long)bins, rmax, n,
                              seconds / n, n / seconds, (double)atoms * (double)atoms * n / seconds * 1e-9,
                              (unsigned long long)evaluated);
    rc = rc || print_value(out, '\t', resolved / (double)evaluated, err);
    for (unsigned i = 0; i < lists; i++) rc = rc || print_value(out, i ? ',' : '\t', kernel_seconds(from, to, i), err);
    for (unsigned i = 0; i < lists; i++)
        rc = rc || print_value(out, i ? ',' : '\t', 1 - kernel_seconds(from, to, i) / seconds, err);
    for (unsigned i = 0; i < to->stats.device_count; i++) joules += to->devices[i].joules - from->devices[i].joules;
    return rc || print_value(out, '\t', joules / n, err) || trj_output_print(out, err, "\n") ? -1 : 0;
}

static int run(struct bench *b, struct trj_error *err) {
    struct trj_output *out = NULL;
    struct moment from = {.devices = NULL}, to = {.devices = NULL};
    int rc = -1;
    if (set_up(b, err) || warm_up(b, err) || take_moment(b, &from, err)) goto out;
    double began = trj_seconds();
    for (uint64_t i = 0; i < repeat; i++)
        if (count_frames(b, frames, err)) goto out;
    double seconds = trj_seconds() - began;
    if (take_moment(b, &to, err) || trj_output_open(&out, NULL, TRJ_OUTPUT_TEXT, err) ||
        print_line(b, &from, &to, seconds, out, err) || trj_output_commit(out, err))
        goto out;
    rc = 0;
out:
    trj_output_close(out);
    free(from.devices);
    free(to.devices);
    return rc;
}

int main(int argc, char **argv) {
    struct trj_error err;
    struct bench b = {.given = 0};
    int first;
    trj_tool_start(&tool);
    int rc = trj_tool_parse(&tool, argc, argv, &first, &err);
    if (rc > 0) rc = run(&b, &err);
    if (b.state) b.engine->close(b.state);
    trj_frame_free(&b.frame);
    for (uint64_t d = 0; b.random && d < distinct; d++) trj_frame_free(&b.random[d]);
    free(b.random);
    rdf_merger_free(&b.merger);
    for (int g = 0; g < 2; g++) free(b.groups[g].atoms);
    free(b.counts);
    return rc < 0 ? trj_tool_fail(&err) : 0;
}
