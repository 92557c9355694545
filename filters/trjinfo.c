// SPDX-License-Identifier: MIT
// trjinfo: describes trajectories, topologies and streams.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "foreign_format.h"
#include "format_table.h"
#include "frame_stream.h"
#include "hist_report.h"
#include "hist_stream.h"
#include "map_format.h"
#include "memory.h"
#include "output.h"
#include "reader.h"
#include "report.h"
#include "tool.h"
#include "topology.h"
#include "topology_report.h"
#include "trajectory_report.h"
#include "unpack.h"

enum { QUICK_BYTES = 64 << 20 }; // read without --check of a file without random access to frames

static const char *format_name, *topology_path, *output_path;
static struct trj_topology_options topology_options;
static bool check, json, names, open_system, list_formats;

static const struct trj_option options[] = {
    {.heading = "Contents",
     TRJ_OPTION('c', "check", FLAG, &check, NULL, "read and check the whole file (default: as little as necessary)")},
    {TRJ_OPTION('j', "json", FLAG, &json, NULL, "print JSON instead of a table")},
    {TRJ_OPTION(
        0, "names", FLAG, &names, NULL,
        "list all names, types, residues, segments, chains and elements of topologies, with their numbers of atoms")},
    {TRJ_OPTION(0, "formats", PRINT, &list_formats, NULL, "print the table of formats and exit")},
    {.heading = "Input",
     TRJ_OPTION(0, "format", TEXT, &format_name, "NAME",
                "read all inputs as trajectories of this format (trjcat --formats); do not detect it")},
    {TRJ_OPTION(0, "open", FLAG, &open_system, NULL,
                "allow the number of atoms to change from frame to frame, as trjcat --open does")},
    {TRJ_OPTION('t', "topology", TEXT, &topology_path, "FILE",
                "check that the trajectories have as many atoms as this topology")},
    {TRJ_OPTION(0, "atom-style", TEXT, &topology_options.atom_style, "STYLE",
                "read LAMMPS data files in this atom style, not in that which they name: full, charge, ...")},
    {TRJ_OPTION(0, "define", LIST, &topology_options.defines, "NAME[=VALUE]",
                "define this macro in GROMACS top files, as -D in the mdp file does")},
    {TRJ_OPTION(0, "include", LIST, &topology_options.includes, "FOLDER",
                "look in FOLDER for files that GROMACS top files include, before GMXLIB and GMXDATA")},
    TRJ_OPTION_OUTPUT(&output_path, "write to FILE instead of standard output"),
    TRJ_OPTION_END,
};

static const struct trj_tool tool = {
    .name = "trjinfo",
    .purpose = "Describes trajectories, topologies, frame streams and histogram streams (- is standard input).",
    .operands = "FILE...",
    .min_operands = 1,
    .max_operands = SIZE_MAX,
    .options = options,
};

// The content of one file.
struct content {
    const char *path;
    struct trj_findings found; // without a reader if the file is not a trajectory
    struct trj_topology *top;
    bool histogram;
    struct rdf_hist_lags lags;
};

static int read_histogram(struct content *s, struct trj_input *in, struct trj_error *err) {
    s->histogram = true;
    int rc = rdf_hist_lags_read(&s->lags, in, err);
    if (rc) trj_fail_at(err, "%s", trj_input_name(in));
    trj_input_close(in);
    return rc;
}

// Whether to read the next frame. With random access two frames and the last one suffice without --check.
static bool reads_next(const struct trj_findings *s) {
    uint64_t size, offset = trj_input_offset(s->reader->in);
    if (check) return true;
    if (s->reader->can_seek) return s->reader->next < 2;
    return offset < QUICK_BYTES || (trj_input_size(s->reader->in, &size) && offset >= size);
}

static uint64_t expected_frames(const struct trj_findings *s) {
    uint64_t size, offset = trj_input_offset(s->reader->in);
    if (!trj_input_size(s->reader->in, &size) || !offset) return 0;
    return (uint64_t)((double)s->reader->next * (double)size / (double)offset + 0.5);
}

// Checks a cell as trjcat does.
static int check_cell(const struct trj_findings *s, struct trj_error *err) {
    struct trj_cell cell = s->frame.cell;
    if (!trj_cell_restrict(&cell, TRJ_PERIODIC_ALL, err)) return 0;
    trj_error_set_remedy(err, "give the cell with trjcat --cell, or remove it with trjcat -P none");
    return trj_fail_at(err, "%s: frame %llu", trj_input_name(s->reader->in), (unsigned long long)s->reader->next - 1);
}

