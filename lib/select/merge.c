// SPDX-License-Identifier: MIT
// Reads inputs one after the other as one series of frames, and applies everything that changes frames.
#include "merge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cell_basis.h"
#include "charmm_parameters.h"
#include "coincident_atoms.h"
#include "connection.h"
#include "file_argument.h"
#include "memory.h"
#include "merge_parts.h"
#include "number.h"
#include "stop_request.h"
#include "unwrap.h"

const struct trj_choice trj_repeated_choices[] = {
    {"keep", "keep them, and report their number in a note"},
    {"drop", "leave them out"},
    {NULL, NULL},
};

bool trj_merge_carries_properties(const struct trj_merge *m) {
    return trj_carry_has_properties(&m->carry);
}

static int apply_open(struct trj_merge *m, struct trj_error *err) {
    uint64_t limit;
    if (trj_merge_check_open(&m->options, err)) return -1;
    if (!strcmp(m->options.open, "auto")) return 0;
    if (!trj_parse_u64(m->options.open, &limit) || !limit || limit > UINT32_MAX)
        return trj_fail(err, TRJ_USAGE,
                        "--open: invalid value '%s'; give auto, or the largest number of atoms in a frame",
                        m->options.open);
    m->open_limit = (size_t)limit;
    return 0;
}

// Image flags count the cells of the input.
static int check_motion_options(const struct trj_merge *m, struct trj_error *err) {
    const struct trj_merge_options *q = &m->options;
    if (!(m->carry.motion & TRJ_HAS_IMAGE) || !(q->cell || q->periodic)) return 0;
    return trj_fail(err, TRJ_USAGE, "--carry image and --%s: image flags count the cells of the input; leave %s out",
                    q->cell ? "cell" : "periodic", q->cell ? "--cell" : "--periodic");
}

static int apply_options(struct trj_merge *m, struct trj_error *err) {
    const struct trj_merge_options *options = &m->options;
    if (options->salvage && (options->frames || options->time || options->segment))
        return trj_fail(err, TRJ_USAGE,
                        "--salvage writes all frames that are left; select frames from its output with another trjcat");
    if (options->follow && options->salvage)
        return trj_fail(err, TRJ_USAGE,
                        "--follow and --salvage: a file that is still written cannot be salvaged; leave one of them "
                        "out");
    if (options->open && apply_open(m, err)) return -1;
    if (options->segment && options->move.fit && !trj_file_argument_after_selection(options->move.fit))
        return trj_fail(
            err, TRJ_USAGE,
            "--fit and --segment: each segment would have its own first frame as reference; give one for all "
            "segments: --fit SELECTION:FILE");
    if (trj_carry_parse(&m->carry, options->carry, err) || check_motion_options(m, err) ||
        trj_merge_check_unwrap(m, err))
        return -1;
    const struct trj_topology_options stated = {.properties = trj_carry_has_properties(&m->carry) ||
                                                              trj_merge_uses_values(options),
                                                .atom_style = options->atom_style,
                                                .defines = options->defines,
                                                .includes = options->includes};
    if (options->format && !(m->format = trj_format_named(options->format, err))) return trj_fail_at(err, "--format");
    if (options->overlap && !options->segment)
        return trj_fail(err, TRJ_USAGE, "--overlap: frames after a segment follow from --segment K/N; add it");
    if (trj_frame_filter_parse(&m->filter, options->frames, options->time, options->segment, err)) return -1;
    m->filter.overlap = options->overlap;
    if (options->drop_repeated && options->segment)
        return trj_fail(err, TRJ_USAGE,
                        "--repeated drop and --segment: frames are compared with all before them, also of other "
                        "segments; leave one of them out");
    if (options->cell && trj_cell_parse(&m->cell, options->cell, err)) return trj_fail_at(err, "--cell");
    m->filter.compare = trj_merge_cell_given(options) | (options->open ? TRJ_OPEN_SYSTEM : 0u);
    m->periodic = options->periodic ? trj_periodic_parse(options->periodic) : TRJ_PERIODIC_ALL;
    if (options->topology && trj_topology_open_with(&m->top, options->topology, &stated, err)) return -1;
    if (options->atom_style && (!options->topology || strcmp(m->top->format, "LAMMPS data")))
        return trj_fail(err, TRJ_USAGE, "--atom-style: applies to a LAMMPS data file only; give one with --topology");
    if ((options->defines.count || options->includes.count) &&
        (!options->topology || strcmp(m->top->format, "GROMACS top")))
        return trj_fail(err, TRJ_USAGE, "--%s: applies to a GROMACS top file only; give one with --topology",
                        options->defines.count ? "define" : "include");
    if (!options->parameters.count) return 0;
    if (!trj_carry_requests(&m->carry, "sigma") && !trj_carry_requests(&m->carry, "epsilon"))
        return trj_fail(err, TRJ_USAGE,
                        "--parameters: gives only sigma and epsilon; add --carry sigma,epsilon, or leave "
                        "it out");
    if (!options->topology)
        return trj_fail(err, TRJ_USAGE, "--parameters: requires a PSF file; give it with --topology");
    return trj_charmm_parameters(m->top, options->parameters.texts, options->parameters.count, err);
}

