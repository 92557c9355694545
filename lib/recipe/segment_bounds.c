// SPDX-License-Identifier: MIT
// Fixes what segments must share before the frames are divided: numbers of frames, lengths of records, overlaps, and
// what tools derive from the first frame.
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "correlation_options.h"
#include "correlator.h"
#include "hist_stream.h"
#include "memory.h"
#include "number.h"
#include "recipe_segments.h"
#include "run_arguments.h"
#include "stage_process.h"
#include "stream_input.h"

enum { MIN_RECORDS = 32 }; // of all frames, as of rdfhist
#define UNEQUAL 1.05       // the longest segment may have this multiple of the frames of equal ones

static bool is_tool(const struct trj_stage_run *run, const char *name) {
    return !strcmp(run->tool->name, name);
}

static int fail_at(const struct trj_segments *s, const struct trj_stage_run *run, struct trj_error *err) {
    return trj_fail_at(err, "%s:%u:%u: stage '%s'", s->plan->recipe, run->line, run->column, run->name);
}

// ---- frames

// Sets the error to the message of the process, which has ended, without the name of the tool.
static int take_message(struct trj_process *p, const struct trj_stage_run *run, struct trj_error *err) {
    char *text, *end;
    trj_put_raw(&p->messages_kept, "", 1);
    text = p->messages_kept.failed ? NULL : (char *)p->messages_kept.data;
    const size_t name = strlen(run->tool->name);
    for (; text && (end = strchr(text, '\n')) && end[1]; text = end + 1) continue; // the last line is the cause
    if (text && (end = strchr(text, '\n'))) *end = 0;
    if (text && !strncmp(text, run->tool->name, name) && text[name] == ':') text += name + 2;
    const int status = WIFEXITED(p->status) ? WEXITSTATUS(p->status) : 0;
    return trj_fail(err, status >= TRJ_FAILED && status <= TRJ_NO_ENGINE ? (enum trj_status)status : TRJ_FAILED, "%s",
                    text && *text ? text : "cannot count the frames");
}

// Waits for the end of the process, and reads its messages.
static void finish(struct trj_process *p) {
    while (p->running) {
        struct pollfd messages = {.fd = p->message_fd, .events = POLLIN}; // poll ignores -1, and waits
        poll(&messages, 1, 5);
        if (p->message_fd >= 0 && !trj_process_read_messages(p)) {
            close(p->message_fd);
            p->message_fd = -1;
        }
        trj_process_reap(p);
    }
}

// Reads the number of frames, of which trjcat would select segments, from the header of a stream with an overlap.
static int count_frames(struct trj_segments *s, size_t i, struct trj_error *err) {
    struct trj_stage_run *run = &s->plan->runs[i];
    struct trj_process p = {.message_fd = -1};
    struct trj_reader *in = NULL;
    struct trj_error why;
    char path[32];
    int ends[2];
    if (trj_run_add_option(run, "segment", "1/1", err) || trj_run_add_option(run, "overlap", "1", err) ||
        trj_pipe(ends, 0, err))
        return -1;
    int rc = trj_process_start(&p, run->tool->path, run->argv.texts, -1, ends[1], err);
    close(ends[1]);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    const bool read = !rc && !trj_stream_input_open_unwrapped(&in, path, 0, &why);
    if (read) s->runs[i].frames = in->header->segment.total;
    trj_reader_close(in);
    close(ends[0]);
    if (read) trj_process_stop(&p, SIGTERM);
    finish(&p);
    if (!rc && !read) {
        take_message(&p, run, err);
        rc = fail_at(s, run, err);
    }
    trj_bytes_free(&p.messages_kept);
    trj_bytes_free(&p.partial_line);
    trj_run_remove_option(run, "segment");
    trj_run_remove_option(run, "overlap");
    return rc;
}

// ---- records

static uint64_t divided(uint64_t a, uint64_t b) { // rounded up
    return a / b + (a % b > 0);
}

