// SPDX-License-Identifier: MIT
// What functions whose values are correlated share: parts, columns, and centres of molecules.
#include "signal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "motion.h"
#include "start_frames.h"

struct tcf_signal *tcf_signal_open(struct obs_observable *o, size_t parts, size_t count, struct trj_error *err) {
    struct tcf_signal *s = o->own = trj_alloc(1, sizeof *s, "a correlation", err);
    if (!s || !(s->count = trj_alloc(parts, sizeof *s->count, "a correlation", err))) return NULL;
    s->parts = parts;
    for (size_t p = 0; p < parts; p++) s->count[p] = count;
    return s;
}

void tcf_signal_close(struct obs_observable *o) {
    struct tcf_signal *s = o->own;
    if (!s) return;
    for (size_t i = 0; i < s->columns; i++) free(s->column[i].factor);
    free(s->count);
    free(s->own);
    free(s);
    o->own = NULL;
}

size_t tcf_signal_values(const struct tcf_signal *s) {
    size_t n = s->members;
    for (size_t p = 0; p < s->parts; p++) n += s->count[p];
    return n;
}

struct tcf_column *tcf_signal_add_column(struct tcf_signal *s, const char *name, const char *unit, size_t first,
                                         size_t last, double factor, struct trj_error *err) {
    struct tcf_column *c = &s->column[s->columns];
    if (!(c->factor = trj_alloc(s->parts, sizeof *c->factor, "a column", err))) return NULL;
    s->columns++;
    c->name = name;
    c->unit = unit;
    for (size_t p = first; p <= last; p++) c->factor[p] = factor;
    return c;
}

int tcf_signal_add_directions(struct tcf_signal *s, const char *unit, double factor, struct trj_error *err) {
    static const char *const names[] = {"total", "x", "y", "z"};
    for (size_t i = 0; i < 4; i++)
        if (!tcf_signal_add_column(s, names[i], unit, i ? i - 1 : 0, i ? i - 1 : 2, factor, err)) return -1;
    return 0;
}

int tcf_signal_add_survival(struct tcf_signal *s, struct trj_error *err) {
    struct tcf_column *there = tcf_signal_add_column(s, "intermittent", "", TCF_INTERMITTENT, TCF_INTERMITTENT, 1, err);
    struct tcf_column *stayed =
        there ? tcf_signal_add_column(s, "continuous", "", TCF_CONTINUOUS, TCF_CONTINUOUS, 1, err) : NULL;
    if (!stayed) return -1;
    s->normalised = true;
    there->integral = "tau_intermittent";
    stayed->integral = "tau_continuous";
    there->meaning = stayed->meaning = "its integral up to the lag";
    there->integral_unit = stayed->integral_unit = "ps";
    there->scale = stayed->scale = 1;
    return 0;
}

// -------------------------------------------------------------------------------------------------------------- checks

int tcf_signal_check_images(const struct trj_stream_header *h, const char *function, struct trj_error *err) {
    // Functions of the cell and of velocities, and the dipole moment of neutral molecules, which are whole
    static const char *const of_cell[] = {"volume", "cell", "density", "kinetic", "temperature"};
    bool free = false, molecules = true;
    if (!trj_movement_unwraps(h)) return 0;
    for (size_t i = 0; i < sizeof of_cell / sizeof *of_cell; i++) free = free || !strcmp(function, of_cell[i]);
    for (size_t i = 0; i < h->movement_count; i++)
        if (trj_movement_way(h->movements[i].kind)) molecules = !strcmp(h->movements[i].selection, "molecules");
    if (free || (!strcmp(function, "box_dipole") && molecules)) return 0;
    if (!strcmp(function, "box_dipole"))
        return trj_fail(err, TRJ_BAD_DATA,
                        "atoms were unwrapped one by one, so that molecules are not whole; unwrap molecules: trjcat -t "
                        "FILE --whole --unwrap, or leave --unwrap out");
    return trj_fail(err, TRJ_BAD_DATA,
                    "%s is computed with periodic images, which unwrapped positions do not have; leave --unwrap out, "
                    "and compute msd in another run",
                    function);
}

int tcf_signal_check_moves(const struct trj_stream_header *h, struct trj_error *err) {
    for (size_t i = 0; i < h->movement_count; i++) {
        const enum trj_movement_kind kind = h->movements[i].kind;
        if (kind == TRJ_MOVED_CENTRE || kind == TRJ_MOVED_FIT)
            return trj_fail(
                err, TRJ_BAD_DATA,
                "each frame was moved by trjcat --%s, so that displacements between frames are not those of "
                "the simulation; omit it; msd removes the motion of a centre by about=SELECTION",
                trj_movement_name(kind));
    }
    return 0;
}

int tcf_signal_check_unwrapped(const struct obs_view *v, struct trj_error *err) {
    if (!obs_view_frame(v)->cell.periodic || trj_movement_unwraps(obs_view_system(v)->header)) return 0;
    return trj_fail(
        err, TRJ_BAD_DATA,
        "the positions are those of periodic images, so that displacements across a boundary are lost; "
        "unwrap them: trjcat --unwrap fraction (with a topology, -t, molecules stay whole), or, if those of "
        "the file are unwrapped, remove the cell: trjcat -P none");
}

