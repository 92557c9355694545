// SPDX-License-Identifier: MIT
// Makes the header of each input and compares it with the first, because streams have one header only.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "element.h"
#include "follow.h"
#include "memory.h"
#include "merge_parts.h"

void trj_merge_note(const struct trj_merge *m, const char *format, ...) {
    char text[1200];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    m->sink.note(m->sink.arg, text);
}

static int fail_atoms(const struct trj_merge *m, size_t atoms, const struct trj_topology *top, struct trj_error *err) {
    return trj_fail(err, TRJ_BAD_DATA, "%zu atoms, but the topology %s has %zu; give one of the same atoms with -t",
                    atoms, m->options.topology ? m->options.topology : "in it", top->atoms);
}

static bool is_by_name(const char *from) {
    return from && !strncmp(from, "name", 4);
}

// Compares the elements of a frame stream with those of a topology, unless either were guessed from names.
static int compare_elements(const struct trj_stream_header *own, const struct trj_topology *top,
                            struct trj_error *err) {
    if (!own->element || !top->element.id || is_by_name(own->element_from) || is_by_name(top->element_from)) return 0;
    unsigned *element_of = trj_alloc(top->element.count, sizeof *element_of, "elements", err); // of each symbol
    if (!element_of) return -1;
    for (size_t i = 0; i < top->element.count; i++)
        element_of[i] = trj_element_find(top->element.text[i], strlen(top->element.text[i]));
    int rc = 0;
    for (size_t i = 0; i < own->atoms - own->centres && !rc; i++) {
        size_t row = own->number ? own->number[i] : i;
        unsigned a = own->element[i], b = row < top->atoms ? element_of[top->element.id[row]] : 0;
        if (a && b && a != b)
            rc = trj_fail(err, TRJ_BAD_DATA,
                          "atom %zu of its trajectory is %s, but %s in the topology; give a topology of the same atoms "
                          "with -t",
                          row, trj_elements[a].symbol, trj_elements[b].symbol);
    }
    free(element_of);
    return rc;
}

// Adds the properties of a frame stream that is passed on, and those that are requested. Without a topology, all values
// come from the stream.
static int carry_on(const struct trj_merge *m, const struct trj_topology *top, const struct trj_stream_header *own,
                    struct trj_stream_header *h, struct trj_error *err) {
    if (!top) return trj_carry_fill(h, &m->carry, NULL, NULL, own, NULL, NULL, err);
    if (top->atoms != own->source_atoms) return fail_atoms(m, own->source_atoms, top, err);
    if (!own->number && own->atoms - own->centres != own->source_atoms)
        return trj_fail(err, TRJ_BAD_DATA,
                        "contains only some atoms of its trajectory, and not their numbers; use --carry "
                        "where trjcat reads the trajectory");
    if (own->centres)
        return trj_fail(err, TRJ_USAGE, "contains centres; use --carry where trjcat reads the trajectory");
    if (compare_elements(own, top, err)) return -1;
    // Rows of the topology are atoms of the trajectory; properties of the stream itself already are those of stream
    // atoms.
    return trj_carry_fill(h, &m->carry, top, m->options.topology, NULL, own->number, NULL, err) ||
                   trj_carry_fill(h, &(struct trj_carry){.count = 0}, NULL, NULL, own, NULL, NULL, err)
               ? -1
               : 0;
}

