// SPDX-License-Identifier: MIT
// trjinfo: what is in trajectories, topologies and streams.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "facts.h"
#include "frame_stream.h"
#include "hist_stream.h"
#include "lines.h"
#include "memory.h"
#include "norm.h"
#include "output.h"
#include "reader.h"
#include "survey.h"
#include "tool.h"
#include "topology.h"

enum {
    QUICK_BYTES = 64 << 20, // of a file in which frames cannot be sought, read without --check
    NAMES = 20,             // of residues that are listed
};

static const char *format_name, *topology_path, *output_path;
static bool check, json;

static const struct trj_option options[] = {
    {.letter = 'c',
     .name = "check",
     .kind = TRJ_OPTION_FLAG,
     .value = &check,
     .help = "read everything, and tell of all frames"},
    {.letter = 'j', .name = "json", .kind = TRJ_OPTION_FLAG, .value = &json, .help = "print JSON instead of a table"},
    {.name = "format",
     .kind = TRJ_OPTION_TEXT,
     .value = &format_name,
     .arg = "NAME",
     .help = "all inputs are trajectories of this format (trjcat --formats), whatever they look like"},
    {.letter = 't',
     .name = "topology",
     .kind = TRJ_OPTION_TEXT,
     .value = &topology_path,
     .arg = "FILE",
     .help = "topology of the trajectories: they must have as many atoms"},
    TRJ_OPTION_OUTPUT(&output_path, "write to FILE instead of standard output"),
    TRJ_OPTION_END,
};

static const struct trj_tool tool = {
    .name = "trjinfo",
    .purpose = "Tells what is in trajectories, topologies, frame streams and histogram streams (- is standard input).",
    .operands = "FILE...",
    .min_operands = 1,
    .max_operands = SIZE_MAX,
    .options = options,
};

struct span { // how many atoms a group has had
    size_t least, most;
};

// All that is known of one file.
struct sheet {
    const char *path;
    struct trj_reader *reader;
    struct trj_topology *top;
    bool histogram;

    struct trj_frame frame;
    struct trj_survey survey;
    uint64_t frames; // that there are, at least
    bool counted;    // there are no more
    bool read;       // all were read
    bool left;       // the rest was not looked at
    struct span *spans;

    struct rdf_hist hist;
};

// ---- reading ----

static bool is_trajectory(const unsigned char *head, size_t n) {
    for (const struct trj_format *const *f = trj_formats; *f && n; f++)
        if ((*f)->is && (*f)->is(head, n)) return true;
    return false;
}

static bool named_as_trajectory(const struct trj_input *in) {
    for (const struct trj_format *const *f = trj_formats; *f; f++)
        for (const char *const *ending = (*f)->endings; *ending; ending++)
            if (trj_input_ends_in(in, *ending)) return true;
    return false;
}

static int keep_nothing(void *arg, const struct rdf_setup *setup, const struct rdf_record *record,
                        struct trj_error *err) {
    (void)arg, (void)setup, (void)record, (void)err;
    return 0;
}

static int read_histogram(struct sheet *s, struct trj_input *in, struct trj_error *err) {
    s->histogram = true;
    s->hist.take = keep_nothing;
    int rc = rdf_hist_read(&s->hist, in, err) || rdf_hist_check_frames(&s->hist, err) ? -1 : 0;
    if (rc) trj_fail_at(err, "%s", trj_input_name(in));
    trj_input_close(in);
    return rc;
}

static void note_groups(struct sheet *s) {
    const struct trj_stream_header *h = s->reader->header;
    for (size_t i = 0; i < h->group_count; i++) {
        size_t n = trj_group_size(&h->groups[i], &s->frame);
        if (s->reader->next == 1 || n < s->spans[i].least) s->spans[i].least = n;
        if (s->reader->next == 1 || n > s->spans[i].most) s->spans[i].most = n;
    }
}

// Whether to go on to the next frame. In files that can be sought two frames show how the others follow.
static bool wanted(const struct sheet *s) {
    uint64_t size, at = trj_input_offset(s->reader->in);
    if (check) return true;
    if (s->reader->can_seek) return s->reader->next < 2;
    return at < QUICK_BYTES || (trj_input_size(s->reader->in, &size) && at >= size);
}

