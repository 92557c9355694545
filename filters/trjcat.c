// SPDX-License-Identifier: MIT
// trjcat: reads trajectories and writes one frame stream, or a trajectory of another format.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decimal.h"
#include "format_table.h"
#include "group_split.h"
#include "merge.h"
#include "output.h"
#include "periodic_choices.h"
#include "reader.h"
#include "stop_request.h"
#include "tool.h"
#include "writer.h"

static struct trj_merge_options merge_options = {.precision = NAN, .step_ps = NAN};
static const char *repeated = "keep", *to_name, *output_path;
static bool list_formats, live;
static uint64_t level = TRJ_OPTION_ABSENT, decimals, threads;

enum { OVERLAP_MAX = 1000000000 };
enum { ROUNDED_LEVEL = 6 }; // level of compression with --precision

static const struct trj_option options[] = {
    {.heading = "Input",
     TRJ_OPTION(0, "format", TEXT, &merge_options.format, "NAME", "read all inputs as this format; do not detect it")},
    {TRJ_OPTION(0, "follow", FLAG, &merge_options.follow, NULL,
                "wait for more frames at the end of the last FILE, which another program is writing, until Ctrl-C")},
    {TRJ_OPTION(0, "formats", PRINT, &list_formats, NULL, "print the table of formats and exit")},
    {TRJ_OPTION('t', "topology", TEXT, &merge_options.topology, "FILE",
                "read names, types, residues and bonds from FILE: PSF, PRMTOP, TPR or GROMACS top, LAMMPS data, MOL2, "
                "PDB, GRO, ...")},
    {TRJ_OPTION(0, "define", LIST, &merge_options.defines, "NAME[=VALUE]",
                "define this macro in the GROMACS top file given with --topology, as -D in the mdp file does")},
    {TRJ_OPTION(0, "include", LIST, &merge_options.includes, "FOLDER",
                "look in FOLDER for files that the GROMACS top file includes, before GMXLIB and GMXDATA")},
    {TRJ_OPTION(0, "atom-style", TEXT, &merge_options.atom_style, "STYLE",
                "read LAMMPS data given with --topology in this atom style, not in that which the file names: full, "
                "charge, ...")},
    {.heading = "Atoms",
     TRJ_OPTION('g', "group", LIST, &merge_options.groups, "NAME=SELECTION",
                "define a group of atoms, also as @FILE:GROUP of an index file; atoms in no group are left out")},
    {TRJ_OPTION(
         0, "by", CHOICE, &merge_options.by, "WHAT",
         "split each group, or all atoms if there is no --group, into one group per element, type or residue name"),
     .choices = trj_group_splits},
    {TRJ_OPTION(
        0, "carry", TEXT, &merge_options.carry, "PROPERTIES",
        "write these properties of the atoms, which the topology contains, into the frame stream: charge, mass, "
        "radius, sigma, epsilon, bfactor, occupancy, name, resname, resid, segid, element; radius=bondi: by element; "
        "and of each frame velocity and image (image flags), which the trajectory contains")},
    {TRJ_OPTION(0, "parameters", LIST, &merge_options.parameters, "FILE",
                "read sigma and epsilon of the atom types of a PSF from this CHARMM parameter file")},
    {TRJ_OPTION(
        0, "open", TEXT, &merge_options.open, "ATOMS",
        "read frames with different numbers of atoms, and evaluate the groups in each frame; ATOMS: the largest "
        "number, or auto, which reads the files twice")},
    {.heading = "Frames",
     TRJ_OPTION('f', "frames", TEXT, &merge_options.frames, "START:STOP:STEP",
                "select frames, counted from 0 over all inputs; STOP is excluded; -1 is the last frame")},
    {TRJ_OPTION(0, "time", TEXT, &merge_options.time, "FROM:TO",
                "select frames with times from FROM to TO in ps, both included")},
    {TRJ_OPTION(
        0, "dt", REAL, &merge_options.step_ps, "PS",
        "set the time of each frame to its step, multiplied by PS, for files without times or with wrong ones")},
    {TRJ_OPTION(0, "segment", TEXT, &merge_options.segment, "K/N[/L]",
                "select the K-th of N equal shares of the frames, in multiples of L")},
    {TRJ_OPTION(0, "overlap", COUNT, &merge_options.overlap, "FRAMES",
                "add the first FRAMES of the next segments to that of --segment, for trjcorr --sums"),
     .min = 1, .max = OVERLAP_MAX},
    {TRJ_OPTION(0, "repeated", CHOICE, &repeated, "WHAT",
                "keep or drop frames that are not later than an earlier frame, as after a restart"),
     .choices = trj_repeated_choices},
    {TRJ_OPTION(0, "salvage", FLAG, &merge_options.salvage, NULL,
                "drop and report damaged parts of frame streams; the status is 3 if there are any")},
    {.heading = "Cell",
     TRJ_OPTION('c', "cell", TEXT, &merge_options.cell, "A,B,C[,ALPHA,BETA,GAMMA]",
                "replace all cells; lengths in Angstrom, angles in degrees")},
    {TRJ_OPTION('P', "periodic", CHOICE, &merge_options.periodic, "DIRECTIONS",
                "treat only these cell vectors as periodic (default: those of the input)"),
     .choices = trj_periodic_choices},
    {.table = trj_mover_option_table, .value = &merge_options.move},
    {.heading = "Output",
     TRJ_OPTION(
         'z', "compress", COUNT, &level, "LEVEL",
         "compress the frame stream without loss, from 1 (fast) to 19 (small); 0: write float32 coordinates only "
         "(default: float32, but coordinates from XTC files stay packed)"),
     .max = 19},
    {TRJ_OPTION(0, "zstd", COUNT, &level, "LEVEL", "former name of --compress"), .max = 19},
    {TRJ_OPTION(
        0, "precision", REAL, &merge_options.precision, "P",
        "round coordinates, each by at most P Angstrom, and compress the frame stream (default: do not round)")},
    {TRJ_OPTION(0, "to", CHOICE, &to_name, "FORMAT",
                "write this format (default: that of the ending of --output, or else a frame stream)"),
     .choices_of = trj_writer_choices},
    {TRJ_OPTION(0, "decimals", COUNT, &decimals, "N",
                "write coordinates with N decimals: in nm for xtc and gro (default: 3), in Angstrom for xyz and mmcif "
                "(default: all required)"),
     .max = TRJ_FIXED_DECIMALS_MAX},
    {TRJ_OPTION('j', "threads", COUNT, &threads, "N",
                "decode with N threads and compress with N more; 0: all cores that the process may use (default)"),
     .max = 4096},
    TRJ_OPTION_OUTPUT(&output_path, "write to FILE instead of standard output"),
    TRJ_OPTION_DIGEST,
    TRJ_OPTION_END,
};

