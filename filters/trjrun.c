// SPDX-License-Identifier: MIT
// trjrun: runs the filters that a recipe describes.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bytes.h"
#include "graph_writer.h"
#include "makefile_writer.h"
#include "memory.h"
#include "missing_file.h"
#include "output.h"
#include "provenance_verify.h"
#include "recipe.h"
#include "recipe_runner.h"
#include "recipe_segments.h"
#include "slurm_writer.h"
#include "snakemake_writer.h"
#include "tool.h"
#include "workflow_command.h"

static struct trj_text_list define, sbatch;
static bool only_check, dry_run, want_make, want_schema, merge, slurm, submit, want_snakefile;
static const char *graph_path, *only, *verify_path;
static uint64_t at_once = 1, segment;

static const struct trj_option options[] = {
    {TRJ_OPTION('D', "define", LIST, &define, "NAME=VALUE", "set a variable of the recipe")},
    {TRJ_OPTION('j', "jobs", COUNT, &at_once, "N", "run at most N independent pipelines at a time; 0: no limit"),
     .max = 10000},
    {TRJ_OPTION('c', "check", FLAG, &only_check, NULL, "check the recipe without running it")},
    {TRJ_OPTION('n', "dry-run", FLAG, &dry_run, NULL, "print the pipelines as shell commands without running them")},
    {TRJ_OPTION('m', "make", FLAG, &want_make, NULL, "print a makefile that updates the outputs")},
    {TRJ_OPTION(0, "snakemake", FLAG, &want_snakefile, NULL, "print a Snakefile that updates the outputs")},
    {TRJ_OPTION('g', "graph", TEXT, &graph_path, "FILE",
                "write a figure of the stages and their connections to FILE, as SVG")},
    {TRJ_OPTION(0, "segment", COUNT, &segment, "K", "compute segment K of the recipe, counted from 1"), .min = 1,
     .max = TRJ_RECIPE_MAX_SEGMENTS},
    {TRJ_OPTION(0, "merge", FLAG, &merge, NULL, "merge the results of all segments, and run the stages after them")},
    {TRJ_OPTION(0, "slurm", FLAG, &slurm, NULL,
                "print a script that submits the segments of the recipe that are missing, and their merge, to Slurm")},
    {TRJ_OPTION(0, "submit", FLAG, &submit, NULL, "with --slurm: run the script")},
    {TRJ_OPTION(0, "sbatch", LIST, &sbatch, "OPTION", "with --slurm: add an option of sbatch, such as --time=60")},
    {TRJ_OPTION(0, "only", TEXT, &only, "OUTPUT",
                "run only the pipeline that writes this output, from existing files")},
    {TRJ_OPTION(0, "verify", TEXT, &verify_path, "FILE",
                "repeat the commands in the provenance of FILE, and compare the bytes; takes no recipe")},
    {TRJ_OPTION(0, "schema", PRINT, &want_schema, NULL,
                "print the JSON schema of recipes, for editors; takes no recipe")},
    TRJ_OPTION_END,
};

static const struct trj_tool tool = {
    .name = "trjrun",
    .purpose = "Runs the filters that a recipe describes.",
    .operands = "[RECIPE]",
    .max_operands = 1,
    .options = options,
};

// Replaces the status line, cut to the width of the terminal; an empty line removes it.
static void show(const char *line) {
    struct winsize w;
    char text[512];
    int width = !ioctl(STDERR_FILENO, TIOCGWINSZ, &w) && w.ws_col > 1 ? w.ws_col - 1 : 79;
    int n = snprintf(text, sizeof text, "\r\033[K%.*s", width, line);
    if (n >= (int)sizeof text) n = (int)sizeof text - 1;
    if (write(STDERR_FILENO, text, (size_t)n) < 0) return; // an error of the status line is not reported
}

// Removes the status line first.
static void print_over_status(const char *line) {
    show("");
    trj_tool_print_line(line);
}

struct job {
    struct trj_plan plan;
    struct trj_segments segments;       // of the plan, if the recipe divides its frames
    struct trj_definition *definitions; // [define.count]
    struct trj_bytes text;              // to print
    bool *missing;                      // [segments.count]
    int signal_number;                  // that ended the plan; 0: none
};