int trj_merge_open(struct trj_merge **result, const struct trj_merge_options *options, struct trj_error *err) {
    struct trj_merge *m = trj_alloc(1, sizeof *m, "inputs", err);
    if (!m) return -1;
    m->options = *options;
    m->rounding.bound = options->precision; // NaN: coordinates are not rounded
    trj_repeated_frames_start(&m->repeats);
    if (apply_options(m, err)) {
        trj_merge_close(m);
        return -1;
    }
    *result = m;
    return 0;
}

void trj_merge_close(struct trj_merge *m) {
    if (!m) return;
    trj_reader_close(m->reader);
    trj_mover_close(m->mover);
    trj_repeated_frames_free(&m->repeats);
    trj_merge_close_headers(m);
    trj_frame_free(&m->frame);
    trj_frame_free(&m->grouped);
    free(m);
}

// Replaces or restricts the cell of a frame as requested.
static int set_cell(const struct trj_merge *m, struct trj_frame *f, struct trj_error *err) {
    if (m->adds_cell) f->cell = m->topology_cell;
    if (m->options.cell) f->cell = m->cell;
    if (m->options.periodic && (f->cell.periodic & m->periodic) != m->periodic)
        return trj_fail(err, TRJ_BAD_DATA,
                        "is not periodic along all of %s in the input; give the cell with --cell, or other directions "
                        "with --periodic",
                        m->options.periodic);
    if (trj_cell_restrict(&f->cell, m->periodic, err)) {
        const double *h = f->cell.h[2];
        bool flat = h[0] == 0 && h[1] == 0 && h[2] == 0 && trj_cell_height(&f->cell, 2) == 0;
        return trj_fail_remedy(err,
                               flat ? "for a system in two dimensions, add -P xy, and count with rdfhist --metric xy; "
                                      "else give the cell with --cell, or remove it with -P none"
                                    : "give the cell with --cell, or remove it with -P none");
    }
    return 0;
}

// Sets the cell of a frame and moves its atoms, in the thread that decodes it. Frames at times that are not selected
// are not changed.
static int move_decoded(void *arg, struct trj_frame *f, struct trj_error *err) {
    struct trj_merge *m = arg;
    int order;
    if (trj_frame_filter_time(&m->filter, f, &order, err)) return -1;
    return order ? 0 : set_cell(m, f, err) || trj_mover_apply(m->mover, f, err) ? -1 : 0;
}

