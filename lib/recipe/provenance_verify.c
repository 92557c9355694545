// SPDX-License-Identifier: MIT
// Repeats the recorded commands in temporary folders and compares the bytes, which proves that a file can be
// reproduced.
#include "provenance_verify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "digest.h"
#include "input.h"
#include "memory.h"
#include "missing_file.h"
#include "provenance.h"
#include "signal_watch.h"
#include "staged_output.h"
#include "tool.h"

enum { DEEPEST = 16 }; // levels of inputs that have inputs

// A command of the provenance, with the input lines that follow it.
struct command {
    struct trj_string_list words;
    char version[64];
    size_t operands; // index of the first one in words
    bool piped, digests;
    size_t input_count;
    const struct trj_string_list *inputs; // "input", digest, path
};

struct verifying {
    struct trj_run_options *options;
    struct trj_digests digests;  // by the absolute path of each file
    struct trj_string_list done; // files that were verified, by absolute path
};

struct history {
    struct trj_string_list lines;
    struct trj_string_list *words; // [lines]
    size_t count;
    struct command *commands;
};

static void free_history(struct history *h) {
    for (size_t i = 0; h->words && i < h->lines.count; i++) trj_string_list_free(&h->words[i]);
    for (size_t i = 0; h->commands && i < h->count; i++) trj_string_list_free(&h->commands[i].words);
    trj_string_list_free(&h->lines);
    free(h->words);
    free(h->commands);
}

// Returns whether a word of a command is this option, which may be missing.
static bool is_option(const struct trj_known_option *o, const char *word) {
    return o->name && (word[1] == '-' ? !strcmp(o->name, word + 2) : o->letter == word[1] && !word[2]);
}

// Returns the option of a word of a command, "-f" or "--frames", or NULL.
static const struct trj_known_option *find_option(const struct trj_known_tool *tool, const char *word) {
    for (size_t k = 0; k < tool->option_count; k++)
        if (is_option(&tool->options[k], word)) return &tool->options[k];
    if (is_option(&tool->tables, word)) return &tool->tables;
    return is_option(&tool->input, word) ? &tool->input : NULL;
}

// Finds the operands of a command. Options that a recipe cannot give are rejected, so that the provenance of a foreign
// file cannot make trjrun write to other files.
static int find_operands(struct command *c, const struct trj_known_tool *tool, struct trj_error *err) {
    size_t i = 1;
    bool named = false;  // an option names the stream
    bool tables = false; // operands are tables
    for (; i < c->words.count && c->words.texts[i][0] == '-' && c->words.texts[i][1]; i++) {
        const char *word = c->words.texts[i];
        const struct trj_known_option *o = find_option(tool, word);
        if (!strcmp(word, "--digest")) {
            c->digests = true;
            continue;
        }
        if (!o)
            return trj_fail(err, TRJ_BAD_DATA, "its provenance gives %s an option that recipes do not support: %s",
                            tool->name, word);
        i += o->kind != TRJ_OPTION_FLAG;
        tables = tables || o == &tool->tables;
        named = named || (o == &tool->input && i < c->words.count && strcmp(c->words.texts[i], "-") != 0);
    }
    if (i > c->words.count) return trj_fail(err, TRJ_BAD_DATA, "its provenance contains an option without a value");
    for (size_t k = i; k < c->words.count; k++) // getopt also accepts options after operands
        if (c->words.texts[k][0] == '-' && c->words.texts[k][1])
            return trj_fail(err, TRJ_BAD_DATA, "its provenance contains an option after the input files: %s",
                            c->words.texts[k]);
    c->operands = i;
    c->piped = tool->input.name && !tables
                   ? !named
                   : i == c->words.count || (i + 1 == c->words.count && !strcmp(c->words.texts[i], "-"));
    return 0;
}

