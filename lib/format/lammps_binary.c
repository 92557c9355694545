// SPDX-License-Identifier: MIT
// Reads LAMMPS binary dumps: frames of a header and one chunk per processor, all values of atoms in float64. Byte order
// and size of large integers are those of the machine. Since 2020, a frame begins with a magic string and contains the
// names of columns. (https://docs.lammps.org/dump.html; magic strings: file(1))
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "byte_order.h"
#include "lammps_records.h"
#include "memory.h"
#include "xdr_frames.h" // trj_xdr_read, trj_xdr_seek

enum {
    MAX_TEXT = 1 << 16,
    MAX_COLUMNS = 1024,
    READ_BYTES = 1 << 20
}; // bytes of a text in a header; columns; bytes read at once
static const char *const magics[] = {"DUMPATOM", "DUMPCUSTOM"};
static const char header_name[] = "the header of the frame", data_name[] = "the atoms";

// Detected from the first bytes.
struct encoding {
    bool swap;
    unsigned large;    // bytes of a large integer
    const char *magic; // NULL: a file of before 2020
    uint64_t atoms;
};

struct lammps_binary {
    struct trj_xdr_index index; // must be first, for trj_xdr_seek and trj_xdr_close
    struct trj_input_bytes block;
    struct trj_lammps records;
    struct encoding encoding;
    float (*x)[3]; // [capacity] of the current frame, in the order of the file
    size_t capacity;
};

struct header {
    int64_t step, atoms;
    int32_t columns, chunks;
    bool named; // columns have names
    double time;
};

// ---- detection

static int64_t large_at(const unsigned char *from, const struct encoding *encoding) {
    return encoding->large == 8 ? (int64_t)trj_load_u64(from, encoding->swap)
                                : (int32_t)trj_load_u32(from, encoding->swap);
}

static bool has_magic(const unsigned char *head, size_t n, struct encoding *encoding) {
    for (size_t i = 0; i < sizeof magics / sizeof *magics; i++) {
        size_t length = strlen(magics[i]), position = encoding->large + length + 8; // after byte order and revision
        if (n < position + 2 * encoding->large || large_at(head, encoding) != -(int64_t)length ||
            memcmp(head + encoding->large, magics[i], length))
            continue;
        encoding->magic = magics[i];
        encoding->atoms = (uint64_t)large_at(head + position + encoding->large, encoding);
        return true;
    }
    return false;
}

// Without a magic string, all fields must be valid up to the length of the first chunk.
static bool is_old_header(const unsigned char *head, size_t n, struct encoding *encoding) {
    size_t position = 2 * encoding->large;
    if (n < position + 28 + 72 + 12) return false;
    int64_t step = large_at(head, encoding), atoms = large_at(head + encoding->large, encoding);
    uint32_t tilted = trj_load_u32(head + position, encoding->swap);
    if (step < 0 || atoms < 1 || tilted > 1) return false;
    for (size_t k = 0; k < 6; k++)
        if (trj_load_u32(head + position + 4 + 4 * k, encoding->swap) > 3) return false;
    position += 28;
    for (size_t k = 0; k < 3; k++) {
        double low = trj_load_f64(head + position + 16 * k, encoding->swap),
               high = trj_load_f64(head + position + 16 * k + 8, encoding->swap);
        if (!isfinite(low) || !isfinite(high) || !(low < high)) return false;
    }
    position += tilted ? 72 : 48;
    uint32_t columns = trj_load_u32(head + position, encoding->swap),
             chunks = trj_load_u32(head + position + 4, encoding->swap),
             values = trj_load_u32(head + position + 8, encoding->swap);
    encoding->atoms = (uint64_t)atoms;
    encoding->magic = NULL;
    return columns >= 1 && columns <= MAX_COLUMNS && chunks >= 1 && chunks <= INT32_MAX && values <= INT32_MAX &&
           values % columns == 0 && values / columns <= encoding->atoms;
}

static bool detect_encoding(const unsigned char *head, size_t n, struct encoding *encoding) {
    for (unsigned k = 0; k < 4; k++) {
        *encoding = (struct encoding){.swap = k & 1, .large = k & 2 ? 4 : 8};
        if (has_magic(head, n, encoding) || is_old_header(head, n, encoding)) return true;
    }
    return false;
}

