// SPDX-License-Identifier: MIT
// Finds what a recipe can divide into segments, and makes the plans of segments and of what runs after their merge.
#include "recipe_segments.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "bytes.h"
#include "file_argument.h"
#include "hash.h"
#include "input.h"
#include "memory.h"
#include "run_arguments.h"

// Filters whose results add over frames, and options with which they do not.
static const char one_run[] = "requires all frames in one run; use a recipe without segments for this stage",
                  no_sums[] = "does not write sums; write a grid stream (output: NAME.trjg), and add a stage of mapsum "
                              "or mapmath that reads it";
static const struct {
    const char *tool;
    enum trj_segment_merge merge;
    const char *ending, *options[8], *reason;
} results[] = {
    {"rdfhist", TRJ_SEGMENT_JOIN, "rdfh", {"lag", "neighbours", "events"}, one_run},
    {"skhist", TRJ_SEGMENT_JOIN, "rdfh", {"lag", "vectors"}, one_run},
    {"densmap", TRJ_SEGMENT_SUM, "trjg", {"mean", "stderr-map", "relative"}, no_sums},
    {"ligmap", TRJ_SEGMENT_SUM, "trjg", {"mean", "stderr-map"}, no_sums},
    {"potmap", TRJ_SEGMENT_SUM, "trjg", {"mean", "stderr-map", "points", "dump", "apbs"}, no_sums},
    {"trjstat", TRJ_SEGMENT_TOOL, "tsv", {"summary", "cluster", "pca", "iterate"}, one_run},
    {"trjcorr", TRJ_SEGMENT_TOOL, "sums", {NULL}, one_run},
};
enum { RESULTS = sizeof results / sizeof *results };

static size_t find_result(const struct trj_stage_run *run) {
    size_t i = 0;
    while (i < RESULTS && strcmp(results[i].tool, run->tool->name) != 0) i++;
    return i;
}

static bool is_trjcat(const struct trj_stage_run *run) {
    return !strcmp(run->tool->name, "trjcat");
}

// Puts the place of the stage before the error.
static int at_run(const struct trj_segments *s, const struct trj_stage_run *run, struct trj_error *err) {
    return trj_fail_at(err, "%s:%u:%u: stage '%s'", s->plan->recipe, run->line, run->column, run->name);
}

#define fail(s, run, ...) (trj_fail(err, TRJ_BAD_DATA, __VA_ARGS__), at_run(s, run, err))

// ---- roles

static int reject_options(const struct trj_segments *s, const struct trj_stage_run *run, const char *const *options,
                          const char *reason, struct trj_error *err) {
    for (; *options; options++)
        if (trj_run_option(run, *options)) return fail(s, run, "segments: %s %s", *options, reason);
    return 0;
}

// A reference that is not a file is the first frame, which differs between segments.
static int check_fit(const struct trj_segments *s, const struct trj_stage_run *run, struct trj_error *err) {
    const char *fit = trj_run_option(run, "fit");
    char *path;
    if (!fit) return 0;
    if (trj_file_argument_path(&path, "SELECTION[:FILE]", fit, err)) return -1;
    const bool given = path;
    free(path);
    return given ? 0
                 : fail(s, run,
                        "segments: the reference of fit is the first frame, which differs between segments; give a "
                        "file: fit: SELECTION:FILE");
}

static int check_trjcat(const struct trj_segments *s, const struct trj_stage_run *run, struct trj_error *err) {
    static const char *const all[] = {"time", "segment", "overlap", "salvage", "follow", NULL},
                             *const piped[] = {"frames", NULL}, *const unwrap[] = {"unwrap", NULL};
    const char *repeated = trj_run_option(run, "repeated");
    if (reject_options(s, run, all, "cannot be combined with segments; select frames with the key frames", err) ||
        reject_options(s, run, unwrap,
                       "follows atoms from frame to frame; write the frames to a stream (output: NAME.trjf), and "
                       "divide them with a stage of trjcat that reads it",
                       err) ||
        check_fit(s, run, err))
        return -1;
    if (run->piped && reject_options(s, run, piped, "must be given to the stage that reads the files", err)) return -1;
    return repeated && !strcmp(repeated, "drop")
               ? fail(s, run,
                      "segments: repeated: drop compares frames with those of all segments; write the frames to a "
                      "stream (output: NAME.trjf), and divide them with a stage of trjcat that reads it")
               : 0;
}

