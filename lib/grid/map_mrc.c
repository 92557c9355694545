// SPDX-License-Identifier: MIT
// Reads MRC and CCP4 maps (mrc_header.h). Columns, rows and sections may be along any axes of the cell; axes 0, 1, 2 of
// the map that the reader gives are a, b, c of the cell.
//
// The position of the first point is in the words ORIGIN (electron microscopy) or NSTART (crystallography). A note
// reports which one was used, because programs read one or the other.
#include <math.h>
#include <string.h>

#include "byte_order.h"
#include "map_format_parts.h"
#include "memory.h"
#include "mrc_header.h"

struct reading {
    unsigned char head[MRC_HEADER];
    bool swap;
    size_t size; // bytes of a value in the file
    int mode;
    bool unsigned_bytes; // in mode 0
};

static int32_t word(const struct reading *h, int number) {
    return (int32_t)trj_load_u32(h->head + 4 * (number - 1), h->swap);
}

static double real(const struct reading *h, int number) {
    return (double)trj_load_f32(h->head + 4 * (number - 1), h->swap);
}

// Returns whether the file contains flags of IMOD, and this flag is set (`set`) or not.
static bool has_imod_flag(const struct reading *h, int flag, bool set) {
    return word(h, MRC_IMOD) == 1146047817 && !(word(h, MRC_FLAGS) & flag) == !set;
}

static size_t mode_size(int32_t mode) {
    switch (mode) {
    case MRC_INT8:
        return 1;
    case MRC_INT16:
    case MRC_UINT16:
    case MRC_FLOAT16:
        return 2;
    case MRC_FLOAT32:
        return 4;
    default:
        return 0;
    }
}

// Returns whether the numbers of points and the mode are possible in this byte order. Unsupported modes, such as those
// of complex numbers, count as possible.
static bool is_sane(const struct reading *h) {
    for (int k = 0; k < 3; k++)
        if (word(h, MRC_N + k) < 1 || word(h, MRC_N + k) > 1 << 24) return false;
    return word(h, MRC_MODE) >= 0 && word(h, MRC_MODE) <= 101;
}

// Sets the byte order. Some programs write a wrong machine stamp, so that a stamp is used only if it is known and the
// header is possible in its byte order.
static bool find_byte_order(struct reading *h) {
    const unsigned char *stamp = h->head + 4 * (MRC_STAMP - 1);
    bool little = stamp[0] == 0x44 && (stamp[1] == 0x44 || stamp[1] == 0x41),
         big = stamp[0] == 0x11 && stamp[1] == 0x11;
    h->swap = trj_host_is_little_endian() ? big : !big;
    if ((little || big) && is_sane(h)) return true;
    h->swap = false;
    if (is_sane(h)) return true;
    h->swap = true;
    return is_sane(h);
}

static bool is_mrc(const unsigned char *head, size_t n, const struct trj_input *in) {
    struct reading h = {.swap = false};
    if (n < MRC_HEADER) return false;
    memcpy(h.head, head, MRC_HEADER);
    bool named = trj_input_ends_in(in, ".mrc") || trj_input_ends_in(in, ".map") || trj_input_ends_in(in, ".ccp4");
    return (named || !memcmp(head + 4 * (MRC_MAP - 1), "MAP ", 4)) && find_byte_order(&h);
}

static int set_order(struct trj_map_reader *r, struct trj_error *err) {
    const struct reading *h = r->state;
    int32_t axis[3] = {word(h, MRC_AXES), word(h, MRC_AXES + 1), word(h, MRC_AXES + 2)};
    if (!axis[0] && !axis[1] && !axis[2]) {
        trj_map_note(&r->notes, "the header does not give the order of the axes: columns are taken as x, rows as y, "
                                "sections as z");
        for (int k = 0; k < 3; k++) axis[k] = k + 1;
    }
    unsigned seen = 0;
    for (int k = 0; k < 3; k++) seen |= axis[k] >= 1 && axis[k] <= 3 ? 1u << axis[k] : 0;
    if (seen != 14)
        return trj_fail(err, TRJ_BAD_DATA, "invalid order of axes: expected a permutation of 1 2 3, found %d %d %d",
                        axis[0], axis[1], axis[2]);
    for (int k = 0; k < 3; k++) {
        r->order.axis[k] = (unsigned char)(axis[k] - 1);
        r->map.lattice.n[axis[k] - 1] = (uint64_t)word(h, MRC_N + k);
    }
    return 0;
}

