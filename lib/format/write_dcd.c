// SPDX-License-Identifier: MIT
// DCD as NAMD and VMD write it, which all readers know: version 24, records of float32 in Å, and in front of each frame the cell: A,
// gamma, B, beta, alpha, C with cosines for the angles. Of an orthorhombic cell these are the numbers that CHARMM after version 25 has,
// too. A cell as CHARMM turns it, with a symmetric matrix, is written as CHARMM does: version 36, xx, xy, yy, xz, yz, zz. The byte order is
// that of the machine, which the first marker tells.
//
// Times are told once, in the header: a first step, steps from frame to frame, and the time of a step. They are taken from the first two
// frames, so the first one waits for the second; what is written of frames that turn out otherwise depends on whether the header can
// still be changed.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "memory.h"
#include "writer_parts.h"

enum { CONTROL = 84, TITLE = 80, TITLES = 2, CELL = 48, BUFFER = 1 << 14, VERSION = 24, CHARMM = 36 };

static const double AKMA = 0.04888821290839616; // ps in CHARMM's unit of time
static const double SAME = 1e-6; // times that differ by less, in parts, are the same: many formats have float32

struct dcd {
    struct trj_frame first; // until the second one comes
    bool waiting, cell;
    bool shape;           // cells are symmetric matrices
    bool counted;         // no steps are known: from frame to frame is one
    bool steps, times;    // which of these the header tells
    int64_t start, every; // steps
    float delta;          // of a step, in units of AKMA; 0: not known
    float buffer[BUFFER];
};

static bool fits(int64_t step) {
    return step >= 0 && step <= INT32_MAX;
}

// Times for which the header has numbers. `second` may be NULL.
static void set_clock(struct dcd *d, const struct trj_frame *first, const struct trj_frame *second) {
    const struct trj_frame *last = second ? second : first;
    double span = second ? second->time - first->time : NAN, step = NAN; // the time of a step
    d->every = 1;
    if (fits(first->step) && fits(last->step)) {
        d->start = first->step;
        if (second) d->every = second->step - first->step;
        d->steps = d->every > 0;
        step = last->time / (double)last->step; // NaN of step 0 at time 0
    } else if (first->step == TRJ_NO_STEP && span > 0 && first->time / span > -0.5 && first->time / span < INT32_MAX) {
        d->start = (int64_t)rint(first->time / span);
        d->counted = d->steps = true;
        step = last->time / (double)(d->start + 1);
    }
    d->delta = (float)(step / AKMA);
    d->times = d->steps && d->delta > 0 && isfinite(d->delta);
}

static bool has_time(const struct dcd *d, const struct trj_frame *f, uint64_t frame) {
    double step = (double)d->start + (double)frame * (double)d->every;
    double time = step * (double)d->delta * AKMA;
    return fabs(f->time - time) <= SAME * fmax(fabs(time), (double)d->every * (double)d->delta * AKMA);
}

static bool has_step(const struct dcd *d, const struct trj_frame *f, uint64_t frame) {
    return d->counted ? f->step == TRJ_NO_STEP : f->step == d->start + (int64_t)frame * d->every;
}

// What the header tells must be so for each frame.
static int check_clock(struct trj_writer *w, const struct trj_frame *f, uint64_t frame, struct trj_error *err) {
    struct dcd *d = w->state;
    bool steps = d->steps && has_step(d, f, frame), times = d->times && steps && has_time(d, f, frame);
    if (d->counted) steps = times;
    if (steps == d->steps && times == d->times) return 0;
    if (frame > 1 && !trj_output_can_patch(w->out))
        return trj_fail(err, TRJ_BAD_DATA,
                        "comes at step %lld, %g ps: frames are not evenly spaced, but the header of the dcd has been "
                        "written to a pipe; use -o FILE",
                        (long long)(f->step == TRJ_NO_STEP ? -1 : f->step), f->time);
    d->steps = steps;
    d->times = times;
    return 0;
}

static void put_i32(unsigned char *at, int64_t v) {
    int32_t small = (int32_t)v;
    memcpy(at, &small, sizeof small);
}