static int check_result(const struct trj_segments *s, const struct trj_stage_run *run, size_t result,
                        struct trj_error *err) {
    const char *to = trj_run_option(run, "to"), *block = trj_run_option(run, "block"),
               *every = trj_run_option(run, "every");
    if (reject_options(s, run, results[result].options, results[result].reason, err)) return -1;
    if (run->output_count > (run->output != NULL))
        return fail(s, run, "segments: it writes a second file, which cannot be merged; leave this option out");
    if (every && isdigit((unsigned char)every[strlen(every) - 1]))
        return fail(s, run, "segments: every writes records at once; use block, or a time such as 10m for checkpoints");
    if (block && !strcmp(block, "0"))
        return fail(s, run,
                    "segments: block: 0 is one record of all frames; give its number of frames, or leave it out");
    if (results[result].merge == TRJ_SEGMENT_SUM &&
        (run->series || (to && strcmp(to, "trjg") != 0) || (run->output && !trj_name_ends_in(run->output, ".trjg"))))
        return fail(s, run,
                    "segments: only grid streams can be added; write one (output: NAME.trjg), and add a stage of "
                    "mapconv that reads it");
    return 0;
}

// Marks the runs that write the stream which the run reads, and those before them in the pipe.
static void mark_prepared(struct trj_segments *s, size_t run) {
    const struct trj_stage_run *runs = s->plan->runs;
    for (size_t i = 0; i < runs[run].operand_count; i++)
        for (size_t k = runs[run].sources[i];; k = runs[k].sources[0]) {
            s->runs[k].role = TRJ_SEGMENT_PREPARED;
            if (!runs[k].piped) break;
        }
}

static int find_role(struct trj_segments *s, size_t i, struct trj_error *err) {
    const struct trj_stage_run *run = &s->plan->runs[i];
    struct trj_segment_run *r = &s->runs[i];
    const size_t result = find_result(run), from = run->piped ? run->sources[0] : 0;
    if (r->role == TRJ_SEGMENT_PREPARED || !trj_known_tool_reads_frames(run->tool) || trj_run_option(run, "merge"))
        return 0;
    if (is_trjcat(run) && !run->piped) {
        if (run->output) return 0;
        r->role = TRJ_SEGMENT_SOURCE;
        r->source = i;
        return check_trjcat(s, run, err);
    }
    if (is_trjcat(run) && run->output)
        return fail(s, run, "segments: frames that are written are not divided; write them with a recipe of their own");
    if (!is_trjcat(run) && result == RESULTS)
        return fail(s, run, "segments: %s cannot be divided; use a recipe without segments for this stage",
                    run->tool->name);
    if (!run->piped || (s->runs[from].role != TRJ_SEGMENT_SOURCE && s->runs[from].role != TRJ_SEGMENT_STAGE))
        return fail(s, run,
                    "segments: its frames cannot be divided, because they are read from a file; add a stage of trjcat "
                    "without output that reads the file, and read from this stage");
    r->source = s->runs[from].source;
    r->role = is_trjcat(run) ? TRJ_SEGMENT_STAGE : TRJ_SEGMENT_RESULT;
    if (is_trjcat(run)) return check_trjcat(s, run, err);
    r->merge = results[result].merge;
    if (r->merge == TRJ_SEGMENT_SUM && (trj_run_option(run, "block") || trj_run_option(run, "each")))
        r->merge = TRJ_SEGMENT_JOIN; // the sum would have no records
    r->ending = results[result].ending;
    return check_result(s, run, result, err);
}

// Sets the path of the parts: that of a stage, and the number of its run if it has several.
static int set_stem(struct trj_segments *s, size_t i, struct trj_error *err) {
    const struct trj_stage_run *runs = s->plan->runs, *run = &runs[i];
    const size_t length = strcspn(run->name, "["), capacity = strlen(s->folder) + length + 32;
    size_t number = 1;
    while (number <= i && runs[i - number].line == run->line && runs[i - number].column == run->column) number++;
    char *stem = s->runs[i].stem = trj_alloc(capacity, 1, "a path", err);
    if (!stem) return -1;
    int n = snprintf(stem, capacity, "%s/%.*s", s->folder, (int)length, run->name);
    if (run->name[length]) snprintf(stem + n, capacity - (size_t)n, "-%zu", number);
    return 0;
}

