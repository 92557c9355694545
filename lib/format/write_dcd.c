// SPDX-License-Identifier: MIT
// Writes DCD as NAMD and VMD do, which all readers support: version 24, records of float32 in Å, before each frame the
// cell as A, gamma, B, beta, alpha, C, with cosines instead of angles. For an orthorhombic cell, CHARMM after version
// 25 has the same numbers. A symmetric cell matrix, as CHARMM writes it, is written as CHARMM does: version 36, xx, xy,
// yy, xz, yz, zz. The byte order is that of the machine.
//
// Only the header contains times: a first step, the steps between frames, and the time of a step. They follow from the
// first two frames, so that the first one is stored until the second one arrives. A later frame that contradicts them
// removes the times from the header; this is an error if the header has been written to a pipe.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "memory.h"
#include "writer_parts.h"

enum { CONTROL = 84, TITLE = 80, TITLES = 2, CELL = 48, BUFFER = 1 << 14, VERSION = 24, CHARMM_VERSION = 36 };

static const double AKMA = 0.04888821290839616; // ps in CHARMM's unit of time
static const double TIME_TOLERANCE =
    1e-6; // relative difference of times that count as equal: many formats store float32

struct dcd {
    struct trj_frame first; // until the second frame arrives
    bool first_pending, cell;
    bool shape;            // cells are symmetric matrices
    bool frames_are_steps; // steps are unknown: frames are counted as steps
    bool steps, times;     // the header contains steps, times
    int64_t start, every;  // steps
    float delta;           // time of a step in AKMA units; 0: unknown
    float buffer[BUFFER];
};

static bool fits_int32(int64_t step) {
    return step >= 0 && step <= INT32_MAX;
}

// Sets steps and times of the header from the first two frames; `second` NULL: there is only one.
static void set_clock(struct dcd *d, const struct trj_frame *first, const struct trj_frame *second) {
    const struct trj_frame *last = second ? second : first;
    double span = second ? second->time - first->time : NAN, step = NAN; // the time of an MD step
    d->every = 1;
    if (fits_int32(first->step) && fits_int32(last->step)) {
        d->start = first->step;
        if (second) d->every = second->step - first->step;
        d->steps = d->every > 0;
        step = last->time / (double)last->step; // NaN for step 0 at time 0
    } else if (first->step == TRJ_NO_STEP && span > 0 && first->time / span > -0.5 && first->time / span < INT32_MAX) {
        d->start = (int64_t)rint(first->time / span);
        d->frames_are_steps = d->steps = true;
        step = last->time / (double)(d->start + 1);
    }
    d->delta = (float)(step / AKMA);
    d->times = d->steps && d->delta > 0 && isfinite(d->delta);
}

static bool has_time(const struct dcd *d, const struct trj_frame *f, uint64_t frame) {
    double step = (double)d->start + (double)frame * (double)d->every;
    double time = step * (double)d->delta * AKMA;
    return fabs(f->time - time) <= TIME_TOLERANCE * fmax(fabs(time), (double)d->every * (double)d->delta * AKMA);
}

static bool has_step(const struct dcd *d, const struct trj_frame *f, uint64_t frame) {
    return d->frames_are_steps ? f->step == TRJ_NO_STEP : f->step == d->start + (int64_t)frame * d->every;
}

