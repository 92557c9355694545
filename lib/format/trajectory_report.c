// SPDX-License-Identifier: MIT
// Collects the properties of a trajectory for trjinfo over all frames, because a header may contradict them.
#include "trajectory_report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "element.h"
#include "frame_report.h"
#include "frame_stream.h"
#include "memory.h"

static void widen(struct trj_span *span, const struct trj_findings *s, size_t n) {
    if (s->reader->next == 1 || n < span->min) span->min = n;
    if (s->reader->next == 1 || n > span->max) span->max = n;
}

void trj_findings_add(struct trj_findings *s) {
    const struct trj_reader *r = s->reader;
    trj_frame_statistics_add(&s->statistics, &s->frame, r->next - 1);
    widen(&s->atoms, s, s->frame.atoms);
    for (size_t i = 0; r->header && i < r->header->group_count; i++)
        widen(&s->spans[i], s, trj_group_size(&r->header->groups[i], &s->frame));
    if (*r->difference && !s->names_differ++)
        snprintf(s->names_differ_at, sizeof s->names_differ_at, "frame %llu: %s", (unsigned long long)r->next - 1,
                 r->difference);
}

// cell NULL: unknown.
static void put_cell(struct trj_report *f, const struct trj_cell *cell) {
    if (!cell) {
        static const char *const keys[] = {"cell_periodic", "cell_lengths", "cell_angles", "cell_volume"};
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) trj_report_unknown(f, keys[k]);
        return;
    }
    double length[3], angle[3];
    trj_report_periodic(f, cell->periodic);
    trj_cell_shape(cell, length, angle);
    for (int k = 0; k < 3; k++) {
        length[k] = trj_report_rounded(length[k]);
        angle[k] = trj_report_rounded(trj_degrees(angle[k]));
    }
    double volume = trj_cell_volume(cell);
    if (length[0] > 0 || length[1] > 0 || length[2] > 0)
        trj_report_reals(f, "cell_lengths", length, 3);
    else
        trj_report_unknown(f, "cell_lengths");
    if (length[0] > 0 && length[1] > 0 && length[2] > 0)
        trj_report_reals(f, "cell_angles", angle, 3);
    else
        trj_report_unknown(f, "cell_angles");
    trj_report_real(f, "cell_volume", volume > 0 ? trj_report_rounded(volume) : NAN);
}

static void put_step(struct trj_report *f, const char *key, bool known, double step) {
    if (known && fabs(step) < 1e18)
        trj_report_integer(f, key, (int64_t)step);
    else
        trj_report_unknown(f, key);
}

static bool ends_with_last(const struct trj_findings *s, const struct trj_series *q) {
    return s->counted && q->last_frame + 1 == s->frames;
}

static void put_times(struct trj_report *f, const struct trj_findings *s) {
    const struct trj_series *time = &s->statistics.time, *step = &s->statistics.step;
    bool uniform, all_gaps = s->read && time->gaps;
    double spacing = trj_series_spacing(time, trj_time_rounding, &uniform);
    trj_report_real(f, "time_first", time->count ? time->first : NAN);
    trj_report_real(f, "time_last", time->count && ends_with_last(s, time) ? time->last : NAN);
    trj_report_real(f, "time_spacing", uniform ? trj_report_rounded(spacing) : NAN);
    if (time->count > 1 &&
        (s->read || !uniform)) // some frames can show that times are not uniform; only all frames that they are
        trj_report_truth(f, "time_uniform", uniform);
    else
        trj_report_unknown(f, "time_uniform");
    trj_report_real(f, "time_spacing_min", all_gaps ? trj_report_rounded(time->min_gap) : NAN);
    trj_report_real(f, "time_spacing_max", all_gaps ? trj_report_rounded(time->max_gap) : NAN);
    trj_report_count_if(f, "times_repeated", all_gaps, time->repeated);
    trj_report_count_if(f, "times_decreasing", all_gaps, time->decreasing);
    trj_report_count_if(f, "frames_without_time", all_gaps && s->frames > time->count, s->frames - time->count);
    spacing = trj_series_spacing(step, 0, &uniform);
    put_step(f, "step_first", step->count, step->first);
    put_step(f, "step_last", step->count && ends_with_last(s, step), step->last);
    put_step(f, "step_spacing", uniform, spacing);
}