static int set_steps(struct trj_map_reader *r, struct trj_error *err) {
    const struct reading *h = r->state;
    struct trj_map_lattice *l = &r->map.lattice;
    struct trj_cell cell;
    double length[3], cosine[3], angles = 0;
    for (int k = 0; k < 3; k++) {
        length[k] = real(h, MRC_CELL + k);
        angles += fabs(real(h, MRC_CELL + 3 + k));
    }
    if (angles == 0)
        trj_map_note(&r->notes, "the header does not give the angles of the cell: they are taken as 90 degrees");
    for (int k = 0; k < 3; k++) cosine[k] = angles == 0 ? 0 : trj_cosine(real(h, MRC_CELL + 3 + k));
    if (trj_cell_set(&cell, length, cosine, err)) return trj_fail_at(err, "header, words 11 to 16");
    if (!(length[0] > 0 && length[1] > 0 && length[2] > 0))
        return trj_fail(err, TRJ_BAD_DATA,
                        "header, words 11 to 13: expected the lengths of the cell, found %g %g %g Å; set the size of a "
                        "voxel with the program that wrote the file",
                        length[0], length[1], length[2]);
    for (int k = 0; k < 3; k++) {
        int32_t sampling = word(h, MRC_SAMPLING + k);
        if (sampling < 0)
            return trj_fail(err, TRJ_BAD_DATA, "header, word %d: invalid sampling %d", MRC_SAMPLING + k, sampling);
        if (!sampling)
            trj_map_note(&r->notes,
                         "the header does not give the sampling of the cell: it is taken as the number of points");
        double intervals = sampling ? sampling : (double)l->n[k];
        for (int i = 0; i < 3; i++) l->step[k][i] = cell.h[k][i] / intervals;
    }
    return 0;
}

static void set_origin(struct trj_map_reader *r) {
    const struct reading *h = r->state;
    struct trj_map_lattice *l = &r->map.lattice;
    double origin[3], start[3] = {0};
    bool has_origin = false, has_start = false, inverted = has_imod_flag(h, 4, true);
    for (int k = 0; k < 3; k++) {
        origin[k] = (inverted ? -1 : 1) * real(h, MRC_ORIGIN + k);
        has_origin = has_origin || origin[k] != 0;
        has_start = has_start || word(h, MRC_START + k);
        double n = word(h, MRC_START + k);
        for (int i = 0; i < 3; i++) start[i] += n * l->step[r->order.axis[k]][i];
    }
    if (inverted && has_origin) trj_map_note(&r->notes, "the sign of ORIGIN is inverted, as a flag of IMOD states");
    enum trj_map_origin use = r->setup.origin;
    if (use == TRJ_MAP_ORIGIN_AUTO) use = has_origin ? TRJ_MAP_ORIGIN_WORDS : TRJ_MAP_ORIGIN_NSTART;
    for (int i = 0; i < 3; i++)
        l->origin[i] = (use == TRJ_MAP_ORIGIN_NSTART ? 0 : origin[i]) + (use == TRJ_MAP_ORIGIN_WORDS ? 0 : start[i]);
    bool differ = false;
    for (int i = 0; i < 3; i++) differ = differ || fabs(origin[i] - start[i]) > 1e-3;
    if (r->setup.origin == TRJ_MAP_ORIGIN_AUTO && differ)
        trj_map_note(&r->notes, "the position of the map is taken from %s%s",
                     use == TRJ_MAP_ORIGIN_WORDS ? "ORIGIN" : "NSTART",
                     has_origin && has_start ? "; NSTART gives a different one" : "");
}