// Names the folder of the parts after the recipe.
static int set_folder(struct trj_segments *s, struct trj_error *err) {
    static const char ending[] = ".segments";
    const char *slash = strrchr(s->plan->recipe, '/'), *name = slash ? slash + 1 : s->plan->recipe,
               *dot = strrchr(name, '.');
    const size_t length = dot && dot != name ? (size_t)(dot - name) : strlen(name);
    if (!(s->folder = trj_alloc(length + sizeof ending, 1, "a path", err))) return -1;
    snprintf(s->folder, length + sizeof ending, "%.*s%s", (int)length, name, ending);
    return 0;
}

int trj_segments_open(struct trj_segments *s, struct trj_plan *plan, struct trj_error *err) {
    *s = (struct trj_segments){.plan = plan, .count = plan->segments};
    size_t found = 0;
    if (!(s->runs = trj_alloc(plan->run_count, sizeof *s->runs, "stages", err)) || set_folder(s, err)) return -1;
    for (size_t i = 0; i < plan->run_count; i++)
        if (is_trjcat(&plan->runs[i]) && !plan->runs[i].piped && !plan->runs[i].output) mark_prepared(s, i);
    for (size_t i = 0; i < plan->run_count; i++) {
        if (find_role(s, i, err)) return -1;
        if (s->runs[i].role != TRJ_SEGMENT_RESULT) continue;
        found++;
        if (set_stem(s, i, err)) return -1;
    }
    return found ? 0
                 : trj_fail(err, TRJ_BAD_DATA, "%s: segments: no stage can be divided; remove the key segments",
                            plan->recipe);
}

void trj_segments_close(struct trj_segments *s) {
    for (size_t i = 0; s->runs && i < s->plan->run_count; i++) free(s->runs[i].stem);
    free(s->runs);
    free(s->folder);
    *s = (struct trj_segments){.plan = NULL};
}

// ---- plans

char *trj_segments_path(const struct trj_segments *s, size_t run, uint64_t number, struct trj_error *err) {
    const char *output = s->plan->runs[run].output;
    const struct trj_segment_run *r = &s->runs[run];
    if (!number && output) return trj_copy_text(output, err);
    const size_t capacity = strlen(r->stem) + strlen(r->ending) + 32;
    char *path = trj_alloc(capacity, 1, "a path", err);
    if (path && number) snprintf(path, capacity, "%s.%llu.%s", r->stem, (unsigned long long)number, r->ending);
    if (path && !number) snprintf(path, capacity, "%s.%s", r->stem, r->ending);
    return path;
}

static int copy_list(struct trj_string_list *to, const struct trj_string_list *from, struct trj_error *err) {
    for (size_t i = 0; i < from->count; i++)
        if (trj_string_list_add(to, from->texts[i], err)) return -1;
    return 0;
}

struct trj_stage_run *trj_segments_copy_run(struct trj_plan *to, const struct trj_stage_run *run,
                                            struct trj_error *err) {
    struct trj_stage_run *copy = &to->runs[to->run_count++];
    *copy = (struct trj_stage_run){.name = trj_copy_text(run->name, err),
                                   .line = run->line,
                                   .column = run->column,
                                   .tool = run->tool,
                                   .operands = run->operands,
                                   .piped = run->piped};
    const int rc =
        !copy->name || copy_list(&copy->argv, &run->argv, err) || copy_list(&copy->inputs, &run->inputs, err) ? -1 : 0;
    return rc ? NULL : copy;
}

static int add_source(struct trj_stage_run *run, size_t source, struct trj_error *err) {
    size_t capacity = run->source_count;
    if (trj_grow(&run->sources, &capacity, run->source_count + 1, sizeof *run->sources, "stages", err)) return -1;
    run->sources[run->source_count++] = source;
    return 0;
}

int trj_segments_open_plan(struct trj_plan *to, const struct trj_plan *from, struct trj_error *err) {
    *to = (struct trj_plan){.recipe = from->recipe, .folder = trj_copy_text(from->folder, err)};
    return to->folder && (to->runs = trj_alloc(from->run_count, sizeof *to->runs, "stages", err)) ? 0 : -1;
}