static int compare_numbers(const void *x, const void *y) {
    const uint32_t *a = x, *b = y;
    return *a < *b ? -1 : *a > *b;
}

// Adds the number of distinct numbers; NULL: unknown.
static int put_distinct(struct trj_report *f, const char *key, const uint32_t *number, size_t n,
                        struct trj_error *err) {
    uint64_t distinct = 0;
    uint32_t *sorted = number ? trj_alloc(n, sizeof *sorted, key, err) : NULL;
    if (number && !sorted) return -1;
    if (sorted) {
        memcpy(sorted, number, n * sizeof *sorted);
        qsort(sorted, n, sizeof *sorted, compare_numbers);
        for (size_t i = 0; i < n; i++) distinct += !i || sorted[i] != sorted[i - 1];
    }
    trj_report_count_if(f, key, number, distinct);
    free(sorted);
    return 0;
}

static void put_group_elements(struct trj_report *f, const struct trj_stream_header *h, const struct trj_group *g) {
    uint64_t count[TRJ_ELEMENTS + 1] = {0};
    for (size_t i = 0; h->element && i < g->count; i++) count[h->element[g->atoms[i]]]++;
    trj_report_elements(f, "elements", h->element ? count : NULL);
}

static void put_movements(struct trj_report *f, const struct trj_stream_header *h) {
    trj_report_begin_list(f, "movements");
    for (size_t i = 0; i < h->movement_count; i++) {
        const struct trj_movement *m = &h->movements[i];
        bool selects = m->kind == TRJ_MOVED_CENTRE || m->kind == TRJ_MOVED_FIT, fit = m->kind == TRJ_MOVED_FIT;
        const char *way = trj_movement_way(m->kind);
        trj_report_begin_object(f, NULL);
        trj_report_text(f, "kind", trj_movement_name(m->kind));
        if (way) trj_report_text(f, "way", way);
        if (way) trj_report_text(f, "units", m->selection);
        if (way) trj_report_text(f, "mean_cell", *m->reference ? m->reference : NULL);
        trj_report_text(f, "selection", selects ? m->selection : NULL);
        trj_report_count_if(f, "atoms", selects, m->atoms);
        trj_report_text(f, "reference", fit ? m->reference : NULL);
        trj_report_count_if(f, "frame", fit, m->frame);
        if (fit) trj_report_fingerprint(f, m->fingerprint);
        trj_report_end(f);
    }
    trj_report_end(f);
}

static void put_properties(struct trj_report *f, const struct trj_stream_header *h) {
    trj_report_begin_list(f, "properties");
    for (size_t k = 0; k < h->property_count; k++) {
        const struct trj_property *p = &h->properties[k];
        uint64_t known = 0;
        for (size_t i = 0; i < h->atoms; i++) known += trj_property_known(p, i);
        trj_report_begin_object(f, NULL);
        trj_report_text(f, "name", p->name);
        trj_report_text(f, "unit", *p->unit ? p->unit : NULL);
        trj_report_count(f, "atoms_known", known);
        trj_report_text(f, "origin", p->origin);
        trj_report_end(f);
    }
    trj_report_end(f);
}

// Lists what frames contain besides coordinates, if anything.
static void put_frame_data(struct trj_report *f, const struct trj_reader *r) {
    if (!r->holds) return;
    trj_report_begin_list(f, "frame_data");
    for (int k = 0; k < TRJ_MOTION_KINDS; k++) {
        const struct trj_motion_source *s = &r->motion_source[k];
        if (!(r->holds >> k & 1)) continue;
        trj_report_begin_object(f, NULL);
        trj_report_text(f, "name", trj_motion_names[k]);
        trj_report_text(f, "unit", *s->unit ? s->unit : NULL);
        trj_report_text(f, "origin", *s->origin ? s->origin : NULL);
        trj_report_end(f);
    }
    trj_report_end(f);
}