static int run_segment(struct job *j, struct trj_run_options *run, struct trj_error *err) {
    struct trj_plan part = {.recipe = NULL};
    int rc = trj_segments_part(&part, &j->segments, NULL, segment, err);
    if (!rc) rc = trj_plan_run(run, &part, err);
    trj_plan_free(&part);
    return rc;
}

// Runs the plan or a part of it, verifies a file, or, for a plan that is printed, fixes its options.
static int run_plan(struct job *j, bool running, struct trj_error *err) {
    const struct trj_plan *plan = &j->plan;
    bool terminal = isatty(STDERR_FILENO);
    struct trj_run_options run = {.at_once = (unsigned)at_once,
                                  .only = only,
                                  .report = terminal ? print_over_status : trj_tool_print_line,
                                  .show_status = terminal ? show : NULL};
    if (plan->folder && chdir(plan->folder)) return trj_fail_errno(err, "%s", plan->folder);
    const bool whole = running && !segment && !merge,
               prepares = plan->segments && whole && trj_segments_is_prepared(&j->segments, only);
    int rc = plan->segments && !prepares ? trj_segments_resolve(&j->segments, whole, &run, err) : 0;
    if (!rc && slurm) rc = trj_segments_check(&j->segments, &run, err);
    if (rc || !running)
        j->signal_number = run.signal;
    else if (verify_path)
        rc = trj_provenance_verify(&run, verify_path, err);
    else if (segment)
        rc = run_segment(j, &run, err);
    else
        rc = merge ? trj_segments_merge(&j->segments, &run, err) : trj_plan_run(&run, plan, err);
    j->signal_number = run.signal;
    return rc;
}

// Prints the script that submits segments, or runs it.
static int put_slurm(struct job *j, struct trj_error *err) {
    char folder[4096];
    uint64_t count;
    for (size_t i = 0; i < sbatch.count; i++)
        if (trj_recipe_add_job_option(&j->plan, sbatch.texts[i], err)) return -1;
    if (trj_workflow_check_recipe(&j->plan, "--slurm", "job", err)) return -1;
    if (!getcwd(folder, sizeof folder)) return trj_fail_errno(err, "the current folder");
    if (run_plan(j, false, err) || trj_segments_missing(&j->segments, NULL, &j->missing, &count, err) ||
        trj_segments_put_slurm(&j->text, &j->segments, j->missing, folder, j->definitions, define.count, err))
        return -1;
    trj_put_raw(&j->text, "", submit);
    if (!submit || j->text.failed) return 0;
    execl("/bin/sh", "sh", "-c", (const char *)j->text.data, (char *)NULL);
    return trj_fail_errno(err, "/bin/sh");
}

static int write_text(const struct trj_bytes *b, const char *path, struct trj_error *err) {
    struct trj_output *out = NULL;
    int rc =
        b->failed ? trj_fail_memory(err, (double)b->size, "a text") : trj_output_open(&out, path, TRJ_OUTPUT_TEXT, err);
    if (!rc) rc = trj_output_write(out, b->data, b->size, err);
    if (!rc) rc = trj_output_commit(out, err);
    trj_output_close(out);
    return rc;
}

// The figure must not replace the recipe or a file that it reads.
static int check_graph(const struct trj_plan *plan, struct trj_error *err) {
    struct stat graph, st;
    if (stat(graph_path, &graph)) return trj_file_is_missing() ? 0 : trj_fail_errno(err, "%s", graph_path);
    bool same = !stat(plan->recipe, &st) && st.st_dev == graph.st_dev && st.st_ino == graph.st_ino;
    for (size_t i = 0; !same && i < plan->run_count; i++)
        for (size_t k = 0; !same && k < plan->runs[i].inputs.count; k++) {
            char *path = trj_plan_path(plan, plan->runs[i].inputs.texts[k], err);
            if (!path) return -1;
            same = !stat(path, &st) && st.st_dev == graph.st_dev && st.st_ino == graph.st_ino;
            free(path);
        }
    return same ? trj_fail(err, TRJ_USAGE, "--graph: '%s' is the recipe, or a file that it names; give another name",
                           graph_path)
                : 0;
}