static uint64_t expected(const struct sheet *s) {
    uint64_t size, at = trj_input_offset(s->reader->in);
    if (!trj_input_size(s->reader->in, &size) || !at) return 0;
    return (uint64_t)((double)s->reader->next * (double)size / (double)at + 0.5);
}

static int read_last(struct sheet *s, uint64_t frame, struct trj_error *err) {
    int got = trj_reader_seek(s->reader, frame, err);
    if (got > 0) got = trj_reader_read(s->reader, &s->frame, err);
    if (got > 0) trj_survey_add(&s->survey, &s->frame, frame);
    return got;
}

static int read_frames(struct sheet *s, struct trj_error *err) {
    struct trj_reader *r = s->reader;
    int got = 1;
    while (wanted(s) && (got = trj_reader_read(r, &s->frame, err)) > 0) {
        trj_survey_add(&s->survey, &s->frame, r->next - 1);
        if (r->header) note_groups(s);
        trj_tool_progress("frames", r->next, expected(s));
    }
    s->frames = r->next;
    s->counted = s->read = !got;
    s->left = got > 0 && !r->can_seek;
    if (got > 0 && r->can_seek) {
        uint64_t frames, seen = r->next;
        s->counted = !trj_reader_count(r, &frames, err);
        got = s->counted ? 1 : -1;
        if (frames > seen) s->frames = frames;
        if (got > 0 && frames > seen) got = read_last(s, frames - 1, err);
    }
    if (got >= 0 && !s->frames) return trj_fail(err, TRJ_BAD_DATA, "%s: no frames", trj_input_name(r->in));
    return got < 0 ? -1 : 0;
}

static int read_trajectory(struct sheet *s, const struct trj_topology *top, struct trj_error *err) {
    const struct trj_reader *r = s->reader;
    const struct trj_stream_header *h = r->header;
    if (h && !(s->spans = trj_alloc(h->group_count, sizeof *s->spans, "groups", err))) return -1;
    if (read_frames(s, err)) return -1;
    size_t atoms = h ? h->source_atoms : r->atoms;
    if (top && atoms != top->atoms)
        return trj_fail(err, TRJ_BAD_DATA, "%s: %zu atoms, but the topology %s has %zu", trj_input_name(r->in), atoms,
                        topology_path, top->atoms);
    return 0;
}

// A file may be a trajectory and a topology: each is tried where the first bytes are such. Where they are neither's, the name may tell.
static int look(struct sheet *s, const struct trj_format *format, const struct trj_topology *top,
                struct trj_error *err) {
    struct trj_input *in = NULL;
    struct trj_error also = {.status = TRJ_OK};
    const unsigned char *head;
    size_t n;
    bool std = !strcmp(s->path, "-");
    off_t start = std ? lseek(STDIN_FILENO, 0, SEEK_CUR) : 0; // -1: a pipe, which is opened only once
    if (trj_input_open(&in, s->path, err)) return -1;
    if (trj_input_peek(in, &head, TRJ_INPUT_PEEK, &n, err)) {
        trj_fail_at(err, "%s", trj_input_name(in));
        trj_input_close(in);
        return -1;
    }
    if (!format && rdf_hist_is(head, n)) return read_histogram(s, in, err);
    bool topology = !format && trj_topology_is(head, n);
    bool trajectory = format || !n || is_trajectory(head, n) || (!topology && named_as_trajectory(in));
    if (topology && !trajectory) return trj_topology_open_input(&s->top, in, err);
    int rc = trj_reader_open_input(&s->reader, in, format, top ? top->atoms : 0, err);
    if (!rc) rc = read_trajectory(s, top, err);
    if (trajectory ? !topology : !rc) return rc;
    if (start < 0 || (std && lseek(STDIN_FILENO, start, SEEK_SET) < 0)) return rc;
    if (!trj_topology_open(&s->top, s->path, &also)) return trajectory ? rc : 0;
    if (rc && trajectory) return -1;
    if (rc && strcmp(err->text, also.text)) trj_error_set_place(&also, "%s", err->text); // why it is neither
    *err = also;
    return -1;
}

// ---- facts ----

// Cells and the like come from float32 numbers: more digits would be noise.
static double rounded(double v) {
    char text[32];
    snprintf(text, sizeof text, "%.7g", v);
    return isfinite(v) ? strtod(text, NULL) : v;
}

