// SPDX-License-Identifier: MIT
// trjcat: trajectory files in, one frame stream out, or a trajectory file of another format.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cell.h"
#include "decimal.h"
#include "frame_filter.h"
#include "frame_stream.h"
#include "group_split.h"
#include "grouping.h"
#include "memory.h"
#include "output.h"
#include "reader.h"
#include "repeated_frames.h"
#include "stray_topology.h"
#include "tool.h"
#include "topology.h"
#include "writer.h"

static const struct trj_choice periodicities[] = {
    {"none", "no direction"},
    {"x", "the first cell vector"},
    {"y", "the second"},
    {"z", "the third"},
    {"xy", "a slab"},
    {"xz", "a slab"},
    {"yz", "a slab"},
    {"xyz", "all three"},
    {NULL, NULL},
};

static const struct trj_choice formats[] = {
    {"trjf", "a frame stream"},        {"dcd", "CHARMM, NAMD, VMD"},
    {"xtc", "GROMACS, rounded"},       {"nc", "NetCDF of Amber"},
    {"xyz", "extended XYZ"},           {"gro", "GROMACS, text"},
    {"pdb", "a model for each frame"}, {NULL, NULL},
};

static const struct trj_choice repeated_choices[] = {
    {"keep", "like any others, with a note"},
    {"drop", "leave them out"},
    {NULL, NULL},
};

static const char *topology_path, *frames_text, *time_text, *segment_text, *repeated = "keep", *cell_text,
                                                                           *periodic_text, *output_path;
static struct trj_text_list groups;
static const char *format_name, *to_name, *by;
static const char *atom_style;
static bool list_formats, several; // inputs
static uint64_t level, decimals, threads;