static int read_last(struct trj_findings *s, uint64_t frame, struct trj_error *err) {
    int got = trj_reader_seek(s->reader, frame, err);
    if (got > 0) got = trj_reader_read(s->reader, &s->frame, err);
    if (got > 0 && check_cell(s, err)) return -1;
    if (got > 0) trj_frame_statistics_add(&s->statistics, &s->frame, frame);
    return got;
}

static int read_frames(struct trj_findings *s, struct trj_error *err) {
    struct trj_reader *r = s->reader;
    int got = 1;
    while (reads_next(s) && (got = trj_reader_read(r, &s->frame, err)) > 0) {
        if (check_cell(s, err)) return -1;
        trj_findings_add(s);
        trj_tool_progress_estimated("frames", r->next, expected_frames(s));
    }
    s->frames = r->next;
    s->counted = s->read = !got;
    if (got > 0 && !r->can_seek) s->estimate = expected_frames(s);
    if (got > 0 && r->can_seek) {
        uint64_t frames, seen = r->next;
        s->counted = !trj_reader_count(r, &frames, err);
        got = s->counted ? 1 : -1;
        if (frames > seen) s->frames = frames;
        if (got > 0 && frames > seen) got = read_last(s, frames - 1, err);
    }
    if (got >= 0 && !s->frames)
        return trj_fail(err, TRJ_BAD_DATA, "%s: contains no frames; create the file again", trj_input_name(r->in));
    return got < 0 ? -1 : 0;
}

static int read_trajectory(struct trj_findings *s, const struct trj_topology *top, struct trj_error *err) {
    const struct trj_reader *r = s->reader;
    const struct trj_stream_header *h = r->header;
    if (h && !(s->spans = trj_alloc(h->group_count, sizeof *s->spans, "groups", err))) return -1;
    if (read_frames(s, err)) return -1;
    size_t atoms = h ? h->source_atoms : r->atoms;
    if (top && atoms != top->atoms)
        return trj_fail(err, TRJ_BAD_DATA,
                        "%s: %zu atoms, but the topology %s has %zu; give one of the same atoms with -t",
                        trj_input_name(r->in), atoms, topology_path, top->atoms);
    return 0;
}

// Returns what a file is whose first bytes are of no trajectory and of no topology; NULL: the readers report it.
static const char *why_neither(struct trj_input *in, const unsigned char *head, size_t n) {
    const char *why = trj_map_format_of(head, n, in) ? "is a map; describe it with mapinfo" : trj_foreign_text(head, n);
    if (why || trj_topology_is_named(in) || trj_compression_name(head, n)) return why;
    return "is neither a trajectory nor a topology that can be read; trjinfo --formats lists the formats";
}

// Reads a file as a trajectory, a topology or both, as its first bytes require; if these belong to no format, as the
// ending of its name requires.
static int read_file(struct content *s, const struct trj_format *format, const struct trj_topology *top,
                     struct trj_error *err) {
    struct trj_input *in = NULL;
    struct trj_error also = {.status = TRJ_OK};
    const unsigned char *head;
    size_t n;
    uint64_t bytes;
    if (names) return trj_topology_open_with(&s->top, s->path, &topology_options, err);
    bool std = !strcmp(s->path, "-");
    int twice = trj_input_is_file(s->path, &bytes, err); // can be opened twice
    if (twice < 0) return -1;
    off_t start = std && twice ? lseek(STDIN_FILENO, 0, SEEK_CUR) : 0;
    if (trj_input_open(&in, s->path, err)) return -1;
    if (trj_topology_peek_head(in, &head, &n, err)) {
        trj_fail_at(err, "%s", trj_input_name(in));
        trj_input_close(in);
        return -1;
    }
    if (!format && rdf_hist_is(head, n)) return read_histogram(s, in, err);
    bool topology = !format && trj_topology_is(head, n);
    bool trajectory = format || !n || trj_format_detects(head, n) || trj_foreign_format(head, n) ||
                      (!topology && trj_format_is_named(in));
    topology = topology && !(open_system && trajectory); // names would be those of one frame
    const char *neither = topology || trajectory ? NULL : why_neither(in, head, n);
    if (neither) {
        trj_fail(err, TRJ_BAD_DATA, "%s: %s", trj_input_name(in), neither);
        trj_input_close(in);
        return -1;
    }
    topology = topology || (!trajectory && trj_topology_is_named(in)); // its reader reports the invalid line
    if (topology && !trajectory) return trj_topology_open_input(&s->top, in, &topology_options, err);
    if (topology && !twice && trj_topology_open_first(&s->top, in, &topology_options, &also, err)) {
        trj_input_close(in);
        return -1;
    }
    bool bad = topology && !twice && !s->top && also.status != TRJ_USAGE;
    s->found.open_system = open_system;
    int rc = trj_reader_open_comparing(&s->found.reader, in, format, top ? top->atoms : 0,
                                       open_system ? TRJ_OPEN_SYSTEM : TRJ_COMPARE_NAMES, err);
    if (!rc) rc = read_trajectory(&s->found, top, err);
    if (!rc && bad) *err = also;
    if (trajectory ? !topology : !rc) return rc;
    if (!twice) return bad ? -1 : rc;
    if (std && lseek(STDIN_FILENO, start, SEEK_SET) < 0) return rc;
    if (!trj_topology_open_with(&s->top, s->path, &topology_options, &also)) return trajectory ? rc : 0;
    if ((rc || also.status == TRJ_USAGE) && trajectory) return rc; // its format allows that it has no topology
    *err = also;
    return -1;
}