// Returns the largest length of records for which there are enough, and for which segments are nearly equal.
static uint64_t choose_unit(uint64_t frames, uint64_t segments) {
    const uint64_t records = segments > MIN_RECORDS ? segments : MIN_RECORDS, equal = divided(frames, segments);
    uint64_t unit = frames / records;
    for (; unit > 1; unit--) {
        const uint64_t all = divided(frames, unit);
        if (all >= records && (double)(divided(all, segments) * unit) <= UNEQUAL * (double)equal) break;
    }
    return unit ? unit : 1;
}

static uint64_t common_divisor(uint64_t a, uint64_t b) {
    while (b) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

// Sets the unit of a source to the least common multiple of the lengths of records that the recipe gives, or chooses
// it; adds --block to results without it.
static int set_unit(struct trj_segments *s, size_t source, struct trj_error *err) {
    struct trj_segment_run *r = &s->runs[source];
    struct trj_stage_run *runs = s->plan->runs;
    char text[32];
    bool records = false;
    r->unit = 0;
    for (size_t i = source; i < s->plan->run_count; i++) {
        uint64_t block;
        const char *given = trj_run_option(&runs[i], "block");
        if (s->runs[i].role != TRJ_SEGMENT_RESULT || s->runs[i].source != source) continue;
        records = records || !strcmp(s->runs[i].ending, "rdfh");
        if (!given || !trj_parse_u64(given, &block)) continue;
        const uint64_t factor = r->unit ? block / common_divisor(r->unit, block) : block;
        r->unit = r->unit && factor > UINT64_MAX / r->unit ? UINT64_MAX : (r->unit ? r->unit : 1) * factor;
    }
    if (!r->unit) r->unit = records ? choose_unit(r->frames, s->count) : 1;
    if (divided(r->frames, r->unit) < s->count) {
        trj_fail(err, TRJ_BAD_DATA,
                 r->unit > 1 ? "segments: %llu frames in records of %llu frames (block) are less than %llu segments; "
                               "use fewer segments, or a smaller block"
                             : "segments: %llu frames in units of %llu are less than %llu segments; use fewer segments",
                 (unsigned long long)r->frames, (unsigned long long)r->unit, (unsigned long long)s->count);
        return fail_at(s, &runs[source], err);
    }
    snprintf(text, sizeof text, "%llu", (unsigned long long)r->unit);
    for (size_t i = source; i < s->plan->run_count; i++)
        if (s->runs[i].role == TRJ_SEGMENT_RESULT && s->runs[i].source == source &&
            !strcmp(s->runs[i].ending, "rdfh") && !trj_run_option(&runs[i], "block") &&
            trj_run_add_option(&runs[i], "block", text, err))
            return -1;
    return 0;
}

// ---- overlaps

// Returns the number of frames after a segment that the run may compare with those of the segment.
static uint64_t overlap_of(const struct trj_stage_run *run) {
    const struct tcf_options standard = TCF_OPTIONS_DEFAULT;
    const char *given = trj_run_option(run, "lags");
    uint64_t lags = standard.lags;
    if (given) trj_parse_u64(given, &lags);
    return trj_run_option(run, "per-octave") ? lags : tcf_correlator_span(lags) - 1 + tcf_correlator_overlap(lags);
}

static int set_overlap(struct trj_segments *s, size_t source, struct trj_error *err) {
    const struct trj_stage_run *runs = s->plan->runs;
    const struct trj_stage_run *other = NULL;
    struct trj_segment_run *r = &s->runs[source];
    for (size_t i = source; i < s->plan->run_count; i++) {
        if (s->runs[i].role != TRJ_SEGMENT_RESULT || s->runs[i].source != source) continue;
        const uint64_t overlap = is_tool(&runs[i], "trjcorr") ? overlap_of(&runs[i]) : 0;
        if (overlap > r->overlap) r->overlap = overlap;
        if (!overlap) other = &runs[i];
    }
    if (!r->overlap || !other) return 0;
    trj_fail(err, TRJ_BAD_DATA,
             "segments: %s must not read the frames after a segment, which trjcorr reads; add a stage of trjcat that "
             "reads the same files for trjcorr",
             other->tool->name);
    return fail_at(s, other, err);
}

// ---- first frame

static bool is_map(const struct trj_segment_run *r) {
    return r->role == TRJ_SEGMENT_RESULT && !strcmp(r->ending, "trjg");
}

// Returns whether the tool derives bins or a lattice from the first frame.
static bool needs_first_frame(const struct trj_segments *s, size_t i) {
    const struct trj_stage_run *run = &s->plan->runs[i];
    if (s->runs[i].role != TRJ_SEGMENT_RESULT) return false;
    if (is_tool(run, "rdfhist")) return !trj_run_option(run, "rmax") || !trj_run_option(run, "bins");
    return is_map(&s->runs[i]) && !trj_run_option(run, "like") && !trj_run_option(run, "origin") &&
           !trj_run_option(run, "body");
}

static int replace_option(struct trj_stage_run *run, const char *name, const char *value, struct trj_error *err) {
    trj_run_remove_option(run, name);
    return trj_run_add_option(run, name, value, err);
}

static int take_bins(struct trj_stage_run *run, const char *path, struct trj_error *err) {
    struct rdf_hist h = {.part = RDF_PART_ALL};
    struct trj_input *in = NULL;
    char text[64];
    int rc = trj_input_open(&in, path, err) || rdf_hist_read(&h, in, err) ? -1 : 0;
    if (!rc) snprintf(text, sizeof text, "%.17g", h.setup.bins.rmax);
    if (!rc) rc = replace_option(run, "rmax", text, err);
    if (!rc) snprintf(text, sizeof text, "%llu", (unsigned long long)h.setup.bins.count);
    if (!rc) rc = replace_option(run, "bins", text, err);
    trj_input_close(in);
    rdf_hist_free(&h);
    return rc ? trj_fail_at(err, "%s", path) : 0;
}

// Replaces the options of the lattice by a map that has it.
static int take_lattice(struct trj_stage_run *run, const char *path, struct trj_error *err) {
    static const char *const options[] = {"grid", "steps", "dime", "around", "pad", "glen", "center"};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) trj_run_remove_option(run, options[i]);
    return trj_run_add_option(run, "like", path, err);
}