// Gives m->frame its cell, unless it was moved, and moves its atoms if the order of the frames matters; takes the atoms
// of the groups, and rounds the coordinates if that is requested. *to is set to the result.
static int finish_frame(struct trj_merge *m, struct trj_frame **to, struct trj_error *err) {
    struct trj_frame *f = &m->frame;
    bool sequential = m->mover && trj_mover_is_sequential(m->mover);
    if ((!m->mover || sequential) && set_cell(m, f, err)) return -1;
    if (sequential && trj_mover_apply(m->mover, f, err)) return -1;
    if (m->open) {
        if (trj_open_system_apply(m->open, m->reader, f, &m->grouped, err)) return -1;
        trj_merge_note_open(m, m->reader);
        f = &m->grouped;
    }
    if (m->current && trj_grouping_needs_whole_frame(m->current)) {
        if (trj_grouping_apply(m->current, f, &m->grouped, err)) return -1;
        f = &m->grouped;
    }
    if (m->rounding.bound > 0) trj_frame_round(&m->rounding, f);
    *to = f;
    return 0;
}

// Sets the source of a frame. Sources of a frame stream keep their order; the first of them gets number `base`.
static int set_source(struct trj_merge *m, const struct trj_reader *r, struct trj_frame *f, size_t base,
                      struct trj_error *err) {
    struct trj_stream_header *h = &m->header;
    size_t known = h->source_count - base;
    for (size_t i = known; r->header && i <= f->source; i++)
        if (trj_stream_header_add_source(h, r->header->sources[i].name, r->header->sources[i].fingerprint, err))
            return -1;
    if (!r->header && !known && trj_stream_header_add_source(h, trj_input_name(r->in), r->fingerprint, err)) return -1;
    f->source = (uint32_t)base + (r->header ? f->source : 0);
    return 0;
}

static void note_frames(const struct trj_merge *m, const struct trj_reader *r) {
    if (r->empty)
        trj_merge_note(m, "%s: note: %llu frames without positions are skipped", trj_input_name(r->in),
                       (unsigned long long)r->empty);
    if (r->header_frames && r->header_frames != r->next && !trj_input_is_live(r->in))
        trj_merge_note(m, "%s: note: header gives %llu frames, file contains %llu", trj_input_name(r->in),
                       (unsigned long long)r->header_frames, (unsigned long long)r->next);
}

static void note_stray_topology(struct trj_merge *m, const struct trj_reader *r, const char *path, bool ended,
                                uint64_t used) {
    const char *file = trj_stray_topology_check(&m->stray, r, path, ended, used);
    if (file)
        trj_merge_note(m,
                       "%s: note: its one frame is read as part of the trajectory; to use it only for atom names, %s",
                       file, m->options.topology ? "leave it out: -t gives them" : "give it with -t");
}

static void note_cell(const struct trj_merge *m, const struct trj_reader *r) {
    if (r->note && (r->note_stays || !m->options.cell))
        trj_merge_note(m, "%s: note: %s", trj_input_name(r->in), r->note);
    if (r->header && !m->current && (m->header.member_words || m->header.centres) &&
        (m->options.cell || m->options.periodic))
        trj_merge_note(
            m, "%s: note: dynamic groups and centres were found with the cells of this stream, not with the new ones",
            trj_input_name(r->in));
}

static void note_end(const struct trj_merge *m, const struct trj_reader *r) {
    if (r->maybe_truncated)
        trj_merge_note(m, "%s: note: ends without a newline; if it is truncated, its last number lacks digits",
                       trj_input_name(r->in));
}

// Finds identical successive frames, which repeat one another if they have neither step nor time. If only some atoms
// are read, these may be fixed.
static int compare_with_last(struct trj_merge *m, struct trj_error *err) {
    bool all = m->open || m->frame.atoms == m->reader->atoms;
    return all ? trj_repeated_frames_compare(&m->repeats, &m->frame, err) : 0;
}