static bool to_stdout(void) {
    return trj_output_is_stdout(output_path) && !list_formats &&
           (!to_name || !strcmp(to_name, trj_writer_formats[0]->name));
}

static const struct trj_tool tool = {
    .name = "trjcat",
    .purpose = "Reads trajectories (--formats lists the formats; - is standard input; imd://HOST:PORT a running "
               "simulation) and writes their frames as one frame stream, or --to another format.",
    .operands = "FILE...",
    .min_operands = 1,
    .max_operands = SIZE_MAX,
    .options = options,
    .to_stdout = to_stdout,
    .stream = &trj_frame_stream_kind,
};

struct job {
    struct trj_merge *merge;
    const struct trj_writer_format *to;
    struct trj_output *out;
    struct trj_writer *writer;
};

static bool is_stream(const struct trj_writer_format *format) {
    return format == trj_writer_formats[0];
}

// Checks an option that applies to frame streams only.
static int check_option(const struct job *j, bool given, const char *name, struct trj_error *err) {
    if (!given || is_stream(j->to)) return 0;
    return trj_fail(err, TRJ_USAGE, "--%s applies to frame streams, not to %s; leave it out", name, j->to->name);
}

static int choose_format(struct job *j, struct trj_error *err) {
    if (merge_options.step_ps <= 0)
        return trj_fail(err, TRJ_USAGE, "--dt: %g ps; give a positive time", merge_options.step_ps);
    if (merge_options.precision <= 0)
        return trj_fail(err, TRJ_USAGE, "--precision: %g Å; give a positive length", merge_options.precision);
    if (trj_writer_choose(&j->to, to_name, output_path, err) ||
        check_option(j, merge_options.precision > 0, "precision", err) ||
        check_option(j, trj_merge_carries_properties(j->merge) && !j->to->properties, "carry", err) ||
        check_option(j, level, "compress", err))
        return -1;
    if (decimals && !j->to->decimals)
        return trj_fail(err, TRJ_USAGE, "--decimals: the number of decimals cannot be chosen in %s; leave it out",
                        j->to->name);
    return 0;
}