static bool lmpbin_is(const unsigned char *head, size_t n) {
    struct encoding encoding;
    return detect_encoding(head, n, &encoding);
}

// ---- headers

static int read_int(struct trj_reader *r, int32_t *v, struct trj_error *err) {
    const struct lammps_binary *b = r->internals->state;
    unsigned char raw[4];
    if (trj_input_read(r->in, raw, sizeof raw, header_name, err)) return -1;
    *v = (int32_t)trj_load_u32(raw, b->encoding.swap);
    return 0;
}

static int read_large(struct trj_reader *r, int64_t *v, struct trj_error *err) {
    const struct lammps_binary *b = r->internals->state;
    unsigned char raw[8];
    if (trj_input_read(r->in, raw, b->encoding.large, header_name, err)) return -1;
    *v = large_at(raw, &b->encoding);
    return 0;
}

static int read_doubles(struct trj_reader *r, double *v, size_t n, struct trj_error *err) {
    const struct lammps_binary *b = r->internals->state;
    unsigned char raw[12 * 8];
    if (trj_input_read(r->in, raw, 8 * n, header_name, err)) return -1;
    for (size_t k = 0; k < n; k++) v[k] = trj_load_f64(raw + 8 * k, b->encoding.swap);
    return 0;
}

// Reads a text of the header into b->block, NUL-terminated; it may be empty.
static int read_text(struct trj_reader *r, struct trj_error *err) {
    struct lammps_binary *b = r->internals->state;
    unsigned long long position = trj_input_offset(r->in);
    int32_t length;
    if (read_int(r, &length, err)) return -1;
    if (length < 0 || length > MAX_TEXT)
        return trj_fail(err, TRJ_BAD_DATA, "byte %llu gives a text of %d bytes", position, length);
    if (trj_xdr_read(r, &b->block, (uint64_t)length, 1, header_name, err)) return -1;
    for (int32_t i = 0; i < length; i++)
        if (b->block.data[i] < ' ' || b->block.data[i] > '~')
            return trj_fail(err, TRJ_BAD_DATA, "byte %llu is not a character of a text", position + 4 + (unsigned)i);
    return 0;
}

// Reads magic string, byte order and revision (0 in files without a magic string). Returns 1, 0 at the end of the file,
// -1.
static int read_magic(struct trj_reader *r, int32_t *revision, struct trj_error *err) {
    const struct lammps_binary *b = r->internals->state;
    const unsigned char *head;
    unsigned long long position = trj_input_offset(r->in);
    size_t n, length = b->encoding.magic ? strlen(b->encoding.magic) : 0;
    int32_t order;
    *revision = 0;
    if (trj_input_peek(r->in, &head, b->encoding.large + length, &n, err)) return -1;
    if (!n) return 0;
    if (!length) return 1;
    if (n < b->encoding.large + length)
        return trj_input_fail_truncated(r->in, position + n, b->encoding.large + length, n, header_name, err);
    if (large_at(head, &b->encoding) != -(int64_t)length || memcmp(head + b->encoding.large, b->encoding.magic, length))
        return trj_fail(err, TRJ_BAD_DATA, "no %s at byte %llu, where a frame should begin", b->encoding.magic,
                        position);
    if (trj_input_skip(r->in, n, header_name, err) || read_int(r, &order, err) || read_int(r, revision, err)) return -1;
    if (order != 1)
        return trj_fail(err, TRJ_BAD_DATA, "byte %llu should be 1, in the byte order of the file", position + n);
    if (*revision != 1 && *revision != 2)
        return trj_fail(err, TRJ_BAD_DATA, "byte %llu gives revision %d, which is not supported", position + n + 4,
                        *revision);
    return 1;
}

static int fail_box(const struct trj_reader *r, struct trj_error *err) {
    struct lammps_binary *b = r->internals->state;
    if (!r->internals->cell_given) return -1;
    trj_lammps_leave_out_box(&b->records, err);
    return 0;
}