static int check_data(struct trj_map_reader *r, struct trj_error *err) {
    struct reading *h = r->state;
    int32_t group = word(h, MRC_GROUP), extended = word(h, MRC_EXTENDED);
    h->mode = word(h, MRC_MODE);
    h->size = mode_size(h->mode);
    h->unsigned_bytes = h->mode == MRC_INT8 && has_imod_flag(h, 1, false);
    if (h->unsigned_bytes)
        trj_map_note(&r->notes, "bytes are taken as unsigned, as a flag of IMOD states; MRC2014 defines signed bytes");
    if (!h->size)
        return trj_fail(err, TRJ_BAD_DATA, "unsupported mode %d: expected 0, 1, 2, 6 or 12; convert the file to mode 2",
                        h->mode);
    if (group >= 401)
        return trj_fail(err, TRJ_BAD_DATA, "unsupported: a stack of volumes (ISPG %d); write one file for each volume",
                        group);
    if (extended < 0 || extended > 1 << 30)
        return trj_fail(err, TRJ_BAD_DATA, "invalid size of the extended header: %d bytes", extended);
    if (trj_input_skip(r->in, (uint64_t)extended, "the extended header", err)) return -1;
    return trj_map_lattice_check(&r->map.lattice, err) ||
                   trj_input_check_left(r->in, trj_map_lattice_points(&r->map.lattice) * h->size, "the values", err)
               ? -1
               : 0;
}

// Reads the label "unit: UNIT" of this program's files.
static int set_unit(struct trj_map_reader *r, struct trj_error *err) {
    static const char is_unit[] = "unit: ";
    const struct reading *h = r->state;
    for (int k = 0; k < MRC_LABEL_COUNT; k++) {
        char label[MRC_LABEL + 1] = "";
        memcpy(label, h->head + 4 * MRC_LABELS + k * MRC_LABEL, MRC_LABEL);
        size_t n = MRC_LABEL;
        while (n && (label[n - 1] == ' ' || !label[n - 1])) n--;
        label[n] = 0;
        if (!strncmp(label, is_unit, sizeof is_unit - 1))
            return trj_map_set_orbital(&r->map, label + sizeof is_unit - 1, err);
    }
    return 0;
}

static int open_mrc(struct trj_map_reader *r, struct trj_error *err) {
    struct reading *h = r->state;
    if (trj_input_read(r->in, h->head, MRC_HEADER, "the header", err)) return -1;
    if (!find_byte_order(h))
        return trj_fail(err, TRJ_BAD_DATA,
                        "not an MRC file: the numbers of points and the mode are invalid in both byte orders");
    r->map.kind = TRJ_MAP_FLOAT32;
    if (set_order(r, err) || set_steps(r, err)) return -1;
    set_origin(r);
    return set_unit(r, err) ? -1 : check_data(r, err);
}

static uint16_t load_u16(const unsigned char *from, bool swap) {
    uint16_t v;
    memcpy(&v, from, sizeof v);
    return swap ? __builtin_bswap16(v) : v;
}

static float value_of(const struct reading *h, const unsigned char *from) {
    switch (h->mode) {
    case MRC_INT8:
        return h->unsigned_bytes ? (float)*from : (float)(int8_t)*from;
    case MRC_INT16:
        return (float)(int16_t)load_u16(from, h->swap);
    case MRC_UINT16:
        return (float)load_u16(from, h->swap);
    case MRC_FLOAT16:
        return trj_map_half(load_u16(from, h->swap));
    default:
        return trj_load_f32(from, h->swap);
    }
}

static int read_mrc(struct trj_map_reader *r, void *values, uint64_t planes, struct trj_error *err) {
    enum { BUFFER = 1 << 14 };
    struct reading *h = r->state;
    unsigned char bytes[BUFFER];
    float *to = values;
    const uint64_t *n = r->map.lattice.n;
    uint64_t left = planes * n[r->order.axis[0]] * n[r->order.axis[1]];
    for (size_t some; left; left -= some, to += some) {
        some = left < BUFFER / h->size ? left : BUFFER / h->size;
        if (trj_input_read(r->in, bytes, some * h->size, "the values", err)) return -1;
        for (size_t i = 0; i < some; i++) to[i] = value_of(h, bytes + i * h->size);
    }
    return 0;
}

const struct trj_map_format trj_map_mrc = {
    .name = "mrc",
    .title = "MRC",
    .other_title = "CCP4",
    .help = "MRC and CCP4, in float32",
    .endings = {".mrc", ".map", ".ccp4"},
    .kind = TRJ_OUTPUT_BINARY,
    .scalar = true,
    .order = {{0, 1, 2}},
    .reader_state = sizeof(struct reading),
    .writer_state = sizeof(struct trj_mrc_writing),
    .is = is_mrc,
    .open = open_mrc,
    .read = read_mrc,
    .end = trj_map_check_end,
    .create = trj_mrc_create,
    .write = trj_mrc_write,
    .finish = trj_mrc_finish,
    .destroy = trj_mrc_destroy,
};
