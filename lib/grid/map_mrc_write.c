// SPDX-License-Identifier: MIT
// Writes MRC maps (mrc_header.h): float32, little-endian, columns along axis 0, ISPG 1 for a volume.
//
// ORIGIN always gives the position of the first point. If it is a whole number of steps, NSTART gives the same, so that
// programs that read only one of the two agree. Others add both: for them, NSTART can stay 0.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "byte_order.h"
#include "map_format_parts.h"
#include "mrc_header.h"

enum { BUFFER = 1024, VERSION = 20140 };

// Tolerance of the components of a cell vector relative to its length, and of a whole number of steps.
static const double TOLERANCE = 1e-4;

static void put_word(unsigned char *head, int number, int64_t value) {
    uint32_t v = (uint32_t)value;
    for (int i = 0; i < 4; i++) head[4 * (number - 1) + i] = (unsigned char)(v >> 8 * i);
}

static void put_real(unsigned char *head, int number, double value) {
    float f = (float)value;
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    put_word(head, number, bits);
}

// Sets lengths and angles of the cell. Checks that the map has the orientation that they imply: a along x, b in the xy
// plane.
static int set_cell(unsigned char *head, const struct trj_map_lattice *l, struct trj_error *err) {
    struct trj_cell cell = trj_map_lattice_cell(l), standard;
    double length[3], cosine[3];
    trj_cell_shape(&cell, length, cosine);
    bool same = !trj_cell_set(&standard, length, cosine, err);
    for (int k = 0; same && k < 3; k++)
        for (int i = 0; i < 3; i++) same = same && fabs(standard.h[k][i] - cell.h[k][i]) <= TOLERANCE * length[k];
    if (!same)
        return trj_fail(err, TRJ_BAD_DATA,
                        "the lattice is rotated or left-handed, but mrc requires axis 0 along x and axis 1 in the xy "
                        "plane; write dx, npy or trjg");
    for (int k = 0; k < 3; k++) {
        put_real(head, MRC_CELL + k, length[k]);
        put_real(head, MRC_CELL + 3 + k, trj_degrees(cosine[k]));
    }
    return 0;
}

static void set_origin(struct trj_map_writer *w, unsigned char *head) {
    const struct trj_map_lattice *l = &w->map->lattice;
    double g[3][3], start[3];
    bool whole = !w->setup.no_nstart, zero = true;
    trj_map_lattice_inverse(l, g);
    for (int k = 0; k < 3; k++) {
        start[k] = g[k][0] * l->origin[0] + g[k][1] * l->origin[1] + g[k][2] * l->origin[2];
        whole = whole && fabs(start[k] - rint(start[k])) <= TOLERANCE && fabs(start[k]) < INT32_MAX;
        zero = zero && fabs(start[k]) < 0.5;
    }
    if (whole && !zero)
        trj_map_note(
            &w->notes,
            "the position of the map is in ORIGIN and in NSTART, which GridDataFormats and MDAnalysis add: they "
            "read it at twice its distance from 0; for them, add --no-nstart");
    for (int k = 0; k < 3; k++) {
        put_real(head, MRC_ORIGIN + k, l->origin[k]);
        if (whole) put_word(head, MRC_START + k, (int64_t)rint(start[k]));
    }
}