// Splits the lines into commands and inputs.
static int split_lines(struct history *h, const char *path, struct trj_known_tools *known, struct trj_error *err) {
    char version[64];
    if (!(h->words = trj_alloc(h->lines.count, sizeof *h->words, "provenance", err)) ||
        !(h->commands = trj_alloc(h->lines.count, sizeof *h->commands, "provenance", err)))
        return -1;
    for (size_t i = 0; i < h->lines.count; i++) {
        if (trj_provenance_split(&h->words[i], version, h->lines.texts[i], err)) goto bad;
        if (!*version && h->count && h->words[i].count == 3) {
            struct command *c = &h->commands[h->count - 1];
            if (!c->input_count++) c->inputs = &h->words[i];
            continue;
        }
        struct command *c = &h->commands[h->count++];
        c->words = h->words[i];
        h->words[i] = (struct trj_string_list){.texts = NULL};
        memcpy(c->version, version, sizeof version);
        const struct trj_known_tool *tool = trj_known_tool_find(known, c->words.texts[0], err);
        if (!tool || find_operands(c, tool, err)) goto bad;
    }
    return 0;
bad:
    return trj_fail_at(err, "%s", path);
}

// Finds the first command of the pipeline that ends in the last command.
static int find_start(const struct history *h, const char *path, size_t *start, struct trj_error *err) {
    if (!h->count)
        return trj_fail(err, TRJ_BAD_DATA,
                        "%s: contains no provenance; give a file that trjrun, rdfnorm, rdfderive or rdfplot wrote",
                        path);
    *start = h->count - 1;
    while (*start && h->commands[*start].piped) --*start;
    if (h->commands[*start].piped)
        return trj_fail(err, TRJ_BAD_DATA, "%s: its provenance lacks the inputs of %s; create it again with trjrun",
                        path, h->commands[*start].words.texts[0]);
    char tools[200] = "";
    for (size_t i = *start; i < h->count; i++) {
        size_t n = strlen(tools);
        if (!h->commands[i].digests)
            snprintf(tools + n, sizeof tools - n, "%s%s", n ? ", " : "", h->commands[i].words.texts[0]);
    }
    if (*tools)
        return trj_fail(err, TRJ_BAD_DATA, "%s: its provenance has no digests; run %s with --digest", path, tools);
    return 0;
}

// Returns 1 if all inputs exist with the recorded digests; 0 if an input is missing, -1 if an input has changed or
// cannot be read; err then names it.
static int find_inputs(struct verifying *v, const struct history *h, size_t start, struct trj_error *err) {
    const char *digest;
    for (size_t i = start; i < h->count; i++)
        for (size_t k = 0; k < h->commands[i].input_count; k++) {
            char *const *words = h->commands[i].inputs[k].texts;
            char *whole = realpath(words[2], NULL);
            bool missing = !whole && trj_file_is_missing();
            int rc = whole ? trj_digests_find(&v->digests, whole, &digest, err) : trj_fail_errno(err, "%s", words[2]);
            free(whole);
            if (rc) return missing ? 0 : -1;
            if (strcmp(digest, words[1]))
                return trj_fail(err, TRJ_FAILED,
                                "%s: has changed: expected digest %s, found %s; restore it, or run the recipe again",
                                words[2], words[1], digest);
        }
    return 1;
}

// Changes to the folder relative to which the inputs have their recorded paths.
static int go_to_inputs(struct verifying *v, const struct history *h, size_t start, const char *path,
                        struct trj_error *err) {
    struct trj_error last;
    int found = find_inputs(v, h, start, err);
    char *folder = trj_copy_text(path, &last), *slash;
    while (folder && found <= 0 && (slash = strrchr(folder, '/'))) {
        *slash = 0;
        int here = chdir(*folder ? folder : "/") ? 0 : find_inputs(v, h, start, &last);
        if (here < 0 && !found) *err = last; // this message is more useful than that of a missing input
        if (here) found = here;
    }
    free(folder);
    return found > 0 ? 0 : trj_fail_at(err, "%s", path);
}

// The temporary folders for the outputs of a plan.
struct staging {
    size_t count, capacity;
    struct trj_staged_output *outputs;
};

// Adds an output to the run, with the name of the given path, in a temporary folder of its own.
static int add_output(struct staging *st, struct trj_stage_run *run, const char *path, size_t argument,
                      struct trj_error *err) {
    const char *place = getenv("TMPDIR"), *name = trj_tool_recorded_name(path);
    size_t capacity = strlen(place && *place ? place : "/tmp") + strlen(name) + 2;
    char *file = trj_alloc(capacity, 1, "a path", err);
    int rc = file ? trj_grow(&st->outputs, &st->capacity, st->count + 1, sizeof *st->outputs, "outputs", err) : -1;
    if (!rc) snprintf(file, capacity, "%s/%s", place && *place ? place : "/tmp", name);
    if (!rc) rc = trj_staged_output_open(&st->outputs[st->count++], file, false, err);
    if (!rc) rc = trj_stage_run_add_output(run, st->outputs[st->count - 1].path, argument, err);
    free(file);
    return rc;
}