// Makes the header of an input in a zeroed one.
static int make_header(const struct trj_merge *m, const struct trj_reader *r, const struct trj_topology *top,
                       struct trj_stream_header *h, struct trj_grouping **grouping, struct trj_error *err) {
    const struct trj_merge_options *q = &m->options;
    const struct trj_stream_header *own = r->header;
    bool grouped = q->groups.count || q->by;
    *grouping = NULL;
    // Other formats than a frame stream use a topology without groups, too: its names, or its number of atoms.
    if (own && top && !grouped && !trj_carry_has_properties(&m->carry) && m->sink.stream)
        return trj_fail(err, TRJ_USAGE,
                        "is a frame stream, which has its own groups; add --group or --by, or leave --topology out");
    if (own && !grouped) return trj_grouping_copy(h, own, err) || carry_on(m, top, own, h, err) ? -1 : 0;
    if (own && (own->atoms != own->source_atoms || own->centres))
        return trj_fail(
            err, TRJ_USAGE,
            "contains %zu of the %zu atoms of its trajectory; select groups where trjcat reads the trajectory itself",
            own->atoms - own->centres, own->source_atoms);
    if (top && top->atoms != r->atoms) return fail_atoms(m, r->atoms, top, err);
    if (own && top && compare_elements(own, top, err)) return -1;
    const struct trj_grouping_options options = {.groups = q->groups.texts,
                                                 .count = q->groups.count,
                                                 .by = q->by,
                                                 .own_topologies = m->path_count > 1 && !q->topology};
    if (trj_grouping_make(grouping, h, r->atoms, &options, top, own, err)) return -1;
    return trj_carry_fill(h, &m->carry, top, q->topology ? q->topology : trj_input_name(r->in), own,
                          trj_grouping_rows(*grouping), trj_grouping_centres(*grouping), err);
}

// Reports requested properties that are unknown for some atoms. Centres do not count: only charge and mass have sums.
static void note_unknown(const struct trj_merge *m, const char *file) {
    const struct trj_stream_header *h = &m->header;
    size_t atoms = h->atoms - h->centres;
    for (size_t k = 0; k < m->carry.count; k++) {
        const struct trj_property *p = trj_property_find(h, m->carry.item[k].what->name);
        size_t unknown = 0, first = 0;
        if (m->carry.item[k].optional) continue;
        for (size_t i = atoms; i-- > 0;)
            if (!trj_property_known(p, i)) first = i, unknown++;
        if (unknown)
            trj_merge_note(m, "%s: note: %s is unknown for %zu of %zu atoms, the first of which is atom %lu", file,
                           p->name, unknown, atoms, (unsigned long)(h->number ? h->number[first] : first));
    }
}

// Only a stream states which frames belong to the next segment, and a stream cannot be divided again.
static int check_segment(struct trj_merge *m, const struct trj_reader *r, struct trj_error *err) {
    if (r->header && r->header->segment.count)
        return trj_fail(err, TRJ_BAD_DATA,
                        "it contains frames of the next segment (trjcat --overlap); give it to trjcorr, and other "
                        "options to the trjcat that writes it");
    if (m->filter.part.count && !m->sink.stream)
        return trj_fail(err, TRJ_USAGE,
                        "--overlap: only a frame stream marks the frames of the next segment; write one, or leave it "
                        "out");
    m->header.segment = m->filter.part;
    return 0;
}

// Compares the precision of an input with the requested one, and with that of the output, which the first input gives.
static int check_precision(struct trj_merge *m, const struct trj_reader *r, struct trj_error *err) {
    double own = r->header ? r->header->precision : 0, *output = &m->header.precision;
    if (own > 0 && m->options.precision > 0)
        return trj_fail(err, TRJ_USAGE,
                        "its coordinates have already been rounded, to within %g Å; leave --precision out", own);
    if (!m->began) *output = own > 0 ? own : m->options.precision > 0 ? m->options.precision : 0;
    if (own <= *output) return 0;
    return trj_fail(
        err, TRJ_BAD_DATA,
        "its coordinates are rounded to within %g Å, those of the first input to within %g Å; give this input first",
        own, *output);
}

// Returns what every frame of an input has besides coordinates. Frames of other formats than a frame stream are checked
// by their reader.
static unsigned motion_of(const struct trj_merge *m, const struct trj_reader *r) {
    return r->header ? r->header->motion & m->sink.motion : m->carry.motion;
}