// Sets *keep to whether a selected frame is written. A repeated one is dropped if that is requested.
static int check_repeat(struct trj_merge *m, bool *keep, struct trj_error *err) {
    bool again = trj_repeated_frames_add(&m->repeats, &m->frame), drop = m->options.drop_repeated;
    size_t input = (size_t)m->next_path - 1, later;
    if (drop && m->repeats.blind)
        return trj_fail(err, TRJ_BAD_DATA, "has neither step nor time, which --repeated drop compares; leave it out");
    *keep = !(again && drop);
    if (!drop) return compare_with_last(m, err);
    if (!again) return trj_repeated_frames_extend(&m->repeats, input, &m->frame, err);
    if (trj_repeated_frames_covers(&m->repeats, &m->frame, &later)) return 0;
    if (m->options.frames)
        return trj_fail(err, TRJ_BAD_DATA,
                        "--repeated drop: is before the selected frames of %s, and repeats none of them: it may repeat "
                        "one that --frames leaves out, which counts the frames of all inputs; select frames with "
                        "--time, or from the output with another trjcat",
                        m->paths[later]);
    if (later == input)
        return trj_fail(err, TRJ_BAD_DATA,
                        "--repeated drop: is before the first frame of its file, and repeats no frame of another one: "
                        "its frames are in the wrong order; write them in the order of time");
    return trj_fail(err, TRJ_BAD_DATA,
                    "--repeated drop: is before %s, and repeats no frame: the inputs are in the wrong order; give its "
                    "file first",
                    m->paths[later]);
}

// After the last frame. If no frame is later than another one, steps and times contain no information.
static int check_advance(const struct trj_merge *m, struct trj_error *err) {
    const struct trj_repeated_frames *r = &m->repeats;
    if (!r->count || r->advances || !m->options.drop_repeated) return 0;
    return trj_fail(err, TRJ_BAD_DATA,
                    "--repeated drop: steps and times of the %llu frames do not advance, so that repeated ones cannot "
                    "be found; leave it out",
                    (unsigned long long)r->count + 1);
}

void trj_merge_note_repeated(const struct trj_merge *m) {
    const struct trj_repeated_frames *r = &m->repeats;
    if (r->identical)
        trj_merge_note(m,
                       "note: %llu frames without step and time have the same coordinates as the frame before them; "
                       "select others with --frames if they repeat it",
                       (unsigned long long)r->identical);
    if (!r->count) return;
    if (r->advances)
        trj_merge_note(m, "note: %llu frame%s not later than an earlier frame, as after a restart: %s",
                       (unsigned long long)r->count, r->count == 1 ? " is" : "s are",
                       m->options.drop_repeated ? "left out" : "kept (--repeated drop leaves them out)");
    else
        trj_merge_note(m, "note: steps and times of the frames do not advance");
}

static uint64_t bytes_of(char *const *paths, int count) {
    uint64_t sum = 0, bytes;
    struct trj_error ignored;
    for (int i = 0; i < count; i++, sum += bytes)
        if (trj_input_is_file(paths[i], &bytes, &ignored) <= 0) return 0;
    return sum;
}

// Estimates the number of frames, for the progress, from the bytes of the frames so far. 0: unknown.
static uint64_t expected_frames(const struct trj_merge *m, const struct trj_reader *r) {
    const struct trj_range *range = &m->filter.range;
    uint64_t stop = range->stop, passed = m->bytes_done + r->offset;
    if (m->filter.timed) return 0;
    if (stop == UINT64_MAX) {
        if (!m->bytes || !passed) return 0;
        stop = (uint64_t)((double)m->filter.position * (double)m->bytes / (double)passed + 0.5);
    }
    uint64_t n = stop > range->start ? (stop - range->start + range->step - 1) / range->step : 0;
    return n > m->frames ? n : m->frames;
}

// Chooses whether frames keep their packed coordinates: not if coordinates are rounded, or needed to find centres or
// members of groups, and not if few atoms are written, whose floats take less space.
static enum trj_keep choose_keep(const struct trj_merge *m, const struct trj_reader *r) {
    const struct trj_stream_header *h = &m->header;
    size_t source_atoms = r->header ? r->header->source_atoms : r->atoms;
    bool packs = !(m->options.precision > 0) && trj_stream_may_pack(h) && source_atoms == h->source_atoms &&
                 !(m->current && trj_grouping_needs_whole_frame(m->current)) &&
                 m->frame.packed.bytes < 3 * sizeof(float) * h->atoms;
    return packs ? m->sink.keep : TRJ_KEEP_NOTHING;
}