// Reads boundaries and box. A direction is periodic if both boundaries are p (0), as in text dumps. A general box is
// given by vectors and origin. A user can replace an invalid box.
static int read_box(struct trj_reader *r, struct trj_error *err) {
    struct lammps_binary *b = r->internals->state;
    struct trj_lammps *l = &b->records;
    unsigned long long position = trj_input_offset(r->in);
    int32_t tilted, side[6];
    double v[12] = {0};
    if (read_int(r, &tilted, err)) return -1;
    if (tilted < 0 || tilted > (b->encoding.magic ? 2 : 1))
        return trj_fail(err, TRJ_BAD_DATA, "byte %llu gives a box of the unknown type %d", position, tilted);
    l->now.periodic = TRJ_PERIODIC_ALL;
    for (int k = 0; k < 6; k++) {
        if (read_int(r, &side[k], err)) return -1;
        if (side[k] < 0 || side[k] > 3 || (k % 2 && (side[k] == 0) != (side[k - 1] == 0)))
            return trj_fail(err, TRJ_BAD_DATA, "byte %llu gives a boundary of the unknown type %d",
                            position + 4 + 4 * (unsigned)k, side[k]);
        if (side[k]) l->now.periodic &= ~(1u << k / 2);
    }
    position = trj_input_offset(r->in);
    size_t n = (size_t[]){6, 9, 12}[tilted];
    if (read_doubles(r, v, n, err)) return -1;
    l->no_box = false;
    for (size_t k = 0; k < n; k++)
        if (!isfinite(v[k])) {
            trj_fail(err, TRJ_BAD_DATA, "byte %llu gives a bound of the box, %g, which is not finite", position + 8 * k,
                     v[k]);
            return fail_box(r, err);
        }
    if (tilted == 2) {
        for (int k = 0; k < 9; k++) l->now.h[k / 3][k % 3] = v[k];
        for (int k = 0; k < 3; k++) l->now.low[k] = v[9 + k];
        return 0;
    }
    const double bounds[3][2] = {{v[0], v[1]}, {v[2], v[3]}, {v[4], v[5]}}, tilt[3] = {v[6], v[7], v[8]};
    if (!trj_lammps_box(l, bounds, tilt, &r->note, err)) return 0;
    trj_fail_at(err, "the bounds at byte %llu", position);
    return fail_box(r, err);
}

static int check_count(struct trj_reader *r, const struct header *h, unsigned long long position,
                       struct trj_error *err) {
    const struct lammps_binary *b = r->internals->state;
    if (h->atoms < 1 || h->atoms > UINT32_MAX)
        return trj_fail(err, TRJ_BAD_DATA, "byte %llu gives %lld atoms", position, (long long)h->atoms);
    if (b->records.atoms && (uint64_t)h->atoms != r->atoms)
        return trj_fail(err, TRJ_BAD_DATA, "%lld atoms, but earlier frames have %zu", (long long)h->atoms, r->atoms);
    if (h->columns < 1 || h->columns > MAX_COLUMNS || h->chunks < 1)
        return trj_fail(err, TRJ_BAD_DATA, "the header at byte %llu gives %d columns and %d chunks", position,
                        h->columns, h->chunks);
    return trj_input_check_left(r->in, (uint64_t)h->atoms * 8 * (uint64_t)h->columns, data_name, err);
}

// Reads units, which only the first frame may contain, time, and names of columns.
static int read_names(struct trj_reader *r, int32_t revision, struct header *h, struct trj_error *err) {
    static const char *const old[] = {"id type xs ys zs", "id type xs ys zs ix iy iz"};
    struct lammps_binary *b = r->internals->state;
    struct trj_lammps *l = &b->records;
    const char *text;
    unsigned char flag;
    h->time = NAN;
    h->named = revision > 1;
    if (!h->named) {
        if (h->columns != 5 && h->columns != 8)
            return trj_fail(
                err, TRJ_BAD_DATA,
                "%d columns without names, in a dump written before 2021; convert it to text with binary2txt of "
                "LAMMPS, and add the names",
                h->columns);
        char names[32];
        snprintf(names, sizeof names, "%s", old[h->columns == 8]);
        r->note =
            "the columns of this old dump have no names: they are assumed to be those of dump atom, id type xs ys zs";
        return trj_lammps_columns(l, names, err);
    }
    if (read_text(r, err)) return -1;
    text = (const char *)b->block.data;
    if (*text && trj_lammps_units(l, text, err)) return -1;
    if (trj_input_read(r->in, &flag, 1, header_name, err) || (flag && read_doubles(r, &h->time, 1, err)) ||
        read_text(r, err))
        return -1;
    if (trj_lammps_columns(l, (char *)b->block.data, err)) return -1;
    return l->now.columns == (size_t)h->columns
               ? 0
               : trj_fail(err, TRJ_BAD_DATA, "%zu names for %d columns", l->now.columns, h->columns);
}