static void fill_control(unsigned char control[CONTROL], const struct dcd *d, uint64_t frames) {
    float delta = d->times ? d->delta : 0;
    int64_t every = d->steps ? d->every : 1, n = frames <= INT32_MAX ? (int64_t)frames : 0;
    memset(control, 0, CONTROL);
    memcpy(control, (const char[4]){'C', 'O', 'R', 'D'}, 4);
    put_i32(control + 4, n);
    put_i32(control + 8, d->steps ? d->start : 0);
    put_i32(control + 12, every);
    put_i32(control + 16, n * every <= INT32_MAX ? n * every : 0);
    memcpy(control + 40, &delta, sizeof delta);
    put_i32(control + 44, d->cell);
    put_i32(control + 80, d->shape ? CHARMM : VERSION);
}

static int write_record(struct trj_writer *w, const void *data, size_t bytes, struct trj_error *err) {
    uint32_t marker = (uint32_t)bytes;
    return trj_output_write(w->out, &marker, 4, err) || trj_output_write(w->out, data, bytes, err) ||
                   trj_output_write(w->out, &marker, 4, err)
               ? -1
               : 0;
}

static int write_header(struct trj_writer *w, struct trj_error *err) {
    unsigned char control[CONTROL];
    char titles[4 + TITLES * TITLE + 1]; // and a NUL, which is not written
    int32_t atoms = (int32_t)w->is.header->atoms;
    fill_control(control, w->state, 0);
    put_i32((unsigned char *)titles, TITLES);
    snprintf(titles + 4, sizeof titles - 4, "%-*s%-*s", TITLE, "REMARKS written by trjcat of trjpipe " TRJPIPE_VERSION,
             TITLE, "REMARKS");
    return write_record(w, control, sizeof control, err) || write_record(w, titles, sizeof titles - 1, err) ||
                   write_record(w, &atoms, sizeof atoms, err)
               ? -1
               : 0;
}

static int write_axis(struct trj_writer *w, const struct trj_frame *f, int axis, struct trj_error *err) {
    struct dcd *d = w->state;
    if (f->unit == 1) return write_record(w, f->x[axis], 4 * f->atoms, err);
    uint32_t marker = (uint32_t)(4 * f->atoms);
    if (trj_output_write(w->out, &marker, 4, err)) return -1;
    for (size_t i = 0, n; i < f->atoms; i += n) {
        n = f->atoms - i < BUFFER ? f->atoms - i : BUFFER;
        trj_writer_convert(d->buffer, f->x[axis] + i, n, f->unit, 1);
        if (trj_output_write(w->out, d->buffer, n * sizeof *d->buffer, err)) return -1;
    }
    return trj_output_write(w->out, &marker, 4, err);
}

static int write_frame(struct trj_writer *w, const struct trj_frame *f, struct trj_error *err) {
    const struct dcd *d = w->state;
    if (d->cell) {
        double record[CELL / 8] = {0}, length[3], cosine[3];
        const double(*h)[3] = f->cell.h;
        if (f->cell.periodic && d->shape) {
            memcpy(record, (double[]){h[0][0], h[0][1], h[1][1], h[0][2], h[1][2], h[2][2]}, CELL);
        } else if (f->cell.periodic) {
            trj_cell_shape(&f->cell, length, cosine);
            memcpy(record, (double[]){length[0], cosine[2], length[1], cosine[1], cosine[0], length[2]}, CELL);
        }
        if (write_record(w, record, CELL, err)) return -1;
    }
    for (int k = 0; k < 3; k++)
        if (write_axis(w, f, k, err)) return -1;
    return 0;
}

// The header, and the frame that has waited for it.
static int begin(struct trj_writer *w, const struct trj_frame *second, struct trj_error *err) {
    struct dcd *d = w->state;
    set_clock(d, &d->first, second);
    // Frames that are not there yet cannot contradict the header.
    if (check_clock(w, &d->first, 0, err) || (second && check_clock(w, second, 1, err))) return -1;
    d->waiting = false;
    int rc = write_header(w, err) || write_frame(w, &d->first, err) ? -1 : 0;
    trj_frame_free(&d->first);
    return rc;
}