// Adds the place of the last frame that was read to an error about its content. Returns -1.
static int fail_frame(const struct trj_merge *m, struct trj_error *err) {
    const struct trj_reader *r = m->reader;
    if (err->status == TRJ_BAD_DATA)
        trj_fail_at(err, "%s: frame %llu", trj_input_name(r->in), (unsigned long long)(r->next - 1));
    return -1;
}

// Reports atoms at one place, as in a PDB of a Monte Carlo program that writes the atoms of another box.
static void note_coincident(const struct trj_merge *m, const struct trj_reader *r) {
    double place[3];
    size_t count = trj_frame_coincident(&m->frame, place);
    if (count < TRJ_COINCIDENT_MIN || trj_merge_uses_values(&m->options)) return;
    trj_merge_note(
        m,
        "%s: note: frame %llu: %zu atoms are at one place, %g %g %g Angstrom; if they are not in the system, as "
        "atoms of another box of a Monte Carlo simulation, leave them out, in a PDB with a group such as -g "
        "'A=occupancy > 0'",
        trj_input_name(r->in), (unsigned long long)(r->next - 1), count, place[0], place[1], place[2]);
}

// Reads the first selected frame of an input: 1, 0, -1. The header is made after it, because only a frame shows that
// the atoms of the topology are in the file. Later frames are read ahead, with the atoms of groups alone where
// possible.
static int read_first(struct trj_merge *m, struct trj_reader *r, struct trj_error *err) {
    const struct trj_range *range = &m->filter.range;
    if (m->sink.keep) trj_reader_keep_packed(r, TRJ_KEEP_CHECKED);
    int got = trj_frame_filter_first(&m->filter, r, &m->frame, err);
    if (got <= 0) return got;
    if (trj_merge_begin_input(m, r, err)) return -1;
    note_coincident(m, r);
    // A mover needs all atoms, and itself drops those that are not in groups.
    const uint32_t *rows =
        m->current && !m->mover && !trj_grouping_needs_whole_frame(m->current) ? trj_grouping_rows(m->current) : NULL;
    if (rows) {
        trj_frame_pick(&m->frame, rows, m->header.atoms);
        if (trj_reader_pick(r, rows, m->header.atoms, err)) return -1;
    }
    enum trj_keep keep = choose_keep(m, r);
    trj_reader_keep_packed(r, keep);
    if (!keep) m->frame.packed.bytes = 0;
    bool parallel = m->mover && !trj_mover_is_sequential(m->mover);
    if (parallel && move_decoded(m, &m->frame, err)) return fail_frame(m, err);
    if (parallel) trj_reader_on_frame(r, move_decoded, m);
    uint64_t left = range->stop - m->filter.position; // frames up to the end of the range
    unsigned threads = m->open && !r->header ? 1 : m->options.threads;
    return trj_reader_read_ahead(r, threads, range->step, left / range->step, err) ? -1 : 1;
}

// Compares the frame in m->frame with the selected times, and sets *keep to whether it is returned. Returns 1; 0 if
// this and all later frames are after the last selected time; -1.
static int check_frame(struct trj_merge *m, bool *keep, struct trj_error *err) {
    int order;
    *keep = false;
    if (trj_frame_filter_time(&m->filter, &m->frame, &order, err)) return fail_frame(m, err);
    if (order > 0) return 0;
    return !order && check_repeat(m, keep, err) ? fail_frame(m, err) : 1;
}