static int fail_no_motion(const struct trj_merge *m, unsigned lacks, struct trj_error *err) {
    int k = lacks & TRJ_HAS_VELOCITY ? TRJ_MOTION_VELOCITY : TRJ_MOTION_IMAGE;
    return trj_fail(err, m->began ? TRJ_BAD_DATA : TRJ_USAGE,
                    "the stream contains no %s%s; use --carry %s where trjcat reads the trajectory",
                    trj_motion_plurals[k], m->began ? ", but the first input does" : "", trj_motion_names[k]);
}

// Fills what the header states of velocities and image flags. Those of a frame stream are passed on. Image flags that
// nobody requests are dropped if they would be wrong.
static int begin_motion(struct trj_merge *m, const struct trj_reader *r, struct trj_error *err) {
    const struct trj_merge_options *q = &m->options;
    struct trj_stream_header *h = &m->header;
    unsigned motion = motion_of(m, r), centres = h->centres > (r->header ? r->header->centres : 0);
    if (m->carry.motion & ~motion) return fail_no_motion(m, m->carry.motion & ~motion, err);
    if (m->carry.motion & TRJ_HAS_IMAGE && centres)
        return trj_fail(err, TRJ_USAGE, "--carry image: centres of several atoms have no image flags; leave image out");
    bool drops = motion & TRJ_HAS_IMAGE && (q->cell || q->periodic || q->move.unwrap || centres);
    if (drops)
        trj_merge_note(m, "%s: note: image flags are left out, because %s", trj_input_name(r->in),
                       centres          ? "centres have none"
                       : q->move.unwrap ? "unwrapped positions have none"
                                        : "the cells that they count are replaced");
    h->motion = motion & ~(drops ? (unsigned)TRJ_HAS_IMAGE : 0u);
    for (int k = 0; k < TRJ_MOTION_KINDS; k++)
        if (h->motion >> k & 1) h->motion_source[k] = r->motion_source[k];
    return 0;
}

// Compares velocities and image flags of a further input with those of the first.
static int compare_motion(const struct trj_merge *m, const struct trj_reader *r, struct trj_error *err) {
    const struct trj_stream_header *h = &m->header;
    unsigned lacks = h->motion & ~motion_of(m, r);
    if (lacks) return fail_no_motion(m, lacks, err);
    for (int k = 0; k < TRJ_MOTION_KINDS; k++) {
        const struct trj_motion_source *a = &h->motion_source[k], *b = &r->motion_source[k];
        if (!(h->motion >> k & 1)) continue;
        if (strcmp(a->unit, b->unit) != 0)
            return trj_fail(err, TRJ_BAD_DATA,
                            "the unit of its velocities is %s, that of the first input is %s; join them without "
                            "velocities",
                            *b->unit ? b->unit : "unknown", *a->unit ? a->unit : "unknown");
        if (strcmp(a->origin, b->origin) != 0)
            trj_merge_note(m, "%s: note: its %s are from another source than those of the first input: %s",
                           trj_input_name(r->in), trj_motion_plurals[k], b->origin);
    }
    return 0;
}

// Dynamic groups and centres of a further input are evaluated with its own topology.
static int begin_further(struct trj_merge *m, const struct trj_reader *r, const struct trj_topology *top,
                         struct trj_error *err) {
    struct trj_merge_input *f = &m->further;
    if (make_header(m, r, top, &f->header, &f->grouping, err) || check_segment(m, r, err) ||
        check_precision(m, r, err) || compare_motion(m, r, err))
        return -1;
    m->current = f->grouping;
    if (trj_grouping_compare(&m->header, m->grouping, &f->header, f->grouping, err) ||
        trj_merge_begin_moves(m, r, top, err))
        return -1;
    if (m->sink.stream)
        return trj_grouping_compare_atoms(&m->header, &f->header, err) || trj_carry_compare(&m->header, &f->header, err)
                   ? -1
                   : 0;
    if (!m->sink.names || !f->top) return 0;
    const uint32_t *rows = m->current ? trj_grouping_rows(m->current) : NULL;
    size_t i = trj_topology_differ(m->top, f->top, rows, m->header.atoms);
    if (i == m->header.atoms) return 0;
    return trj_fail(err, TRJ_BAD_DATA,
                    "atom %zu (counted from 0) differs from that of the first input, whose names are written; give the "
                    "names with -t",
                    rows ? rows[i] : i);
}