int trj_mrc_create(struct trj_map_writer *w, struct trj_error *err) {
    static const unsigned char map[4] = {'M', 'A', 'P', ' '}, stamp[4] = {0x44, 0x44, 0, 0};
    struct trj_mrc_writing *m = w->state;
    unsigned char head[MRC_HEADER] = {0};
    const struct trj_map_lattice *l = &w->map->lattice;
    if (set_cell(head, l, err)) return -1;
    for (int k = 0; k < 3; k++) {
        if (l->n[k] > 1 << 24) return trj_fail(err, TRJ_BAD_DATA, "too many points for an mrc file; write trjg");
        put_word(head, MRC_N + k, (int64_t)l->n[k]);
        put_word(head, MRC_SAMPLING + k, (int64_t)l->n[k]);
        put_word(head, MRC_AXES + k, k + 1);
    }
    set_origin(w, head);
    put_word(head, MRC_MODE, MRC_FLOAT32);
    put_word(head, MRC_GROUP, 1);
    put_word(head, MRC_VERSION, VERSION);
    // By the specification, DMAX < DMIN, DMEAN < both and RMS < 0 mean that they are unknown. In a pipe, they remain
    // so.
    put_real(head, MRC_RANGE, 0);
    put_real(head, MRC_RANGE + 1, -1);
    put_real(head, MRC_RANGE + 2, -2);
    put_real(head, MRC_RMS, -1);
    memcpy(head + 4 * (MRC_MAP - 1), map, sizeof map);
    memcpy(head + 4 * (MRC_STAMP - 1), stamp, sizeof stamp);
    const char *unit = w->map->unit ? w->map->unit : "";
    put_word(head, MRC_LABELS, *unit ? 2 : 1);
    char label[MRC_LABEL + 1];
    int length = snprintf(label, sizeof label, "%s: %s (%s)", w->setup.program,
                          w->map->quantity && *w->map->quantity ? w->map->quantity : "map",
                          trj_map_meaning_text(w->map->meaning));
    memset(head + 4 * MRC_LABELS, ' ', MRC_LABEL);
    memcpy(head + 4 * MRC_LABELS, label, length < MRC_LABEL ? (size_t)length : MRC_LABEL);
    if (*unit) { // a label of its own, because the quantity can fill the first
        length = snprintf(label, sizeof label, "unit: %s", unit);
        memset(head + 4 * MRC_LABELS + MRC_LABEL, ' ', MRC_LABEL);
        memcpy(head + 4 * MRC_LABELS + MRC_LABEL, label, length < MRC_LABEL ? (size_t)length : MRC_LABEL);
    }
    if (!(m->statistics = trj_map_statistics_open(w->map, err))) return -1;
    return trj_output_write(w->out, head, sizeof head, err);
}

int trj_mrc_write(struct trj_map_writer *w, const void *values, uint64_t planes, struct trj_error *err) {
    struct trj_mrc_writing *m = w->state;
    double real[BUFFER];
    unsigned char bytes[4 * BUFFER];
    const unsigned char *from = values;
    uint64_t left = planes * trj_map_lattice_plane(&w->map->lattice);
    trj_map_statistics_add(m->statistics, values, left);
    for (size_t some; left; left -= some, from += some * trj_map_value_size(w->map->kind)) {
        some = left < BUFFER ? left : BUFFER;
        trj_map_to_real(w->map, from, some, real);
        for (size_t i = 0; i < some; i++) {
            put_real(bytes, (int)i + 1, real[i]);
            if (isfinite(real[i]) && !isfinite((float)real[i])) return trj_map_fail_value("mrc", real[i], err);
            m->rounded = m->rounded || (double)(float)real[i] != real[i];
        }
        if (trj_output_write(w->out, bytes, 4 * some, err)) return -1;
    }
    return 0;
}

int trj_mrc_finish(struct trj_map_writer *w, struct trj_error *err) {
    struct trj_mrc_writing *m = w->state;
    struct trj_map_summary s = trj_map_statistics_summary(m->statistics);
    unsigned char head[MRC_HEADER];
    double largest = fmax(fabs(s.min), fabs(s.max));
    if (m->rounded && w->map->kind >= TRJ_MAP_QUANTA)
        trj_map_note(&w->notes, "values were rounded to float32, whose significand has 24 bits");
    else if (m->rounded && s.sigma > 0 && largest * FLT_EPSILON > 1e-3 * s.sigma)
        trj_map_note(&w->notes,
                     "values were rounded to float32: values up to %.3g are changed by up to %.1g, but sigma is %.3g",
                     largest, largest * FLT_EPSILON / 2, s.sigma);
    if (!trj_output_can_patch(w->out)) {
        trj_map_note(&w->notes, "minimum, maximum, mean and sigma are not in the header, because the output is a pipe");
        return 0;
    }
    if (!s.values || s.not_finite) return 0;
    put_real(head, MRC_RANGE, s.min);
    put_real(head, MRC_RANGE + 1, s.max);
    put_real(head, MRC_RANGE + 2, s.mean);
    put_real(head, MRC_RMS, s.sigma);
    return trj_output_patch(w->out, 4 * (MRC_RANGE - 1), head + 4 * (MRC_RANGE - 1), 12, err) ||
                   trj_output_patch(w->out, 4 * (MRC_RMS - 1), head + 4 * (MRC_RMS - 1), 4, err)
               ? -1
               : 0;
}

void trj_mrc_destroy(struct trj_map_writer *w) {
    struct trj_mrc_writing *m = w->state;
    trj_map_statistics_close(m->statistics);
}