// Messages about a single frame, which are reported only if it cannot be computed.
static struct trj_bytes kept_messages;

static void keep_message(const char *line) {
    trj_put_raw(&kept_messages, line, strlen(line) + 1);
}

// Reports the messages of the stage that the error names: "stage 'NAME': ...".
static void report_messages(const struct trj_run_options *options, const struct trj_error *err) {
    const char *name = strchr(err->text, '\''), *end = name ? strchr(name + 1, '\'') : NULL;
    for (size_t i = 0; end && !kept_messages.failed && i < kept_messages.size;) {
        const char *line = (const char *)kept_messages.data + i;
        if (!strncmp(line, name + 1, (size_t)(end - name - 1)) && line[end - name - 1] == ':') options->report(line);
        i += strlen(line) + 1;
    }
}

int trj_segments_run_quietly(struct trj_run_options *options, const struct trj_plan *plan, struct trj_error *err) {
    struct trj_run_options quiet = {
        .at_once = options->at_once, .report = keep_message, .show_status = options->show_status};
    const int rc = trj_plan_run(&quiet, plan, err);
    options->signal = quiet.signal;
    if (rc) report_messages(options, err);
    trj_bytes_free(&kept_messages);
    return rc;
}

int trj_segments_try_frame(const struct trj_segments *s, const bool *wanted, uint64_t frame, uint64_t frames,
                           const char *label, struct trj_run_options *options, struct trj_error *err) {
    struct trj_plan plan = {.recipe = NULL};
    int rc = trj_segments_select(&plan, s, wanted, frame, frames, label, err);
    for (size_t k = 0; !rc && k < plan.run_count; k++) {
        trj_run_remove_option(&plan.runs[k], "devices");
        if (trj_known_option_find(plan.runs[k].tool, "engine"))
            rc = replace_option(&plan.runs[k], "engine", "cpu", err);
        if (!rc) rc = trj_run_set_command(&plan.runs[k], err);
    }
    if (!rc) rc = trj_segments_run_quietly(options, &plan, err);
    trj_plan_free(&plan);
    return rc;
}