uint32_t trj_segments_hash(const struct trj_plan *plan, size_t run, bool files) {
    uint64_t hash = 0;
    for (;; run = plan->runs[run].sources[0]) {
        const struct trj_stage_run *r = &plan->runs[run];
        struct stat st;
        hash = trj_hash(r->command, strlen(r->command), hash);
        if (files) hash = trj_hash(r->tool->version, strlen(r->tool->version), hash);
        for (size_t i = 0; files && i < r->inputs.count; i++) {
            if (stat(r->inputs.texts[i], &st)) continue; // the tool reports a missing file
            hash = trj_hash(&st.st_size, sizeof st.st_size, hash);
            hash = trj_hash(&st.st_mtim, sizeof st.st_mtim, hash);
        }
        if (!r->piped) return (uint32_t)hash;
    }
}

// Adds --checkpoint to a result, if its tool has this option, so that a task that was ended continues. A checkpoint of
// other commands or files would be an error; its name differs.
static int add_checkpoint(struct trj_plan *part, size_t i, const char *stem, const char *label, struct trj_error *err) {
    struct trj_stage_run *run = &part->runs[i];
    char path[4096];
    trj_run_remove_option(run, "checkpoint");
    if (!trj_known_option_find(run->tool, "checkpoint")) return 0;
    snprintf(path, sizeof path, "%s.%s.%08lx.checkpoint", stem, label, (unsigned long)trj_segments_hash(part, i, true));
    return trj_run_add_option(run, "checkpoint", path, err);
}

// Adds the options that select a segment, and sets the output to the part.
static int set_part(struct trj_stage_run *run, const struct trj_segments *s, size_t i, const char *segment,
                    const char *label, struct trj_error *err) {
    const struct trj_segment_run *r = &s->runs[i];
    char overlap[32], path[4096];
    trj_run_remove_option(run, "digest");
    if (r->role == TRJ_SEGMENT_SOURCE) {
        snprintf(overlap, sizeof overlap, "%llu", (unsigned long long)r->overlap);
        if (trj_run_add_option(run, "segment", segment, err) ||
            (r->overlap && trj_run_add_option(run, "overlap", overlap, err)))
            return -1;
    } else if (r->role == TRJ_SEGMENT_RESULT) {
        if (!strcmp(run->tool->name, "trjcorr") && trj_run_add_option(run, "sums", NULL, err)) return -1;
        const int n = snprintf(path, sizeof path, "%s.%s.%s", r->stem, label, r->ending);
        if (n >= (int)sizeof path) return trj_fail(err, TRJ_BAD_DATA, "%s: the path is too long", r->stem);
        if (trj_stage_run_add_output(run, path, 0, err)) return -1;
    }
    return trj_run_set_command(run, err);
}

int trj_segments_select(struct trj_plan *part, const struct trj_segments *s, const bool *wanted, uint64_t number,
                        uint64_t count, const char *label, struct trj_error *err) {
    const struct trj_stage_run *runs = s->plan->runs;
    const size_t n = s->plan->run_count;
    size_t *copied = NULL;
    int rc = -1;
    bool *needed = trj_alloc(n, sizeof *needed, "stages", err);
    if (!needed || !(copied = trj_alloc(n, sizeof *copied, "stages", err)) ||
        trj_segments_open_plan(part, s->plan, err))
        goto out;
    part->part = true;
    for (size_t i = n; i-- > 0;) {
        needed[i] = needed[i] || (s->runs[i].role == TRJ_SEGMENT_RESULT && (!wanted || wanted[i]));
        if (needed[i] && runs[i].piped) needed[runs[i].sources[0]] = true;
    }
    for (size_t i = 0; i < n; i++) {
        char segment[96];
        if (!needed[i]) continue;
        const uint64_t unit = count == s->count ? s->runs[i].unit : 1;
        int k = snprintf(segment, sizeof segment, "%llu/%llu", (unsigned long long)number, (unsigned long long)count);
        if (unit > 1) snprintf(segment + k, sizeof segment - (size_t)k, "/%llu", (unsigned long long)unit);
        struct trj_stage_run *run = trj_segments_copy_run(part, &runs[i], err);
        if (!run) goto out;
        copied[i] = part->run_count - 1;
        run->operand_count = runs[i].piped;
        run->group = runs[i].piped ? part->runs[copied[runs[i].sources[0]]].group : part->group_count++;
        if ((runs[i].piped && add_source(run, copied[runs[i].sources[0]], err)) ||
            set_part(run, s, i, segment, label, err) ||
            (s->runs[i].role == TRJ_SEGMENT_RESULT && count == s->count &&
             add_checkpoint(part, copied[i], s->runs[i].stem, label, err)))
            goto out;
    }
    rc = 0;
out:
    free(needed);
    free(copied);
    return rc;
}