static int put_stream(struct trj_report *f, const struct trj_findings *s, struct trj_error *err) {
    const struct trj_stream_header *h = s->reader->header;
    trj_report_count(f, "source_atoms", h->source_atoms);
    if (h->open_system) trj_report_truth(f, "open_system", true);
    trj_report_count(f, "centres", h->centres);
    trj_report_real(f, "precision", h->precision > 0 ? h->precision : NAN);
    put_movements(f, h);
    if (put_distinct(f, "residues", h->residue, h->atoms, err) ||
        put_distinct(f, "molecules", h->molecule, h->atoms, err))
        return -1;
    trj_report_count_if(f, "bonds", h->bond, h->bond_count);
    trj_report_begin_list(f, "groups");
    for (size_t i = 0; i < h->group_count; i++) {
        const struct trj_group *g = &h->groups[i];
        trj_report_begin_object(f, NULL);
        trj_report_text(f, "name", g->name);
        trj_report_count(f, "atoms", g->count);
        trj_report_truth(f, "dynamic", g->dynamic);
        put_group_elements(f, h, g);
        bool changed = s->read && g->dynamic; // if reading failed, spans may be NULL: their allocation may have failed
        trj_report_count_if(f, "atoms_min", changed, changed ? s->spans[i].min : 0);
        trj_report_count_if(f, "atoms_max", changed, changed ? s->spans[i].max : 0);
        trj_report_end(f);
    }
    trj_report_end(f);
    trj_report_text(f, "elements_from", !h->element ? NULL : h->element_from ? h->element_from : "file");
    put_properties(f, h);
    trj_report_begin_list(f, "sources");
    for (size_t i = 0; i < h->source_count; i++) {
        trj_report_begin_object(f, NULL);
        trj_report_text(f, "name", h->sources[i].name);
        trj_report_fingerprint(f, h->sources[i].fingerprint);
        trj_report_end(f);
    }
    trj_report_end(f);
    trj_report_texts(f, "provenance", h->provenance, h->provenance_count);
    return 0;
}

int trj_trajectory_report(struct trj_report *f, const struct trj_findings *s, struct trj_error *err) {
    const struct trj_reader *r = s->reader;
    const struct trj_frame_statistics *v = &s->statistics;
    trj_report_text(f, "format", r->format->name);
    trj_report_text(f, "dialect", *r->dialect ? r->dialect : NULL);
    bool changes = s->open_system && !r->header;
    trj_report_count_if(f, "atoms", !changes, r->atoms);
    if (changes) {
        trj_report_truth(f, "open_system", true);
        trj_report_count_if(f, "atoms_min", s->read, s->atoms.min);
        trj_report_count_if(f, "atoms_max", s->read, s->atoms.max);
    }
    trj_report_count_if(f, "frames", s->counted, s->frames);
    trj_report_count_if(f, "frames_at_least", !s->counted, s->frames);
    trj_report_count_if(f, "frames_estimate", s->estimate, s->estimate);
    trj_report_count_if(f, "frames_in_header", r->header_frames, r->header_frames);
    trj_report_count_if(f, "frames_without_positions", r->empty, r->empty);
    put_times(f, s);
    trj_report_real(f, "unit", v->frames ? v->unit : NAN);
    put_cell(f, v->frames ? &v->cell : NULL);
    trj_report_count_if(f, "cells_differ", s->read, v->other_cells);
    trj_report_real(f, "volume_min", s->read && v->volumes ? trj_report_rounded(v->min_volume) : NAN);
    trj_report_real(f, "volume_max", s->read && v->volumes ? trj_report_rounded(v->max_volume) : NAN);
    trj_report_real(f, "coordinate_max", s->read ? trj_report_rounded(v->reach) : NAN);
    trj_report_count_if(f, "coordinate_max_frame", s->read, v->reach_frame);
    trj_report_count_if(f, "coordinate_max_atom", s->read, v->reach_atom);
    trj_report_count_if(f, "names_differ", s->read && r->compares_names, s->names_differ);
    trj_report_text(f, "names_differ_at", s->names_differ ? s->names_differ_at : NULL);
    trj_report_fingerprint(f, r->fingerprint);
    trj_report_text(f, "note", r->note);
    put_frame_data(f, r);
    return r->header ? put_stream(f, s, err) : 0;
}