// Reads the next selected frame of the open input: 1, 0 at its end or that of the range, -1. If the last selected time
// was passed, sets m->times_passed and returns 0.
static int read_frame(struct trj_merge *m, struct trj_frame **to, struct trj_error *err) {
    struct trj_reader *r = m->reader;
    for (bool keep = false; trj_frame_filter_more(&m->filter);) {
        uint64_t from = r->next;
        bool first = !m->input_began;
        int got = first ? read_first(m, r, err) : trj_reader_read(r, &m->frame, err);
        if (!first) m->filter.position += r->next - from;
        if (got <= 0) return got;
        m->input_began = true;
        int checked = check_frame(m, &keep, err);
        m->times_passed = !checked;
        if (checked <= 0) return checked;
        if (keep && set_source(m, r, &m->frame, m->first_source, err)) return -1;
        if (keep && (trj_merge_check_identity(m, r, err) || finish_frame(m, to, err))) return fail_frame(m, err);
        m->frames += keep;
        if (m->sink.progress) m->sink.progress("frames", m->frames, expected_frames(m, r));
        if (keep) return 1;
    }
    return 0;
}

// Opens the next input.
static int open_input(struct trj_merge *m, struct trj_error *err) {
    m->input_began = m->times_passed = false;
    m->first_source = m->header.source_count;
    m->frames_before = m->frames;
    m->position_before = m->filter.position;
    if (trj_merge_open_input(m, &m->reader, m->paths[m->next_path], err)) return -1;
    if (m->sink.flush) trj_reader_on_wait(m->reader, m->sink.flush, m->sink.arg);
    note_stray_topology(m, m->reader, m->paths[m->next_path++], false, 0);
    return 0;
}

static void note_loss(void *m, const char *text) {
    const struct trj_merge *merge = m;
    trj_merge_note(merge, "%s: %s", trj_input_name(merge->reader->in), text);
}

int trj_merge_check_losses(const struct trj_merge *m, struct trj_error *err) {
    const struct trj_losses *l = &m->losses;
    char frames[40] = "an unknown number of";
    if (m->interruption.status != TRJ_OK) {
        *err = m->interruption;
        trj_error_append(err, "; the output is complete and contains %llu frames", (unsigned long long)m->frames);
        return -1;
    }
    if (!l->any) return 0;
    if (!l->frames_unknown) snprintf(frames, sizeof frames, "%llu", (unsigned long long)l->frames);
    return trj_fail(
        err, TRJ_BAD_DATA,
        "input damaged: dropped %llu bytes in %llu part%s, and %s frames; the output is complete and contains "
        "the other %llu frames",
        (unsigned long long)l->bytes, (unsigned long long)l->parts, l->parts == 1 ? "" : "s", frames,
        (unsigned long long)m->frames);
}

// Closes the input after its last frame.
static int end_input(struct trj_merge *m, struct trj_error *err) {
    struct trj_reader *r = m->reader;
    m->bytes_done += r->offset;
    trj_reader_losses(r, note_loss, m, &m->losses);
    if (trj_input_check_interruption(r->in, &m->interruption) && !r->next) {
        *err = m->interruption;
        return -1;
    }
    if (!r->next && trj_stop_requested())
        return trj_fail(err, TRJ_BAD_DATA, "%s: stopped before the first frame", trj_input_name(r->in));
    if (!r->next)
        return trj_fail(err, TRJ_BAD_DATA, "%s: contains no frames; create the file again", trj_input_name(r->in));
    bool ended = !m->times_passed && trj_frame_filter_more(&m->filter);
    if (ended) note_frames(m, r);
    note_stray_topology(m, r, m->paths[m->next_path - 1], ended, m->frames - m->frames_before);
    note_cell(m, r);
    note_end(m, r);
    trj_reader_close(r);
    m->reader = NULL;
    return 0;
}

// Fails with TRJ_BAD_DATA if the inputs contained other frames in advance.
static int check_mean_cell(const struct trj_merge *m, struct trj_error *err) {
    if (!m->mean_frames || m->frames == m->mean_frames) return 0;
    return trj_fail(err, TRJ_BAD_DATA,
                    "--unwrap: the inputs had %llu frames when the mean cell was found, and have %llu now; wait until "
                    "they are complete, or select frames with --frames",
                    (unsigned long long)m->mean_frames, (unsigned long long)m->frames);
}