static void put_periodic(struct trj_facts *f, unsigned periodic) {
    static const char *const names[] = {"none", "x", "y", "xy", "z", "xz", "yz", "xyz"};
    trj_facts_text(f, "cell_periodic", names[periodic & TRJ_PERIODIC_ALL]);
}

// NULL: not known.
static void put_cell(struct trj_facts *f, const struct trj_cell *cell) {
    if (!cell) {
        static const char *const keys[] = {"cell_periodic", "cell_lengths", "cell_angles", "cell_volume"};
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) trj_facts_unknown(f, keys[k]);
        return;
    }
    double length[3], angle[3];
    put_periodic(f, cell->periodic);
    trj_cell_shape(cell, length, angle);
    for (int k = 0; k < 3; k++) {
        length[k] = rounded(length[k]);
        angle[k] = rounded(trj_degrees(angle[k]));
    }
    double volume = trj_cell_volume(cell);
    if (length[0] > 0 || length[1] > 0 || length[2] > 0)
        trj_facts_reals(f, "cell_lengths", length, 3);
    else
        trj_facts_unknown(f, "cell_lengths");
    if (length[0] > 0 && length[1] > 0 && length[2] > 0)
        trj_facts_reals(f, "cell_angles", angle, 3);
    else
        trj_facts_unknown(f, "cell_angles");
    trj_facts_real(f, "cell_volume", volume > 0 ? rounded(volume) : NAN);
}

static void put_count(struct trj_facts *f, const char *key, bool known, uint64_t n) {
    if (known)
        trj_facts_count(f, key, n);
    else
        trj_facts_unknown(f, key);
}

static void put_step(struct trj_facts *f, const char *key, bool known, double step) {
    if (known && fabs(step) < 1e18)
        trj_facts_integer(f, key, (int64_t)step);
    else
        trj_facts_unknown(f, key);
}

static bool is_last(const struct sheet *s, const struct trj_series *q) {
    return s->counted && q->last_frame + 1 == s->frames;
}

static void put_times(struct trj_facts *f, const struct sheet *s) {
    const struct trj_series *time = &s->survey.time, *step = &s->survey.step;
    bool uniform, all = s->read && time->gaps;
    double spacing = trj_series_spacing(time, trj_time_rounding, &uniform);
    trj_facts_real(f, "time_first", time->count ? time->first : NAN);
    trj_facts_real(f, "time_last", time->count && is_last(s, time) ? time->last : NAN);
    trj_facts_real(f, "time_spacing", uniform ? rounded(spacing) : NAN);
    if (time->count > 1 && (s->read || !uniform)) // some may show that it is not, only all that it is
        trj_facts_truth(f, "time_uniform", uniform);
    else
        trj_facts_unknown(f, "time_uniform");
    trj_facts_real(f, "time_spacing_min", all ? rounded(time->least_gap) : NAN);
    trj_facts_real(f, "time_spacing_max", all ? rounded(time->most_gap) : NAN);
    put_count(f, "times_repeated", all, time->repeated);
    put_count(f, "times_decreasing", all, time->decreasing);
    put_count(f, "frames_without_time", all && s->frames > time->count, s->frames - time->count);
    spacing = trj_series_spacing(step, 0, &uniform);
    put_step(f, "step_first", step->count, step->first);
    put_step(f, "step_last", step->count && is_last(s, step), step->last);
    put_step(f, "step_spacing", uniform, spacing);
}

static void put_provenance(struct trj_facts *f, char *const *line, size_t count) {
    trj_facts_begin_list(f, "provenance");
    for (size_t i = 0; i < count; i++) trj_facts_text(f, NULL, line[i]);
    trj_facts_end(f);
}

static void put_fingerprint(struct trj_facts *f, uint64_t fingerprint) {
    char text[17];
    snprintf(text, sizeof text, "%016llx", (unsigned long long)fingerprint);
    trj_facts_text(f, "fingerprint", text);
}

static int by_number(const void *x, const void *y) {
    const uint32_t *a = x, *b = y;
    return *a < *b ? -1 : *a > *b;
}

