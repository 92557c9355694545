// SPDX-License-Identifier: MIT
// orbmap: reads wave functions, and computes orbitals, densities and other quantities on a lattice or at points.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine_start.h"
#include "map_sample.h"
#include "memory.h"
#include "orbital_check.h"
#include "orbital_output.h"
#include "orbital_run.h"
#include "orbital_series.h"
#include "table_writer.h"
#include "text_index.h"
#include "tool.h"
#include "units.h"

static struct orb_request request = ORB_REQUEST_DEFAULT;
static struct trj_engine_options engine = TRJ_ENGINE_OPTIONS_DEFAULT;
static struct orb_output output;
static bool each, check, json;

static const struct trj_option options[] = {
    {.heading = "Input",
     TRJ_OPTION(0, "each", FLAG, &each, NULL,
                "read several files, and write a map for each, on the lattice of the first")},
    {TRJ_OPTION(0, "check", FLAG, &check, NULL,
                "print what each file contains, and whether its orbitals and electrons agree with its basis")},
    {TRJ_OPTION(0, "json", FLAG, &json, NULL, "print --check as JSON")},
    {.table = orb_request_option_table, .value = &request},
    {.table = trj_engine_option_table, .value = &engine, .choices = orb_engine_choices},
    {.table = trj_map_names_option_table, .value = &output.options},
    TRJ_OPTION_END,
};

static bool to_stdout(void);

static struct trj_tool tool = {
    .name = "orbmap",
    .purpose = "Computes molecular orbitals and electron densities of Molden, fchk, wfn and wfx files as maps.",
    .operands = "[FILE...]",
    .max_operands = SIZE_MAX,
    .options = options,
    .engines = orb_engines,
    .version = trj_engine_versions,
    .to_stdout = to_stdout,
    .stream = &trj_grid_kind,
};

static bool to_stdout(void) {
    if (!check && !request.points) return trj_map_output_is_stream_to_stdout(&output.options);
    tool.stream = NULL; // the result is a table
    return trj_output_is_stdout(output.options.path);
}

struct run {
    struct orb_series *series;
    struct orb_task *task; // of the current file
    struct orb_run *run;
    struct trj_map_lattice lattice;
    bool has_lattice;
    struct trj_map_positions positions; // of --points
    double (*bohr)[3];                  // the same in bohr
    size_t columns;                     // values of each point in the table
    struct trj_output *out;             // of a table or a report
    struct trj_report report;
    struct trj_texts notes; // that have been printed
    struct trj_text_index note_index;
    uint64_t file, files, points;
};

// ---- notes

static const char *file_name(const char *path) {
    return strcmp(path, "-") != 0 ? path : "stdin";
}

static int print_notes(struct run *r, const char *path, struct trj_error *err) {
    const struct orb_wave_function *w = &r->task->wave;
    r->note_index.texts = &r->notes;
    for (size_t i = 0; i < w->notes; i++) {
        size_t before = r->notes.count;
        uint32_t id;
        if (trj_text_index_add(&r->note_index, w->note[i], &id, err)) return -1;
        if (r->notes.count > before) trj_tool_message("%s: note: %s", file_name(path), w->note[i]);
    }
    return 0;
}

static void print_output_note(const char *file, const char *text) {
    trj_tool_message("%s: note: %s", file, text);
}

// Prints the rule and, in both units, the lattice.
static void print_summary(const struct run *r, const char *path) {
    const struct trj_map_lattice *l = &r->lattice;
    char text[256] = "";
    if (!request.points)
        snprintf(text, sizeof text,
                 "; %llu x %llu x %llu points from %.7g, %.7g, %.7g Angstrom = %.7g, %.7g, %.7g bohr",
                 (unsigned long long)l->n[0], (unsigned long long)l->n[1], (unsigned long long)l->n[2], l->origin[0],
                 l->origin[1], l->origin[2], l->origin[0] / TRJ_BOHR, l->origin[1] / TRJ_BOHR, l->origin[2] / TRJ_BOHR);
    trj_tool_message("%s: %s, rule %s%s", file_name(path), r->task->wave.format, orb_rule_name(r->task->rule.rule),
                     text);
}

// ---- points