int trj_segments_part(struct trj_plan *part, const struct trj_segments *s, const bool *wanted, uint64_t number,
                      struct trj_error *err) {
    char label[32];
    snprintf(label, sizeof label, "%llu", (unsigned long long)number);
    return trj_segments_select(part, s, wanted, number, s->count, label, err);
}

// ---- after the merge

int trj_segments_set_merge(struct trj_plan *merged, struct trj_stage_run *run, const struct trj_segments *s, size_t i,
                           struct trj_error *err) {
    const bool sum = s->runs[i].merge == TRJ_SEGMENT_SUM;
    const char *level = trj_run_option(&s->plan->runs[i], "compress");
    if (sum && !(run->tool = trj_known_tool_find(&merged->tools, "mapsum", err))) return -1;
    trj_string_list_free(&run->argv);
    trj_string_list_free(&run->inputs);
    run->piped = false;
    if (trj_string_list_add(&run->argv, run->tool->name, err)) return -1;
    run->operands = 1;
    if ((run->tool->has_digest && trj_run_add_option(run, "digest", NULL, err)) ||
        (!sum && trj_run_add_option(run, run->tool->tables.name, NULL, err)) ||
        (sum && level && trj_run_add_option(run, "compress", level, err)))
        return -1;
    for (uint64_t k = 1; k <= s->count; k++) {
        char *path = trj_segments_path(s, i, k, err);
        const int rc =
            path && !trj_string_list_add(&run->argv, path, err) && !trj_string_list_add(&run->inputs, path, err) ? 0
                                                                                                                 : -1;
        free(path);
        if (rc) return -1;
    }
    return 0;
}

// Makes the run, which reads joined parts through a pipe in the recipe, read them from their file.
static int read_joined(struct trj_stage_run *run, const struct trj_segments *s, size_t source, struct trj_error *err) {
    char *path = trj_segments_path(s, source, 0, err);
    if (!path) return -1;
    for (size_t i = run->operands; i < run->argv.count; i++) free(run->argv.texts[i]); // "-"
    run->argv.count = run->operands;
    run->argv.texts[run->operands] = NULL;
    run->piped = false;
    const int rc = trj_string_list_add(&run->argv, path, err) || trj_string_list_add(&run->inputs, path, err) ? -1 : 0;
    free(path);
    return rc;
}

static bool runs_after_merge(const struct trj_segment_run *r) {
    return r->role == TRJ_SEGMENT_ONCE || (r->role == TRJ_SEGMENT_RESULT && r->merge != TRJ_SEGMENT_JOIN);
}

static int add_merged(struct trj_plan *merged, const struct trj_segments *s, size_t i, const size_t *copied,
                      struct trj_error *err) {
    const struct trj_stage_run *from = &s->plan->runs[i];
    struct trj_stage_run *run = trj_segments_copy_run(merged, from, err);
    if (!run) return -1;
    for (size_t k = 0; k < from->output_count; k++)
        if (trj_stage_run_add_output(run, from->outputs[k].path, from->outputs[k].argument, err)) return -1;
    run->series = from->series;
    if (s->runs[i].role == TRJ_SEGMENT_RESULT) {
        if (trj_segments_set_merge(merged, run, s, i, err)) return -1;
    } else {
        for (size_t k = 0; k < from->source_count; k++) {
            const size_t source = from->sources[k];
            if (runs_after_merge(&s->runs[source])) {
                if (add_source(run, copied[source], err)) return -1;
                run->operand_count += k < from->operand_count;
            } else if (k == 0 && from->piped && read_joined(run, s, source, err)) {
                return -1;
            }
        }
    }
    run->group = run->piped ? merged->runs[run->sources[0]].group : merged->group_count++;
    return trj_run_set_command(run, err);
}

int trj_segments_merged(struct trj_plan *merged, const struct trj_segments *s, struct trj_error *err) {
    const size_t n = s->plan->run_count;
    size_t *copied = trj_alloc(n, sizeof *copied, "stages", err);
    int rc = copied && !trj_segments_open_plan(merged, s->plan, err) ? 0 : -1;
    for (size_t i = 0; !rc && i < n; i++) {
        if (!runs_after_merge(&s->runs[i])) continue;
        copied[i] = merged->run_count;
        rc = add_merged(merged, s, i, copied, err);
    }
    free(copied);
    return rc;
}