// Reads a header, up to the first chunk. Returns 1, 0 at the end, -1.
static int read_header(struct trj_reader *r, struct header *h, struct trj_error *err) {
    uint64_t start = trj_input_offset(r->in);
    int32_t revision;
    int got = read_magic(r, &revision, err);
    if (got <= 0) return got;
    unsigned long long position = trj_input_offset(r->in);
    if (read_large(r, &h->step, err)) return -1;
    if (read_large(r, &h->atoms, err)) return -1;
    if (read_box(r, err)) return -1;
    if (read_int(r, &h->columns, err)) return -1;
    if (read_names(r, revision, h, err)) return -1;
    if (read_int(r, &h->chunks, err)) return -1;
    if (check_count(r, h, position, err)) return -1;
    if (trj_xdr_index_add(r, start, err)) return -1;
    return 1;
}

// ---- atoms

// Reads the number of values of the next chunk; *atoms: its atoms, at most `left`.
static int read_chunk(struct trj_reader *r, const struct header *h, uint64_t left, uint64_t *atoms,
                      struct trj_error *err) {
    unsigned long long position = trj_input_offset(r->in);
    int32_t values;
    if (read_int(r, &values, err)) return -1;
    if (values < 0 || values % h->columns || (uint64_t)(values / h->columns) > left)
        return trj_fail(err, TRJ_BAD_DATA, "byte %llu gives a chunk of %d values, with %d per atom and %llu atoms left",
                        position, values, h->columns, (unsigned long long)left);
    *atoms = (uint64_t)(values / h->columns);
    return 0;
}

static int check_complete(const struct header *h, uint64_t left, struct trj_error *err) {
    return left ? trj_fail(err, TRJ_BAD_DATA, "the chunks contain %lld of %lld atoms",
                           (long long)h->atoms - (long long)left, (long long)h->atoms)
                : 0;
}

static bool is_whole(double v) {
    return fabs(v) <= 0x1p53 && v == floor(v);
}

// Columns without names are assumed to be those of dump atom. Checks that they can be: id, type, scaled positions in or
// near the box, image flags.
static int check_old_columns(const struct header *h, const double v[8], struct trj_error *err) {
    for (int k = 0; k < h->columns; k++) {
        bool good = k < 2 ? is_whole(v[k]) && v[k] >= 1 : k < 5 ? v[k] >= -0.5 && v[k] <= 1.5 : is_whole(v[k]);
        if (!good)
            return trj_fail(err, TRJ_BAD_DATA,
                            "column %d is %g: the columns of this old dump have no names, and are not id type xs ys "
                            "zs; convert it to text with binary2txt of LAMMPS, and add the names",
                            k + 1, v[k]);
    }
    return 0;
}

static int store_atom(struct trj_reader *r, const struct header *h, size_t i, const unsigned char *from,
                      struct trj_error *err) {
    struct lammps_binary *b = r->internals->state;
    struct trj_lammps *l = &b->records;
    bool swap = b->encoding.swap;
    double v[3];
    if (!h->named) {
        double all[8];
        for (int k = 0; k < h->columns; k++) all[k] = trj_load_f64(from + 8 * k, swap);
        if (check_old_columns(h, all, err)) return -1;
    }
    for (int k = 0; k < 3; k++) v[k] = trj_load_f64(from + 8 * l->now.x[k], swap);
    if (l->now.scaled)
        trj_lammps_unscale(&l->now, v, b->x[i]);
    else
        for (int k = 0; k < 3; k++) b->x[i][k] = (float)v[k];
    if (!l->now.has_id) return 0;
    double id = trj_load_f64(from + 8 * l->now.id, swap);
    if (!is_whole(id)) return trj_fail(err, TRJ_BAD_DATA, "%g is not an id", id);
    return trj_lammps_take_id(l, i, (int64_t)id, err);
}

