// SPDX-License-Identifier: MIT
// Contains what several output formats share: conversion to their units, titles, and notes about what they cannot
// store.
#include "writer_parts.h"

#include <ctype.h>
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "topology_parts.h"

int trj_writer_cell(const struct trj_writer *w, const struct trj_frame *f, struct trj_error *err) {
    const char *name = w->format->name;
    const double(*h)[3] = f->cell.h;
    if (!f->cell.periodic) return 0;
    if (f->cell.periodic != TRJ_PERIODIC_ALL)
        return trj_fail(err, TRJ_BAD_DATA,
                        "only some vectors of the cell are periodic, which %s cannot store; write xyz or trjf, or "
                        "remove the cell with -P none",
                        name);
    bool standard = h[0][1] == 0 && h[0][2] == 0 && h[1][2] == 0 && h[0][0] > 0 && h[1][1] > 0 && h[2][2] > 0;
    if (!standard && trj_movement_find(w->setup.header, TRJ_MOVED_FIT))
        return trj_fail(err, TRJ_BAD_DATA,
                        "--fit has rotated the cell, but %s stores only cells with a along x and b in the xy plane; "
                        "write xyz, poscar, xdatcar or trjf, or remove the cell after the superposition: trjcat ... | "
                        "trjcat -P none -o FILE",
                        name);
    if (!standard)
        return trj_fail(err, TRJ_BAD_DATA,
                        "a cell of %s has a along x, b in the xy plane and c above it, but this one has a %g %g %g, b "
                        "%g %g %g, c %g %g %g; write xyz, poscar, xdatcar or trjf",
                        name, h[0][0], h[0][1], h[0][2], h[1][0], h[1][1], h[1][2], h[2][0], h[2][1], h[2][2]);
    if (!(h[0][0] <= FLT_MAX && hypot(h[1][0], h[1][1]) <= FLT_MAX &&
          hypot(hypot(h[2][0], h[2][1]), h[2][2]) <= FLT_MAX))
        return trj_fail(err, TRJ_BAD_DATA, "the cell is too large for %s; write xyz or trjf", name);
    return 1;
}

void trj_writer_convert(float *to, const float *from, size_t n, double factor, double divisor) {
    if (factor == divisor)
        memcpy(to, from, n * sizeof *to);
    else if (divisor == 1)
        for (size_t i = 0; i < n; i++) to[i] = (float)((double)from[i] * factor);
    else
        for (size_t i = 0; i < n; i++) to[i] = (float)((double)from[i] * factor / divisor);
}

void trj_writer_note(struct trj_writer *w, const char *format, ...) {
    if (*w->note) return;
    va_list args;
    va_start(args, format);
    vsnprintf(w->note, sizeof w->note, format, args);
    va_end(args);
}

char trj_writer_insertion(struct trj_writer *w, size_t row) {
    const char code = w->setup.top->insertion ? w->setup.top->insertion[row] : (char)0;
    if (!code || isalpha((unsigned char)code)) return code;
    trj_writer_note(w, "insertion codes of residues that are not letters are not written, because %s cannot store them",
                    w->format->name);
    return 0;
}

int trj_writer_no_room(const struct trj_writer *w, const struct trj_frame *f, size_t atom, struct trj_error *err) {
    return trj_fail(err, TRJ_BAD_DATA,
                    "atom %zu is at %g %g %g Angstrom, too far for the columns of %s; write xyz or trjf", atom,
                    (double)f->x[0][atom] * f->unit, (double)f->x[1][atom] * f->unit, (double)f->x[2][atom] * f->unit,
                    w->format->name);
}

// GROMACS and trj_text_title read a step only after a time; mdtraj requires a point in the time.
void trj_writer_title(char title[TRJ_WRITER_TITLE], const struct trj_frame *f) {
    char time[TRJ_DECIMAL_CAPACITY];
    title[0] = 0;
    if (!isfinite(f->time)) return;
    size_t n = trj_print_real(time, f->time);
    bool point = memchr(time, '.', n) || memchr(time, 'e', n);
    int position = snprintf(title, TRJ_WRITER_TITLE, ", t= %.*s%s", (int)n, time, point ? "" : ".0");
    if (f->step != TRJ_NO_STEP)
        snprintf(title + position, TRJ_WRITER_TITLE - (size_t)position, " step= %lld", (long long)f->step);
}

void trj_writer_wrapped(char *to, size_t width, int64_t number) {
    char text[24];
    int64_t limit = 1;
    for (size_t i = number < 0; i < width; i++) limit *= 10;
    snprintf(text, sizeof text, "%*lld", (int)width, (long long)(number % limit));
    memcpy(to, text, width);
}

void trj_writer_text(struct trj_writer *w, char *to, size_t width, bool right, const char *text) {
    size_t n = strlen(text);
    if (n > width) {
        trj_writer_note(w, "names are shortened to the %zu letters of %s, as %s", width, w->format->name, text);
        n = width;
    }
    memset(to, ' ', width);
    for (size_t i = 0; i < n; i++) to[i + (right ? width - n : 0)] = text[i];
}

static const char *text_of(const struct trj_writer *w, const struct trj_texts *texts, size_t atom) {
    const struct trj_stream_header *h = w->setup.header;
    return atom < h->atoms - h->centres ? trj_topology_text(texts, trj_writer_row(w, atom)) : "X";
}

const char *trj_writer_name(const struct trj_writer *w, size_t atom) {
    return text_of(w, &w->setup.top->name, atom);
}

const char *trj_writer_element(const struct trj_writer *w, size_t atom) {
    return text_of(w, &w->setup.top->element, atom);
}

int trj_writer_check_velocities(const struct trj_writer *w, struct trj_error *err) {
    const struct trj_stream_header *h = w->setup.header;
    if (!(h->motion & TRJ_HAS_VELOCITY) || *h->motion_source[TRJ_MOTION_VELOCITY].unit) return 0;
    return trj_fail(err, TRJ_USAGE,
                    "the unit of the velocities is unknown (%s), but %s defines one; write a frame stream "
                    "(--to trjf)",
                    h->motion_source[TRJ_MOTION_VELOCITY].origin, w->format->name);
}