const uint32_t *trj_merge_rows(const struct trj_merge *m) {
    if (m->open) return trj_open_system_rows(m->open);
    if (m->grouping) return trj_grouping_rows(m->grouping);
    return trj_carry_has_properties(&m->carry) ? m->header.number
                                               : NULL; // of a stream whose atoms have been compared with the topology
}

size_t trj_merge_present(const struct trj_merge *m) {
    return m->open ? trj_open_system_present(m->open) : m->header.atoms;
}

static int add_provenance(struct trj_merge *m, const struct trj_reader *r, struct trj_error *err) {
    for (size_t i = 0; r->header && i < r->header->provenance_count; i++)
        if (trj_stream_header_add_provenance(&m->header, r->header->provenance[i], err)) return -1;
    return 0;
}

int trj_merge_check_open(const struct trj_merge_options *q, struct trj_error *err) {
    const struct {
        bool given;
        const char *option, *why;
    } others[] = {{q->topology, "topology", "the frames themselves name their atoms"},
                  {q->by, "by", "later frames can contain other elements or types; give each group with --group"},
                  {q->carry, "carry", "a property belongs to an atom that all frames contain"},
                  {q->move.unwrap, "unwrap", "an atom can be another one in the next frame"},
                  {q->move.whole, "whole", "bonds are those of atoms that all frames contain"},
                  {q->move.centre, "centre", "the selection must consist of the same atoms in all frames"},
                  {q->move.fit, "fit", "the selection must consist of the same atoms in all frames"}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (others[i].given)
            return trj_fail(err, TRJ_USAGE, "--%s: not available if the number of atoms changes: %s; leave it out",
                            others[i].option, others[i].why);
    return 0;
}

// Begins an input of an open system. Its groups are evaluated frame by frame.
static int begin_open(struct trj_merge *m, const struct trj_reader *r, struct trj_error *err) {
    const struct trj_merge_options *q = &m->options;
    const struct trj_stream_header *own = r->header;
    if (!own && !q->open)
        return trj_fail(err, TRJ_BAD_DATA,
                        "is not a frame stream, but follows one in which the number of atoms changes; add --open auto");
    if (own && own->movement_count)
        return trj_fail(err, TRJ_BAD_DATA,
                        "its atoms were moved, which is not available if the number of atoms "
                        "changes; create the stream again without --whole, --unwrap, --centre and --fit");
    if (own && q->groups.count && !m->open)
        return trj_fail(err, TRJ_USAGE,
                        "is a frame stream, which has its own groups; select groups where trjcat reads the trajectory "
                        "itself, and leave --group out");
    if (trj_merge_check_open(q, err)) return -1;
    if (own && !m->open_limit) m->open_limit = own->atoms;
    if (!m->open && trj_open_system_open(&m->open, &m->header, q->groups.texts, q->groups.count, m->open_limit, own,
                                         m->sink.names, err))
        return -1;
    if ((own && trj_open_system_compare(m->open, own, err)) || check_segment(m, r, err) || check_precision(m, r, err))
        return -1;
    if (m->began) return 0;
    if (add_provenance(m, r, err) || m->sink.begin(m->sink.arg, m, err)) return -1;
    m->began = true;
    return 0;
}

static int begin_first(struct trj_merge *m, const struct trj_reader *r, const struct trj_topology *top,
                       struct trj_error *err) {
    if (make_header(m, r, top, &m->header, &m->grouping, err) || check_segment(m, r, err) ||
        check_precision(m, r, err) || begin_motion(m, r, err))
        return -1;
    m->current = m->grouping;
    if (add_provenance(m, r, err)) return -1;
    bool carried = r->header && trj_carry_has_properties(&m->carry); // make_header has compared the atoms
    bool fits = !top || carried || trj_merge_rows(m) || top->atoms == m->header.atoms;
    if (!fits && m->header.atoms == m->header.source_atoms) return fail_atoms(m, m->header.atoms, top, err);
    if (!fits)
        return trj_fail(err, TRJ_BAD_DATA,
                        "contains %zu of %zu atoms, without their numbers, and the topology %s has %zu; give it where "
                        "trjcat reads the trajectory",
                        m->header.atoms, m->header.source_atoms, m->options.topology, top->atoms);
    if (trj_merge_begin_moves(m, r, top, err) || m->sink.begin(m->sink.arg, m, err)) return -1;
    m->began = true;
    return 0;
}

static void close_further(struct trj_merge_input *f) {
    trj_grouping_free(f->grouping);
    trj_stream_header_free(&f->header);
    trj_topology_close(f->top);
    *f = (struct trj_merge_input){.top = NULL};
}

void trj_merge_close_headers(struct trj_merge *m) {
    close_further(&m->further);
    trj_grouping_free(m->grouping);
    trj_open_system_close(m->open);
    trj_stream_header_free(&m->header);
    trj_topology_close(m->top);
    trj_topology_close(m->own_top);
}

// Returns whether the output contains anything that was derived from names or types of the input.
static bool uses_identity(const struct trj_merge *m) {
    const struct trj_stream_header *h = m->further.top ? &m->further.header : &m->header;
    return m->options.by || trj_carry_has_properties(&m->carry) || m->sink.names || m->mover ||
           (m->current && trj_grouping_uses_topology(m->current)) ||
           (m->sink.stream && (h->element || h->residue || h->molecule || h->bond));
}

static bool contains_word(const char *text, const char *const words[3]) {
    for (size_t k = 0; k < 3 && words[k]; k++)
        if (strstr(text, words[k])) return true;
    return false;
}

// Returns whether --by is the first word, --carry contains it, or a selection contains one of the words.
static bool request_contains(const struct trj_merge_options *q, const char *const words[3]) {
    if ((q->by && !strcmp(q->by, words[0])) || (q->carry && strstr(q->carry, words[0]))) return true;
    bool found =
        (q->move.fit && contains_word(q->move.fit, words)) || (q->move.centre && contains_word(q->move.centre, words));
    for (size_t i = 0; i < q->groups.count; i++) found = found || contains_word(q->groups.texts[i], words);
    return found;
}

bool trj_merge_uses_values(const struct trj_merge_options *q) {
    static const char *const words[3] = {"occupancy", "bfactor", "beta"};
    bool found =
        (q->move.fit && contains_word(q->move.fit, words)) || (q->move.centre && contains_word(q->move.centre, words));
    for (size_t i = 0; i < q->groups.count; i++) found = found || contains_word(q->groups.texts[i], words);
    return found;
}

// Returns whether it has reported anything.
static bool note_guesses(const struct trj_merge *m, const struct trj_topology *top, const char *file) {
    static const char *const element_words[3] = {"element", "hydrogen", "heavy"}, *const mass_words[3] = {"mass",
                                                                                                          "com"};
    bool masses = top->mass_from && request_contains(&m->options, mass_words); // of elements
    bool elements = masses || request_contains(&m->options, element_words);
    for (size_t i = 0; i < m->carry.count; i++) elements = elements || m->carry.item[i].bondi;
    const struct {
        bool used;
        const char *from, *what;
    } guesses[] = {{elements, top->element_from, "elements"}, {masses, top->mass_from, "masses"}};
    bool reported = false;
    for (size_t k = 0; k < sizeof guesses / sizeof *guesses; k++) {
        if (!guesses[k].from || !guesses[k].used) continue;
        reported = true;
        trj_merge_note(m, "%s: note: %s are guessed from %s%s", file, guesses[k].what, guesses[k].from,
                       guesses[k].from == top->ambiguous ? "; a topology with elements or masses (-t) avoids this"
                                                         : "");
    }
    return reported;
}

void trj_merge_note_open(struct trj_merge *m, const struct trj_reader *r) {
    const struct trj_topology *top = trj_open_system_topology(m->open);
    if (!m->guesses_noted && top) m->guesses_noted = note_guesses(m, top, trj_input_name(r->in));
}

// Returns whether the topology of an input of this format is read from the input itself.
static bool needs_own_topology(const struct trj_merge *m, const struct trj_format *format) {
    const struct trj_merge_options *q = &m->options;
    return !q->topology && !q->open && format->topology &&
           (q->groups.count || q->by || trj_carry_has_properties(&m->carry) || m->sink.names ||
            trj_mover_requested(&q->move));
}

// Returns whether a path is the file of --topology.
static bool is_topology(const struct trj_merge *m, const char *path) {
    struct stat a, b;
    return m->options.topology && !stat(m->options.topology, &a) &&
           !(strcmp(path, "-") ? stat(path, &b) : fstat(STDIN_FILENO, &b)) && a.st_dev == b.st_dev &&
           a.st_ino == b.st_ino;
}

unsigned trj_merge_cell_given(const struct trj_merge_options *q) {
    return q->cell || (q->periodic && !trj_periodic_parse(q->periodic)) ? TRJ_CELL_GIVEN : 0;
}

static void note_of_file(void *m, const char *text) {
    trj_merge_note(m, "%s", text);
}

// Opens the file of an input, or waits for its first frame.
static int open_file(struct trj_merge *m, struct trj_input **in, const char *path, struct trj_error *err) {
    const struct trj_merge_options *q = &m->options;
    if (!q->follow || path != m->paths[m->path_count - 1]) return trj_input_open(in, path, err);
    unsigned compare = trj_merge_cell_given(q) | (q->open ? TRJ_OPEN_SYSTEM : 0U);
    return trj_follow_open(in, path, m->format, q->topology ? m->top->atoms : m->open_limit, compare, note_of_file, m,
                           err);
}

// Frames without a cell, of a format that lacks it, get that of the topology, if its file is also a trajectory.
static int find_cell(struct trj_merge *m, const struct trj_reader *r, struct trj_error *err) {
    const struct trj_merge_options *q = &m->options;
    struct trj_reader *top = NULL;
    struct trj_frame f = {0};
    struct trj_error ignored;
    m->adds_cell = false;
    if (!r->format->lacks_cell || q->cell || !m->periodic) return 0;
    if (q->topology && !trj_reader_open(&top, q->topology, &ignored) && trj_reader_read(top, &f, &ignored) > 0) {
        m->adds_cell = f.cell.periodic;
        m->topology_cell = f.cell;
    }
    trj_reader_close(top);
    trj_frame_free(&f);
    if (!m->adds_cell)
        return trj_fail(err, TRJ_USAGE,
                        "%s: frames contain no cell; give it with --cell, or with a topology that contains it (-t "
                        "FILE.gro or .pdb), or add -P none if there is none",
                        trj_input_name(r->in));
    trj_merge_note(m, "%s: note: all frames get the cell of %s", trj_input_name(r->in), q->topology);
    return 0;
}

// Returns what is requested of an input (TRJ_READ_...): what --carry states, and what a frame stream has.
static unsigned motion_to_read(const struct trj_merge *m, const struct trj_format *format) {
    unsigned motion = m->carry.motion;
    if (format == &trj_format_stream) motion = m->began ? m->header.motion : m->sink.motion;
    if (trj_merge_unwraps_flags(m)) motion |= TRJ_HAS_IMAGE;
    return (motion & TRJ_HAS_VELOCITY ? (unsigned)TRJ_READ_VELOCITY : 0u) |
           (motion & TRJ_HAS_IMAGE ? (unsigned)TRJ_READ_IMAGE : 0u);
}

int trj_merge_open_input(struct trj_merge *m, struct trj_reader **r, const char *path, struct trj_error *err) {
    static const char *const charge[3] = {"charge"};
    struct trj_input *in = NULL;
    if (open_file(m, &in, path, err)) return -1;
    const struct trj_format *format = m->format ? m->format : trj_format_of(in, err);
    bool own = format && needs_own_topology(m, format), values = trj_merge_uses_values(&m->options);
    unsigned compare = !own && !is_topology(m, path)           ? TRJ_COMPARE_NOTHING
                       : request_contains(&m->options, charge) ? TRJ_COMPARE_CHARGES
                                                               : TRJ_COMPARE_NAMES;
    trj_topology_close(m->own_top);
    m->own_top = NULL;
    const struct trj_topology_options options = {.format = own ? format->topology : NULL,
                                                 .properties = trj_carry_has_properties(&m->carry) || values};
    if (own && trj_topology_open_first(&m->own_top, in, &options, &m->own_error, err)) {
        trj_input_close(in);
        return -1;
    }
    compare |= trj_merge_cell_given(&m->options) | (values ? TRJ_READ_VALUES : 0u);
    compare |= motion_to_read(m, format);
    // The models of a PDB have values of their own.
    bool vary = values && format && format->topology && !strcmp(format->topology, "PDB");
    if (vary && m->own_top) m->own_top->values_vary = true;
    if (vary && m->options.topology && !m->began) m->top->values_vary = true;
    if (m->options.salvage) compare |= TRJ_SALVAGE;
    if (m->options.open) compare |= TRJ_OPEN_SYSTEM;
    size_t atoms = m->options.topology ? m->top->atoms : m->open_limit;
    if (trj_reader_open_comparing(r, in, m->format, atoms, compare, err)) return -1;
    if (m->options.step_ps > 0) trj_reader_set_time_step(*r, m->options.step_ps);
    return 0;
}

int trj_merge_begin_input(struct trj_merge *m, const struct trj_reader *r, struct trj_error *err) {
    bool own = needs_own_topology(m, r->format), first = !m->began;
    bool opens = m->options.open || m->open || (first && r->header && r->header->open_system);
    if (find_cell(m, r, err)) return -1;
    if (opens) return begin_open(m, r, err) ? trj_fail_at(err, "%s", trj_input_name(r->in)) : 0;
    close_further(&m->further);
    if (own && !m->own_top) {
        *err = m->own_error;
        return -1;
    }
    if (own) *(first ? &m->top : &m->further.top) = m->own_top;
    const struct trj_topology *top = own ? m->own_top : m->options.topology ? m->top : NULL;
    m->own_top = NULL;
    int rc = first ? begin_first(m, r, top, err) : begin_further(m, r, top, err);
    if (rc) trj_fail_at(err, "%s", trj_input_name(r->in));
    if (!rc && top && top->note && (first || own))
        trj_merge_note(m, "%s: note: %s", own ? trj_input_name(r->in) : m->options.topology, top->note);
    if (!rc && first && top) note_guesses(m, top, own ? trj_input_name(r->in) : m->options.topology);
    if (!rc && first) note_unknown(m, m->options.topology ? m->options.topology : trj_input_name(r->in));
    if (!rc && first && top && m->options.by && !strcmp(m->options.by, "element") && m->header.absent_sites)
        trj_merge_note(m, "%s: note: --by element leaves out massless sites, which are no element",
                       own ? trj_input_name(r->in) : m->options.topology);
    if (!rc && first && m->grouping && trj_grouping_note(m->grouping))
        trj_merge_note(m, "note: %s", trj_grouping_note(m->grouping));
    m->identity_used = !rc && r->compares_names && top && uses_identity(m);
    return rc;
}

int trj_merge_check_identity(const struct trj_merge *m, const struct trj_reader *r, struct trj_error *err) {
    if (!m->identity_used || !*r->difference) return 0;
    return trj_fail(
        err, TRJ_BAD_DATA,
        "%s: this trajectory's names and types are used, so they must stay the same; give the topology with -t",
        r->difference);
}
