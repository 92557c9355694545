// SPDX-License-Identifier: MIT
// Writes XTC (xtc.c describes the format). Coordinates are rounded to multiples of 10^-decimals nm, halves away from
// zero.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "writer_parts.h"
#include "xtc_pack.h"

enum {
    OLD = 1995,
    NEW = 2023,
    MAX_OLD_ATOMS = 298261617, // maximum for which GROMACS writes the old form
    MAX_FLOAT_ATOMS = 9,
    DECIMALS = 3,
    MAX_VALUE = INT32_MAX - 2 // largest integer that other readers accept
};

struct xtc {
    int32_t *x[3];
    unsigned char *packed;
};

static unsigned char *put32(unsigned char *to, uint32_t v) {
    for (int i = 24; i >= 0; i -= 8) *to++ = (unsigned char)(v >> i);
    return to;
}

static unsigned char *put_float(unsigned char *to, float v) {
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return put32(to, bits);
}

// Steps beyond 32 bits wrap around, as in GROMACS.
static int write_head(struct trj_writer *w, const struct trj_frame *f, int32_t magic, struct trj_error *err) {
    unsigned char head[56], *p = head;
    int cell = trj_writer_cell(w, f, err);
    if (cell < 0) return -1;
    bool timed = isfinite((float)f->time);
    if (!timed) trj_writer_note(w, "the times of the frames are unknown: they are 0 in the xtc");
    p = put32(p, (uint32_t)magic);
    p = put32(p, (uint32_t)f->atoms);
    p = put32(p, f->step == TRJ_NO_STEP ? 0 : (uint32_t)(uint64_t)f->step);
    p = put_float(p, timed ? (float)f->time : 0);
    for (int k = 0; k < 9; k++) p = put_float(p, cell ? (float)(f->cell.h[k / 3][k % 3] / 10) : 0);
    put32(p, (uint32_t)f->atoms);
    return trj_output_write(w->out, head, sizeof head, err);
}

static int write_few(struct trj_writer *w, const struct trj_frame *f, struct trj_error *err) {
    unsigned char data[12 * MAX_FLOAT_ATOMS], *p = data;
    float nm[3][MAX_FLOAT_ATOMS];
    for (int k = 0; k < 3; k++) trj_writer_convert(nm[k], f->x[k], f->atoms, f->unit, 10);
    for (size_t i = 0; i < f->atoms; i++)
        for (int k = 0; k < 3; k++) p = put_float(p, nm[k][i]);
    return write_head(w, f, OLD, err) || trj_output_write(w->out, data, (size_t)(p - data), err) ? -1 : 0;
}

// Rounds to integers, and sets their bounds. Returns whether all can be stored. Compilers vectorise this loop.
static bool round_axis(int32_t *to, const float *from, size_t n, double scale, int32_t *low, int32_t *high) {
    int32_t min = INT32_MAX, max = INT32_MIN;
    for (size_t i = 0; i < n; i++) {
        double v = (double)from[i] * scale, rounded = v + copysign(0.5, v);
        rounded = rounded > -MAX_VALUE ? rounded : -MAX_VALUE;
        rounded = rounded < MAX_VALUE ? rounded : MAX_VALUE;
        int32_t integer = (int32_t)rounded;
        to[i] = integer;
        min = integer < min ? integer : min;
        max = integer > max ? integer : max;
    }
    *low = min;
    *high = max;
    return min > -MAX_VALUE && max < MAX_VALUE && (int64_t)max - min <= TRJ_XTC_MAX_EXTENT;
}

static int no_room(const struct trj_frame *f, int axis, unsigned decimals, struct trj_error *err) {
    size_t position = 0;
    for (size_t i = 0; i < f->atoms; i++)
        if (fabsf(f->x[axis][i]) > fabsf(f->x[axis][position])) position = i;
    return trj_fail(err, TRJ_BAD_DATA,
                    "%c of atom %zu is %g Angstrom, too large for an xtc of %u decimals; give fewer with --decimals",
                    'x' + axis, position, (double)f->x[axis][position] * f->unit, decimals);
}

static int write_compressed(struct trj_writer *w, const struct trj_frame *f, struct trj_error *err) {
    static const unsigned char zeros[4];
    struct xtc *s = w->state;
    unsigned decimals = w->setup.decimals ? w->setup.decimals : DECIMALS;
    double precision = 1;
    unsigned char head[40], *p = head;
    struct trj_packed b;
    for (unsigned i = 0; i < decimals; i++) precision *= 10;
    for (int k = 0; k < 3; k++)
        if (!round_axis(s->x[k], f->x[k], f->atoms, precision * f->unit / 10, &b.low[k], &b.high[k]))
            return no_room(f, k, decimals, err);
    trj_xtc_pack(&b, (const int32_t *const *)s->x, f->atoms, s->packed);
    bool large = f->atoms > MAX_OLD_ATOMS || b.bytes > INT32_MAX;
    if (write_head(w, f, large ? NEW : OLD, err)) return -1;
    p = put_float(p, (float)precision);
    for (int k = 0; k < 3; k++) p = put32(p, (uint32_t)b.low[k]);
    for (int k = 0; k < 3; k++) p = put32(p, (uint32_t)b.high[k]);
    p = put32(p, (uint32_t)b.small);
    if (large) p = put32(p, (uint32_t)((uint64_t)b.bytes >> 32));
    p = put32(p, (uint32_t)b.bytes);
    return trj_output_write(w->out, head, (size_t)(p - head), err) || trj_output_write(w->out, b.data, b.bytes, err) ||
                   trj_output_write(w->out, zeros, -b.bytes & 3, err)
               ? -1
               : 0;
}

static int xtc_open(struct trj_writer *w, struct trj_error *err) {
    size_t atoms = w->setup.header->atoms;
    if (atoms > INT32_MAX)
        return trj_fail(err, TRJ_BAD_DATA, "%zu atoms, but an xtc has at most %d; write xyz or trjf", atoms, INT32_MAX);
    struct xtc *s = w->state = trj_alloc(1, sizeof *s, "an XTC", err);
    if (!s || !(s->packed = trj_alloc(atoms + TRJ_XTC_SLACK, TRJ_XTC_MAX_ATOM_BYTES, "compressed coordinates", err)))
        return -1;
    for (int k = 0; k < 3; k++)
        if (!(s->x[k] = trj_alloc(atoms, sizeof *s->x[k], "coordinates", err))) return -1;
    return 0;
}

static int xtc_write(struct trj_writer *w, struct trj_frame *f, struct trj_error *err) {
    return f->atoms <= MAX_FLOAT_ATOMS ? write_few(w, f, err) : write_compressed(w, f, err);
}

static void xtc_close(struct trj_writer *w) {
    struct xtc *s = w->state;
    if (!s) return;
    for (int k = 0; k < 3; k++) free(s->x[k]);
    free(s->packed);
}

const struct trj_writer_format trj_writer_xtc = {
    .name = "xtc",
    .help = "GROMACS, rounded",
    .endings = {".xtc"},
    .kind = TRJ_OUTPUT_BINARY,
    .decimals = true,
    .open = xtc_open,
    .write = xtc_write,
    .close = xtc_close,
};