// How many different numbers there are.
static int put_different(struct trj_facts *f, const char *key, const uint32_t *number, size_t n,
                         struct trj_error *err) {
    uint64_t different = 0;
    uint32_t *sorted = number ? trj_alloc(n, sizeof *sorted, key, err) : NULL;
    if (number && !sorted) return -1;
    if (sorted) {
        memcpy(sorted, number, n * sizeof *sorted);
        qsort(sorted, n, sizeof *sorted, by_number);
        for (size_t i = 0; i < n; i++) different += !i || sorted[i] != sorted[i - 1];
    }
    put_count(f, key, number, different);
    free(sorted);
    return 0;
}

static int put_stream(struct trj_facts *f, const struct sheet *s, struct trj_error *err) {
    const struct trj_stream_header *h = s->reader->header;
    trj_facts_count(f, "source_atoms", h->source_atoms);
    trj_facts_count(f, "centres", h->centres);
    if (put_different(f, "residues", h->residue, h->atoms, err) ||
        put_different(f, "molecules", h->molecule, h->atoms, err))
        return -1;
    put_count(f, "bonds", h->bond, h->bond_count);
    trj_facts_begin_list(f, "groups");
    for (size_t i = 0; i < h->group_count; i++) {
        const struct trj_group *g = &h->groups[i];
        trj_facts_begin_object(f, NULL);
        trj_facts_text(f, "name", g->name);
        trj_facts_count(f, "atoms", g->count);
        trj_facts_truth(f, "changes", g->changes);
        put_count(f, "atoms_min", s->read && g->changes, s->spans[i].least);
        put_count(f, "atoms_max", s->read && g->changes, s->spans[i].most);
        trj_facts_end(f);
    }
    trj_facts_end(f);
    trj_facts_begin_list(f, "sources");
    for (size_t i = 0; i < h->source_count; i++) {
        trj_facts_begin_object(f, NULL);
        trj_facts_text(f, "name", h->sources[i].name);
        put_fingerprint(f, h->sources[i].fingerprint);
        trj_facts_end(f);
    }
    trj_facts_end(f);
    put_provenance(f, h->provenance, h->provenance_count);
    return 0;
}

static int put_trajectory(struct trj_facts *f, const struct sheet *s, struct trj_error *err) {
    const struct trj_reader *r = s->reader;
    const struct trj_survey *v = &s->survey;
    trj_facts_text(f, "format", r->format->name);
    trj_facts_text(f, "dialect", *r->dialect ? r->dialect : NULL);
    trj_facts_count(f, "atoms", r->atoms);
    put_count(f, "frames", s->counted, s->frames);
    put_count(f, "frames_at_least", !s->counted, s->frames);
    put_count(f, "frames_estimate", s->left && expected(s), expected(s));
    put_count(f, "frames_in_header", r->frames_said, r->frames_said);
    put_count(f, "frames_without_positions", r->empty, r->empty);
    put_times(f, s);
    trj_facts_real(f, "unit", v->frames ? v->unit : NAN);
    put_cell(f, v->frames ? &v->cell : NULL);
    put_count(f, "cells_differ", s->read, v->other_cells);
    trj_facts_real(f, "volume_min", s->read && v->volumes ? rounded(v->least_volume) : NAN);
    trj_facts_real(f, "volume_max", s->read && v->volumes ? rounded(v->most_volume) : NAN);
    trj_facts_real(f, "coordinate_max", s->read ? rounded(v->reach) : NAN);
    put_count(f, "coordinate_max_frame", s->read, v->reach_frame);
    put_count(f, "coordinate_max_atom", s->read, v->reach_atom);
    put_fingerprint(f, r->fingerprint);
    trj_facts_text(f, "note", r->note);
    return r->header ? put_stream(f, s, err) : 0;
}