static int end_inputs(const struct trj_merge *m, struct trj_error *err) {
    if (!m->frames)
        return trj_fail(err, TRJ_BAD_DATA,
                        "no frames: none of the %llu frames read or skipped is selected; change --frames or --time",
                        (unsigned long long)m->filter.position);
    char note[TRJ_MOVER_NOTE] = "";
    if (m->mover) trj_mover_note(m->mover, note);
    if (*note) trj_merge_note(m, "note: %s", note);
    const char *empty = m->open ? trj_open_system_empty_group(m->open) : NULL;
    if (empty)
        trj_merge_note(m, "note: group %s has no member in any of the %llu frames", empty,
                       (unsigned long long)m->frames);
    if (m->filter.range.stop != UINT64_MAX && trj_frame_filter_more(&m->filter))
        trj_merge_note(m, "note: frames up to %llu were requested, the input contains %llu",
                       (unsigned long long)m->filter.range.stop, (unsigned long long)m->filter.position);
    return check_mean_cell(m, err) || check_advance(m, err) ? -1 : 0;
}

// Finds the largest number of atoms by reading the inputs in advance, each of which must be a file.
static int find_limit(struct trj_merge *m, struct trj_error *err) {
    if (trj_frame_filter_largest(&m->filter, m->paths, m->path_count, m->format, &m->open_limit, err)) return -1;
    if (!m->open_limit) m->open_limit = 1;
    return 0;
}

bool trj_merge_is_live(const struct trj_merge_options *options, char *const *paths, int count) {
    bool live = options->follow;
    for (int i = 0; i < count; i++) live = live || trj_connection_is(paths[i]);
    return live;
}

// Rejects options that require the end of an input, if the last input is live.
static int check_live(struct trj_merge *m, struct trj_error *err) {
    const struct trj_range *range = &m->filter.range;
    const char *last = m->paths[m->path_count - 1];
    if (!(m->live = trj_merge_is_live(&m->options, m->paths, m->path_count))) return 0;
    if (m->options.follow && (!strcmp(last, "-") || trj_connection_is(last)))
        return trj_fail(err, TRJ_USAGE, "--follow: %s is not a file, and is read until it ends; leave the option out",
                        !strcmp(last, "-") ? "standard input" : last);
    if (!range->start_from_end && !range->stop_from_end && !m->filter.segment.count &&
        (!m->options.open || m->open_limit))
        return 0;
    return trj_fail(err, TRJ_USAGE, "--%s: requires the number of frames in advance; %s",
                    m->filter.segment.count             ? "segment"
                    : m->options.open && !m->open_limit ? "open"
                                                        : "frames",
                    m->options.open && !m->open_limit && !m->filter.segment.count
                        ? "give the largest number of atoms, as --open 5000"
                        : "count frames from the first one");
}

static int begin_nothing(void *arg, struct trj_merge *m, struct trj_error *err) {
    (void)arg;
    (void)m;
    (void)err;
    return 0;
}

static void note_nothing(void *arg, const char *text) {
    (void)arg;
    (void)text;
}

// Adds the followed cells of all frames.
static int add_cells(struct trj_merge *m, struct trj_merge *ahead, struct trj_error *err) {
    // Coordinates need not be decoded.
    const struct trj_merge_sink sink = {.begin = begin_nothing, .note = note_nothing, .keep = TRJ_KEEP_UNCHECKED};
    struct trj_basis basis = {.rotates = false};
    struct trj_frame *f = NULL;
    int got;
    if (trj_merge_start(ahead, m->paths, m->path_count, &sink, err)) return -1;
    while ((got = trj_merge_read(ahead, &f, err)) > 0) {
        // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): trj_merge_read sets it if it returns 1
        struct trj_cell cell = f->cell;
        if (trj_basis_follow(&basis, &cell, err)) return trj_fail_at(err, "--unwrap");
        for (int k = 0; k < 9; k++) m->mean_cell[k / 3][k % 3] += cell.h[k / 3][k % 3];
        m->mean_frames++;
    }
    return got;
}