static int keep_first(struct dcd *d, const struct trj_frame *f, struct trj_error *err) {
    if (trj_frame_resize(&d->first, f->atoms, err)) return -1;
    for (int k = 0; k < 3; k++) memcpy(d->first.x[k], f->x[k], f->atoms * sizeof(float));
    d->first.step = f->step;
    d->first.time = f->time;
    d->first.unit = f->unit;
    d->first.cell = f->cell;
    d->waiting = true;
    return 0;
}

static int dcd_open(struct trj_writer *w, struct trj_error *err) {
    if (w->is.header->atoms > INT32_MAX / 4)
        return trj_fail(err, TRJ_BAD_DATA, "%zu atoms, but a dcd has at most %d; write xyz or trjf",
                        w->is.header->atoms, INT32_MAX / 4);
    w->state = trj_alloc(1, sizeof(struct dcd), "a DCD", err);
    return w->state ? 0 : -1;
}

// CHARMM's own form of a cell, where that is not diagonal: symmetric and positive definite.
static bool is_shape(const struct trj_cell *c) {
    const double(*h)[3] = c->h;
    double xy = h[0][1], xz = h[0][2], yz = h[1][2];
    double plane = h[0][0] * h[1][1] - xy * xy;
    double det = plane * h[2][2] + 2 * xy * yz * xz - h[0][0] * yz * yz - h[1][1] * xz * xz;
    return c->periodic == TRJ_PERIODIC_ALL && xy == h[1][0] && xz == h[2][0] && yz == h[2][1] &&
           (xy != 0 || xz != 0 || yz != 0) && h[0][0] > 0 && plane > 0 && det > 0;
}

// What trj_writer_cell tells. The form is that of the first cell; only diagonal cells have both.
static int check_cell(struct trj_writer *w, const struct trj_frame *f, struct trj_error *err) {
    struct dcd *d = w->state;
    if (is_shape(&f->cell) && (!d->cell || d->shape)) return d->shape = true;
    int cell = trj_writer_cell(w, f, err);
    bool skew = cell > 0 && (f->cell.h[1][0] != 0 || f->cell.h[2][0] != 0 || f->cell.h[2][1] != 0);
    return skew && d->shape
               ? trj_fail(err, TRJ_BAD_DATA, "has a cell of another form than the frames before; write xyz or trjf")
               : cell;
}

static int dcd_write(struct trj_writer *w, const struct trj_frame *f, struct trj_error *err) {
    struct dcd *d = w->state;
    int cell = check_cell(w, f, err);
    if (cell < 0) return -1;
    if (!w->frames || d->waiting) d->cell = d->cell || cell;
    if (!w->frames) return keep_first(d, f, err);
    if (cell && !d->cell)
        return trj_fail(
            err, TRJ_BAD_DATA,
            "has a cell, but the first two frames have none; write xyz or trjf, or remove the cells with -P none");
    if (d->waiting ? begin(w, f, err) : check_clock(w, f, w->frames, err)) return -1;
    return write_frame(w, f, err);
}

static int dcd_finish(struct trj_writer *w, struct trj_error *err) {
    struct dcd *d = w->state;
    unsigned char control[CONTROL];
    if (d->waiting && begin(w, NULL, err)) return -1;
    if (!d->times && w->frames > 1)
        trj_writer_note(w, "the times of the frames are unknown, not evenly spaced or not in proportion to their "
                           "steps: the dcd contains none");
    fill_control(control, d, w->frames);
    return trj_output_can_patch(w->out) ? trj_output_patch(w->out, 4, control, sizeof control, err) : 0;
}

static void dcd_close(struct trj_writer *w) {
    struct dcd *d = w->state;
    if (d) trj_frame_free(&d->first);
}

const struct trj_writer_format trj_writer_dcd = {
    .name = "dcd",
    .endings = {".dcd"},
    .kind = TRJ_OUTPUT_BINARY,
    .open = dcd_open,
    .write = dcd_write,
    .finish = dcd_finish,
    .close = dcd_close,
};