// Checks that a frame has the step and the time that follow from the header, or removes them from the header.
static int check_clock(struct trj_writer *w, const struct trj_frame *f, uint64_t frame, struct trj_error *err) {
    struct dcd *d = w->state;
    bool steps = d->steps && has_step(d, f, frame), times = d->times && steps && has_time(d, f, frame);
    if (d->frames_are_steps) steps = times;
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

static void put_i32(unsigned char *to, int64_t v) {
    int32_t small = (int32_t)v;
    memcpy(to, &small, sizeof small);
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
    put_i32(control + 80, d->shape ? CHARMM_VERSION : VERSION);
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
    char titles[4 + TITLES * TITLE + 1]; // plus a NUL, which is not written
    int32_t atoms = (int32_t)w->setup.header->atoms;
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

// Writes the header and the first frame.
static int write_start(struct trj_writer *w, const struct trj_frame *second, struct trj_error *err) {
    struct dcd *d = w->state;
    set_clock(d, &d->first, second);
    // Before the header is written, no frame can contradict it, and check_clock only adapts it.
    if (check_clock(w, &d->first, 0, err) || (second && check_clock(w, second, 1, err))) return -1;
    d->first_pending = false;
    int rc = write_header(w, err) || write_frame(w, &d->first, err) ? -1 : 0;
    trj_frame_free(&d->first);
    return rc;
}

static int store_first(struct dcd *d, const struct trj_frame *f, struct trj_error *err) {
    if (trj_frame_resize(&d->first, f->atoms, err)) return -1;
    for (int k = 0; k < 3; k++) memcpy(d->first.x[k], f->x[k], f->atoms * sizeof(float));
    d->first.step = f->step;
    d->first.time = f->time;
    d->first.unit = f->unit;
    d->first.cell = f->cell;
    d->first_pending = true;
    return 0;
}

static int dcd_open(struct trj_writer *w, struct trj_error *err) {
    if (w->setup.header->atoms > INT32_MAX / 4)
        return trj_fail(err, TRJ_BAD_DATA, "%zu atoms, but a dcd has at most %d; write xyz or trjf",
                        w->setup.header->atoms, INT32_MAX / 4);
    w->state = trj_alloc(1, sizeof(struct dcd), "a DCD", err);
    return w->state ? 0 : -1;
}

// Returns whether the cell has the form of CHARMM, and is not diagonal: symmetric and positive definite.
static bool is_shape(const struct trj_cell *c) {
    const double(*h)[3] = c->h;
    double xy = h[0][1], xz = h[0][2], yz = h[1][2];
    double plane = h[0][0] * h[1][1] - xy * xy;
    double det = plane * h[2][2] + 2 * xy * yz * xz - h[0][0] * yz * yz - h[1][1] * xz * xz;
    return c->periodic == TRJ_PERIODIC_ALL && xy == h[1][0] && xz == h[2][0] && yz == h[2][1] &&
           (xy != 0 || xz != 0 || yz != 0) && h[0][0] > 0 && plane > 0 && det > 0;
}

// Returns as trj_writer_cell. All cells must have the form of the first one; diagonal cells have both forms.
static int check_cell(struct trj_writer *w, const struct trj_frame *f, struct trj_error *err) {
    struct dcd *d = w->state;
    if (is_shape(&f->cell) && (!d->cell || d->shape)) return d->shape = true;
    int cell = trj_writer_cell(w, f, err);
    bool skew = cell > 0 && (f->cell.h[1][0] != 0 || f->cell.h[2][0] != 0 || f->cell.h[2][1] != 0);
    return skew && d->shape
               ? trj_fail(err, TRJ_BAD_DATA, "has a cell of another form than earlier frames; write xyz or trjf")
               : cell;
}

static int dcd_write(struct trj_writer *w, struct trj_frame *f, struct trj_error *err) {
    struct dcd *d = w->state;
    int cell = check_cell(w, f, err);
    if (cell < 0) return -1;
    if (!w->frames || d->first_pending) d->cell = d->cell || cell;
    if (!w->frames) return store_first(d, f, err);
    if (cell && !d->cell)
        return trj_fail(
            err, TRJ_BAD_DATA,
            "has a cell, but the first two frames have none; write xyz or trjf, or remove the cells with -P none");
    if (d->first_pending ? write_start(w, f, err) : check_clock(w, f, w->frames, err)) return -1;
    return write_frame(w, f, err);
}

static int dcd_finish(struct trj_writer *w, struct trj_error *err) {
    struct dcd *d = w->state;
    unsigned char control[CONTROL];
    if (d->first_pending && write_start(w, NULL, err)) return -1;
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
    .help = "CHARMM, NAMD, VMD",
    .endings = {".dcd"},
    .kind = TRJ_OUTPUT_BINARY,
    .open = dcd_open,
    .write = dcd_write,
    .finish = dcd_finish,
    .close = dcd_close,
};