int tcf_signal_check_velocities(const struct trj_stream_header *h, struct trj_error *err) {
    if (!(h->motion & TRJ_HAS_VELOCITY))
        return trj_fail(err, TRJ_BAD_DATA, "the stream contains no velocities; request them: trjcat --carry velocity");
    if (strcmp(h->motion_source[TRJ_MOTION_VELOCITY].unit, TRJ_VELOCITY_UNIT) != 0)
        return trj_fail(err, TRJ_BAD_DATA,
                        "the unit of the velocities is unknown (%s); give a file that states it, such as TRR",
                        h->motion_source[TRJ_MOTION_VELOCITY].origin);
    if (!trj_movement_find(h, TRJ_MOVED_FIT)) return 0;
    return trj_fail(err, TRJ_BAD_DATA,
                    "each frame was rotated by trjcat --fit, and the velocities with it, so that they do not "
                    "correspond to those of other frames; omit --fit");
}

int tcf_signal_check_moving(const struct trj_frame *f, struct trj_error *err) {
    if (trj_motion_has(f->motion) & TRJ_HAS_VELOCITY) return 0;
    return trj_fail(err, TRJ_BAD_DATA, "the frame contains no velocities; leave it out: trjcat -f");
}

int tcf_signal_check_volume(const struct trj_frame *f, struct trj_error *err) {
    if (f->cell.periodic == TRJ_PERIODIC_ALL) return 0;
    return trj_fail(err, TRJ_BAD_DATA,
                    "the frame has no cell that is periodic in all directions, and no volume; leave the frame out, "
                    "trjcat -f, or give the cell, trjcat -c");
}

void tcf_signal_note_temperature(const struct obs_system *s, double temperature) {
    char line[160];
    if (!(temperature < 100) || !s->note) return;
    snprintf(line, sizeof line, "note: the temperature is %g K; if it was meant in degrees Celsius, give %g",
             temperature, temperature + 273.15);
    s->note(line);
}

int tcf_signal_temperature(double *temperature, const struct obs_argument *a, const struct obs_system *s,
                           struct trj_error *err) {
    *temperature = *a->text ? a->number : s->temperature > 0 ? s->temperature : NAN;
    if (*a->text && !(a->number > 0))
        return trj_fail(err, TRJ_USAGE, "invalid temperature %g: expected a number of K above 0", a->number);
    if (*a->text && !(s->temperature > 0)) tcf_signal_note_temperature(s, a->number);
    if (!*a->text || !(s->temperature > 0) || a->number == s->temperature) return 0;
    return trj_fail(err, TRJ_USAGE, "--temperature gives %g K, but the expression %g K; leave one of them out",
                    s->temperature, a->number);
}

// --------------------------------------------------------------------------------------------------------------- units

enum { ATOM, RESIDUE, MOLECULE };

int tcf_units_open(struct tcf_units *u, const struct obs_system *s, size_t selection, unsigned of, bool masses,
                   struct trj_error *err) {
    const struct obs_selection *one = &s->selection[selection];
    *u = (struct tcf_units){.selection = selection, .centres = of != ATOM};
    if (of == RESIDUE && !s->header->residue)
        return trj_fail(err, TRJ_BAD_DATA,
                        "the stream does not number residues; give trjcat a topology that has them (-t)");
    if (of == MOLECULE ? obs_parts_make_molecules(&u->parts, s, selection, err)
                       : obs_parts_make(&u->parts, s, selection, of == RESIDUE, err))
        return -1;
    if (!masses && !u->centres) return 0;
    if (obs_system_need_property(s, "mass", selection, &u->mass, err) ||
        !(u->total = trj_alloc(u->parts.count, sizeof *u->total, "masses", err)))
        return -1;
    for (size_t i = 0; i < one->count; i++) u->total[u->parts.part[i]] += u->mass[one->atoms[i]];
    for (size_t i = 0; i < u->parts.count; i++)
        if (!(u->total[i] > 0))
            return trj_fail(err, TRJ_BAD_DATA, "'%s': the %s of atom %lu of the stream has no mass; leave it out",
                            one->text, u->centres ? "molecule or residue" : "place", (unsigned long)u->parts.first[i]);
    return 0;
}

void tcf_units_free(struct tcf_units *u) {
    obs_parts_free(&u->parts);
    free(u->total);
}

void tcf_units_set(const struct tcf_units *u, const struct obs_system *s, float *const vector[3], double unit,
                   double *value) {
    const struct obs_selection *one = &s->selection[u->selection];
    const size_t n = u->parts.count;
    if (!u->centres) {
        for (size_t k = 0; k < 3; k++)
            for (size_t i = 0; i < n; i++) value[k * n + i] = (double)vector[k][one->atoms[i]] * unit;
        return;
    }
    memset(value, 0, 3 * n * sizeof *value);
    for (size_t k = 0; k < 3; k++) {
        for (size_t i = 0; i < one->count; i++)
            value[k * n + u->parts.part[i]] += u->mass[one->atoms[i]] * ((double)vector[k][one->atoms[i]] * unit);
        for (size_t i = 0; i < n; i++) value[k * n + i] /= u->total[i];
    }
}

void tcf_subtract_mean(const struct obs_selection *one, const double *mass, float *const vector[3], double unit,
                       double *value, size_t count) {
    for (size_t k = 0; k < 3; k++) {
        double sum = 0, total = 0;
        for (size_t i = 0; i < one->count; i++) {
            sum += mass[one->atoms[i]] * ((double)vector[k][one->atoms[i]] * unit);
            total += mass[one->atoms[i]];
        }
        for (size_t i = 0; i < count; i++) value[k * count + i] -= sum / total;
    }
}