// If --unwrap needs the mean cell: reads all selected frames in advance, and sets m->mean_cell. Each input must be a
// file.
static int find_mean_cell(struct trj_merge *m, struct trj_error *err) {
    struct trj_merge_options cells = m->options;
    const char *way = m->options.move.unwrap;
    uint64_t bytes;
    if (!way || !trj_unwrap_needs_mean_cell(trj_unwrap_kind(way))) return 0;
    for (int i = -1; i < m->path_count; i++) {
        const char *path = i < 0 ? m->options.topology : m->paths[i];
        if (path && (m->live || !strcmp(path, "-") || trj_input_is_file(path, &bytes, err) <= 0))
            return trj_fail(err, TRJ_USAGE,
                            "--unwrap %s: %s is not a file, but is read twice, to find the mean cell first; give a "
                            "file, or use --unwrap toroidal",
                            way, path);
    }
    cells.carry = cells.by = NULL;
    cells.groups.count = cells.parameters.count = 0;
    cells.precision = 0;
    cells.move = (struct trj_mover_options){.whole = false};
    struct trj_merge *ahead = NULL;
    int rc = trj_merge_open(&ahead, &cells, err);
    if (!rc) rc = add_cells(m, ahead, err);
    trj_merge_close(ahead);
    for (int k = 0; k < 9 && !rc; k++) m->mean_cell[k / 3][k % 3] /= (double)m->mean_frames;
    return rc;
}

int trj_merge_start(struct trj_merge *m, char *const *paths, int count, const struct trj_merge_sink *sink,
                    struct trj_error *err) {
    m->sink = *sink;
    m->paths = paths;
    m->path_count = count;
    for (int k = 0; k < TRJ_MOTION_KINDS; k++)
        if (m->carry.motion & ~sink->motion & 1u << k)
            return trj_fail(err, TRJ_USAGE, "--carry %s: the output format cannot store %s; write a frame stream%s",
                            trj_motion_names[k], trj_motion_plurals[k],
                            k == TRJ_MOTION_VELOCITY ? ", NetCDF, XYZ, GRO, g96 or POSCAR" : "");
    if (check_live(m, err) ||
        trj_frame_filter_resolve(&m->filter, paths, count, m->format, m->options.topology ? m->top->atoms : 0, err))
        return -1;
    if (m->options.open && !m->open_limit && find_limit(m, err)) return -1;
    if (find_mean_cell(m, err)) return -1;
    m->bytes = m->live ? 0 : bytes_of(paths, count);
    return 0;
}

int trj_merge_read(struct trj_merge *m, struct trj_frame **f, struct trj_error *err) {
    for (;;) {
        if (!m->reader && (m->next_path == m->path_count || !trj_frame_filter_more(&m->filter)))
            return end_inputs(m, err);
        int got = m->reader ? 0 : open_input(m, err);
        if (!got) got = read_frame(m, f, err);
        if (!got) got = end_input(m, err);
        if (got < 0 && !m->live) trj_frame_filter_suggest(&m->filter, m->position_before, err);
        if (got) return got;
    }
}

int trj_merge_inputs(struct trj_merge *m, char *const *paths, int count, const struct trj_merge_sink *sink,
                     struct trj_error *err) {
    struct trj_frame *f = NULL;
    int got;
    if (trj_merge_start(m, paths, count, sink, err)) return -1;
    while ((got = trj_merge_read(m, &f, err)) > 0 && !sink->write(sink->arg, f, err)) continue;
    if (got <= 0) return got;
    fail_frame(m, err);
    if (!m->live) trj_frame_filter_suggest(&m->filter, m->position_before, err);
    return -1;
}

struct trj_stream_header *trj_merge_header(struct trj_merge *m) {
    return &m->header;
}

const struct trj_topology *trj_merge_topology(const struct trj_merge *m) {
    return m->open ? trj_open_system_topology(m->open) : m->top;
}