static void put_histogram(struct trj_facts *f, const struct sheet *s) {
    const struct rdf_hist *h = &s->hist;
    const struct rdf_setup *u = &h->setup;
    struct rdf_record total = {.frames = 0};
    if (h->record_count) total = rdf_hist_total(h);
    bool volume = total.volume_frames;
    trj_facts_text(f, "format", "rdfh");
    put_count(f, "bins", u->bins.count, u->bins.count);
    trj_facts_real(f, "rmin", u->bins.count ? u->bins.rmin : NAN);
    trj_facts_real(f, "rmax", u->bins.count ? u->bins.rmax : NAN);
    trj_facts_real(f, "bin_width", u->bins.count ? (u->bins.rmax - u->bins.rmin) / (double)u->bins.count : NAN);
    trj_facts_begin_list(f, "groups");
    for (size_t i = 0; i < u->group_count; i++) {
        uint64_t atoms = 0;
        for (size_t k = 0; k < h->record_count && u->groups[i].changes; k++) atoms += h->records[k].group_atoms[i];
        trj_facts_begin_object(f, NULL);
        trj_facts_text(f, "name", u->groups[i].name);
        trj_facts_count(f, "atoms", u->groups[i].atoms);
        trj_facts_truth(f, "changes", u->groups[i].changes);
        trj_facts_real(f, "atoms_mean",
                       u->groups[i].changes && total.frames ? (double)atoms / (double)total.frames : NAN);
        trj_facts_end(f);
    }
    trj_facts_end(f);
    trj_facts_text(f, "exclusion", u->exclusion);
    put_count(f, "lag", u->lag.frames, u->lag.frames);
    trj_facts_real(f, "lag_time", u->lag.frames ? u->lag.time : NAN);
    trj_facts_begin_list(f, "pairs");
    for (size_t i = 0; i < u->pair_count; i++) {
        char name[160];
        snprintf(name, sizeof name, "%s:%s", u->groups[u->pairs[i].a].name, u->groups[u->pairs[i].b].name);
        trj_facts_begin_object(f, NULL);
        trj_facts_text(f, "name", name);
        trj_facts_count(f, "pairs", u->pairs[i].pairs);
        put_count(f, "excluded", u->exclusion, u->exclusion ? u->excluded[i] : 0);
        put_count(f, "own", u->lag.frames, u->lag.frames ? u->lag.own[i] : 0);
        trj_facts_end(f);
    }
    trj_facts_end(f);
    trj_facts_count(f, "records", h->record_count);
    trj_facts_count(f, "frames", total.frames);
    trj_facts_count(f, "frames_with_volume", total.volume_frames);
    trj_facts_real(f, "volume_min", volume ? rounded(total.volume_min) : NAN);
    trj_facts_real(f, "volume_max", volume ? rounded(total.volume_max) : NAN);
    trj_facts_real(f, "volume_mean",
                   volume ? rounded(trj_exact_value(&total.volume) / (double)total.volume_frames) : NAN);
    if (total.frames && total.periodic_all == total.periodic_any)
        put_periodic(f, total.periodic_all);
    else
        trj_facts_unknown(f, "cell_periodic");
    trj_facts_begin_list(f, "sources");
    for (size_t i = 0; i < h->source_count; i++) {
        uint64_t frames = 0, first = UINT64_MAX, last = 0;
        for (size_t k = 0; k < h->record_count; k++)
            for (size_t j = 0; j < h->records[k].run_count; j++) {
                const struct rdf_run *run = &h->records[k].runs[j];
                if (run->source != i) continue;
                uint64_t end = run->first + (run->count - 1) * run->step;
                frames += run->count;
                first = run->first < first ? run->first : first;
                last = end > last ? end : last;
            }
        trj_facts_begin_object(f, NULL);
        trj_facts_text(f, "name", h->sources[i].name);
        put_fingerprint(f, h->sources[i].fingerprint);
        trj_facts_count(f, "frames", frames);
        put_count(f, "first", frames, first);
        put_count(f, "last", frames, last);
        trj_facts_end(f);
    }
    trj_facts_end(f);
    put_provenance(f, h->provenance, h->provenance_count);
}

struct tally {
    const char *text;
    uint64_t count;
};

// How often each text of a column occurs, in any order: counts atoms, or with `residue` the first atom of each residue.
static struct tally *tally_texts(const struct trj_texts *t, size_t atoms, const uint32_t *residue,
                                 struct trj_error *err) {
    struct tally *tally = trj_alloc(t->count, sizeof *tally, "a tally", err);
    for (size_t k = 0; tally && k < t->count; k++) tally[k].text = t->text[k];
    for (size_t i = 0; tally && i < atoms; i++)
        if (!residue || !i || residue[i] != residue[i - 1]) tally[t->id[i]].count++;
    return tally;
}