// Adds a file to the report. `damage` is the error in it; NULL: none.
static int put_content(struct trj_report *f, const struct content *s, const struct trj_error *damage,
                       struct trj_error *err) {
    const char *holds[3];
    size_t n = 0;
    if (s->found.reader) holds[n++] = "trajectory";
    if (s->top) holds[n++] = "topology";
    if (s->histogram) holds[n++] = "histograms";
    trj_report_begin_file(f);
    trj_report_text(f, "file", s->path);
    trj_report_words(f, "holds", holds, n);
    if (s->found.reader && trj_trajectory_report(f, &s->found, err)) return -1;
    if (s->top && names && trj_topology_names(f, s->top, err)) return -1;
    if (s->top && !names && trj_topology_report(f, s->top, !s->found.reader, err)) return -1;
    if (s->histogram) rdf_hist_report(f, &s->lags);
    // Topologies and histograms are always read completely.
    trj_report_check(f, !s->found.reader || s->found.read, damage);
    trj_report_end_file(f);
    return 0;
}

static void content_free(struct content *s) {
    trj_reader_close(s->found.reader);
    trj_topology_close(s->top);
    trj_frame_free(&s->found.frame);
    rdf_hist_lags_free(&s->lags);
    free(s->found.spans);
}

// Reads a file and adds it to the report. If the file is invalid, prints the error and sets *status; this is not a
// failure of the function.
static int report_file(struct trj_report *f, const struct trj_output *out, const char *path,
                       const struct trj_format *format, const struct trj_topology *top, int *status,
                       struct trj_error *err) {
    struct trj_error damage;
    struct content s = {.path = path};
    bool damaged = read_file(&s, format, top, &damage);
    trj_tool_progress_end();
    if (damaged && trj_report_is_output(path, out)) {
        *err = damage;
        content_free(&s);
        return -1;
    }
    if (damaged) {
        int code = trj_tool_fail(&damage);
        if (code > *status) *status = code;
    }
    int rc = put_content(f, &s, damaged ? &damage : NULL, err);
    content_free(&s);
    return rc;
}

struct job {
    struct trj_report report;
    struct trj_output *out;
    struct trj_topology *top;
};

static int run(void *state, char **operands, int count, struct trj_error *err) {
    struct job *j = state;
    struct trj_report *f = &j->report;
    const struct trj_format *format = NULL;
    int status = 0;
    const bool alone = !count && !output_path && !check && !json && !names && !format_name && !topology_path;
    if (list_formats) return trj_formats_print(alone && !open_system, err);
    f->json = json;
    if (names && (check || format_name || topology_path || open_system))
        return trj_fail(err, TRJ_USAGE,
                        "--names reads topologies only; leave out --check, --format, --open and --topology");
    if (open_system && topology_path)
        return trj_fail(err, TRJ_USAGE, "--open, --topology: the number of atoms in a topology is fixed; give one");
    if (format_name && !(format = trj_format_named(format_name, err))) return trj_fail_at(err, "--format");
    if (topology_path && trj_topology_open_with(&j->top, topology_path, &topology_options, err)) return -1;
    if (trj_output_open(&j->out, output_path, TRJ_OUTPUT_TEXT, err)) return -1;
    for (int i = 0; i < count; i++)
        if (report_file(f, j->out, operands[i], format, j->top, &status, err) ||
            trj_report_write(f, j->out, i + 1 == count, err))
            return -1;
    return trj_report_commit(f, j->out, err) ? -1 : status;
}

static void close_all(void *state) {
    struct job *j = state;
    trj_output_close(j->out);
    trj_topology_close(j->top);
    trj_bytes_free(&j->report.text);
    free(topology_options.defines.texts);
    free(topology_options.includes.texts);
}

int main(int argc, char **argv) {
    static struct job j;
    return trj_tool_main(&tool, argc, argv, run, close_all, &j);
}