// Runs a result that depends on the first frame on this frame alone, and reads bins or the lattice from what it writes.
static int take_first_frame(struct trj_segments *s, size_t i, struct trj_run_options *options, struct trj_error *err) {
    const struct trj_segment_run *r = &s->runs[i];
    struct trj_stage_run *run = &s->plan->runs[i];
    char label[32], path[4096];
    bool *wanted = trj_alloc(s->plan->run_count, sizeof *wanted, "stages", err);
    if (!wanted) return -1;
    wanted[i] = true;
    snprintf(label, sizeof label, "first-%08lx", (unsigned long)trj_segments_hash(s->plan, i, false));
    snprintf(path, sizeof path, "%s.%s.%s", r->stem, label, r->ending);
    int rc = trj_segments_try_frame(s, wanted, 1, s->runs[r->source].frames, label, options, err);
    if (rc)
        trj_fail_at(err, "first frame");
    else
        rc = is_map(r) ? take_lattice(run, path, err) : take_bins(run, path, err);
    free(wanted);
    return rc;
}

// Makes trjstat write the exact sums, because the mean of one run would be added in float64.
static int add_sums(struct trj_stage_run *run, struct trj_error *err) {
    const bool sums = trj_run_option(run, "rmsf") || trj_run_option(run, "map") || trj_run_option(run, "profile");
    return is_tool(run, "trjstat") && sums && !trj_run_option(run, "sums") ? trj_run_add_option(run, "sums", NULL, err)
                                                                           : 0;
}

// Writes the frames that sources read, or fails if they are missing.
static int prepare_frames(struct trj_segments *s, bool prepare, struct trj_run_options *options,
                          struct trj_error *err) {
    for (size_t i = 0; i < s->plan->run_count; i++) {
        const struct trj_stage_run *run = &s->plan->runs[i];
        struct trj_run_options one = *options;
        if (s->runs[i].role != TRJ_SEGMENT_PREPARED || !run->output) continue;
        one.only = run->output;
        const int rc = prepare ? trj_plan_run(&one, s->plan, err) : 0;
        options->signal = one.signal;
        if (rc) return -1;
        if (!access(run->output, R_OK)) continue;
        trj_fail(err, TRJ_BAD_DATA,
                 "segments: '%s' must exist before its frames are divided; trjrun --only %s writes it", run->output,
                 run->output);
        return fail_at(s, run, err);
    }
    return 0;
}

bool trj_segments_is_prepared(const struct trj_segments *s, const char *only) {
    const struct trj_stage_run *run = only ? trj_plan_find_output(s->plan, only) : NULL;
    return run && s->runs[run - s->plan->runs].role == TRJ_SEGMENT_PREPARED;
}

int trj_segments_resolve(struct trj_segments *s, bool prepare, struct trj_run_options *options, struct trj_error *err) {
    struct trj_plan *plan = s->plan;
    if (mkdir(s->folder, 0777) && errno != EEXIST) return trj_fail_errno(err, "%s", s->folder);
    if (prepare_frames(s, prepare, options, err)) return -1;
    for (size_t i = 0; i < plan->run_count; i++)
        if (s->runs[i].role == TRJ_SEGMENT_SOURCE &&
            (count_frames(s, i, err) || set_unit(s, i, err) || set_overlap(s, i, err)))
            return -1;
    for (size_t i = 0; i < plan->run_count; i++)
        if (needs_first_frame(s, i) && take_first_frame(s, i, options, err)) return -1;
    for (size_t i = 0; i < plan->run_count; i++)
        if (add_sums(&plan->runs[i], err) || trj_run_set_command(&plan->runs[i], err)) return -1;
    return 0;
}