// Carbon, hydrogen, all others by symbol: as chemists write formulas.
static int by_symbol(const void *x, const void *y) {
    const struct tally *a = x, *b = y;
    for (const char *first = "CH"; *first; first++) {
        bool is_a = a->text[0] == *first && !a->text[1], is_b = b->text[0] == *first && !b->text[1];
        if (is_a || is_b) return is_b - is_a;
    }
    return strcmp(a->text, b->text);
}

static int put_elements(struct trj_facts *f, const struct trj_topology *top, struct trj_error *err) {
    size_t n = top->element.count;
    uint64_t unknown = 0;
    if (!top->element.id) {
        trj_facts_unknown(f, "elements");
        trj_facts_unknown(f, "elements_unknown");
        trj_facts_unknown(f, "elements_from");
        return 0;
    }
    struct tally *t = tally_texts(&top->element, top->atoms, NULL, err);
    if (!t) return -1;
    qsort(t, n, sizeof *t, by_symbol);
    trj_facts_begin_object(f, "elements");
    for (size_t i = 0; i < n; i++)
        if (!*t[i].text)
            unknown += t[i].count;
        else if (t[i].count)
            trj_facts_count(f, t[i].text, t[i].count);
    trj_facts_end(f);
    trj_facts_count(f, "elements_unknown", unknown);
    trj_facts_text(f, "elements_from", top->element_from ? top->element_from : "file");
    free(t);
    return 0;
}

static void put_sums(struct trj_facts *f, const struct trj_topology *top) {
    double mass = top->mass ? 0 : NAN, charge = 0;
    for (size_t i = 0; i < top->atoms && top->mass; i++) mass += top->mass[i];
    for (size_t i = 0; i < top->atoms && top->charge; i++) charge += top->charge[i];
    trj_facts_real(f, "mass", mass);
    trj_facts_text(f, "mass_from", isnan(mass) ? NULL : top->mass_from ? top->mass_from : "file");
    // A millionth of e is what files resolve; the + 0 makes a zero of a negative one.
    trj_facts_real(f, "charge", top->charge ? round(charge * 1e6) / 1e6 + 0 : NAN);
}

static int by_count(const void *x, const void *y) {
    const struct tally *a = x, *b = y;
    if (a->count != b->count) return a->count > b->count ? -1 : 1;
    return strcmp(a->text, b->text);
}

static int put_residue_names(struct trj_facts *f, const struct trj_topology *top, struct trj_error *err) {
    size_t n = top->resname.count, names = 0;
    if (!top->resname.id || !top->residue) {
        trj_facts_unknown(f, "residue_names");
        trj_facts_unknown(f, "residue_name_counts");
        return 0;
    }
    struct tally *t = tally_texts(&top->resname, top->atoms, top->residue, err);
    if (!t) return -1;
    qsort(t, n, sizeof *t, by_count);
    while (names < n && t[names].count) names++;
    trj_facts_count(f, "residue_names", names);
    trj_facts_begin_object(f, "residue_name_counts");
    for (size_t i = 0; i < names && i < NAMES; i++) trj_facts_count(f, t[i].text, t[i].count);
    trj_facts_end(f);
    free(t);
    return 0;
}

static int put_segments(struct trj_facts *f, const struct trj_topology *top, struct trj_error *err) {
    uint64_t segments = 0;
    struct tally *t = top->segid.id ? tally_texts(&top->segid, top->atoms, NULL, err) : NULL;
    if (top->segid.id && !t) return -1;
    for (size_t k = 0; t && k < top->segid.count; k++) segments += t[k].count > 0;
    put_count(f, "segments", t, segments);
    free(t);
    return 0;
}

// Numbers that run from 0.
static void put_numbered(struct trj_facts *f, const char *key, const uint32_t *number, size_t n) {
    uint64_t most = 0;
    for (size_t i = 0; number && i < n; i++) most = number[i] > most ? number[i] : most;
    put_count(f, key, number && n, most + 1);
}