static int begin(void *arg, struct trj_merge *m, struct trj_error *err) {
    struct job *j = arg;
    struct trj_stream_header *h = trj_merge_header(m);
    if (trj_stream_header_add_lines(h, trj_tool_provenance(err), err)) return -1;
    if (h->member_words && !is_stream(j->to) && !h->open_system)
        return trj_fail(err, TRJ_USAGE, "dynamic groups cannot be stored in %s; write a frame stream (--to trjf)",
                        j->to->name);
    const struct trj_writer_setup setup = {.header = h,
                                           .top = trj_merge_topology(m),
                                           .row = trj_merge_rows(m),
                                           .level = (int)level,
                                           .threads = (unsigned)threads,
                                           .decimals = (unsigned)decimals,
                                           .live = live};
    return trj_writer_open(&j->writer, j->to, j->out, &setup, err);
}

static int write_frame(void *arg, struct trj_frame *f, struct trj_error *err) {
    const struct job *j = arg;
    if (trj_merge_header(j->merge)->open_system && !is_stream(j->to)) {
        f->atoms = trj_merge_present(j->merge);
        trj_writer_set_names(j->writer, trj_merge_topology(j->merge), trj_merge_rows(j->merge));
    }
    return trj_writer_write(j->writer, f, err);
}

static int flush(void *arg, struct trj_error *err) {
    struct trj_writer *w = ((struct job *)arg)->writer;
    return w ? trj_writer_flush(w, err) : 0;
}

static int run(void *state, char **operands, int count, struct trj_error *err) {
    struct job *j = state;
    struct trj_merge_sink sink = {.begin = begin,
                                  .write = write_frame,
                                  .flush = flush,
                                  .arg = j,
                                  .note = trj_tool_print_line_of,
                                  .progress = trj_tool_progress_estimated};
    if (list_formats) return trj_formats_print(!count && !output_path, err);
    bool may_pack = level == TRJ_OPTION_ABSENT;
    if (may_pack) level = merge_options.precision > 0 ? ROUNDED_LEVEL : 0;
    merge_options.drop_repeated = !strcmp(repeated, "drop");
    merge_options.threads = (unsigned)threads;
    if (trj_merge_open(&j->merge, &merge_options, err)) return -1;
    if (choose_format(j, err)) return -1;
    if (!trj_tool_provenance(err)) return -1;
    if (trj_output_open(&j->out, output_path, j->to->kind, err)) return -1;
    if (trj_writer_check(j->to, j->out, err)) return -1;
    live = trj_merge_is_live(&merge_options, operands, count);
    if (live) trj_stop_on_signals();
    sink.stream = is_stream(j->to);
    sink.names = j->to->names;
    sink.motion = j->to->motion;
    // A file must not contain damaged coordinates; the program that reads a pipe finds them itself.
    if (sink.stream && may_pack) sink.keep = trj_output_can_patch(j->out) ? TRJ_KEEP_CHECKED : TRJ_KEEP_UNCHECKED;
    if (trj_merge_inputs(j->merge, operands, count, &sink, err) || trj_writer_finish(j->writer, err) ||
        trj_output_commit(j->out, err))
        return -1;
    trj_merge_note_repeated(j->merge);
    if (*j->writer->note) trj_tool_message("note: %s", j->writer->note);
    return trj_merge_check_losses(j->merge, err);
}

static void close_all(void *state) {
    struct job *j = state;
    trj_writer_close(j->writer);
    trj_output_close(j->out);
    trj_merge_close(j->merge);
    free(merge_options.groups.texts);
    free(merge_options.parameters.texts);
    free(merge_options.defines.texts);
    free(merge_options.includes.texts);
}

int main(int argc, char **argv) {
    static struct job j;
    return trj_tool_main(&tool, argc, argv, run, close_all, &j);
}