static int read_atoms(struct trj_reader *r, const struct header *h, struct trj_error *err) {
    struct lammps_binary *b = r->internals->state;
    size_t row = 8 * (size_t)h->columns, max_atoms = READ_BYTES / row, i = 0;
    uint64_t left = (uint64_t)h->atoms, chunk;
    for (int32_t c = 0; c < h->chunks; c++) {
        if (read_chunk(r, h, left, &chunk, err)) return -1;
        left -= chunk;
        while (chunk) {
            size_t n = chunk < max_atoms ? (size_t)chunk : max_atoms;
            if (trj_xdr_read(r, &b->block, n * row, 0, data_name, err) ||
                (i + n > b->capacity && trj_grow(&b->x, &b->capacity, i + n, sizeof *b->x, "atoms", err)))
                return -1;
            for (const unsigned char *p = b->block.data; n--; p += row, i++, chunk--)
                if (store_atom(r, h, i, p, err)) return trj_fail_at(err, "atom %zu", i);
        }
    }
    return check_complete(h, left, err);
}

// ---- the format

static int lmpbin_open(struct trj_reader *r, struct trj_error *err) {
    const unsigned char *head;
    size_t n;
    uint64_t size;
    struct lammps_binary *b = r->internals->state = trj_alloc(1, sizeof *b, "a reader of LAMMPS dumps", err);
    if (!b) return -1;
    trj_lammps_start(&b->records);
    if (trj_input_peek(r->in, &head, TRJ_INPUT_PEEK, &n, err)) return -1;
    if (!detect_encoding(head, n, &b->encoding)) return trj_fail(err, TRJ_BAD_DATA, "is not a binary dump of LAMMPS");
    if (b->encoding.atoms < 1 || b->encoding.atoms > UINT32_MAX)
        return trj_fail(err, TRJ_BAD_DATA, "frame 0: %lld atoms", (long long)b->encoding.atoms);
    r->atoms = (size_t)b->encoding.atoms;
    r->can_seek = trj_input_size(r->in, &size);
    snprintf(r->dialect, sizeof r->dialect, "%s %u-bit LAMMPS binary dump, %s",
             b->encoding.swap == trj_host_is_little_endian() ? "BE" : "LE", 8 * b->encoding.large,
             b->encoding.magic ? b->encoding.magic : "columns without names");
    return 0;
}

static int lmpbin_read(struct trj_reader *r, struct trj_frame *f, struct trj_error *err) {
    struct lammps_binary *b = r->internals->state;
    struct header h;
    const uint32_t *place;
    int got = read_header(r, &h, err);
    if (got <= 0) return got;
    if (read_atoms(r, &h, err) || trj_lammps_end(&b->records, (size_t)h.atoms, &place, err) ||
        trj_frame_resize(f, r->atoms, err))
        return -1;
    for (size_t i = 0; i < r->atoms; i++)
        for (int k = 0; k < 3; k++) f->x[k][place ? place[i] : i] = b->x[i][k];
    if (!r->note) r->note = b->records.units_note;
    f->index = r->next;
    f->step = h.step;
    f->time = h.time;
    trj_lammps_describe(&b->records, f);
    return 1;
}

static int lmpbin_skip(struct trj_reader *r, struct trj_error *err) {
    const struct lammps_binary *b = r->internals->state;
    struct header h;
    if (!b->records.atoms) { // the ids of the first frame determine the order of atoms
        struct trj_frame f = {0};
        int got = lmpbin_read(r, &f, err);
        trj_frame_free(&f);
        return got;
    }
    int got = read_header(r, &h, err);
    if (got <= 0) return got;
    uint64_t left = (uint64_t)h.atoms, chunk;
    for (int32_t c = 0; c < h.chunks; c++, left -= chunk)
        if (read_chunk(r, &h, left, &chunk, err) ||
            trj_input_skip(r->in, chunk * 8 * (uint64_t)h.columns, data_name, err))
            return -1;
    return check_complete(&h, left, err) ? -1 : 1;
}

static void lmpbin_close(struct trj_reader *r) {
    struct lammps_binary *b = r->internals->state;
    if (!b) return;
    trj_lammps_free(&b->records);
    free(b->x);
    free(b->block.data);
    trj_xdr_close(r);
}

static const struct trj_format_ops ops = {
    .is = lmpbin_is,
    .open = lmpbin_open,
    .read = lmpbin_read,
    .skip = lmpbin_skip,
    .seek = trj_xdr_seek,
    .close = lmpbin_close,
};

const struct trj_format trj_format_lmpbin = {
    .name = "lmpbin",
    .help = "LAMMPS binary dump (custom or atom), in either byte order; without names of columns only of dump atom",
    .listed_endings = {".lammpsbin"},
    .ops = &ops,
};