static const struct trj_option options[] = {
    {.name = "format",
     .kind = TRJ_OPTION_TEXT,
     .value = &format_name,
     .arg = "NAME",
     .help = "all inputs are of this format, whatever they look like"},
    {.name = "formats", .kind = TRJ_OPTION_PRINT, .value = &list_formats, .help = "list the formats that can be read"},
    {.letter = 't',
     .name = "topology",
     .kind = TRJ_OPTION_TEXT,
     .value = &topology_path,
     .arg = "FILE",
     .help = "who the atoms are: PSF, PRMTOP, TPR, LAMMPS data, MOL2, PDB, GRO, ..."},
    {.name = "atom-style",
     .kind = TRJ_OPTION_TEXT,
     .value = &atom_style,
     .arg = "STYLE",
     .help = "the atom style of LAMMPS data given with --topology, if the file does not name it: full, charge, ..."},
    {.letter = 'g',
     .name = "group",
     .kind = TRJ_OPTION_LIST,
     .value = &groups,
     .arg = "NAME=SELECTION",
     .help = "a group of atoms, also @FILE:GROUP of an index file; only atoms of some group travel"},
    {.name = "by",
     .kind = TRJ_OPTION_CHOICE,
     .value = &by,
     .arg = "WHAT",
     .help = "split each group, or without --group all atoms, into one for each element, type or name of residue",
     .choices = trj_group_splits},
    {.letter = 'f',
     .name = "frames",
     .kind = TRJ_OPTION_TEXT,
     .value = &frames_text,
     .arg = "START:STOP:STEP",
     .help = "only these frames of all inputs together, from 0, or -1 from the end, without STOP"},
    {.name = "time",
     .kind = TRJ_OPTION_TEXT,
     .value = &time_text,
     .arg = "FROM:TO",
     .help = "only frames of these times in ps, both included"},
    {.name = "segment",
     .kind = TRJ_OPTION_TEXT,
     .value = &segment_text,
     .arg = "K/N",
     .help = "only the K-th of N equal shares of the frames"},
    {.name = "repeated",
     .kind = TRJ_OPTION_CHOICE,
     .value = &repeated,
     .arg = "WHAT",
     .help = "frames whose step and time do not lie behind those before, as at restarts",
     .choices = repeated_choices},
    {.letter = 'c',
     .name = "cell",
     .kind = TRJ_OPTION_TEXT,
     .value = &cell_text,
     .arg = "A,B,C[,ALPHA,BETA,GAMMA]",
     .help = "cell in Angstrom and degrees instead of what the files say"},
    {.letter = 'P',
     .name = "periodic",
     .kind = TRJ_OPTION_CHOICE,
     .value = &periodic_text,
     .arg = "DIRECTIONS",
     .help = "the cell vectors that are periods, where not all are",
     .choices = periodicities},
    {.letter = 'z',
     .name = "zstd",
     .kind = TRJ_OPTION_COUNT,
     .value = &level,
     .arg = "LEVEL",
     .help = "compress with zstd, 1 (fast) to 19 (small); 0: not at all",
     .max = 19},
    {.name = "to",
     .kind = TRJ_OPTION_CHOICE,
     .value = &to_name,
     .arg = "FORMAT",
     .help = "write this format; without it the one that the ending of --output names, or a frame stream",
     .choices = formats},
    {.name = "decimals",
     .kind = TRJ_OPTION_COUNT,
     .value = &decimals,
     .arg = "N",
     .help =
         "decimals of coordinates: in nm for xtc and gro (3 without this), in Angstrom for xyz (as many as are needed)",
     .max = TRJ_DECIMALS},
    {.letter = 'j',
     .name = "threads",
     .kind = TRJ_OPTION_COUNT,
     .value = &threads,
     .arg = "N",
     .help = "threads that decode, and as many that compress; 0: as many as the process may use",
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
    .purpose = "Reads trajectories (--formats lists what they may be; - is standard input) and writes them as one "
               "frame stream, or --to another format.",
    .operands = "FILE...",
    .min_operands = 0, // for --formats
    .max_operands = SIZE_MAX,
    .options = options,
    .to_stdout = to_stdout,
    .stream = &trj_frame_stream_kind,
};

struct job {
    struct trj_frame_filter wanted;
    struct trj_repeated_frames repeats; // of the frames that are wanted
    struct trj_cell cell;               // with --cell
    bool have_cell;
    unsigned periodic;               // with --periodic
    struct trj_topology *top;        // --topology, or of the first input
    const struct trj_format *format; // with --format
    const struct trj_writer_format *to;
    struct trj_output *out;
    struct trj_stream_header header;
    struct trj_grouping *grouping; // of the first input. NULL: frames of a stream, as they are
    struct further {               // what a further input has, with the atoms that it tells of itself
        struct trj_topology *top;
        struct trj_stream_header header;
        struct trj_grouping *grouping;
    } further;
    const struct trj_grouping *now; // of the input that is read
    struct trj_topology *told; // what it tells itself, if that is asked for: NULL where that failed, as `untold` says
    struct trj_error untold;
    bool labelled; // what that tells of its atoms is used
    struct trj_writer *writer;
    struct trj_frame read, picked;
    struct trj_stray_topology stray;
    uint64_t written;           // frames
    uint64_t bytes, bytes_past; // of all inputs (0: not known), of those that are done
    char **provenance;
};

// ".trjf, .dcd, .xtc"
static const char *written_endings(char *text, size_t room) {
    size_t at = 0;
    for (const struct trj_writer_format *const *f = trj_writer_formats; *f && at < room; f++)
        at += (size_t)snprintf(text + at, room - at, "%s%s", f == trj_writer_formats ? "" : ", ", (*f)->endings[0]);
    return text;
}

// A file is of the format that its name promises: anything else would be a trap for whoever reads it.
static int choose_format(struct job *j, struct trj_error *err) {
    char endings[128];
    const struct trj_writer_format *named = output_path ? trj_writer_by_ending(output_path) : NULL;
    j->to = to_name ? trj_writer_named(to_name) : named ? named : trj_writer_formats[0];
    if (named && named != j->to)
        return trj_fail(err, TRJ_USAGE,
                        "--output %s: the ending is that of %s, but --to is %s; leave --to out, or change the ending",
                        output_path, named->name, j->to->name);
    if (output_path && trj_writer_packed_name(output_path))
        return trj_fail(
            err, TRJ_USAGE,
            "--output %s: compressed files are not written; --zstd compresses the blocks of a frame stream (.trjf)",
            output_path);
    if (output_path && !named && (trj_format_has_name(output_path) || trj_topology_has_name(output_path)))
        return trj_fail(err, TRJ_USAGE, "--output %s: unknown ending; use one of %s", output_path,
                        written_endings(endings, sizeof endings));
    if (level && j->to != trj_writer_formats[0])
        return trj_fail(err, TRJ_USAGE, "--zstd applies to frame streams, not to %s; leave it out", j->to->name);
    if (decimals && !j->to->decimals)
        return trj_fail(err, TRJ_USAGE, "--decimals: the number of decimals cannot be chosen in %s; leave it out",
                        j->to->name);
    return 0;
}

static bool drops(void) {
    return !strcmp(repeated, "drop");
}

static int parse_options(struct job *j, struct trj_error *err) {
    trj_repeated_frames_start(&j->repeats);
    j->periodic = TRJ_PERIODIC_ALL;
    if (format_name && !(j->format = trj_format_named(format_name, err))) return trj_fail_at(err, "--format");
    if (trj_frame_filter_parse(&j->wanted, frames_text, time_text, segment_text, err)) return -1;
    if (drops() && segment_text)
        return trj_fail(err, TRJ_USAGE,
                        "--repeated drop and --segment: frames are compared with all before them, also of other "
                        "segments; leave one of them out");
    if (cell_text && trj_cell_parse(&j->cell, cell_text, err)) return trj_fail_at(err, "--cell");
    j->have_cell = cell_text;
    if (periodic_text) {
        j->periodic = 0;
        for (unsigned k = 0; k < 3; k++) j->periodic |= strchr(periodic_text, "xyz"[k]) ? 1u << k : 0;
        if (!strcmp(periodic_text, "none")) j->periodic = 0;
    }
    const struct trj_topology_options stated = {.atom_style = atom_style};
    if (topology_path && trj_topology_open_with(&j->top, topology_path, &stated, err)) return -1;
    if (atom_style && (!topology_path || strcmp(j->top->format, "LAMMPS data")))
        return trj_fail(err, TRJ_USAGE, "--atom-style: applies to a LAMMPS data file only; give one with --topology");
    return choose_format(j, err);
}

static int no_fit(size_t atoms, const struct trj_topology *top, struct trj_error *err) {
    return trj_fail(err, TRJ_BAD_DATA, "%zu atoms, but the topology %s has %zu; give one of the same atoms with -t",
                    atoms, topology_path ? topology_path : "in it", top->atoms);
}

// The header this input would give, into an empty one; *grouping NULL where its frames are passed on as they are.
static int input_header(const struct job *j, const struct trj_reader *r, const struct trj_topology *top,
                        struct trj_stream_header *h, struct trj_grouping **grouping, struct trj_error *err) {
    const struct trj_stream_header *own = r->header;
    *grouping = NULL;
    // Other formats take the names of atoms of it, or their number alone, which has to be the same.
    if (own && top && !groups.count && !by && j->to == trj_writer_formats[0])
        return trj_fail(err, TRJ_USAGE,
                        "is a frame stream, which has its own groups; add --group or --by, or leave --topology out");
    if (own && !groups.count && !by) return trj_grouping_copy(h, own, err);
    if (own && (own->atoms != own->source_atoms || own->centres))
        return trj_fail(
            err, TRJ_USAGE,
            "contains %zu of the %zu atoms of its trajectory; select groups where trjcat reads the trajectory itself",
            own->atoms - own->centres, own->source_atoms);
    if (top && top->atoms != r->atoms) return no_fit(r->atoms, top, err);
    const struct trj_grouping_options wish = {groups.texts, groups.count, by, several && !topology_path};
    return trj_grouping_make(grouping, h, r->atoms, &wish, top, own, err);
}

// What changes from frame to frame, and where centres are, is found by what this input tells of its atoms.
static int take_further_header(struct job *j, const struct trj_reader *r, const struct trj_topology *top,
                               struct trj_error *err) {
    struct further *f = &j->further;
    if (input_header(j, r, top, &f->header, &f->grouping, err)) return -1;
    j->now = f->grouping;
    if (trj_grouping_compare(&j->header, j->grouping, &f->header, f->grouping, err)) return -1;
    if (j->to == trj_writer_formats[0]) return trj_grouping_compare_elements(&j->header, &f->header, err);
    if (!j->to->names || !f->top) return 0;
    const uint32_t *rows = j->now ? trj_grouping_rows(j->now) : NULL;
    size_t i = trj_topology_differ(j->top, f->top, rows, j->header.atoms);
    if (i == j->header.atoms) return 0;
    return trj_fail(err, TRJ_BAD_DATA,
                    "atom %zu (counted from 0) differs from that of the first input, whose names are written; give the "
                    "names with -t",
                    rows ? rows[i] : i);
}

static void close_further(struct further *f) {
    trj_grouping_free(f->grouping);
    trj_stream_header_free(&f->header);
    trj_topology_close(f->top);
    *f = (struct further){.top = NULL};
}

// The first input settles the header of the output, further ones must have the same.
static int take_header(struct job *j, const struct trj_reader *r, const struct trj_topology *top,
                       struct trj_error *err) {
    if (j->writer) return take_further_header(j, r, top, err);
    if (input_header(j, r, top, &j->header, &j->grouping, err)) return -1;
    j->now = j->grouping;
    for (size_t i = 0; r->header && i < r->header->provenance_count; i++)
        if (trj_stream_header_add_provenance(&j->header, r->header->provenance[i], err)) return -1;
    for (char **line = j->provenance; *line; line++)
        if (trj_stream_header_add_provenance(&j->header, *line, err)) return -1;
    const uint32_t *rows = j->grouping ? trj_grouping_rows(j->grouping) : NULL;
    bool fits = !top || rows || top->atoms == j->header.atoms;
    if (!fits && j->header.atoms == j->header.source_atoms) return no_fit(j->header.atoms, top, err);
    if (!fits)
        return trj_fail(err, TRJ_BAD_DATA,
                        "contains %zu of %zu atoms, without their numbers, and the topology %s has %zu; give it where "
                        "trjcat reads the trajectory",
                        j->header.atoms, j->header.source_atoms, topology_path, top->atoms);
    if (j->header.member_words && j->to != trj_writer_formats[0])
        return trj_fail(err, TRJ_USAGE, "dynamic groups cannot be stored in %s; write a frame stream (--to trjf)",
                        j->to->name);
    return trj_writer_open(
        &j->writer, j->to, j->out,
        &(struct trj_writer_setup){&j->header, top, rows, (int)level, (unsigned)threads, (unsigned)decimals}, err);
}

// Whether anything of what an input tells of its atoms goes where it would be wrong if they changed.
static bool uses_labels(const struct job *j) {
    const struct trj_stream_header *h = j->further.top ? &j->further.header : &j->header;
    bool stream = j->to == trj_writer_formats[0];
    return by || j->to->names || (j->now && trj_grouping_uses_topology(j->now)) ||
           (stream && (h->element || h->residue || h->molecule || h->bond));
}

static bool uses(const char *const words[3]) {
    if (by && !strcmp(by, words[0])) return true;
    for (size_t i = 0; i < groups.count; i++)
        for (size_t k = 0; k < 3 && words[k]; k++)
            if (strstr(groups.texts[i], words[k])) return true;
    return false;
}

static void note_guesses(const struct trj_topology *top, const char *file) {
    const struct {
        const char *words[3], *from, *what;
    } guesses[] = {{{"element", "hydrogen", "heavy"}, top->element_from, "elements"},
                   {{"mass", "com"}, top->mass_from, "masses"}};
    for (size_t k = 0; k < sizeof guesses / sizeof *guesses; k++)
        if (guesses[k].from && uses(guesses[k].words))
            trj_tool_message("%s: note: %s are guessed from %s%s", file, guesses[k].what, guesses[k].from,
                             guesses[k].from == top->ambiguous ? "; a topology with elements or masses (-t) avoids this"
                                                               : "");
}

// Whether a trajectory of that format is asked to tell itself who its atoms are.
static bool tells(const struct job *j, const struct trj_format *format) {
    return !topology_path && (groups.count || by || j->to->names) && format->topology;
}

static bool is_topology(const char *path) {
    struct stat a, b;
    return topology_path && !stat(topology_path, &a) &&
           !(strcmp(path, "-") ? stat(path, &b) : fstat(STDIN_FILENO, &b)) && a.st_dev == b.st_dev &&
           a.st_ino == b.st_ino;
}

// What it tells itself is read first, as a pipe cannot be read twice. What is wrong with it is said when a frame could be read: the reader
// may know better.
static int open_input(struct job *j, struct trj_reader **r, const char *path, struct trj_error *err) {
    static const char *const charge[3] = {"charge"};
    struct trj_input *in = NULL;
    if (trj_input_open(&in, path, err)) return -1;
    const struct trj_format *format = j->format ? j->format : trj_format_of(in, err);
    bool itself = format && tells(j, format), told = itself || is_topology(path);
    unsigned compare = !told ? TRJ_COMPARE_NOTHING : uses(charge) ? TRJ_COMPARE_CHARGES : TRJ_COMPARE_NAMES;
    trj_topology_close(j->told);
    j->told = NULL;
    if (itself && trj_topology_open_first(&j->told, in, &(struct trj_topology_options){.format = format->topology},
                                          &j->untold, err)) {
        trj_input_close(in);
        return -1;
    }
    if (cell_text) compare |= TRJ_CELL_GIVEN;
    return trj_reader_open_comparing(r, in, j->format, topology_path ? j->top->atoms : 0, compare, err);
}

// The header, from who the atoms are: --topology, or what the trajectory tells itself.
static int begin_input(struct job *j, struct trj_reader *r, struct trj_error *err) {
    bool itself = tells(j, r->format), first = !j->writer;
    close_further(&j->further);
    if (itself && !j->told) {
        *err = j->untold;
        return -1;
    }
    if (itself) *(first ? &j->top : &j->further.top) = j->told;
    const struct trj_topology *top = itself ? j->told : topology_path ? j->top : NULL;
    j->told = NULL;
    int rc = take_header(j, r, top, err);
    if (rc) trj_fail_at(err, "%s", trj_input_name(r->in));
    if (!rc && first && top) note_guesses(top, itself ? trj_input_name(r->in) : topology_path);
    if (!rc && first && j->grouping && trj_grouping_note(j->grouping))
        trj_tool_message("note: %s", trj_grouping_note(j->grouping));
    j->labelled = !rc && r->compares_names && top && uses_labels(j);
    return rc;
}

// What was asked of the first frame has to hold for this one, too.
static int check_labels(const struct job *j, const struct trj_reader *r, struct trj_error *err) {
    if (!j->labelled || !*r->difference) return 0;
    return trj_fail(
        err, TRJ_BAD_DATA,
        "%s: this trajectory's names and types are used, so they must stay the same; give the topology with -t",
        r->difference);
}

static int write_frame(struct job *j, struct trj_frame *f, struct trj_error *err) {
    if (j->have_cell) f->cell = j->cell;
    if (periodic_text && (f->cell.periodic & j->periodic) != j->periodic)
        return trj_fail(err, TRJ_BAD_DATA,
                        "is not periodic along all of %s in the input; give the cell with --cell, or other directions "
                        "with --periodic",
                        periodic_text);
    if (trj_cell_restrict(&f->cell, j->periodic, err))
        return trj_fail_remedy(err, "give the cell with --cell, or remove it with -P none");
    if (!j->now || !trj_grouping_needs_whole_frame(j->now)) return trj_writer_write(j->writer, f, err);
    return trj_grouping_apply(j->now, f, &j->picked, err) ? -1 : trj_writer_write(j->writer, &j->picked, err);
}

// Frames of an own stream name their sources by that stream's numbers; `base` is where those begin in ours.
static int give_source(struct job *j, const struct trj_reader *r, struct trj_frame *f, size_t base,
                       struct trj_error *err) {
    size_t known = j->header.source_count - base;
    for (size_t i = known; r->header && i < r->header->source_count; i++)
        if (trj_stream_header_add_source(&j->header, r->header->sources[i].name, r->header->sources[i].fingerprint,
                                         err))
            return -1;
    if (!r->header && !known && trj_stream_header_add_source(&j->header, trj_input_name(r->in), r->fingerprint, err))
        return -1;
    f->source = (uint32_t)base + (r->header ? f->source : 0);
    return 0;
}

static void note_cell(const struct job *j, const struct trj_reader *r) {
    if (r->note && (r->note_stays || !j->have_cell)) trj_tool_message("%s: note: %s", trj_input_name(r->in), r->note);
    if (!j->now && (j->header.member_words || j->header.centres) && (cell_text || periodic_text))
        trj_tool_message(
            "%s: note: dynamic groups and centres were found with the cells of this stream, not with the new ones",
            trj_input_name(r->in));
}

static void note_end(const struct trj_reader *r) {
    if (r->maybe_truncated)
        trj_tool_message("%s: note: ends without a newline; if it is truncated, its last number lacks digits",
                         trj_input_name(r->in));
}

static void note_frames(const struct trj_reader *r) {
    if (r->empty)
        trj_tool_message("%s: note: %llu frames without positions are skipped", trj_input_name(r->in),
                         (unsigned long long)r->empty);
    if (r->header_frames && r->header_frames != r->next)
        trj_tool_message("%s: note: header gives %llu frames, file contains %llu", trj_input_name(r->in),
                         (unsigned long long)r->header_frames, (unsigned long long)r->next);
}

static void add_up_bytes(struct job *j, char **paths, int count) {
    for (int i = 0; i < count; i++) {
        uint64_t bytes;
        if (!trj_input_is_file(paths[i], &bytes)) {
            j->bytes = 0;
            return;
        }
        j->bytes += bytes;
    }
}

// At the end. Where no frame lies behind another one, steps and times tell nothing.
static int check_repeats(const struct job *j, struct trj_error *err) {
    if (j->repeats.count && !j->repeats.advances && drops())
        return trj_fail(err, TRJ_BAD_DATA,
                        "--repeated drop: steps and times of the %llu frames do not advance, so that repeated ones "
                        "cannot be found; leave it out",
                        (unsigned long long)j->repeats.count + 1);
    return 0;
}

// Whether the frame is wanted, as far as those before tell.
static int look_for_repeat(struct job *j, bool *wanted, struct trj_error *err) {
    bool again = trj_repeated_frames_add(&j->repeats, &j->read);
    if (drops() && j->repeats.blind)
        return trj_fail(err, TRJ_BAD_DATA, "has neither step nor time, which --repeated drop compares; leave it out");
    *wanted = !(again && drops());
    return 0;
}

static void note_repeats(const struct job *j) {
    if (j->repeats.count && j->repeats.advances)
        trj_tool_message("note: %llu frames are not later than an earlier frame, as after a restart: %s",
                         (unsigned long long)j->repeats.count,
                         drops() ? "left out" : "kept (--repeated drop leaves them out)");
    else if (j->repeats.count)
        trj_tool_message("note: steps and times of the frames do not advance");
}

// How many frames there will be, for the progress: as many a byte as so far. 0: not known.
static uint64_t expected(const struct job *j, const struct trj_reader *r) {
    const struct trj_range *range = &j->wanted.range;
    uint64_t stop = range->stop, passed = j->bytes_past + r->offset;
    if (stop == UINT64_MAX) {
        if (!j->bytes || !passed) return 0;
        stop = (uint64_t)((double)j->wanted.position * (double)j->bytes / (double)passed + 0.5);
    }
    uint64_t n = stop > range->start ? (stop - range->start + range->step - 1) / range->step : 0;
    return n > j->written ? n : j->written;
}

// The first frame that is wanted: before that nothing shows that the atoms which the file tells of are there. Those that are wanted behind
// it are read ahead, and of all only the atoms that travel. 1, 0, -1.
static int read_first(struct job *j, struct trj_reader *r, struct trj_error *err) {
    const struct trj_range *range = &j->wanted.range;
    int got = trj_frame_filter_first(&j->wanted, r, &j->read, err);
    if (got <= 0) return got;
    if (begin_input(j, r, err)) return -1;
    const uint32_t *rows = j->now && !trj_grouping_needs_whole_frame(j->now) ? trj_grouping_rows(j->now) : NULL;
    if (rows) {
        trj_frame_pick(&j->read, rows, j->header.atoms);
        if (trj_reader_pick(r, rows, j->header.atoms, err)) return -1;
    }
    uint64_t behind = range->stop - j->wanted.position; // frames up to the end of the range
    return trj_reader_read_ahead(r, (unsigned)threads, range->step, behind / range->step, err) ? -1 : 1;
}

static void note_stray_topology(struct job *j, const struct trj_reader *r, const char *path, bool ended,
                                uint64_t used) {
    const char *file = trj_stray_topology_check(&j->stray, r, path, ended, used);
    if (file)
        trj_tool_message("%s: note: its one frame is read as part of the trajectory; to use it only for atom names, %s",
                         file, topology_path ? "leave it out: -t gives them" : "give it with -t");
}

static int copy_input(struct job *j, const char *path, struct trj_error *err) {
    struct trj_reader *r = NULL;
    int rc = open_input(j, &r, path, err);
    uint64_t before = j->wanted.position, written = j->written;
    size_t base = j->header.source_count;
    bool over = false; // the rest is of no interest
    if (!rc) note_stray_topology(j, r, path, false, 0);
    for (bool first = true; !rc && trj_frame_filter_more(&j->wanted); first = false) {
        uint64_t from = r->next;
        int got = first ? read_first(j, r, err) : trj_reader_read(r, &j->read, err);
        if (!first) j->wanted.position += r->next - from;
        if (got <= 0) {
            rc = got;
            break;
        }
        int place;
        bool told = !trj_frame_filter_time(&j->wanted, &j->read, &place, err), wanted = false;
        if ((over = told && place > 0)) break;
        if (told && !place) told = !look_for_repeat(j, &wanted, err);
        if (wanted && give_source(j, r, &j->read, base, err)) rc = -1;
        if (!told || (wanted && !rc && (check_labels(j, r, err) || write_frame(j, &j->read, err))))
            rc = err->status == TRJ_BAD_DATA
                     ? trj_fail_at(err, "%s: frame %llu", trj_input_name(r->in), (unsigned long long)(r->next - 1))
                     : -1;
        j->written += wanted;
        trj_tool_progress("frames", j->written, expected(j, r));
    }
    if (!rc && !r->next)
        rc = trj_fail(err, TRJ_BAD_DATA, "%s: contains no frames; create the file again", trj_input_name(r->in));
    if (!rc && !over && trj_frame_filter_more(&j->wanted)) note_frames(r);
    if (r) j->bytes_past += r->offset;
    if (!rc) note_stray_topology(j, r, path, !over && trj_frame_filter_more(&j->wanted), j->written - written);
    if (!rc) note_cell(j, r);
    if (!rc) note_end(r);
    if (rc) trj_frame_filter_suggest(&j->wanted, before, err);
    trj_reader_close(r);
    return rc;
}

static int print_formats(struct trj_error *err) {
    for (const struct trj_format *const *f = trj_formats; *f; f++)
        if (!(*f)->lacks) printf("%s\t%s\n", (*f)->name, (*f)->help);
    return fflush(stdout) || ferror(stdout) ? trj_fail_errno(err, "stdout") : 0;
}

static int run(struct job *j, int argc, char **argv, int first, struct trj_error *err) {
    if (list_formats) return print_formats(err);
    if (first == argc)
        return trj_fail(err, TRJ_USAGE, "no input named; usage: %s [OPTION]... %s", tool.name, tool.operands);
    if (parse_options(j, err) || !(j->provenance = trj_tool_provenance(&tool, argc, argv, err)) ||
        trj_output_open(&j->out, output_path, j->to->kind, err) || trj_writer_check(j->to, j->out, err))
        return -1;
    j->wanted.cell_given = j->have_cell;
    if (trj_frame_filter_resolve(&j->wanted, argv + first, argc - first, j->format, topology_path ? j->top->atoms : 0,
                                 err))
        return -1;
    add_up_bytes(j, argv + first, argc - first);
    several = argc - first > 1;
    for (int i = first; i < argc && trj_frame_filter_more(&j->wanted); i++)
        if (copy_input(j, argv[i], err)) return -1;
    if (!j->written)
        return trj_fail(err, TRJ_BAD_DATA,
                        "no frames: none of the %llu frames read or skipped is selected; change --frames or --time",
                        (unsigned long long)j->wanted.position);
    if (j->wanted.range.stop != UINT64_MAX && trj_frame_filter_more(&j->wanted))
        trj_tool_message("note: frames up to %llu were requested, the input contains %llu",
                         (unsigned long long)j->wanted.range.stop, (unsigned long long)j->wanted.position);
    if (check_repeats(j, err) || trj_writer_finish(j->writer, err) || trj_output_commit(j->out, err)) return -1;
    note_repeats(j);
    if (*j->writer->note) trj_tool_message("note: %s", j->writer->note);
    return 0;
}

int main(int argc, char **argv) {
    struct trj_error err;
    struct job j = {.out = NULL};
    int first, rc;
    trj_tool_start(&tool);
    rc = trj_tool_parse(&tool, argc, argv, &first, &err);
    if (rc > 0) rc = run(&j, argc, argv, first, &err);
    trj_tool_progress_end();
    trj_writer_close(j.writer);
    trj_output_close(j.out);
    trj_stream_header_free(&j.header);
    trj_topology_close(j.top);
    trj_topology_close(j.told);
    trj_frame_free(&j.read);
    trj_frame_free(&j.picked);
    trj_grouping_free(j.grouping);
    close_further(&j.further);
    trj_text_array_free(j.provenance);
    free(groups.texts);
    return rc < 0 ? trj_tool_fail(&err) : 0;
}