static int read_points(struct run *r, struct trj_error *err) {
    if (trj_map_positions_add(&r->positions, request.points, err)) return trj_fail_at(err, "--points");
    if (!r->positions.count) return trj_fail(err, TRJ_BAD_DATA, "--points: %s contains no positions", request.points);
    if (!(r->bohr = trj_alloc(r->positions.count, sizeof *r->bohr, "points", err))) return -1;
    for (size_t i = 0; i < 3 * r->positions.count; i++)
        r->bohr[i / 3][i % 3] = r->positions.position[i / 3][i % 3] / TRJ_BOHR;
    return 0;
}

static int print_head(struct run *r, struct trj_error *err) {
    struct trj_table t = {.out = r->out, .err = err};
    size_t n = 4 + r->task->values, first = !each;
    struct trj_table_column *c = trj_alloc(n, sizeof *c, "columns", err);
    if (!c) return -1;
    r->columns = r->task->values;
    trj_table_provenance(&t, trj_tool_provenance(err), SIZE_MAX);
    c[0] = (struct trj_table_column){"file", "number of the file, from 0", NULL};
    c[1] = (struct trj_table_column){"x", "position (1 Angstrom = 1.889726125 bohr)", "Angstrom"};
    c[2] = (struct trj_table_column){"y", NULL, NULL};
    c[3] = (struct trj_table_column){"z", NULL, NULL};
    for (size_t i = 0; i < r->task->values; i++) {
        const struct orb_value *v = &r->task->value[i];
        c[4 + i] = (struct trj_table_column){v->name, v->quantity, *v->unit ? v->unit : NULL};
    }
    int rc = trj_table_columns(&t, c + first, n - first);
    free(c);
    return rc;
}

static int print_points(void *run, const struct orb_slab *slab, struct trj_error *err) {
    struct run *r = run;
    struct trj_table t = {.out = r->out, .err = err};
    for (uint64_t i = 0; i < slab->count; i++) {
        if (each) trj_table_count(&t, r->file);
        for (int k = 0; k < 3; k++) trj_table_real(&t, 10, r->positions.position[slab->first + i][k]);
        for (size_t v = 0; v < r->task->values; v++) trj_table_real(&t, 10, slab->value[v * slab->count + i]);
        if (trj_table_end_row(&t)) return -1;
    }
    return 0;
}

// ---- maps

static int take_slab(void *run, const struct orb_slab *slab, struct trj_error *err) {
    struct run *r = run;
    if (!each) trj_tool_progress("planes", slab->first, r->lattice.n[2]);
    return orb_output_write(&output, slab, err);
}

// Finds the lattice with the first file, and reports atoms of later ones that are outside of it.
static int find_lattice(struct run *r, const char *path, struct trj_error *err) {
    if (r->has_lattice) {
        size_t outside = orb_lattice_outside(&r->lattice, &r->task->atoms);
        if (outside)
            trj_tool_message("%s: note: %zu atom%s outside of the lattice, which is that of the first file; give a "
                             "larger --pad, or the lattice",
                             file_name(path), outside, outside == 1 ? " is" : "s are");
        return 0;
    }
    r->has_lattice = true;
    return orb_request_lattice(&r->lattice, &request, &r->task->wave, err);
}

static int compute(struct run *r, const char *path, struct trj_error *err) {
    if (!(r->task = orb_series_next(r->series, err)) || print_notes(r, path, err)) return -1;
    struct orb_job *job = &r->task->job;
    if (request.points) {
        job->point = (const double(*)[3])r->bohr;
        job->n[0] = r->positions.count;
        job->n[1] = job->n[2] = 1;
    } else {
        if (find_lattice(r, path, err)) return -1;
        orb_job_set_lattice(job, &r->lattice);
    }
    r->points += job->n[0] * job->n[1] * job->n[2];
    if (!r->file) {
        print_summary(r, path);
        if (request.points && print_head(r, err)) return -1;
    }
    if (request.points && r->columns != r->task->values) {
        trj_fail(err, TRJ_BAD_DATA,
                 "--mo: %zu orbitals, but %zu of the first file; choose them by number, or as homo and lumo",
                 r->task->values, r->columns);
        return trj_fail_at(err, "%s", file_name(path));
    }
    if (request.points) return orb_run_job(r->run, job, print_points, r, err);
    return orb_output_begin(&output, r->task, &r->lattice, trj_tool_provenance(err), err) ||
                   orb_run_job(r->run, job, take_slab, r, err) || orb_output_end(&output, err)
               ? -1
               : 0;
}