// NAME=VALUE
static int take_definitions(struct trj_definition *definitions, struct trj_error *err) {
    for (size_t i = 0; i < define.count; i++) {
        const char *text = define.texts[i], *equals = strchr(text, '=');
        if (!equals) return trj_fail(err, TRJ_USAGE, "--define: invalid value '%s': expected NAME=VALUE", text);
        definitions[i].value = equals + 1;
        if (!(definitions[i].name = trj_copy_text(text, err))) return -1;
        definitions[i].name[equals - text] = 0;
    }
    return 0;
}

// Fails if options are given that exclude one another.
static int check_modes(struct trj_error *err) {
    const int printed = only_check + dry_run + want_make + want_snakefile + want_schema + (graph_path != NULL) +
                        (verify_path != NULL) + slurm,
              partial = (segment > 0) + merge;
    if (printed + (only != NULL) > 1 || partial > 1 || printed + partial > 1)
        return trj_fail(
            err, TRJ_USAGE,
            "--check, --dry-run, --make, --snakemake, --graph, --slurm, --verify, --schema, and --segment, --merge or "
            "--only, exclude one another; give one of them");
    if ((submit || sbatch.count) && !slurm) return trj_fail(err, TRJ_USAGE, "--submit and --sbatch require --slurm");
    return 0;
}

static int run(void *state, char **operands, int count, struct trj_error *err) {
    struct job *j = state;
    struct trj_plan *plan = &j->plan;
    struct trj_bytes *b = &j->text;
    const char *recipe = count ? *operands : NULL;
    if (!(j->definitions = trj_alloc(define.count, sizeof *j->definitions, "variables", err))) return -1;
    if (check_modes(err)) return -1;
    if (want_schema || verify_path ? recipe != NULL : !recipe)
        return trj_fail(err, TRJ_USAGE,
                        recipe ? "--schema and --verify read no recipe; leave it out"
                               : "missing recipe; usage: trjrun [OPTION]... RECIPE");
    if (define.count && (want_schema || verify_path))
        return trj_fail(err, TRJ_USAGE, "--define: --schema and --verify read no recipe; leave it out");
    if (want_schema) return trj_recipe_put_schema(b, &plan->tools, err) || write_text(b, NULL, err) ? -1 : 0;
    if (verify_path) return run_plan(j, true, err);
    if (take_definitions(j->definitions, err)) return -1;
    bool running = !dry_run && !want_make && !want_snakefile && !graph_path && !slurm;
    if (trj_recipe_read(plan, recipe, j->definitions, define.count, running || slurm, err)) return -1;
    if ((segment || merge || slurm) && !plan->segments)
        return trj_fail(err, TRJ_USAGE,
                        "--segment, --merge and --slurm: the recipe does not divide its frames; add segments: N");
    if (segment > plan->segments)
        return trj_fail(err, TRJ_USAGE, "--segment: the recipe has %llu segments; give a number from 1 to %llu",
                        (unsigned long long)plan->segments, (unsigned long long)plan->segments);
    if (plan->segments && trj_segments_open(&j->segments, plan, err)) return -1;
    if (only_check) return 0;
    if (dry_run && plan->segments && run_plan(j, false, err)) return -1;
    if (dry_run) trj_plan_put_pipelines(b, plan);
    if (slurm && put_slurm(j, err)) return -1;
    if (want_make && trj_plan_put_makefile(b, plan, j->definitions, define.count, err)) return -1;
    if (want_snakefile && trj_plan_put_snakefile(b, plan, &j->segments, j->definitions, define.count, err)) return -1;
    if (graph_path && (check_graph(plan, err) || trj_plan_put_graph(b, plan, err))) return -1;
    return running ? run_plan(j, true, err) : write_text(b, graph_path, err);
}

static void close_all(void *state) {
    struct job *j = state;
    for (size_t i = 0; j->definitions && i < define.count; i++) free(j->definitions[i].name);
    free(j->definitions);
    free(define.texts);
    free(sbatch.texts);
    free(j->missing);
    trj_bytes_free(&j->text);
    trj_segments_close(&j->segments);
    trj_plan_free(&j->plan);
}

int main(int argc, char **argv) {
    static struct job j;
    int status = trj_tool_main(&tool, argc, argv, run, close_all, &j);
    if (!j.signal_number) return status;
    signal(j.signal_number, SIG_DFL); // the caller must see that a signal ended the process
    raise(j.signal_number);
    return status;
}