static int put_topology(struct trj_facts *f, const struct sheet *s, struct trj_error *err) {
    const struct trj_topology *top = s->top;
    const struct {
        const char *name;
        bool there;
    } columns[] = {{"name", top->name.id},
                   {"type", top->type.id},
                   {"resname", top->resname.id},
                   {"resid", top->resid},
                   {"segid", top->segid.id},
                   {"element", top->element.id},
                   {"mass", top->mass && !top->mass_from},
                   {"charge", top->charge},
                   {"bonds", top->bonds > 0}};
    const char *there[sizeof columns / sizeof *columns];
    size_t n = 0;
    for (size_t k = 0; k < sizeof columns / sizeof *columns; k++)
        if (columns[k].there) there[n++] = columns[k].name;
    if (!s->reader) {
        trj_facts_text(f, "format", top->format);
        trj_facts_count(f, "atoms", top->atoms);
    }
    trj_facts_words(f, "columns", there, n);
    put_numbered(f, "residues", top->residue, top->atoms);
    put_numbered(f, "molecules", top->molecule, top->atoms);
    put_count(f, "bonds", top->bonds, top->bonds);
    if (put_segments(f, top, err) || put_elements(f, top, err)) return -1;
    put_sums(f, top);
    return put_residue_names(f, top, err);
}

// The facts of a file; `damage` is what was found in it.
static int put_file(struct trj_facts *f, const struct sheet *s, const struct trj_error *damage, struct trj_error *err) {
    const char *holds[3];
    size_t n = 0;
    if (s->reader) holds[n++] = "trajectory";
    if (s->top) holds[n++] = "topology";
    if (s->histogram) holds[n++] = "histograms";
    trj_facts_begin_file(f);
    trj_facts_text(f, "file", s->path);
    trj_facts_words(f, "holds", holds, n);
    if (s->reader && put_trajectory(f, s, err)) return -1;
    if (s->top && put_topology(f, s, err)) return -1;
    if (s->histogram) put_histogram(f, s);
    // Topologies and histograms are always read as a whole.
    trj_facts_text(f, "check", damage ? "failed" : !s->reader || s->read ? "ok" : NULL);
    trj_facts_text(f, "error", damage ? damage->text : NULL);
    trj_facts_end_file(f);
    return 0;
}

static void sheet_free(struct sheet *s) {
    trj_reader_close(s->reader);
    trj_topology_close(s->top);
    trj_frame_free(&s->frame);
    rdf_hist_free(&s->hist);
    free(s->spans);
}

// Adds what a file holds. Its damage is said, and is no failure of this function.
static int tell(struct trj_facts *f, const char *path, const struct trj_format *format, const struct trj_topology *top,
                int *status, struct trj_error *err) {
    struct trj_error damage;
    struct sheet s = {.path = path};
    bool damaged = look(&s, format, top, &damage);
    trj_tool_progress_end();
    if (damaged) {
        int code = trj_tool_fail(&damage);
        if (code > *status) *status = code;
    }
    int rc = put_file(f, &s, damaged ? &damage : NULL, err);
    sheet_free(&s);
    return rc;
}

// The exit status, or -1.
static int run(struct trj_facts *f, struct trj_output **out, struct trj_topology **top, int argc, char **argv,
               int first, struct trj_error *err) {
    const struct trj_format *format = NULL;
    int status = 0;
    f->json = json;
    if (format_name && !(format = trj_format_named(format_name, err))) return trj_fail_at(err, "--format");
    if (topology_path && trj_topology_open(top, topology_path, err)) return -1;
    if (trj_output_open(out, output_path, TRJ_OUTPUT_TEXT, err)) return -1;
    for (int i = first; i < argc; i++)
        if (tell(f, argv[i], format, *top, &status, err) || trj_facts_write(f, *out, i + 1 == argc, err)) return -1;
    return trj_output_commit(*out, err) ? -1 : status;
}

int main(int argc, char **argv) {
    struct trj_error err;
    struct trj_facts facts = {.files = 0};
    struct trj_output *out = NULL;
    struct trj_topology *top = NULL;
    int first, rc;
    trj_tool_start(&tool);
    rc = trj_tool_parse(&tool, argc, argv, &first, &err);
    if (rc > 0) rc = run(&facts, &out, &top, argc, argv, first, &err);
    trj_output_close(out);
    trj_topology_close(top);
    trj_bytes_free(&facts.text);
    return rc < 0 ? trj_tool_fail(&err) : rc;
}