static void remove_staging(struct staging *st) {
    for (size_t i = 0; i < st->count; i++) trj_staged_output_close(&st->outputs[i]);
    free(st->outputs);
}

static int make_run(struct trj_stage_run *run, struct trj_known_tools *tools, const struct command *c,
                    struct staging *st, struct trj_error *err) {
    *run = (struct trj_stage_run){.tool = trj_known_tool_find(tools, c->words.texts[0], err), .operands = c->operands};
    if (!run->tool || !(run->name = trj_copy_text(c->words.texts[0], err))) return -1;
    for (size_t k = 0; k < c->words.count; k++)
        if (trj_string_list_add(&run->argv, c->words.texts[k], err)) return -1;
    for (size_t k = 1; k < c->operands; k++) {
        const struct trj_known_option *o = find_option(run->tool, c->words.texts[k]);
        if (!o || o->kind == TRJ_OPTION_FLAG) continue;
        k++; // its value
        if (o->output && add_output(st, run, c->words.texts[k], k, err)) return -1;
    }
    return 0;
}

// Makes the plan that repeats the commands. The last one writes a file with the name of `path`.
static int make_plan(struct trj_plan *plan, const struct history *h, size_t start, const char *path, struct staging *st,
                     struct trj_error *err) {
    size_t n = h->count - start;
    if (!(plan->runs = trj_alloc(n, sizeof *plan->runs, "stages", err))) return -1;
    plan->group_count = 1;
    for (size_t i = 0; i < n; i++) {
        struct trj_stage_run *run = &plan->runs[plan->run_count++];
        if (make_run(run, &plan->tools, &h->commands[start + i], st, err) ||
            (i && !(run->sources = trj_alloc(1, sizeof *run->sources, "stages", err))) ||
            (i + 1 == n && add_output(st, run, path, 0, err)))
            return -1;
        run->piped = i > 0;
        run->source_count = run->operand_count = run->piped;
        if (i) run->sources[0] = i - 1;
    }
    return 0;
}

// Ends on a signal, since files may be long.
static int compare_files(const char *a, const char *b, bool *same, uint64_t *position, struct trj_error *err) {
    struct trj_input *x = NULL, *y = NULL;
    const unsigned char *p, *q;
    size_t n, m;
    int rc = trj_input_open(&x, a, err) || trj_input_open(&y, b, err) ? -1 : 0;
    *position = 0;
    for (*same = true; !rc && *same;) {
        if (trj_input_peek(x, &p, TRJ_INPUT_PEEK, &n, err) || trj_input_peek(y, &q, TRJ_INPUT_PEEK, &m, err)) rc = -1;
        if (rc || (!n && !m)) break;
        size_t k = 0;
        while (k < n && k < m && p[k] == q[k]) k++;
        *position += k;
        *same = k == n && n == m;
        if (*same && (trj_input_skip(x, n, "a file", err) || trj_input_skip(y, m, "a file", err))) rc = -1;
        if (!rc && trj_signals_received()) rc = trj_signals_fail(err, "");
    }
    trj_input_close(x);
    trj_input_close(y);
    return rc;
}

static void report_equal(const struct trj_run_options *options, const struct history *h, size_t start,
                         const char *path) {
    char line[1000];
    size_t n = (size_t)snprintf(line, sizeof line, "%s:", path);
    for (size_t i = start; i < h->count && n < sizeof line; i++)
        n += (size_t)snprintf(line + n, sizeof line - n, "%s %s", i > start ? " |" : "", h->commands[i].words.texts[0]);
    if (n < sizeof line) snprintf(line + n, sizeof line - n, " writes the same bytes");
    options->report(line);
}

static void note_versions(const struct trj_run_options *options, const struct trj_plan *plan, const struct history *h,
                          size_t start, const char *path) {
    char line[1000];
    for (size_t i = start; i < h->count; i++) {
        const char *now = plan->runs[i - start].tool->version;
        if (!strcmp(now, h->commands[i].version)) continue;
        snprintf(line, sizeof line, "%s: note: written by %s %s, but repeated with version %s", path,
                 h->commands[i].words.texts[0], h->commands[i].version, now);
        options->report(line);
    }
}