static int compute_all(struct run *r, char **paths, struct trj_error *err) {
    const struct orb_run_plan plan = {.options = &engine, .jobs = r->files, .print = trj_tool_print_line};
    if (orb_request_check(&request, err) || (request.points && read_points(r, err))) return -1;
    output.several = each;
    output.note = print_output_note;
    if (request.points ? trj_output_open(&r->out, output.options.path, TRJ_OUTPUT_TEXT, err)
                       : orb_output_open(&output, err))
        return -1;
    const struct orb_series_plan series = {
        .request = &request, .path = paths, .files = r->files, .threads = (unsigned)engine.threads};
    if (orb_series_open(&r->series, &series, err) || orb_run_open(&r->run, &plan, err)) return -1;
    for (; r->file < r->files; r->file++) {
        if (compute(r, paths[r->file], err)) return -1;
        if (each) trj_tool_progress("files", r->file + 1, r->files);
    }
    if (trj_engine_is_auto(&engine)) orb_run_print_engine(r->run);
    if (engine.stats) orb_run_print_stats(r->run, r->points);
    return request.points ? trj_output_commit(r->out, err) : orb_output_commit(&output, err);
}

// ---- description

// Describes a file. If it is invalid, prints the error and sets *status; this is not a failure of the function.
static int describe(struct run *r, const char *path, int *status, struct trj_error *err) {
    struct orb_wave_function w = {.format = NULL};
    struct orb_rule_choice choice;
    struct trj_error damage;
    bool unread = orb_wave_function_read(&w, path, &damage), damaged = unread || orb_check(&w, &choice, &damage);
    if (damaged && !unread) trj_fail_at(&damage, "%s", file_name(path));
    int code = damaged ? trj_tool_fail(&damage) : 0;
    if (code > *status) *status = code;
    trj_report_begin_file(&r->report);
    trj_report_text(&r->report, "file", path);
    int rc = unread ? 0 : orb_check_report(&r->report, &w, &choice, damaged ? &damage : NULL, err);
    if (unread) trj_report_check(&r->report, true, &damage);
    trj_report_end_file(&r->report);
    orb_wave_function_free(&w);
    return rc ? -1 : trj_report_write(&r->report, r->out, ++r->file == r->files, err);
}

static int describe_all(struct run *r, char **paths, struct trj_error *err) {
    int status = 0;
    r->report.json = json;
    if (trj_output_open(&r->out, output.options.path, TRJ_OUTPUT_TEXT, err)) return -1;
    while (r->file < r->files)
        if (describe(r, paths[r->file], &status, err)) return -1;
    return trj_report_commit(&r->report, r->out, err) ? -1 : status;
}

static int run(void *state, char **operands, int count, struct trj_error *err) {
    char dash[] = "-", *standard_input[] = {dash};
    struct run *r = state;
    char **paths = count ? operands : standard_input;
    r->files = count ? (uint64_t)count : 1;
    if (count > 1) trj_keep_memory(); // of one file for the next
    if (!trj_tool_provenance(err)) return -1;
    if (check && orb_request_is_given(&request))
        return trj_fail(err, TRJ_USAGE, "--check computes nothing; leave out quantities, orbitals and lattices");
    if ((check || request.points) && (output.options.to || output.options.level || output.options.no_nstart))
        return trj_fail(err, TRJ_USAGE,
                        "--%s prints text; leave out --to, --compress and --no-nstart, which apply to maps",
                        check ? "check" : "points");
    if (json && !check) return trj_fail(err, TRJ_USAGE, "--json applies to --check; leave it out");
    if (count > 1 && !each && !check)
        return trj_fail(err, TRJ_USAGE, "%d files; add --each for a map of each of them, or give one", count);
    return check ? describe_all(r, paths, err) : compute_all(r, paths, err);
}

static void close_all(void *state) {
    struct run *r = state;
    orb_run_close(r->run);
    orb_output_close(&output);
    trj_output_close(r->out);
    trj_bytes_free(&r->report.text);
    trj_text_index_free(&r->note_index);
    trj_texts_clear(&r->notes);
    orb_series_close(r->series);
    free(r->positions.position);
    free(r->bohr);
}

int main(int argc, char **argv) {
    static struct run r;
    return work_start_end_process(trj_tool_main(&tool, argc, argv, run, close_all, &r));
}