static void say_nothing(const char *line) {
    (void)line;
}

// Compares the file with each output of the run; it was one of them, perhaps under another name.
static int compare_outputs(const char *path, const struct trj_stage_run *run, struct trj_error *err) {
    uint64_t position, differs = 0;
    bool same = false;
    for (size_t k = 0; k < run->output_count && !same; k++) {
        if (compare_files(path, run->outputs[k].path, &same, &position, err)) return -1;
        if (position > differs) differs = position;
    }
    if (same) return 0;
    // Provenance lacks the name of the output, and thus whether it contained %s.
    return trj_fail(err, TRJ_FAILED, "%s: the repeated result differs from byte %llu on%s", path,
                    (unsigned long long)differs,
                    run->tool->writes_names ? "; one of several files of a name with %s cannot be repeated" : "");
}

// A signal ends trjrun only after the temporary folders have been removed.
static int run_again(struct trj_run_options *options, struct trj_plan *plan, const struct history *h, size_t start,
                     const char *path, struct trj_error *err) {
    struct trj_run_options quiet = {.at_once = 1, .report = say_nothing, .show_status = options->show_status};
    struct staging st = {.count = 0};
    if (trj_signals_watch(err)) return -1;
    int rc = make_plan(plan, h, start, path, &st, err);
    if (!rc) note_versions(options, plan, h, start, path);
    if (!rc) rc = trj_plan_run(&quiet, plan, err);
    if (!rc) rc = compare_outputs(path, &plan->runs[plan->run_count - 1], err);
    remove_staging(&st);
    options->signal = trj_signals_received();
    trj_signals_unwatch();
    if (!rc && options->signal) return trj_signals_fail(err, "");
    if (!rc) report_equal(options, h, start, path);
    return rc;
}

static int verify(struct verifying *v, const char *path, struct history *h, int depth, struct trj_error *err);

// Verifies the inputs that have provenance.
static int verify_inputs(struct verifying *v, const struct history *h, size_t start, int depth, struct trj_error *err) {
    for (size_t i = start; i < h->count; i++)
        for (size_t k = 0; k < h->commands[i].input_count; k++) {
            struct history own = {.count = 0};
            bool stream, known = false;
            char *path = realpath(h->commands[i].inputs[k].texts[2], NULL);
            for (size_t d = 0; path && !known && d < v->done.count; d++) known = !strcmp(v->done.texts[d], path);
            // Trajectories have no provenance, nor has a stream that was damaged when it was read.
            int rc = path ? 0 : trj_fail_errno(err, "%s", h->commands[i].inputs[k].texts[2]);
            if (path && !known && trj_provenance_read(&own.lines, path, &stream, err))
                rc = err->status == TRJ_FAILED ? -1 : 0;
            else if (!rc && own.lines.count)
                rc = verify(v, path, &own, depth + 1, err);
            free_history(&own);
            free(path);
            if (rc) return -1;
        }
    return 0;
}

static int verify(struct verifying *v, const char *path, struct history *h, int depth, struct trj_error *err) {
    struct trj_plan plan = {.recipe = path};
    size_t start;
    int rc = -1;
    if (depth == DEEPEST)
        return trj_fail(err, TRJ_BAD_DATA, "%s: more than %d levels of inputs with provenance; verify its inputs first",
                        path, DEEPEST);
    if (trj_string_list_add(&v->done, path, err)) goto out;
    if (split_lines(h, path, &plan.tools, err)) goto out;
    if (find_start(h, path, &start, err)) goto out;
    if (go_to_inputs(v, h, start, path, err)) goto out;
    if (run_again(v->options, &plan, h, start, path, err)) goto out;
    rc = verify_inputs(v, h, start, depth, err);
out:
    trj_plan_free(&plan);
    return rc;
}

int trj_provenance_verify(struct trj_run_options *options, const char *path, struct trj_error *err) {
    struct verifying v = {.options = options};
    struct history h = {.count = 0};
    bool stream;
    char *whole = realpath(path, NULL);
    if (!whole) return trj_fail_errno(err, "%s", path);
    int rc = trj_provenance_read(&h.lines, whole, &stream, err) || verify(&v, whole, &h, 0, err) ? -1 : 0;
    free_history(&h);
    trj_digests_free(&v.digests);
    trj_string_list_free(&v.done);
    free(whole);
    return rc;
}
